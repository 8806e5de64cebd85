"""Is this page the one that was asked for, or a wall in front of it: a login form, nothing at all. Pure."""

import re
from typing import NamedTuple
from urllib.parse import urlsplit

from bs4 import BeautifulSoup, Tag

from explorer.crawl.urls import joined

_LOGIN_PATH = re.compile(
    r"/(?:[\w-]*[_-])?(?:log[-_]?in|sign[-_]?in|log[-_]?on|sign[-_]?on|auth|authorize|authenticate|sso|oauth2?|saml2?|cas"
    r"|anmelden|connexion|iniciar-sesion)(?:\.\w+)?(?=/|$)",
    re.IGNORECASE,
)
_LOGIN_HOST = re.compile(r"(?:login|signin|auth|sso|accounts|id)\.", re.IGNORECASE)
_REFRESH = re.compile(r"\s*(\d+)(?:\.\d*)?\s*[;,]\s*(?:url\s*=\s*)?[\"']?([^\"']+)", re.IGNORECASE)
_TYPED = "input:not([type=hidden i]):not([type=submit i]):not([type=checkbox i])"
_LOGIN_WORDS = re.compile(
    r"\b(?:log ?in|sign ?in|log ?on|sign ?on|anmelden|einloggen|se connecter|connexion|iniciar sesi[oó]n|accedi|entrar"
    r"|inloggen|logga in)\b",
    re.IGNORECASE,
)
_BESIDE_LOGIN = re.compile(
    r"forgot|reset|password|register|sign ?up|create|join|help|support|privacy|terms|legal|imprint|impressum|cookie"
    r"|contact|about|language|home|skip|sign ?in|log ?in|google|facebook|apple|github|microsoft|sso",
    re.IGNORECASE,
)
_CONTENT = "img,picture,svg,canvas,iframe,frame,frameset,video,audio,object,embed,input,button,select,textarea,script"
WALL_TEXT = 800
"""Characters beyond the form that a page may have and still be nothing but a login form."""
WALL_LINKS = 6


class Markup(NamedTuple):
    """What the checks need of a page, read once."""

    title: str
    text: str
    refresh: str
    """Address of an immediate <meta http-equiv=refresh>, absolute; empty if there is none."""
    is_empty: bool
    asks_password: bool
    only_login: bool


def read_markup(html: str, base: str) -> Markup:
    """The page as a visitor without scripts would find it."""
    soup = BeautifulSoup(html, "lxml")
    refresh = _refresh(soup, base)
    title = " ".join(soup.title.get_text().split()) if soup.title else ""
    is_bare = not soup.select(_CONTENT)
    passwords = soup.select("input[type=password i]")
    for unseen in soup.select("script,style,noscript,template,head"):
        unseen.decompose()
    text = " ".join(soup.get_text(" ").split())
    return Markup(
        title, text, refresh, is_bare and not text, bool(passwords), _only_login(soup, passwords, title, text)
    )


def is_login_address(url: str) -> bool:
    """True for addresses that are named after signing in.

    >>> is_login_address("https://x.example/users/sign_in?next=/"), is_login_address("https://x.example/authors/")
    (True, False)
    """
    parts = urlsplit(url)
    return bool(_LOGIN_PATH.search(parts.path) or _LOGIN_HOST.match(parts.netloc))


def login_wall(asked: str, reached: str, page: Markup) -> str:
    """Why the page is a login wall in front of the address that was asked for; empty if it is none.

    A page that was asked for as a login page is none, nor is one with a login box beside its content.
    """
    if is_login_address(asked):
        return ""
    moved = urlsplit(asked)[1:3] != urlsplit(reached)[1:3]
    if moved and is_login_address(reached) and (page.asks_password or _LOGIN_WORDS.search(page.title)):
        return f"it leads to the login page {reached.partition('?')[0]}"
    if page.only_login:
        return "the page is nothing but a login form"
    return ""


def _refresh(soup: BeautifulSoup, base: str) -> str:
    for meta in soup.select("meta[http-equiv]"):
        if str(meta.get("http-equiv", "")).lower() != "refresh":
            continue
        found = _REFRESH.match(str(meta.get("content", "")))
        if found and int(found[1]) <= 5:
            return joined(base, found[2])
    return ""


def _only_login(soup: BeautifulSoup, passwords: list[Tag], title: str, text: str) -> bool:
    if len(passwords) != 1:
        return False
    form = passwords[0].find_parent("form")
    inside = " ".join(form.get_text(" ").split()) if form else ""
    if not _LOGIN_WORDS.search(f"{title} {inside} {text[:400]}"):
        return False
    if form is not None and len(form.select(_TYPED)) > 3:
        return False  # a registration
    inner = form.select("a[href]") if form is not None else []
    links = [link for link in soup.select("a[href]") if link not in inner]
    beyond = [link for link in links if not _BESIDE_LOGIN.search(f"{link.get_text(' ')} {link['href']}")]
    return len(beyond) <= WALL_LINKS and len(text) - len(inside) <= WALL_TEXT
