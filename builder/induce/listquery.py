"""What a family of lists is, as plain data: its parameters, which rows, in what order, which of them on a page.

Standard library only: a copy of this file is part of every emitted application. `listanswer` evaluates it.
"""

import json
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, NamedTuple

Pairs = tuple[tuple[str, str], ...]
Role = Literal["nothing", "order", "direction", "page", "size", "filter", "search", "selector", "unknown"]


@dataclass(frozen=True)
class Why:
    """What an inference rests on."""

    status: Literal["computed", "approximate", "looked up"] = "computed"
    """Computed holds for what nobody captured, and approximate for most of it; looked up only for what was."""
    evidence: float = 0.0
    """Bits: log2 of what the examples exclude. For look-ups, how many examples there are."""
    rival: str = ""
    """The nearest other explanation that fits as well; empty if none was found."""
    because: str = ""


@dataclass(frozen=True)
class Parameter:
    """One name of the query and what it does; "name:field" stands for values written "field:value"."""

    name: str
    does: Role
    why: Why = Why()


@dataclass(frozen=True)
class Condition:
    """A condition on rows that a parameter's value sets."""

    name: str
    """The parameter; "/1" is the family's first variable piece of the path, "/" the path as a whole."""
    does: Literal["=", "has", "min", "max", "over", "under", "prefix", "contains", "links", "seen"]
    column: str = ""
    kind: str = "text"
    """How the column is compared, as `words.typed` knows it."""
    several: Literal["any", "all", "last"] = "any"
    """What a repeated parameter asks for."""
    separator: str = ""
    """What stands between several values in one."""
    negated: str = ""
    """What stands before a value that rows must not have."""
    default: str = ""
    """The value that counts where the parameter is absent."""
    idle: tuple[str, ...] = ()
    """Values that test nothing, such as "all"."""
    empties: bool = False
    """Whether a value that no row has was seen to give an empty list; else its effect is not known."""
    labels: tuple[tuple[str, str], ...] = ()
    """Value -> text of the column, where the two are not alike; a value that is missing here is not known."""
    lists: str = ""
    """What stands before the value in the names of the lists that were seen."""
    why: Why = Why()


@dataclass(frozen=True)
class Search:
    """Rows are found by the words of a text."""

    name: str
    columns: tuple[str, ...]
    match: Literal["word", "stem", "prefix", "substring", "phrase", "literal"] = "word"
    every: bool = True
    """Whether a row must have all the words, or any of them."""
    skips: bool = False
    """Whether stop words are left out of what is asked."""
    blank: Literal["all", "none", "unknown"] = "unknown"
    """What a search for nothing finds."""
    why: Why = Why()


@dataclass(frozen=True)
class By:
    """One key of an order: a column under a way of comparing, or a score of the search ("bm25", "title", ...)."""

    column: str
    kind: str
    descending: bool = False
    missing_first: bool = False
    """Where rows without a value stand."""


@dataclass(frozen=True)
class Order:
    """The order of the lists that meet its conditions. The first order of a query that fits counts."""

    sort: tuple[tuple[str, str], ...] = ()
    """Parameters that choose the order, sorted by name."""
    by: tuple[By, ...] = ()
    rank: str = ""
    """Name of a ranking that was seen, where no column explains the order."""
    searching: bool | None = None
    path: str = ""
    filters: tuple[str, ...] | None = None
    """Names of the filters given, where they decide."""
    why: Why = Why()


@dataclass(frozen=True)
class Pages:
    """How a list is cut into pages."""

    style: Literal["none", "number", "offset", "cursor", "path"] = "none"
    name: str = ""
    base: int = 1
    """Number of the first page."""
    tail: str = ""
    """How the path of a later page ends, its number written {}; instead of `head`, with which the first ends."""
    head: str = ""
    size: int = 0
    """Rows that a full page holds; 0 if every list is one page."""
    size_name: str = ""
    most: int = 0
    """The largest size that is granted; 0 if no limit was seen."""
    beyond: Literal["empty", "last", "first", "unknown"] = "unknown"
    """What a page after the last one shows."""
    column: str = ""
    """What a cursor names a row by: a column, or the end of its key if empty."""
    inclusive: bool = False
    """Whether a cursor names the first row of its page, and not the row before."""
    why: Why = Why()


class Stretch(NamedTuple):
    """Rows of a list that were seen one after the other."""

    list: str
    """Its name, as `listanswer.list_named` says it."""
    sort: Pairs
    """What the address said of its order."""
    start: int
    """Rows of the list before the first; -1 if nobody knows."""
    ends: bool
    """Whether the list ends with the last."""
    keys: tuple[str, ...]


@dataclass(frozen=True)
class Experiment:
    """A look at the site that would tell two explanations from one another."""

    text: str
    address: str


@dataclass(frozen=True)
class ListQuery:
    """One family of lists over one table. Columns are named as the table's SQL names them."""

    family: str
    """Its path with the variable segments starred; after a "?" what its addresses always say of the kind of page."""
    table: str
    parameters: tuple[Parameter, ...] = ()
    tests: tuple[Condition, ...] = ()
    searches: tuple[Search, ...] = ()
    orders: tuple[Order, ...] = ()
    pages: Pages = Pages()
    members: Why = Why()
    """What the choice of rows rests on."""
    exact: int = 0
    """Captured pages that come back with the same rows in the same order."""
    checked: int = 0
    """Captured pages in all."""
    experiments: tuple[Experiment, ...] = ()
    whole: tuple[str, ...] | None = None
    """Where rows of the table are missing, the lists seen whole: no others are answered. None: no row is missing."""
    seen: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Lists whose rows nothing computes: name of the list -> keys of its rows."""
    stretches: tuple[Stretch, ...] = ()
    """What was seen of lists that nothing computes, or not for all their pages."""
    totals: tuple[tuple[str, int], ...] = ()
    """Name of a list -> how many rows its pages say it has."""
    counted: bool = False
    """Whether pages say how many rows their list has: then none is made of a list whose number nobody knows."""
    ranks: tuple[tuple[str, tuple[tuple[str, int], ...]], ...] = ()
    """Orders that nothing computes: name -> keys in order, each with the number of its run. Of rows in one run it is
    known which is first."""


class Asked(NamedTuple):
    """An address, taken apart by what its parameters do."""

    path: str
    """That of the list's first page."""
    values: dict[str, list[str]]
    """What filters and searches are given, and the pieces of the path."""
    sort: Pairs
    page: str
    size: str

    @property
    def given(self) -> Pairs:
        return tuple((name, one) for name, values in self.values.items() if name[0] != "/" for one in values)


def text_of(query: ListQuery) -> str:
    """The query as JSON that a person can read; `query_of` reads it again. What was merely seen stays in its tables."""
    return json.dumps(asdict(replace(query, seen=(), ranks=(), stretches=(), totals=())), indent=1, ensure_ascii=False)


def query_of(text: str) -> ListQuery:
    """The query that `text_of` wrote. Raises TypeError or KeyError for anything else."""
    plain: dict[str, Any] = json.loads(text)
    rows: dict[str, Any] = {
        "parameters": [Parameter(**_plain(one)) for one in plain.pop("parameters")],
        "tests": [Condition(**_plain(one)) for one in plain.pop("tests")],
        "searches": [Search(**_plain(one)) for one in plain.pop("searches")],
        "orders": [Order(**{**_plain(one), "by": tuple(By(**by) for by in one["by"])}) for one in plain.pop("orders")],
        "experiments": [Experiment(**one) for one in plain.pop("experiments")],
        "pages": Pages(**_plain(plain.pop("pages"))),
        "members": Why(**plain.pop("members")),
    }
    rows |= {name: _tuple(value) for name, value in plain.items()}
    fields: dict[str, Any] = {name: tuple(one) if isinstance(one, list) else one for name, one in rows.items()}
    return ListQuery(**fields)


def _plain(record: dict[str, Any]) -> dict[str, Any]:
    """A record's fields with lists as tuples again and its reasons as a record."""
    found = {name: _tuple(value) for name, value in record.items()}
    if "why" in found:
        found["why"] = Why(**record["why"])
    return found


def _tuple(value: Any) -> Any:
    return tuple(map(_tuple, value)) if isinstance(value, list) else value
