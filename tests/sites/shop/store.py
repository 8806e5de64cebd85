"""The shop's database: the catalogue, accounts and what each visitor has done. Made anew at every start."""

import json
import sqlite3
from pathlib import Path
from typing import Any, NamedTuple

from werkzeug.security import generate_password_hash

_HERE = Path(__file__).parent

PAGE_SIZE = 8

CATEGORIES = (
    ("kitchen", "Kitchen", "Things to cook with, pour from and eat off."),
    ("desk", "Desk", "Paper, pens and an orderly place to sit."),
    ("light", "Light", "Lamps, lanterns and candles for the dark half of the year."),
    ("garden", "Garden", "Tools and pots for a yard, a balcony or a window box."),
)

SORTS = {
    "featured": ("Featured", "product.id"),
    "price-asc": ("Price, low to high", "product.price_cents, product.id"),
    "price-desc": ("Price, high to low", "product.price_cents DESC, product.id"),
    "name": ("Name", "product.title COLLATE NOCASE"),
    "rating": ("Best rated", "product.rating DESC, product.reviews DESC"),
}

PURCHASES = (
    ("LL-1042", "12 March 2025", "Delivered", 7350),
    ("LL-1077", "2 June 2025", "Delivered", 2900),
    ("LL-1113", "19 September 2025", "On its way", 15900),
)


class Listing(NamedTuple):
    """One page of products and where it lies among the others."""

    products: list[sqlite3.Row]
    total: int
    page: int
    pages: int
    sort: str


def accounts() -> list[dict[str, str]]:
    """The test accounts, as `--accounts` takes them."""
    data: dict[str, list[dict[str, str]]] = json.loads((_HERE / "accounts.json").read_text())
    return data["accounts"]


def goods() -> list[dict[str, Any]]:
    """The products as they are written down."""
    rows: list[dict[str, Any]] = json.loads((_HERE / "goods.json").read_text())
    return rows


def connect(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path)
    db.row_factory = sqlite3.Row
    db.execute("PRAGMA synchronous = OFF")
    return db


def create(path: Path) -> None:
    """Write a fresh database: equal rows at every start."""
    db = connect(path)
    db.execute("PRAGMA journal_mode = WAL")
    db.executescript((_HERE / "schema.sql").read_text())
    db.executemany(
        "INSERT INTO category VALUES (?, ?, ?, ?)", [(*row, position) for position, row in enumerate(CATEGORIES)]
    )
    columns = list(goods()[0])
    db.executemany(
        f"INSERT INTO product ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})",
        [tuple(item[column] for column in columns) for item in goods()],
    )
    for account in accounts():
        add_account(db, email=account["user"], name="Ada Brook", password=account["password"], town="Little Haven")
    db.executemany(
        "INSERT INTO purchase (account, number, placed, status, total_cents) VALUES (1, ?, ?, ?, ?)", PURCHASES
    )
    db.commit()
    db.close()


def add_account(db: sqlite3.Connection, *, email: str, name: str, password: str, town: str = "") -> int:
    """The new account's id. Raises sqlite3.IntegrityError when the address is taken."""
    cursor = db.execute(
        "INSERT INTO account (email, name, password, town) VALUES (?, ?, ?, ?)",
        (email, name, generate_password_hash(password), town),
    )
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def _where(category: str, words: list[str]) -> tuple[str, list[Any]]:
    clauses, values = ["1"], []
    if category:
        clauses.append("category = ?")
        values.append(category)
    for word in words:
        clauses.append("(title LIKE ? ESCAPE '\\' OR description LIKE ? ESCAPE '\\')")
        pattern = "%" + word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
        values += [pattern, pattern]
    return " AND ".join(clauses), values


def listing(db: sqlite3.Connection, *, category: str = "", query: str = "", sort: str = "", page: int = 1) -> Listing:
    """Products of a category, or those whose title or description holds every word of the query."""
    where, values = _where(category, query.split())
    sort = sort if sort in SORTS else "featured"
    total = db.execute(f"SELECT count(*) FROM product WHERE {where}", values).fetchone()[0]
    pages = max(1, -(-total // PAGE_SIZE))
    products = db.execute(
        f"SELECT * FROM product WHERE {where} ORDER BY {SORTS[sort][1]} LIMIT ? OFFSET ?",
        [*values, PAGE_SIZE, (page - 1) * PAGE_SIZE],
    ).fetchall()
    return Listing(products, total, page, pages, sort)


def product(db: sqlite3.Connection, slug: str) -> sqlite3.Row | None:
    row: sqlite3.Row | None = db.execute("SELECT * FROM product WHERE slug = ?", [slug]).fetchone()
    return row


def related(db: sqlite3.Connection, row: sqlite3.Row) -> list[sqlite3.Row]:
    """Four others of the same category: those that follow, then from the start again."""
    return db.execute(
        "SELECT * FROM product WHERE category = ? AND id <> ? ORDER BY id < ?, id LIMIT 4",
        [row["category"], row["id"], row["id"]],
    ).fetchall()


def cart_lines(db: sqlite3.Connection, sid: str) -> list[sqlite3.Row]:
    return db.execute(
        "SELECT product.*, quantity, quantity * price_cents AS line_cents FROM cart_line "
        "JOIN product ON product.id = cart_line.product WHERE sid = ? ORDER BY product.id",
        [sid],
    ).fetchall()


def cart_count(db: sqlite3.Connection, sid: str) -> int:
    count: int = db.execute("SELECT coalesce(sum(quantity), 0) FROM cart_line WHERE sid = ?", [sid]).fetchone()[0]
    return count


def set_quantity(db: sqlite3.Connection, sid: str, product_id: int, quantity: int) -> None:
    """Change one line of the cart; zero or less takes it out."""
    if quantity <= 0:
        db.execute("DELETE FROM cart_line WHERE sid = ? AND product = ?", [sid, product_id])
    else:
        db.execute("INSERT OR REPLACE INTO cart_line VALUES (?, ?, ?)", [sid, product_id, quantity])
