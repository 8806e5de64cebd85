"""How text is compared: as a date, a number, letters without case or accents, words or stems of words.

Standard library only: a copy of this file is part of every emitted application, so that what was checked when
the queries were induced is what answers.
"""

import re
import unicodedata
from datetime import UTC, datetime
from functools import lru_cache
from itertools import pairwise
from urllib.parse import unquote

Value = float | str | None
"""What a column's text is worth under one way of comparing; None where it has no such value."""

KINDS = ("date", "day-first", "number", "ident", "natural", "folded", "text", "alphanumeric")
"""Ways to compare for an order, in the order in which rivals are preferred."""

STOP_WORDS = frozenset(
    "a an and are as at be but by for from if in into is it no not of on or such that the their then there these they"
    " this to was will with".split()
)
_MONTHS = {
    name: number
    for number, names in enumerate(
        "jan gen ene janv,feb fev fevr,mar marz mrz mars,apr avr abr,may mai mei mag,jun juni juin giu,jul juil lug,"
        "aug aou aout ago,sep sept set,oct okt ott out,nov,dec dez dic".split(","), 1
    )
    for name in names.split()
}  # fmt: skip
_ISO = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_LOCAL = re.compile(r"(?<!\d)(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d\d)(?!\d)")
_DAY_MONTH = re.compile(r"(?<!\d)(\d{1,2})(?:st|nd|rd|th)?[.,]?\s+(?:de\s+|of\s+)?([a-z]{3,})\.?,?\s+(?:de\s+)?(\d{4})")
_MONTH_DAY = re.compile(r"([a-z]{3,})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})")
_MONTH_YEAR = re.compile(r"([a-z]{3,})\.?,?\s+(\d{4})")
_CLOCK = re.compile(r"(?<!\d)(\d{1,2}):(\d\d)(?::(\d\d)(\.\d+)?)?\s*([ap])?\.?m?")
_NUMBER = re.compile(r"[-+−]?(?:\d+(?:[.,'  ]\d{3})+(?!\d)|\d+)(?:[.,]\d+)?|[-+−]?\.\d+")
_SAID = "zero one two three four five six seven eight nine ten".split()
_PART = re.compile(r"\s*[,;|\n]\s*")
_LONGEST_UNIT = 24
"""Characters that may stand around a number; more are a sentence that happens to hold one."""


def fold(text: str) -> str:
    """The text without case, accents and superfluous white space.

    >>> fold("  Crème\\n BRÛLÉE ")
    'creme brulee'
    """
    if text.isascii():
        return " ".join(text.lower().split())
    plain = unicodedata.normalize("NFKD", text)
    return " ".join("".join(char for char in plain if not unicodedata.combining(char)).casefold().split())


def words(text: str) -> list[str]:
    """The words of a text, folded.

    >>> words("Don't panic: it's 42_a!")
    ['don', 't', 'panic', 'it', 's', '42', 'a']
    """
    return re.findall(r"[^\W_]+", fold(text))


def typed(kind: str, text: str | None) -> Value:
    """What a text is worth under a way of comparing; None for no text, or for one that has no such value.

    >>> typed("number", "£1,234.50"), typed("natural", "Part 12"), typed("slug", "Science & Fiction")
    (1234.5, 'part 00212', 'science-fiction')
    """
    if text is None:
        return None
    match kind:
        case "date" | "day-first":
            return date_of(text, day_first=kind == "day-first")
        case "number":
            return number_of(text)
        case "ident":
            found = re.findall(r"\d+", text) if text.startswith(("/", "?", "http")) else []
            return float(found[-1]) if found and len(found[-1]) < 16 else None
        case "natural":
            return re.sub(r"\d+", _padded, fold(text))
        case "folded":
            return fold(text)
        case "alphanumeric":
            return "".join(words(text))
        case "slug":
            return "-".join(words(text))
        case "items":
            return "\x1f" + "".join("-".join(words(part)) + "\x1f" for part in _PART.split(text) if part)
        case "words":
            return "".join(f" {word} " for word in words(text))
        case "stems":
            return "".join(f" {stem(word)} " for word in words(text))
        case _:
            return text


def _padded(digits: re.Match[str]) -> str:
    """A number as letters sort it: how many digits it has goes first."""
    plain = digits[0].lstrip("0") or "0"
    return f"{len(plain):03d}{plain}"


def number_of(text: str) -> float | None:
    """The number that a text is, whatever stands around it: a currency, a unit, "of 5".

    >>> [number_of(text) for text in ("1.234,50 €", "1,234", "4.5 out of 5", "2.5k", "-3 °C", "none")]
    [1234.5, 1234.0, 4.5, 2500.0, -3.0, None]
    >>> number_of("star-rating Three")
    3.0
    """
    found = _NUMBER.search(text)
    if not found and len(text) <= _LONGEST_UNIT:
        said = [_SAID.index(word) for word in words(text) if word in _SAID]
        return float(said[0]) if len(said) == 1 else None
    if not found or len(_NUMBER.sub("", text)) > _LONGEST_UNIT:
        return None
    digits = re.sub(r"['  ]", "", found[0]).replace("−", "-")
    comma, dot = digits.rfind(","), digits.rfind(".")
    if comma >= 0 and dot >= 0:
        thousands = "," if dot > comma else "."
        digits = digits.replace(thousands, "").replace(",", ".")
    elif comma >= 0:
        grouped = digits.count(",") > 1 or len(digits) - comma == 4
        digits = digits.replace(",", "" if grouped else ".")
    elif digits.count(".") > 1:
        digits = digits.replace(".", "")
    scale = {"k": 1e3, "m": 1e6, "b": 1e9}.get(text[found.end() : found.end() + 1].casefold(), 1.0)
    after = text[found.end() + 1 : found.end() + 2]
    return float(digits) * (1.0 if after.isalpha() else scale)


def date_of(text: str, *, day_first: bool = False) -> float | None:
    """Seconds since 1970 of the date in a text, its time of day counted; `day_first` settles what "3/4/2024" means.

    >>> date_of("10 juin 2024") == date_of("Jun 10, 2024") == date_of("2024-06-10") == date_of("10.06.2024")
    True
    >>> date_of("2024-06-10T08:00:00Z") - date_of("2024-06-10")
    28800.0
    """
    folded = fold(text)
    for found, (year, month, day) in _dates(folded, day_first=day_first):
        clock = _CLOCK.search(folded[: found.start()] + " " + folded[found.end() :].lstrip("t"))
        hours, minutes, seconds = 0, 0, 0.0
        if clock:
            hours, minutes = int(clock[1]) % (12 if clock[5] else 24), int(clock[2])
            seconds = float((clock[3] or "0") + (clock[4] or ""))
            hours += 12 if clock[5] == "p" else 0
        try:
            return datetime(year, month, day, hours, minutes, tzinfo=UTC).timestamp() + seconds
        except ValueError:
            continue
    return None


def _dates(folded: str, *, day_first: bool) -> list[tuple[re.Match[str], tuple[int, int, int]]]:
    """Every reading of a date in a folded text, as year, month and day; the surest first."""
    readings: list[tuple[re.Match[str], tuple[int, int, int]]] = []
    if found := _ISO.search(folded):
        readings.append((found, (int(found[1]), int(found[2]), int(found[3]))))
    if (found := _DAY_MONTH.search(folded)) and (month := _month(found[2])):
        readings.append((found, (int(found[3]), month, int(found[1]))))
    if (found := _MONTH_DAY.search(folded)) and (month := _month(found[1])):
        readings.append((found, (int(found[3]), month, int(found[2]))))
    if found := _LOCAL.search(folded):
        one, other, year = int(found[1]), int(found[3]), int(found[4])
        if (found[2] == "." or day_first or one > 12) and other <= 12:
            one, other = other, one
        readings.append((found, (year if year > 99 else 2000 + year, one, other)))
    if not readings and (found := _MONTH_YEAR.search(folded)) and (month := _month(found[1])):
        readings.append((found, (int(found[2]), month, 1)))
    return readings


def _month(name: str) -> int | None:
    return _MONTHS.get(name) or _MONTHS.get(name[:4]) or _MONTHS.get(name[:3])


_STEPS = (
    (
        0,
        "ational ate,tional tion,enci ence,anci ance,izer ize,bli ble,alli al,entli ent,eli e,ousli ous,ization ize,"
        "ation ate,ator ate,alism al,iveness ive,fulness ful,ousness ous,aliti al,iviti ive,biliti ble,logi log",
    ),
    (0, "icate ic,ative ,alize al,iciti ic,ical ic,ful ,ness "),
    (1, "al ,ance ,ence ,er ,ic ,able ,ible ,ant ,ement ,ment ,ent ,sion s,tion t,ou ,ism ,ate ,iti ,ous ,ive ,ize "),
)
_ENDINGS = [
    (least, sorted((tuple(pair.split(" ")) for pair in pairs.split(",")), key=lambda pair: -len(pair[0])))
    for least, pairs in _STEPS
]


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The stem of an English word, as Porter's rules cut it; short words and other alphabets stay as they are.

    >>> [stem(word) for word in ("relational", "hopping", "ponies", "flies", "agreed", "controlling", "adoption")]
    ['relat', 'hop', 'poni', 'fli', 'agre', 'control', 'adopt']
    """
    if len(word) < 3 or not word.isascii() or not word.isalpha():
        return word
    word = _without_inflection(word)
    if word.endswith("y") and "v" in _shape(word[:-1]):
        word = word[:-1] + "i"
    for least, endings in _ENDINGS:
        for ending, instead in endings:
            if word.endswith(ending):
                kept = word[: -len(ending)] + instead
                counted = kept if least else word[: -len(ending)]
                word = kept if _measure(counted) > least else word
                break
    if word.endswith("e"):
        measure = _measure(word[:-1])
        if measure > 1 or (measure == 1 and not _ends_short(word[:-1])):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word


def _without_inflection(word: str) -> str:
    """The word without a plural's or a verb's ending."""
    if word.endswith(("sses", "ies")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    ending = next((end for end in ("ed", "ing") if word.endswith(end)), "")
    if not ending or "v" not in _shape(word[: -len(ending)]):
        return word
    word = word[: -len(ending)]
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if len(word) > 1 and word[-1] == word[-2] and _shape(word)[-1] == "c" and word[-1] not in "lsz":
        return word[:-1]
    return word + "e" if _measure(word) == 1 and _ends_short(word) else word


def _shape(word: str) -> str:
    """The word as vowels (v) and consonants (c); y is a vowel after a consonant."""
    found = "" if not word else "v" if word[0] in "aeiou" else "c"
    for before, char in pairwise(word):
        found += "v" if char in "aeiou" or (char == "y" and before not in "aeiou" and found[-1] == "c") else "c"
    return found


def _measure(word: str) -> int:
    """How many times vowels are followed by consonants."""
    return len(re.findall("v+c+", _shape(word)))


def _ends_short(word: str) -> bool:
    """Whether it ends consonant, vowel, consonant, the last none of w, x and y."""
    return _shape(word).endswith("cvc") and word[-1] not in "wxy"


def names_of(key: str) -> tuple[str, ...]:
    """What a cursor may call a row: its key, the key's last piece, the number in it."""
    last = re.split(r"[/=]", key.rstrip("/"))[-1]
    number = re.findall(r"\d+", last)
    return (key, unquote(last), *number[-1:])


def points_to(cursor: str, key: str) -> bool:
    """Whether a cursor names a row; what the list is ordered by may stand before its name.

    >>> points_to("0~2E5,apt", "/package/apt"), points_to("apt", "/package/apt"), points_to("apt,x", "/package/apt")
    (True, True, False)
    """
    names = names_of(key)
    return cursor in names or last_piece(cursor) in names


def last_piece(cursor: str) -> str:
    """The last of a cursor's pieces: what the list is ordered by stands before it, if anything does.

    >>> last_piece("12.50,apt"), last_piece("apt")
    ('apt', 'apt')
    """
    return re.split("[,|;]", cursor)[-1]
