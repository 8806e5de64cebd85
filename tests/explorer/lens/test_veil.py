import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PIL import Image

from artifacts.run import Lens
from explorer.lens.look import look
from explorer.lens.pictures import take_pictures
from explorer.lens.veil import spread, veil, veiled_run
from explorer.lens.world import World
from explorer.redact.redactor import Redactor

LENS = Lens(width=800, height=600, clock="2026-03-04T05:06:07+00:00", seed=7)
PERSON, OTHER = "marta.kowalczyk@corp-mail.com", "li@labs-mail.org"
REDACT = Redactor(key=b"k" * 32).redact_text
SHOWN, OTHER_SHOWN = REDACT(PERSON), REDACT(OTHER)
WATCHING = """<script>var seen = []; new MutationObserver(records => seen.push(...records.map(r => r.type)))
  .observe(document, {subtree: true, childList: true, attributes: true, characterData: true});</script>"""


def opened(context, pages, body):
    pages["/"] = body
    page = context.new_page()
    page.goto(pages.origin, wait_until="commit")
    return page


def hidden(context, pages, body):
    """The page as it is looked at with e-mail addresses hidden, and the page itself."""
    page = opened(context, pages, body)
    return look(page, LENS, hide=REDACT), page


def same_pixels(one, other):
    first, second = (Image.open(io.BytesIO(data)).convert("RGB") for data in (one, other))
    return first.size == second.size and first.tobytes() == second.tobytes()


EVERYWHERE = {
    "text": "<p>Write to ADDRESS, or call.</p>",
    "two in a text": "<p>(ADDRESS),OTHER</p>",
    "a link": "<p><a href='mailto:ADDRESS?subject=x'>ADDRESS</a></p>",
    "beside other elements": "<p>by <b>ADDRESS</b><i>Next</i> and OTHER</p>",
    "a title": "<title>ADDRESS</title><p>x",
    "a table": "<table><tr><td>ADDRESS<td>OTHER<tr><td>1<td>2</table>",
    "attributes": "<img alt='ADDRESS' src=/none width=400><button title='ADDRESS' aria-label='To ADDRESS'>x</button>",
    "a field": "<input size=50 value='ADDRESS'><input type=email value='OTHER'><input type=button value='ADDRESS'>",
    "a placeholder": "<input size=50 placeholder='ADDRESS'>",
    "a text field": "<textarea cols=60>To: ADDRESS</textarea>",
    "a choice": "<select><option>ADDRESS<option>OTHER</select>",
    "a frame": "<iframe width=500 srcdoc='<p>ADDRESS</p><input value=ADDRESS>'></iframe>",
    "a shadow root": "<x-y><template shadowrootmode=open><p>ADDRESS <b>OTHER</b></p></template></x-y>",
    "a shadow root in a frame": "<iframe width=500 srcdoc='<x-y><template shadowrootmode=open>ADDRESS</template></x-y>'></iframe>",
    "a drawing": "<svg width=500 height=50><text y=20>ADDRESS</text></svg>",
    "from right to left": "<div dir=rtl>שלחו אל ADDRESS היום</div><p><bdo dir=rtl>ADDRESS</bdo></p>",
    "capitals": "<p style='text-transform:uppercase'>ADDRESS</p>",
    "a narrow column": "<p style='width:150px;font-size:30px;word-break:break-word'>See ADDRESS and OTHER for more of it</p>",
    "a page that scrolls": "<div style='height:900px'>top</div><p>ADDRESS</p>",
    "a form with treacherous names": "<form title='ADDRESS'><input name=parentNode><input name=title><input name=data>ADDRESS</form>",
    "a style sheet's doing": "<style>a::after{content:' <' attr(data-mail) '>'}</style><a data-mail='ADDRESS'>Marta</a><i data-mail='x@y'>",
    "beside a script": "<p>Ask <script>0</script>ADDRESS<style>i{}</style></p>",
}


@pytest.mark.browser
@pytest.mark.parametrize("name", EVERYWHERE)
def test_a_page_is_taken_as_if_it_held_the_stand_ins(context, pages, name):
    body = "<!doctype html><body>" + EVERYWHERE[name]
    seen, page = hidden(context, pages, body.replace("ADDRESS", PERSON).replace("OTHER", OTHER))
    page.close()
    mirror = look(opened(context, pages, body.replace("ADDRESS", SHOWN).replace("OTHER", OTHER_SHOWN)), LENS)
    assert SHOWN in body.replace("ADDRESS", SHOWN)
    assert same_pixels(seen.full_page, mirror.full_page) and same_pixels(seen.screenshot, mirror.screenshot)
    assert (seen.text, seen.title, seen.dom, seen.axtree) == (mirror.text, mirror.title, mirror.dom, mirror.axtree)
    assert (seen.actionables, seen.fingerprint) == (mirror.actionables, mirror.fingerprint)
    assert PERSON not in seen.dom.decode() + seen.text + str(seen.axtree) + str(seen.actionables)


@pytest.mark.browser
def test_the_page_has_its_own_texts_again_afterwards(context, pages):
    body = f"""<title>{PERSON}</title><p title="{PERSON}">one {PERSON} two {OTHER}</p><input id=i value="{PERSON}">
    <input id=typed><input id=p type=password value="{PERSON}"><textarea id=t>{PERSON}</textarea><iframe srcdoc="{PERSON}"></iframe>
    <script>typed.value = "{OTHER}"; typed.setSelectionRange(3, 5)</script>"""
    page = opened(context, pages, body)
    look(page, LENS)
    held = "document.documentElement.outerHTML + frames[0].document.body.outerHTML"
    before = page.evaluate(held)
    seen = look(page, LENS, hide=REDACT)
    assert SHOWN in seen.text and PERSON not in seen.text
    assert page.evaluate(held) == before
    assert page.evaluate("[i.value, typed.value, p.value, t.value]") == [PERSON, OTHER, PERSON, PERSON]
    assert page.evaluate("[typed.selectionStart, typed.selectionEnd]") == [3, 5]
    page.evaluate("i.setAttribute('value', 'later')")
    assert page.evaluate("i.value") == "later", "a field nobody has touched still shows its default"


@pytest.mark.browser
def test_what_is_typed_into_a_field_is_what_the_form_sends(context, pages):
    page = opened(context, pages, "<form action=/sent><input name=to><button>Send</button></form>")
    pages["/sent"] = "<p>thanks"
    page.fill("input", PERSON)
    assert SHOWN in look(page, LENS, hide=REDACT).dom.decode()
    page.click("button")
    page.wait_for_url("**/sent*")
    assert pages.asked[-1] == "/sent?to=marta.kowalczyk%40corp-mail.com"


@pytest.mark.browser
@pytest.mark.parametrize(
    "made",
    [
        "p.append('marta', '.kowalczyk', '@corp-mail.com')",
        "p.innerHTML = 'marta.kowalczyk<!-- -->@corp-mail.com'",
        "p.innerHTML = '<b>marta.kowalczyk</b>@<wbr>corp-mail.com'",
    ],
)
def test_an_address_split_between_texts_is_read_as_one(context, pages, made):
    seen, page = hidden(context, pages, f"<p id=p></p><script>{made}</script>")
    assert seen.text == SHOWN
    assert "kowalczyk" not in seen.dom.decode().partition("<script>")[0]
    assert page.evaluate("p.textContent") == PERSON


@pytest.mark.browser
def test_texts_in_different_blocks_are_no_address(context, pages):
    body = "<table><tr><td>marta<td>@corp-mail.com</table><p>marta<div>@corp-mail.com</div></p><p>marta<br>@corp-mail.com</p>"
    assert "marta" in hidden(context, pages, body)[0].text
    assert "invalid" not in hidden(context, pages, body)[0].text


@pytest.mark.browser
def test_the_kind_of_a_field_tells_what_it_holds(context, pages):
    seen, _ = hidden(context, pages, "<input type=tel value='+48 601 337 942'><input value='+48 601 337 942'><p>x</p>")
    assert '<input type="tel" value="+00 0' in seen.dom.decode()


@pytest.mark.browser
def test_a_page_without_anything_to_hide_is_not_touched(context, pages):
    page = opened(context, pages, f"<p>info@corp-mail.com</p><input value=x>{WATCHING}")
    look(page, LENS, hide=REDACT)
    assert page.evaluate("seen") == []


@pytest.mark.browser
def test_the_page_notices_each_text_change_and_change_back_once(context, pages):
    page = opened(context, pages, f"<p>{PERSON}</p><p>{OTHER}</p>{WATCHING}")
    seen = look(page, LENS, hide=REDACT)
    assert seen.notes == ()
    assert page.evaluate("seen") == ["characterData"] * 4


@pytest.mark.browser
def test_a_page_that_insists_on_its_text_does_not_hang_the_look_and_is_noted(context, pages):
    body = f"""<p id=p>{PERSON}</p><script>new MutationObserver(() => {{ if (p.textContent !== "{PERSON}") p.textContent = "{PERSON}" }})
    .observe(p, {{childList: true, characterData: true, subtree: true}})</script>"""
    assert "shows again what was hidden" in hidden(context, pages, body)[0].notes


@pytest.mark.browser
def test_what_comes_after_the_first_stroke_is_hidden_too(context, pages):
    body = f"""<p id=p>{PERSON}</p><p id=q></p><script>new MutationObserver(() => {{ q.textContent = "{OTHER}" }})
    .observe(p, {{characterData: true, subtree: true}})</script>"""
    seen, _ = hidden(context, pages, body)
    assert seen.text.split() == [SHOWN, OTHER_SHOWN] and seen.notes == ()


@pytest.mark.browser
def test_what_comes_while_the_picture_is_taken_is_hidden_too(context, pages, monkeypatch):
    page = opened(context, pages, "<p id=p>none yet</p>")
    taken = []

    def take(world, lens):
        taken.append(take_pictures(world, lens))
        page.evaluate(f"p.textContent === 'none yet' && (p.textContent = '{PERSON}')")
        return taken[-1]

    monkeypatch.setattr("explorer.lens.look.take_pictures", take)
    assert SHOWN in look(page, LENS, hide=REDACT).dom.decode()
    assert len(taken) == 2 and taken[0].screenshot != taken[1].screenshot


@pytest.mark.browser
def test_two_looks_at_a_page_agree(context, pages):
    page = opened(context, pages, f"<p>Write to {PERSON}</p><input value={OTHER}>")
    one, two = (look(page, LENS, hide=REDACT) for _ in range(2))
    assert one._replace(settled_after_ms=0) == two._replace(settled_after_ms=0)


@pytest.mark.browser
def test_what_the_page_writes_meanwhile_stays(context, pages):
    page = opened(context, pages, f"<p id=p>{PERSON}</p><p id=q>{PERSON}</p>")
    with veil(World(page), REDACT) as over:
        assert over.draw() is True
        assert page.evaluate("[p.textContent, q.textContent]") == [SHOWN, SHOWN]
        assert over.draw() is False
        page.evaluate("p.textContent = 'new'")
    assert page.evaluate("[p.textContent, q.textContent]") == ["new", PERSON]


@pytest.mark.browser
def test_no_selector_names_a_person(context, pages):
    body = f"<a href='mailto:{PERSON}'>Mail</a><a href='/u/{PERSON}'>Page</a><button aria-label='{PERSON}'>x</button><button name=b value={PERSON}>y"
    seen, page = hidden(context, pages, body)
    assert len(seen.actionables) == 4
    for item in seen.actionables:
        assert "@" not in item.selector and page.locator(item.selector).count() == 1


TEXT = st.text("ab@. ", max_size=8)


@given(st.lists(TEXT, min_size=1, max_size=5), TEXT)
@example(["", ""], "a")
@example(["a", "", ""], "ab")
def test_what_is_spread_is_the_whole_text_in_as_many_parts(parts, text):
    cut = spread(parts, text)
    assert "".join(cut) == text and len(cut) == len(parts)


@given(st.lists(TEXT, min_size=1, max_size=5))
def test_nothing_moves_where_nothing_changed(parts):
    assert spread(parts, "".join(parts)) == parts
    assert veiled_run(parts, str) == parts


def test_a_long_text_is_spread_in_reasonable_time():
    parts = ["a b " * 50_000, "marta", "@corp-mail.com", " c d" * 50_000]
    assert "".join(veiled_run(parts, REDACT)) == REDACT("".join(parts))
