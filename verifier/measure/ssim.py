"""Structural similarity, equal to scikit-image's to nine decimals and many times faster where pictures agree."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from skimage.metrics import structural_similarity

WINDOW = 7
_PAD = WINDOW // 2
_LUMINANCE = np.array([0.299, 0.587, 0.114])

Picture = NDArray[np.uint8]
"""Rows, columns, red-green-blue."""


def ssim(one: Picture, other: Picture) -> float:
    """Mean structural similarity of two pictures of one size, on luminance, in uniform windows of 7 by 7.

    A window whose pixels are equal in both pictures counts exactly 1, so only what lies around differences is computed.
    Pictures narrower or lower than a window are continued at their edges.
    """
    if one.shape != other.shape:
        raise ValueError(f"pictures of {one.shape} and {other.shape} do not compare")
    lacking = [max(0, WINDOW - side) for side in one.shape[:2]]
    if any(lacking):
        room = ((0, lacking[0]), (0, lacking[1]), (0, 0))
        one, other = np.pad(one, room, mode="edge"), np.pad(other, room, mode="edge")
    height, width = one.shape[:2]
    total = float((height - 2 * _PAD) * (width - 2 * _PAD))
    lost = sum(_loss(one[rows, columns], other[rows, columns]) for rows, columns in _different(one, other))
    return 1.0 - lost / total


def _different(one: Picture, other: Picture) -> Iterator[tuple[slice, slice]]:
    """Parts that hold every window with a difference in it, each wide enough for whole windows, none counted twice."""
    height, width = one.shape[:2]
    flat = one.reshape(height, -1), other.reshape(height, -1)
    for top, bottom in _runs((flat[0] != flat[1]).any(axis=1), reach=_PAD):
        rows = slice(top - _PAD, bottom + _PAD)
        columns = np.flatnonzero((flat[0][rows] != flat[1][rows]).any(axis=0)) // 3
        left, right = max(_PAD, columns[0] - _PAD), min(width - _PAD, columns[-1] + _PAD + 1)
        if left < right:
            yield rows, slice(left - _PAD, right + _PAD)


def _runs(marked: NDArray[np.bool_], *, reach: int) -> Iterator[tuple[int, int]]:
    """Begin and end of each run of window centres that have a marked row within reach."""
    centres = np.convolve(marked, np.ones(2 * reach + 1), mode="valid") > 0
    edges = np.flatnonzero(np.diff(np.concatenate(([False], centres, [False])).astype(np.int8)))
    for begin, end in edges.reshape(-1, 2):
        yield int(begin) + reach, int(end) + reach


def _loss(one: Picture, other: Picture) -> float:
    """How much the windows wholly inside these parts lack of 1, summed."""
    grey = one @ _LUMINANCE, other @ _LUMINANCE
    _, each = structural_similarity(*grey, win_size=WINDOW, data_range=255, full=True)  # type: ignore[no-untyped-call]
    inside = each[_PAD:-_PAD, _PAD:-_PAD]
    return float(inside.size - inside.sum())
