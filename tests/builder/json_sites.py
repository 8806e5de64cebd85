"""Small JSON interfaces of several conventions, served by Flask and captured in part."""

import base64
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from flask import Flask, Response, jsonify, request

from tests.builder.world import SITE, World

Row = dict[str, Any]
WORDS = (
    "amber birch cedar delta ember frost grove heath inlet jade knoll linen maple north ochre pearl quill ridge".split()
)
GOODS: tuple[Row, ...] = tuple(
    {
        "id": 100 + number * 3,
        "slug": f"{WORDS[number * 5 % 18]}-{WORDS[number * 7 % 17]}-{number}",
        "title": f"{WORDS[number * 5 % 18]} {WORDS[number * 7 % 17]}".title(),
        "price": number * 37 % 101 + (number % 4) * 0.25,
        "kind": ("lamp", "chair", "table")[number * 7 % 3 if number % 5 else 0],
        "tags": [WORDS[number % 4], WORDS[4 + number % 3]],
        "maker": {"id": number % 3, "name": f"Maker {number % 3}"},
        "is_new": number % 4 == 0,
        "note": None if number % 3 else f"note {number}",
    }
    for number in range(1, 36)
)


def chosen(args: Mapping[str, str], order: str = "sort") -> list[Row]:
    """The goods of a kind, found by a word of the title, in the order asked for."""
    rows = [row for row in GOODS if args.get("kind") in (None, row["kind"])]
    rows = [row for row in rows if args.get("q", "").lower() in row["title"].lower()]
    by = args.get(order, "id")
    return sorted(rows, key=lambda row: row[by.lstrip("-")], reverse=by.startswith("-"))


def application() -> Flask:
    app = Flask(__name__)
    app.json.sort_keys = False  # type: ignore[attr-defined]
    for add in (_rest, _bare, _json_api, _columns, _cursors, _graph):
        add(app)
    return app


def _rest(app: Flask) -> None:
    """Count, next and previous; one thing at its own address; errors with a detail."""

    @app.get("/rest/goods/")
    def goods() -> Any:
        rows, page = chosen(request.args, "ordering"), int(request.args.get("page", 1))
        pages = max(1, -(-len(rows) // 10))
        if page > pages:
            return jsonify(detail="Invalid page."), 404

        def address(number: int) -> str | None:
            pairs = (
                {**request.args, "page": number}
                if number > 1
                else {k: v for k, v in request.args.items() if k != "page"}
            )
            query = urlencode(sorted(pairs.items()))
            return f"{SITE}/rest/goods/{'?' + query if query else ''}" if 0 < number <= pages else None

        shown = rows[(page - 1) * 10 : page * 10]
        return jsonify(count=len(rows), next=address(page + 1), previous=address(page - 1), results=shown)

    @app.get("/rest/goods/<int:number>/")
    def one(number: int) -> Any:
        found = next((row for row in GOODS if row["id"] == number), None)
        return jsonify(found) if found else (jsonify(detail=f"No goods with id {number}."), 404)


def _bare(app: Flask) -> None:
    """An array alone; links and total in headers; indented."""

    @app.get("/bare/goods")
    def bare() -> Any:
        rows, page = chosen(request.args), int(request.args.get("page", 1))
        size = int(request.args.get("per_page", 8))
        last = max(1, -(-len(rows) // size))
        links = {"next": page + 1, "last": last} if page < last else {}
        links |= {"first": 1, "prev": page - 1} if page > 1 else {}

        def address(number: int) -> str:
            return f"{SITE}/bare/goods?{urlencode({**request.args, 'page': number})}"

        import json

        body = json.dumps(
            [{"id": r["id"], "title": r["title"], "price": r["price"]} for r in rows[(page - 1) * size :][:size]],
            indent=2,
        )
        answer = Response(body + "\n", content_type="application/json; charset=utf-8")
        answer.headers["X-Total-Count"] = str(len(rows))
        if links:
            answer.headers["Link"] = ", ".join(f'<{address(number)}>; rel="{rel}"' for rel, number in links.items())
        return answer


def _json_api(app: Flask) -> None:
    """Data of a type with attributes; offset and limit in brackets; sparse fields."""

    @app.get("/jsonapi/goods")
    def listed() -> Any:
        rows = chosen({k.replace("filter[", "").rstrip("]"): v for k, v in request.args.items()})
        offset, limit = int(request.args.get("page[offset]", 0)), int(request.args.get("page[limit]", 6))
        data = [_resource(row) for row in rows[offset : offset + limit]]
        return jsonify(data=data, meta={"total": len(rows)}, jsonapi={"version": "1.1"})

    @app.get("/jsonapi/goods/<int:number>")
    def single(number: int) -> Any:
        found = next((row for row in GOODS if row["id"] == number), None)
        if found is None:
            return jsonify(errors=[{"status": "404", "title": "Not Found"}]), 404
        return jsonify(data=_resource(found), jsonapi={"version": "1.1"})


def _resource(row: Row) -> Row:
    attributes = {name: row[name] for name in ("title", "price", "kind")}
    return {
        "type": "goods",
        "id": str(row["id"]),
        "attributes": attributes,
        "links": {"self": f"/jsonapi/goods/{row['id']}"},
    }


def _columns(app: Flask) -> None:
    """Rows as arrays beside their columns; another shape by a parameter; what the clock says."""

    @app.get("/table/goods.json")
    def table() -> Any:
        rows = chosen(request.args, "_sort")
        after = request.args.get("_next")
        start = next((n + 1 for n, row in enumerate(rows) if str(row["id"]) == after), 0)
        shown = [{name: row[name] for name in ("id", "title", "price", "kind")} for row in rows[start : start + 9]]
        if request.args.get("_shape") == "array":
            return jsonify(shown)
        if request.args.get("_shape") == "object":
            return jsonify({str(row["id"]): row for row in shown})
        is_last = start + 9 >= len(rows)
        return jsonify(
            ok=True, table="goods", columns=["id", "title", "price", "kind"], rows=[list(row.values()) for row in shown],
            next=None if is_last else str(shown[-1]["id"]), total=len(rows), next_url=None if is_last else f"{SITE}/table/goods.json?{urlencode({**request.args, '_next': shown[-1]['id']})}",
            query_ms=len(shown) * 0.731 + start * 1.13,
        )  # fmt: skip


def _cursors(app: Flask) -> None:
    """Edges with cursors that name their row in base64."""

    @app.get("/feed")
    def feed() -> Any:
        return jsonify(_connection(chosen(request.args), request.args.get("after"), 7))


def _connection(
    rows: Sequence[Row], after: str | None, size: int, fields: Iterable[str] = ("id", "title", "price", "kind")
) -> Row:
    cursors = [base64.b64encode(f"goods:{row['id']}".encode()).decode() for row in rows]
    start = cursors.index(after) + 1 if after else 0
    edges = [
        {"cursor": cursor, "node": {name: row[name] for name in fields}}
        for cursor, row in zip(cursors[start : start + size], rows[start : start + size], strict=True)
    ]
    info = {"hasNextPage": start + size < len(rows), "endCursor": edges[-1]["cursor"] if edges else None}
    return {"totalCount": len(rows), "edges": edges, "pageInfo": info}


LISTING = "query Goods($kind: String, $first: Int, $after: String) { goods(kind: $kind, first: $first, after: $after) { totalCount edges { cursor node { id title price kind } } pageInfo { hasNextPage endCursor } } }"
ONE = "query One($id: ID!) { item(id: $id) { id title price maker { name } } }"


def _graph(app: Flask) -> None:
    """Two query documents posted to one address."""

    @app.post("/graphql")
    def graph() -> Any:
        sent = request.get_json()
        variables = sent.get("variables") or {}
        if sent["query"] == LISTING:
            rows = chosen({name: str(value) for name, value in variables.items() if name == "kind"})
            return jsonify(data={"goods": _connection(rows, variables.get("after"), variables.get("first", 10))})
        found = next((row for row in GOODS if str(row["id"]) == variables["id"]), None)
        item = {n: str(found["id"]) if n == "id" else found[n] for n in ("id", "title", "price")} if found else None
        return jsonify(data={"item": item and item | {"maker": {"name": (found or {})["maker"]["name"]}}})


class Capture:
    """A mirror of the parts of an interface that were asked for, and the interface itself."""

    def __init__(self, folder: Path) -> None:
        self.world = World(folder)
        self.client = application().test_client()
        self.world.page("/", "<!doctype html><title>Goods</title><p>Goods")

    def get(self, *addresses: str) -> "Capture":
        for address in addresses:
            answer = self.client.get(address)
            headers = [
                pair for pair in answer.headers.items() if pair[0].lower() not in ("content-type", "content-length")
            ]
            self.world.get(
                address, answer.get_data(), visit="p0001.1", media=answer.headers["Content-Type"],
                status=answer.status_code, headers=headers,
            )  # fmt: skip
        return self

    def ask(self, query: str, *variables: Mapping[str, Any]) -> "Capture":
        for one in variables:
            sent = self.world_body(query, one)
            answer = self.client.post("/graphql", data=sent, content_type="application/json")
            self.world.post(
                "/graphql", body=answer.get_data(), sending=sent, sent=[("Content-Type", "application/json")],
                visit="p0001.1", media="application/json",
            )  # fmt: skip
        return self

    @staticmethod
    def world_body(query: str, variables: Mapping[str, Any]) -> str:
        import json

        return json.dumps({"query": query, "variables": variables})

    def differing(self, *addresses: str) -> list[str]:
        """The addresses at which the mirror says something else than the interface, byte by byte."""
        return [address for address in addresses if self._both(lambda c, a=address: c.get(a))]

    def differing_questions(self, query: str, *variables: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        def differs(one: Mapping[str, Any]) -> bool:
            sent = self.world_body(query, one)
            return self._both(lambda client: client.post("/graphql", data=sent, content_type="application/json"))

        return [one for one in variables if differs(one)]

    def _both(self, ask: Callable[[Any], Any]) -> bool:
        truth, given = ask(self.client), ask(self.mirror)
        if truth.headers.get("Link") != given.headers.get("Link"):
            return True
        if truth.headers.get("X-Total-Count") != given.headers.get("X-Total-Count"):
            return True
        return (truth.status_code, truth.get_data(), truth.mimetype) != (
            given.status_code,
            given.get_data(),
            given.mimetype,
        )

    @property
    def mirror(self) -> Any:
        if not hasattr(self, "_mirror"):
            self._mirror = self.world.visitor().app.test_client()
        return self._mirror
