"""What is known of the things that requests speak of: rows of tables and pages, found by a value in them. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from builder.behave.contents import Values, flat, read, template_of
from builder.behave.history import Act
from builder.induce.site import Induced
from builder.induce.tree import Element, Node

_MOST_JOINS, _LONGEST, _MOST_ROWS = 8, 400, 12
_MOST_LISTED, _LONGEST_ROW = 200, 4_000
_ACTIVE = ("<form", "<input", "<button", "<a ")
_SOURCES = ("in.", "url.", "path", "referer", "query.")


@dataclass(frozen=True, eq=False)
class Pool:
    """A table of what was captured."""

    name: str
    rows: tuple[Mapping[str, str], ...]

    @cached_property
    def index(self) -> Mapping[str, Mapping[str, int]]:
        """Column -> value -> the one row that has it; values that several rows have are left out."""
        found: dict[str, dict[str, int]] = defaultdict(dict)
        twice: dict[str, set[str]] = defaultdict(set)
        for number, row in enumerate(self.rows):
            for column, value in row.items():
                if found[column].setdefault(value, number) != number:
                    twice[column].add(value)
        return {column: {v: n for v, n in known.items() if v not in twice[column]} for column, known in found.items()}


@dataclass(frozen=True)
class Join:
    """How the thing that a request speaks of is found."""

    alias: str
    pool: str
    column: str
    variable: str


def pools_of(induced: Induced) -> tuple[Pool, ...]:
    """The pages of each kind by what stands in their holes, the rows of each table, and what single pages list."""
    found: list[Pool] = []
    for number, kind in enumerate(induced.kinds):
        if len(kind.pages) == 1:
            lists = _lists_on(kind.pages[0].nodes)
            found += [Pool(f"list {number + 1}.{place}", rows) for place, rows in enumerate(lists, 1)]
        else:
            rows = [
                {**_texts(flat(kind.template, data)), "page": page.path}
                for page, data in zip(kind.pages, kind.data, strict=True)
            ]
            found.append(Pool(f"pages {number + 1}", tuple(rows)))
    for entity in induced.entities:
        rows = [{**_texts(dict(row)), "key": key} for key, row in entity.table.rows.items()]
        found.append(Pool(entity.table.name, tuple(rows)))
    return tuple(found)


def _lists_on(nodes: Sequence[Node]) -> Iterator[tuple[Mapping[str, str], ...]]:
    """What neighbours of one shape say that a visitor can do something to, such as a row with a form of its own."""
    by_shape: dict[str, list[Element]] = defaultdict(list)
    for node in nodes:
        if isinstance(node, Element):
            by_shape[node.label].append(node)
    for group in by_shape.values():
        are_short = 1 < len(group) <= _MOST_LISTED and all(len(one.written) <= _LONGEST_ROW for one in group)
        if are_short and any(tag in group[0].written for tag in _ACTIVE):
            yield from _rows_of(group)
            continue
        for one in group:
            yield from _lists_on(one.children)


def _rows_of(group: Sequence[Element]) -> Iterator[tuple[Mapping[str, str], ...]]:
    template = template_of([one.written for one in group])
    if template is not None:
        read_in = (read(template, one.written) for one in group)
        yield tuple(_texts(values) for values in read_in if values is not None)


def _texts(values: Values, before: str = "") -> dict[str, str]:
    """The texts by hole; those of short loops by the number of the row as well."""
    found: dict[str, str] = {}
    for name, value in values.items():
        if isinstance(value, str) and len(value) <= _LONGEST:
            found[before + name] = value
        elif isinstance(value, list) and len(value) <= _MOST_ROWS:
            for number, row in enumerate(value):
                found |= _texts(row, f"{before}{name}.{number}.")
    return found


def joins_for(acts: Sequence[Act], pools: Iterable[Pool]) -> tuple[Join, ...]:
    """Every way in which all of these requests name one thing that is known; each column by one variable."""
    found: dict[tuple[str, str], tuple[tuple[int, int, str], Join]] = {}
    shared = set.intersection(*(set(act.names) for act in acts)) if acts else set()
    for pool in pools:
        for variable in sorted(name for name in shared if name.startswith(_SOURCES)):
            values = [act.names[variable] for act in acts]
            if len(values) > 2 and len(set(values)) == 1:
                continue  # what is always the same tells nothing apart
            column = next((c for c, known in pool.index.items() if all(v and v in known for v in values)), None)
            if column is None:
                continue
            rows = [pool.rows[pool.index[column][value]] for value in values]
            from_there = sum(row.get("page") == act.names["referer"] for row, act in zip(rows, acts, strict=True))
            rank = (-from_there, *_rank(variable))
            if (pool.name, column) not in found or rank < found[pool.name, column][0]:
                found[pool.name, column] = (rank, Join("", pool.name, column, variable))
    best = sorted(found.values(), key=lambda item: item[0])[:_MOST_JOINS]
    return tuple(Join(f"e{number}", *tuple(vars(join).values())[1:]) for number, (_, join) in enumerate(best))


def _rank(name: str) -> tuple[int, str]:
    return next((n for n, kind in enumerate(_SOURCES) if name.startswith(kind)), len(_SOURCES)), name


def joined(names: Mapping[str, str], joins: Iterable[Join], pools: Mapping[str, Pool]) -> dict[str, str]:
    """The variables of a request, and what is known of the things it names."""
    return {**names, **dict(_joined(names, joins, pools))}


def _joined(names: Mapping[str, str], joins: Iterable[Join], pools: Mapping[str, Pool]) -> Iterator[tuple[str, str]]:
    for join in joins:
        pool = pools[join.pool]
        number = pool.index.get(join.column, {}).get(names.get(join.variable, ""))
        if number is not None:
            yield from ((f"{join.alias}.{column}", value) for column, value in pool.rows[number].items())
