"""Tables of a database are told apart by their header cells, and by nothing else."""

from builder.induce.pages import Page, kinds
from builder.induce.refine import by_header, header, selectors
from builder.induce.tree import parse


def table(heads: list[str], rows: int, sort: str = "") -> str:
    cells = "".join(f"<th>{head}{' ▲' if head == sort else ''}</th>" for head in heads)
    body = "".join("<tr>" + "".join(f"<td>{head}{n}</td>" for head in heads) + "</tr>" for n in range(rows))
    return f"<body><table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table></body>"


def test_a_header_is_what_the_cells_of_the_longest_table_say() -> None:
    html = table(["Name", "Born"], 2) + table(["Title", "Year", "Price"], 5, "Year")
    assert header(parse(html)) == ("title", "year", "price")


def test_tables_without_a_row_of_header_cells_have_none() -> None:
    assert header(parse("<table><tr><th>Size</th><td>3</td></tr><tr><th>Age</th><td>4</td></tr></table>")) == ()


def test_a_path_goes_by_what_most_of_its_pages_show() -> None:
    people, things = table(["name", "born"], 3), table(["title", "price"], 3)
    paths = ["/people"] * 5 + ["/things"] * 5
    pages = [people] * 4 + [things] + [things] * 5  # one page of people shows something else
    assert by_header(paths, [parse(page) for page in pages]) == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]


def test_headers_of_few_pages_make_no_kind() -> None:
    paths = [f"/t{n}" for n in range(6)]
    pages = [parse(table([f"a{n}", "b"], 2)) for n in range(6)]
    assert by_header(paths, pages) == [list(range(6))]


def test_each_table_has_a_template_of_its_own() -> None:
    heads = {"/people": ["name", "born"], "/things": ["title", "price", "stock"]}
    pages = [
        Page(f"http://h.test{path}?n={n}", path, 200, table(heads[path], n + 1)) for path in heads for n in range(5)
    ]
    found = kinds(pages)
    assert [{page.path for page in kind.pages} for kind in found] == [{"/people"}, {"/things"}]


def asked(name: str, values: list[str]) -> list[tuple[str, tuple[tuple[str, str], ...]]]:
    return [("/index.php", ((name, value), ("n", str(n)))) for n, value in enumerate(values)]


def test_a_parameter_that_stands_everywhere_and_decides_how_pages_are_built_selects_their_kind() -> None:
    addresses = asked("title", ["Log", "Users"] * 4)
    found = selectors(addresses, [[0, 2, 4, 6], [1, 3, 5, 7]])
    assert found == [(("title", "Log"),), (("title", "Users"),)] * 4


def test_what_is_searched_for_selects_no_kind() -> None:
    assert selectors(asked("q", ["red", "blue"] * 4), [list(range(8))]) == [()] * 8


def test_a_parameter_that_pages_may_lack_selects_no_kind() -> None:
    addresses = [*asked("title", ["Log", "Users"] * 4), ("/index.php", ())]
    assert selectors(addresses, [[0, 2, 4, 6, 8], [1, 3, 5, 7]]) == [()] * 9
