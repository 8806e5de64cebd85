import io
import json
from collections import Counter

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from verifier.measure.compare import Taken, compared
from verifier.measure.pixels import decoded, padded, pixel_similarity
from verifier.measure.text import bag_f1, change_f1, text_f1
from verifier.measure.tree import tree_f1


def png(picture):
    out = io.BytesIO()
    Image.fromarray(picture).save(out, "PNG")
    return out.getvalue()


def plain(height, width, value=255):
    return numpy.full((height, width, 3), value, dtype=numpy.uint8)


def test_missing_content_costs_whatever_its_colour():
    for value in (0, 255):
        tall, short = plain(200, 50, value), plain(100, 50, value)
        one, other = padded(tall, short)
        assert one.shape == other.shape == (200, 50, 3)
        assert pixel_similarity(one, other) == 0.5
        assert padded(short, tall)[0].tolist() == other.tolist()


def test_pixel_similarity_is_the_mean_absolute_difference():
    one, other = plain(10, 10, 100), plain(10, 10, 100)
    other[0, 0] = (151, 100, 100)
    assert pixel_similarity(one, other) == pytest.approx(1 - 51 / (255 * 300))
    assert pixel_similarity(plain(0, 5), plain(0, 5)) == 1.0


def test_a_picture_survives_decoding():
    picture = plain(4, 5, 9)
    assert decoded(png(picture)).tolist() == picture.tolist()


texts = st.text(alphabet="ab c", max_size=30)


@given(texts, texts)
def test_text_f1_is_symmetric_bounded_and_one_for_equal_bags(one, other):
    assert text_f1(one, other) == text_f1(other, one)
    assert 0 <= text_f1(one, other) <= 1
    assert (text_f1(one, other) == 1.0) == (Counter(one.split()) == Counter(other.split()))


@given(texts, texts)
def test_a_change_is_like_itself_and_unlike_none(before, after):
    assert change_f1(before, after, before, after) == 1.0
    if Counter(before.split()) != Counter(after.split()):
        assert change_f1(before, after, before, before) == 0.0


def test_bags_count_repeats():
    assert bag_f1(Counter("aab"), Counter("ab")) == pytest.approx(0.8)
    assert tree_f1([{"role": "a", "name": "x  y"}] * 2, [{"role": "a", "name": "x y"}]) == pytest.approx(2 / 3)


def test_four_numbers_of_two_looks():
    tree = [{"role": "link", "name": "A"}]
    one = Taken(png(plain(40, 40)), "Add to cart", tree)
    assert set(json.loads(compared(one, one).to_bytes()).values()) == {1.0}
    worse = compared(one, Taken(png(plain(40, 40, 0)), "Add", []))
    assert worse.ssim < 0.01 and worse.pixel == 0 and worse.text_f1 == 0.5 and worse.axtree_f1 == 0
