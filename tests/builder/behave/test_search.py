"""Formulas and decisions from examples."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from builder.behave.formulas import Env, Style, english, holds, read_number, text_of, written
from builder.behave.search import Example, decide, formula_for, nothing, roundest, thresholds

NUMBERS = st.decimals(0, 10_000_000, places=2, allow_nan=False)


def examples(*given: tuple[str, dict[str, str]]) -> list[Example]:
    return [Example(text, Env(names, nothing)) for text, names in given]


@given(
    NUMBERS,
    st.sampled_from([Style("€", "", 2, ".", ","), Style("", " kr", 2, ",", "."), Style("£", " each", 2, ".", "")]),
)
def test_a_number_is_read_as_it_was_written(value: Decimal, style: Style) -> None:
    found = read_number(written(value, style))
    assert found is not None
    assert found[0] == value


def test_a_text_around_a_variable_is_found_and_used_for_others() -> None:
    formula = formula_for(examples(("/p/lamp/", {"in.slug": "lamp"}), ("/p/oil/", {"in.slug": "oil"})))
    assert formula is not None
    assert text_of(formula, Env({"in.slug": "wick"}, nothing)) == "/p/wick/"


def test_a_sum_keeps_the_sites_way_of_writing_numbers() -> None:
    formula = formula_for(
        examples(("€1,200.00", {"old.a": "€900.00", "in.b": "300"}), ("€7.50", {"old.a": "€7.00", "in.b": "0.50"}))
    )
    assert formula is not None
    assert english(formula) == "number(in.b + old.a)"
    assert text_of(formula, Env({"old.a": "€2,000.00", "in.b": "1"}, nothing)) == "€2,001.00"


def test_what_no_formula_gives_is_not_explained() -> None:
    assert formula_for(examples(("red", {"in.a": "1"}), ("blue", {"in.a": "2"}))) is None


def test_a_decision_gives_every_label_or_there_is_none() -> None:
    envs = [Env({"in.n": value}, nothing) for value in ("0", "1", "", "7")]
    atoms = [["said", "in.n"], ["zero", "in.n"]]
    choice = decide(["gone", "set", "kept", "set"], envs, atoms)
    assert choice is not None
    assert sorted(choice.leaves()) == ["gone", "kept", "set"]
    assert decide(["a", "b", "c", "d"], envs, atoms) is None


def test_a_limit_is_the_number_that_the_site_speaks_of_if_it_lies_between() -> None:
    envs = [Env({"in.n": value}, nothing) for value in ("58", "78")]
    assert str(roundest(Decimal(58), Decimal(78))) == "70"
    (test,) = thresholds([["of", "in.n"]], envs, [False, True], frozenset([Decimal(60), Decimal("63.5"), Decimal(90)]))
    assert english(test) == "in.n >= 60"
    assert [holds(test, env) for env in envs] == [False, True]
