"""HTTP Archive 1.2, as browsers and test tools write and read it. https://w3c.github.io/web-performance/specs/HAR/"""

import base64
import binascii
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from artifacts.errors import DamagedError
from artifacts.evidence import Evidence, Headers, PageState
from artifacts.store import Store
from explorer.archives.traffic import Sent, Taken, header, whole

_TEXTUAL = re.compile(r"^text/|json|xml|javascript|ecmascript|urlencoded|graphql", re.I)
_DESTINATIONS = {
    "document": "document", "stylesheet": "style", "script": "script", "image": "image", "font": "font",
    "media": "video", "manifest": "manifest", "xhr": "empty", "fetch": "empty", "websocket": "websocket",
}  # fmt: skip
"""Chromium's resource types, as its archives tell them, in the words of Sec-Fetch-Dest."""


def write_har(evidence: Evidence, states: Sequence[PageState], traffic: Iterable[Sent], store: Store) -> bytes:
    """The archive as JSON. Each visit is a page of it; bodies are inside, those that are no text in base64."""
    entries = []
    began: dict[str, datetime] = {}
    for one in traffic:
        began.setdefault(one.exchange.visit, one.at)
        entries.append(_entry(one, store))
    titles = {state.visit: state.title or state.url for state in states}
    pages = [
        {"startedDateTime": at.isoformat(), "id": visit, "title": titles.get(visit, visit), "pageTimings": {}}
        for visit, at in began.items()
    ]
    name, _, version = evidence.lens.browser.partition("/")
    log = {
        "version": "1.2",
        "creator": {"name": "WebAnything", "version": "1"},
        "browser": {"name": name or "Chromium", "version": version},
        "pages": pages,
        "entries": entries,
    }
    return json.dumps({"log": log}, ensure_ascii=False).encode("utf-8", "backslashreplace")


def _entry(one: Sent, store: Store) -> dict[str, Any]:
    exchange = one.exchange
    entry: dict[str, Any] = {
        "startedDateTime": one.at.isoformat(),
        "time": exchange.milliseconds,
        "pageref": exchange.visit,
        "request": _request(one),
        "response": _response(one),
        "cache": {},
        "timings": {"send": 0, "wait": exchange.milliseconds, "receive": 0},
    }
    if exchange.note:
        entry["comment"] = exchange.note
    if exchange.status == 101:
        entry["_resourceType"] = "websocket"
        entry["_webSocketMessages"] = list(_messages(one, store))
    return entry


def _request(one: Sent) -> dict[str, Any]:
    exchange, headers = one.exchange, one.request_headers
    request: dict[str, Any] = {
        "method": exchange.method,
        "url": exchange.url,
        "httpVersion": exchange.http_version,
        "cookies": _cookies(value for name, value in headers if name.lower() == "cookie"),
        "headers": _pairs(headers),
        "queryString": _pairs(parse_qsl(urlsplit(exchange.url).query, keep_blank_values=True)),
        "headersSize": -1,
        "bodySize": len(one.request_body),
    }
    if one.request_body:
        media = header(headers, "content-type")
        text = one.request_body.decode("utf-8", "replace")
        form = parse_qsl(text, keep_blank_values=True) if "urlencoded" in media else []
        request["postData"] = {"mimeType": media, "params": _pairs(form), "text": text}
    return request


def _response(one: Sent) -> dict[str, Any]:
    exchange, headers = one.exchange, one.response_headers
    media = header(headers, "content-type")
    content: dict[str, Any] = {"size": len(one.response_body), "mimeType": media or "x-unknown"}
    try:
        if not _TEXTUAL.search(media) or re.search(r"charset=(?!\W?utf-?8)", media, re.I):
            raise UnicodeError
        content["text"] = one.response_body.decode()
    except UnicodeError:
        content |= {"text": base64.b64encode(one.response_body).decode(), "encoding": "base64"}
    return {
        "status": exchange.status,
        "statusText": one.phrase,
        "httpVersion": exchange.http_version,
        "cookies": _cookies(value for name, value in headers if name.lower() == "set-cookie"),
        "headers": _pairs(headers),
        "content": content,
        "redirectURL": header(headers, "location"),
        "headersSize": -1,
        "bodySize": len(one.response_body),
    }


def _messages(one: Sent, store: Store) -> Iterator[dict[str, Any]]:
    for line in store.get(one.exchange.messages).splitlines() if one.exchange.messages else ():
        message = json.loads(line)
        yield {
            "type": "send" if message["from"] == "client" else "receive",
            "time": one.at.timestamp() + message["at_ms"] / 1000,
            "opcode": 1 if "text" in message else 2,
            "data": message.get("text", message.get("base64", "")),
        }


def _pairs(pairs: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in pairs]


def _cookies(values: Iterable[str]) -> list[dict[str, str]]:
    found: list[dict[str, str]] = []
    for value in values:
        try:
            found += [{"name": name, "value": morsel.value} for name, morsel in SimpleCookie(value).items()]
        except CookieError:
            continue
    return found


def read_har(data: bytes) -> Iterator[Taken]:
    """The answered requests of an archive, in its order. Raises DamagedError if it is none."""
    try:
        entries = json.loads(data)["log"]["entries"]
    except (ValueError, KeyError, TypeError) as error:
        raise _unreadable(f"it has no log with entries ({type(error).__name__})") from error
    for number, entry in enumerate(entries):
        try:
            if taken := _taken(entry):
                yield taken
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise _unreadable(f"entry {number + 1} cannot be read ({type(error).__name__}: {error})") from error


def _taken(entry: dict[str, Any]) -> Taken | None:
    request, response = entry["request"], entry["response"]
    if not int(response["status"] or 0) or not request["url"].startswith(("http://", "https://")):
        return None  # the browser gave up, or asked nobody
    request_headers, response_headers = _headers(request), _headers(response)
    posted = request.get("postData") or {}
    body = _body(posted) if posted.get("text") else _form(posted.get("params") or ())
    content = response.get("content") or {}
    answer, lacks = _body(content), int(content.get("size") or 0) > 0 and not content.get("text")
    destination = header(request_headers, "sec-fetch-dest") or _DESTINATIONS.get(entry.get("_resourceType", ""), "")
    return Taken(
        method=request["method"].upper(),
        url=request["url"].partition("#")[0],
        request_headers=request_headers,
        request_body=body,
        status=int(response["status"]),
        response_headers=whole(response_headers, answer),
        response_body=answer,
        destination=destination,
        http_version=str(response.get("httpVersion") or "HTTP/1.1"),
        milliseconds=max(float(entry.get("time") or 0), 0),
        note="the archive holds no body" if lacks else "",
    )


def _headers(message: dict[str, Any]) -> Headers:
    return tuple(
        (str(one["name"]), line)
        for one in message.get("headers") or ()
        if not one["name"].startswith(":")
        for line in str(one["value"]).split("\n")  # browsers join repeated headers so
    )


def _body(content: dict[str, Any]) -> bytes:
    text = content.get("text") or ""
    if content.get("encoding") == "base64":
        try:
            return base64.b64decode(text)
        except binascii.Error as error:
            raise ValueError("a body is no base64") from error
    return str(text).encode("utf-8", "surrogatepass")


def _form(params: Iterable[dict[str, Any]]) -> bytes:
    return urlencode([(one["name"], one.get("value") or "") for one in params]).encode()


def _unreadable(why: str) -> DamagedError:
    return DamagedError(
        f"This is no HTTP archive: {why}.",
        remedy="Save it again from the browser's network panel (with content), or record it with another tool.",
        code="bad_archive",
    )
