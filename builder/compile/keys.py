"""How a request is named: its address, its query, and the leaves of its body.

Recorded requests and incoming ones are named by the same code, so that equal names mean equal
requests. Standard library only: a copy of this file is part of every emitted application.
"""

import hashlib
import json
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Mapping
from hmac import compare_digest
from itertools import pairwise
from typing import Any
from urllib.parse import parse_qsl, quote, unquote_to_bytes, urlencode

Pairs = tuple[tuple[str, str], ...]
Accounts = Iterable[tuple[str, str, str]]
"""Label, user and password of each."""

DEFAULT_PORTS = {"http": 80, "https": 443}
PASSWORD = re.compile(r"\{\{password:([^{}]+)\}\}")
SECRET = re.compile(r"\{\{secret:[^{}]*\}\}")
UNKNOWN = "{{unknown}}"
"""A right password of which nothing was kept: what a visitor types is never taken for it."""
_UNIX_TIME = re.compile(r"\d{10}(\d{3}|\d{6})?([.]\d+)?")
_ISO_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d([.]\d+)?)?(Z|[+-]\d\d:?\d\d)?")
_FRACTION = re.compile(r"0?\.\d{8,}")
_TOKEN = re.compile(r"[A-Za-z0-9_+/=.~:-]{16,}")
_HEX = re.compile(r"[0-9a-f]{16,}|[0-9A-F]{16,}")
_WORD = re.compile(r"[A-Za-z]+")
_RUN = re.compile(r"[a-z]+|[A-Z]+")
_TELEPHONE = re.compile(r"mobi|iphone|android", re.I)
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_BINARY = re.compile(r"^(image|audio|video|font)/|octet-stream|zip|pdf|protobuf|wasm")


def origin_of(scheme: str, host: str, port: int | None) -> str:
    """Scheme, host and port as one name; the port is left out where it is the usual one."""
    name = f"[{host}]" if ":" in host else host.lower().rstrip(".")
    if port is None or DEFAULT_PORTS.get(scheme) == port:
        return f"{scheme}://{name}"
    return f"{scheme}://{name}:{port}"


def path_of(path: str | bytes) -> str:
    """One spelling for a path, whichever characters were escaped on the way.

    >>> path_of("/a%7eb/%c3%a9") == path_of(b"/a~b/\\xc3\\xa9") == "/a~b/%C3%A9"
    True
    """
    return quote(unquote_to_bytes(path), safe="/:@!$&'()*+,;=~-._") or "/"


def pairs_of(query: str) -> Pairs:
    """The pairs of a query, sorted by name. Repeats keep their order, empty values stay.

    >>> pairs_of("b=2&a=&b=1")
    (('a', ''), ('b', '2'), ('b', '1'))
    """
    return tuple(sorted(sent_pairs(query), key=lambda pair: pair[0]))


def sent_pairs(query: str) -> Pairs:
    """The pairs of a query in the order they were sent."""
    return tuple(parse_qsl(query, keep_blank_values=True, errors="backslashreplace"))


def query_of(pairs: Iterable[tuple[str, str]], without: Iterable[str] = ()) -> str:
    """The pairs as a query again, some names left out."""
    left_out = frozenset(without)
    return urlencode([pair for pair in pairs if pair[0] not in left_out])


def leaves_of(media: str, body: bytes) -> dict[str, str]:
    """Every value in a request's body under its path: form fields, JSON leaves, or the text itself.

    Text stays as it is; a JSON value that is no text is written with "=" before it.

    >>> leaves_of("application/json", b'{"a": [1, "x"]}')
    {'/a[0]': '=1', '/a[1]': 'x'}
    >>> leaves_of("application/x-www-form-urlencoded", b"a=1&b=")
    {'a': '1', 'b': ''}
    """
    if not body:
        return {}
    kind = media.partition(";")[0].strip().lower()
    if kind == "application/x-www-form-urlencoded":
        text = body.decode("utf-8", "backslashreplace")
        return _numbered(parse_qsl(text, keep_blank_values=True, errors="backslashreplace"))
    if kind == "multipart/form-data":
        return _numbered(_multipart(media, body))
    if "json" in kind or body.lstrip()[:1] in (b"{", b"["):
        try:
            return dict(_flat("", json.loads(body)))
        except (ValueError, RecursionError):
            pass
    if _BINARY.search(kind):
        return {"": "sha256:" + hashlib.sha256(body).hexdigest()}
    try:
        return {"": body.decode()}
    except UnicodeDecodeError:
        return {"": "sha256:" + hashlib.sha256(body).hexdigest()}


def _numbered(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Form fields by name; the second of one name is called name#2, and so on."""
    seen: Counter[str] = Counter()
    found: dict[str, str] = {}
    for name, value in pairs:
        name = name.replace("#", "##")
        seen[name] += 1
        found[name if seen[name] == 1 else f"{name}#{seen[name]}"] = value
    return found


def _flat(path: str, value: Any) -> Iterable[tuple[str, str]]:
    if isinstance(value, dict) and value:
        for key in sorted(value):
            safe = key.replace("~", "~0").replace("/", "~1").replace("[", "~2")
            yield from _flat(f"{path}/{safe}", value[key])
    elif isinstance(value, list) and value:
        for number, item in enumerate(value):
            yield from _flat(f"{path}[{number}]", item)
    elif isinstance(value, str) and not value.startswith("="):
        yield path, value
    else:
        yield path, "=" + json.dumps(value, ensure_ascii=False)


def _multipart(media: str, body: bytes) -> Iterable[tuple[str, str]]:
    found = re.search(r'boundary="?([^";]+)', media)
    if not found:
        return
    for part in (b"\r\n" + body).split(b"\r\n--" + found[1].encode())[1:]:
        head, blank, content = part.partition(b"\r\n\r\n")
        head_text = head.decode("utf-8", "replace")
        name = re.search(r'[; ]name="([^"]*)"', head_text)
        if not blank or not name:
            continue
        yield name[1], _text_or_digest(content)
        if file := re.search(r'filename="([^"]*)"', head_text):
            yield name[1] + ".filename", file[1]


def _text_or_digest(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return "sha256:" + hashlib.sha256(content).hexdigest()


def body_key(leaves: Mapping[str, str], without: Iterable[str] = ()) -> str:
    """A short digest over the leaves, some left out. Empty for a request without a body."""
    left_out = frozenset(without)
    kept = {path: value for path, value in leaves.items() if path not in left_out}
    if not leaves:
        return ""
    text = json.dumps(kept, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def numbered_secrets(leaves: Mapping[str, str]) -> dict[str, str]:
    """The leaves with unknown passwords numbered in order: only their being equal matters."""
    numbers: dict[str, str] = {}
    found = {}
    for path, value in sorted(leaves.items()):
        if SECRET.fullmatch(value):
            value = numbers.setdefault(value, f"{{{{secret:{len(numbers) + 1}}}}}")
        found[path] = value
    return found


def with_placeholders(leaves: Mapping[str, str], accounts: Accounts) -> dict[str, str]:
    """The leaves with each account's password replaced by its placeholder.

    Where two accounts share a password, the user named decides.
    """
    values = set(leaves.values())
    owners: dict[str, str] = {}
    for label, user, password in accounts:
        if password and (password not in owners or user in values):
            owners[password] = f"{{{{password:{label}}}}}"
    return {path: owners.get(value, value) for path, value in leaves.items()}


def credentials(value: str, accounts: Accounts) -> str:
    """An Authorization header as it is recorded: an account's password replaced by its placeholder.

    All else that a client sends comes back without what it says.

    >>> credentials("Basic YWRhOnB3", [("user", "ada", "pw")]), credentials("Basic YWRhOm5v", [])
    ('Basic ada:{{password:user}}', 'Basic')
    >>> credentials("Basic ada:{{password:user}}", [("user", "ada", "pw")]), credentials("", [])
    ('Basic', '')
    """
    scheme, _, said = value.strip().partition(" ")
    for label, user, password in accounts:
        meant = b64encode(f"{user}:{password}".encode()).decode()
        if password and scheme.lower() == "basic" and compare_digest(said.strip().encode(), meant.encode()):
            return f"Basic {user}:{{{{password:{label}}}}}"
    return scheme


def feature_of(name: str, headers: Mapping[str, str], cookies: Mapping[str, str]) -> str:
    """What a request says of itself under a header's name, or "cookie NAME"; empty if nothing.

    Values that nobody could give twice, or that were hidden, count as merely present, but not the
    credentials of an account. Of languages the first one counts, of browsers whether they are a
    telephone's; names may be joined by "+".

    >>> feature_of("cookie theme", {}, {"theme": "dark"}), feature_of("accept", {}, {})
    ('dark', '')
    >>> feature_of("accept-language+user-agent", {"accept-language": "de-AT,de;q=0.9"}, {})
    'de+desktop'
    """
    if "+" in name:
        return "+".join(feature_of(part, headers, cookies) for part in name.split("+"))
    if name == "accept-language":
        return re.split(r"[-_,;]", headers.get(name, "").strip().lower())[0]
    if name == "user-agent":
        return "mobile" if _TELEPHONE.search(headers.get(name, "")) else "desktop"
    kind, _, key = name.partition(" ")
    value = cookies.get(key, "") if kind == "cookie" else headers.get(kind, "")
    if kind == "authorization" and PASSWORD.search(value):
        return value
    hidden = kind == "authorization" or value.startswith(("redacted-", "{{"))
    return "*" if value and (hidden or is_restless(value)) else value


def is_restless(value: str) -> bool:
    """Whether chance or the clock made the value.

    >>> is_restless("1718000000123"), is_restless("0.8236729412"), is_restless("red")
    (True, True, False)
    """
    return looks_random(value) or looks_timed(value)


def looks_timed(value: str) -> bool:
    """Whether the value is a Unix time or an ISO instant.

    >>> looks_timed("1718000000123"), looks_timed("2024-06-10T08:00:00Z"), looks_timed("42")
    (True, True, False)
    """
    return bool(_UNIX_TIME.fullmatch(value) or _ISO_TIME.fullmatch(value))


def looks_random(value: str) -> bool:
    """Whether chance made the value: long, and changing between digits and letters all the time.

    >>> looks_random("9f86d081884c7d659a2feaa0c55ad015"), looks_random("0.8236729412")
    (True, True)
    >>> looks_random("a-light-in-the-attic_1000"), looks_random("12345")
    (False, False)
    >>> looks_random("wUdArGjjUZyAsYmVoYFR-mCy"), looks_random("getElementsByClassName")
    (True, False)
    """
    if _FRACTION.fullmatch(value):
        return True
    if not _TOKEN.fullmatch(value):
        return False
    if value.isdigit():
        return True
    if len(set(value)) < 7:
        return False
    kinds = ["1" if c.isdigit() else "A" if c.isupper() else "a" for c in value if c.isalnum()]
    if "1" not in kinds:
        return _is_jumbled(value)
    turns = sum(a != b and (a, b) != ("A", "a") for a, b in pairwise(kinds))
    return turns >= (2 if _HEX.fullmatch(value) else 0.2 * len(kinds))


def _is_jumbled(value: str) -> bool:
    """If letters change case as chance would; words have long small runs and lone capitals."""
    words = [word for word in _WORD.findall(value) if not word.islower() and not word.isupper()]
    runs = [run for word in words for run in _RUN.findall(word)]
    odd = sum(len(run) <= 2 if run.islower() else len(run) > 1 for run in runs)
    return len(runs) >= 6 and 2 * odd >= len(runs)


def shape_of(value: str) -> str:
    """What somebody typed: empty, a number, an email address, a web address, or text."""
    text = value.strip()
    if not text:
        return "empty"
    if re.fullmatch(r"=?[+-]?\d+([.,]\d+)*", text):
        return "number"
    if _EMAIL.fullmatch(text):
        return "email"
    return "address" if re.match(r"https?://", text) else "text"
