"""Loops of a frame, each way of explaining them."""

from builder.induce.explain import explain_frame
from builder.induce.fit import fit
from builder.induce.listing import Facts
from builder.induce.parts import Data, ElementPart, Loop
from builder.induce.repeats import Kept, Many, One, Pages, Repeat, Trail, data_of, fields_of, stored
from builder.induce.slots import Constant, Nearest
from builder.induce.template import induce
from builder.induce.tree import parse
from tests.builder.induce.pages import Write, facts, paged


def _loop(write: Write, shown: list[Facts]) -> tuple[Repeat, Loop, list[Data]]:
    sources = [parse(write(one)) for one in shown]
    template = induce(sources)
    datas = [data for source in sources if (data := fit(template, source)) is not None]
    (outer,) = template
    assert isinstance(outer, ElementPart)
    (loop,) = outer.children
    assert isinstance(loop, Loop)
    program = explain_frame(template, list(zip(shown, datas, strict=True))).programs[loop.number]
    assert isinstance(program, Repeat)
    return program, loop, datas


def _kinds(program: Repeat) -> list[type]:
    return [type(part.rows) if isinstance(part, Many) else One for part in program.parts]


def test_the_same_rows_everywhere_are_constant() -> None:
    rows = "".join(f"<li>{word}</li>" for word in "abcde")
    program, _, _ = _loop(lambda one: f"<ul id='{one.page}'>{rows}</ul>", [paged(72, n) for n in (1, 2, 3)])
    assert _kinds(program) == [Constant]


def test_numbers_are_a_pager_between_arrows() -> None:
    def write(one: Facts) -> str:
        back = "<li>back</li>" if one.page > 1 else ""
        return f"<ul>{back}{''.join(f'<li>{n}</li>' for n in range(1, one.pages + 1))}<li>on</li></ul>"

    program, _, _ = _loop(write, [paged(total, n) for total in (72, 130) for n in (1, 2, 4)])
    assert _kinds(program) == [One, Pages, One]


def test_repeated_parameters_are_listed() -> None:
    def write(one: Facts) -> str:
        chosen = [value for name, value in one.pairs if name == "f"]
        return "<form>" + "".join(f'<p><input name="f" value="{value}"></p>' for value in chosen) + "</form>"

    shown = [
        paged(72, 1, (("f", "x"), ("f", "y"), ("q", "c"))), paged(72, 1, (("q", "c"), ("f", "z"))),
        paged(72, 2, (("f", "x"), ("f", "z"))), paged(72, 2, (("f", "z"), ("f", "x"), ("f", "y"))), paged(72, 2),
    ]  # fmt: skip
    program, _, _ = _loop(write, shown)
    assert _kinds(program) == [Kept]


def test_breadcrumbs_follow_the_path() -> None:
    names = {"/": "Home", "/a/": "Ay", "/a/b/": "Bee", "/a/b/c/": "Sea", "/d/": "Dee"}

    def write(one: Facts) -> str:
        above = [path for path in names if one.path.startswith(path)]
        return f"<ol>{''.join(f'<li><a href={path}>{names[path]}</a></li>' for path in above)}</ol>"

    program, _, _ = _loop(write, [facts(path, names=names) for path in names])
    assert _kinds(program) == [Trail]


def test_rows_without_reason_are_those_of_the_nearest_page() -> None:
    odd = iter(("mild", "warm", "cold", "wet", "dry", "far", "low", "raw", "new", "old", "big", "fat", "thin", "red"))
    program, _, _ = _loop(
        lambda one: "<ul>" + "".join(f"<li>{next(odd)}</li>" for _ in range(2 + one.page % 3)) + "</ul>",
        [paged(72, n) for n in (1, 2, 3, 4)],
    )
    assert _kinds(program) == [Nearest]


def test_stored_rows_are_read_back_whole() -> None:
    """Options, flags and inner loops of a row survive as fields."""
    cards = [
        [("a", ["x", "y"], True), ("b", [], False)],
        [("c", ["z"] * 4, False), ("d", [], True), ("e", ["x"], True)],
    ]
    sources = [
        parse(
            "<ul>"
            + "".join(
                f"<li><h3>{name}</h3>{'<em>new</em>' if new else ''}<div>{''.join(f'<i>{tag}</i>' for tag in tags)}</div></li>"
                for name, tags, new in rows
            )
            + "</ul>"
        )
        for rows in cards
    ]
    template = induce(sources)
    for source in sources:
        data = fit(template, source)
        assert data is not None
        ((number, rows),) = data.items()
        outer = template[0]
        assert isinstance(outer, ElementPart) and isinstance(outer.children[0], Loop)
        body = outer.children[0].body
        assert [data_of((body,), stored(body), facts(), fields_of(body, row)) for row in rows] == rows, number
