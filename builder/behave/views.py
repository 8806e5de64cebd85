"""Loops whose rows follow what visitors did: what names a row, what is stored of it, what follows from that. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from builder.behave.contents import Values, loops_of
from builder.behave.formulas import Env, Formula, read_number
from builder.behave.history import Episode
from builder.behave.pools import Pool
from builder.behave.search import Example, formula_for, nothing
from builder.behave.spans import Page
from builder.behave.spots import Part, values_on

NUMBER = "n0"
"""A cell that no page shows: which row came first, second and so on, where rows say nothing that names them."""
_ALIKE = 0.5
"""Share of what is there that two items have in common if both are rows."""

Row = dict[str, str]
Rows = tuple[Row, ...]


class Moment(NamedTuple):
    """A visitor after some actions; episode -1 is the fresh visitor."""

    episode: int
    prior: int


@dataclass(frozen=True, eq=False)
class View:
    """Rows that are shown on a page, or in the frame of all pages."""

    name: str
    part: Part
    loop: str
    """The hole of the loop."""
    key: str
    """The cell that names a row."""
    stored: tuple[str, ...]
    """Cells that are kept, the key among them."""
    derived: Mapping[str, Formula]
    """Cells that follow from those."""
    shapes: frozenset[str] | None
    """Shapes of the loop's items that are rows; None where all are."""
    scope: Literal["everybody", "account", "visitor"]
    """Whose rows they are."""
    known: Mapping[tuple[Moment, str], Rows]
    """What was seen: at which moment, on the page of which address ("" in the frame)."""
    plain: "View | None" = None
    """The same without what a list elsewhere says of the things in its rows."""

    def start(self, address: str) -> Rows | None:
        """The rows that a fresh visitor sees."""
        return self.known.get((Moment(-1, 0), address))

    @property
    def is_everybodys(self) -> bool:
        return self.scope == "everybody"

    def addresses(self) -> list[str]:
        return sorted({address for _, address in self.known})


def views_of(part: Part, episodes: Sequence[Episode], pools: Sequence[Pool] = ()) -> Iterator[View]:
    """The loops of a part whose rows are not always the same."""
    for loop in loops_of(part.template or ()):
        hole = f"l{loop.number}"
        shapes = _shapes(part, hole)
        known = _known(part, hole, shapes)
        if known is None:
            continue
        known = _of_one_page(known)
        changing = _pairs(known, episodes)
        if not any(one != other for one, other in changing):
            continue
        key = _key(changing, known)
        if key is None and (numbered := _numbered(changing, known)) is not None:
            key, known = NUMBER, numbered
        if key is None:
            continue
        scope = _scope(part, hole, shapes, known, episodes)
        derived = _derived(_all(known), key)
        plain = View(f"{part.name} {hole}", part, hole, key, _stored(known, derived), derived, shapes, scope, known)
        yield next(_told_of(plain, pools), plain)


def _all(known: Mapping[tuple[Moment, str], Rows]) -> list[Row]:
    return [row for found in known.values() for row in found]


def _stored(known: Mapping[tuple[Moment, str], Rows], derived: Mapping[str, Formula]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(cell for row in _all(known) for cell in row if cell not in derived))


def _told_of(view: View, pools: Sequence[Pool]) -> Iterator[View]:
    """The view with numbers that a pool knows of the things in its rows, where more follows from them: a price."""
    for pool, column, cell in _naming(view, pools):
        things = {row[cell]: pool.rows[pool.index[column][row[cell]]] for row in _all(view.known)}
        numbers = [
            other
            for other in things[min(things)]
            if other != column and all(read_number(thing.get(other, "")) is not None for thing in things.values())
        ]
        told = {name: {f"p{n}": thing[other] for n, other in enumerate(numbers)} for name, thing in things.items()}
        known = {when: tuple({**told[row[cell]], **row} for row in rows) for when, rows in view.known.items()}
        more = _derived(_all(known), view.key, frozenset(told[min(told)]))
        kept = {cell for formula in view.derived.values() for cell in _cells(formula)}
        more = {one: formula for one, formula in more.items() if one not in view.derived and one not in kept}
        spare = told[min(told)].keys() - {cell for formula in more.values() for cell in _cells(formula)}
        if more and len(spare) < len(numbers):
            derived = {**view.derived, **more}
            known = {
                when: tuple({one: text for one, text in row.items() if one not in spare} for row in rows)
                for when, rows in known.items()
            }
            yield replace(view, stored=_stored(known, derived), derived=derived, known=known, plain=view)


def _naming(view: View, pools: Sequence[Pool]) -> Iterator[tuple[Pool, str, str]]:
    """The pools that know every row, each with the column and the cell that find it: as good a name as the key."""
    rows = _all(view.known)
    for pool in pools:
        for cell in view.stored:
            names = {row.get(cell, "") for row in rows}
            if len(names) < 2 or len({(row.get(cell), row[view.key]) for row in rows}) > len(names):
                continue
            column = next((column for column, known in pool.index.items() if names <= known.keys()), None)
            if column is not None:
                yield pool, column, cell
                break


def shape_of(item: Values) -> str:
    """What is there of an item, whatever it says."""
    return str(sorted((hole, value if isinstance(value, bool) else None) for hole, value in item.items()))


def _shapes(part: Part, hole: str) -> frozenset[str] | None:
    """The shapes that repeat, where a list has others beside them: "nothing here yet", a line with the total.

    Where none repeats, the one that says most different things is taken for a row.
    """
    lists = [sight.values[hole] for sight in part.sights if hole in sight.values]
    said: dict[str, set[str]] = {}
    most: dict[str, int] = {}
    holes: dict[str, frozenset[str]] = {}
    for items in lists:
        shapes = [shape_of(item) for item in items]
        for shape, item in zip(shapes, items, strict=True):
            said.setdefault(shape, set()).add(str(item))
            holes[shape] = frozenset(hole for hole, value in item.items() if value is not False)
            most[shape] = max(most.get(shape, 0), shapes.count(shape))
    if len(said) < 2:
        return None
    rows = {shape for shape, count in most.items() if count > 1}
    rows = rows or {max(said, key=lambda shape: (len(said[shape]), shape))}
    alike = {shape for shape in said if any(_overlap(holes[shape], holes[row]) >= _ALIKE for row in rows)}
    for shapes in ([shape_of(item) for item in items] for items in lists):
        places = [place for place, shape in enumerate(shapes) if shape in rows]
        for place, shape in enumerate(shapes):  # a row that says less than others: a total would stand at the end
            if places and places[0] < place < places[-1] and any(_is_within(holes[shape], holes[row]) for row in rows):
                alike.add(shape)
    return None if len(alike) == len(said) else frozenset(alike)


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 1.0


def _is_within(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether all that one says in words the other says too."""
    words = {hole for hole in one if hole.startswith("s")}
    return bool(words) and words <= other


def _known(part: Part, hole: str, shapes: frozenset[str] | None) -> dict[tuple[Moment, str], Rows] | None:
    """The rows at each look, a cell that one of them lacks left empty; None if rows hold rows."""
    found: dict[tuple[Moment, str], Rows] = {}
    for sight in part.sights:
        address = sight.address if part.family else ""
        rows: list[Row] = []
        for values in sight.values.get(hole, ()):
            if shapes is not None and shape_of(values) not in shapes:
                continue
            row = _row(values)
            if row is None:
                return None
            rows.append(row)
        found[Moment(sight.episode, sight.prior), address] = tuple(rows)
    cells = dict.fromkeys(cell for rows in found.values() for row in rows for cell in row)
    whole = dict.fromkeys(cells, "")
    return {when: tuple({**whole, **row} for row in rows) for when, rows in found.items()}


def _of_one_page(known: Mapping[tuple[Moment, str], Rows]) -> dict[tuple[Moment, str], Rows]:
    """The rows under one address where pages of one path always show the same, though their queries differ."""
    addresses = sorted({address for _, address in known}, key=lambda address: (len(address), address))
    if len({address.partition("?")[0] for address in addresses}) > 1:
        return dict(known)
    found: dict[Moment, Rows] = {}
    for (moment, _), rows in known.items():
        if found.setdefault(moment, rows) != rows:
            return dict(known)
    return {(moment, addresses[0]): rows for moment, rows in found.items()}


def _numbered(
    pairs: Sequence[tuple[Rows, Rows]], known: Mapping[tuple[Moment, str], Rows]
) -> dict[tuple[Moment, str], Rows] | None:
    """The rows with their numbers, where new ones only ever come at one end; None where others come or go."""
    if all(after[: len(before)] == before for before, after in pairs):
        return {when: _counted(rows) for when, rows in known.items()}
    if all(after[len(after) - len(before) :] == before for before, after in pairs):
        return {when: _counted(rows[::-1])[::-1] for when, rows in known.items()}
    return None


def _counted(rows: Rows) -> Rows:
    return tuple({**row, NUMBER: str(number)} for number, row in enumerate(rows, 1))


def _scope(
    part: Part,
    hole: str,
    shapes: frozenset[str] | None,
    known: Mapping[tuple[Moment, str], Rows],
    episodes: Sequence[Episode],
) -> Literal["everybody", "account", "visitor"]:
    """Whose rows they are, by what others saw of a change.

    Where nobody else looked: everybody's if a fresh visitor sees rows, else the visitor's own.
    """
    votes: dict[str, set[bool]] = {"stranger": set(), "elsewhere": set()}
    said: dict[str, set[str]] = {}
    for cell, text in ((cell, text) for rows in known.values() for row in rows for cell, text in row.items()):
        said.setdefault(cell, set()).add(text)
    telling = [cell for cell, texts in said.items() if len(texts) > 1]
    for number, episode in enumerate(episodes):
        for whose, look in episode.seconds:
            address = look.address if part.family else ""
            mine = known.get((Moment(number, look.prior), address))
            is_elsewhere = look.family != (part.family or look.family)
            if is_elsewhere or mine is None or mine == known.get((Moment(-1, 0), address)):
                continue
            values = values_on(part, Page(look.source, look.address))
            if values is not None:
                items = [one for one in values.get(hole, ()) if shapes is None or shape_of(one) in shapes]
                theirs = [row for one in items if (row := _row(one)) is not None]
                votes[whose].add(_said_by(mine, telling) == _said_by(theirs, telling))
    if votes["stranger"] == {True}:
        return "everybody"
    if votes["elsewhere"] == {True}:
        return "account"
    if votes["stranger"] or votes["elsewhere"]:
        return "visitor"
    return "everybody" if any(rows for (moment, _), rows in known.items() if moment.episode < 0) else "visitor"


def _said_by(rows: Iterable[Row], cells: Sequence[str]) -> list[list[str]]:
    return [[row.get(cell, "") for cell in cells] for row in rows]


def _row(values: Values) -> Row | None:
    """A row as texts; what is merely there is "1"."""
    row: Row = {}
    for hole, value in values.items():
        if isinstance(value, list):
            return None
        row[hole] = ("1" if value else "") if isinstance(value, bool) else str(value)
    return row


def _pairs(known: Mapping[tuple[Moment, str], Rows], episodes: Sequence[Episode]) -> list[tuple[Rows, Rows]]:
    """The rows before and after each action where both were seen."""
    found = []
    for address in sorted({address for _, address in known}):
        for number, episode in enumerate(episodes):
            for prior in range(len(episode.acts)):
                before = known.get((Moment(number, prior) if prior else Moment(-1, 0), address))
                after = known.get((Moment(number, prior + 1), address))
                if before is not None and after is not None:
                    found.append((before, after))
    return found


def _key(pairs: Sequence[tuple[Rows, Rows]], known: Mapping[tuple[Moment, str], Rows]) -> str | None:
    """The cell by which rows differ least from one moment to the next."""
    everything = [rows for rows in known.values() if rows]
    cells = set.intersection(*(set(row) for rows in everything for row in rows)) if everything else set()
    best: tuple[float, int, str] | None = None
    for cell in cells:
        if any(
            len({row[cell] for row in rows}) < len(rows) or not all(row[cell] for row in rows) for rows in everything
        ):
            continue
        values = {row[cell] for rows in everything for row in rows}
        plain = not all(re.search(r"\d|^/", value) for value in values)
        rank = (sum(_cost(before, after, cell) for before, after in pairs) + plain, int(cell[1:]), cell)
        best = min(best or rank, rank)
    return best[2] if best else None


def _cost(before: Rows, after: Rows, cell: str) -> float:
    one, other = {row[cell]: row for row in before}, {row[cell]: row for row in after}
    changed = sum(one[key].get(name) != other[key].get(name) for key in one.keys() & other.keys() for name in one[key])
    return len(one.keys() ^ other.keys()) + 0.1 * changed


def _derived(rows: Sequence[Row], key: str, given: frozenset[str] = frozenset()) -> dict[str, Formula]:
    """Cells that follow from others in every row, numbers before texts; those they follow from stay, and `given`."""
    different = list({tuple(sorted(row.items())): row for row in rows}.values())
    cells = list(dict.fromkeys(cell for row in different for cell in row))
    found: dict[str, Formula] = {}
    needed = {key, *given}
    for cell in reversed(cells):
        texts = [row.get(cell) for row in different]
        if cell in needed or None in texts:
            continue
        if len(set(texts)) < 2:
            if len(different) > 1:
                found[cell] = ["text", *filter(None, texts[:1])]
            continue
        others = [other for other in cells if other not in (cell, NUMBER) and other not in found]
        examples = [
            Example(str(row[cell]), Env({f"row.{o}": row[o] for o in others if o in row}, nothing)) for row in different
        ]
        formula = formula_for(examples, products=True)
        if formula is not None:
            found[cell] = formula
            needed |= set(_cells(formula))
    return found


def _cells(formula: Formula) -> Iterator[str]:
    for one in formula:
        if isinstance(one, list):
            yield from _cells(one)
        elif isinstance(one, str) and one.startswith("row."):
            yield one[4:]


def by_key(view: View, rows: Sequence[Row]) -> dict[str, Row]:
    return {row[view.key]: row for row in rows}
