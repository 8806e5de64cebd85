"""@TITLE@: the application. Run it here with `flask --app app run`."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import recorded
import site_routes
import state
from flask import Flask, g
from werkzeug.routing import Rule

HERE = Path(__file__).resolve().parent
VISITOR_COOKIE = "@VISITOR_COOKIE@"
VISITOR_DOMAIN = "@VISITOR_DOMAIN@"


def create_app(connect: Callable[[], sqlite3.Connection] | None = None) -> Flask:
    """The application; `connect` gives the database of the session that a request belongs to.

    Without it, a private copy of the seed is opened in memory and one request is served at a time.
    """
    app = Flask("app", root_path=str(HERE), instance_path=str(HERE), static_folder=None)
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
    app.url_map.strict_slashes = False
    app.url_map.merge_slashes = False
    app.extensions["visitor_cookie"] = VISITOR_COOKIE
    app.extensions["visitor_domain"] = VISITOR_DOMAIN
    app.extensions["bodies"] = HERE / "bodies"
    if connect is None:
        own = state.open_private(HERE)
        connect = own.connection
        app.wsgi_app = own.one_at_a_time(app.wsgi_app)  # type: ignore[method-assign]
    database = connect

    @app.before_request
    def open_database() -> None:
        g.database = database()

    app.register_blueprint(site_routes.views)
    for path in ("/", "/<path:rest>"):
        app.url_map.add(Rule(path, endpoint="socket", websocket=True))
    app.view_functions["socket"] = lambda **_: recorded.answer()
    app.register_error_handler(405, lambda _: recorded.answer())
    return app
