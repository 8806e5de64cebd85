"""A small board: threads, comments by members, likes that can be taken back. All state is in memory."""

import itertools

from flask import Flask, redirect, render_template_string, request, session
from werkzeug.wrappers import Response

MEMBERS = {"maria": "paper-boats-72", "otto": "tin-drums-41"}
TITLES = ("Lamps", "Oil", "Wicks", "Soot", "Shades", "Harbour", "Fog", "Tides")
PAGE = """<!doctype html><html><head><title>{{ title }}</title></head><body>
<header><a href="/">Board</a> {% if user %}<b class="who">{{ user }}</b>
<form action="/logout" method="post"><button>Log out</button></form>
{% else %}<a class="in" href="/login">Log in</a>{% endif %}</header>
{% if said %}<p class="notice" role="status">{{ said }}</p>{% endif %}
<main>{% block main %}{% endblock %}</main></body></html>"""
HOME = PAGE.replace(
    "{% block main %}{% endblock %}",
    """<h1>Threads</h1><ul class="threads">{% for thread in threads %}
<li><a href="/thread/{{ thread.id }}/">{{ thread.title }}</a> <span class="count">{{ thread.comments|length }} comments</span></li>
{% endfor %}</ul>""",
)
THREAD = PAGE.replace(
    "{% block main %}{% endblock %}",
    """<h1>{{ title }}</h1>{% if wrong %}<p class="error">{{ wrong }}</p>{% endif %}
<ul class="comments">{% for one in thread.comments %}<li>
<a class="by" href="/member/{{ one.by }}">{{ one.by }}</a> <p class="text">{{ one.text }}</p>
<form class="like{% if user in one.likes %} liked{% endif %}" action="/like/{{ one.id }}/" method="post">
<button>{{ one.likes|length }} likes</button></form></li>{% endfor %}</ul>
<form action="/thread/{{ thread.id }}/comment/" method="post"><textarea name="text"></textarea><button>Send</button></form>""",
)
LOGIN = PAGE.replace(
    "{% block main %}{% endblock %}",
    """<h1>Log in</h1>{% if wrong %}<p class="error">{{ wrong }}</p>{% endif %}<form action="/login" method="post">
<input type="hidden" name="next" value="{{ next }}"><input name="user"><input name="password" type="password">
<button>Log in</button></form>""",
)


def create_board() -> Flask:
    """The board as it was before anybody did anything."""
    app = Flask("board")
    app.secret_key = "not a secret"
    number = itertools.count(1)
    threads = {
        n: {
            "id": n,
            "title": title,
            "comments": [
                {
                    "id": next(number),
                    "by": "otto",
                    "text": f"{title}, part {part}",
                    "likes": {"otto"} if part == 2 else set(),
                }
                for part in range(1, 3 + n % 3)
            ],
        }
        for n, title in enumerate(TITLES, 1)
    }

    def page(source: str, **values: object) -> str:
        said, user = session.pop("said", ""), session.get("user", "")
        return render_template_string(source, said=said, user=user, **values)

    @app.get("/")
    def home() -> str:
        return page(HOME, title="Board", threads=threads.values())

    @app.get("/thread/<int:n>/")
    def thread(n: int) -> str:
        return page(THREAD, title=threads[n]["title"], thread=threads[n])

    @app.post("/thread/<int:n>/comment/")
    def comment(n: int) -> Response | tuple[str, int]:
        if "user" not in session:
            return redirect(f"/login?next=/thread/{n}/")
        text = request.form["text"].strip()
        if not text:
            return page(THREAD, title=threads[n]["title"], thread=threads[n], wrong="Say something."), 422
        threads[n]["comments"].append({"id": next(number), "by": session["user"], "text": text, "likes": set()})  # type: ignore[attr-defined]
        session["said"] = f"Thank you, {session['user']}."
        return redirect(f"/thread/{n}/")

    @app.post("/like/<int:n>/")
    def like(n: int) -> Response:
        if "user" not in session:
            return redirect("/login")
        home = next(t for t in threads.values() if any(one["id"] == n for one in t["comments"]))  # type: ignore[attr-defined]
        one = next(one for one in home["comments"] if one["id"] == n)  # type: ignore[attr-defined]
        one["likes"] ^= {session["user"]}
        return redirect(f"/thread/{home['id']}/")

    @app.route("/login", methods=["GET", "POST"])
    def login() -> Response | tuple[str, int]:
        target = request.values.get("next", "")
        if request.method == "GET":
            return page(LOGIN, title="Log in", next=target), 200
        user = request.form["user"]
        if MEMBERS.get(user) != request.form["password"]:
            return page(LOGIN, title="Log in", next=target, wrong="No."), 401
        session["user"] = user
        return redirect(target or "/")

    @app.route("/logout", methods=["GET", "POST"])
    def logout() -> Response:
        session.clear()
        return redirect("/")

    return app
