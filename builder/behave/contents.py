"""What stands in one part of a page, as a template with named holes and what was read in them. Pure."""

import html
import re
from collections.abc import Mapping, Sequence
from typing import Any

from builder.induce.fit import Fitter, fit
from builder.induce.parts import (
    AttributePart,
    Choice,
    Data,
    ElementPart,
    Loop,
    Option,
    Part,
    Raw,
    Same,
    Slot,
    TemplateNode,
    TextPart,
    render,
)
from builder.induce.template import induce
from builder.induce.tree import GROUP, parse, rebuilt

_QUOTES = re.compile(r"&(?:quot|apos|#0*3[49]|#x0*2[27]);", re.I)
Values = dict[str, Any]
"""Hole -> what stands there: "s3" text, "o3" whether something is there, "l3" the rows of a loop, "c3" which of
several kinds of parts."""
Template = tuple[TemplateNode, ...]


def template_of(contents: Sequence[str]) -> Template | None:
    """The template of these contents; None if it does not give back every one of them."""
    pages = [parse(content) for content in contents]
    template = induce(pages)
    fitter = Fitter(template)
    is_whole = all(fitter.given_back(nodes, rebuilt(nodes)) is not None for nodes in pages)
    return template if is_whole else None


def read(template: Template, content: str) -> Values | None:
    """What stands in the holes of a content; None if it is none of this template."""
    data = fit(template, parse(content))
    return None if data is None else flat(template, data)


def flat(nodes: Sequence[TemplateNode], data: Data) -> Values:
    """What was read by a template, by the names of its holes."""
    found: Values = {}
    for node in nodes:
        match node:
            case TextPart(text, space, kind):
                said = str(data[text.number])
                found[f"s{text.number}"] = unquoted(said) if kind == "#text" else said
                _flag(space, data, found)
            case Raw(number):
                found[f"s{number}"] = str(data[number])
            case Option(number, body):
                found[f"o{number}"] = data[number] is not None
                if data[number] is not None:
                    found |= flat((body,), data[number])
            case Loop(number, body):
                found[f"l{number}"] = [flat((body,), row) for row in data[number]]
            case Choice(number, bodies):
                found[f"c{number}"] = str(data[number])
                found |= flat((bodies[data[number]],), data)
            case ElementPart():
                for one in node.attributes:
                    _attribute(one, data, found)
                for flag in (node.space, node.end_space):
                    _flag(flag, data, found)
                if isinstance(node.close, Slot):
                    found[f"s{node.close.number}"] = str(data[node.close.number])
                found |= flat(node.children, data)
            case Same():
                pass
    return found


def unquoted(text: str) -> str:
    """Text between tags with quotation marks as themselves, however a site writes them there.

    >>> unquoted("&quot;a&quot; &amp; b&#39;s")
    '"a" &amp; b\\'s'
    """
    return _QUOTES.sub(lambda found: html.unescape(found[0]), text) if "&" in text else text


def _attribute(one: AttributePart, data: Data, found: Values) -> None:
    is_there = one.present is None or bool(data[one.present.number])
    if one.present is not None:
        found[f"o{one.present.number}"] = is_there
    if isinstance(one.value, Slot) and is_there:
        found[f"s{one.value.number}"] = str(data[one.value.number])


def _flag(flag: bool | Slot, data: Data, found: Values) -> None:
    if isinstance(flag, Slot):
        found[f"o{flag.number}"] = bool(data[flag.number])


def loops_of(nodes: Sequence[TemplateNode]) -> list[Loop]:
    """The loops that are not inside other loops."""
    found: list[Loop] = []
    for node in nodes:
        match node:
            case Loop():
                found.append(node)
            case Option(_, body):
                found += loops_of((body,))
            case ElementPart():
                found += loops_of(node.children)
            case _:
                pass
    return found


def named_holes(nodes: Sequence[TemplateNode]) -> dict[str, str]:
    """Hole -> what a person may call it: the name of its field, the class or tag of its element, or its attribute."""
    found: dict[str, str] = {}
    for node in nodes:
        match node:
            case Option(_, body) | Loop(_, body):
                found |= named_holes((body,))
            case ElementPart():
                fixed = {one.name: one.value for one in node.attributes if isinstance(one.value, str)}
                own = fixed.get("name") or fixed.get("id") or fixed.get("class", "").partition(" ")[0] or node.tag
                for one in node.attributes:
                    if isinstance(one.value, Slot):
                        found[f"s{one.value.number}"] = own if one.name == "value" else f"{own} {one.name}"
                for child in node.children:
                    if isinstance(child, TextPart):
                        found[f"s{child.text.number}"] = own
                found |= {hole: name for hole, name in named_holes(node.children).items() if hole not in found}
            case Choice(_, bodies):
                found |= named_holes(bodies)
            case _:
                pass
    return found


def jinja(nodes: Sequence[TemplateNode]) -> str:
    """The template as Jinja: holes are variables of their names, rows of loops have theirs as attributes."""
    return "{% autoescape false %}" + _jinja(nodes, "") + "{% endautoescape %}"


def _jinja(nodes: Sequence[TemplateNode], row: str) -> str:
    return "".join(_node(node, row) for node in nodes)


def _node(node: TemplateNode, row: str) -> str:
    match node:
        case Same(same):
            return _plain(same.written)
        case TextPart(text, space, _):
            return _space(space, row) + f"{{{{ {row}s{text.number} }}}}"
        case Raw(number):
            return f"{{{{ {row}s{number} }}}}"
        case Option(number, body):
            return f"{{% if {row}o{number} %}}{_node(body, row)}{{% endif %}}"
        case Choice(number, bodies):
            kinds = [
                f'{{% if {row}c{number} == "{n}" %}}{_node(body, row)}{{% endif %}}' for n, body in enumerate(bodies)
            ]
            return "".join(kinds)
        case Loop(number, body):
            inner = f"{row.rstrip('.')}{'_part' if row else 'row'}"
            return f"{{% for {inner} in {row}l{number} %}}{_node(body, inner + '.')}{{% endfor %}}"
        case ElementPart():
            inside = _jinja(node.children, row)
            if node.tag == GROUP:
                return inside
            attributes = "".join(_attribute_of(one, row) for one in node.attributes)
            head = f"{_space(node.space, row)}{_plain(node.opening)}{attributes}{node.slash}>"
            return f"{head}{inside}{_space(node.end_space, row)}{_part(node.close, row)}"


def _attribute_of(one: AttributePart, row: str) -> str:
    written = _plain(one.before) + _part(one.value, row) + _plain(one.after)
    return written if one.present is None else f"{{% if {row}o{one.present.number} %}}{written}{{% endif %}}"


def _part(part: Part, row: str) -> str:
    return _plain(part) if isinstance(part, str) else f"{{{{ {row}s{part.number} }}}}"


def _space(flag: bool | Slot, row: str) -> str:
    if isinstance(flag, bool):
        return " " if flag else ""
    return f"{{% if {row}o{flag.number} %}} {{% endif %}}"


def _plain(text: str) -> str:
    """Captured text that cannot begin a tag, whatever comes after it."""
    return text.replace("{", "{{ '{' }}")


def written(template: Template, values: Mapping[str, Any]) -> str:
    """The content that has these values in its holes, as the Jinja template writes it."""
    return "".join(_written(node, values) for node in template)


def _written(node: TemplateNode, values: Mapping[str, Any]) -> str:
    return render((node,), _data((node,), values))


def _data(nodes: Sequence[TemplateNode], values: Mapping[str, Any]) -> Data:
    data: Data = {}
    for node in nodes:
        match node:
            case TextPart(text, space, _):
                data[text.number] = values.get(f"s{text.number}", "")
                _flag_data(space, values, data)
            case Raw(number):
                data[number] = values.get(f"s{number}", "")
            case Option(number, body):
                data[number] = _data((body,), values) if values.get(f"o{number}") else None
            case Loop(number, body):
                data[number] = [_data((body,), row) for row in values.get(f"l{number}", ())]
            case Choice(number, bodies):
                data[number] = int(values.get(f"c{number}", "0"))
                data |= _data((bodies[data[number]],), values)
            case ElementPart():
                for one in node.attributes:
                    if one.present is not None:
                        data[one.present.number] = values.get(f"o{one.present.number}", False)
                    if isinstance(one.value, Slot):
                        data[one.value.number] = values.get(f"s{one.value.number}", "")
                for flag in (node.space, node.end_space):
                    _flag_data(flag, values, data)
                if isinstance(node.close, Slot):
                    data[node.close.number] = values.get(f"s{node.close.number}", "")
                data |= _data(node.children, values)
            case Same():
                pass
    return data


def _flag_data(flag: bool | Slot, values: Mapping[str, Any], data: Data) -> None:
    if isinstance(flag, Slot):
        data[flag.number] = values.get(f"o{flag.number}", False)
