from pathlib import Path

from builder.compile.recordings import recordings
from builder.compile.sameness import Sameness, equal_requests, repeated_looks
from tests.builder.world import World

TOKEN_1, TOKEN_2 = "9f86d081884c7d659a2feaa0c55ad015", "3b4a1c0de5f60718293a4b5c6d7e8f90"


def same(tmp_path: Path, one: str, other: str) -> bool:
    world = World(tmp_path)
    world.get("/a", one, visit="p1")
    world.get("/a", other, visit="p2")
    first, second = recordings(world.exchanges, world.store.get)
    sameness = Sameness()
    return sameness.of(first) == sameness.of(second)


def test_tokens_and_times_make_no_difference(tmp_path: Path) -> None:
    assert same(tmp_path, f"<i t={TOKEN_1}>2024-06-10 08:00", f"<i t={TOKEN_2}>2024-06-11 09:30")


def test_numbers_and_words_do(tmp_path: Path) -> None:
    assert not same(tmp_path, "<b>1 item</b>", "<b>2 items</b>")
    assert not same(tmp_path / "x", "<b>red</b>", "<b>blue</b>")


def test_what_differs_between_two_looks_is_left_out_and_nothing_else(tmp_path: Path) -> None:
    world = World(tmp_path)
    page = "<p class=quote>{}</p>\n<p class=basket>{}</p>"
    first = world.page("/", page.format("To be or not", "empty"))
    world.page("/", page.format("All the world", "empty"), repeat_of=first)
    for quote, basket in (("Nothing comes", "empty"), ("Nothing comes", "full")):
        world.get("/", page.format(quote, basket), visit=f"e{basket}")
    found = recordings(world.exchanges, world.store.get)
    sameness = Sameness()
    assert len({sameness.of(recording) for recording in found}) == 4
    looks = repeated_looks(world.states, found)
    sameness.learn(pair for one, other in looks for pair in equal_requests(one, other))
    assert len({sameness.of(recording) for recording in found[:3]}) == 1
    assert sameness.of(found[3]) != sameness.of(found[0])


def test_a_token_that_reads_like_a_word_is_known_by_the_field_that_holds_it(tmp_path: Path) -> None:
    world = World(tmp_path)
    page = '<input type="hidden" name="csrf" value="{}"><input name="size" value="{}">'
    first = world.page("/", page.format(TOKEN_1, "extra-large"))
    world.page("/", page.format(TOKEN_2, "extra-large"), repeat_of=first)
    for token, size in (("jgqrdeROCziyOCQxHowAnDdV", "extra-large"), (TOKEN_1, "extra-small")):
        world.get("/", page.format(token, size), visit=f"e{size}")
    found = recordings(world.exchanges, world.store.get)
    sameness = Sameness()
    looks = repeated_looks(world.states, found)
    sameness.learn(pair for one, other in looks for pair in equal_requests(one, other))
    assert len({sameness.of(recording) for recording in found[:3]}) == 1
    assert sameness.of(found[3]) != sameness.of(found[0])
