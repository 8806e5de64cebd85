"""Pages that nobody opened, in the emitted application: from what lists say of their subject, and said to be inferred."""

from pathlib import Path

import pytest

from tests.builder.induce.test_details import captured
from tests.builder.world import World


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    world = World(Path(tmp_path_factory.mktemp("details")))
    world.page("/", "<html><body><a href='/list/a/'>All plants</a> <a href='/help/'>Help</a></body></html>")
    for page in captured(range(8)):
        world.page(page.path, page.source)
    world.build()
    return world


def test_an_unopened_page_is_given_and_counted_and_an_unknown_one_is_missed(world: World) -> None:
    visitor = world.visitor()
    made: list[str] = []
    unseen: list[dict[str, str]] = []
    visitor.app.extensions |= {"inferred": made.append, "unseen": unseen.append}
    text = visitor.text("/plant/9/")
    assert "<h1>Juniper</h1>" in text and "£12.09 a pot" in text and "Only few left" in text
    assert visitor.open("/plant/99/").status_code == 404
    assert "flowers in May 3" in visitor.text("/plant/3/")
    assert (made, [one["path"] for one in unseen]) == (["/plant/9/"], ["/plant/99/"])


def test_the_contract_says_that_such_pages_are_inferred(world: World) -> None:
    contract, _ = world.build("again")
    (one,) = [one for one in contract.behaviours if one.name.startswith("unopened pages")]
    assert (one.name, one.status) == ("unopened pages /plant/*/", "inferred")
    assert one.observed and "the rest is left empty" in one.variants[0]
    assert "inferred, made of what lists say" in (world.folder / "mirror" / "lists.py").read_text()
