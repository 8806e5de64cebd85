"""One slot's program: the ways of explaining a value, tried in a fixed order, look-ups last of all. Pure."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from builder.compile import keys
from builder.induce.addresses import edit, looks_like_address
from builder.induce.conditions import condition
from builder.induce.listing import Facts
from builder.induce.sight import Sight
from builder.induce.slots import Argument, Constant, LookUp, Nearest, Number, Place, Program, Split, Volatile, Words
from builder.induce.texts import copied, text, tokens

_DEPTH = 3
"""Conditions below one another."""
_MOST_SHAPES = 8
_MOST_SIDES = 120
"""Sides of conditions that are looked at for one value."""
_CLOCK = re.compile(r"\d:[0-5]\d(?!\d)|\d ?(ms|seconds?|minutes?)\b")


def explained(sight: Sight, picked: Sequence[int], targets: Sequence[str], attribute: str = "") -> Program | None:
    """What gives each picked instance its target text, computed or looked up; None if nothing does."""
    return computed(sight, picked, targets, attribute) or looked_up(sight, picked, targets)


def computed(sight: Sight, picked: Sequence[int], targets: Sequence[str], attribute: str = "") -> Program | None:
    """What gives each picked instance its target text without having been shown it."""
    if len(set(targets)) > 1 and _is_restless(targets):
        return Volatile(targets[0])
    sight.left = _MOST_SIDES
    found = _leaf(sight, picked, targets, attribute) or _split(sight, picked, targets, attribute, _DEPTH)
    return Volatile(targets[0]) if found is None and _is_timed(targets) else found


def _is_restless(targets: Sequence[str]) -> bool:
    """Whether chance or the clock made the values: most look it, and all are as long as each other."""
    restless = sum(map(keys.is_restless, targets))
    return restless > 0.8 * len(targets) and len(set(map(len, targets))) <= 2


def _is_timed(targets: Sequence[str]) -> bool:
    """Whether values that nothing explains differ in a time of day, and in numbers alone."""
    return len({re.sub(r"\d+", "0", target) for target in targets}) == 1 and bool(_CLOCK.search(targets[0]))


def base(sight: Sight, picked: Sequence[int], targets: Sequence[str]) -> Program | None:
    """What stands before an address's query."""
    return _plain(sight, picked, targets) or _split(sight, picked, targets, "-", _DEPTH)


def _plain(sight: Sight, picked: Sequence[int], targets: Sequence[str]) -> Program | None:
    if len(set(targets)) == 1:
        whole = Place()
        if targets[0] and len({sight.facts(number).path for number in picked}) == 1:
            paths: list[Program] = [*sight.stems, whole]
            same = next((one for one in paths if sight.agrees(one, picked, targets)), None)
            if same is not None and len({page.path for page in sight.pages}) > 1:
                return same
        return Constant(targets[0])
    return text(sight, picked, targets)


def _leaf(sight: Sight, picked: Sequence[int], targets: Sequence[str], attribute: str) -> Program | None:
    if attribute == "-":
        return _plain(sight, picked, targets)
    if looks_like_address(targets):
        found = edit(sight, picked, targets, base)
        if found is not None and (len(set(targets)) > 1 or _copies(found)):
            return found
    if len(set(targets)) == 1:
        return copied(sight, picked, Words((targets[0],)))
    found = text(sight, picked, targets)
    if found is None and attribute and attribute not in ("href", "src", "action"):
        found = tokens(sight, picked, targets)
    return found


def _copies(found: Program) -> bool:
    """Whether an edit for a single address keeps something of the request's."""
    return "others=false" not in found.jinja() or "'keep'" in found.jinja()


def _split(sight: Sight, picked: Sequence[int], targets: Sequence[str], attribute: str, depth: int) -> Program | None:
    """One program where a condition holds, another elsewhere: told apart by the shape of what stands there."""
    if not depth or len(picked) < 2:
        return None
    best: Split | None = None
    tried: list[list[str]] = []
    for shapes in _shapes(sight, picked, targets):
        if shapes in tried or not 1 < len(set(shapes)) <= _MOST_SHAPES:
            continue
        tried.append(shapes)
        found = _split_by(sight, picked, targets, attribute, shapes, depth)
        if found is not None and (best is None or found.cost < best.cost):
            best = found
    return best


def _split_by(
    sight: Sight, picked: Sequence[int], targets: Sequence[str], attribute: str, shapes: Sequence[str], depth: int
) -> Split | None:
    among = sum(1 << number for number in picked)
    for shape, _ in sorted(Counter(shapes).items(), key=lambda one: (one[1], one[0])):
        inside = [at for at, one in enumerate(shapes) if one == shape]
        test = condition(sight.tests, sum(1 << picked[at] for at in inside), among)
        if test is None:
            continue
        yes = _side(sight, picked, targets, attribute, inside, 0)
        if yes is None:
            continue
        rest = [at for at, one in enumerate(shapes) if one != shape]
        no = _side(sight, picked, targets, attribute, rest, depth - 1)
        if no is not None:
            return Split(test, yes, no)
    return None


def _side(
    sight: Sight, picked: Sequence[int], targets: Sequence[str], attribute: str, places: Sequence[int], depth: int
) -> Program | None:
    if sight.left <= 0:
        return None
    sight.left -= 1
    numbers, wanted = [picked[at] for at in places], [targets[at] for at in places]
    return _leaf(sight, numbers, wanted, attribute) or _split(sight, numbers, wanted, attribute, depth)


def _shapes(sight: Sight, picked: Sequence[int], targets: Sequence[str]) -> list[list[str]]:
    """What targets have in common if their holes are left out, in several ways."""
    bare = [_uncopied(sight, number, target) for number, target in zip(picked, targets, strict=True)]
    masked = [re.sub(r"\d+([.,]\d{3})*", "0", target) for target in targets]
    names = [re.sub(r"=[^&]*", "=", target) for target in masked]
    emptiness = ["x" if target else "" for target in targets]
    words = [re.sub(r"[^\W\d_]{12,}", "x", target) for target in masked]
    heads = [" ".join(target.split()[:1]) for target in masked]
    tails = [" ".join(target.split()[-1:]) for target in masked]
    return [bare, masked, emptiness, names, words, heads, tails]


def _uncopied(sight: Sight, number: int, target: str) -> str:
    """The target without what it may copy from its request."""
    for copy in sight.copies_at(number):
        target = target.replace(copy, "\0")
    return re.sub(r"\d+([.,]\d{3})*", "0", target)


def looked_up(sight: Sight, picked: Sequence[int], targets: Sequence[Any]) -> Program | None:
    """The value seen for a path, a parameter or a page; the one with the smallest table, if it was seen twice."""
    best: LookUp | None = None
    sources: list[Program] = [Place(), *map(Argument, sight.keys), Number("page")]
    for source in sources:
        table: dict[Any, Any] = {}
        for number, target in zip(picked, targets, strict=True):
            key = source.value(sight.facts(number), sight.items[number])
            if table.setdefault(key, target) != target:
                break
        else:
            is_seen_twice = len(table) < len({sight.of_page[number] for number in picked})
            if (is_seen_twice or isinstance(source, Place)) and (best is None or len(table) < len(best.table)):
                common = Counter(map(repr, targets)).most_common(1)[0][0]
                default = next(target for target in targets if repr(target) == common)
                best = LookUp(source, tuple(table.items()), default)
    return best


def nearest(sight: Sight, picked: Sequence[int], targets: Sequence[Any]) -> Nearest:
    """What nothing explains: each captured page's own value."""
    groups: dict[str, tuple[Any, list[int]]] = {}
    for number, target in zip(picked, targets, strict=True):
        groups.setdefault(repr(target), (target, []))[1].append(sight.of_page[number])
    values = tuple((value, tuple(dict.fromkeys(pages))) for value, pages in groups.values())
    without: tuple[str, ...] = ()
    for key in sight.keys:
        if _is_idle(sight, picked, targets, (*without, key)):
            without = (*without, key)
    return Nearest(sight.root.seen, values, without)


def _is_idle(sight: Sight, picked: Sequence[int], targets: Sequence[Any], keys: Sequence[str]) -> bool:
    """Whether values are the same on pages that differ in these parameters only, and some do, for each of them."""
    groups: dict[object, list[tuple[Facts, str]]] = {}
    for number, target in zip(picked, targets, strict=True):
        facts = sight.facts(number)
        rest = tuple(pair for pair in facts.pairs if pair[0] not in keys)
        groups.setdefault((facts.path, rest), []).append((facts, repr(target)))
    if any(len({value for _, value in group}) > 1 for group in groups.values()):
        return False
    said = (frozenset(value for name, value in facts.pairs if name == keys[-1])
            for group in groups.values() if len(group) > 1 for facts, _ in group)  # fmt: skip
    return len(set(said)) > 1


def chosen(sight: Sight, picked: Sequence[int], which: Sequence[int]) -> Program | None:
    """Which of several kinds stands there, the rarest decided first."""
    counts = Counter(which)
    if len(counts) == 1:
        return Constant(which[0])
    for rare, _ in sorted(counts.items(), key=lambda one: (one[1], one[0])):
        test = decided(sight, picked, [one == rare for one in which])
        if test is not None:
            rest = [at for at, one in enumerate(which) if one != rare]
            other = chosen(sight, [picked[at] for at in rest], [which[at] for at in rest])
            return None if other is None else Split(test, Constant(rare), other)
    return None


def decided(sight: Sight, picked: Sequence[int], holds: Sequence[bool]) -> Program | None:
    """When something is there: a condition, or what was seen for a path or parameter."""
    among = sum(1 << number for number in picked)
    wanted = sum(1 << number for number, held in zip(picked, holds, strict=True) if held)
    return condition(sight.tests, wanted, among) or looked_up(sight, picked, holds)
