"""Addresses a site lists of itself: sitemaps, sitemap indexes, feeds and plain lists. Pure."""

import gzip
import re
import zlib
from typing import NamedTuple

from lxml import etree

from explorer.crawl.urls import joined

MAX_ADDRESSES = 5_000
MAX_BYTES = 50_000_000


class Sitemap(NamedTuple):
    """Pages, and further sitemaps to read."""

    pages: tuple[str, ...]
    sitemaps: tuple[str, ...]


def read_sitemap(body: bytes, base: str) -> Sitemap:
    """What a sitemap lists, of whatever kind it is; nothing at all if it is none.

    >>> read_sitemap(b"<urlset><url><loc>/a</loc></url></urlset>", "http://x.example/sitemap.xml").pages
    ('http://x.example/a',)
    """
    if body[:2] == b"\x1f\x8b":
        try:
            body = zlib.decompressobj(wbits=31).decompress(body, MAX_BYTES)
        except (zlib.error, gzip.BadGzipFile):
            return Sitemap((), ())
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True, huge_tree=False)
    try:
        root = etree.fromstring(body, parser)
    except (etree.XMLSyntaxError, ValueError):
        root = None
    if root is None:
        return _plain_list(body, base)
    pages: list[str] = []
    maps: list[str] = []
    for node in root.iter():
        name = etree.QName(node).localname if isinstance(node.tag, str) else ""
        if name == "loc" and node.text:
            above = node.getparent()
            inside = etree.QName(above).localname if above is not None else ""
            if inside in ("url", "sitemap"):
                (maps if inside == "sitemap" else pages).append(node.text)
        elif name == "link" and (node.get("href") or node.text):
            pages.append(node.get("href") or node.text or "")
    return Sitemap(_absolute(pages, base), _absolute(maps, base))


def _plain_list(body: bytes, base: str) -> Sitemap:
    lines = body.decode("utf-8", "replace").split()
    return Sitemap(_absolute([line for line in lines if re.match(r"https?://", line)], base), ())


def _absolute(found: list[str], base: str) -> tuple[str, ...]:
    urls = (joined(base, one) for one in found if one.strip())
    return tuple(dict.fromkeys(url for url in urls if url.startswith(("http://", "https://"))))[:MAX_ADDRESSES]
