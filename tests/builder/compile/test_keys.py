import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.compile import keys

FORM = "application/x-www-form-urlencoded"


@given(st.text(max_size=30))
def test_a_path_has_one_spelling_however_it_was_escaped(text: str) -> None:
    plain = "/" + text
    raw = plain.encode("utf-8", "surrogatepass")
    escaped = "/" + "".join(f"%{byte:02x}" for byte in raw[1:])
    assert keys.path_of(escaped) == keys.path_of(keys.path_of(escaped))
    assert keys.path_of(raw.replace(b"%", b"%25")) == keys.path_of(escaped)


def test_multipart_is_the_same_whatever_its_boundary() -> None:
    def body(boundary: str) -> tuple[str, bytes]:
        parts = [
            '--{0}\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n',
            '--{0}\r\nContent-Disposition: form-data; name="f"; filename="x.png"\r\nContent-Type: image/png\r\n\r\n',
        ]
        data = "".join(parts).format(boundary).encode() + b"\x89PNG\r\n--x\xff" + f"\r\n--{boundary}--\r\n".encode()
        return f"multipart/form-data; boundary={boundary}", data

    one, other = keys.leaves_of(*body("aaa")), keys.leaves_of(*body("----WebKitFormBoundary7MA4YWxk"))
    assert one == other
    assert one["a"] == "1"
    assert one["f"].startswith("sha256:")
    assert one["f.filename"] == "x.png"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 1}, {"a": "1"}),
        ({"a": [1]}, {"a": {"0": 1}}),
        ({"a.b": 1}, {"a": {"b": 1}}),
        ({"a/b": 1}, {"a": {"b": 1}}),
        ({"a[0]": 1}, {"a": [1]}),
        ({"a": None}, {"a": "null"}),
        ({"a": "=1"}, {"a": 1}),
        ({}, []),
        ({"a": {}}, {"a": []}),
        (None, {}),
    ],
)
def test_json_that_differs_has_other_leaves(one: object, other: object) -> None:
    left, right = (keys.leaves_of("application/json", json.dumps(value).encode()) for value in (one, other))
    assert left != right
    assert keys.body_key(left) != keys.body_key(right)


def test_repeated_fields_keep_their_order_and_names_stay_apart() -> None:
    assert keys.leaves_of(FORM, b"a=1&a=2&a%232=3") == {"a": "1", "a#2": "2", "a##2": "3"}


def test_a_body_without_bytes_has_no_key_and_one_with_only_volatile_leaves_has() -> None:
    assert keys.body_key({}) == ""
    assert keys.body_key({"t": "1"}, {"t"}) == keys.body_key({"t": "2"}, {"t"}) != ""


def test_unknown_passwords_count_only_by_being_equal() -> None:
    def numbered(*secrets: str) -> list[str]:
        leaves = {f"p{n}": f"{{{{secret:{secret}}}}}" for n, secret in enumerate(secrets)}
        return list(keys.numbered_secrets(leaves).values())

    assert numbered("ab", "ab") == numbered("cd", "cd")
    assert numbered("ab", "ab") != numbered("ab", "cd")


def test_a_shared_password_belongs_to_the_user_who_is_named() -> None:
    accounts = [("one", "ann", "pw"), ("two", "bob", "pw")]
    assert keys.with_placeholders({"u": "bob", "p": "pw"}, accounts)["p"] == "{{password:two}}"
    assert keys.with_placeholders({"u": "ann", "p": "pw"}, accounts)["p"] == "{{password:one}}"


@pytest.mark.parametrize(
    "value", ["2f1c8b9e-4a7d-4c1e-9b3a-7d5e6f8a9b0c", "tdjjCVwy2I3gzpIXy00oPwls", "0.7263548192", "1718000000000123456"]
)
def test_chance_is_recognised(value: str) -> None:
    assert keys.looks_random(value)


@pytest.mark.parametrize(
    "value", ["", "1", "sort-by-price-ascending", "SomeLongCamelCaseName", "the_lord_of_the_rings_2", "page=2", "user@example.com", "0.5",
              "getElementsByClassName", "en-US-de-DE-fr-FR-it-IT", "theQuickBrownFoxJumpsOver"]
)  # fmt: skip
def test_words_and_numbers_are_no_chance(value: str) -> None:
    assert not keys.looks_random(value)
