import gzip

import pytest

from explorer.crawl.sitemap import read_sitemap

BASE = "http://x.example/sitemap.xml"
NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


@pytest.mark.parametrize(
    ("body", "pages", "maps"),
    [
        (f"<urlset {NS}><url><loc> http://x.example/a </loc></url><url><loc>/b</loc></url></urlset>", ["a", "b"], []),
        (f"<sitemapindex {NS}><sitemap><loc>http://x.example/s2.xml</loc></sitemap></sitemapindex>", [], ["s2.xml"]),
        ("<rss><channel><item><link>http://x.example/post</link></item></channel></rss>", ["post"], []),
        ('<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="/post"/></entry></feed>', ["post"], []),
        ("http://x.example/a\nhttp://x.example/b\n", ["a", "b"], []),
        ("<html><body>Not found</body></html>", [], []),
        ("", [], []),
        ("<urlset><url><loc>http://x.example/a</loc></url><url><loc>javascript:x", ["a"], []),
    ],
)
def test_kinds_of_lists(body: str, pages: list[str], maps: list[str]) -> None:
    found = read_sitemap(body.encode(), BASE)
    assert [url.removeprefix("http://x.example/") for url in found.pages] == pages
    assert [url.removeprefix("http://x.example/") for url in found.sitemaps] == maps


def test_gzip_and_an_entity_that_names_a_file() -> None:
    packed = gzip.compress(b"<urlset><url><loc>/a</loc></url></urlset>")
    assert read_sitemap(packed, BASE).pages == ("http://x.example/a",)
    hostile = b'<!DOCTYPE u [<!ENTITY f SYSTEM "file:///etc/passwd">]><urlset><url><loc>&f;</loc></url></urlset>'
    assert read_sitemap(hostile, BASE).pages == ()
