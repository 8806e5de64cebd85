from pathlib import Path

from artifacts.contract import Contract
from artifacts.evidence import Skip
from builder.compile.site import compile_site
from tests.builder.world import World


def contract_of(world: World) -> Contract:
    return compile_site(world.part(), world.evidence(), world.store.get).contract


def test_a_behaviour_says_what_triggers_it_and_what_would_refute_it(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.page("/", "home")
    for number in range(3):
        world.page(f"/item/{number}", "item")
    for episode, word, variant in (("e1", "red", "ordinary"), ("e2", "zzz", "failing")):
        world.post("/item/1", {"say": word}, "done", visit=f"{episode}/0")
        world.step(episode, 0, "/item/1", behaviour="say", safety="write", fill=[word], variant=variant)  # type: ignore[arg-type]
    (clause,) = contract_of(world).behaviours
    assert clause.trigger == "POST /item/<int:item_id>"
    assert clause.variants == ("ordinary", "failing")
    assert "/item/1" in clause.refuted_by
    assert clause.experiment == ""
    assert len(clause.observed) == 2


def test_one_input_only_is_said_and_the_next_experiment_named(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.page("/", "home")
    world.step("e1", 0, "/", behaviour="say", safety="write", fill=["red"])
    contract = contract_of(world)
    assert contract.behaviours[0].experiment == "Try it with another input than 'red'."
    assert contract.behaviours[0].trigger == "the page's own script"
    assert contract.unknown == ("say: seen with one input only",)


def test_what_was_skipped_or_could_not_be_kept_is_unknown(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.page("/", "home")
    world.skips += [Skip(what="pay", reason="safety", where="/"), Skip(what="/x", reason="sample")]
    world.exchange("GET", "wss://shop.test/live", visit="p0001.1", status=101)
    world.get("/huge", visit="p0001.1", response_bytes=99_000_000, note="too large")
    told = contract_of(world).unknown
    assert len(told) == 3
    assert any("pay" in line and "safety" in line for line in told)
    assert any("WebSocket" in line for line in told)
    assert any("too large" in line for line in told)
