import pytest

from artifacts.evidence import Action
from explorer.lens.act import ActionFailed, carry_out, perform

pytestmark = pytest.mark.browser

FORM = """<!doctype html><body>
<form id=f onsubmit="event.preventDefault(); done.textContent = 'sent ' + new URLSearchParams(new FormData(this))">
<input name=q value=old><input name=pw type=password><select name=o><option value=1>One<option value=2>Two</select>
<label><input type=checkbox name=c style="opacity:0;position:absolute;left:-999px;display:none"> Hidden box</label>
<input type=checkbox name=d checked><button name=go>Send</button></form>
<p id=done></p><button id=covered onclick="done.textContent='clicked'">Under</button>
<p onmouseenter="done.textContent='hovered'" id=h>hover</p>"""


@pytest.fixture
def page(context, pages):
    pages["/"] = FORM
    pages["/other"] = "<p>other</p>"
    page = context.new_page()
    page.goto(pages.origin)
    return page


def act(act, selector="", value="", **more):
    return Action(act=act, selector=selector, value=value, **more)


def test_a_form_is_filled_and_sent(page):
    perform(page, act("fill", "[name=q]", "new"))
    perform(page, act("fill", "[name=pw]", "{{password:user}}"), secrets={"user": "s3cret"})
    perform(page, act("select", "[name=o]", "2"))
    perform(page, act("check", "[name=c]"))
    perform(page, act("uncheck", "[name=d]"))
    perform(page, act("submit", "[name=q]"))
    assert page.inner_text("#done") == "sent q=new&pw=s3cret&o=2&c=on"


def test_press_click_hover_and_goto(page, pages):
    perform(page, act("press", "[name=q]", "Enter"))
    assert page.inner_text("#done").startswith("sent q=old")
    perform(page, act("hover", "#h"))
    assert page.inner_text("#done") == "hovered"
    perform(page, act("click", "#covered"))
    assert page.inner_text("#done") == "clicked"
    perform(page, act("goto", url=f"{pages.origin}/other"))
    assert page.url.endswith("/other")


def test_role_and_name_find_what_the_selector_no_longer_does(page):
    perform(page, act("click", "#renamed", role="button", name="Under"))
    assert page.inner_text("#done") == "clicked"


def test_what_cannot_be_done_says_why(page):
    with pytest.raises(ActionFailed, match="no password for the account 'admin'"):
        perform(page, act("fill", "[name=pw]", "{{password:admin}}"), secrets={"user": "x"})
    with pytest.raises(ActionFailed, match="click #nowhere"):
        perform(page, act("click", "#nowhere"))
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<div style=\"position:fixed;inset:0\"></div>')")
    with pytest.raises(ActionFailed, match="intercepts pointer events"):
        perform(page, act("click", "#covered"))
    assert page.inner_text("#done") == ""


TAKEN_OVER = """<!doctype html><body><div id=box><input id=plain role=searchbox aria-label="Search the wiki"></div>
<p id=done></p><script>
plain.addEventListener("input", () => setTimeout(() => {
  const value = plain.value;
  box.innerHTML = "<input id=grand role=searchbox aria-label='Search the wiki'>";
  grand.value = value;
  grand.addEventListener("keydown", event => { if (event.key === "Enter") done.textContent = "sought " + grand.value; });
}, 150));
</script>"""


def test_a_field_that_a_script_takes_over_is_found_again(context, pages):
    pages["/"] = TAKEN_OVER
    page = context.new_page()
    page.goto(pages.origin)
    field = {"role": "searchbox", "name": "Search the wiki"}
    carry_out(page, [act("fill", "#plain", "mirrors", **field), act("press", "#plain", "Enter", **field)])
    assert page.inner_text("#done") == "sought mirrors"


def test_what_one_action_causes_is_over_before_the_next(context, pages):
    pages["/"] = """<!doctype html><body><input id=q><ul id=list></ul><p id=done></p><script>
    q.addEventListener("input", () => setTimeout(() => { list.innerHTML = "<li>one</li>"; }, 120));
    q.addEventListener("keydown", event => { done.textContent = event.key + " " + list.children.length; });
    </script>"""
    page = context.new_page()
    page.goto(pages.origin)
    carry_out(page, [act("fill", "#q", "o"), act("press", "#q", "Enter")])
    assert page.inner_text("#done") == "Enter 1"


def test_a_name_and_password_are_told_to_a_site_that_asks_and_do_not_stay_in_the_address(page, pages):
    def club():
        return 200, "text/html", b"<p>club"

    pages["/club"] = club
    perform(page, act("goto", url=pages.origin + "/club", value="ada:{{password:user}}"), secrets={"user": "p@ss"})
    assert page.url == pages.origin + "/club" and page.inner_text("p") == "club"
    with pytest.raises(ActionFailed) as failed:
        perform(page, act("goto", url="http://127.0.0.1:9/", value="ada:{{password:user}}"), secrets={"user": "p@ss"})
    assert "ada" not in failed.value.what and "ss" not in failed.value.what.replace("//", "").split("http")[-1]
