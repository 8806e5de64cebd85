"""What programs are tried on: pages, or rows of a loop, and what each number, text and condition gives there. Pure.

Everything is worked out once for all instances; what stands in an optional part looks at some of them.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from builder.induce.conditions import AtPath, Below, Compare, Equal, Has, Paired, Test, Truth
from builder.induce.figures import CURSORS, Cursor, figures
from builder.induce.listing import Facts
from builder.induce.slots import (
    NO_ITEM,
    Argument,
    Constant,
    Field,
    Here,
    Hole,
    Item,
    Named,
    Number,
    Place,
    Program,
    Seen,
    Segment,
    Stem,
)
from builder.induce.wording import SPELLINGS

Vector = Sequence[str]
_MOST_VALUES = 40
"""Values of one parameter that are conditions of their own."""
_PATH_PAGE = re.compile(r"(?P<marker>(?:[^/\d]*/)?[^/\d]*)$")
CASES: tuple[tuple[str, ...], ...] = (
    (), ("lower",), ("capitalize",), ("title",), ("upper",), ("words",), ("words", "capitalize"), ("words", "title"),
)  # fmt: skip


class Sight:
    """Instances with their facts, and for rows their fields. `of_page` says which page each row stands on."""

    def __init__(
        self, pages: Sequence[Facts], spelling: str, root: "Sight | None" = None,
        rows: Sequence[tuple[int, Item]] = (),
    ) -> None:  # fmt: skip
        self.pages = pages
        self.spelling = spelling
        self._copies_at: dict[int, list[str]] = {}
        self.root = root or self
        self.of_page = [page for page, _ in rows] if root else list(range(len(pages)))
        self.items: list[Item] = [item for _, item in rows] if root else [NO_ITEM] * len(pages)
        self.left = 0
        """Work that may still be spent on a value: counted, so that the same pages always stop at the same place."""

    def __len__(self) -> int:
        return len(self.of_page)

    def facts(self, number: int) -> Facts:
        return self.pages[self.of_page[number]]

    def values(self, program: Program) -> list[str]:
        """What a program gives for every instance."""
        return [str(program.value(self.facts(number), self.items[number])) for number in range(len(self))]

    def agrees(self, program: Program, picked: Iterable[int], wanted: Sequence[object]) -> bool:
        """Whether a program gives what is wanted on each of the picked instances."""
        return all(
            program.value(self.facts(number), self.items[number]) == value
            for number, value in zip(picked, wanted, strict=True)
        )

    @cached_property
    def seen(self) -> Seen:
        return tuple((page.path, page.pairs) for page in self.pages)

    @cached_property
    def keys(self) -> list[str]:
        """Names of parameters, the commonest first."""
        counts = Counter(name for page in self.pages for name in dict(page.pairs))
        return [name for name, _ in counts.most_common()]

    @cached_property
    def page_keys(self) -> frozenset[str]:
        """Parameters that say which page it is: by its number, or by how many rows come before."""
        found = set()
        for key in self.keys:
            pages = [(page, dict(page.pairs)[key]) for page in self.pages if key in dict(page.pairs)]
            told = [(p, int(v)) for p, v in pages if v.isascii() and v.isdigit()]
            if len(told) == len(pages) and any(p.page > 1 for p, _ in told):
                forms = [Number(one) for one in ("page", "page - 1", "(page - 1) * size")]
                if any(all(form.value(p) == v for p, v in told) for form in forms):
                    found.add(key)
        return frozenset(found)

    @cached_property
    def fields(self) -> list[str]:
        return list(dict.fromkeys(name for item in self.items for name in item))

    @cached_property
    def numbers(self) -> list[tuple[Number, Vector]]:
        """Every number a page may speak of, the likeliest first."""
        names = ["page", "total", "pages", "first", "last", "shown", "size", "page + 1", "page - 1"]
        if "n" in self.fields:
            names = ["item.n", "item.n - 1", "(item.n - 1) * size", *names]
        if "count" in self.fields:
            names = ["item.count", *names]
        names += ["(page - 1) * size", "page * size", "(page - 2) * size", "(pages - 1) * size", "(total - last)"]
        names += [
            "[last + size, total] | min",
            "pages - 1",
            "first - 1",
            "total + 1",
            "total - 1",
            "last + 1",
            "page + 2",
        ]
        return [(one, self.values(one)) for one in map(Number, names)]

    @cached_property
    def figures(self) -> tuple[list[tuple[Program, list[str]]], list[tuple[Hole, list[str]]]]:
        """Numbers and texts that follow from the rows of the list; for pages only."""
        return figures(self.pages, self.spelling) if self.root is self else ([], [])

    @cached_property
    def stems(self) -> list[Stem]:
        """Ways in which paths say which page it is: what stands around the number at their end."""
        found: Counter[tuple[str, str]] = Counter()
        for page in self.pages:
            head, digits, end = page.path.rpartition(str(page.page))
            if page.page > 1 and digits and end in ("", "/", ".html", ".htm", ".php"):
                marker = _PATH_PAGE.search(head)
                whole = marker["marker"] if marker else ""
                short = whole.rpartition("/")[2]
                for one in dict.fromkeys((whole, short)):
                    found[(one, end)] += 1
        paged = sum(page.page > 1 for page in self.pages)
        return [Stem(*one) for one, count in found.items() if count == paged]

    @cached_property
    def copies(self) -> list[tuple[Hole, Vector]]:
        """Texts that a page may copy from its request, from links to it, or from its row."""
        sources: list[Program] = [Argument(key) for key in self.keys if key not in self.page_keys]
        texts: list[Hole] = []
        for name in self.fields:
            if name != "n" and any(isinstance(item.get(name), str) for item in self.items):
                raw = re.fullmatch(r"s\d+", name)
                texts += [Hole(Field(name))] if raw else [Hole(Field(name), ways) for ways in self._written()]
        texts += [Hole(one, (*case, self.spelling)) for one in sources for case in CASES]
        texts += [Hole(one, ways) for one in sources for ways in (("quote-plus",), ("quote",), ("quote-path",))]
        places: list[Program] = [*self.stems, Place(), Place(1), Place(2)]
        texts += [Hole(Named(one), (self.spelling,)) for one in places if isinstance(one, Place | Stem)]
        texts += [Hole(one) for one in places]
        for form in ("+", "%20"):
            texts += [
                Hole(Here(form), ways)
                for ways in ((self.spelling,), (), ("quote",), ("quote-path",), ("quote", "quote"))
            ]
        texts += [Hole(Place(), ("quote",))]
        if self.root is self and any(page.counting is not None and page.counting.by_cursor for page in self.pages):
            texts += [Hole(Cursor(form), ways) for form in CURSORS for ways in ((), ("quote-plus",))]
        for number in (-1, 0, 1, 2, -2):
            texts += [Hole(Segment(number), ("unquote", *case, self.spelling)) for case in CASES]
            texts += [Hole(Segment(number))]
        found: dict[tuple[str, ...], Hole] = {}
        for text in texts:
            vector = tuple(self.values(text))
            if any(vector):
                found.setdefault(vector, text)
        return [(hole, vector) for vector, hole in found.items()]

    def copies_at(self, number: int) -> list[str]:
        """What an instance may copy, the longest first."""
        if number not in self._copies_at:
            texts = {vector[number] for _, vector in self.copies}
            self._copies_at[number] = sorted((one for one in texts if len(one) > 1), key=lambda one: (-len(one), one))
        return self._copies_at[number]

    def _written(self) -> list[tuple[str, ...]]:
        return [(self.spelling,), ("quote-plus",), ("quote",), ()]

    @cached_property
    def tests(self) -> list[Test]:
        """Conditions, the plainest first, with the instances on which they hold."""
        if self.root is self:
            return [(test, self.bits(test)) for test in self._page_tests()]
        spread: dict[int, int] = Counter()
        for number, page in enumerate(self.of_page):
            spread[page] |= 1 << number
        outer = []
        for test, bits in self.root.tests:
            held = 0
            for page, rows in spread.items():
                if bits >> page & 1:
                    held |= rows
            outer.append((test, held))
        return [*((test, self.bits(test)) for test in self._row_tests()), *outer]

    def bits(self, test: Program) -> int:
        found = 0
        for number in range(len(self)):
            if test.value(self.facts(number), self.items[number]):
                found |= 1 << number
        return found

    def _page_tests(self) -> Iterator[Program]:
        page, pages, total = Number("page"), Number("pages"), Number("total")
        one = Number("1")
        yield from (Compare(page, ">", one), Compare(page, "<", pages), Compare(pages, ">", one))
        yield from (Compare(total, "==", Number("0")), Compare(total, "==", one), Compare(Number("shown"), "==", one))
        yield from (Compare(Number("shown"), "<", Number("size")), Compare(Number("shown"), "==", Number("0")))
        yield from (Compare(total, ">", Number("size")), Compare(page, ">", pages), Compare(total, ">", one))
        stayed = [key for key in self.keys if key not in self.page_keys]
        yield from (Has(key) for key in self.keys)
        yield from (Has(key, filled=True) for key in self.keys)
        for key in stayed:
            values = Counter(value for facts in self.pages for name, value in facts.pairs if name == key)
            yield from (Paired(key, Constant(value)) for value, _ in values.most_common(_MOST_VALUES))
        for k in range(2, 11):
            yield from (Compare(page, ">", Number(str(k))), Compare(page, "<", Number(f"pages - {k - 1}")))
            yield from (Compare(pages, ">", Number(str(k))), Compare(page, "==", Number(str(k))))
        paths = Counter(facts.path for facts in self.pages)
        above = Counter(prefix for path in paths for prefix in _above(path))
        yield from (Below(Constant(prefix)) for prefix, count in above.items() if 1 < count < len(paths))
        yield from (AtPath(path) for path, _ in paths.most_common(_MOST_VALUES))

    def _row_tests(self) -> Iterator[Program]:
        if "n" in self.fields:
            n = Number("item.n")
            for right in ("page", "1", "pages", "page + 1", "page - 1"):
                yield from (Compare(n, sign, Number(right)) for sign in ("==", "<", ">"))
        if "count" in self.fields:
            yield from (Compare(Number("item.count"), sign, Number("0")) for sign in ("==", ">"))
        texts = [name for name in self.fields if name != "n"]
        yield from (Truth(Field(name)) for name in texts if any(isinstance(i.get(name), bool) for i in self.items))
        texts = [name for name in texts if any(isinstance(item.get(name), str) for item in self.items)]
        for name in texts:
            yield from (Equal(Place(), Field(name)), Below(Field(name)))
            yield from (Equal(stem, Field(name)) for stem in self.stems)
            for key in self.keys:
                yield Paired(key, Field(name))
                yield Equal(Argument(key), Field(name))
                values = list(dict.fromkeys(str(item.get(name, "")) for item in self.items))
                yield from (Equal(Argument(key, value), Field(name)) for value in values[:12] if value)


class RowSight(Sight):
    """Pages, each with the row that it is about; conditions are about the row alone."""

    def __init__(self, pages: Sequence[Facts], spelling: str, items: Sequence[Item]) -> None:
        super().__init__(pages, spelling)
        self.items = list(items)

    @cached_property
    def tests(self) -> list[Test]:
        """What a row has, and what several rows have alike."""
        found: list[Program] = [Truth(Field(name)) for name in self.fields if name.startswith("h")]
        for name in self.fields:
            values = Counter(str(item[name]) for item in self.items if isinstance(item.get(name), str))
            if 1 < len(values) <= len(self.items) / 2:
                found += [Equal(Field(name), Constant(value)) for value, count in values.items() if count > 1]
        return [(test, self.bits(test)) for test in found]


def _above(path: str) -> Iterator[str]:
    parts = path.split("/")
    return ("/".join(parts[:depth]) + "/" for depth in range(2, len(parts)))


def spelling_of(texts: Iterable[str]) -> str:
    """The way in which a site writes quotes in its pages, as far as they show it."""
    counts: Counter[str] = Counter()
    for text in texts:
        for name, marks in SPELLINGS.items():
            counts[name] += sum(text.count(mark) for mark in marks if mark.startswith("&"))
            counts[name] -= sum(text.count(mark) for mark in ('"', "'") if mark not in marks)
    return max(SPELLINGS, key=lambda name: (counts[name], -list(SPELLINGS).index(name)))
