"""Two looks at one page turned into the four numbers of a report."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from artifacts.report import Metrics
from verifier.measure.pixels import decoded, padded, pixel_similarity
from verifier.measure.ssim import ssim
from verifier.measure.text import text_f1
from verifier.measure.tree import tree_f1

NOTHING = Metrics(ssim=0, pixel=0, text_f1=0, axtree_f1=0)
"""What a page scores that could not be had."""


class Taken(NamedTuple):
    """What of a look is compared."""

    picture: bytes
    """PNG of the whole page."""
    text: str
    axtree: Sequence[Mapping[str, Any]]


def compared(expected: Taken, seen: Taken) -> Metrics:
    """How close the second look is to the first. Equal bytes are equal, whatever is in them."""
    alike, pixel = 1.0, 1.0
    if expected.picture != seen.picture:
        one, other = padded(decoded(expected.picture), decoded(seen.picture))
        alike, pixel = ssim(one, other), pixel_similarity(one, other)
    return Metrics(
        ssim=max(0.0, alike),  # below nothing in common there is only contrariness
        pixel=pixel,
        text_f1=text_f1(expected.text, seen.text),
        axtree_f1=tree_f1(expected.axtree, seen.axtree),
    )
