"""Pictures as arrays, brought to one size, and how alike their pixels are."""

import io

import numpy as np
from PIL import Image

from verifier.measure.ssim import Picture


def decoded(png: bytes) -> Picture:
    """The picture's rows of red, green and blue."""
    with Image.open(io.BytesIO(png)) as image:
        return np.asarray(image.convert("RGB"))


def padded(one: Picture, other: Picture) -> tuple[Picture, Picture]:
    """Both pictures at the size of a frame that holds either.

    Where one of them has no pixels it gets white or black, whichever is further from what the other shows there, so
    that content that is missing costs.
    """
    height, width = (max(sides) for sides in zip(one.shape[:2], other.shape[:2], strict=True))
    return _grown(one, other, height, width), _grown(other, one, height, width)


def _grown(picture: Picture, against: Picture, height: int, width: int) -> Picture:
    own_height, own_width = picture.shape[:2]
    if (own_height, own_width) == (height, width):
        return picture
    grown = np.zeros((height, width, 3), dtype=np.uint8)
    shown = against.mean(axis=2) < 128
    grown[: shown.shape[0], : shown.shape[1]][shown] = 255
    grown[:own_height, :own_width] = picture
    return grown


def pixel_similarity(one: Picture, other: Picture) -> float:
    """1 minus the mean absolute difference of all colour values, as a share of 255. Pictures of no size are equal."""
    if not one.size:
        return 1.0
    rows = (one != other).any(axis=(1, 2))
    apart = np.abs(one[rows].astype(np.int16) - other[rows]).sum(dtype=np.int64)
    return 1.0 - float(apart) / (255.0 * one.size)
