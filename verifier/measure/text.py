"""How much of what a page says is the same."""

from collections import Counter
from collections.abc import Hashable


def words(text: str) -> Counter[str]:
    """The bag of a text's words, case ignored."""
    return Counter(text.casefold().split())


def bag_f1[T: Hashable](expected: Counter[T], seen: Counter[T]) -> float:
    """The F1 of two bags. Two empty bags agree completely."""
    if not expected and not seen:
        return 1.0
    return 2 * (expected & seen).total() / (expected.total() + seen.total())


def text_f1(expected: str, seen: str) -> float:
    """How much of the visible text survived, as the F1 of two bags of words.

    Order and case are ignored on purpose: layout is what SSIM measures.

    >>> text_f1("Add to cart", "add to CART")
    1.0
    >>> text_f1("Add to cart", "Add")
    0.5
    >>> text_f1("", "Add")
    0.0
    """
    return bag_f1(words(expected), words(seen))


def change_f1(before: str, after: str, seen_before: str, seen_after: str) -> float:
    """How alike two changes are: the words that came and those that went, on either side.

    >>> change_f1("cart 0", "cart 1", "CART 0", "CART 1")
    1.0
    >>> change_f1("cart 0", "cart 1", "cart 0", "cart 0")
    0.0
    >>> change_f1("same", "same", "same", "same")
    1.0
    """
    return bag_f1(_change(before, after), _change(seen_before, seen_after))


def _change(before: str, after: str) -> Counter[tuple[str, str]]:
    old, new = words(before), words(after)
    came = {("came", word): count for word, count in (new - old).items()}
    went = {("went", word): count for word, count in (old - new).items()}
    return Counter(came | went)


def change_in_words(before: str, after: str, *, most: int = 6) -> str:
    """The change as a person would jot it down.

    >>> change_in_words("cart 0 empty", "cart 1")
    '+1 -0 -empty'
    >>> change_in_words("a", "a")
    'nothing'
    """
    signs = {"came": "+", "went": "-"}
    parts = [signs[which] + word for which, word in _change(before, after)]
    return " ".join(parts[:most]) + (" ..." if len(parts) > most else "") if parts else "nothing"
