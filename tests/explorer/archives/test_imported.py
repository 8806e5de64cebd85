"""A recorded browser session becomes a mirror in which each visitor sees what they would have seen."""

import json
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlencode

from artifacts.events import ignore
from artifacts.evidence import Evidence, load_part
from artifacts.run import Account, CaptureRequest
from artifacts.store import Store
from builder.build import build
from explorer.archives.imported import holds_login, import_archive, read_archive
from tests.builder.world import Visitor, application

SITE = "http://shop.test"
SID, OTHER = "k2J9xQ81zLp0Vb7R", "m5T3wH60yNc8Qd1F"
WORD = "paper-boats-72"


def entry(
    path: str, body: str = "", *, form: dict[str, str] | None = None, cookie: str = "", sets: str = "", to: str = "",
    status: int = 200,
) -> dict[str, object]:  # fmt: skip
    sent = [{"name": "Cookie", "value": cookie}] if cookie else []
    got = [{"name": "Content-Type", "value": "text/html"}]
    got += [{"name": "Set-Cookie", "value": sets}] if sets else []
    got += [{"name": "Location", "value": to}] if to else []
    request = {"method": "POST" if form else "GET", "url": SITE + path, "headers": sent}
    if form:
        media = "application/x-www-form-urlencoded"
        sent.append({"name": "Content-Type", "value": media})
        request["postData"] = {"mimeType": media, "text": urlencode(form)}
    content = {"size": len(body), "mimeType": "text/html", "text": body}
    return {"_resourceType": "document", "request": request,
            "response": {"status": 302 if to else status, "headers": got, "content": content}}  # fmt: skip


def imported(folder: Path, entries: Sequence[object], *accounts: Account) -> tuple[Evidence, Store]:
    file = folder / "session.har"
    file.write_text(json.dumps({"log": {"entries": list(entries)}}))
    archive, store = read_archive(file), Store(folder / "store")
    named = tuple(account.model_copy(update={"password": ""}) for account in accounts)
    request = CaptureRequest(url=archive.start(), accounts=named)
    return import_archive(archive, request, accounts=accounts, folder=folder / "evidence", store=store, emit=ignore,
                          stop=lambda: False), store  # fmt: skip


def mirror(folder: Path, evidence: Evidence, store: Store) -> Visitor:
    part = load_part(store, evidence.open) + load_part(store, evidence.sealed)
    build(part, evidence, store=store, out=folder / "mirror", parts="all", emit=ignore,
          sandbox_passwords={account.label: "open" for account in evidence.request.accounts})  # fmt: skip
    return Visitor(application(folder / "mirror"), SITE)


def login(word: str, **answer: str | int) -> dict[str, object]:
    return entry("/login", form={"user": "ada", "password": word}, **answer)  # type: ignore[arg-type]


SESSION = [
    entry("/", "home"),
    entry("/login", "form"),
    login("paper-boats-27", body="form, wrong password"),
    login(WORD, to="/me", sets=f"sid={SID}; Path=/; HttpOnly"),
    entry("/me", "hello ada", cookie=f"sid={SID}"),
    entry("/about", "about us"),
    entry("/logout", to="/", form={"go": "1"}, cookie=f"sid={SID}", sets="sid=; Max-Age=0"),
    entry("/", "home"),
    entry("/contact", "write to us"),
]
ADA = Account(label="user", login_url="/login", user="ada", password=WORD)


def test_a_fresh_visitor_sees_what_was_sent_without_a_session_and_nothing_else(tmp_path: Path) -> None:
    visitor = mirror(tmp_path, *imported(tmp_path, SESSION))
    assert [visitor.text(path) for path in ("/", "/login", "/about", "/contact")] == [
        "home", "form", "about us", "write to us"
    ]  # fmt: skip
    assert visitor.open("/me").status_code == 404


def test_an_account_that_is_named_comes_in_and_goes_out_and_a_wrong_password_is_refused(tmp_path: Path) -> None:
    evidence, store = imported(tmp_path, SESSION, ADA)
    visitor = mirror(tmp_path, evidence, store)
    assert visitor.post("/login", {"user": "ada", "password": "x"}).text == "form, wrong password"
    assert visitor.open("/me").status_code == 404
    assert visitor.post("/login", {"user": "ada", "password": "open"}).status_code == 302
    assert [visitor.text(path) for path in ("/me", "/about")] == ["hello ada", "about us"]
    visitor.post("/logout", {"go": "1"})
    assert visitor.open("/me").status_code == 404
    assert not holds_login(evidence, store)


def test_without_the_account_everybody_is_refused_as_was_recorded_and_that_is_known(tmp_path: Path) -> None:
    evidence, store = imported(tmp_path, SESSION)
    visitor = mirror(tmp_path, evidence, store)
    assert visitor.post("/login", {"user": "ada", "password": WORD}).text == "form, wrong password"
    assert visitor.open("/me").status_code == 404
    assert holds_login(evidence, store)
    assert not any(WORD.encode() in path.read_bytes() for path in store.root.rglob("*") if path.is_file())


def test_two_visitors_in_one_archive_do_not_see_each_others_carts(tmp_path: Path) -> None:
    def shopping(sid: str, item: str) -> list[object]:
        cart = f"cart: {item}"
        return [entry("/", "home", sets=f"sid={sid}; HttpOnly"), entry("/cart", "cart: nothing", cookie=f"sid={sid}"),
                entry("/add", form={"item": item}, cookie=f"sid={sid}", to="/cart"),
                entry("/cart", cart, cookie=f"sid={sid}")]  # fmt: skip

    turns = zip(shopping(SID, "mug"), shopping(OTHER, "lamp"), strict=True)
    visitor = mirror(tmp_path, *imported(tmp_path, [one for turn in turns for one in turn]))
    assert visitor.text("/cart") == "cart: nothing"
    for item in ("lamp", "mug"):
        somebody = visitor.again()
        somebody.post("/add", {"item": item})
        assert somebody.text("/cart") == f"cart: {item}"
    assert visitor.text("/cart") == "cart: nothing"


def test_an_archive_without_a_password_asks_for_no_account(tmp_path: Path) -> None:
    assert not holds_login(*imported(tmp_path, [entry("/", "home"), entry("/find", "found", form={"q": "mug"})]))
