"""A directory of people who are all made up: e-mail addresses in tables, texts, links and fields, and a file of them."""

import time
from collections.abc import Iterator

from flask import Flask, Response

NAMES = ("Marta Kowalczyk", "Li Wei", "Ngozi Adeyemi-Okonkwo", "Sam Ott", "Åsa Öberg", "Iñaki Etxeberria", "Ana Sá")
LOCALS = ("marta.kowalczyk", "li", "ngozi.adeyemi-okonkwo", "s.ott", "asa", "inaki_etxeberria", "ana")
ADDRESSES = tuple(f"{local}@corp-mail.com" for local in LOCALS)

_HEAD = "<!doctype html><html lang=en><meta charset=utf-8><title>{}</title><style>td{{width:11em;overflow-wrap:anywhere}}</style>"
_ROW = '<tr><td><a href="/person/{0}">{1}</a><td><a href="mailto:{2}">{2}</a><td>Ask {1} &lt;{2}&gt; about room {0}, or anybody else.'
_EXPORT = (
    '<form action="/people.csv"><label><input type=checkbox name=all> all of it</label> <button>Export</button></form>'
)
_PERSON = """<h1>{0}</h1><p>Write to <b>{1}</b>, or look at <a href="/">all</a>.</p><p id=made></p>
<form action="/person/{2}"><label>Address <input type=email name=mail size=40 value="{1}"></label><button>Save</button></form>
<script>fetch("/person/{2}.json").then(a => a.json()).then(p => made.append(p.name, " <", p.mail, ">"))</script>"""


def create_app() -> Flask:
    app = Flask("people", static_folder=None)

    @app.get("/")
    def people() -> str:
        rows = "".join(_ROW.format(number, *row) for number, row in enumerate(zip(NAMES, ADDRESSES, strict=True)))
        return f"{_HEAD.format('People')}<h1>People</h1><table>{rows}</table>{_EXPORT}"

    @app.get("/person/<int:number>")
    def person(number: int) -> str:
        return _HEAD.format(NAMES[number]) + _PERSON.format(NAMES[number], ADDRESSES[number], number)

    @app.get("/person/<int:number>.json")
    def told(number: int) -> dict[str, str]:
        return {"name": NAMES[number], "mail": ADDRESSES[number]}

    @app.get("/people.csv")
    def everything() -> Response:
        def rows() -> Iterator[str]:
            for number in range(100):
                time.sleep(0.01)
                yield f"{number},{NAMES[number % 7]}\n" * 50

        headers = {"Content-Disposition": "attachment; filename=people.csv"}
        return Response(rows(), mimetype="text/csv", headers=headers)

    return app
