import io
import re

import pytest
from PIL import Image, ImageDraw

from artifacts.evidence import Action, Evidence, Interaction, PageState, Skip, store_part
from artifacts.report import Fault, Finding, InteractionCheck, Metrics, Noise, Report, StateCheck, Summary
from artifacts.run import CaptureRequest, Lens
from artifacts.store import Store
from explorer.lens.browser import open_browser
from webanything.report_html import render
from webanything.report_html.album import Album

HOSTILE = "</title></script><script>document.documentElement.dataset.owned = 'yes'</script><img src=x onerror=alert(1)>"
LENS = Lens(browser="HeadlessShell/1.0")
PERFECT = Metrics(ssim=1, pixel=1, text_f1=1, axtree_f1=1)
POOR = Metrics(ssim=0.4, pixel=0.8, text_f1=0.6, axtree_f1=0.5)
NONE = "0" * 64


def png(colour, height=1500, text=""):
    image = Image.new("RGB", (1280, height), colour)
    drawn = ImageDraw.Draw(image)
    for at in range(0, height, 30):
        drawn.text((20, at), f"{text} line {at}", fill="black")
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


def state_of(store, url, title):
    picture = store.put(png("#eef", text=url[-1]))
    text = store.put(b"Welcome\nsame\nold line")
    blank = store.put(b"{}")
    return PageState(
        url=url,
        requested=url,
        template="/",
        status=200,
        title=title,
        visit="v",
        lens=LENS.digest,
        fingerprint=NONE,
        dom=blank,
        axtree=blank,
        text=text,
        screenshot=picture,
        full_page=picture,
        page_height=1500,
        storage=blank,
        actionables=blank,
        settled_after_ms=1,
    )


def check_of(store, state, metrics=PERFECT, **more):
    return StateCheck(
        state=state.digest,
        url=state.requested,
        template="/",
        which=more.pop("which", "open"),
        metrics=metrics,
        status_expected=200,
        status_seen=more.pop("status_seen", 200),
        source_picture=state.full_page,
        mirror_picture=store.put(png("#fee", text="mirror")),
        source_text=state.text,
        mirror_text=store.put(b"Welcome\nsame\nnew line"),
        **more,
    )


def case(store, count=8):
    """A report with something in every part of it, and its evidence."""
    states = [state_of(store, f"https://shop.example/{number}", HOSTILE) for number in range(count)]
    noise = Noise(metrics=PERFECT, looks=2)
    checks = [check_of(store, state, noise=noise) for state in states[1:]]
    foreign = ("https://outside.example/track.js",)
    checks.append(
        check_of(
            store, states[0], POOR, foreign_requests=foreign, dead_links=("https://shop.example/gone",), note="led to X"
        )
    )
    action = Action(act="fill", selector="#q", name=HOSTILE, value=HOSTILE)
    interaction = Interaction(
        episode="e",
        step=0,
        behaviour="search",
        safety="read",
        visit="e",
        before=states[0].digest,
        actions=(action,),
        after=states[1].digest,
        exchanges=(),
        effect="page",
    )
    repeated = InteractionCheck(
        interaction=interaction.digest,
        behaviour=HOSTILE,
        which="open",
        reproduced=False,
        because="changes nothing instead of +found",
        address_expected="https://shop.example/1",
        source_picture=states[1].full_page,
        mirror_picture=checks[0].mirror_picture,
        before_picture=checks[0].mirror_picture,
    )
    skip = Skip(what="pay now", where=HOSTILE, reason="safety", detail="payment is never done")
    evidence = Evidence(
        request=CaptureRequest(url="https://shop.example/"),
        site="https://shop.example",
        start="https://shop.example/",
        lens=LENS,
        outcome="complete",
        open=store_part(store, [*states, interaction, skip]),
        sealed=store_part(store, []),
        states=count,
        interactions=1,
        exchanges=0,
        sealed_states=0,
        sealed_interactions=0,
        missing=(("https://shop.example/film.mp4", "too large"),),
    )
    scores = [
        Summary(metric=metric, which=which, worst=0.4, worst_subject=HOSTILE, median=1, mean=mean, count=count)
        for metric in ("ssim", "text_f1")
        for which, mean in (("open", 0.925), ("sealed", 0.9))
    ]
    report = Report(
        evidence=evidence.digest,
        contract=None,
        candidate="tree",
        lens=LENS,
        verdict="repair",
        because=("mean SSIM of 8 states is 0.9250, below 0.97",),
        states=tuple(checks),
        interactions=(repeated,),
        findings=(
            Finding(fault=Fault.IMPLEMENTATION, subject=HOSTILE, what="looks differently", expected="a", seen="b"),
            Finding(
                fault=Fault.EVIDENCE, subject="https://shop.example/x", what="a request fails", expected="a", seen="b"
            ),
        ),
        summaries=tuple(scores),
        resets=({"seed": "abc", "state": "abd", "ms": "0.2"},),
        unchecked=(("https://shop.example/account", "only user sees it"),),
        uncovered=("https://shop.example/odd",),
    )
    return report, evidence


def test_everything_that_was_found_is_said(store):
    report, evidence = case(store)
    page = render(report, evidence, store)
    for said in (
        *(
            "repair",
            "mean SSIM of 8 states",
            "outside.example/track.js",
            "dead link",
            "led to X",
            "changes nothing instead",
        ),
        *("payment is never done", "film.mp4", "only user sees it", "shop.example/odd", "0 of 1 reproduced", "abd"),
        *("- old line", "+ new line", "1 addresses", "0 of 1"),
    ):
        assert said in page, said
    assert "SSIM 0.0250, text F1 0.0250" in page, "the gap between open and sealed"
    assert page.index("explore: the evidence") < page.index("build: the mirror")
    first = page.index("shop.example/0", page.index('id="states"'))
    assert first < page.index("shop.example/1", page.index('id="states"')), "worst first"


def test_text_of_the_site_is_never_markup(store):
    page = render(*case(store), store)
    assert "document.documentElement.dataset.owned" in page
    assert "<script>document" not in page and "<img src=x" not in page
    assert page.count("<script>") == 1


def test_sixty_states_stay_below_fifteen_megabytes(store):
    page = render(*case(store, count=60), store)
    assert len(page.encode()) < 15_000_000
    assert page.count("data:image/jpeg") >= 120


def test_when_the_room_is_used_up_pictures_are_left_out(store):
    album = Album(store, room=1)
    digests = [store.put(png(colour, height=50)) for colour in ("red", "blue")]
    assert album.picture(digests[0], width=100, height=100).startswith("data:image/jpeg;base64,")
    assert album.picture(digests[1], width=100, height=100) == ""
    assert album.picture(digests[0], width=100, height=100) != "", "what was made stays"
    assert album.left_out == 1


def test_a_cleared_store_leaves_gaps_and_no_error(store, tmp_path):
    report, evidence = case(store)
    page = render(report, evidence, Store(tmp_path / "empty"))
    assert "no picture" in page and "data:image" not in page


def test_nothing_checked_is_a_report_too(store):
    report, evidence = case(store)
    nothing = {
        "states": (),
        "interactions": (),
        "findings": (),
        "summaries": (),
        "resets": (),
        "unchecked": (),
        "uncovered": (),
    }
    page = render(report.replaced(verdict="accepted", because=(), **nothing), evidence, store)
    assert "Nothing keeps it from being accepted" in page


@pytest.mark.browser
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_it_opens_from_disk_asks_for_nothing_and_fits(store, tmp_path, width, scheme):
    path = tmp_path / "report.html"
    path.write_text(render(*case(store), store), encoding="utf-8")
    asked, said = [], []
    with open_browser() as browser:
        page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(error.message))
        page.on("dialog", lambda dialog: said.append(dialog.message))
        page.goto(path.as_uri())
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        page.wait_for_timeout(200)
        assert [url for url in asked if not url.startswith("data:")] == [path.as_uri()]
        assert said == []
        assert page.evaluate("document.documentElement.dataset.owned ?? ''") == ""
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert re.findall(r"\d+", paper) == (["255"] * 3 if scheme == "light" else ["20", "22", "26"])
        slider, frame = page.locator(".slide input").first, page.locator(".compare").first
        slider.fill("10")
        assert frame.evaluate("frame => frame.style.getPropertyValue('--at')") == "10%"
        assert page.locator(".compare img").first.evaluate("image => image.naturalWidth") == 900
        assert page.locator(".verdict").bounding_box()["y"] < 300, "the verdict is on the first screen"
