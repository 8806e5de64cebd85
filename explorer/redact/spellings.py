"""How one value may be spelt in bodies, addresses and markup. Pure."""

import html
import json
import re
from urllib.parse import quote, quote_plus


def viewed(text: str) -> str:
    """How UTF-8 text looks in a body, which is read as Latin-1 so that no byte of it is lost."""
    return text.encode("utf-8", "surrogatepass").decode("latin-1")


def as_bytes(text: str) -> bytes:
    """The bytes of a text that was read as Latin-1, or of one that never was."""
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def is_strong(password: str) -> bool:
    """True for a password that is no ordinary word or small number, so that finding it in a text means something."""
    return len(password) >= 6 and not re.fullmatch(r"[a-z]+|[A-Z][a-z]+|\d{1,7}", password)


def unescaped(value: str) -> str:
    """What stands between the quotes of a JSON string; the same again if it is none."""
    try:
        plain = json.loads(f'"{value}"')
    except ValueError:
        return value
    return plain if isinstance(plain, str) else value


def spellings(value: str) -> set[str]:
    """Every spelling in which the value may stand: plain, percent-encoded, in JSON, in HTML.

    >>> sorted(spellings("a&b"))
    ['a%26b', 'a&amp;b', 'a&b', 'a\\\\\\\\u0026b', 'a\\\\u0026b']
    """
    encoded = {quote(value, safe=""), quote(value), quote_plus(value), quote(value, safe="!*'()~-._@$,:;/?+=&")}
    encoded |= {re.sub(r"%[0-9A-F]{2}", lambda found: found[0].lower(), form) for form in encoded}
    as_json, as_html = json.dumps(value)[1:-1], html.escape(value)
    escaped = {as_json, json.dumps(value, ensure_ascii=False)[1:-1], as_json.replace("/", "\\/")}
    escaped |= {re.sub(r"[&<>']", lambda found: f"\\u{ord(found[0]):04x}", form) for form in escaped}
    escaped |= {as_html, as_html.replace("&#x27;", "&#39;").replace("&quot;", "&#34;"), html.escape(value, quote=False)}
    doubled = {json.dumps(form)[1:-1] for form in escaped}
    return {value} | encoded | escaped | doubled
