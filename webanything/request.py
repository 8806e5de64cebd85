"""From an address and settings to a CaptureRequest: what is asked of the site, before anything is sent to it."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic import ValidationError

from artifacts.errors import UsageError
from artifacts.run import Account, Budget, CaptureRequest, Lens, Resolution
from environments.registry import usable_name
from webanything.config import Settings, nearest, unknown_name

ACCOUNTS_FORMAT = '{"accounts":[{"label":"user","login_url":"/login","user":"..","password":".."}]}'
_MOBILE = {"width": 390, "height": 844, "scale": 2.0, "mobile": True}


def capture_request(
    url: str, settings: Settings, *, tasks: tuple[str, ...] = (), accounts: tuple[Account, ...] = ()
) -> CaptureRequest:
    """Everything that decides what evidence is gathered; the clock is set when the run begins."""
    return CaptureRequest(
        url=checked_url(url),
        scope=settings.scope,
        coverage=settings.coverage,
        tasks=tasks,
        budget=Budget(
            max_pages=settings.max_pages,
            max_actions=settings.max_actions,
            max_seconds=settings.max_time,
            max_cost_usd=settings.max_cost,
        ),
        allow=tuple(sorted(set(settings.allow))),
        accounts=accounts,
        resolve=tuple(resolution(text) for text in settings.resolve),
        lens=load_lens(settings.lens),
        ignore_robots=settings.ignore_robots,
        requests_per_second=settings.requests_per_second,
    )


def checked_url(url: str) -> str:
    """The address itself if it is a whole http or https address. Raises UsageError with code bad_url otherwise.

    A user's name or password in it is refused too, and what stands before an @ is never told.

    >>> checked_url("https://shop.example/a")
    'https://shop.example/a'
    """
    url = url.strip()
    if re.match(r"\w+:[/\\]{2}[^/?#]*@", url):
        raise _bad_url(url, "The address holds a user's name or password; addresses are kept with the run.")
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        detail = "" if "@" in url else f": {error}"  # the error's own text may quote a password
        raise _bad_url(url, f"The address cannot be read{detail}.") from (None if "@" in url else error)
    if parts.scheme not in ("http", "https"):
        raise _bad_url(url, "The address does not begin with http:// or https://.", bare=True)
    if not host or re.search(r"[\s\x00-\x1f]", url):
        raise _bad_url(url, "The address names no host, or has spaces in it.")
    return url


def _bad_url(url: str, what: str, *, bare: bool = False) -> UsageError:
    shown = re.sub(r"(?s)^(\s*\w+:[/\\]*)?.*@", r"\1***@", url)
    example = f"http://{url}" if bare and re.fullmatch(r"[\w.-]+(:\d+)?(/\S*)?", url) else "https://shop.example/"
    remedy = f"Give a whole address, such as {example}."
    if shown != url:
        remedy = "Leave out what stands before the @; test accounts are given with --accounts FILE."
    return UsageError(what, where=shown or "(empty)", remedy=remedy, code="bad_url")


def checked_name(name: str) -> str:
    """The name itself if it can stand in a host name. Raises UsageError otherwise."""
    usable = usable_name(name)
    if usable == name:
        return name
    raise UsageError(
        "A name has lower-case letters, digits and hyphens only, at most 48 of them.",
        where=name,
        remedy=f"Choose another --name, such as {usable}.",
        code="bad_name",
    )


def resolution(text: str) -> Resolution:
    """One HOST:PORT:ADDRESS, as curl takes it; an IPv6 address may stand in brackets.

    >>> resolution("shop.example:443:127.0.0.1").address
    '127.0.0.1'
    """
    match = re.fullmatch(r"([^:\s]+):(\d{1,5}):\[?([0-9A-Fa-f:.]+)\]?", text)
    if not match or not 0 < int(match[2]) < 65536:
        raise UsageError(
            "--resolve cannot be read.",
            where=text,
            remedy="Write it like shop.example:443:127.0.0.1.",
            code="bad_value",
        )
    return Resolution(host=match[1].lower(), port=int(match[2]), address=match[3])


def load_lens(text: str) -> Lens:
    """The lens called desktop or mobile, or the one whose fields a TOML or JSON file holds.

    The run.json of a run stands for the lens of that run. Clock and browser are not the file's to say.
    """
    if text in ("desktop", "mobile"):
        return Lens.model_validate(_MOBILE if text == "mobile" else {})
    fields = _read_mapping(Path(text), "lens")
    if fields.get("kind") == "run.v1":
        fields = dict(fields["request"]["lens"])
    fields = {key: value for key, value in fields.items() if key not in ("clock", "browser", "kind", "version")}
    for key in fields:
        if key not in Lens.model_fields:
            raise unknown_name("lens field", key, Lens.model_fields, text)
    try:
        return Lens.model_validate(fields)
    except ValidationError as error:
        raise _invalid(text, error) from error


def load_accounts(text: str) -> tuple[Account, ...]:
    """The test accounts a file names, passwords in memory only; none when no file is named."""
    if not text:
        return ()
    listed = _read_mapping(Path(text), "accounts").get("accounts")
    if not isinstance(listed, list) or not all(isinstance(item, dict) for item in listed):
        raise UsageError(
            "The accounts file has no list of accounts.",
            where=text,
            remedy=_mending("accounts"),
            code="bad_file",
        )
    try:
        accounts = tuple(Account.model_validate(item) for item in listed)
    except ValidationError as error:
        raise _invalid(text, error, "accounts") from None  # its text quotes the input, and with it a password
    labels = [account.label for account in accounts]
    if len(set(labels)) < len(labels):
        raise UsageError("Two accounts have one label.", where=text, remedy="Give each its own.", code="bad_file")
    return accounts


def _read_mapping(path: Path, what: str) -> dict[str, Any]:
    try:
        data = path.read_bytes()
    except OSError as error:
        near = nearest(str(path), ("desktop", "mobile")) if what == "lens" else ""
        remedy = f"Did you mean {near}?" if near else f"Check --{what}."
        raise UsageError(
            f"The {what} file cannot be read: {error.strerror}.", where=str(path), remedy=remedy, code="no_such_file"
        ) from error
    try:
        value = tomllib.loads(data.decode()) if path.suffix == ".toml" else json.loads(data)
    except (ValueError, RecursionError) as error:
        # the error's own text may quote the file, and with it a password
        raise UsageError(
            f"The {what} file is no {'TOML' if path.suffix == '.toml' else 'JSON'}.",
            where=str(path),
            remedy=_mending(what),
            code="bad_file",
        ) from (None if what == "accounts" else error)
    if not isinstance(value, dict):
        raise UsageError(f"The {what} file holds no object.", where=str(path), remedy=_mending(what), code="bad_file")
    return value


def _mending(what: str) -> str:
    return f"Write it like {ACCOUNTS_FORMAT}" if what == "accounts" else "Mend the file."


def _invalid(where: str, error: ValidationError, what: str = "lens") -> UsageError:
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    return UsageError(f"{place}: {first['msg']}.", where=where, remedy=_mending(what), code="bad_file")
