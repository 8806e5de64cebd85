"""Pages anyone may read: home, lists, products, search and its suggestions."""

import sqlite3

from flask import Blueprint, Response, abort, jsonify, render_template, request

from tests.sites.shop import store
from tests.sites.shop.visit import db

blueprint = Blueprint("catalogue", __name__)


def _page() -> int:
    text = request.args.get("page", "1")
    if not text.isdecimal() or int(text) < 1:
        abort(404)
    return int(text)


def _listing(*, category: str = "", query: str = "") -> store.Listing:
    found = store.listing(db(), category=category, query=query, sort=request.args.get("sort", ""), page=_page())
    if found.page > found.pages:
        abort(404)
    return found


@blueprint.get("/")
def home() -> str:
    picks = ("globe-bulb", "stoneware-mug", "fountain-pen", "watering-can")
    return render_template("home.html", picks=[store.product(db(), slug) for slug in picks])


@blueprint.get("/shop/")
def everything() -> str:
    return render_template("list.html", title="Everything", blurb="The whole shop on a few shelves.", found=_listing())


@blueprint.get("/shop/<category>/")
def category(category: str) -> str:
    row = db().execute("SELECT * FROM category WHERE slug = ?", [category]).fetchone() or abort(404)
    found = _listing(category=category)
    return render_template("list.html", title=row["title"], blurb=row["blurb"], found=found, category=category)


@blueprint.get("/product/<slug>/")
def product(slug: str) -> str:
    row = store.product(db(), slug) or abort(404)
    shelf = db().execute("SELECT title FROM category WHERE slug = ?", [row["category"]]).fetchone()["title"]
    return render_template("product.html", product=row, shelf=shelf, related=store.related(db(), row))


@blueprint.get("/search")
def search() -> str:
    query = " ".join(request.args.get("q", "").split())[:80]
    found = _listing(query=query) if query else store.Listing([], 0, 1, 1, "featured")
    return render_template("search.html", query=query, found=found)


@blueprint.get("/api/suggest")
def suggest() -> Response:
    query = request.args.get("q", "").strip()[:80]
    rows = store.listing(db(), query=query).products[:5] if len(query) >= 2 else []
    return jsonify(query=query, suggestions=[_suggestion(row) for row in rows])


def _suggestion(row: sqlite3.Row) -> dict[str, object]:
    return {"title": row["title"], "url": f"/product/{row['slug']}/", "price_cents": row["price_cents"]}


@blueprint.get("/about/")
def about() -> str:
    return render_template("about.html")


@blueprint.get("/stock-room/")
def stock_room() -> str:
    """For the staff; robots.txt asks machines to stay out."""
    rows = db().execute("SELECT title, stock FROM product ORDER BY stock, title").fetchall()
    return render_template("stock_room.html", rows=rows)
