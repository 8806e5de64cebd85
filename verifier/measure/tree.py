"""How much of what assistive technology is told is the same."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from verifier.measure.text import bag_f1


def tree_f1(expected: Iterable[Mapping[str, Any]], seen: Iterable[Mapping[str, Any]]) -> float:
    """The F1 of two accessibility trees as bags of role and name.

    >>> tree_f1([{"role": "link", "name": "A"}], [{"role": "link", "name": "A"}, {"role": "button", "name": "B"}])
    0.6666666666666666
    >>> tree_f1([], [])
    1.0
    """
    return bag_f1(_bag(expected), _bag(seen))


def _bag(nodes: Iterable[Mapping[str, Any]]) -> Counter[tuple[str, str]]:
    return Counter((str(node["role"]), " ".join(str(node["name"]).split())) for node in nodes)
