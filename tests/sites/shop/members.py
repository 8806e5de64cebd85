"""Login, logout, registration and the page behind them."""

import re
import sqlite3

from flask import Blueprint, redirect, render_template, request, url_for
from werkzeug.security import check_password_hash
from werkzeug.wrappers import Response

from tests.sites.shop import store
from tests.sites.shop.visit import (
    account,
    check_csrf,
    db,
    flash,
    gated,
    log_in,
    log_out,
    safe_next,
    see_other,
)

blueprint = Blueprint("account", __name__)

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]{2,}")


@blueprint.route("/login", methods=["GET", "POST"])
def login() -> str | Response | tuple[str, int]:
    target = request.values.get("next", "")
    if request.method == "GET":
        return redirect(url_for("account.home")) if account() else render_template("login.html", next=target)
    check_csrf()
    email = request.form.get("email", "").strip()
    row = db().execute("SELECT * FROM account WHERE email = ?", [email]).fetchone()
    if row is None or not check_password_hash(row["password"], request.form.get("password", "")):
        error = "That e-mail address and password do not match."
        return render_template("login.html", next=target, email=email, error=error), 401
    log_in(row["id"])
    flash(f"Welcome back, {row['name']}.")
    return see_other(safe_next(target))


@blueprint.post("/logout")
def logout() -> Response:
    check_csrf()
    log_out()
    flash("You are logged out.")
    return see_other(url_for("catalogue.home"))


@blueprint.get("/account/")
@gated
def home() -> str:
    row = account()
    assert row is not None
    purchases = db().execute("SELECT * FROM purchase WHERE account = ? ORDER BY id DESC", [row["id"]]).fetchall()
    return render_template("account.html", purchases=purchases)


def _mistakes(form: dict[str, str]) -> dict[str, str]:
    mistakes = {}
    if len(form["name"]) < 2:
        mistakes["name"] = "Please tell us your name."
    if not _EMAIL.fullmatch(form["email"]):
        mistakes["email"] = "That does not look like an e-mail address."
    elif db().execute("SELECT 1 FROM account WHERE email = ?", [form["email"]]).fetchone():
        mistakes["email"] = "There is an account with this address already."
    if len(form["password"]) < 8:
        mistakes["password"] = "A password has at least 8 characters."
    elif form["password"] != form["repeat"]:
        mistakes["repeat"] = "The two passwords differ."
    return mistakes


@blueprint.route("/register", methods=["GET", "POST"])
def register() -> str | Response | tuple[str, int]:
    fields = ("name", "email", "password", "repeat")
    if request.method == "GET":
        return render_template("register.html", form={}, mistakes={})
    check_csrf()
    form = {field: request.form.get(field, "").strip() for field in fields}
    mistakes = _mistakes(form)
    if not mistakes:
        try:
            log_in(store.add_account(db(), email=form["email"], name=form["name"], password=form["password"]))
        except sqlite3.IntegrityError:  # someone else took the address between the look and the write
            mistakes["email"] = "There is an account with this address already."
    if mistakes:
        return render_template("register.html", form=form, mistakes=mistakes), 422
    flash(f"Welcome, {form['name']}. Your account is ready.")
    return see_other(url_for("account.home"))
