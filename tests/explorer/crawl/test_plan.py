from artifacts.evidence import Actionable
from artifacts.run import Account
from explorer.crawl.plan import allowed, trials
from explorer.crawl.trial import Shown, Trial
from explorer.crawl.urls import Templates
from explorer.crawl.words import NOWHERE, Words

WORDS = Words("lantern", "harbour", "quiet lantern")
SHOP = "http://shop.example"


def item(**given: object) -> Actionable:
    defaults: dict[str, object] = {"selector": "#x", "role": "button", "name": "x", "tag": "button"}
    return Actionable.model_validate(defaults | given)


def search_form(method: str = "get") -> tuple[Actionable, ...]:
    common = {"form": "#s", "form_method": method, "form_action": "/search/"}
    return (
        item(
            selector="#q", role="searchbox", name="Search", tag="input", input_type="search", field_name="q", **common
        ),
        item(selector="#go", name="Search", input_type="submit", **common),
    )


def cart_form(number: int = 5) -> tuple[Actionable, ...]:
    common = {"form": "#add", "form_method": "post", "form_action": f"/basket/add/{number}/"}
    return (
        item(
            selector="#n",
            role="spinbutton",
            tag="input",
            input_type="number",
            field_name="quantity",
            value="1",
            **common,
        ),
        item(selector="#add-b", name="Add to basket", input_type="submit", **common),
    )


def planned(items: tuple[Actionable, ...], accounts: tuple[Account, ...] = (), path: str = "/") -> list[Trial]:
    page = Shown(SHOP + path, "t", items)
    return list(trials(page, Templates([SHOP + path, SHOP + "/search/", SHOP + "/basket/add/5/"]), WORDS, accounts))


def test_a_search_form_is_tried_with_words_that_find_and_words_that_do_not() -> None:
    found = [trial for trial in planned(search_form()) if trial.behaviour.startswith("search")]
    typed = {(trial.variant, trial.actions[0].value) for trial in found}
    assert {("ordinary", "lantern"), ("other", "harbour"), ("other", "quiet lantern"), ("failing", NOWHERE)} <= typed
    assert {(trial.actions[-1].act, trial.actions[-1].selector) for trial in found} == {
        ("press", "#q"),
        ("click", "#go"),
    }
    assert {trial.judgement.safety for trial in found} == {"read"}


def test_where_no_word_names_a_thing_letters_are_searched_for() -> None:
    page = Shown(SHOP + "/", "t", search_form())
    found = trials(page, Templates([SHOP + "/"]), Words("finder", "shop", "shop finder", False), ())
    typed = [(trial.variant, trial.actions[0].value) for trial in found if trial.behaviour.startswith("search")]
    assert typed == [("ordinary", "a"), ("failing", NOWHERE), ("other", "e"), ("other", "finder"), ("failing", "")]


def test_a_field_of_no_form_is_typed_into_with_what_finds_something_and_what_does_not() -> None:
    def typed(words: Words, **more: object) -> list[tuple[str, str]]:
        field = item(selector="#w", role="combobox", name="Where to", tag="input", input_type="text", **more)
        page = Shown(SHOP + "/", "t", (field,))
        return [(one.variant, one.actions[0].value) for one in trials(page, Templates([SHOP + "/"]), words, ())]

    assert typed(WORDS) == [("ordinary", "lantern"), ("failing", NOWHERE), ("other", "harbour")]
    unnamed = Words("finder", "station", "station finder", False)
    assert typed(unnamed) == [("ordinary", "a"), ("failing", NOWHERE), ("other", "e")]
    mail = [("ordinary", "visitor@example.com"), ("other", "visitor2@example.com")]
    assert typed(unnamed, field_name="email") == mail


def test_a_posted_cart_form_is_session_business_and_is_followed_up() -> None:
    everything = planned(cart_form())
    assert {trial.judgement.safety for trial in everything} == {"session"}
    found = [trial for trial in everything if not trial.contrast]
    assert [trial.variant for trial in found] == ["ordinary", "other", "failing"]
    assert found[0].probes and not allowed(found[0], ()) and allowed(found[0], ("session",))
    assert found[1].actions[0].value == "3"


def test_login_needs_an_account_of_this_page() -> None:
    common = {"form": "#l", "form_method": "post", "form_action": "/login", "tag": "input"}
    form = (
        item(selector="#u", role="textbox", input_type="text", field_name="user", **common),
        item(selector="#p", role="textbox", input_type="password", field_name="password", **common),
    )
    account = Account(label="user", login_url="/login", user="ada", password="secret")
    assert [trial.variant for trial in planned(form, path="/login")] == ["failing"]
    found = planned(form, (account,), path="/login")
    assert found[0].actions[0].value == "ada" and found[0].actions[1].value == "{{password:user}}"
    assert {trial.variant for trial in found[1:]} == {"failing"}
    assert "secret" not in repr(found)


def login_page(url: str, landed: str = "") -> list[tuple[str, str, tuple[str, ...]]]:
    """Variant, contrast if it is one, and what is typed, of each trial of a login form with one account."""
    common = {"form": "#l", "form_method": "post", "form_action": "/login", "tag": "input"}
    form = (
        item(selector="#u", role="textbox", input_type="text", field_name="user", **common),
        item(selector="#p", role="textbox", input_type="password", field_name="password", **common),
    )
    account = Account(label="user", login_url="/login", user="ada", password="secret")
    page = Shown(SHOP + url, "t", form, SHOP + (landed or url))
    found = trials(page, Templates([]), WORDS, (account,))
    return [(t.variant, t.instance if t.contrast else "", tuple(a.value for a in t.actions[:2])) for t in found]


def test_login_is_tried_right_and_with_each_thing_wrong_alone() -> None:
    assert login_page("/login") == [
        ("ordinary", "", ("ada", "{{password:user}}")),
        ("failing", "", ("ada", "not-the-password")),
        ("failing", "", ("nobody", "not-the-password")),
        ("failing", "", ("", "")),
        ("failing", "password empty", ("ada", "")),
        ("failing", "user empty", ("", "not-the-password")),
    ]


def test_who_is_sent_to_log_in_from_a_closed_page_is_sent_back() -> None:
    way = [("other", "on the way to another page", ("ada", "{{password:user}}"))]
    assert login_page("/me/", "/login?next=/me/") == login_page("/login?next=/me/") == way
    assert login_page("/login", "/login?next=/")[0][0] == "ordinary", "it may always say where to go next"


def test_a_login_that_a_script_sends_is_a_login_too() -> None:
    common = {"form": "#l", "form_method": "get", "tag": "input"}
    form = (
        item(selector="#u", role="textbox", input_type="text", field_name="user", **common),
        item(selector="#p", role="textbox", input_type="password", field_name="password", **common),
    )
    account = Account(label="user", login_url="/login", user="ada", password="secret")
    found = planned(form, (account,), path="/login")
    assert found[0].actions[1].value == "{{password:user}}" and {trial.judgement.safety for trial in found} == {
        "account"
    }


def test_links_are_followed_once_a_target_template_and_not_as_buttons() -> None:
    found = planned((item(tag="a", role="link", name="Next", href="/search/?page=2", attributes={"rel": "next"}),))
    assert [trial.behaviour for trial in found] == ["follow next to shop.example/search/?page"]
    assert planned((item(tag="a", role="link", name="Mail", href="mailto:a@example.com"),)) == []


def test_links_to_other_sites_and_to_the_page_itself_are_left_alone() -> None:
    link = {"tag": "a", "role": "link"}
    assert (
        planned((item(name="Help", href="http://other.example/help", **link), item(name="Here", href="/", **link)))
        == []
    )


def test_a_form_that_is_filled_in_already_is_sent_as_it_stands_too() -> None:
    box, button = search_form()
    given = planned((box.replaced(value="1"), button))
    first = next(trial for trial in given if trial.behaviour.startswith("search"))
    assert (first.instance, [action.act for action in first.actions]) == ("1", ["click"])


def test_a_form_of_choices_alone_is_sent_too() -> None:
    common = {"form": "#f", "form_method": "get", "form_action": "/filter/"}
    box = item(selector="#c", tag="input", input_type="checkbox", role="checkbox", field_name="new", **common)
    given = planned((box, item(selector="#go", name="Apply", input_type="submit", **common)))
    assert [trial.behaviour for trial in given if trial.behaviour.startswith("send form get")]


def test_controls_outside_forms_are_tried_by_their_role() -> None:
    loud = item(selector="#l", role="slider", tag="input", input_type="range", name="Loud", attributes={"max": "9"})
    warm = item(selector="#w", role="slider", tag="div", name="Warm")
    note = item(selector="#n", role="textbox", tag="div", name="Note", attributes={"contenteditable": "true"})
    pick = item(
        selector="#f", role="textbox", tag="input", input_type="file", name="Pick", attributes={"accept": ".csv"}
    )
    keys = item(selector="kbd", role="generic", tag="kbd", name="Ctrl K")
    menu = item(selector="#m", role="link", tag="a", name="Goods", href="/goods", attributes={"submenu": "hidden"})
    found = {
        trial.behaviour: trial for trial in planned((loud, warm, note, pick, keys, menu)) if trial.variant == "ordinary"
    }
    did = {name: (trial.actions[0].act, trial.actions[0].value) for name, trial in found.items()}
    assert did == {
        "set Loud": ("fill", "9"),
        "slide Warm": ("press", "ArrowRight"),
        "edit Note": ("fill", WORDS.pair),
        "choose a file for Pick": ("upload", "sample.csv"),
        "press Control+k": ("press", "Control+k"),
        "follow link to shop.example/goods": ("click", ""),
        "hover over link": ("hover", ""),
    }
    assert {trial.judgement.safety for trial in found.values()} == {"read"}


def test_things_that_can_be_dragged_are_dragged_to_the_last_of_their_kind() -> None:
    cards = tuple(
        item(selector=f"#c{n}", tag="li", role="listitem", attributes={"draggable": "true"}) for n in range(3)
    )
    drags = [trial for trial in planned(cards) if trial.actions[0].act == "drag"]
    assert [(trial.actions[0].selector, trial.actions[0].value) for trial in drags] == [("#c0", "#c2"), ("#c1", "#c2")]


def test_a_form_with_a_file_is_posting_and_its_boxes_are_ticked_where_it_only_reads() -> None:
    sent = {"form": "#f", "form_method": "post", "form_action": "/up"}
    file = item(selector="#u", role="textbox", tag="input", input_type="file", field_name="doc", **sent)
    button = item(selector="#b", input_type="submit", **sent)
    (other,) = [trial for trial in planned((file, button)) if trial.variant == "other"]
    assert (other.judgement.safety, other.actions[0].act) == ("write", "upload")
    read = {"form": "#g", "form_method": "get", "form_action": "/list"}
    box = item(selector="#r", role="checkbox", tag="input", input_type="checkbox", field_name="only", **read)
    ticks = [
        trial
        for trial in planned((box, item(selector="#go", input_type="submit", **read)))
        if "tick" in trial.behaviour
    ]
    assert [[action.act for action in trial.actions] for trial in ticks] == [["check", "click"]]


def test_a_form_that_asks_for_more_than_a_name_and_a_password_is_a_registration() -> None:
    common = {"form": "#r", "form_method": "post", "form_action": "", "tag": "input", "role": "textbox"}
    form = (
        item(selector="#u", input_type="text", field_name="name", **common),
        item(selector="#m", input_type="email", field_name="mail", **common),
        item(selector="#p", input_type="password", field_name="secret", **common),
    )
    joining = planned(form, path="/join")
    assert {trial.behaviour for trial in joining} == {"send form post /join name,mail,secret"}
    assert {"ordinary", "other", "failing"} <= {trial.variant for trial in joining}
    account = Account(label="user", login_url="/in", user="ada", password="secret")
    assert all(trial.behaviour.startswith("login ") for trial in planned(form, (account,), path="/in"))


def test_forms_that_do_different_things_to_the_same_kind_of_thing_are_told_apart() -> None:
    def name(action: str) -> str:
        common = {"form": "#f", "form_method": "post", "form_action": action}
        text = item(selector="#t", role="textbox", tag="textarea", field_name="text", **common)
        return planned((text, item(selector="#go", name="Go", input_type="submit", **common)))[0].behaviour

    assert name("/note/12/update/") == name("/note/7/update/") != name("/note/7/reply/")


def test_a_link_that_orders_a_change_is_a_deed_and_not_a_way() -> None:
    def links(href: str, name: str) -> list[Trial]:
        return planned((item(selector="#a", role="link", tag="a", name=name, href=href),))

    (like,) = [trial for trial in links("/note/12/like/", "") if trial.actions[0].act == "click"]
    assert (like.behaviour, like.judgement.safety, like.probes) == ("press link /note/*/like/", "write", True)
    behaviours = {trial.behaviour for href in ("/note/12/delete/", "/note/12/") for trial in links(href, "")}
    assert not any(one.startswith("press") for one in behaviours)
