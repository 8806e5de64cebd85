"""Forms that come to light when something is opened."""

from artifacts.evidence import Action, Actionable
from explorer.crawl.revealed import folded, opened
from explorer.crawl.trial import Shown
from explorer.crawl.words import Words

WORDS = Words("lantern", "harbour", "quiet lantern")
SITE = "http://shop.example"
CLICK = Action(act="click", selector="#more", role="button", name="More")


def form(name: str, *, visible: bool) -> tuple[Actionable, ...]:
    common = {"form": f"#{name}", "form_method": "post", "form_action": f"/{name}", "visible": visible}
    return (
        Actionable.model_validate({"selector": f"#{name}-t", "role": "textbox", "name": "", "tag": "input",
                                   "input_type": "text", "field_name": "code", **common}),
        Actionable.model_validate({"selector": f"#{name}-go", "role": "button", "name": "Go", "tag": "button",
                                   "input_type": "submit", **common}),
    )  # fmt: skip


def page(path: str, *items: Actionable) -> Shown:
    return Shown(SITE + path, "t", items)


def test_a_form_that_was_folded_away_is_used_after_what_shows_it() -> None:
    language = form("language", visible=True)
    found = opened(
        page("/", *form("voucher", visible=False), *language),
        page("/", *form("voucher", visible=True), *language),
        [CLICK],
    )
    assert found is not None
    trials = list(found.trials(WORDS))
    assert trials and {trial.behaviour for trial in trials} == {"send form post /voucher code by Go"}
    assert all(trial.actions[0] == CLICK and trial.actions[-1].selector == "#voucher-go" for trial in trials)


def test_another_page_or_no_new_form_is_nothing_opened() -> None:
    seen = form("voucher", visible=True)
    assert opened(page("/", *seen), page("/", *seen), [CLICK]) is None
    assert opened(page("/"), page("/other", *seen), [CLICK]) is None
    assert opened(page("/"), page("/", *form("voucher", visible=False)), [CLICK]) is None


def test_a_form_is_folded_away_if_none_of_its_controls_can_be_seen() -> None:
    seen, hidden = form("search", visible=True), form("voucher", visible=False)
    assert folded(page("/", *seen, *hidden)) == {"#voucher"}
