"""What stands around the rows of JSON answers, as a tree of small programs; `documentanswer` writes it. Pure."""

import base64
import binascii
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple
from urllib.parse import quote

from builder.induce.addresses import Edit
from builder.induce.conditions import AtPath, Below, Paired, condition
from builder.induce.documentanswer import ROW, Node
from builder.induce.jsontext import Number, written
from builder.induce.listing import Facts
from builder.induce.sight import Sight
from builder.induce.slots import Argument, Constant, Place, Program, Split, Volatile, Words
from builder.induce.slots import Number as Count
from builder.induce.texts import merged
from builder.induce.values import computed

HOLE = object()
"""Stands where the rows were."""
CLOCK = re.compile(
    r"(^|_)(ms|took|elapsed|duration|time|timestamp|now|generated|request_?id|trace_?id|nonce|token)(_|$)", re.I
)
_LEADS_ON = re.compile(r"next|prev|page|cursor|contin", re.I)
_TEXT = re.compile(r"[\x20-\x7e]+")

Edges = tuple[Mapping[str, str], Mapping[str, str]]
"""Column -> text of the first row and of the last."""


class Shown(NamedTuple):
    """What is around the rows of one answer, and what it may speak of."""

    value: Any
    facts: Facts
    edges: Edges = ({}, {})


@dataclass
class Frame:
    """Programs by how they are written in Jinja, as the tree names them."""

    tree: Node
    programs: dict[str, Program] = field(default_factory=dict)
    looked_up: int = 0


def frame_of(shown: Sequence[Shown], turning: frozenset[str] = frozenset(), *, by_row: bool = False) -> Frame | None:
    """The tree that gives what is around the rows of every answer; None where something has no explanation.

    `turning` names the parameters that turn pages: what depends on one of their values is no rule. `by_row` says that
    they name rows, and so do texts that lead on.
    """
    walk = _Walk(shown, turning, by_row)
    tree = walk.node(list(range(len(shown))), [one.value for one in shown], "")
    return None if tree is None else Frame(tree, walk.programs, walk.looked_up)


class _Walk:
    def __init__(self, shown: Sequence[Shown], turning: frozenset[str], by_row: bool) -> None:
        self._by_row = by_row
        self._shown = shown
        self._turning = turning
        self._sight = Sight([one.facts for one in shown], "plain")
        tests = [
            (test, held)
            for test, held in self._sight.tests
            if _is_rule(test) and getattr(test, "key", "") not in turning
        ]
        self._sight.__dict__["tests"] = tests  # a cached value that is to leave some out
        self.programs: dict[str, Program] = {}
        self.looked_up = 0

    def node(self, picked: list[int], values: list[Any], name: str) -> Node | None:
        """The tree for what stands at one place of the picked answers; `name` is the key that leads there."""
        if any(value is HOLE for value in values):
            return ["rows"] if all(value is HOLE for value in values) else None
        if not any(_holds_hole(value) for value in values):
            sources = [written(value) for value in values]
            if len(set(sources)) == 1:
                return self._same(picked, values[0], sources[0])
        kinds = {type(value) for value in values}
        found: Node | None = None
        if type(None) in kinds and len(kinds) > 1:
            found = self._unless_null(picked, values, name)
        elif kinds == {bool}:
            test = self._test(picked, values)
            found = None if test is None else ["flag", test]
        elif kinds == {dict}:
            found = self._object(picked, values)
        elif kinds == {list} and len({len(value) for value in values}) == 1:
            inner = [self.node(picked, [value[n] for value in values], name) for n in range(len(values[0]))]
            found = None if None in inner else ["array", inner]
        elif kinds in ({str}, {Number}):
            found = self._text(picked, values, name, "number" if kinds == {Number} else "text")
        says_what = not kinds & {Number, bool, type(None)} and not _LEADS_ON.search(name)
        if found is None and says_what and not any(_holds_hole(value) for value in values):
            return self._seen(picked, [written(value) for value in values])
        return found

    def _put(self, program: Program) -> str:
        expression = program.jinja()
        self.programs[expression] = program
        return expression

    def _test(self, picked: Sequence[int], holds: Sequence[bool]) -> str | None:
        among = sum(1 << number for number in picked)
        wanted = sum(1 << number for number, held in zip(picked, holds, strict=True) if held)
        found = condition(self._sight.tests, wanted, among)
        return None if found is None else self._put(found)

    def _same(self, picked: Sequence[int], value: Any, source: str) -> Node:
        """A constant, unless it says again what each of the requests asked for."""
        if isinstance(value, str) and value:
            for key in self._sight.keys:
                if all(dict(self._sight.facts(number).pairs).get(key) == value for number in picked):
                    return ["number" if isinstance(value, Number) else "text", self._put(Argument(key))]
        if isinstance(value, str) and not isinstance(value, Number):
            program = computed(self._sight, picked, [value] * len(picked))
            if program is not None and not isinstance(program, Constant):
                return ["text", self._put(_plain(program))]
        return ["value", source]

    def _unless_null(self, picked: list[int], values: list[Any], name: str) -> Node | None:
        test = self._test(picked, [value is not None for value in values])
        there = [(number, value) for number, value in zip(picked, values, strict=True) if value is not None]
        inner = self.node([number for number, _ in there], [value for _, value in there], name)
        return None if test is None or inner is None else ["if", test, inner]

    def _object(self, picked: list[int], values: list[Any]) -> Node | None:
        order = merged([list(value) for value in values])
        if order is None:
            return None
        members: list[Any] = []
        for key in order:
            there = [(number, value[key]) for number, value in zip(picked, values, strict=True) if key in value]
            inner = self.node([number for number, _ in there], [value for _, value in there], key)
            test = "" if len(there) == len(values) else self._test(picked, [key in value for value in values])
            if inner is None or test is None:
                return None
            members.append([key, inner, test])
        return ["object", members]

    def _text(self, picked: list[int], values: list[Any], name: str, kind: str) -> Node | None:
        texts = [str(value) for value in values]
        is_cursor = self._by_row and kind == "text" and len(set(texts)) > 1
        if is_cursor and (found := self._of_row(picked, texts, kind)):
            return found
        program = computed(self._sight, picked, texts)
        if program is not None and not _is_memory(program, texts):
            return [kind, self._put(_plain(program, any("&amp;" in text for text in texts)))]
        if CLOCK.search(name) and not _LEADS_ON.search(name):
            return ["value", written(values[0])]
        return self._of_row(picked, texts, kind) or (self._encoded(picked, texts, name) if kind == "text" else None)

    def _of_row(self, picked: list[int], texts: list[str], kind: str) -> Node | None:
        """What the first or the last row says, or an address that says so."""
        for which in (-1, 0):
            edges = [self._shown[number].edges[which] for number in picked]
            for column in [name for name in edges[0] if all(name in edge for edge in edges)]:
                said = [edge[column] for edge in edges]
                if said == texts:
                    return ["edge", which, column, kind]
                masked = [_masked(text, one) for text, one in zip(texts, said, strict=True)]
                if kind == "text" and None not in masked:
                    program = computed(self._sight, picked, [one or "" for one in masked])
                    if program is not None and not _is_memory(program, texts):
                        return ["row", which, column, self._put(_plain(program))]
        return None

    def _encoded(self, picked: list[int], texts: list[str], name: str) -> Node | None:
        plain = [decoded(text) for text in texts]
        if None in plain:
            return None
        numbers = [re.fullmatch(r"(\D*)(\d+)", text or "") for text in plain]
        for expression in ("last - 1", "first - 1"):
            program = Words(((numbers[0] or [""])[1] if numbers[0] else "", Count(expression)))
            if all(numbers) and self._sight.agrees(program, picked, [text or "" for text in plain]):
                return ["base64", ["text", self._put(program)]]
        inner = self._text(picked, [text or "" for text in plain], name, "text")
        return None if inner is None else ["base64", inner]

    def _seen(self, picked: Sequence[int], sources: Sequence[str]) -> Node | None:
        """What was seen for a path or a parameter; other paths and values are not answered."""
        best: tuple[int, Program, dict[str, str]] | None = None
        sources_of: list[Program] = [Place(), *(Argument(key) for key in self._sight.keys if key not in self._turning)]
        for program in sources_of:
            table: dict[str, str] = {}
            keys = [str(program.value(self._sight.facts(number))) for number in picked]
            if all(table.setdefault(key, source) == source for key, source in zip(keys, sources, strict=True)):
                is_twice = min(Counter(keys).values()) > 1
                if (is_twice or isinstance(program, Place)) and (best is None or len(table) < best[0]):
                    best = (len(table), program, table)
        if best is None:
            return None
        self.looked_up += 1
        return ["seen", self._put(best[1]), sorted(best[2].items())]


def _is_memory(program: Program, texts: Sequence[str]) -> bool:
    """Whether a program merely repeats texts that stood there, most of them once."""
    return isinstance(program, Volatile) or (_is_constant(program) and 2 * len(set(texts)) > max(len(texts), 2))


def _is_constant(program: Program) -> bool:
    if isinstance(program, Split):
        return _is_constant(program.yes) and _is_constant(program.no)
    return isinstance(program, Constant)


def _is_rule(test: Program) -> bool:
    """Whether a condition may hold for what nobody saw: it names no path, no value and no page but the first two."""
    if isinstance(test, AtPath | Below | Paired):
        return False
    plain = re.sub(r"'[^']*'", "", test.jinja())
    return plain == "page > 2" or not re.search(r"\b([2-9]|\d\d+)\b", plain)


def _holds_hole(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_holds_hole, value.values()))
    return value is HOLE


def _masked(text: str, said: str) -> str | None:
    """An address with a row's text in it replaced by a mark; None if it does not hold it as a parameter's value."""
    for form in dict.fromkeys((quote(said, safe=""), said)):
        found = re.sub(rf"(?<==){re.escape(form)}(?=&|$|>)", ROW, text)
        if form and found != text:
            return found
    return None


def decoded(text: str) -> str | None:
    """What a text says in base64; None if it is none, or says nothing readable."""
    try:
        plain = base64.b64decode(text, validate=True).decode("ascii")
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return None
    is_same = base64.b64encode(plain.encode()).decode() == text
    return plain if len(text) > 3 and is_same and _TEXT.fullmatch(plain) else None


def _plain(program: Program, is_escaped: bool = False) -> Program:
    """The program with addresses written as JSON has them, where a page would escape what joins parameters."""
    match program:
        case Edit():
            return program if is_escaped else replace(program, amp="&", base=_plain(program.base, is_escaped))
        case Words():
            parts = tuple(part if isinstance(part, str) else _plain(part, is_escaped) for part in program.parts)
            return replace(program, parts=parts)
        case Split():
            yes, no = (_plain(one, is_escaped) for one in (program.yes, program.no))
            return replace(program, yes=yes, no=no)
        case _:
            return program
