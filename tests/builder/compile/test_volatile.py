from pathlib import Path

import pytest

from artifacts.contract import Contract
from builder.compile.site import compile_site
from tests.builder.world import World

TOKENS = ["9f86d081884c7d659a2feaa0c55ad015", "3b4a1c0de5f60718293a4b5c6d7e8f90", "0a1b2c3d4e5f60718293a4b5c6d7e8f9"]


def learned(world: World) -> set[tuple[str, str]]:
    contract: Contract = compile_site(world.part(), world.evidence(), world.store.get).contract
    return {(clause.place, clause.key) for clause in contract.volatile}


def test_a_word_that_changes_between_two_looks_is_volatile_if_the_answer_stays(tmp_path: Path) -> None:
    world = World(tmp_path)
    first = world.page("/", "home")
    world.get("/ping?r=17&v=1", "pong", visit=first.visit, media="text/plain")
    second = world.page("/", "home", repeat_of=first)
    world.get("/ping?r=99&v=1", "pong", visit=second.visit, media="text/plain")
    assert learned(world) == {("query", "r")}


def test_it_is_not_if_the_answer_changes_with_it(tmp_path: Path) -> None:
    world = World(tmp_path)
    first = world.page("/", "home")
    world.get("/quote?n=17", "to be", visit=first.visit, media="text/plain")
    second = world.page("/", "home", repeat_of=first)
    world.get("/quote?n=99", "or not", visit=second.visit, media="text/plain")
    assert learned(world) == set()


def test_it_is_not_if_some_other_value_had_another_answer(tmp_path: Path) -> None:
    world = World(tmp_path)
    first = world.page("/", "home")
    world.get("/find?q=zzz", "nothing", visit=first.visit, media="text/plain")
    second = world.page("/", "home", repeat_of=first)
    world.get("/find?q=yyy", "nothing", visit=second.visit, media="text/plain")
    world.get("/find?q=red", "a red thing", visit="e1/0", media="text/plain")
    assert learned(world) == set()


def test_a_hidden_field_that_names_a_thing_is_not(tmp_path: Path) -> None:
    world = World(tmp_path)
    page = f"<input type=hidden name=product value={TOKENS[0]}>"
    first = world.page("/", page)
    world.page("/", page, repeat_of=first)
    world.get("/", page, visit="e1/before")
    world.post("/add", {"product": TOKENS[0]}, "ok", visit="e1/0")
    world.step("e1", 0, "/")
    assert learned(world) == set()


def test_a_field_that_the_page_draws_anew_each_time_is(tmp_path: Path) -> None:
    world = World(tmp_path)
    first = world.page("/", f"<input type=hidden name=x value={TOKENS[0]}>")
    world.page("/", f"<input type=hidden name=x value={TOKENS[1]}>", repeat_of=first)
    world.get("/", f"<input type=hidden name=x value={TOKENS[2]}>", visit="e1/before")
    world.post("/add", {"x": TOKENS[2], "n": "1"}, "ok", visit="e1/0")
    world.step("e1", 0, "/")
    assert learned(world) == {("body", "x")}


@pytest.mark.parametrize("wordlike", ["jgqrdeROCziyOCQxHowAnDdV", "12345678Rememberthis4242", "UBqqVOFUHd2DPZwi"])
def test_a_token_that_chance_made_look_like_words_is_one_too(tmp_path: Path, wordlike: str) -> None:
    world = World(tmp_path)
    first = world.page("/", "<input type=hidden name=csrf value=tdjjCVwy2I3gzpIXy00oPwls>")
    world.page("/", "<input type=hidden name=csrf value=9a2Fkk1kQqWm0sLpXy7Rz3Tb>", repeat_of=first)
    world.get("/", f"<input type=hidden name=csrf value={wordlike}>", visit="e1/before")
    world.post("/add", {"csrf": wordlike, "n": "1"}, "ok", visit="e1/0")
    world.get("/", "<input type=hidden name=csrf value=tdjjCVwy2I3gzpIXy00oPwls>", visit="e2/before")
    world.post("/add", {"csrf": "tdjjCVwy2I3gzpIXy00oPwls", "n": "1"}, "ok", visit="e2/0")
    for episode in ("e1", "e2"):
        world.step(episode, 0, "/")
    assert learned(world) == {("body", "csrf")}


def test_a_word_chosen_from_the_page_is_no_token_whatever_its_field_is_called(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.page("/", "<select name=state><option>California<option>NewMexico</select>")
    for episode, word in enumerate(("California", "NewMexico")):
        world.post("/go", {"state": word}, f"to {word}", visit=f"e{episode}/0")
        world.step(f"e{episode}", 0, "/")
    assert learned(world) == set()


def test_what_somebody_typed_never_is(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.page("/", "home")
    world.post("/book", {"at": "2024-06-10T08:00"}, "booked", visit="e1/0")
    world.step("e1", 0, "/", fill=["2024-06-10T08:00"])
    assert learned(world) == set()


def test_a_random_link_is_an_address_and_not_volatile(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.page("/", "home")
    world.page(f"/see?id={TOKENS[0]}", "a thing")
    assert learned(world) == set()


def test_a_field_that_takes_anything_to_no_effect_decides_nothing(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.page("/", "<form action=/find><input name=q></form>")
    for episode, word in enumerate(("lamp", "zqxjkvbwq", "red lamp")):
        world.get(f"/find?q={word.replace(' ', '+')}", "found", visit=f"e{episode}/0")
        world.step(f"e{episode}", 0, "/", fill=[word])
    assert learned(world) == {("query", "q")}
    assert "found" in world.visitor().text("/find?q=1")


def test_suggestions_that_found_nothing_say_nothing_of_other_words(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.page("/", "<input name=q>")
    for episode, word in enumerate(("lamp", "zqxjkvbwq", "red")):
        world.get(f"/suggest?q={word}", "[]", media="application/json", visit=f"e{episode}/0")
        world.step(f"e{episode}", 0, "/", fill=[word])
    assert learned(world) == set()


def test_a_search_that_finds_something_does(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.page("/", "<form action=/find><input name=q></form>")
    for episode, word in enumerate(("lamp", "zqxjkvbwq", "table")):
        world.get(f"/find?q={word}", "nothing" if episode else "a lamp", visit=f"e{episode}/0")
        world.step(f"e{episode}", 0, "/", fill=[word])
    assert learned(world) == set()


def test_a_page_that_a_redirect_led_to_is_found_without_the_way_back(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.page("/", "home")
    world.get("/desk", status=302, media="", headers=[("Location", "/login?next=desk")], visit="p9")
    world.get("/login?next=desk", "<h1>Log in</h1>", visit="p9")
    visitor = world.visitor()
    assert "Log in" in visitor.text("/login") and "Log in" in visitor.text("/login?next=other")
    assert learned(world) == set()


def test_an_order_that_is_answered_alike_may_do_different_things(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.page("/", "<form action=/set method=post><input name=n></form>")
    for episode, number in enumerate("3210"):
        world.post("/set", {"n": number}, visit=f"e{episode}/0", status=302, headers=[("Location", "/")])
        world.step(f"e{episode}", 0, "/", fill=[number])
    assert learned(world) == set()
