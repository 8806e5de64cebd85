"""JSON answers as the inducer takes them, and what the contract says of endpoints that answer from tables. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import urlsplit

from artifacts.contract import Behaviour, Entity
from builder.compile import keys
from builder.compile.answers import Answer
from builder.compile.inferred import evidence_of, table_clause
from builder.compile.recordings import Recording
from builder.compile.texts import text_of
from builder.compile.volatile import Learned
from builder.induce.apis import Api, Apis
from builder.induce.documentanswer import taken_apart
from builder.induce.documents import Document, Endpoint
from builder.induce.naming import unique

RESERVED = frozenset(
    "host node request answer edge volatile account talk not_found name visitor situation position site astray fragment"
    " login message part_base pool signed_in start_row touched".split()
)
"""Names of tables that every application has."""
_LARGEST = 2_000_000
_TRANSPORT = frozenset(
    "accept-ranges age alt-svc cache-control cf-cache-status cf-ray connection content-encoding content-length"
    " content-md5 content-type date etag expires keep-alive last-modified server server-timing set-cookie status"
    " strict-transport-security transfer-encoding vary via x-cache"
    " x-request-id x-runtime x-served-by x-timer x-response-time".split()
)


def documents(
    given: Sequence[Answer],
    own: Sequence[str],
    learned: Learned,
) -> Iterator[Document]:
    """The JSON answers of the site's own hosts as a fresh visitor gets them, named by the numbers of their answers."""
    for number, answer in enumerate(given):
        recording = answer.recordings[0]
        is_asked = answer.node == 0 and answer.target is None and answer.name.host in own
        is_json = recording.media == "application/json" or recording.media.endswith("+json")
        if not (is_asked and is_json) or len(answer.recordings) > 1 or len(recording.body) > _LARGEST:
            continue
        ignored = learned.names(recording.place, "query")
        query = keys.sent_pairs(urlsplit(recording.exchange.url).query)
        sent = tuple(pair for pair in query if pair[0] not in ignored)
        apart = taken_apart(sent, recording.leaves) if recording.method in ("GET", "POST") else None
        if apart is None or (recording.method == "POST" and not apart[0]):
            continue
        endpoint = Endpoint(own.index(answer.name.host), recording.method, recording.path, apart[0])
        yield Document(
            str(number), endpoint, recording.path, apart[1], recording.status, text_of(recording), _said(recording),
            frozenset(ignored),
        )  # fmt: skip


def _said(recording: Recording) -> tuple[tuple[str, str], ...]:
    headers = recording.exchange.response_headers
    return tuple((name, value) for name, value in headers if name.lower() not in _TRANSPORT)


def tables(apis: Apis, given: Sequence[Answer]) -> tuple[Entity, ...]:
    """One clause for each table that an endpoint answers from."""
    return tuple(
        table_clause(kind.table, (document.name for spot in kind.spots for document in spot.rows), given)
        for kind in apis.kinds
    )


def endpoints(apis: Apis, given: Sequence[Answer]) -> tuple[Behaviour, ...]:
    """One clause for each endpoint that answers requests nobody captured."""
    return tuple(_endpoint(api, given) for api in apis.apis)


def _endpoint(api: Api, given: Sequence[Answer]) -> Behaviour:
    told = next(iter(api.query.experiments), None) if api.query else None
    parameters = [f"{one.name} ({one.does})" for one in api.query.parameters] if api.query else []
    fixed = [f"always {name}" for name, _ in api.endpoint.fixed]
    what = "list" if api.query else "one"
    return Behaviour(
        name=f"answer {what} {api.endpoint.method} {api.plain['list'] or api.endpoint.path}",
        safety="read",
        trigger=", ".join([f"{api.endpoint.method} {api.endpoint.path}", *fixed, *parameters]),
        observed=evidence_of((document.name for view in api.views for document in view.documents), given),
        variants=tuple(f"{part}: {how}" for part, how in sorted(how_known(api).items())),
        status="observed" if is_settled(api) else "inferred",
        refuted_by="an answer there with other values, other rows, or in another order",
        experiment=f"{told.text}: {told.address}" if told else "",
    )


def how_known(api: Api) -> Mapping[str, str]:
    """Rows, order, what is around the rows, and what is said of what there is not."""
    looked_up = sum(view.looked_up for view in api.views)
    found = {
        "around the rows": f"{sum(len(v.programs) for v in api.views) - looked_up} computed, {looked_up} looked up"
    }
    if api.query is not None:
        orders = {order.why.status for order in api.query.orders}
        found |= {"rows": api.query.members.status, "order": "looked up" if "looked up" in orders else "computed"}
    else:
        found |= {"rows": "computed", "missing": "computed" if api.missing else "unknown"}
    left_out = sorted({name for view in api.views for name in view.left_out})
    return found | ({"headers left out": ", ".join(left_out)} if left_out else {})


def is_settled(api: Api) -> bool:
    """Whether every captured answer is computed."""
    known = how_known(api)
    whole = api.query is None or (api.query.exact == api.query.checked and known["order"] == "computed")
    return whole and known["rows"] == "computed" and not any(view.looked_up for view in api.views)


def names_of(apis: Apis) -> Mapping[Api, str]:
    """What each endpoint is called; also the name of the files that belong to it.

    Names are lower-case words; no two endpoints share one.
    """
    found: dict[Api, str] = {}
    used: set[str] = set()
    for api in apis.apis:
        text = api.plain["list"] or api.endpoint.path.replace("*", "one")
        word = "".join(c if c.isascii() and c.isalnum() else "_" for c in text.lower()).strip("_") or "top"
        while "__" in word:
            word = word.replace("__", "_")
        found[api] = unique(word[:60], used)
    return found
