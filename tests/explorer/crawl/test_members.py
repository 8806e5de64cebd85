from collections.abc import Sequence

import pytest

from artifacts.digest import digest_bytes
from artifacts.evidence import Action, Actionable, PageState
from artifacts.run import Account
from explorer.crawl.members import (
    LOOKS,
    Members,
    Sight,
    answers_challenge,
    answers_to_challenges,
    as_member,
    is_closed,
    logins_in,
)
from explorer.crawl.plan import trials
from explorer.crawl.safety import Judgement
from explorer.crawl.trial import Shown, Trial
from explorer.crawl.urls import Templates
from explorer.crawl.words import Words

NONE = digest_bytes(b"")
SITE = "http://club.example"
WORDS = Words("lantern", "harbour", "quiet lantern")
LOGIN = Trial(
    "login form", "ordinary", "ada {{password:user}}", Judgement("account", ""), SITE + "/login",
    (Action(act="fill", selector="#u", value="ada"),), identity="user",
)  # fmt: skip


def state(path: str, *, landed: str = "", status: int = 200, identity: str = "anonymous") -> PageState:
    return PageState(
        url=SITE + (landed or path), requested=SITE + path, template="t", status=status, title="", visit="p", lens=NONE,
        fingerprint=NONE, dom=NONE, axtree=NONE, text=NONE, screenshot=NONE, full_page=NONE, page_height=720,
        storage=NONE, actionables=NONE, links=(), settled_after_ms=1, identity=identity,
    )  # fmt: skip


def sight(looked: Sequence[PageState], linked: Sequence[str] = (), more: Sequence[str] = ()) -> Sight:
    paths = dict.fromkeys([*(one.requested for one in looked), *(SITE + path for path in (*linked, *more))])
    return Sight(
        Templates(paths),
        {url: url for url in paths},
        {one.requested: one for one in looked},
        {SITE + p for p in linked},
    )


def member(links: Sequence[str] = (), *labels: str) -> Members:
    found = Members(labels or ("user",), lambda url: url)
    for label in labels or ("user",):
        found.saw(state("/", identity=label), [SITE + link for link in links])
    return found


def looks(members: Members, seen: Sight, most: int = LOOKS) -> list[str]:
    best = members.next_tour({"user": LOGIN}, seen, most=most, fetches=20)
    return [url.removeprefix(SITE) for url in best[1].looks] if best else []


def test_what_strangers_are_kept_from_comes_before_what_they_are_not_linked_to_and_that_before_known_kinds() -> None:
    closed = state("/orders", landed="/login")
    seen = sight([state("/"), state("/login"), closed, state("/item/1")], ["/", "/item/1"], ["/letters", "/item/2"])
    assert looks(member(["/", "/item/1", "/letters"]), seen) == ["/orders", "/letters", "/", "/item/1"]


def test_what_was_asked_for_is_not_asked_for_again_and_the_rest_of_a_kind_is_fetched() -> None:
    letters = [f"/letter/{n}" for n in range(30)]
    members, seen = member(letters), sight([state("/")], ["/"], letters)
    best = members.next_tour({"user": LOGIN}, seen, most=LOOKS, fetches=20)
    assert best is not None and best[1].leave
    assert 2 < len(best[1].looks) <= LOOKS and len(best[1].batch) == 20 and not {*best[1].looks} & {*best[1].batch}
    members.absorb_tour("user", [*best[1].looks, *best[1].batch], [(state("/", identity="user"), ())], LOOKS)
    again = members.next_tour({"user": LOGIN}, seen, most=LOOKS, fetches=20)
    assert again is not None and not again[1].leave
    assert again[1].batch and not {*again[1].looks, *again[1].batch} & {*best[1].looks, *best[1].batch}
    only_fetched = members.next_tour({"user": LOGIN}, seen, most=0, fetches=5)
    assert only_fetched is not None and not only_fetched[1].looks and len(only_fetched[1].batch) == 5


def test_who_never_got_in_or_does_not_any_more_sees_nothing() -> None:
    seen = sight([state("/")], ["/"], ["/letters"])
    assert not looks(Members(("user",), lambda url: url), seen)
    members = member(["/letters"])
    for _ in range(2):
        assert looks(members, seen)
        members.absorb_tour("user", [], [], 0)
    assert not looks(members, seen)


def test_a_second_account_looks_later_and_only_at_what_is_closed() -> None:
    logins = {"user": LOGIN, "other": LOGIN._replace(identity="other")}
    seen = sight([state("/"), state("/orders", status=403)], ["/"])
    members = member([], "user", "other")
    first = members.next_tour(logins, seen, most=LOOKS, fetches=0)
    assert first is not None and first[1].trial is logins["user"]
    members.absorb_tour("user", first[1].looks, [(state("/", identity="user"), ())], 2)
    second = members.next_tour(logins, seen, most=LOOKS, fetches=0)
    assert second is not None and second[1].trial is logins["other"] and second[0] < first[0]
    assert second[1].looks == (SITE + "/orders",)


@pytest.mark.parametrize(
    ("seen", "closed"),
    [
        (state("/orders", landed="/login?next=/orders"), True),
        (state("/orders", status=401), True),
        (state("/login"), False),
        (state("/old", landed="/new"), False),
        (state("/gone", status=404), False),
    ],
)
def test_closed_pages(seen: PageState, closed: bool) -> None:
    assert is_closed(seen) is closed


def field(selector: str, form: str, **given: object) -> Actionable:
    common: dict[str, object] = {
        "selector": selector, "role": "", "name": selector, "tag": "input", "form": form, "form_method": "post",
        "form_action": f"/{form}", "visible": True,
    }  # fmt: skip
    return Actionable.model_validate(common | given)


def button(selector: str, form: str, name: str) -> Actionable:
    return field(selector, form, tag="button", input_type="submit", name=name)


def planned(*items: Actionable, known: Sequence[str] = ()) -> list[Trial]:
    page = Shown(SITE + "/me", "t", items, identity="user")
    return list(as_member(trials(page, Templates([]), WORDS, ()), page, LOGIN, known))


def test_what_is_changed_is_put_back_and_what_one_logs_in_with_is_left_alone() -> None:
    town = field("#town", "profile", field_name="town", value="Harbour")
    mail = field("#mail", "profile", field_name="mail", input_type="email", value="ada@club.example")
    changing = [trial for trial in planned(town, mail, button("#save", "profile", "Save")) if trial.then]
    assert {trial.variant for trial in changing} == {"other"}
    for trial in changing:
        (back,) = trial.then
        assert "#mail" not in {action.selector for action in (*trial.actions, *back.actions)}
        assert trial.actions[0].value != "Harbour" and back.actions[0].value == "Harbour" and trial.after is LOGIN


def test_a_single_click_is_made_twice_and_nothing_that_was_there_is_deleted() -> None:
    (star,) = planned(button("#star", "star", "Star"), button("#del", "remove", "Delete all letters"))
    assert star.actions[0].selector == "#star" and [again.actions for again in star.then] == [star.actions]
    assert star.name.endswith(" as user") and star.probes


def test_what_strangers_are_offered_is_tried_again_only_where_it_writes() -> None:
    text = field("#text", "reply", tag="textarea", field_name="text")
    word = field("#q", "find", input_type="search", field_name="q", form_method="get")
    offered = planned(text, button("#send", "reply", "Reply"), word, button("#go", "find", "Go"))
    names = {trial.behaviour for trial in offered}
    assert {trial.judgement.safety for trial in offered} == {"read", "write"}
    left = planned(text, button("#send", "reply", "Reply"), word, button("#go", "find", "Go"), known=tuple(names))
    assert left and {trial.judgement.safety for trial in left} == {"write"}


def test_fields_with_passwords_are_not_touched() -> None:
    old, new = (field(f"#{n}", "secret", input_type="password", field_name=n) for n in ("old", "new"))
    assert not planned(old, new, button("#save", "secret", "Save"))


def test_an_account_logs_in_as_the_first_page_says_it() -> None:
    failing = LOGIN._replace(variant="failing")
    later = LOGIN._replace(page=SITE + "/other")
    assert logins_in([failing, LOGIN, later, LOGIN._replace(identity="")]) == {"user": LOGIN}


def test_what_one_click_on_a_link_does_is_tried_as_the_account_and_taken_back() -> None:
    def tried(href: str, name: str) -> list[Trial]:
        link = Actionable(selector="#a", role="link", name=name, tag="a", href=href)
        page = Shown(SITE + "/note/1", "t", (link,), identity="user")
        found = as_member(trials(page, Templates([page.url]), WORDS, ()), page, LOGIN, ())
        return [trial for trial in found if trial.actions[0].act == "click"]

    (like,) = tried("/note/1/like", "+1")
    assert like.after == LOGIN and [step.actions for step in like.then] == [like.actions]
    assert not tried("/note/1/delete", "x")


def test_accounts_answer_the_challenge_that_their_login_address_makes() -> None:
    accounts = [Account(label=name, login_url=f"/{name}/", user=name.title()) for name in ("staff", "guest", "ann")]
    looked = {one.requested: one for one in (state("/staff/", status=401), state("/ann/"))}
    right, wrong = answers_to_challenges(accounts, SITE + "/", looked)
    assert (right.identity, right.actions[0].value) == ("staff", "Staff:{{password:staff}}")
    assert (wrong.variant, wrong.identity) == ("failing", "") and "{{" not in wrong.actions[0].value
    assert right.judgement.safety == "account" and answers_challenge(right) and answers_challenge(wrong)
    assert logins_in([wrong, right]) == {"staff": right} and not answers_challenge(LOGIN)
