from artifacts.evidence import Action, Actionable
from artifacts.run import Safety
from explorer.crawl.contrast import MALFORMED, MARKUP, around_login, form_contrasts, of_a_kind
from explorer.crawl.filling import is_fillable
from explorer.crawl.safety import Judgement
from explorer.crawl.trial import TWO, Shown, Trial, Variant
from explorer.crawl.words import Words

WORDS = Words("lantern", "harbour", "quiet lantern")
PAGE = Shown("http://shop.example/p", "t", ())
BUTTON = Actionable(selector="#go", role="button", name="Go", tag="button")


def field(name: str, kind: str = "text", **more: object) -> Actionable:
    tag = "textarea" if kind == "textarea" else "input"
    given: dict[str, object] = {"selector": f"#{name}", "role": "textbox", "name": name, "tag": tag, "field_name": name}
    return Actionable.model_validate(given | {"input_type": "" if tag == "textarea" else kind} | more)


def contrasts(*fields: Actionable, safety: Safety = "account") -> dict[str, tuple[str, dict[str, str]]]:
    """What -> variant and the values sent, by selector; a field that is not filled is left out."""
    assert all(map(is_fillable, fields))
    made = form_contrasts(PAGE, "#f", fields, (BUTTON,), Judgement(safety, ""), "send form", WORDS)
    found = {}
    for trial in made:
        assert trial.contrast and trial.actions[-1].selector == "#go" and trial.probes == (trial.variant != "failing")
        assert trial.instance not in found
        found[trial.instance] = (trial.variant, {action.selector: action.value for action in trial.actions[:-1]})
    return found


def test_each_guard_of_a_registration_is_broken_alone() -> None:
    found = contrasts(field("name", required=True), field("mail", "email", required=True),
                      field("pass", "password", required=True), field("again", "password", required=True))  # fmt: skip
    assert list(found)[:2] == ["passwords that differ", "mail malformed"]
    assert {variant for variant, _ in found.values()} == {"failing"}
    wrong = {
        "passwords that differ": "#again", "mail malformed": "#mail", "name empty": "#name", "mail empty": "#mail",
        "pass empty": "#pass", "again empty": "#again",
    }  # fmt: skip
    for what, selector in wrong.items():
        values = dict(found[what][1])
        bad = values.pop(selector)
        assert bad == {"mail malformed": MALFORMED, "passwords that differ": "Sandbox-pass-other"}.get(what, "")
        assert all(values.values()) and len(values) == 3, what
        if "#pass" in values and "#again" in values:
            assert values["#pass"] == values["#again"]
    mails = [values["#mail"] for _, values in found.values() if "@" in values["#mail"]]
    assert len(set(mails)) == len(mails), "nobody is registered by the trial before"
    assert found["the same again"][1]["#mail"] == "visitor@example.com"


def test_amounts_go_to_their_limits_and_one_beyond() -> None:
    found = contrasts(field("qty", "number", value="1", attributes={"min": "1", "max": "9"}), safety="session")
    assert {what: variant for what, (variant, _) in found.items()} == {
        "qty 2": "other", "qty 9": "other", "qty 10": "failing", "qty 0": "failing",
    }  # fmt: skip
    line = contrasts(field("line-3-qty", "number", value="3", attributes={"min": "0", "max": "9"}), safety="session")
    assert list(line) == ["line-#-qty 2", "line-#-qty 1", "line-#-qty 9", "line-#-qty 10", "line-#-qty 0"]
    words = contrasts(field("menge", "text", value="1"), safety="session")
    assert {"menge 2", "menge 0"} <= words.keys()
    held = contrasts(field("n", "text", value="1"), safety="session")
    assert {"n 2", "n 0"} <= held.keys() and not contrasts(field("n", "text", value="10115"), safety="session")


def test_texts_are_as_long_as_they_may_be_and_one_longer_and_hold_markup() -> None:
    found = contrasts(field("title", attributes={"maxlength": "30"}), field("body", "textarea"), safety="write")
    assert len(found["title of 30 characters"][1]["#title"]) == 30
    assert len(found["title of 31 characters"][1]["#title"]) == 31
    variant, values = found["body with markup"]
    assert (variant, values["#body"]) == ("other", MARKUP) and values["#title"]
    assert found["body empty"][0] == "failing" and found["title empty"][1]["#body"]


def test_a_form_without_texts_or_amounts_has_none() -> None:
    assert contrasts(safety="session") == {}


def offered(page: str, variant: Variant = "ordinary", *, safety: Safety = "session") -> Trial:
    return Trial("add", variant, page, Judgement(safety, ""), page, (Action(act="click", selector="#add"),), True)


def test_two_of_a_kind_are_done_and_one_of_them_again() -> None:
    pages = [offered("/a"), offered("/a", "other"), offered("/b"), offered("/b", "other"), offered("/c")]
    (found,) = of_a_kind(pages)
    assert (found.page, found.instance, found.contrast) == ("/a", TWO, True)
    assert [(step.page, step.variant) for step in found.then] == [("/b", "other"), ("/a", "other")]
    assert [step.variant for step in next(of_a_kind([offered("/a"), offered("/b")])).then] == ["ordinary"] * 2


def test_two_things_of_one_page_are_told_apart_by_the_buttons_that_send_their_forms() -> None:
    def beside(thing: str, variant: Variant = "ordinary") -> Trial:
        return offered("/list", variant)._replace(actions=(Action(act="click", selector=f"#add-{thing}"),))

    (found,) = of_a_kind([beside("pear"), beside("fig"), beside("fig", "other"), beside("pear")])
    assert [step.actions[0].selector for step in (found, *found.then)] == ["#add-pear", "#add-fig", "#add-pear"]
    assert [step.variant for step in found.then] == ["other", "ordinary"]
    (apart,) = of_a_kind([beside("pear"), beside("fig"), offered("/detail")])  # pages of their own tell more
    assert [step.page for step in (apart, *apart.then)] == ["/list", "/detail", "/list"]


def test_what_a_visitor_keeps_is_kept_before_and_after_logging_in() -> None:
    login = offered("/login", safety="account")._replace(behaviour="login form", instance="ada {{password:user}}")
    found = list(
        around_login([login, offered("/a"), offered("/b"), offered("/c", safety="write")._replace(behaviour="reply")])
    )
    assert [(one.page, one.instance, one.then[0].page) for one in found] == [
        ("/login", "ada then add", "/a"), ("/a", "ada then login form", "/login"),
    ]  # fmt: skip
    assert all(one.contrast and one.probes for one in found)
    assert list(around_login([offered("/a")])) == list(around_login([login])) == []


def test_one_page_or_a_matter_of_accounts_is_not_doubled() -> None:
    assert list(of_a_kind([offered("/a"), offered("/a")])) == []
    assert list(of_a_kind([offered("/a", safety="account"), offered("/b", safety="account")])) == []
