"""Static resources the site has sent already, so that a fresh browser context does not ask the site for them again.

Every look begins in a context without a cache, as the evidence needs; the site should not pay for that. Only what any
browser could have kept is answered from here, and it is recorded like every other answer.
"""

from collections import OrderedDict

from mitmproxy import http

MAX_ITEM = 2_000_000
MAX_TOTAL = 96_000_000
NOTE = "sent by the site earlier in this run"
_KINDS = frozenset(("style", "script", "image", "font"))
_SAFE_TO_VARY = frozenset(("accept-encoding", "origin", ""))

Key = tuple[str, str, str]


class Shelf:
    """Answers by address, content codings and origin; the ones not used for longest go first."""

    def __init__(self) -> None:
        self._answers: OrderedDict[Key, http.Response] = OrderedDict()
        self._size = 0

    def take(self, request: http.Request) -> http.Response | None:
        """A copy of the site's own answer to the like of this request, if it may be used again."""
        key = _key(request)
        if key is None or key not in self._answers:
            return None
        self._answers.move_to_end(key)
        return self._answers[key].copy()

    def keep(self, request: http.Request, answer: http.Response, body: bytes) -> None:
        """Keep an answer as transferred, if it says that it may be kept."""
        key = _key(request)
        if key is None or key in self._answers or len(body) > MAX_ITEM or not _may_be_kept(answer):
            return
        kept = answer.copy()
        kept.stream = False
        kept.raw_content = body
        kept.headers.pop("transfer-encoding", None)
        kept.headers["content-length"] = str(len(body))
        self._answers[key] = kept
        self._size += len(body)
        while self._size > MAX_TOTAL:
            _, gone = self._answers.popitem(last=False)
            self._size -= len(gone.raw_content or b"")


def _key(request: http.Request) -> Key | None:
    headers = request.headers
    if request.method != "GET" or headers.get("sec-fetch-dest", "") not in _KINDS:
        return None
    if "range" in headers or "authorization" in headers or "no-cache" in headers.get("cache-control", ""):
        return None
    return (request.url, headers.get("accept-encoding", ""), headers.get("origin", ""))


def _may_be_kept(answer: http.Response) -> bool:
    control = answer.headers.get("cache-control", "").lower()
    if answer.status_code != 200 or "set-cookie" in answer.headers:
        return False
    if any(word in control for word in ("no-store", "no-cache", "private", "must-understand")):
        return False
    varies = {name.strip().lower() for name in answer.headers.get("vary", "").split(",")}
    lasts = "max-age" in control or any(name in answer.headers for name in ("expires", "etag", "last-modified"))
    return lasts and varies <= _SAFE_TO_VARY
