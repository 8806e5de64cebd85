"""Where secrets stand in addresses, whether alone or in the middle of a text. Pure; nothing is replaced here."""

import re

from explorer.redact.names import Kind, field_kind

QUERY_ADDRESS = re.compile(r"[^\s,;<>\"']+\?[^\s,;<>\"']+")
IN_QUERY = re.compile(
    r"([?&#](?<![&|?][?&])(?:amp;)?)([\w.\[\]-]{2,40})=([\w.~%+/=-]{12,})(?=[\"'&#<\s\\)]|$)", re.ASCII
)
"""A parameter of an address that stands in a text; code such as `a&&token=b` must not be taken for one."""
PATH_SESSION = re.compile(r"(;(?:jsession|phpsess|aspsession|sid\b)\w*=)([\w.~%+!-]{6,})", re.IGNORECASE | re.ASCII)
_PAIRS = r"(?:[\w.]{1,40}=[^&#\s\"'<>\\]{0,400}&(?:amp;)?){0,5}"
LOGIN_CODE = re.compile(
    rf"([?&#](?:amp;)?code=)([\w.~%+/-]{{8,}})(?=&(?:amp;)?{_PAIRS}(?:session_)?state=)"
    rf"|([?&#](?:amp;)?(?:session_)?state=[^&#\s\"'<>\\]{{0,400}}&(?:amp;)?{_PAIRS}code=)([\w.~%+/-]{{8,}})",
    re.ASCII,
)
"""What a login elsewhere sends back, with the state it was sent: whoever has it first is let in."""
_SIGNED = re.compile(r"^(?:x-(?:amz|goog)-(?:signature|security-token|credential)|signature|key-pair-id|policy)$", re.I)
_BESIDE_CODE = re.compile(r"(?:^|[&;])(?:state|session_state|grant_type)=")


def query_kind(name: str, *, is_login: bool = False) -> Kind | None:
    """What a query parameter of this name holds; `is_login` if its neighbours tell of a login.

    >>> query_kind("X-Amz-Signature"), query_kind("code"), query_kind("code", is_login=True)
    ('token', None, 'token')
    """
    return "token" if _SIGNED.match(name) or (is_login and name == "code") else field_kind(name)


def tells_login(query: str) -> bool:
    """Whether a query or form is one that logins elsewhere answer with, or trade the answer in with.

    >>> tells_login("code=a1&state=b2"), tells_login("country=de&code=10115")
    (True, False)
    """
    return "code=" in query and bool(_BESIDE_CODE.search(query))
