import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skimage.metrics import structural_similarity

from verifier.measure.ssim import WINDOW, ssim

LUMINANCE = numpy.array([0.299, 0.587, 0.114])


def reference(one, other):
    grey = (one.astype(numpy.float64) @ LUMINANCE, other.astype(numpy.float64) @ LUMINANCE)
    return structural_similarity(*grey, win_size=7, data_range=255)


def noise(height, width, seed=0):
    return numpy.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=numpy.uint8)


def changed(picture, rows, columns=slice(None), seed=1):
    other = picture.copy()
    other[rows, columns] = noise(*other[rows, columns].shape[:2], seed=seed)
    return other


def page_like(height=300, width=200):
    picture = numpy.full((height, width, 3), 255, dtype=numpy.uint8)
    picture[10:40] = (20, 60, 200)
    picture[60:200:12, 20:150] = 30
    return picture


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (page_like(), page_like()),
        (page_like(), changed(page_like(), slice(50, 80))),
        (page_like(), changed(page_like(), slice(0, 1))),
        (page_like(), changed(page_like(), slice(299, 300))),
        (page_like(), changed(page_like(), slice(100, 103), slice(0, 1))),
        (page_like(), changed(page_like(), slice(100, 103), slice(199, 200))),
        (page_like(), changed(changed(page_like(), slice(20, 25), slice(5, 9)), slice(31, 32), slice(150, 160))),
        (page_like(), changed(changed(page_like(), slice(20, 25)), slice(200, 230), slice(50, 60))),
        (page_like(), numpy.roll(page_like(), 3, axis=0)),
        (noise(40, 40), noise(40, 40, seed=5)),
        (noise(7, 7), noise(7, 7, seed=5)),
        (noise(7, 90), changed(noise(7, 90), slice(3, 4), slice(80, 90))),
        (numpy.zeros((20, 30, 3), numpy.uint8), numpy.full((20, 30, 3), 255, numpy.uint8)),
    ],
)
def test_equals_scikit_image(one, other):
    assert ssim(one, other) == pytest.approx(reference(one, other), abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(
    st.tuples(st.integers(7, 40), st.integers(7, 40)),
    st.lists(st.tuples(st.integers(0, 39), st.integers(0, 39), st.integers(0, 255)), max_size=6),
)
def test_equals_scikit_image_wherever_single_pixels_differ(size, spots):
    one = noise(*size)
    other = one.copy()
    for row, column, value in spots:
        other[row % size[0], column % size[1]] = value
    assert ssim(one, other) == pytest.approx(reference(one, other), abs=1e-9)


@pytest.mark.parametrize("size", [(1, 1), (3, 50), (50, 3), (6, 6)])
def test_pictures_smaller_than_a_window(size):
    one = noise(*size)
    assert ssim(one, one) == 1.0
    other = changed(one, slice(0, 1))
    room = tuple((0, max(0, WINDOW - side)) for side in size)
    widened = [numpy.pad(picture, (*room, (0, 0)), mode="edge") for picture in (one, other)]
    assert ssim(one, other) == pytest.approx(reference(*widened), abs=1e-9)
    assert ssim(one, other) < 1


def test_pictures_of_two_sizes_do_not_compare():
    with pytest.raises(ValueError, match="do not compare"):
        ssim(noise(10, 10), noise(11, 10))
