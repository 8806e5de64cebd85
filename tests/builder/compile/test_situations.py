from pathlib import Path

from builder.compile.site import Compiled, compile_site
from tests.builder.world import World

SID = ("Set-Cookie", "sid=redacted-1111111111111111; HttpOnly")


def compiled(world: World) -> Compiled:
    return compile_site(world.part(), world.evidence(), world.store.get)


def edges(found: Compiled) -> list[tuple[int, str, str, int]]:
    return [(a.node, a.name.method, a.name.path, a.target) for a in found.answers if a.target is not None]


def test_a_page_that_posts_by_itself_changes_nothing(tmp_path: Path) -> None:
    world = World(tmp_path)
    for number in range(3):
        visit = f"p{number}"
        world.get("/", f"home, visitor number {number}", visit=visit)
        world.post("/collect", {"page": "/"}, status=204, media="", visit=visit, headers=[SID])
        world.get("/api/news", f"[{number}]", visit=visit, media="application/json")
    found = compiled(world)
    assert edges(found) == []
    assert len(found.nodes) == 1


def test_a_background_post_is_not_blamed_for_what_an_action_did(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.page("/", "home")
    world.post("/collect", {"page": "/"}, status=204, media="", visit="p0001.1")
    world.page("/basket", "empty")
    world.post("/api/add", {"id": "1"}, "{}", media="application/json", visit="e1/0")
    world.post("/collect", {"page": "/"}, status=204, media="", visit="e1/0")
    world.step("e1", 0, "/", safety="read")
    world.get("/basket", "one", visit="e1/1")
    world.step("e1", 1, "/basket", safety="read")
    assert edges(compiled(world)) == [(0, "POST", "/api/add", 1)]


def test_a_search_by_post_reads(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.page("/", "home")
    for number, word in enumerate(("red", "blue")):
        world.get("/", "home", visit=f"e{number}/before")
        world.post("/search", {"q": word}, f"found {word}", visit=f"e{number}/0")
        world.step(f"e{number}", 0, "/search", safety="read", fill=[word])
        world.get("/", "home", visit=f"e{number}/1")
        world.step(f"e{number}", 1, "/", safety="read")
    found = compiled(world)
    assert edges(found) == []
    assert sum(answer.name.path == "/search" for answer in found.answers) == 2


def test_a_graphql_mutation_changes_and_a_query_reads(tmp_path: Path) -> None:
    world = World(tmp_path)
    sent = [("Content-Type", "application/json")]
    world.page("/", "home")
    ask = '{"query": "query Basket { items }"}'
    for step, (query, body) in enumerate(
        [(ask, "[]"), ('{"query": "mutation Add { add(id: 1) { id } }"}', "{}"), (ask, "[1]")]
    ):
        world.post("/graphql", body=body, sending=query, sent=sent, media="application/json", visit=f"e1/{step}")
        world.step("e1", step, "/", safety="session" if step == 1 else "read")
    found = compiled(world)
    assert edges(found) == [(0, "POST", "/graphql", 1)]
    assert [a.node for a in found.answers if a.recordings[0].body == b"[1]"] == [1]


def test_episodes_share_what_they_begin_with(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.page("/", "home")
    for episode, page in (("e1", "/a"), ("e2", "/b")):
        world.post("/login", {"u": "x"}, status=302, media="", headers=[("Location", "/"), SID], visit=f"{episode}/0")
        world.get("/", "hello", visit=f"{episode}/0")
        world.step(episode, 0, "/", safety="account")
        world.get(page, f"inside {page}", visit=f"{episode}/1")
        world.step(episode, 1, page, safety="read")
    found = compiled(world)
    assert edges(found) == [(0, "POST", "/login", 1)]
    assert {a.name.path for a in found.answers if a.node == 1} == {"/", "/a", "/b"}


def test_what_follows_a_missing_step_belongs_to_no_situation(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.page("/", "home")
    world.get("/", "home", visit="e1/0")
    world.step("e1", 0, "/", safety="read")
    world.get("/basket", "full", visit="e1/2")
    world.get("/icon.png", b"png", visit="e1/2", media="image/png", destination="image")
    world.step("e1", 2, "/basket", safety="read")
    paths = {(answer.node, answer.name.path) for answer in compiled(world).answers}
    assert paths == {(0, "/"), (0, "/icon.png")}


def test_a_language_is_a_situation_and_the_way_back_leads_back(tmp_path: Path) -> None:
    world = World(tmp_path)

    def cookie(value: str) -> list[tuple[str, str]]:
        return [("Set-Cookie", f"lang={value}; Path=/"), ("Location", "/")]

    world.page("/", "hello")
    world.get("/", "hello", visit="e1/before", headers=[("Set-Cookie", "lang=en; Path=/")])
    for step, (language, text, before) in enumerate((("de", "hallo", "en"), ("en", "hello", "de"))):
        visit = f"e1/{step}"
        sent = [("Cookie", f"lang={before}")]
        world.get(f"/lang/{language}", status=302, media="", destination="document", headers=cookie(language),
                  sent=sent, visit=visit)  # fmt: skip
        world.get("/", text, visit=visit, sent=[("Cookie", f"lang={language}")])
        world.step("e1", step, "/", safety="session")
    found = compiled(world)
    assert edges(found) == [(0, "GET", "/lang/de", 1), (1, "GET", "/lang/en", 0)]


def test_cookies_that_every_answer_replaces_say_nothing(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.page("/", "home")
    for number in range(8):
        visit = f"e1/{number}"
        sent = [("Cookie", f"roll=redacted-{number:016x}")] if number else []
        world.get(f"/page/{number % 4}", "page", visit=visit, sent=sent,
                  headers=[("Set-Cookie", f"roll=redacted-{number + 1:016x}")])  # fmt: skip
        world.step("e1", number, f"/page/{number % 4}", safety="read")
    assert edges(compiled(world)) == []


def test_a_signed_in_identity_is_followed_from_its_login_on(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.page("/", "home")
    world.post(
        "/login", {"u": "x"}, status=302, media="", headers=[("Location", "/"), SID], visit="l1", identity="user"
    )
    world.get("/", "hello", visit="l1", identity="user")
    world.get("/orders", "my orders", visit="p9", identity="user")
    found = compiled(world)
    assert edges(found) == [(0, "POST", "/login", 1)]
    assert {a.name.path for a in found.answers if a.node == 1} == {"/", "/orders"}


def test_pages_fetched_beside_the_steps_of_a_signed_in_episode_change_nothing(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.page("/", "home")
    world.post("/login", {"u": "x"}, status=302, media="", headers=[("Location", "/"), SID], visit="e1/0")
    world.get("/", "hello", visit="e1/0")
    world.step("e1", 0, "/", safety="account")
    seen = [("Set-Cookie", "seen=redacted-0000000000000002")]
    sent = [("Cookie", "seen=redacted-0000000000000001")]
    world.get("/letters/1", "Boats", visit="e1/more", identity="user", sent=sent, headers=seen)
    world.get("/letters/2", "Drums", visit="e1/more", identity="user")
    found = compiled(world)
    assert edges(found) == [(0, "POST", "/login", 1)]
    assert {a.name.path for a in found.answers if a.node == 1} == {"/", "/letters/1", "/letters/2"}
