"""Secrets that are known by their shape, wherever they stand: keys, tokens, cards, accounts, addresses of people.

Pure. Each rule first looks for a short literal, so that a text without secrets costs a few fast searches.
"""

import base64
import binascii
import json
import re
from collections.abc import Iterable
from typing import Any, NamedTuple, Protocol

from explorer.redact.names import word_set

MARK = "redacted-"
PEOPLE_DOMAIN = "example.invalid"

_RESERVED = re.compile(r"(?:^|\.)(?:example\.[a-z]+|example|test|invalid|localhost|local|internal)$", re.IGNORECASE)
_ROLES = word_set(
    "info support sales contact contactus hello help helpdesk admin administrator webmaster postmaster hostmaster "
    "abuse security privacy legal press media marketing jobs careers hr office team service services "
    "customerservice customer-service customercare care billing invoices accounts accounting orders order shop "
    "store noreply no-reply donotreply do-not-reply newsletter news feedback enquiries enquiry inquiries "
    "reservations booking bookings editor editors mail email root git ftp you your yourname your.name your-name "
    "name user username someone firstname.lastname dpo gdpr compliance copyright dmca returns partners partner "
    "events general reception kontakt mailer-daemon api developer developers dev opensource oss feedback bugs "
    "community hi"
)
_FILE_ENDINGS = word_set(
    "png jpg jpeg gif svg webp avif ico css js mjs cjs ts tsx jsx json html htm xml woff woff2 ttf eot mp4 webm pdf "
    "map wasm scss less vue md txt"
)
_AT = re.compile(r"@|%40|&#0*64;|\\\\?u0040")
_LOCAL = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._+-]{0,63}$")
_DOMAIN = re.compile(r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,24}(?![A-Za-z0-9-])")
# these begin with the character they look for, and look behind it afterwards: that is ten times quicker
_CARD = re.compile(
    r"\d(?<![\w.+#-]\d)(?:\d{3}(?:[ -]\d{4}){2}[ -]\d{1,7}|\d{3}[ -]\d{6}[ -]\d{5}|(?<![/=]\d)\d{12,18})(?![\w-])",
    re.ASCII,
)
_DIGITS = re.compile(r"\d\d{3}(?:\d{9}|[ -]\d{4})", re.ASCII)
_BRANDS = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2(?:2[2-9]|[3-6]\d|7[01])\d{13}|2720\d{12}|3[47]\d{13}"
    r"|6(?:011|5\d\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|35(?:2[89]|[3-8]\d)\d{12}|62\d{14,17}"
)
PUBLISHED_CARDS = word_set(
    "4242424242424242 4111111111111111 4012888888881881 4000056655665556 5555555555554444 5105105105105100 "
    "378282246310005 371449635398431 6011111111111117 6011000990139424 30569309025904 3530111333300000 "
    "2223003122003222 4222222222222"
)
"""Numbers that payment companies print in their manuals; pages show them as examples."""
_IBAN = re.compile(
    r"[A-Z](?<![A-Za-z0-9][A-Z])[A-Z]\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])", re.ASCII
)
_JWT = re.compile(r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{6,}\.eyJ[A-Za-z0-9_-]{4,}\.([A-Za-z0-9_-]{8,})")
_KEY_BLOCK = re.compile(r"-----BEGIN ([A-Z0-9 ]*PRIVATE KEY)-----(.{16,20000}?)-----END \1-----", re.DOTALL)
_BEARER = re.compile(r"\b([Bb]earer(?: |%20|\+))([A-Za-z0-9._~+/=-]{16,})", re.ASCII)
_USERINFO = re.compile(r"(?<=://)([^\s/@:\"'<>?#]{1,64}):([^\s/@\"'<>?#]{1,128})@(?=[A-Za-z0-9\[])")
_PREFIXED: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (literal, re.compile(r"(?<![A-Za-z0-9_])" + pattern, re.ASCII))
    for literal, pattern in (
        ("AKIA", r"AKIA[0-9A-Z]{16}(?![0-9A-Za-z])"),
        ("ASIA", r"ASIA[0-9A-Z]{16}(?![0-9A-Za-z])"),
        ("AIza", r"AIza[0-9A-Za-z_-]{35}(?![0-9A-Za-z_-])"),
        ("ya29.", r"ya29\.[0-9A-Za-z_-]{20,}"),
        ("gh", r"gh[pousr]_[0-9A-Za-z]{30,}"),
        ("github_pat_", r"github_pat_[0-9A-Za-z_]{30,}"),
        ("glpat-", r"glpat-[0-9A-Za-z_-]{20,}"),
        ("xox", r"xox[abposr]-[0-9A-Za-z-]{10,}"),
        ("k_live_", r"[sr]k_live_[0-9A-Za-z]{16,}"),
        ("k_test_", r"[sr]k_test_[0-9A-Za-z]{16,}"),
        ("SG.", r"SG\.[0-9A-Za-z_-]{16,}\.[0-9A-Za-z_-]{16,}"),
        ("npm_", r"npm_[0-9A-Za-z]{36}"),
        ("sk-", r"sk-(?:ant-|proj-)?[0-9A-Za-z_-]{32,}"),
        ("hf_", r"hf_[0-9A-Za-z]{30,}"),
        ("AccountKey=", r"AccountKey=[0-9A-Za-z+/=]{40,}"),
        ("whsec_", r"whsec_[0-9A-Za-z+/=]{24,}"),
        ("hooks.slack.com/services/", r"(?<=hooks\.slack\.com/services/)T[0-9A-Z]+/B[0-9A-Z]+/[0-9A-Za-z]{16,}"),
        ("shp", r"shp(?:at|ca|pa|ss)_[0-9a-f]{32}"),
        ("_v1_", r"do[opr]_v1_[0-9a-f]{64}"),
        (":AA", r"(?:bot)?\d{8,10}:AA[0-9A-Za-z_-]{33}(?![0-9A-Za-z_-])"),
        ("GOCSPX-", r"GOCSPX-[0-9A-Za-z_-]{20,}"),
        ("pypi-", r"pypi-AgE[0-9A-Za-z_-]{50,}"),
        ("sq0", r"sq0(?:atp|csp)-[0-9A-Za-z_-]{22,}"),
    )
)


class Marker(Protocol):
    """Counts one secret of a kind and gives what stands for it, the same for the same value."""

    def __call__(self, kind: str, value: str) -> str: ...


class Scan(NamedTuple):
    """Which of the rules that can be wrong about ordinary text are wanted."""

    people: bool = True
    cards: bool = True
    in_code: bool = False
    """The text is a script or style sheet: addresses in its comments name authors, not visitors."""


def replace_shapes(text: str, mark: Marker, keep: Iterable[str] = (), scan: Scan | None = None) -> str:
    """The text with every shaped secret replaced. `keep` holds e-mail addresses that stay, in lower case."""
    scan = scan or Scan()
    if "-----BEGIN" in text:
        text = _KEY_BLOCK.sub(lambda found: _sub(mark, "private_key", found[0], found[2]), text)
    if "eyJ" in text:
        text = _JWT.sub(lambda found: _worthless_jwt(found, mark), text)
    if "earer" in text:
        text = _BEARER.sub(lambda found: found[1] + _sub(mark, "token", found[2], found[2]), text)
    for literal, pattern in _PREFIXED:
        if literal in text:
            text = pattern.sub(lambda found: mark("key", found[0]), text)
    if "://" in text and "@" in text:
        text = _USERINFO.sub(lambda found: _userinfo(found, mark), text)
    if scan.cards and _DIGITS.search(text):
        text = _CARD.sub(lambda found: _card(found[0], mark), text)
    if scan.cards:
        text = _IBAN.sub(lambda found: _iban(found[0], mark), text)
    if scan.people:
        text = _people(text, mark, frozenset(keep), scan.in_code)
    return text


def _sub(mark: Marker, kind: str, whole: str, value: str) -> str:
    return whole if value.strip().startswith(MARK) else mark(kind, value)


def _userinfo(found: re.Match[str], mark: Marker) -> str:
    if found[2].startswith((MARK, "{{")):
        return found[0]
    return f"{found[1]}:{mark('password', found[2])}@"


def is_card(digits: str) -> bool:
    """True for the number of a payment card: a known issuer, its length, and the Luhn check.

    >>> is_card("4539578763621486"), is_card("4539578763621487"), is_card("")
    (True, False, False)
    """
    return bool(_BRANDS.fullmatch(digits)) and _luhn(digits)


def _luhn(digits: str) -> bool:
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (2 if place % 2 else 1)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def is_iban(value: str) -> bool:
    """True if the international account number's check digits fit. Nobody writes one in large and small letters mixed.

    >>> is_iban("DE89 3704 0044 0532 0130 00"), is_iban("DE88 3704 0044 0532 0130 00"), is_iban("")
    (True, False, False)
    >>> is_iban("gb82west12345698765432"), is_iban("WZ91VngNdkGVqwLUJVrmz2Yl")
    (True, False)
    """
    plain = value.replace(" ", "").upper()
    if value.upper() != value and value.lower() != value:
        return False
    if not re.fullmatch(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", plain):
        return False
    return int("".join(str(int(letter, 36)) for letter in plain[4:] + plain[:4])) % 97 == 1


def is_phone(value: str) -> bool:
    """True for what could be a person's telephone number. Those that are kept free for fiction are nobody's.

    >>> is_phone("+48 601 337 942"), is_phone("(030) 1234-567"), is_phone("12345"), is_phone("+1 555 010 0001")
    (True, True, False, False)
    """
    digits = re.sub(r"\D", "", value)
    if not re.fullmatch(r"\+?[\d ()./-]+", value) or not 7 <= len(digits) <= 15:
        return False
    return not digits.startswith("000") and not re.match(r"1?(?:\d{3})?55501\d", digits)


def _card(found: str, mark: Marker) -> str:
    digits = re.sub(r"\D", "", found)
    return mark("card", found) if is_card(digits) and digits not in PUBLISHED_CARDS else found


def _iban(found: str, mark: Marker) -> str:
    return mark("iban", found) if is_iban(found) else found


def _worthless_jwt(found: re.Match[str], mark: Marker) -> str:
    """The same claims, so that scripts can still read them, under a signature that proves nothing."""
    if found[1].startswith(MARK):
        return found[0]
    signature = mark("jwt", found[0])
    header, payload = (_claims(part) for part in found[0].split(".")[:2])
    if header is None or payload is None:
        return signature
    for claim in ("jti", "sid", "nonce", "at_hash", "session_state"):
        if isinstance(payload.get(claim), str):
            payload[claim] = mark("token", payload[claim])
    for claim in ("name", "given_name", "family_name", "nickname", "preferred_username", "phone_number", "picture"):
        payload.pop(claim, None)
    for claim, value in payload.items():
        if isinstance(value, str) and "@" in value:
            payload[claim] = _people(value, mark, frozenset(), False)
    return f"{_base64url(header)}.{_base64url(payload)}.{signature}"


def _claims(part: str) -> dict[str, Any] | None:
    try:
        value = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (binascii.Error, ValueError):
        return None
    return value if isinstance(value, dict) else None


def _base64url(value: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(value, separators=(",", ":")).encode()).rstrip(b"=").decode()


def _people(text: str, mark: Marker, keep: frozenset[str], in_code: bool) -> str:
    parts: list[str] = []
    done = 0
    for sign in _AT.finditer(text) if any(literal in text for literal in ("@", "%40", "64;", "u0040")) else ():
        found = _address_at(text, sign.start(), sign.end(), done)
        if found and _names_person(*found, keep) and not (in_code and _in_comment(text, sign.start())):
            local, domain = found
            stand_in = mark("email", f"{local}@{domain}").replace("@", sign[0])
            parts += [text[done : sign.start() - len(local)], stand_in]
            done = sign.end() + len(domain)
    return "".join([*parts, text[done:]]) if parts else text


def _address_at(text: str, before: int, after: int, floor: int) -> tuple[str, str] | None:
    if before <= floor or not (text[before - 1].isalnum() or text[before - 1] in "_-+"):
        return None
    local = _LOCAL.search(text[max(floor, before - 64) : before])
    domain = _DOMAIN.match(text, after, after + 260)
    return (local[0], domain[0]) if local and domain else None


def _names_person(local: str, domain: str, keep: frozenset[str]) -> bool:
    if _RESERVED.search(domain) or domain.rsplit(".", 1)[1].lower() in _FILE_ENDINGS:
        return False
    return local.lower() not in _ROLES and f"{local}@{domain}".lower() not in keep


def _in_comment(text: str, at: int) -> bool:
    if text.rfind("/*", 0, at) > text.rfind("*/", 0, at):
        return True
    line = text[text.rfind("\n", 0, at) + 1 : at].lstrip()
    return line.startswith(("//", "<!--"))
