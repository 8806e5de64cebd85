"""Action strings such as "click('12')", read as data: literals only, nothing is ever executed."""

import ast
import inspect
from collections.abc import Callable, Mapping
from types import UnionType
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

LONGEST = 100_000


class Call(NamedTuple):
    """One action by name, with arguments that are plain values."""

    name: str
    positional: tuple[Any, ...] = ()
    named: Mapping[str, Any] = {}


def parse_calls(text: object) -> list[Call]:
    """The calls in an action string, one a statement. Raises ValueError, in words, for anything else.

    >>> parse_calls("fill('12', value='tea pot')")
    [Call(name='fill', positional=('12',), named={'value': 'tea pot'})]
    >>> parse_calls("click(open('x'))")
    Traceback (most recent call last):
    ...
    ValueError: an argument of click is no literal
    >>> parse_calls("")
    Traceback (most recent call last):
    ...
    ValueError: there is no action
    """
    if not isinstance(text, str):
        raise ValueError(f"an action is a string, not {type(text).__name__}")
    if len(text) > LONGEST:
        raise ValueError(f"an action is at most {LONGEST} characters long")
    try:
        statements = ast.parse(text.strip(), mode="exec").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise ValueError(f"this is no action: {getattr(error, 'msg', error)}") from error
    if not statements:
        raise ValueError("there is no action")
    return [_call(statement) for statement in statements]


def _call(statement: ast.stmt) -> Call:
    node = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        raise ValueError("an action is one call, such as click('12')")
    name = node.func.id
    if any(keyword.arg is None for keyword in node.keywords):
        raise ValueError(f"an argument of {name} is no literal")
    positional = tuple(_literal(argument, name) for argument in node.args)
    return Call(name, positional, {str(keyword.arg): _literal(keyword.value, name) for keyword in node.keywords})


def _literal(node: ast.expr, name: str) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError) as error:
        raise ValueError(f"an argument of {name} is no literal") from error


def bound(call: Call, function: Callable[..., Any]) -> dict[str, Any]:
    """The call's arguments by the function's parameter names, its first parameter left out. Raises ValueError.

    Types are checked against the annotations; a number will do where a bid is meant.
    """
    parameters = list(inspect.signature(function).parameters.values())[1:]
    signature = inspect.Signature(parameters)
    try:
        arguments = signature.bind(*call.positional, **call.named).arguments
    except TypeError as error:
        raise ValueError(f"{call.name}{signature_text(function)}: {error}") from error
    hints = get_type_hints(function)
    for name, value in arguments.items():
        if name.endswith("bid") and isinstance(value, int) and not isinstance(value, bool):
            arguments[name] = value = str(value)
        if not _fits(value, hints[name]):
            raise ValueError(f"{call.name}: {name} cannot be {value!r:.80}")
    return arguments


def signature_text(function: Callable[..., Any]) -> str:
    """The parameters an agent may give, as "(bid, button='left')".

    >>> def click(page, bid: str, button: str = "left"): ...
    >>> signature_text(click)
    "(bid, button='left')"
    """
    parameters = list(inspect.signature(function).parameters.values())[1:]
    shown = [p.name if p.default is p.empty else f"{p.name}={p.default!r}" for p in parameters]
    return f"({', '.join(shown)})"


def _fits(value: Any, hint: Any) -> bool:
    if isinstance(hint, UnionType):
        return any(_fits(value, part) for part in get_args(hint))
    if get_origin(hint) is list:
        return isinstance(value, list) and all(_fits(item, get_args(hint)[0]) for item in value)
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e6
    return isinstance(value, hint)
