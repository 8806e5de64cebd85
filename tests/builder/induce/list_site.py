"""A site of lists in plain Python, with the conventions that sites have; it knows nothing of how queries are induced."""

import random
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date, timedelta

from builder.induce.listing import Listing, Pairs, Table

WORDS = "red blue small large garden kitchen lamp table chair night river stone paper silver golden music running runner" \
        " cook cooking books book painted paint winter summer island harbour letters letter quiet broken".split()  # fmt: skip
CATEGORIES = ["Travel", "Science Fiction", "Home & Garden", "Poetry", "Art"]


def rows_of(count: int, seed: int) -> dict[str, dict[str, str]]:
    """Key -> columns as a page shows them. Prices and dates have ties, titles numbers of one and two digits."""
    draw = random.Random(seed)
    found = {}
    for number in range(1, count + 1):
        title = " ".join(draw.sample(WORDS, draw.randint(2, 4))).title()
        if draw.random() < 0.3:
            title += f" {draw.randint(1, 30)}"
        day = date(2024, 1, 1) + timedelta(days=draw.randint(0, 200))
        found[f"/item/{number * 7 % 1009}"] = {
            "title": title,
            "price": f"£{draw.randint(1, 400) / 4:,.2f}",
            "added": day.strftime("%d %B %Y"),
            "rating": str(draw.randint(1, 5)),
            "category": draw.choice(CATEGORIES),
            "body": " ".join(draw.choices(WORDS, k=14)).capitalize() + ".",
        }
    return found


def number(row: dict[str, str], column: str) -> float:
    return float(re.sub(r"[^\d.]", "", row[column]))


def day(row: dict[str, str]) -> date:
    return _day(row["added"])


def _day(text: str) -> date:
    from datetime import datetime

    return datetime.strptime(text, "%d %B %Y").date()


def ident(key: str) -> int:
    return int(key.rpartition("/")[2])


KEYS: dict[str, Callable[[str, dict[str, str]], object]] = {
    "price": lambda key, row: number(row, "price"),
    "added": lambda key, row: _day(row["added"]),
    "rating": lambda key, row: number(row, "rating"),
    "title": lambda key, row: row["title"].lower(),
}


@dataclass
class Site:
    """What a site does with an address."""

    rows: dict[str, dict[str, str]]
    paging: str = "page"
    """page, zero (from 0), offset, cursor, path, or none."""
    size: int = 8
    size_name: str = ""
    most: int = 50
    sorting: str = "suffix"
    """suffix (price-desc), sign (-price), two (order=price&dir=desc), codes (1, 2, ...), or none."""
    newest_first: bool = True
    search: str = "title words"
    """title words, any words, substring, stems, or none."""
    totals: bool = True
    categories: str = "filter"
    """filter (repeated: any of), path (/c/NAME/), or none."""
    open_only: bool = False
    """Whether items rated 1 are hidden unless ?rating= says otherwise."""
    asked: int = field(default=0, repr=False)

    @property
    def page_name(self) -> str:
        return {"page": "page", "zero": "p", "offset": "start", "cursor": "after"}.get(self.paging, "")

    def table(self) -> Table:
        links = {key: frozenset({_slug_path(row["category"])}) for key, row in self.rows.items()}
        return Table("item", self.rows, links if self.categories == "path" else {})

    def matching(self, path: str, given: dict[str, list[str]]) -> list[str]:
        found = list(self.rows)
        if path.startswith("/c/"):
            found = [key for key in found if _slug_path(self.rows[key]["category"]) == path]
        if wanted := [value for value in given.get("category", []) if value]:
            found = [key for key in found if self.rows[key]["category"] in wanted]
        if low := given.get("min_price", [""])[0]:
            found = [key for key in found if number(self.rows[key], "price") >= float(low)]
        if high := given.get("max_price", [""])[0]:
            found = [key for key in found if number(self.rows[key], "price") <= float(high)]
        rating = given.get("rating", [""])[0]
        if rating and rating != "all":
            found = [key for key in found if self.rows[key]["rating"] == rating]
        elif self.open_only and not rating:
            found = [key for key in found if self.rows[key]["rating"] == "5"]
        if text := given.get("q", [""])[0]:
            found = [key for key in found if self.finds(self.rows[key], text)]
        return found

    def finds(self, row: dict[str, str], text: str) -> bool:
        def words(cell: str) -> set[str]:
            return set(re.findall(r"[a-z0-9]+", cell.lower()))

        asked = words(text)
        match self.search:
            case "title words":
                return asked <= words(row["title"])
            case "any words":
                return bool(asked & (words(row["title"]) | words(row["body"])))
            case "substring":
                return text.lower() in row["title"].lower() or text.lower() in row["body"].lower()
            case "stems":
                cut = re.compile(r"(ning|ner|ing|ed|s)$")
                have = {cut.sub("", word) for word in words(row["title"]) | words(row["body"])}
                return {cut.sub("", word) for word in asked} <= have
        return True

    def ordered(self, keys: Iterable[str], given: dict[str, list[str]]) -> list[str]:
        found = sorted(keys, key=ident)
        if self.newest_first:
            found.sort(key=lambda key: (_day(self.rows[key]["added"]), ident(key)), reverse=True)
        column, down = self.sort_of(given)
        if column:
            found.sort(key=ident)
            found.sort(key=lambda key: KEYS[column](key, self.rows[key]), reverse=down)  # type: ignore[arg-type, return-value]
        return found

    def sort_of(self, given: dict[str, list[str]]) -> tuple[str, bool]:
        value = given.get("sort", given.get("order", [""]))[0]
        if not value:
            return "", False
        match self.sorting:
            case "suffix":
                column, _, way = value.partition("-")
                return column, way == "desc"
            case "sign":
                return value.lstrip("-"), value.startswith("-")
            case "two":
                return value, given.get("dir", ["asc"])[0] == "desc"
            case _:
                place = int(value) - 1
                return list(KEYS)[place // 2], bool(place % 2)

    def sorts(self) -> list[Pairs]:
        """Every way to ask for an order."""
        found: list[Pairs] = [()]
        for place, column in enumerate(KEYS):
            match self.sorting:
                case "suffix":
                    found += [(("sort", f"{column}-asc"),), (("sort", f"{column}-desc"),)]
                case "sign":
                    found += [(("sort", column),), (("sort", f"-{column}"),)]
                case "two":
                    found += [(("order", column), ("dir", way)) for way in ("asc", "desc")]
                case "codes":
                    found += [(("sort", str(2 * place + 1)),), (("sort", str(2 * place + 2)),)]
        return found

    def page(self, path: str = "/items/", pairs: Pairs = ()) -> Listing:
        """What a visitor sees at an address."""
        self.asked += 1
        given: dict[str, list[str]] = {}
        for name, value in pairs:
            given.setdefault(name, []).append(value)
        place, size = path, self.size
        if self.size_name and given.get(self.size_name, [""])[0]:
            size = min(int(given[self.size_name][0]), self.most)
        turned = re.search(r"page/(\d+)/$", path)
        if turned:
            place = path[: turned.start()]
        found = self.ordered(self.matching(place, given), given)
        start = self.start(given, int(turned[1]) if turned else 1, size, found)
        shown = found[start : start + size] if self.paging != "none" else found
        numbers = {1, 2, size} | ({len(found)} if self.totals else set())
        family = re.sub(r"^/c/[^/]+/", "/c/*/", path)
        family = re.sub(r"page/\d+/$", "page/*/", family)
        links = frozenset(self.links(place, pairs, start, size, len(found), found))
        return Listing(family, path, pairs, tuple(shown), frozenset(numbers), links)

    def start(self, given: dict[str, list[str]], turned: int, size: int, found: list[str]) -> int:
        value = given.get(self.page_name, [""])[0]
        match self.paging:
            case "path":
                return (turned - 1) * size
            case "page":
                return (int(value or 1) - 1) * size
            case "zero":
                return int(value or 0) * size
            case "offset":
                return int(value or 0)
            case "cursor":
                return [str(ident(key)) for key in found].index(value) + 1 if value else 0
        return 0

    def address(self, path: str, pairs: Pairs, page: int, found: list[str], size: int = 0) -> tuple[str, Pairs]:
        """The address of a page, numbered from 0."""
        rest = tuple(pair for pair in pairs if pair[0] != self.page_name)
        size = size or self.size
        if not page:
            return path, rest
        match self.paging:
            case "path":
                return f"{path}page/{page + 1}/", rest
            case "page":
                return path, (*rest, ("page", str(page + 1)))
            case "zero":
                return path, (*rest, ("p", str(page)))
            case "offset":
                return path, (*rest, ("start", str(page * size)))
            case "cursor":
                return path, (*rest, ("after", str(ident(found[page * size - 1]))))
        return path, rest

    def links(
        self, path: str, pairs: Pairs, start: int, size: int, total: int, found: list[str]
    ) -> Iterable[tuple[str, Pairs]]:
        pages = -(-total // size) if self.paging != "none" else 1
        here = start // size
        for page in {here - 1, here + 1}:
            if 0 <= page < pages:
                yield self.address(path, pairs, page, found, size)
        for sort in [*self.sorts(), *filters(self)]:
            yield path, sort


def _slug_path(category: str) -> str:
    return "/c/" + re.sub(r"[^a-z]+", "-", category.lower()) + "/"


def captured(site: Site, seed: int = 1, share: float = 0.5) -> list[Listing]:
    """Pages that an explorer would bring home: every page of the plain list, sorts, filters, searches; few combinations."""
    draw = random.Random(seed)
    found: list[Listing] = []

    def whole(path: str, pairs: Pairs, most: int = 99) -> None:
        keys = site.ordered(site.matching(path, _given(pairs)), _given(pairs))
        size = int(dict(pairs).get(site.size_name, site.size)) if site.size_name else site.size
        pages = min(max(1, -(-len(keys) // size)), most) if site.paging != "none" else 1
        found.extend(site.page(*site.address(path, pairs, page, keys, size)) for page in range(pages))

    whole("/items/", ())
    sorts = site.sorts()[1:]
    for sort in sorts:
        if draw.random() < max(share, 0.5) or sort == sorts[0]:
            whole("/items/", sort, 2)
    if site.size_name:
        for size in ("4", "12"):
            whole("/items/", ((site.size_name, size),), 2)
    taken: dict[tuple[str, ...], int] = {}
    for pairs in filters(site):
        names = tuple(name for name, _ in pairs)
        taken[names] = taken.get(names, 0) + 1
        if taken[names] <= 2 or pairs[-1][1] == "all":
            whole("/items/", pairs)
    if site.categories == "path":
        for name in CATEGORIES[:3]:
            whole(_slug_path(name), ())
        if sorts:
            whole(_slug_path(CATEGORIES[0]), sorts[0], 1)
    if site.search != "none":
        for text in [*WORDS[:16:2], "red blue", "lamp night", "gar", "runn", "zzz", "paints"]:
            whole("/items/", (("q", text),))
    return found


def filters(site: Site) -> list[Pairs]:
    found: list[Pairs] = []
    if site.categories == "filter":
        found += [(("category", name),) for name in CATEGORIES]
        found += [(("category", "Travel"), ("category", "Art"))]
    found += [(("min_price", "30"),), (("max_price", "60"),), (("min_price", "12.5"),), (("max_price", "35"),)]
    found += [(("rating", value),) for value in ("4", "3", "5", "all")]
    return found


def hidden(site: Site, count: int, seed: int = 2) -> list[Listing]:
    """Pages of combinations, sorts and words, drawn by chance; captured ones may be among them."""
    draw = random.Random(seed)
    found: list[Listing] = []
    while len(found) < count:
        path = _slug_path(draw.choice(CATEGORIES)) if site.categories == "path" and draw.random() < 0.4 else "/items/"
        pairs: Pairs = draw.choice(site.sorts()) if draw.random() < 0.6 else ()
        if draw.random() < 0.6:
            pairs += draw.choice(filters(site))
        if draw.random() < 0.2:
            pairs += (("max_price", str(draw.randint(20, 80))),) if "max_price" not in dict(pairs) else ()
        if site.search != "none" and draw.random() < 0.3:
            pairs += (("q", " ".join(draw.sample(WORDS, draw.choice((1, 1, 2))))),)
        size = site.size
        if site.size_name and draw.random() < 0.3:
            size = draw.choice((5, 12, 20))
            pairs += ((site.size_name, str(size)),)
        keys = site.ordered(site.matching(path, _given(pairs)), _given(pairs))
        pages = max(1, -(-len(keys) // size)) if site.paging != "none" else 1
        found.append(site.page(*site.address(path, pairs, draw.randrange(pages), keys, size)))
    return found


def _given(pairs: Pairs) -> dict[str, list[str]]:
    given: dict[str, list[str]] = {}
    for name, value in pairs:
        given.setdefault(name, []).append(value)
    return given
