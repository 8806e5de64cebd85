"""A small mirror written by hand, with what the runtime has to cope with: two hosts, cookies, writes, streams, misses."""

import sqlite3
from pathlib import Path

from artifacts.contract import Contract
from artifacts.digest import digest_tree, tree_files
from artifacts.environment import Environment
from artifacts.mirror import Mirror
from environments.freeze import freeze

HOSTS = ("https://shop.example", "https://cdn.shop.example", "http://plain.example:8080")
CLOCK = "2026-01-31T12:00:00+00:00"

APP = """
import json
import sqlite3
from pathlib import Path

from flask import Flask, Response, redirect, request

import pages

HERE = Path(__file__).parent


def create_app(connect=None):
    app = Flask(__name__)
    app.extensions["visitor_cookie"] = "sid"

    @app.get("/")
    def home():
        request.environ["mirror.frozen"] = True
        response = Response(pages.HOME, content_type="text/html; charset=utf-8")
        response.headers["Link"] = "<https://cdn.shop.example/style.css>; rel=preload; as=style"
        response.headers["Server"] = "nginx"
        response.headers["Connection"] = "keep-alive"
        return response

    @app.get("/style.css")
    def style():
        request.environ["mirror.frozen"] = True
        return Response(pages.STYLE, content_type="text/css")

    @app.get("/policy")
    def policy():
        response = Response(pages.POLICY, content_type="text/html")
        response.headers["Content-Security-Policy"] = (
            f"default-src 'none'; script-src {pages.source(pages.SCRIPT)}; style-src https://cdn.shop.example; "
            "img-src *.shop.example; upgrade-insecure-requests"
        )
        return response

    @app.get("/asked")
    def asked():
        environ = {name: value for name, value in request.environ.items() if isinstance(value, str)}
        return {"url": request.url, "environ": environ, "now": app.extensions["now"]()}

    @app.post("/cart")
    def add():
        db = connect()
        with db:
            db.execute("INSERT INTO cart(item) VALUES (?)", (request.form["item"],))
        response = redirect("https://shop.example/cart?from=" + request.form.get("next", ""))
        response.set_cookie("sid", "abc", secure=True, samesite="None", domain="shop.example")
        return response

    @app.get("/cart")
    def cart():
        items = [row[0] for row in connect().execute("SELECT item FROM cart ORDER BY id")]
        listed = "".join(f"<li>{item}</li>" for item in items)
        return Response(f"<title>Cart</title><ul>{listed}</ul><p>{len(items)} items</p>", content_type="text/html")

    @app.get("/recorded")
    def recorded():
        return Response(connect().execute("SELECT body FROM site.answer").fetchone()[0], content_type="text/plain")

    @app.get("/big")
    def big():
        request.environ["mirror.frozen"] = True
        return Response("<p>word</p>" * 8000, content_type="text/html")

    @app.get("/ticks")
    def ticks():
        def stream():
            for number in range(3):
                yield f"data: https://cdn.shop.example/{number}\\n\\n"

        return Response(stream(), content_type="text/event-stream")

    @app.get("/pieces")
    def pieces():
        kind = request.args["kind"]
        return Response((piece for piece in ('<a href="https:', '//shop.example/a">')), content_type=kind)

    @app.get("/broken")
    def broken():
        raise RuntimeError("on purpose")

    @app.get("/uncommitted")
    def uncommitted():
        connect().execute("INSERT INTO cart(item) VALUES ('forgotten')")
        if request.args.get("fail"):
            raise RuntimeError("on purpose")
        return "done"

    @app.errorhandler(404)
    def missing(error):
        app.extensions["unseen"]({"method": request.method, "host": request.host, "path": request.path})
        return Response("<h1>Nothing here</h1>", 404, content_type="text/html")

    return app
"""

PAGES = '''
import base64
import hashlib

HOME = """<!doctype html><html><head><title>Shop https://shop.example</title>
<link rel="stylesheet" href="https://cdn.shop.example/style.css" integrity="sha256-x">
<meta http-equiv="Content-Security-Policy" content="img-src https://cdn.shop.example; upgrade-insecure-requests">
<script>window.api = "https:\\\\/\\\\/shop.example\\\\/asked";</script></head>
<body><h1>Shop</h1><p>Visit https://shop.example today</p>
<a id="cart" href="https://shop.example/cart">Cart</a>
<a id="out" href="https://elsewhere.example/x">Out</a>
<img src="https://elsewhere.example/i.png" alt="out">
<form action="https://shop.example/cart" method="post">
<input type="hidden" name="next" value="https://shop.example/here">
<label>Item <input name="item"></label>
<select name="size"><option value="s">Small</option><option value="l">Large</option></select>
<label><input type="checkbox" name="gift"> Gift</label>
<button>Add</button></form><div style="height:2000px"></div></body></html>"""
SCRIPT = "window.ran = 'https://shop.example/x'"
POLICY = f"""<script>{SCRIPT}</script><script>window.unlisted = 1</script>
<link rel="stylesheet" href="//cdn.shop.example/style.css">"""


def source(script):
    return "'sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() + "'"


STYLE = "@import '/more.css'; body{background:url(/bg.png)}"
'''

SEED = """
CREATE TABLE cart(id INTEGER PRIMARY KEY, item TEXT);
CREATE TABLE account(label TEXT, user TEXT, password TEXT);
INSERT INTO account VALUES ('buyer', 'ann@shop.example', 'sandbox-1');
"""


def write_mirror(folder: Path) -> Path:
    """The mirror's files."""
    folder.mkdir(parents=True)
    (folder / "app.py").write_text(APP)
    (folder / "pages.py").write_text(PAGES)
    (folder / "seed.sql").write_text(SEED)
    (folder / "bodies").mkdir()
    (folder / "bodies" / "a.bin").write_bytes(b"\0\1\2")
    site = sqlite3.connect(folder / "site.db")
    with site:
        site.execute("CREATE TABLE answer(body BLOB)")
        site.execute("INSERT INTO answer VALUES (?)", (b"recorded answer",))
    site.close()
    (folder / "contract.json").write_bytes(contract().to_bytes())
    return folder


def contract() -> Contract:
    return Contract(
        site=HOSTS[0],
        start=HOSTS[0] + "/",
        clock=CLOCK,
        hosts=HOSTS,
        routes=(),
        accounts=({"label": "buyer", "user": "ann@shop.example"},),
    )


def mirror_record(folder: Path) -> Mirror:
    files = tree_files(folder)
    return Mirror(evidence="0" * 64, parts="all", contract=contract().digest, tree=digest_tree(files), files=files)


def write_environment(folder: Path, *, name: str = "tiny", version: int = 1) -> Environment:
    """A frozen environment at `folder`, its mirror beside it."""
    mirror = write_mirror(folder.with_name(folder.name + "-mirror"))
    return freeze(
        mirror, mirror=mirror_record(mirror), contract=contract(), report=None, out=folder, name=name, version=version
    )
