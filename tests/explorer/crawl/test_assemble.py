from pathlib import Path

from artifacts.digest import digest_bytes
from artifacts.evidence import Action, Exchange, Interaction, PageState, load_part
from artifacts.run import CaptureRequest, Lens
from artifacts.store import Store
from explorer.crawl.assemble import assemble, is_drawn, sealed_visits
from explorer.crawl.urls import Templates

NONE = digest_bytes(b"")
SITE = "http://shop.example"


def state(number: int, *, path: str | None = None, visit: str | None = None, repeat_of: str | None = None) -> PageState:
    url = SITE + (path if path is not None else f"/item/{number}")
    return PageState(
        url=url, requested=url, template="t", status=200, title="", visit=visit or f"p{number:04}.1", lens=NONE,
        fingerprint=NONE, dom=NONE, axtree=NONE, text=NONE, screenshot=NONE, full_page=NONE, page_height=720,
        storage=NONE, actionables=NONE, settled_after_ms=300, repeat_of=repeat_of,
    )  # fmt: skip


def step(episode: str, before: PageState, *, behaviour: str = "send form", word: str = "") -> Interaction:
    return Interaction(
        episode=episode, step=0, behaviour=behaviour, safety="read", visit=f"{episode}/0", before=before.digest,
        actions=(Action(act="fill", value=word),), after=before.digest, exchanges=(), effect="page",
    )  # fmt: skip


def test_the_draw_is_fixed_and_near_its_share() -> None:
    names = [f"http://shop.example/item/{n}" for n in range(4000)]
    drawn = [name for name in names if is_drawn(name)]
    assert drawn == [name for name in names if is_drawn(name)]
    assert 0.10 < len(drawn) / len(names) < 0.14


def test_the_start_and_single_examples_stay_open() -> None:
    items = [state(number) for number in range(200)]
    states = [state(900, path="/"), state(901, path="/about"), *items]
    templates = Templates(one.url for one in states)
    sealed = sealed_visits(states, [], SITE + "/", templates)
    assert 8 < len(sealed) < 45
    assert not sealed & {"p0900.1", "p0901.1"}
    two = [one for one in items if is_drawn(one.requested)][:2]
    assert len(sealed_visits(two, [], SITE + "/", templates)) == 1


def test_a_second_look_is_sealed_with_its_first() -> None:
    drawn = next(one for one in (state(number) for number in range(200)) if is_drawn(one.requested))
    other = state(999)
    again = state(0, path=drawn.requested.removeprefix(SITE), visit="r0500.1", repeat_of=drawn.digest)
    sealed = sealed_visits([drawn, other, again], [], SITE + "/", Templates([drawn.url, other.url]))
    assert sealed == {drawn.visit, "r0500.1"}


def test_a_behaviour_seen_once_is_never_sealed() -> None:
    page = state(1)
    once = [step(f"e{n:04}.1", page, behaviour=f"only {n}") for n in range(100)]
    assert sealed_visits([page], once, SITE + "/", Templates([page.url])) == set()
    often = [step(f"e{n:04}.1", page, word=str(n)) for n in range(100)]
    sealed = sealed_visits([page], often, SITE + "/", Templates([page.url]))
    assert 3 < len(sealed) < 30


def test_parts_hold_everything_once_and_nothing_of_unfinished_visits(tmp_path: Path) -> None:
    store = Store(tmp_path)
    states = [state(900, path="/"), *(state(number) for number in range(60))]
    exchanges = [
        Exchange(order=n, visit=one.visit, method="GET", url=one.url, status=200) for n, one in enumerate(states)
    ]
    torn = Exchange(order=100, visit="p0007.2", method="GET", url=SITE + "/torn", failure="connection refused")
    gone = Exchange(order=101, visit=states[0].visit, method="GET", url=SITE + "/font.woff", failure="no such host")
    evidence = assemble(
        request=CaptureRequest(url=SITE), start=SITE + "/", lens=Lens(), store=store, states=states, interactions=[],
        exchanges=[*exchanges, torn, gone], skips=[], outcome="complete", redactions={},
        templates=Templates(one.url for one in states),
    )  # fmt: skip
    opened, sealed = load_part(store, evidence.open), load_part(store, evidence.sealed)
    assert {one.url for one in opened.states} | {one.url for one in sealed.states} == {one.url for one in states}
    assert not {one.url for one in opened.states} & {one.url for one in sealed.states}
    assert {one.visit for one in sealed.exchanges} == {one.visit for one in sealed.states}
    assert evidence.sealed_states == len(sealed.states) > 0
    assert evidence.missing == ((SITE + "/font.woff", "no such host"),)
    assert len((opened + sealed).exchanges) == len(states) + 1
