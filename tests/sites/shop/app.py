"""Lantern & Loom: a small shop to look at, search, fill a cart in and log in to."""

import functools
import gzip
import hashlib
import mimetypes
from pathlib import Path

from flask import Flask, Response, abort, current_app, render_template, request
from werkzeug.exceptions import HTTPException
from werkzeug.security import safe_join

from tests.sites.shop import basket, catalogue, members, pictures, store, visit

_HERE = Path(__file__).parent
_GZIPPED = ("text/", "application/json", "application/javascript", "application/xml", "image/svg+xml")
_WORTH_PACKING = 500


def create_app(folder: Path) -> Flask:
    """The shop with a fresh database in `folder`."""
    app = Flask(__name__, static_folder=None, template_folder=str(_HERE / "templates"))
    app.config["DATABASE"] = str(folder / "shop.db")
    app.config["PICTURES"] = _draw()
    store.create(folder / "shop.db")
    for blueprint in (catalogue.blueprint, basket.blueprint, members.blueprint):
        app.register_blueprint(blueprint)
    app.add_url_rule("/static/<path:name>", "static", _static)
    app.add_url_rule("/pictures/<name>", "picture", _picture)
    app.add_url_rule("/favicon.ico", "favicon", lambda: _picture("icon.png"))
    app.add_url_rule("/robots.txt", "robots", _robots)
    app.add_url_rule("/sitemap.xml", "sitemap", _sitemap)
    app.register_error_handler(HTTPException, _error)
    app.context_processor(_everywhere)
    app.add_template_filter(lambda cents: f"€{cents / 100:.2f}", "money")
    app.add_template_filter(zip)
    app.teardown_appcontext(visit.close_db)
    app.after_request(_finish)
    return app


@functools.cache
def _draw() -> dict[str, bytes]:
    drawn = {"icon.png": pictures.icon_png()}
    for item in store.goods():
        drawn[f"{item['slug']}.svg"] = pictures.product_svg(item["shape"], item["palette"])
        drawn[f"{item['slug']}-material.png"] = pictures.swatch_png(item["slug"], item["palette"])
    return drawn


def _static(name: str) -> Response:
    path = Path(safe_join(str(_HERE / "static"), name) or abort(404))
    if not path.is_file():
        abort(404)
    response = Response(path.read_bytes(), mimetype=mimetypes.guess_type(name)[0])
    response.cache_control.public, response.cache_control.max_age = True, 3600
    return response


def _picture(name: str) -> Response:
    data = current_app.config["PICTURES"].get(name) or abort(404)
    response = Response(data, mimetype="image/svg+xml" if name.endswith(".svg") else "image/png")
    response.cache_control.public, response.cache_control.max_age = True, 86400
    return response


def _robots() -> Response:
    lines = ("User-agent: *", "Disallow: /stock-room/", f"Sitemap: {request.url_root}sitemap.xml", "")
    return Response("\n".join(lines), mimetype="text/plain")


def _sitemap() -> Response:
    rows = visit.db().execute("SELECT slug FROM product ORDER BY id").fetchall()
    paths = ["", "shop/", "about/", *(f"shop/{slug}/" for slug, _, _ in store.CATEGORIES)]
    paths += [f"product/{row['slug']}/" for row in rows]
    lines = "\n".join(f"  <url><loc>{request.url_root}{path}</loc></url>" for path in paths)
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    text = f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{space}">\n{lines}\n</urlset>\n'
    return Response(text, mimetype="application/xml")


def _error(error: HTTPException) -> tuple[str, int]:
    code = error.code or 500
    title = {404: "Nothing on this shelf", 400: "That did not work"}.get(code, error.name)
    words = error.description if code == 400 else "The page you asked for is not here. It may have moved, or been sold."
    return render_template("error.html", code=code, title=title, words=words), code


def _everywhere() -> dict[str, object]:
    """What every page needs: the shelves, the cart's badge, who is logged in, and a message if there is one."""
    categories = visit.db().execute("SELECT * FROM category ORDER BY position").fetchall()
    return {
        "categories": categories,
        "cart_count": store.cart_count(visit.db(), visit.visitor()["sid"]),
        "member": visit.account(),
        "csrf_token": visit.visitor()["csrf"],
        "flash_message": visit.take_flash(),
        "sorts": [(key, label) for key, (label, _) in store.SORTS.items()],
    }


def _finish(response: Response) -> Response:
    """Cookie, cache validators and compression, as a front server would add them."""
    visit.send_cookie(response)
    if response.mimetype == "text/html":
        response.headers["Cache-Control"] = "private, no-cache"
    body = response.get_data()
    textual = (response.mimetype or "").startswith(_GZIPPED)
    if textual and len(body) > _WORTH_PACKING and request.accept_encodings.best_match(["gzip"]):
        body = gzip.compress(body, 6, mtime=0)
        response.set_data(body)
        response.headers["Content-Encoding"] = "gzip"
    if response.status_code == 200:
        response.set_etag(hashlib.sha256(body).hexdigest()[:20])
    if textual:
        response.vary.add("Accept-Encoding")
    if request.method in ("GET", "HEAD"):
        response.make_conditional(request)
    return response
