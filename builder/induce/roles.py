"""What each parameter of a family of lists does, by contrast between pages that differ in nothing else. Pure.

Names decide only where pages do not: they break ties, and serve where there is no contrast. `because` says which.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from builder.induce import words
from builder.induce.listing import Listing
from builder.induce.listquery import Parameter, Role, Why
from builder.induce.rowsets import RowSets

_HINTS: tuple[tuple[Role, str], ...] = (
    (
        "page",
        "page p pg paged pageno pagenum pagenumber pageindex seite pagina strona sida offset start skip from begin"
        " startindex first after cursor next before pageid",
    ),
    (
        "size",
        "limit size perpage pagesize count rows num show results itemsperpage pp n length ps max",
    ),
    ("order", "sort sortby order orderby ordering o sortorder sorting ob s sortfield sortcol col"),
    ("direction", "dir direction order sortdir orderdir asc desc od way reverse sortdirection ascdesc"),
    ("search", "q query search s term text keyword keywords k find suche searchterm searchquery w words"),
    ("selector", "title action module view controller route do cmd act mod option tab"),
)
HINTS: dict[Role, frozenset[str]] = {role: frozenset(names.split()) for role, names in _HINTS}
DIRECTIONS = frozenset("asc desc ascending descending up down a d 1 -1 0 true false ascend descend aufsteigend".split())
IDLE = frozenset("all any every everything alle tous todos * - none".split())
"""Values that test nothing."""
_BY_NAME: tuple[Role, ...] = ("page", "size", "order", "direction", "search")
_MOSTLY = 0.8
_ENOUGH = 5.0
"""Bits that must be left after all candidates were tried."""


def simple(name: str) -> str:
    """A parameter's name without case, signs and brackets.

    >>> simple("orderBy[]"), simple("_page-size")
    ('orderby', 'pagesize')
    """
    return re.sub(r"[\W_]+", "", name).lower()


def hinted(name: str, role: Role) -> bool:
    """Whether a name speaks of a role."""
    return simple(name) in HINTS[role]


def split_fields(listings: Sequence[Listing]) -> dict[str, frozenset[str]]:
    """Parameters whose values are all written "field:value", with the fields; not those that hold an address."""
    values: dict[str, set[str]] = defaultdict(set)
    for name, value in (pair for listing in listings for pair in listing.pairs if pair[1]):
        values[name].add(value)
    found = {}
    for name, texts in values.items():
        if all(re.fullmatch(r"[A-Za-z][\w-]*:[^/].*", text) for text in texts):
            fields = frozenset(text.partition(":")[0] for text in texts)
            if not all(text.partition(":")[2].lower() in DIRECTIONS for text in texts):
                found[name] = fields
    return found


def as_split(pairs: Iterable[tuple[str, str]], fields: dict[str, frozenset[str]]) -> tuple[tuple[str, str], ...]:
    """The pairs that say anything, "field:value" as a parameter of its own."""
    found = []
    for name, value in pairs:
        if not value.strip():
            continue
        if name in fields:
            field, _, value = value.partition(":")
            name = f"{name}:{field}"
        found.append((name, value))
    return tuple(found)


class Contrasts:
    """Pages of one family that differ in one parameter only, and what that changes."""

    def __init__(self, listings: Sequence[Listing]) -> None:
        """The pairs of the listings have been through `as_split`."""
        self.listings = listings
        # a name that begins with "/" is a piece of the path and no parameter
        self.names = sorted({name for one in listings for name, _ in one.pairs if not name.startswith("/")})
        self.values = {name: Counter(v for one in listings for n, v in one.pairs if n == name) for name in self.names}
        self.effects = {name: self._effects(name) for name in self.names}

    def _effects(self, name: str) -> Counter[str]:
        groups: dict[object, list[tuple[str, Listing]]] = defaultdict(list)
        for listing in self.listings:
            rest = tuple(sorted(pair for pair in listing.pairs if pair[0] != name))
            value = "\0".join(v for n, v in listing.pairs if n == name)
            groups[listing.path, rest].append((value, listing))
        found: Counter[str] = Counter()
        for members in groups.values():
            if len(members) > 1:
                members.sort(key=lambda pair: pair[0])
                first = members[0]
                pairs = {
                    (id(a), id(b)): (a, b) for a, b in [*((first, other) for other in members[1:]), *pairwise(members)]
                }
                found.update(effect(a[1], b[1]) for a, b in pairs.values())
        return found

    def with_value(self, name: str) -> list[tuple[str, Listing]]:
        """Each page with a value of the parameter, once for each value."""
        return [(value, one) for one in self.listings for n, value in one.pairs if n == name]

    def cursors(self, name: str) -> int:
        """Values that name rows which pages end with, all of them if the pages' own links say so.

        By itself a value tells where it names the last row of a page with the same address otherwise, or the first row
        of its own.
        """
        if self._leads_on(name):
            return max(2, self.values[name].total())
        ends: dict[object, set[str]] = defaultdict(set)
        for one in self.listings:
            if one.rows:
                ends[one.path, _without(one.pairs, name)].update(words.names_of(one.rows[-1]))
        found = 0
        for value, one in self.with_value(name):
            before = ends[one.path, _without(one.pairs, name)]
            named = value in before or words.last_piece(value) in before
            found += named or (bool(one.rows) and words.points_to(value, one.rows[0]))
        return found if len(self.values[name]) > 1 else 0

    def _leads_on(self, name: str) -> bool:
        """Whether most pages that link to their own path with this parameter name their last row by it, and no other.

        A page that merely repeats what it was given tells nothing.
        """
        named, other, said = 0, 0, set[str]()
        for one in self.listings:
            own = {value for n, value in one.pairs if n == name}
            values = {value for path, pairs in one.links if path == one.path for n, value in pairs if n == name}
            if one.rows and (values := {value for value in values - own if value.strip()}):
                follows = all(words.points_to(value, one.rows[-1]) for value in values)
                named, other = named + follows, other + (not follows)
                said |= values
        return named > 1 and len(said) > 1 and named >= _MOSTLY * (named + other)

    def turned(self, name: str) -> int:
        """Links on pages that lead to the page's own address with another number in this parameter."""
        found = 0
        for listing in self.listings:
            own = sorted(pair for pair in listing.pairs if pair[0] != name)
            for path, pairs in listing.links:
                values = [value for n, value in pairs if n == name]
                same = path == listing.path and sorted(p for p in pairs if p[0] != name and p[1]) == own
                found += same and len(values) == 1 and values[0].isdecimal() and (name, values[0]) not in listing.pairs
        return found


def _without(pairs: Iterable[tuple[str, str]], name: str) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(pair for pair in pairs if pair[0] != name))


def effect(one: Listing, other: Listing) -> str:
    """What two pages' rows have in common: same, moved, more, part, apart, mixed, or none where both are empty."""
    a, b = one.rows, other.rows
    if not a and not b:
        return "none"
    if a == b:
        return "same"
    if set(a) == set(b):
        return "moved"
    short, long = sorted((a, b), key=len)
    if short and long[: len(short)] == short:
        return "more"
    if not set(a) & set(b):
        return "apart"
    return "part" if set(short) < set(long) else "mixed"


def roles_of(
    contrasts: Contrasts, rows: RowSets, filters: Callable[[str], tuple[float, str]], *, may_turn: bool = True
) -> tuple[Parameter, ...]:
    """What every parameter of the family does; `filters` gives bits and words for the best condition on a column.

    One parameter turns the pages at most, none if the path does (`may_turn`): others that seem to are judged again.
    """
    found = {name: _role(name, contrasts, rows, filters, may_turn=may_turn) for name in contrasts.names}
    turning = [one for one in found.values() if one.does == "page"]
    turning.sort(key=lambda one: (not hinted(one.name, "page"), -one.why.evidence))
    for one in turning[1:]:
        found[one.name] = _role(one.name, contrasts, rows, filters, may_turn=False)
    sizing = sorted((one for one in found.values() if one.does == "size"), key=lambda one: -one.why.evidence)
    for one in sizing[1:]:
        found[one.name] = Parameter(one.name, "unknown", Why(because=f"{sizing[0].name} sets the size already"))
    return tuple(found.values())


def _role(
    name: str,
    contrasts: Contrasts,
    rows: RowSets,
    filters: Callable[[str], tuple[float, str]],
    *,
    may_turn: bool = True,
) -> Parameter:
    effects, values = contrasts.effects[name], contrasts.values[name]
    telling = sum(effects.values()) - effects["none"]
    cursors = contrasts.cursors(name)
    if may_turn and cursors > 1 and cursors >= _MOSTLY * values.total() and not hinted(name, "order"):
        return Parameter(name, "page", Why(evidence=cursors, because="its values name the rows that pages end with"))
    for judge in (_idle, _size, _page, _direction):
        if found := judge(name, contrasts):
            doubted = (found[0] == "page" and not hinted(name, "page")) or (
                found[0] == "nothing" and len(values) > 1 and any(value.lower() in IDLE for value in values)
            )
            other = doubted and filters(name)[0] >= _ENOUGH
            if not other and (may_turn or found[0] != "page"):
                return Parameter(name, *found)
    if hinted(name, "search") and not hinted(name, "order"):
        return Parameter(name, "search", Why(evidence=telling, because="its name speaks of a search"))
    bits, words_for = filters(name)
    if bits >= _ENOUGH:
        return Parameter(name, "filter", Why(evidence=bits, because=words_for))
    named = _names_columns(values, rows)
    if named or effects["moved"] or (hinted(name, "order") and telling):
        moved = f"{effects['moved']} pairs of pages show the same rows in another order"
        because = "its values name columns" if named else moved if effects["moved"] else "its name"
        return Parameter(name, "order", Why(evidence=effects["moved"], because=because))
    if (texts := _searched(name, contrasts, rows)) >= 3:
        return Parameter(name, "search", Why(evidence=texts, because="all rows hold the words of its values"))
    if telling and effects["part"] + effects["more"] + effects["apart"] >= max(1, telling / 2):
        return Parameter(name, "filter", Why(evidence=telling, because="it leaves a part of the rows"))
    for role in _BY_NAME:
        if hinted(name, role) and (may_turn or role != "page"):
            return Parameter(name, role, Why(because="its name only: no two pages differ in nothing else"))
    if len(values) == 1 and all(any(n == name for n, _ in one.pairs) for one in contrasts.listings):
        return Parameter(name, "selector", Why(evidence=len(contrasts.listings), because="it always has this value"))
    return Parameter(name, "unknown", Why(because="pages that differ in it do not tell"))


def _idle(name: str, contrasts: Contrasts) -> tuple[Role, Why] | None:
    """No pair of pages shows that it changes anything; a name that speaks of more is believed over one pair."""
    effects, values = contrasts.effects[name], contrasts.values[name]
    if not effects["same"] or effects["same"] < sum(effects.values()) - effects["none"]:
        return None
    longest = max((len(one.rows) for _, one in contrasts.with_value(name)), default=0)
    for role in _BY_NAME:
        if role == "size" and any(not value.isdecimal() or int(value) < longest for value in values):
            continue
        if hinted(name, role) and len(values) <= 2:
            return role, Why(evidence=effects["same"], because="its name; the values seen change nothing")
    if all(value.lower() in IDLE for value in values):
        return "unknown", Why(because="only values that test nothing were seen")
    return "nothing", Why(evidence=effects["same"], because=f"{effects['same']} pairs of pages show the same rows")


def _size(name: str, contrasts: Contrasts) -> tuple[Role, Why] | None:
    seen = contrasts.with_value(name)
    if not all(value.isdecimal() and 0 < int(value) < 10_000 for value, _ in seen):
        return None
    if any(len(one.rows) > int(value) for value, one in seen):
        return None
    full = {value for value, one in seen if len(one.rows) == int(value)}
    longer = contrasts.effects[name]["more"]
    if (len(full) > 1 or (full and longer)) and not contrasts.effects[name]["apart"]:
        return "size", Why(evidence=len(full) + longer, because="pages hold as many rows as it says")
    if full and hinted(name, "size"):
        return "size", Why(evidence=len(full), because="its name; pages hold as many rows as it says")
    return None


def _page(name: str, contrasts: Contrasts) -> tuple[Role, Why] | None:
    effects, values = contrasts.effects[name], contrasts.values[name]
    if not all(value.isdecimal() for value in values):
        return None
    turned, apart = contrasts.turned(name), effects["apart"]
    clash = effects["part"] + effects["more"] + effects["moved"] + effects["mixed"]
    if turned and apart > clash and not hinted(name, "order"):
        return "page", Why(evidence=apart, because=f"{apart} pairs of pages have no row in common, and pages link on")
    if hinted(name, "page") and apart >= clash:
        because = "its name" + (f"; {apart} pairs of pages have no row in common" if apart else " only")
        return "page", Why(evidence=apart, because=because)
    return None


def _direction(name: str, contrasts: Contrasts) -> tuple[Role, Why] | None:
    effects, values = contrasts.effects[name], contrasts.values[name]
    said = all(value.lower() in DIRECTIONS for value in values)
    clear = any(len(value) > 2 and value.lower() not in ("true", "false") for value in values)
    if said and (effects["moved"] or clear or hinted(name, "direction")):
        return "direction", Why(evidence=effects["moved"], because="its values say which way")
    return None


def _names_columns(values: Iterable[str], rows: RowSets) -> bool:
    """Whether most values are names of columns, but for a sign or a direction."""
    names = {simple(column) for column in rows.columns} | {"key", "id"}
    stems = [simple(sort_parts(value)[0]) for value in values]
    return sum(stem in names for stem in stems) > len(stems) / 2


def sort_parts(value: str) -> tuple[str, str]:
    """A sort value as what it sorts by and which way, both as it writes them; the way is empty if it says none.

    >>> sort_parts("-price"), sort_parts("price-desc"), sort_parts("titleASC"), sort_parts("media")
    (('price', '-'), ('price', '-desc'), ('title', 'ASC'), ('media', ''))
    """
    if value[:1] in "-+!" and len(value) > 1:
        return value[1:], value[0]
    found = re.fullmatch(r"(.+?)([-_:.,| ](?:asc|desc|ascending|descending|a|d|up|down))", value, re.I)
    found = found or re.fullmatch(r"(.*[a-z])(ASC|DESC|Asc|Desc)", value) or re.fullmatch(r"(.{2,})(asc|desc)", value)
    return (found[1], found[2]) if found else (value, "")


def _searched(name: str, contrasts: Contrasts, rows: RowSets) -> int:
    """How many texts are found in all the rows that they gave, and in few others; 0 if one is not."""
    texts = set()
    bodies = {key: words.fold(" ".join([key, *row.values()])) for key, row in rows.rows.items()}
    for value, listing in contrasts.with_value(name):
        asked = [words.stem(word) for word in words.words(value) if not word.isdecimal()]
        if not all(any(word in bodies[key] for word in asked) for key in listing.rows):
            return 0
        holding = sum(any(word in body for word in asked) for body in bodies.values())
        if listing.rows and asked and 2 * holding <= len(bodies):
            texts.add(value)
    return len(texts)
