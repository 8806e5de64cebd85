"""The cart: one a visitor, kept on the server."""

from flask import Blueprint, abort, render_template, request, url_for
from werkzeug.wrappers import Response

from tests.sites.shop import store
from tests.sites.shop.visit import check_csrf, db, flash, see_other, visitor

blueprint = Blueprint("basket", __name__)

MOST = 20
FREE_FROM_CENTS = 6000
SHIPPING_CENTS = 490


def _asked() -> tuple[int, int]:
    """Product id and quantity of the posted form."""
    check_csrf()
    product, quantity = request.form.get("product", ""), request.form.get("quantity", "1")
    if not product.isdecimal() or not quantity.isdecimal():
        abort(400, "A quantity is a whole number.")
    return int(product), int(quantity)


@blueprint.get("/cart")
def cart() -> str:
    lines = store.cart_lines(db(), visitor()["sid"])
    subtotal = sum(line["line_cents"] for line in lines)
    shipping = 0 if not lines or subtotal >= FREE_FROM_CENTS else SHIPPING_CENTS
    return render_template("cart.html", lines=lines, subtotal=subtotal, shipping=shipping, free_from=FREE_FROM_CENTS)


@blueprint.post("/cart/add")
def add() -> Response:
    product_id, quantity = _asked()
    sid = visitor()["sid"]
    row = db().execute("SELECT * FROM product WHERE id = ?", [product_id]).fetchone() or abort(404)
    if not row["stock"]:
        abort(400, "This is sold out.")
    had = db().execute("SELECT quantity FROM cart_line WHERE sid = ? AND product = ?", [sid, product_id]).fetchone()
    store.set_quantity(db(), sid, product_id, min(MOST, row["stock"], quantity + (had["quantity"] if had else 0)))
    flash(f"{row['title']} is in your cart.")
    return see_other(url_for("basket.cart"))


@blueprint.post("/cart/update")
def update() -> Response:
    product_id, quantity = _asked()
    row = db().execute("SELECT * FROM product WHERE id = ?", [product_id]).fetchone() or abort(404)
    store.set_quantity(db(), visitor()["sid"], product_id, min(MOST, row["stock"], quantity))
    flash("Your cart is up to date.")
    return see_other(url_for("basket.cart"))


@blueprint.post("/cart/remove")
def remove() -> Response:
    product_id, _ = _asked()
    store.set_quantity(db(), visitor()["sid"], product_id, 0)
    flash("Taken out of your cart.")
    return see_other(url_for("basket.cart"))
