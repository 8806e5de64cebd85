"""The template of a kind of pages as a Jinja file that a person can read.

It is rendered with the names of `wording.context`, and `rows`, the list's rows. Automatic escaping is off in it: values
are source text. Nothing captured is ever executed, and no white space is added: lines are broken inside tags.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from builder.induce.explain import Frame
from builder.induce.parts import (
    AttributePart,
    Choice,
    ElementPart,
    Loop,
    Option,
    Part,
    Raw,
    Same,
    Slot,
    TemplateNode,
    TextPart,
)
from builder.induce.repeats import ALWAYS, Body, Many, One, Repeat, slots_of
from builder.induce.slots import Constant, Field, Program, Split, Words, literal
from builder.induce.tree import GROUP

_HARMFUL = re.compile(r"\{(?=[{%#\r]|\n?\Z)|\r|\n\Z")
_METHODS = frozenset(dir({}))


class _Piece(NamedTuple):
    text: str
    is_code: bool


class _Scope(NamedTuple):
    """How numbers are looked for: in programs, or in the columns of a row of the list."""

    programs: Body
    row: str = ""


def jinja_of(
    template: Sequence[TemplateNode], frame: Frame, row_source: Mapping[int, str],
    fields: Mapping[str, str] | None = None,
) -> str:  # fmt: skip
    """The source of a Jinja template that gives every page of the kind.

    `row_source` maps numbers inside the loops that the frame leaves out to columns of `rows`. A slot's column holds
    source text; a flag's (an attribute or a space that may be missing) is true or false; an option's, and that of a
    flag or option without one of its own but with slots, is None or undefined where it is not there. A loop inside a
    row has a column with a list of objects, whose keys are the columns of the numbers inside it. A left-out loop's own
    number may have another name for its rows than `rows`. `fields` are what the frame calls columns of the one row
    that a page is about. Raises ValueError for a slot without a column.
    """
    writer = _Writer(frame.skip, row_source)
    pieces = writer.nodes(template, _Scope(frame.programs))
    if any(piece.is_code and "nearest(seen" in piece.text for piece in pieces):
        pieces.insert(0, _Piece(f"{{% set seen = {literal(frame.seen)}\n%}}", True))
    if fields:
        pieces.insert(0, _about(fields, [piece.text for piece in pieces if piece.is_code]))
    return "{% autoescape false\n%}" + _joined(pieces) + "{% endautoescape\n%}"


def _about(fields: Mapping[str, str], code: Sequence[str]) -> _Piece:
    """The row that a page is about, under the names that the page's expressions have for what they use of it."""
    used = set(re.findall(r"\bitem\.(\w+)", " ".join(code)))
    pairs = []
    for name, column in sorted(fields.items(), key=lambda pair: int(pair[0][1:])):
        cell = f"rows[0][{literal(column)}]"
        pairs += [f"{literal(name)}: {cell} or ''"] if name in used else []
        has = "h" + name[1:]
        pairs += [f"{literal(has)}: {cell} is not none"] if has in used else []
    return _block("set item = {" + ", ".join(pairs) + "}")


def _joined(pieces: Sequence[_Piece]) -> str:
    """The pieces in a row, captured text made harmless where it would begin a tag."""
    out: list[str] = []
    text = ""
    for piece in (*pieces, _Piece("", True)):
        if not piece.is_code:
            text += piece.text
            continue
        out += [_HARMFUL.sub(lambda found: f"{{{{ {literal(found[0])} }}}}", text), piece.text]
        text = ""
    return "".join(out)


def _block(text: str) -> _Piece:
    return _Piece(f"{{% {text}\n%}}", True)


def _shown(expression: str) -> _Piece:
    return _Piece(f"{{{{ {expression} }}}}", True)


class _Writer:
    def __init__(self, skip: frozenset[int], columns: Mapping[int, str]) -> None:
        self._skip = skip
        self._columns = columns

    def nodes(self, nodes: Sequence[TemplateNode], scope: _Scope) -> list[_Piece]:
        return [piece for node in nodes for piece in self._node(node, scope)]

    def _node(self, node: TemplateNode, scope: _Scope) -> list[_Piece]:
        match node:
            case Same(same):
                return [_Piece(same.written, False)]
            case TextPart(text, space, _):
                return [*self._space(space, scope), *self._slot(text.number, scope)]
            case Raw(number):
                return self._slot(number, scope)
            case Option(number, body):
                return self._if(number, body, lambda: self._node(body, scope), scope)
            case Loop():
                return self._loop(node, scope)
            case Choice(number, bodies):
                if scope.row:
                    return self._chosen(Field(""), bodies, scope, self._column(number, scope))
                return self._chosen(scope.programs[number], bodies, scope)
            case ElementPart():
                return self._element(node, scope)

    def _element(self, node: ElementPart, scope: _Scope) -> list[_Piece]:
        if node.tag == GROUP:
            return self.nodes(node.children, scope)
        found = [*self._space(node.space, scope), _Piece(node.opening, False)]
        for one in node.attributes:
            if one.present is None:
                found += self._attribute(one, scope)
            else:
                value = TextPart(one.value, False, "") if isinstance(one.value, Slot) else None
                found += self._if(one.present.number, value, partial(self._attribute, one, scope), scope)
        found += [_Piece(node.slash + ">", False), *self.nodes(node.children, scope)]
        return [*found, *self._space(node.end_space, scope), *self._part(node.close, scope)]

    def _attribute(self, one: AttributePart, scope: _Scope) -> list[_Piece]:
        return [_Piece(one.before, False), *self._part(one.value, scope), _Piece(one.after, False)]

    def _part(self, part: Part, scope: _Scope) -> list[_Piece]:
        return [_Piece(part, False)] if isinstance(part, str) else self._slot(part.number, scope)

    def _space(self, flag: bool | Slot, scope: _Scope) -> list[_Piece]:
        if isinstance(flag, bool):
            return [_Piece(" ", False)] if flag else []
        return self._if(flag.number, None, lambda: [_Piece(" ", False)], scope)

    def _slot(self, number: int, scope: _Scope) -> list[_Piece]:
        return [_shown(self._column(number, scope))] if scope.row else _value(scope.programs[number])

    def _if(
        self, number: int, body: TemplateNode | None, inner: Callable[[], list[_Piece]], scope: _Scope
    ) -> list[_Piece]:
        """What stands there under a condition. The inside of what is never there is not asked for."""
        if scope.row:
            return [_block(f"if {self._there(number, body, scope)}"), *inner(), _block("endif")]
        test = scope.programs[number]
        if test == Constant(False):
            return []
        return inner() if test == ALWAYS else [_block(f"if {test.jinja()}"), *inner(), _block("endif")]

    def _there(self, number: int, body: TemplateNode | None, scope: _Scope) -> str:
        if number in self._columns and body is None:
            return self._column(number, scope)
        inner = [one for one, _ in slots_of(body)] if body is not None else []
        told = next((one for one in (number, *inner) if one in self._columns), number)
        column = self._column(told, scope)
        return f"{column} is defined and {column} is not none and {column} is not false"

    def _column(self, number: int, scope: _Scope) -> str:
        if number not in self._columns:
            raise ValueError(f"nothing says what stands in slot {number} of a row")
        name = self._columns[number]
        return (
            f"{scope.row}.{name}" if name.isidentifier() and name not in _METHODS else f"{scope.row}[{literal(name)}]"
        )

    def _loop(self, loop: Loop, scope: _Scope) -> list[_Piece]:
        if scope.row:
            inner = _Scope({}, f"{scope.row}_part" if scope.row == "row" else scope.row + "s")
            rows = self._column(loop.number, scope)
            return [_block(f"for {inner.row} in {rows}"), *self._node(loop.body, inner), _block("endfor")]
        if loop.number in self._skip:
            rows = self._columns.get(loop.number, "rows")
            return [_block(f"for row in {rows}"), *self._node(loop.body, _Scope({}, "row")), _block("endfor")]
        program = scope.programs.get(loop.number)
        found: list[_Piece] = []
        for part in program.parts if isinstance(program, Repeat) else ():
            found += self._many(loop.body, part) if isinstance(part, Many) else self._one(loop.body, part)
        return found

    def _many(self, body: TemplateNode, part: Many) -> list[_Piece]:
        inner = self._node(body, _Scope(part.body)) if part.body else []
        if part.gap is not None:
            inner = [_block("if item.n"), *inner, _block("else"), *self._node(body, _Scope(part.gap)), _block("endif")]
        elif not part.body:
            inner = self._node(body, _Scope(part.body))
        return [_block(f"for item in {part.rows.jinja()}"), *inner, _block("endfor")]

    def _chosen(
        self, program: Program, bodies: Sequence[TemplateNode], scope: _Scope, expression: str = ""
    ) -> list[_Piece]:
        if isinstance(program, Constant):
            return self._node(bodies[program.text], scope)
        if isinstance(program, Split):
            yes, no = (self._chosen(one, bodies, scope) for one in (program.yes, program.no))
            return [_block(f"if {program.test.jinja()}"), *yes, _block("else"), *no, _block("endif")]
        found = []
        for which, body in enumerate(bodies):
            found += [_block(f"{'elif' if which else 'if'} {expression or program.jinja()} == {which}")]
            found += self._node(body, scope)
        return [*found, _block("endif")]

    def _one(self, body: TemplateNode, part: One) -> list[_Piece]:
        inner = self._node(body, _Scope(part.body))
        if any(piece.is_code and re.search(r"\bitem\.", piece.text) for piece in inner):
            inner = [_block(f"with item = {literal(part.item)}"), *inner, _block("endwith")]
        if part.test == ALWAYS:
            return inner
        return [_block(f"if {part.test.jinja()}"), *inner, _block("endif")]


def _value(program: Program) -> list[_Piece]:
    """A slot's text: constant text as it is, holes as expressions, alternatives as blocks."""
    match program:
        case Constant():
            return [_Piece(str(program.text), False)]
        case Words():
            return [piece for part in program.parts
                    for piece in ([_Piece(part, False)] if isinstance(part, str) else _value(part))]  # fmt: skip
        case Split():
            yes, no = _value(program.yes), _value(program.no)
            return [_block(f"if {program.test.jinja()}"), *yes, _block("else"), *no, _block("endif")]
        case _:
            return [_shown(program.jinja())]
