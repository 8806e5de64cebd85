"""What the name of a field, header, cookie or query key says about its value. Pure; no value is looked at alone."""

import re
from functools import lru_cache
from typing import Literal
from urllib.parse import unquote


def word_set(words: str) -> frozenset[str]:
    """The words of a text, each once."""
    return frozenset(words.split())


Kind = Literal["password", "token", "card", "card_code", "iban", "one_time_code", "phone"]

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_HARMLESS = ("csrf", "xsrf", "authenticity", "verificationtoken", "nonce", "captcha", "antiforgery", "formtoken")
"""Tokens that are worthless without the cookie; scripts and forms need them as they are."""
_ABOUT = word_set(
    "hint policy strength length min max show hide visible toggle url uri link label placeholder required type "
    "expires expired expiry error message rules field name count at enabled"
)
_PASSWORDS = (
    "password",
    "passwd",
    "passphrase",
    "passwort",
    "kennwort",
    "motdepasse",
    "contrasena",
    "wachtwoord",
    "passcode",
)
_PASSWORD_WORDS = frozenset({"pass", "pwd", "pswd", "psw", "pw", "senha"})
_TOKEN_ENDS = (
    "apikey",
    "secret",
    "secretkey",
    "privatekey",
    "accesskey",
    "accesskeyid",
    "subscriptionkey",
    "sessionid",
    "sessid",
    "sessionkey",
    "authorization",
    "signature",
    "bearer",
    "credential",
    "credentials",
)
_TOKEN_WHOLE = frozenset({"token", "jwt", "sid", "sig", "auth", "apitoken", "xauth", "hmac"})
_TOKEN_KINDS = word_set(
    "access refresh id auth authentication session bearer api user login oauth oauth2 device reset verify "
    "verification magic invite remember security client jwt sso push personal private web xauth"
)
_CARDS = ("cardnumber", "cardno", "ccnumber", "ccnum", "creditcard", "debitcard", "cardnum")
_CARD_CODES = frozenset({"cvv", "cvv2", "cvc", "cvc2", "csc", "cvn"})
_CARD_CODE_PARTS = ("cardcode", "cardsecuritycode", "cardverification", "verificationvalue", "seccode")
_ONE_TIME = ("onetime", "mfacode", "2facode", "twofactorcode", "verificationcode", "smscode", "authcode", "otpcode")
_ONE_TIME_WHOLE = frozenset({"otp", "totp", "hotp", "pin", "2fa", "tan", "mfa"})
_PHONE_ENDS = ("phone", "phonenumber", "phoneno", "mobilenumber", "mobileno", "msisdn", "telefon", "telefono",
               "telefonnummer", "handynummer")  # fmt: skip
_PHONE_WHOLE = frozenset({"tel", "mobile", "cell", "fax"})
_VISITOR_WORDS = word_set("id sid uid gid cid auth token user guid uuid key ga fbp login sess session")
_VISITOR_PARTS = (
    "sess",
    "token",
    "auth",
    "csrf",
    "xsrf",
    "jwt",
    "login",
    "logged",
    "user",
    "guid",
    "uuid",
    "secret",
    "identity",
    "remember",
    "account",
    "member",
    "visitor",
)
_HEADERS = frozenset(
    {
        "authorization",
        "proxy-authorization",
        "x-api-key",
        "x-auth-token",
        "x-access-token",
        "x-session-token",
        "x-session-id",
        "x-amz-security-token",
        "x-goog-api-key",
        "api-key",
        "apikey",
        "x-auth-key",
        "x-authorization",
    }
)


@lru_cache(4096)
def field_kind(name: str) -> Kind | None:
    """What a field of this name holds, if that is a secret; tokens that only guard a form are not.

    >>> field_kind("user[currentPassword]"), field_kind("cc-number"), field_kind("access_token")
    ('password', 'card', 'token')
    >>> field_kind("csrf_token"), field_kind("password_hint"), field_kind("nextPageToken"), field_kind("")
    (None, None, None, None)
    """
    words = [word.lower() for word in _WORDS.findall(name)]
    joined = "".join(words)
    if not joined or any(part in joined for part in _HARMLESS) or words[-1] in _ABOUT:
        return None
    if any(part in joined for part in _ONE_TIME) or joined in _ONE_TIME_WHOLE:
        return "one_time_code"
    bare = [word for word in words if not word.isdigit()]
    if any(part in joined for part in _PASSWORDS) or (bare and bare[-1] in _PASSWORD_WORDS):
        return "password"
    if any(part in joined for part in _CARDS):
        return "card"
    if _CARD_CODES.intersection(words) or any(part in joined for part in _CARD_CODE_PARTS):
        return "card_code"
    if "iban" in words:
        return "iban"
    if joined.endswith(_PHONE_ENDS) or joined in _PHONE_WHOLE:
        return "phone"
    return "token" if _names_token(name, words, joined) else None


def _names_token(name: str, words: list[str], joined: str) -> bool:
    if joined.endswith(_TOKEN_ENDS):
        return True
    if joined in _TOKEN_WHOLE:
        return not name.startswith("_")  # a leading underscore is how frameworks name the token of a form
    return joined.endswith("token") and bool(_TOKEN_KINDS.intersection(words))


def is_secret_header(name: str) -> bool:
    """True for headers whose whole value proves who is asking."""
    return name.lower() in _HEADERS


@lru_cache(4096)
def names_visitor(name: str) -> bool:
    """True for cookies and storage keys that tell one visitor from another.

    >>> names_visitor("PHPSESSID"), names_visitor("theme"), names_visitor("userId"), names_visitor("grid")
    (True, False, True, False)
    """
    words = [word.lower() for word in _WORDS.findall(name)]
    joined = "".join(words)
    return bool(_VISITOR_WORDS.intersection(words)) or any(part in joined for part in _VISITOR_PARTS)


def is_plain(value: str) -> bool:
    """True for a value a person could have chosen from a menu: short, made of words and small numbers.

    >>> is_plain("en-US"), is_plain("1"), is_plain("%7B%22theme%22%3A%22dark%22%7D"), is_plain("")
    (True, True, True, True)
    >>> is_plain("k2J9xQ81zLp0"), is_plain("8412239471")
    (False, False)
    """
    value = unquote(value)
    if len(value) > 80:
        return False
    return all(_is_word(atom) for atom in re.split(r"[^A-Za-z0-9]+", value))


def _is_word(atom: str) -> bool:
    if atom.isdigit():
        return len(atom) <= 6
    letters = re.sub(r"[0-9]", "", atom)
    if len(letters) != len(atom) and len(atom) > 8:
        return False
    flips = len(re.findall(r"[a-z][A-Z]", letters))
    return len(letters) <= 20 and flips <= 2


def is_token_shaped(value: str) -> bool:
    """True for a value nobody would say aloud: long enough, no spaces, not words, not an address.

    >>> is_token_shaped("9f86d081884c7d659a2feaa0"), is_token_shaped("Password"), is_token_shaped("Enter your token")
    (True, False, False)
    >>> is_token_shaped("/api/token?x=1234567890"), is_token_shaped("")
    (False, False)
    """
    if len(value) < 8 or re.search(r"\s", value) or "://" in value or value.startswith("/"):
        return False
    return not is_plain(value)
