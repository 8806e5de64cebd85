"""A club: news for everybody, and for members a profile, notes of their own, letters, and stars that can be taken back."""

import functools
from collections.abc import Callable

from flask import Flask, redirect, render_template_string, request, session
from werkzeug.wrappers import Response

MEMBERS = {"ada": "paper-boats-72", "otto": "tin-drums-41"}
LETTERS = ("Boats", "Drums", "Lamps", "Ropes", "Sails", "Knots", "Tides", "Winds")
PAGE = """<!doctype html><html><head><title>{{ title }}</title></head><body><header><a href="/">News</a>
{% if user %}<a href="/profile/">{{ user }}</a> <a href="/letters/">Letters</a> <a href="/notes/">Notes</a>
<form action="/logout" method="post"><button>Log out</button></form>{% else %}<a href="/login">Log in</a>{% endif %}
</header><main><h1>{{ title }}</h1>{{ main|safe }}</main></body></html>"""
NEWS = """<ul>{% for n in range(1, 5) %}<li><a href="/news/{{ n }}/">Item {{ n }}</a></li>{% endfor %}</ul>"""
STAR = """<p>Text of item {{ n }}, {{ stars }} stars.</p>{% if user %}<form action="/news/{{ n }}/star" method="post">
<button>Star</button></form>{% endif %}"""
PROFILE = """<form action="/profile/" method="post"><label>Town <input name="town" value="{{ town }}"></label>
<label>E-mail <input name="email" type="email" value="{{ email }}"></label><button>Save</button></form>
<form action="/profile/letters" method="post"><button>Delete all letters</button></form>"""
NOTES = """<ul>{% for note in notes %}<li>{{ note }}</li>{% endfor %}</ul><form action="/notes/" method="post">
<label>Text <textarea name="text"></textarea></label><button>Add</button></form>"""
LETTER = """<p>Dear {{ user }}, all about {{ title }}.</p>"""
LOGIN = """<form action="/login" method="post"><input type="hidden" name="next" value="{{ next }}"><input name="user">
<input name="password" type="password"><button>Log in</button></form>"""


def create_club(sent: list[str] | None = None) -> Flask:
    """The club as it was before anybody did anything; `sent` takes in every request that may change it."""
    app = Flask("club")
    app.secret_key = "not a secret"
    stars: dict[int, set[str]] = {n: set() for n in range(1, 5)}
    towns = dict.fromkeys(MEMBERS, "Harbour")
    emails = {name: f"{name}@club.example" for name in MEMBERS}
    notes: dict[str, list[str]] = {name: ["First"] for name in MEMBERS}

    @app.before_request
    def note_it() -> None:
        if sent is not None and request.method == "POST":
            sent.append(f"{request.path} {session.get('user', '')} {request.form.get('town', '')}".strip())

    def page(title: str, main: str, **values: object) -> str:
        values["user"] = session.get("user", "")
        return render_template_string(
            PAGE, title=title, main=render_template_string(main, title=title, **values), **values
        )

    def gated[**P, R](view: Callable[P, R]) -> Callable[P, R | Response]:
        @functools.wraps(view)
        def inner(*given: P.args, **named: P.kwargs) -> R | Response:
            return view(*given, **named) if "user" in session else redirect(f"/login?next={request.path}")

        return inner

    app.add_url_rule("/", "home", lambda: page("News", NEWS))
    app.add_url_rule("/news/<int:n>/", "news", lambda n: page(f"Item {n}", STAR, n=n, stars=len(stars[n])))

    @app.get("/letters/")
    @gated
    def letters() -> str:
        links = (f'<p><a href="/letters/{n}/">{title}</a></p>' for n, title in enumerate(LETTERS, 1))
        return page("Letters", "".join(links))

    @app.get("/letters/<int:n>/")
    @gated
    def letter(n: int) -> str:
        return page(LETTERS[n - 1], LETTER)

    @app.post("/news/<int:n>/star")
    @gated
    def star(n: int) -> Response:
        stars[n] ^= {session["user"]}
        return redirect(f"/news/{n}/")

    @app.route("/profile/", methods=["GET", "POST"])
    @gated
    def profile() -> str | Response:
        user = session["user"]
        if request.method == "POST":
            towns[user], emails[user] = request.form["town"], request.form["email"]
            return redirect("/profile/")
        return page("Profile", PROFILE, town=towns[user], email=emails[user])

    @app.post("/profile/letters")
    @gated
    def burn() -> Response:
        return redirect("/profile/")

    @app.route("/notes/", methods=["GET", "POST"])
    @gated
    def own_notes() -> str | Response:
        if request.method == "POST":
            notes[session["user"]].append(request.form["text"])
            return redirect("/notes/")
        return page("Notes", NOTES, notes=notes[session["user"]])

    @app.route("/login", methods=["GET", "POST"])
    def login() -> str | Response | tuple[str, int]:
        if request.method == "GET":
            return page("Log in", LOGIN, next=request.args.get("next", ""))
        if MEMBERS.get(request.form["user"]) != request.form["password"]:
            return page("Log in", LOGIN, next=""), 401
        session["user"] = request.form["user"]
        return redirect(request.form["next"] or "/")

    @app.post("/logout")
    def logout() -> Response:
        session.clear()
        return redirect("/")

    return app
