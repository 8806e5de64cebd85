"""What counts as an action: requests that change something, and those that take back what a login gave."""

from pathlib import Path

from artifacts.run import Account
from builder.behave.history import Reading, episodes
from builder.compile.recordings import recordings
from builder.compile.trails import trails
from builder.compile.volatile import Learned
from tests.builder.world import SITE, World

GONE = "Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=0"
JAR = ("Cookie", "sid=1; note=hello")


def signed_in(folder: Path) -> World:
    """Somebody logs in and is greeted once by a message that came in a cookie."""
    world = World(folder, accounts=[Account(label="user", login_url="/login", user="maria")])
    given = [("Location", "/"), ("Set-Cookie", "sid=1; Path=/"), ("Set-Cookie", "note=hello; Path=/")]
    form = {"user": "maria", "password": "{{password:user}}"}
    world.post("/login", form, status=302, headers=given, media="", visit="e1/0")
    world.get("/", "Hello", visit="e1/0", sent=[JAR], headers=[("Set-Cookie", f"note=; {GONE}")])
    world.step("e1", 0, "/", behaviour="login", safety="account")
    told = [("Location", "/cart"), ("Set-Cookie", "note=added; Path=/")]
    world.post("/add", {"id": "1"}, status=302, headers=told, media="", visit="e1/1", sent=[JAR])
    world.get("/cart", "Added", visit="e1/1", sent=[JAR], headers=[("Set-Cookie", f"note=; {GONE}")])
    world.step("e1", 1, "/cart")
    return world


def acts(world: World) -> list[tuple[str, bool]]:
    """The forms of what was done, and whether each signed somebody out."""
    part = world.part()
    walked, _ = trails(recordings(part.exchanges, world.store.get), part.interactions)
    reading = Reading(SITE, Learned(), {"user": "maria"}, lambda path: path)
    return [
        (act.form.partition(" ")[2].split()[0], act.forgets) for one in episodes(walked, reading) for act in one.acts
    ]


def test_a_page_that_takes_its_message_out_of_a_cookie_signs_nobody_out(tmp_path: Path) -> None:
    assert acts(signed_in(tmp_path)) == [("/login", False), ("/add", False)]


def test_a_link_that_takes_back_what_only_logins_give_signs_out(tmp_path: Path) -> None:
    world = signed_in(tmp_path)
    world.get("/out", "Bye", visit="e1/2", sent=[JAR], headers=[("Set-Cookie", f"sid=; {GONE}")])
    world.step("e1", 2, "/out", behaviour="log out", safety="account")
    assert acts(world)[-1] == ("/out", True)
