"""What stands for a secret: the same for the same value, and of the same shape where software minds the shape. Pure."""

import hmac
import itertools
import re
from base64 import b64encode
from collections.abc import Iterable

from artifacts.run import Account
from explorer.redact.shapes import MARK, PEOPLE_DOMAIN
from explorer.redact.spellings import as_bytes


def stand_in(key: bytes, kind: str, value: str) -> str:
    """The stand-in of a value of a kind, made with a key that is never kept."""
    code = hmac.digest(key, as_bytes(value), "sha256").hex()
    if kind == "email":
        local = value.partition("@")[0]
        return f"{code[: min(24, max(8, len(local)))]}@{PEOPLE_DOMAIN}"
    if kind in ("card", "card_code", "one_time_code") and re.fullmatch(r"[\d -]+", value):
        # no issuer has 0000; of a short code nothing is kept, there are too few of them to hide one
        digits = iter("0000" + str(int(code, 16))) if kind == "card" else itertools.repeat("0")
        return re.sub(r"\d", lambda _: next(digits), value)
    if kind == "iban":
        letters = iter("XX00" + code[:40].upper())
        return re.sub(r"[A-Za-z0-9]", lambda _: next(letters), value)
    if kind == "phone":
        digits = iter("000" + str(int(code, 16)))  # no country and no exchange has 000
        return re.sub(r"\d", lambda _: next(digits), value)
    if kind in ("password", "account_password"):
        return f"{{{{secret:{code[:16]}}}}}"
    length = 16 if len(value) < 48 else 32 if len(value) < 96 else 64
    return MARK + code[:length]


def as_account(value: str, accounts: Iterable[Account]) -> str:
    """A header that says an account's name and password, with the stand-in of the password; empty for any other.

    >>> ada = Account(label="user", login_url="/", user="ada", password="pw")
    >>> as_account("Basic YWRhOnB3", [ada]), as_account("Basic YWRhOm5v", [ada])
    ('Basic ada:{{password:user}}', '')
    """
    scheme, _, said = value.partition(" ")
    for account in accounts if scheme.lower() == "basic" else ():
        if account.password and said.strip() == b64encode(f"{account.user}:{account.password}".encode()).decode():
            return f"Basic {account.user}:{{{{password:{account.label}}}}}"
    return ""
