"""Parts of a page exchanged for others."""

from builder.behave.patches import Change, change_of, patched, text_of

TOP = ("#top",)
PAGE = '<body><div id="top" class="a b"><i>1</i><b>2</b></div><p id="own">kept</p></body>'


def test_only_what_fits_is_changed_and_nothing_around_it() -> None:
    content = Change(TOP, "", (("<b>2</b>",),), "<b>3</b><u>4</u>", "i:0")
    assert patched(PAGE, "/", [content]) == PAGE.replace("<b>2</b>", "<b>3</b><u>4</u>")
    assert patched(PAGE, "/", [content._replace(olds=(("<b>9</b>",),))]) == PAGE
    assert patched(PAGE, "/", [content._replace(place=("#gone",))]) == PAGE


def test_what_comes_in_addition_stands_after_its_neighbour() -> None:
    assert "<i>1</i><u>x</u><b>2</b>" in patched(PAGE, "/", [Change(TOP, "", ((),), "<u>x</u>", "i:0")])
    assert '"a b"><u>x</u><i>1' in patched(PAGE, "/", [Change(TOP, "", ((),), "<u>x</u>", "")])


def test_the_longer_of_two_contents_is_replaced_as_a_whole() -> None:
    change = Change(TOP, "", ((), ("<b>2</b>",)), "<u>x</u>", "i:0")
    assert "<i>1</i><u>x</u></div>" in patched(PAGE, "/", [change])


def test_classes_and_attributes_of_one_element_change_together() -> None:
    changes = [
        Change(TOP, "class", (("a",),), "c", ""),
        Change(TOP, "hidden", ((),), "", ""),
        Change(TOP, "title", ((),), 'say "x"', ""),
    ]
    assert '<div id="top" class="c b" hidden="" title=\'say "x"\'>' in patched(PAGE, "/", changes)
    assert patched(PAGE, "/", [Change(TOP, "class", (("z",),), "c", "")]) == PAGE
    assert '<div id="top">' in patched(PAGE, "/", [Change(TOP, "class", (("a", "b"),), None, "")])


def test_a_change_is_the_same_after_it_was_written_and_read() -> None:
    change = Change(TOP, "", (("a", "b"), ()), None, "i:0")
    assert change_of(text_of(change)) == change
