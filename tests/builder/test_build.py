from pathlib import Path

from tests.builder.world import World


def test_a_page_is_answered_byte_for_byte(tmp_path: Path) -> None:
    world = World(tmp_path)
    body = b"<h1>Hallo {{ name }} {% if %} \xff\x00 &amp; ''' \"\"\" </h1>"
    world.page("/", body)
    answer = world.visitor().open("/")
    assert answer.data == body
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"


def test_what_was_never_recorded_is_not_found(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.page("/", "home")
    assert world.visitor().open("/nowhere").status_code == 404
