"""Secrets replaced before anything reaches the disk, and a count of each kind.

The same value always gets the same stand-in while a Redactor lives, so equality survives; the key that makes the
stand-ins is held in memory only. Stand-ins are `redacted-HEX`, `{{password:LABEL}}` for a named account's password,
`{{secret:HEX}}` for any other password, and an address at example.invalid for an e-mail address.
"""

import html
import re
import secrets
import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import quote, unquote_plus

from artifacts.run import Account
from explorer.redact.addresses import IN_QUERY, LOGIN_CODE, PATH_SESSION, QUERY_ADDRESS, query_kind, tells_login
from explorer.redact.names import Kind, field_kind, is_plain, is_secret_header, is_token_shaped, names_visitor
from explorer.redact.shapes import MARK, Scan, is_card, is_iban, is_phone, replace_shapes
from explorer.redact.spellings import as_bytes, is_strong, spellings, unescaped, viewed
from explorer.redact.standins import as_account, stand_in

Headers = Sequence[tuple[str, str]]

_TEXTUAL = re.compile(
    r"^(?:text/|image/svg|multipart/(?:form-data|mixed|related)|application/(?:x-www-form-urlencoded|rtf"
    r"|[\w.+-]*(?:json|xml|javascript|ecmascript|graphql|csv)[\w.+-]*))",
    re.IGNORECASE,
)
_CODE = re.compile(r"javascript|ecmascript|text/css", re.IGNORECASE)
_PAIR = re.compile(
    r"""(?P<q>\\?["'])(?P<name>[\w$.\[\]-]{2,64})(?P=q)(?P<colon>\s*:\s*)"""
    r"""(?:"(?P<plain>(?:[^"\\\n]|\\.)*)"|\\"(?P<nested>(?:[^"\\\n]|\\\\.)*)\\"|(?P<number>\d{3,19})(?![\d.]))"""
)
_HINTS = (
    "pass pwd psw pw token secret key auth sess cred jwt sid sig otp pin cvv cvc csc cvn card code iban bearer "
    "kennwort wachtwoord motdepasse contrasena senha onetime tan 2fa mfa ccnum cc_num cc-num phone tel mobile msisdn"
).split(" ")  # fmt: skip
"""Every name that `field_kind` knows contains one of these: plain searches are far quicker than one expression."""
_LITERAL_FIELD = re.compile(r"""\b([A-Za-z_]\w{1,40})(\s*[:=]\s*)(\\?["'])([^"'\\\n]{1,200})\3""")
_INPUT = re.compile(r"<input\b[^>]*>", re.IGNORECASE)
_SECRET_INPUT = re.compile(r"\btype\s*=\s*[\"']?(password|tel)\b", re.IGNORECASE)
_VALUE = re.compile(r"(\bvalue\s*=\s*)(?:\"([^\"]*)\"|'([^']*)'|([^\s>\"']+))", re.IGNORECASE)
_ADDRESS_HEADERS = frozenset({"location", "content-location", "referer"})
SHORTEST_SECRET = 6
"""A cookie that scripts may not read is a preference rather than a secret if it is shorter."""


class Redactor:
    """Replaces secrets in headers, addresses, bodies and texts. Threads may share one."""

    def __init__(self, accounts: Iterable[Account] = (), *, key: bytes | None = None) -> None:
        self.key = key or secrets.token_bytes(32)
        self.accounts = accounts = tuple(accounts)
        self.counts: Counter[str] = Counter()
        self.learned: list[tuple[str, str]] = []
        """What was typed into forms, with its stand-ins; another Redactor with the same key should `learn` it."""
        self._keep = frozenset(account.user.lower() for account in accounts)
        self._learning = threading.Lock()
        self._known: dict[str, str] = {}
        self._anywhere: re.Pattern[str] | None = None
        self._forms: dict[str, str] = {}
        self._http_only: set[str] = set()
        for account in accounts:
            if account.password:
                self._learn(account.password, f"{{{{password:{account.label}}}}}", account)

    def learn(self, value: str, replacement: str) -> None:
        """From now on this value is replaced wherever it stands, as it was where it was found."""
        self._learn(value, replacement)

    def redact_headers(self, headers: Headers) -> tuple[tuple[str, str], ...]:
        """The headers in the same order, secrets replaced; of cookies the names and attributes stay."""
        return tuple((name, self._header(name, value)) for name, value in headers)

    def redact_url(self, url: str) -> str:
        """The address with user information and secret path, query and fragment values replaced."""
        head, hash_sign, fragment = self._passwords(url).partition("#")
        path, question, query = head.partition("?")
        path = self._path(path)
        if query:
            query = self._pairs_of_query(query)
        if "=" in fragment:
            start, mark, rest = fragment.rpartition("?")
            fragment = start + mark + self._pairs_of_query(rest)
        elif fragment:
            fragment = self.redact_text(fragment)
        return path + question + query + hash_sign + fragment

    def redact_body(self, body: bytes, content_type: str, *, sent: bool) -> bytes:
        """The decoded body with its secrets replaced; what is not text comes back untouched.

        `sent` bodies come from the browser: there every password field is a secret, whatever it holds.
        """
        if not body or not _is_text(body, content_type):
            return body
        encoding = "utf-16" if body[:2] in (b"\xff\xfe", b"\xfe\xff") else "latin-1"
        text = body.decode(encoding, "surrogatepass" if encoding == "utf-16" else "strict")
        if sent and "urlencoded" in content_type.lower():
            redacted = self._pairs_of_form(text)
        elif sent and "form-data" in content_type.lower():
            redacted = self._multipart(text, content_type)
        else:
            redacted = self._document(text, sent=sent, code=bool(_CODE.search(content_type)))
        if redacted == text:
            return body
        return redacted.encode("utf-16", "surrogatepass") if encoding == "utf-16" else as_bytes(redacted)

    def redact_text(self, text: str) -> str:
        """Any text the browser showed or serialised: markup, JSON or prose."""
        return self._document(text, sent=False, code=False)

    def redact_message(self, text: str, *, sent: bool) -> str:
        """One WebSocket or event-stream message."""
        return self._document(text, sent=sent, code=False)

    def redact_storage(self, storage: dict[str, Any]) -> dict[str, Any]:
        """Local and session storage and cookies, keys and structure kept."""
        done: dict[str, Any] = {}
        for area, values in storage.items():
            if isinstance(values, dict):
                done[area] = {key: self._stored(key, value) for key, value in values.items()}
            elif isinstance(values, list):
                done[area] = [self._stored_cookie(value) if isinstance(value, dict) else value for value in values]
            else:
                done[area] = values
        return done

    # -- stand-ins ---------------------------------------------------------------------------------------------------

    def _mark(self, kind: str, value: str) -> str:
        if value in self._known:
            self.counts["password"] += 1
            return self._known[value]
        self.counts[kind] += 1
        return stand_in(self.key, kind, value)

    def _field(self, kind: Kind | None, value: str, *, sent: bool) -> str:
        """A whole value of a named field."""
        if value in self._known:
            return self._mark("password", value)
        if not value or value.startswith((MARK, "{{")):
            return value
        digits = re.sub(r"[ -]", "", value)
        if kind in (None, "card", "card_code", "one_time_code") and re.fullmatch(r"0000\d*|0+", digits):
            return value  # a stand-in
        if (sent or kind == "card") and digits.isdigit() and (is_card(digits) or (kind == "card" and len(digits) > 11)):
            return self._mark("card", value)
        if is_iban(value):
            return self._mark("iban", value)
        if kind == "phone":
            return self._remembered(kind, value) if sent and is_phone(value) else value
        if kind is None or kind in ("card", "iban"):
            return value
        if kind == "token" and not sent and not is_token_shaped(value):
            return value
        if sent and (kind != "token" or len(value) >= 8):
            return self._remembered(kind, value) if kind == "password" else self._mark(kind, value)
        if not sent and kind == "password" and not is_token_shaped(value):
            return value  # a label such as "Your password"
        if not sent and kind in ("one_time_code", "card_code") and not value.isdigit():
            return value
        return self._mark(kind, value)

    def _remembered(self, kind: Kind, value: str) -> str:
        """Its stand-in, by which it is replaced wherever else it stands from now on."""
        replacement = self._mark(kind, value)
        self.learned.append((value, replacement))
        self._learn(value, replacement)
        return replacement

    def _learn(self, value: str, replacement: str, account: Account | None = None) -> None:
        with self._learning:
            self._learn_once(value, replacement, account)

    def _learn_once(self, value: str, replacement: str, account: Account | None) -> None:
        if value in self._known or value.startswith((MARK, "{{")) or len(self._known) > 500:
            return
        self._known[value] = self._known[viewed(value)] = replacement
        if not is_strong(value) or (account is not None and value in (account.user, account.label)):
            return  # an ordinary word: replaced as a whole field only, or every page that says it would change
        for form in spellings(value):
            self._forms.setdefault(form, replacement)
            self._forms.setdefault(viewed(form), replacement)
        longest_first = sorted(self._forms, key=len, reverse=True)
        self._anywhere = re.compile("|".join(re.escape(form) for form in longest_first))

    # -- places ------------------------------------------------------------------------------------------------------

    def _header(self, name: str, value: str) -> str:
        lower = name.lower()
        if lower == "cookie":
            return "; ".join(self._cookie(pair) for pair in value.split("; "))
        if lower == "set-cookie":
            pair, semicolon, attributes = value.partition(";")
            http_only = "httponly" in attributes.lower()
            if http_only:
                self._http_only.add(pair.partition("=")[0].strip())
            return self._cookie(pair) + semicolon + attributes
        if is_secret_header(name):
            scheme, space, rest = value.partition(" ")
            if space and (known := as_account(value, self.accounts)):
                self.counts["password"] += 1
                return known
            if space and rest:
                return f"{scheme} {self._once('authorization', rest)}"
            return self._once("authorization", value)
        if lower in _ADDRESS_HEADERS:
            return self.redact_url(value)
        if "?" in value:
            value = QUERY_ADDRESS.sub(lambda found: self.redact_url(found[0]), value)
        return replace_shapes(self._passwords(value), self._mark, self._keep, Scan(cards=False))

    def _once(self, kind: str, value: str) -> str:
        return value if not value or value.startswith((MARK, "{{")) else self._mark(kind, value)

    def _cookie(self, pair: str) -> str:
        name, equals, value = pair.partition("=")
        return name + equals + self._cookie_value(name.strip(), value, http_only=False)

    def _cookie_value(self, name: str, value: str, *, http_only: bool) -> str:
        quoted = len(value) > 1 and value[0] == value[-1] == '"'
        inner = value[1:-1] if quoted else value
        if not inner:
            return value
        hidden = (http_only or name in self._http_only) and len(inner) >= SHORTEST_SECRET
        harmless = not (hidden or names_visitor(name)) and is_plain(inner)
        redacted = self._passwords(inner) if harmless else self._once("cookie", inner)
        return f'"{redacted}"' if quoted else redacted

    def _stored(self, key: str, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        if value.lstrip()[:1] in ("{", "["):
            return self._document(value, sent=True, code=False)
        kind = field_kind(key)
        if kind is not None:
            return self._field(kind, value, sent=True)
        if names_visitor(key) and is_token_shaped(value):
            return self._once("token", value)
        return self.redact_text(value)

    def _stored_cookie(self, cookie: dict[str, Any]) -> dict[str, Any]:
        if not isinstance(cookie.get("value"), str):
            return cookie
        http_only = bool(cookie.get("http_only", cookie.get("httpOnly", False)))
        name = str(cookie.get("name", ""))
        return {**cookie, "value": self._cookie_value(name, cookie["value"], http_only=http_only)}

    def _path(self, path: str) -> str:
        return PATH_SESSION.sub(self._path_session, replace_shapes(path, self._mark, self._keep, Scan(cards=False)))

    def _path_session(self, found: re.Match[str]) -> str:
        return found[1] + self._once("token", found[2])

    def _pairs_of_query(self, query: str) -> str:
        is_login = tells_login(query)
        return re.sub(r"[^&;]+", lambda found: self._pair_of_query(found[0], is_login=is_login), query)

    def _pair_of_query(self, pair: str, *, is_login: bool = False) -> str:
        name, equals, value = pair.partition("=")
        plain = unquote_plus(value)
        kind = query_kind(unquote_plus(name), is_login=is_login)
        must = kind is not None and (kind != "token" or is_token_shaped(plain))
        redacted = self._field(kind, plain, sent=True) if must else self._free(plain)
        return pair if redacted == plain else name + equals + quote(redacted, safe="{}:@")

    def _pairs_of_form(self, form: str) -> str:
        is_login = tells_login(form)
        return "&".join(self._pair_of_form(pair, is_login) for pair in form.split("&"))

    def _pair_of_form(self, pair: str, is_login: bool) -> str:
        name, equals, value = pair.partition("=")
        plain, plain_name = unquote_plus(value), unquote_plus(name)
        kind = query_kind(plain_name, is_login=True) if is_login else field_kind(plain_name)
        redacted = self._field(kind, plain, sent=True)
        if redacted == plain:
            redacted = self._free(plain)
        return pair if redacted == plain else name + equals + quote(redacted, safe="{}:@")

    def _multipart(self, text: str, content_type: str) -> str:
        boundary = re.search(r"boundary=\"?([^\";]+)", content_type, re.IGNORECASE)
        if not boundary:
            return self._document(text, sent=True, code=False)
        separator = "--" + boundary[1].strip()
        return separator.join(self._part(part) for part in text.split(separator))

    def _part(self, part: str) -> str:
        head, blank, body = part.partition("\r\n\r\n")
        name = re.search(r"\bname=\"([^\"]*)\"", head)
        kind = re.search(r"content-type:\s*([^\r\n;]+)", head, re.IGNORECASE)
        if not blank or name is None or (kind and not _TEXTUAL.match(kind[1])):
            return part
        value = body.removesuffix("\r\n")
        redacted = self._field(field_kind(name[1]), value, sent=True)
        if redacted == value:
            redacted = self._document(value, sent=True, code=False)
        return head + blank + redacted + body[len(value) :]

    # -- texts -------------------------------------------------------------------------------------------------------

    def _free(self, text: str) -> str:
        return self._document(text, sent=True, code=False) if len(text) > 3 else text

    def _document(self, text: str, *, sent: bool, code: bool) -> str:
        if not code:
            lower = text.lower()
            if "<" in text and ("password" in lower or "tel" in lower):
                text = _INPUT.sub(self._secret_input, text)
            if any(hint in lower for hint in _HINTS):
                text = _PAIR.sub(lambda found: self._json_pair(found, sent), text)
                if sent:
                    text = _LITERAL_FIELD.sub(self._literal_field, text)
            if "=" in text:
                text = IN_QUERY.sub(self._query_in_text, text)
                text = PATH_SESSION.sub(self._path_session, text) if ";" in text else text
                text = LOGIN_CODE.sub(self._login_code, text) if "code=" in text and "state=" in text else text
        text = self._passwords(text)
        return replace_shapes(text, self._mark, self._keep, Scan(cards=not code, in_code=code))

    def _query_in_text(self, found: re.Match[str]) -> str:
        return found[1] + self._pair_of_query(f"{found[2]}={found[3]}") if query_kind(found[2]) else found[0]

    def _login_code(self, found: re.Match[str]) -> str:
        before, code = (found[1], found[2]) if found[2] else (found[3], found[4])
        return before + self._field("token", code, sent=True) if is_token_shaped(code) else found[0]

    def _passwords(self, text: str) -> str:
        if self._anywhere is None:
            return text
        return self._anywhere.sub(self._known_form, text)

    def _known_form(self, found: re.Match[str]) -> str:
        self.counts["password"] += 1
        return self._forms[found[0]]

    def _json_pair(self, found: re.Match[str], sent: bool) -> str:
        group = found.lastgroup or ""
        value = found[group]
        kind = field_kind(found["name"])
        if kind is None and '\\"' in value:  # JSON inside a JSON string
            start, end = (place - found.start() for place in found.span(group))
            return found[0][:start] + _PAIR.sub(lambda pair: self._json_pair(pair, sent), value) + found[0][end:]
        if kind is None and not sent and value not in self._known:
            return found[0]
        redacted = self._field(kind, unescaped(value), sent=sent)
        if redacted == unescaped(value):
            return found[0]
        quotes = '\\"' if group == "nested" else '"'
        return found[0][: found.end("colon") - found.start()] + quotes + redacted + quotes

    def _literal_field(self, found: re.Match[str]) -> str:
        kind = field_kind(found[1])
        if kind is None:
            return found[0]
        return f"{found[1]}{found[2]}{found[3]}{self._field(kind, found[4], sent=True)}{found[3]}"

    def _secret_input(self, found: re.Match[str]) -> str:
        kind = _SECRET_INPUT.search(found[0])
        if kind is None:
            return found[0]
        mark = self._filled_password if kind[1].lower() == "password" else self._filled_phone
        return _VALUE.sub(mark, found[0])

    def _filled_password(self, found: re.Match[str]) -> str:
        value = _value_of(found)
        if not value or value.startswith((MARK, "{{")):
            return found[0]
        return f'{found[1]}"{self._mark("password", value)}"'

    def _filled_phone(self, found: re.Match[str]) -> str:
        value = _value_of(found)
        return f'{found[1]}"{self._remembered("phone", value)}"' if is_phone(value) else found[0]


def _value_of(found: re.Match[str]) -> str:
    return html.unescape(next((group for group in found.groups()[1:] if group is not None), ""))


def _is_text(body: bytes, content_type: str) -> bool:
    if _TEXTUAL.match(content_type.strip()):
        return True
    kind = content_type.partition(";")[0].strip().lower()
    if kind not in ("", "application/octet-stream", "application/x-unknown", "binary/octet-stream"):
        return False
    return b"\0" not in body[:1024] and not re.search(rb"[\x00-\x08\x0e-\x1a]", body[:1024])
