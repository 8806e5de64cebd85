from artifacts.digest import digest_bytes
from artifacts.evidence import Action, Exchange, Interaction, PageState, Part
from artifacts.report import Metrics
from artifacts.store import Store
from verifier.case import Noises, episodes_of, states_to_check
from verifier.holdings import Holdings
from verifier.knowable import unknowable
from verifier.units import NoiseUnit, Outcome, in_words

NONE = "0" * 64


def page_state(url="https://shop.example/", **more):
    fields = {
        "url": url,
        "requested": url,
        "template": "/",
        "status": 200,
        "title": "",
        "visit": "v",
        **dict.fromkeys(("lens", "fingerprint", "dom", "axtree", "text", "screenshot", "full_page", "storage"), NONE),
        "actionables": NONE,
        "page_height": 1,
        "settled_after_ms": 1,
    }
    return PageState(**{**fields, **more})


def part(*states, exchanges=(), interactions=()):
    return Part(states, tuple(exchanges), tuple(interactions), ())


def test_states_are_those_a_new_visitor_reaches_by_address_each_once():
    first, again = page_state(), page_state(visit="v2")
    repeat = page_state(visit="v3", repeat_of=first.digest)
    after = page_state("https://shop.example/cart")
    member = page_state("https://shop.example/me", identity="user")
    chosen, others = states_to_check(part(first, again, repeat, after, member), frozenset({after.digest}))
    assert chosen == [first]
    assert [subject for subject, _ in others] == ["https://shop.example/me"]
    assert "only user sees it" in others[0][1]


def test_episodes_keep_their_steps_in_order():
    def step(episode, number):
        return Interaction(
            episode=episode, step=number, behaviour="b", safety="read", visit="v", before=NONE, after=NONE,
            actions=(), exchanges=(), effect="none",
        )  # fmt: skip

    found = episodes_of([step("a", 1), step("b", 0), step("a", 0)])
    assert [[one.episode + str(one.step) for one in episode] for episode in found] == [["a0", "a1"], ["b0"]]


def test_noise_is_a_states_own_or_the_median_of_its_template():
    def metrics(value):
        return Metrics(ssim=value, pixel=1, text_f1=1, axtree_f1=1)

    states = [page_state(f"https://shop.example/{number}", template="/{}") for number in range(4)]
    units = [NoiseUnit(state, state) for state in states[:3]]
    noises = Noises.of(
        units, [Outcome(noise=metrics(value), volatile=frozenset({str(value)})) for value in (0.9, 0.5, 0.8)]
    )
    assert noises.for_state(states[1]).metrics.ssim == 0.5
    assert noises.for_state(states[3]).metrics.ssim == 0.8
    assert noises.for_state(states[3]).looks == 6
    assert noises.for_state(page_state(template="/other")) is None
    assert noises.volatile["/{}"] == {"0.9", "0.5", "0.8"}


def exchange(url, **more):
    return Exchange(**{"order": 0, "visit": "v", "method": "GET", "url": url, "status": 200, **more})


def test_what_the_evidence_holds_and_lacks(tmp_path):
    from artifacts.evidence import Evidence, store_part
    from artifacts.run import CaptureRequest, Lens

    store = Store(tmp_path)
    evidence = Evidence(
        request=CaptureRequest(url="https://shop.example/"), site="https://shop.example", start="https://shop.example/",
        lens=Lens(), outcome="complete", open=store_part(store, []), sealed=store_part(store, []), states=0,
        interactions=0, exchanges=0, sealed_states=0, sealed_interactions=0,
        missing=(("https://shop.example/film.mp4", "too large"), ("https://shop.example/again.js", "reset")),
    )  # fmt: skip
    held = Holdings.of(
        evidence,
        part(
            exchanges=[
                exchange("https://shop.example/a?x=1"),
                exchange("https://shop.example/gone", status=404),
                exchange("https://shop.example/post", method="POST"),
                exchange("https://cdn.example/x.js", status=None, failure="timeout"),
                exchange("https://shop.example/again.js"),
            ]
        ),
    )
    assert held.has("http://shop.example/a?x=1") and held.has("https://shop.example/again.js")
    assert not held.has("https://shop.example/film.mp4") and held.lacks("https://shop.example/film.mp4")
    assert held.has("https://shop.example/gone") and "shop.example/gone?()" not in held.answered
    assert held.has("https://shop.example/post")
    assert held.lacks("https://cdn.example/x.js") and not held.knows_host("https://cdn.example/y.js")


def test_a_sealed_page_is_knowable_if_its_words_are_somewhere_in_the_open_evidence(tmp_path):
    store = Store(tmp_path)
    opened = page_state(text=store.put("A lamp of oak, 12 €".encode()))
    answer = exchange(
        "https://shop.example/api",
        response_headers=(("Content-Type", "application/json"),),
        response_body=store.put(b'{"title": "Vase \\u00fcber clay"}'),
    )
    picture = exchange(
        "https://shop.example/x.png",
        response_headers=(("Content-Type", "image/png"),),
        response_body=store.put(b"secret"),
    )
    listing = page_state("https://shop.example/1", text=store.put("LAMP (oak) Vase über".encode()))
    article = page_state("https://shop.example/2", text=store.put(b"A lamp with a secret story nobody opened"))
    apart = unknowable(part(opened, exchanges=[answer, picture]), [listing, article], store)
    assert set(apart) == {article.digest}
    assert 0.2 < apart[article.digest] < 0.6
    assert unknowable(part(opened), [], store) == {}


def test_actions_in_words():
    assert in_words(Action(act="click", selector="#a")) == "click #a"
    assert in_words(Action(act="press", value="Enter")) == "press Enter"
    assert in_words(Action(act="select", name="Sort", value="price")) == 'choose "price" in Sort'
    assert digest_bytes(b"") != NONE
