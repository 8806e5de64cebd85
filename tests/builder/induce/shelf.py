"""A shelf of books as pages: lists with cards, a menu that never changes, and a page for each book."""

from collections.abc import Sequence

from builder.induce.pages import Page

HOME = "http://books.test"


def card(number: int, token: str = "") -> str:
    sale = '<em class="sale">Sale</em>' if number % 3 == 0 else ""
    hidden = f'<input type=hidden name=csrf value="{token}">' if token else ""
    tags = "".join(f"<b>{tag}</b>" for tag in ("old", "rare")[: number % 3])
    return (
        f'<li><article class="book-card mt-2"><img src="/i/{number}.png" alt="Cover {number}"><h3>'
        f'<a href="/book/{number}/">Book {number}</a></h3>{hidden}<p class="price">£{number}.50</p>{sale}<div>{tags}</div>'
        "</article></li>"
    )


def listing(numbers: Sequence[int], query: str = "", token: str = "", path: str = "/books/") -> Page:
    """A page of a list; of none it says so."""
    menu = "".join(f'<li><a href="/topic/{name}/">{name}</a></li>' for name in ("art", "law", "sea", "war"))
    shown = "".join(card(number, token) for number in numbers)
    body = f'<p>1,204 books in all</p><ol class="books">{shown}</ol>' if numbers else "<p>No books.</p>"
    source = f"<html><body><ul class=menu>{menu}</ul><h1>Books</h1>{body}</body></html>"
    return Page(HOME + path + query, path, 200, source)


def book(number: int) -> Page:
    source = (
        f"<html><body><h1>Book {number}</h1><p>Of {number} chapters.</p><a href='/topic/sea/'>sea</a></body></html>"
    )
    return Page(f"{HOME}/book/{number}/", "/book/*/", 200, source)
