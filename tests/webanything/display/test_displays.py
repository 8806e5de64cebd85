import io
import json
import os
import pty
import subprocess
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from artifacts.events import Event
from webanything.display.choose import style_for
from webanything.display.jsonl import JsonLines, line
from webanything.display.plain import Plain
from webanything.display.words import describe, progress

EVENTS = st.builds(
    Event,
    st.text(min_size=1),
    st.dictionaries(st.text(), st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()),
)


@given(EVENTS)
def test_every_event_is_one_line_of_json(event: Event) -> None:
    text = line(event)
    assert "\n" not in text
    assert json.loads(text)["event"] == event.name


@given(EVENTS)
def test_every_event_is_one_short_line_that_cannot_steer_the_terminal(event: Event) -> None:
    text = describe(event)
    assert len(text) <= 200
    assert text.isprintable()


def test_a_hostile_title_loses_its_escapes() -> None:
    assert describe(Event("state", {"what": "a\x1b]0;owned\x07\nb"})) == "state a ]0;owned  b"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"done": 3, "of": 10}, (3, 10)),
        ({"done": 3}, None),
        ({"pages": 3, "of_pages": 10, "actions": 1, "of_actions": 10}, (4, 20)),
        ({"pages": 3, "of_pages": 0}, None),
        ({}, None),
    ],
)
def test_progress_is_known_only_with_its_end(data: dict[str, int], expected: tuple[int, int] | None) -> None:
    assert progress(data) == expected


def test_plain_writes_a_change_once() -> None:
    out = io.StringIO()
    display = Plain(out)
    for done in (1, 1, 2):
        display.event(Event("state", {"done": done, "of": 2, "url": "/"}))
    assert out.getvalue() == "state 1/2 /\nstate 2/2 /\n"


def test_lines_of_many_threads_do_not_mix() -> None:
    out = io.StringIO()
    display = JsonLines(out)
    events = [Event("state", {"url": "/" * 500, "n": number}) for number in range(200)]
    threads = [
        threading.Thread(target=lambda part=part: [display.event(e) for e in events[part::4]]) for part in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(json.loads(text)["n"] for text in out.getvalue().splitlines()) == list(range(200))


@pytest.mark.parametrize(
    ("wanted", "environ", "terminal", "style"),
    [
        ("auto", {}, True, "rich"),
        ("auto", {}, False, "plain"),
        ("auto", {"TERM": "dumb"}, True, "plain"),
        ("auto", {"CI": "true"}, True, "plain"),
        ("rich", {}, False, "rich"),
        ("none", {}, True, "none"),
    ],
)
def test_the_display_fits_the_terminal(wanted: str, environ: dict[str, str], terminal: bool, style: str) -> None:
    assert style_for(wanted, environ, terminal=terminal) == style


LIVE = """
from artifacts.events import Event
from webanything.display.live import Live
live = Live()
for status in ("started", "done"):
    live.event(Event("stage", {"stage": "explore", "status": status, "seconds": 1.0}))
    live.event(Event("state", {"what": "[bold]not markup[/]", "pages": 1, "of_pages": 2}))
    live.event(Event("notice", {"what": "a remark [x]"}))
live.event(Event("stage", {"stage": "build", "status": "skipped"}))
live.close()
"""


@pytest.mark.parametrize("no_colour", [False, True])
def test_the_live_display_draws_on_a_terminal_and_takes_no_markup_from_events(no_colour: bool) -> None:
    ours, theirs = pty.openpty()
    environ = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "120", **({"NO_COLOR": "1"} if no_colour else {})}
    done = subprocess.run([sys.executable, "-c", LIVE], stderr=theirs, env=environ, check=True)
    os.close(theirs)
    shown = b""
    try:
        while piece := os.read(ours, 65536):
            shown += piece
    except OSError:  # the end of a terminal whose other side is closed
        pass
    os.close(ours)
    assert done.returncode == 0
    assert b"a remark [x]" in shown
    assert b"nothing to do" in shown
    assert (b"\x1b[32m" in shown) is not no_colour
