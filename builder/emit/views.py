"""site_routes.py: one view a route, grouped by area, each with what it answers and what it rests on."""

import json
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence

from artifacts.contract import Route
from builder.compile.site import Compiled
from builder.emit.lists import named_lists, path_of

EVERY_METHOD = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_VARIABLE = re.compile(r"<(?:(\w+):)?(\w+)>")
_HEAD = '''"""The addresses of {site}, one view for each family of them."""

{lists}import recorded
from flask import Blueprint, Response

EVERY_METHOD = {methods}

views = Blueprint("views", "site_routes", root_path=".")
'''
_REST = '''

@views.route("/", methods=EVERY_METHOD, defaults={{"rest": ""}})
@views.route("/<path:rest>", methods=EVERY_METHOD)
def everything_else(rest: str) -> Response:
    """Addresses of {others}, and whatever no view above is for."""
    return recorded.answer()
'''


def site_routes(compiled: Compiled) -> str:
    """The module's source."""
    addresses: dict[str, list[str]] = {}
    for answer in compiled.answers:
        addresses.setdefault(answer.name.path, []).append(answer.name.method)
    out = [_HEAD.format(
        site=_plain(compiled.contract.site),
        methods=_list(EVERY_METHOD),
        lists="import lists\n" if compiled.induced.lists else "",
    )]  # fmt: skip
    listed: dict[str, list[str]] = {}
    for one in named_lists(compiled):
        listed.setdefault(path_of(one.listed), []).append(one.name.upper())
    area = None
    for route in sorted(compiled.contract.routes, key=lambda route: (_area(route), route.pattern)):
        if _area(route) != area:
            area = _area(route)
            out.append(f"\n\n# {area}\n")
        else:
            out.append("\n")
        out.append(_view(route, listed.get(compiled.families[route.pattern], [])))
    others = [_plain(host) for host in compiled.contract.hosts[1:]]
    out.append(_REST.format(others=_some(others) or "other hosts"))
    return "".join(out)


def _area(route: Route) -> str:
    first = route.pattern.split("/")[1]
    return "/" if not first or "<" in first else f"/{first}"


def _view(route: Route, listed: Sequence[str]) -> str:
    variables = [(name, kind) for kind, name in _VARIABLE.findall(route.pattern)]
    parameters = ", ".join(f"{name}: {'int' if kind == 'int' else 'str'}" for name, kind in variables)
    methods = [method for method in route.methods if method in EVERY_METHOD]
    evidence = ", ".join(digest[:8] for digest in route.evidence[:4])
    said = f"{count(route.answers, 'recorded answer')}; rests on {evidence or 'an answer without a body'}."
    return (
        f"\n@views.route({json.dumps(route.pattern)}, methods={_list(methods or ['GET'])})\n"
        f"def {route.name}({parameters}) -> Response:\n"
        f"{_docstring(said)}"
        f"    return recorded.answer({', '.join(f'lists.{one}' for one in listed)})\n"
    )


def _docstring(text: str) -> str:
    if len(text) <= 90:
        return f'    """{text}"""\n'
    lines = textwrap.wrap(text, 92)
    return '    """' + lines[0] + "\n" + "".join(f"    {line}\n" for line in lines[1:]) + '    """\n'


def _list(values: Iterable[str]) -> str:
    return json.dumps(list(values))


def count(number: int, noun: str) -> str:
    """The number with its noun.

    >>> count(1, "route"), count(0, "route")
    ('1 route', '0 routes')
    """
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _some(values: Sequence[str]) -> str:
    shown = ", ".join(values[:2])
    return f"{shown} and {len(values) - 2} more hosts" if len(values) > 2 else shown


def _plain(text: str) -> str:
    """Text that cannot end a docstring or leave its line."""
    return re.sub(r'["\\\x00-\x1f]', "", text)[:60]


def filled(source: str, values: Mapping[str, str]) -> str:
    """A module's source with its @NAMES@ filled in, each made safe for the string it stands in."""
    for name, value in values.items():
        source = source.replace(f"@{name}@", _plain(value))
    return source
