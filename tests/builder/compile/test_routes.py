import ast
from pathlib import Path

import pytest
from werkzeug.routing import Map, Rule

from artifacts.contract import Contract
from builder.compile.site import compile_site
from builder.emit.views import site_routes
from tests.builder.world import World


def contract_of(tmp_path: Path, paths: list[str], template: str = "") -> Contract:
    world = World(tmp_path)
    for path in paths:
        state = world.page(path, f"page {path}")
        if template:
            world.states[-1] = state.replaced(template=template)
    found = compile_site(world.part(), world.evidence(), world.store.get)
    ast.parse(site_routes(found))
    return found.contract


@pytest.mark.parametrize(
    ("paths", "patterns"),
    [
        (["/", "/about"], {"/", "/about"}),
        ([f"/catalogue/book-{word}/" for word in "abcdefgh"], {"/catalogue/<slug>/"}),
        ([f"/item/{n}" for n in range(3)], {"/item/<int:item_id>"}),
        ([f"/item/{n}/edit" for n in range(3)], {"/item/<int:item_id>/edit"}),
        (["/a/9f86d081-884c-4d65-9a2f-eaa0c55ad015"], {"/a/<slug>"}),
        (["/caf%C3%A9/x"], {"/<slug>/x"}),
        (["/a", "/a/"], {"/a", "/a/"}),
    ],
)
def test_addresses_are_grouped_as_a_person_would(tmp_path: Path, paths: list[str], patterns: set[str]) -> None:
    contract = contract_of(tmp_path, paths)
    assert {route.pattern for route in contract.routes} == patterns


def test_the_explorers_templates_are_taken_up(tmp_path: Path) -> None:
    contract = contract_of(tmp_path, ["/topic/one", "/topic/two"], "shop.test/topic/{}")
    assert [route.pattern for route in contract.routes] == ["/topic/<slug>"]
    contract = contract_of(tmp_path / "x", ["/list/page-1.html", "/list/page-2.html"], "/list/{}-{n}.html")
    assert [(r.pattern, r.answers) for r in contract.routes] == [("/list/page-<int:number>.html", 2)]


def test_every_recorded_address_matches_its_rule_and_names_are_unique(tmp_path: Path) -> None:
    paths = ["/", "/class", "/1/2", "/a b/", "/x.y/z", "/import/", "/%22%3E/", "/A/B", "/a/b", "/<b>/", "/_/"]
    contract = contract_of(tmp_path, paths)
    names = [route.name for route in contract.routes]
    assert len(set(names)) == len(names)
    assert all(name.isidentifier() for name in names)
    rules = Map([Rule(route.pattern, endpoint=route.name) for route in contract.routes]).bind("shop.test")
    for path in ("/", "/class", "/1/2", "/a b/", "/x.y/z", '/">/', "/a/b"):
        rules.match(path)


def test_many_families_are_told_by_area(tmp_path: Path) -> None:
    contract = contract_of(tmp_path, [f"/a{n}/b/c{n % 3}x" for n in range(320)])
    assert len(contract.routes) <= 300
