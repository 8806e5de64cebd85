"""What the contract says of pages that nobody captured: tables, and lists as queries. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from artifacts.contract import Behaviour, Entity
from builder.compile.answers import Answer
from builder.induce.listing import Table
from builder.induce.listquery import ListQuery
from builder.induce.site import Induced, List

_MOST_EVIDENCE = 20


def tables(induced: Induced, given: Sequence[Answer]) -> tuple[Entity, ...]:
    """One clause for each table that a list is answered from."""
    used = [entity for entity in induced.entities if any(one.family.entity is entity for one in induced.lists)]
    return tuple(
        table_clause(entity.table, (page.name for spot in entity.spots for page in spot.kind.pages), given)
        for entity in used
    )


def table_clause(table: Table, answers: Iterable[str], given: Sequence[Answer]) -> Entity:
    """What the contract says of a table whose rows come from these answers, each named by its number."""
    return Entity(
        name=table.name,
        table=table.name,
        columns=tuple(sorted({column for row in table.rows.values() for column in row})),
        rows=len(table.rows),
        evidence=evidence_of(answers, given),
    )


def lists(induced: Induced, given: Sequence[Answer]) -> tuple[Behaviour, ...]:
    """One clause for each list that answers for pages nobody captured."""
    return tuple(_list(one, given) for one in induced.lists)


def _list(one: List, given: Sequence[Answer]) -> Behaviour:
    query = one.query
    told = next(iter(query.experiments), None)
    if any(view.fields for view in one.views):
        return _single(one, given)
    return Behaviour(
        name=f"list {one.family.name}",
        safety="read",
        trigger=f"GET {one.family.name}" + "".join(f", {name} ({does})" for name, does in _parameters(query)),
        observed=evidence_of((page.page.name for page in one.family.pages), given),
        variants=tuple(f"{part}: {how}" for part, how in sorted(how_known(one).items())),
        status="observed" if is_settled(one) else "inferred",
        refuted_by="a page at such an address with other rows, or in another order",
        experiment=f"{told.text}: {told.address}" if told else "",
    )


def _single(one: List, given: Sequence[Answer]) -> Behaviour:
    """The pages of a table's rows that nobody opened."""
    return Behaviour(
        name=f"unopened pages {one.family.name}",
        safety="read",
        trigger=f"GET {one.family.name}, for a row of {one.query.table} that a list shows",
        observed=evidence_of((page.name for view in one.views for page in view.kind.pages), given),
        variants=(f"page: {one.query.members.because}; the rest is left empty",),
        status="inferred",
        refuted_by="the site's own page, where it says of its subject what ours does not",
        experiment="open such a page",
    )


def _parameters(query: ListQuery) -> Iterator[tuple[str, str]]:
    return ((parameter.name, parameter.does) for parameter in query.parameters)


def how_known(one: List) -> Mapping[str, str]:
    """Which rows, their order, and what stands around them: computed, or only looked up."""
    orders = {order.why.status for order in one.query.orders}
    slots = [(view.frame.computed, view.frame.looked_up, len(view.frame.open)) for view in one.views]
    return {
        "rows": one.query.members.status,
        "order": "looked up" if "looked up" in orders else "computed",
        "around the rows": "{} slots computed, {} looked up, {} open".format(*map(sum, zip(*slots, strict=True))),
    }


def is_settled(one: List) -> bool:
    """Whether every captured page of a list is computed."""
    known = how_known(one)
    return one.query.exact == one.query.checked and known["rows"] == known["order"] == "computed"


def evidence_of(answers: Iterable[str], given: Sequence[Answer]) -> tuple[str, ...]:
    """The bodies of answers that are named by their numbers, each once, the first ones."""
    digests = (given[number].recordings[0].body_digest for number in sorted(set(map(int, answers))))
    return tuple(dict.fromkeys(digest for digest in digests if digest))[:_MOST_EVIDENCE]
