"""A board, recorded and rebuilt: comments, counts, likes and gates, on threads where nobody had acted."""

import random
import re
from pathlib import Path

import pytest

from artifacts.run import Account
from builder.emit.seed import sandbox_password
from tests.builder.recorder import Recorder, plain
from tests.builder.world import SITE, Visitor, World, application
from tests.sites.board import MEMBERS, TITLES, create_board

THREADS = {number: f"/thread/{number}/" for number in range(1, len(TITLES) + 1)}
MARIA = {"user": "maria", "password": MEMBERS["maria"]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stranger tries to comment; Maria comments four times, once says nothing, and likes three comments."""
    world = World(tmp_path_factory.mktemp("board"), accounts=[Account(label="user", login_url="/login", user="maria")])
    recorder = Recorder(world, create_board(), {"user": MARIA["password"]})
    recorder.look("/", *THREADS.values(), "/login")
    recorder.episode().post("/thread/2/comment/", "write", on=THREADS[2], text="Hello").get("/")
    recorder.episode().post("/login", "account", on="/login", next="", user="maria", password="x")
    maria = recorder.episode().post("/login", "account", on="/login", next="", **MARIA)

    def act(url: str, on: str, **form: str) -> None:
        maria.get(on).get("/").post(url, "write", on=on, **form).get(on).get("/")

    for number, text in ((1, "A first word"), (3, "Another"), (1, "A third"), (5, "And a <b>fourth</b>"), (2, "")):
        act(f"/thread/{number}/comment/", THREADS[number], text=text)
    for number, comment in ((1, 1), (1, 2), (1, 1), (4, 12), (4, 12), (4, 11)):
        act(f"/like/{comment}/", THREADS[number])
    maria.post("/logout", "account", on="/").get("/").get(THREADS[3])
    again = recorder.episode().post("/login", "account", on="/login", next=THREADS[2], **MARIA).get(THREADS[3])
    again.get("/logout").get("/").get(THREADS[3])
    world.build()
    return world.folder / "mirror"


class Both:
    """The board and the mirror, asked for the same."""

    def __init__(self, folder: Path) -> None:
        self.board = create_board().test_client()
        self.mirror = Visitor(application(folder), SITE)

    def send(self, url: str, on: str, **form: str) -> None:
        headers = {"Referer": SITE + on}
        real = self.board.post(url, base_url=SITE, data=form, headers=headers)
        if form.get("password") == MARIA["password"]:
            form["password"] = sandbox_password(SITE, "user")
        mine = self.mirror.post(url, form, headers=headers)
        assert (mine.status_code, mine.headers.get("Location")) == (real.status_code, real.headers.get("Location"))
        for page in (real.headers.get("Location"), "/", on):
            if page:
                self.compare(page)

    def compare(self, page: str) -> None:
        real = self.board.get(page, base_url=SITE).get_data(as_text=True)
        assert plain(self.mirror.text(page)) == plain(real), page


@pytest.mark.parametrize("seed", range(3))
def test_comments_and_likes_on_any_thread_show_as_on_the_board(folder: Path, seed: int) -> None:
    chance, both = random.Random(seed), Both(folder)
    both.send("/login", "/login", next="", **MARIA)
    for step in range(8):
        number = chance.choice(list(THREADS))
        page = THREADS[number]
        match chance.choice(["comment", "comment", "like", "like", "nothing"]):
            case "comment":
                both.send(f"{page}comment/", page, text=f"Step {step} & <i>so on</i>")
            case "like":
                source = both.board.get(page, base_url=SITE).get_data(as_text=True)
                both.send(chance.choice(re.findall(r'action="(/like/\d+/)"', source)), page)
            case _:
                both.send(f"{page}comment/", page, text="")
        both.compare(THREADS[chance.choice(list(THREADS))])


def test_a_stranger_is_sent_to_the_login_form_and_comes_back_to_where_they_were(folder: Path) -> None:
    both = Both(folder)
    both.send("/thread/6/comment/", THREADS[6], text="Let me in")
    both.send("/login", "/login?next=/thread/6/", next=THREADS[6], **MARIA)
    both.send("/thread/6/comment/", THREADS[6], text="Here I am")


def test_a_link_that_signs_out_is_an_action_like_any_other(folder: Path) -> None:
    both = Both(folder)
    both.send("/login", "/login", next="", **MARIA)
    both.send("/thread/4/comment/", THREADS[4], text="Good night")
    both.board.get("/logout", base_url=SITE)
    answer = both.mirror.open("/logout")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/")
    for page in ("/", THREADS[4], THREADS[8]):
        both.compare(page)


def test_what_one_says_everybody_reads_and_it_is_never_markup(folder: Path) -> None:
    maria = Visitor(application(folder), SITE)
    maria.post("/login", {"next": "", "user": "maria", "password": sandbox_password(SITE, "user")})
    maria.post("/thread/7/comment/", {"text": "<script>alert(1)</script>"}, headers={"Referer": SITE + THREADS[7]})
    page = maria.again().text(THREADS[7])
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<script>" not in page
