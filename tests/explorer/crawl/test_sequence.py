from artifacts.evidence import Actionable
from explorer.crawl.safety import Judgement
from explorer.crawl.sequence import Course, effect_pages, has_logged_in, leaving, next_in_sequence
from explorer.crawl.trial import Shown, Trial
from explorer.crawl.urls import Templates
from explorer.crawl.words import Words

WORDS = Words("lantern", "harbour", "quiet lantern")
SHOP = "http://shop.example"


def item(**given: object) -> Actionable:
    defaults: dict[str, object] = {"selector": "#x", "role": "button", "name": "x", "tag": "button"}
    return Actionable.model_validate(defaults | given)


def test_logging_out_is_no_step_on_the_way_but_the_last_one() -> None:
    form = {"form": "#o", "form_method": "post", "form_action": "/session/end"}
    page = Shown(SHOP + "/me/", "t", (item(selector="#out", name="Log out", input_type="submit", **form),))
    assert next_in_sequence(page, set(), WORDS, ("session", "account")) is None
    last = leaving(page, ("account",))
    assert last and last.actions[0].selector == "#out" and leaving(page, ("session",)) is None


def test_effects_are_looked_for_on_new_and_own_pages() -> None:
    link = {"tag": "a", "role": "link"}
    before = Shown(
        SHOP + "/p", "t", (item(name="Basket (0)", href="/basket/", **link), item(name="Home", href="/", **link))
    )
    after = Shown(SHOP + "/p", "t", (item(name="Basket (1)", href="/basket/", **link), item(name="Home", href="/", **link),
                                    item(name="Log out", href="/logout", **link)))  # fmt: skip
    assert effect_pages(before, after, SHOP + "/p") == [SHOP + "/basket/"]


def test_a_sequence_changes_before_it_removes() -> None:
    update = {"form": "#u", "form_method": "post", "form_action": "/basket/update"}
    remove = {"form": "#r", "form_method": "post", "form_action": "/basket/remove/9"}
    page = Shown(SHOP + "/basket/", "t", (
        item(selector="#rm", name="Remove from basket", input_type="submit", **remove),
        item(selector="#qty", tag="input", role="spinbutton", input_type="number", field_name="qty-1", value="1", **update),
        item(selector="#up", name="Update basket", input_type="submit", **update),
    ))  # fmt: skip
    first = next_in_sequence(page, set(), WORDS, ("session",))
    assert first and first.actions[0].selector == "#qty"
    second = next_in_sequence(page, {f"{first.behaviour} other"}, WORDS, ("session",))
    assert second and second.actions[0].selector in ("#rm", "#up")
    assert next_in_sequence(page, set(), WORDS, ()) is None


def line(name: str) -> tuple[Actionable, ...]:
    """One row of a basket: an amount with its button, and a button that takes it out."""
    update = {"form": f"#u-{name}", "form_method": "post", "form_action": "/basket/update"}
    remove = {"form": f"#r-{name}", "form_method": "post", "form_action": "/basket/remove"}
    limits = {"min": "1", "max": "9"}
    return (
        item(selector=f"#q-{name}", tag="input", role="spinbutton", input_type="number", field_name="qty", value="4",
             attributes=limits, **update),
        item(selector=f"#up-{name}", name=f"Update {name}", input_type="submit", **update),
        item(selector=f"#rm-{name}", name=f"Remove {name}", input_type="submit", **remove),
    )  # fmt: skip


def add(page: str, *then: Trial) -> Trial:
    return Trial("add", "ordinary", page, Judgement("session", ""), SHOP + page, (), True, then=then)


def walked(course: Course, start: Trial, basket: Shown, most: int) -> list[str]:
    """What is done: the page gone to, or the last action of a step."""
    course.did(start)
    course.begin(Shown(start.page, "t", ()), basket)
    here, done = basket, []
    for _ in range(most):
        step = course.next(here)
        if step is None:
            break
        course.did(step)
        go = step.actions[0] if step.actions and step.actions[0].act == "goto" else None
        value = "".join(action.value for action in step.actions)
        done.append(
            go.url.removeprefix(SHOP)
            if go
            else f"{step.actions[-1].selector} {value}".strip()
            if step.actions
            else "add"
        )
        here = Shown(go.url, "t", ()) if go else basket
    return done


def test_two_rows_are_made_then_one_changed_one_taken_out_and_values_tried() -> None:
    basket = Shown(SHOP + "/basket/", "t", (*line("oak"), *line("elm")))
    start = add("/oak/", add("/elm/"), add("/oak/"))
    course = Course(start, Templates([]), WORDS, ("session",))
    done = walked(course, start, basket, 12)
    assert done[:6] == ["/elm/", "add", "/oak/", "add", "#up-oak 3", "#rm-oak"]
    assert done[6:] == ["#up-oak 2", "#up-oak 1", "#up-oak 9", "#up-oak 10", "#up-oak 0", "#up-oak"]


def test_without_a_script_what_is_shown_is_changed_and_the_start_seen_again() -> None:
    basket = Shown(SHOP + "/basket/", "t", line("oak"))
    start = add("/oak/")
    done = walked(Course(start, Templates([]), WORDS, ("session",)), start, basket, 12)
    assert done == ["#up-oak 3", "#rm-oak", "#up-oak", "/oak/"]


def test_forms_of_the_frame_and_of_who_acts_are_no_part_of_what_an_action_did() -> None:
    def form(name: str, *fields: str) -> tuple[Actionable, ...]:
        common = {"form": f"#{name}", "form_method": "post", "form_action": f"/{name}"}
        entries = [item(selector=f"#{one}", tag="input", input_type=one, field_name=one, **common) for one in fields]
        return (*entries, item(selector=f"#{name}-go", name=name, input_type="submit", **common))

    language, joining = form("language"), form("join", "text", "email", "password")
    start = add("/oak/")
    before, basket = Shown(start.page, "t", language), (*language, *joining, *line("oak"))
    course = Course(start, Templates([]), WORDS, ("session", "account"))
    course.did(start)
    course.begin(before, Shown(SHOP + "/basket/", "t", basket))
    done = []
    for _ in range(5):
        if (step := course.next(Shown(SHOP + "/basket/", "t", basket))) is None:
            break
        course.did(step)
        done.append(step.actions[-1].selector)
    assert "#rm-oak" in done and not {"#language-go", "#join-go"} & set(done)


def test_what_is_folded_away_beside_what_was_made_is_opened_and_used() -> None:
    def basket(*, unfolded: bool) -> Shown:
        common = {"form": "#v", "form_method": "post", "form_action": "/voucher", "visible": unfolded}
        link = item(selector="#fold", tag="a", role="link", name="I have a code", href="#code")
        code = item(selector="#code", tag="input", role="textbox", input_type="text", field_name="code", **common)
        return Shown(SHOP + "/basket/", "t", (link, code, item(selector="#use", input_type="submit", **common)))

    start = add("/oak/")
    course = Course(start, Templates([]), WORDS, ("session",))
    course.did(start)
    course.begin(Shown(start.page, "t", ()), basket(unfolded=False))
    first = course.next(basket(unfolded=False))
    assert first and first.actions[0].selector == "#fold" and first.judgement.safety == "read"
    course.did(first)
    second = course.next(basket(unfolded=True))
    assert second and second.actions[-1].selector == "#use"


def test_logging_in_is_believed_where_one_can_log_out_or_is_asked_no_more() -> None:
    out = Shown(SHOP + "/", "t", (item(name="Log out"),))
    asking = Shown(SHOP + "/login", "t", (item(tag="input", input_type="password"),))
    plain = Shown(SHOP + "/", "t", ())
    here, elsewhere = SHOP + "/?again=1", SHOP + "/login"
    assert has_logged_in(out, 200, (), here) and has_logged_in(plain, 200, ("cookie.sid",), here)
    assert not has_logged_in(asking, 200, ("cookie.sid",), SHOP + "/")
    assert not has_logged_in(plain, 200, (), here) and not has_logged_in(plain, 403, ("cookie.sid",), here)
    # A session that began before the login shows nothing new: that it leads away from the login page does.
    assert has_logged_in(plain, 200, (), elsewhere) and not has_logged_in(plain, 403, (), elsewhere)


def test_a_login_ends_by_logging_out_wherever_that_was_offered() -> None:
    form = {"form": "#o", "form_method": "post", "form_action": "/members/sign-out"}
    desk = Shown(SHOP + "/desk", "t", (item(selector="#bye", name="That is all", input_type="submit", **form),))
    asking = Shown(SHOP + "/login", "t", ())
    login = Trial("login form", "ordinary", "ada", Judgement("account", ""), SHOP + "/login", (), True)
    course = Course(login, Templates([]), WORDS, ("account",))
    course.did(login)
    course.begin(asking, desk)
    steps, here = [], desk
    while (step := course.next(here)) is not None and len(steps) < 6:
        course.did(step)
        here = {"/login": asking, "/desk": desk}.get(step.page.removeprefix(SHOP), asking)
        steps.append((step.behaviour.split(" ")[0], step.page.removeprefix(SHOP)))
    assert steps == [("look", "/login"), ("look", "/desk"), ("log", "/desk")]


def members(course_of: Trial, before: Shown, after: Shown) -> Trial | None:
    """What an account does after the first step of a trial led from one page to another."""
    course = Course(course_of, Templates([]), WORDS, ("session", "write"))
    course.did(course_of)
    course.begin(before, after)
    return course.next(after)


def removal(number: int) -> Actionable:
    form = {"form": f"#d{number}", "form_method": "post", "form_action": f"/note/{number}/delete"}
    return item(selector=f"#d{number}", name="Delete", input_type="submit", **form)


def test_of_what_an_account_has_only_what_it_just_made_is_changed() -> None:
    login = Trial("login", "ordinary", SHOP + "/login", Judgement("account", ""), SHOP + "/login", (), identity="user")
    write = Trial("write", "ordinary", "", Judgement("write", ""), SHOP + "/new", (), True, after=login)
    before = Shown(SHOP + "/notes", "t", (removal(1),), identity="user")
    after = Shown(SHOP + "/notes", "t", (removal(1), removal(2)), identity="user")
    first = members(write, before, after)
    assert first and first.actions[0].selector == "#d2"
    alone = members(write, before, before)
    assert alone is None or alone.actions[0].act == "goto"
    after_login = members(login, Shown(SHOP + "/login", "t", ()), after)
    assert after_login is None or after_login.actions[0].act == "goto"
