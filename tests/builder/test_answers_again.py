"""Answers given again: headers, parts, streams, and requests that are not quite the recorded ones."""

import json
from email.utils import parsedate_to_datetime
from pathlib import Path

from tests.builder.world import SITE, World

TOKEN_1, TOKEN_2, TOKEN_3 = (
    "9f86d081884c7d659a2feaa0c55ad015", "3b4a1c0de5f60718293a4b5c6d7e8f90", "0a1b2c3d4e5f60718293a4b5c6d7e8f9"
)  # fmt: skip


def test_headers_come_back_but_for_those_of_the_connection(tmp_path: Path) -> None:
    world = World(tmp_path)
    headers = [("Content-Security-Policy", "default-src 'self'"), ("Transfer-Encoding", "chunked"), ("X-A", "1"),
               ("X-A", "2"), ("Content-Encoding", "gzip"), ("Content-Length", "1"), ("Alt-Svc", "h3"),
               ("Strict-Transport-Security", "max-age=1"), ("Date", "Mon, 10 Jun 2024 08:00:00 GMT")]  # fmt: skip
    world.get("/", "home", visit="p1", headers=headers)
    answer = world.visitor().open("/")
    assert answer.headers.getlist("X-A") == ["1", "2"]
    assert answer.headers["Content-Security-Policy"] == "default-src 'self'"
    assert {name for name, _ in answer.headers} == {"Content-Security-Policy", "X-A", "Content-Type", "Content-Length"}
    assert answer.headers["Content-Length"] == "4"


def test_a_download_that_was_cut_off_comes_back_without_its_content(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.page("/", "home")
    name = ("content-disposition", "attachment; filename=all.csv")
    cut = {"destination": "document", "response_bytes": 28_000, "headers": [name], "media": ""}
    world.get("/all.csv?dl=on", visit="e1/0", note="a download, cut off after 28000 bytes", **cut)
    answer = world.visitor().open("/all.csv?dl=on")
    assert (answer.status_code, answer.data, answer.headers["Content-Disposition"]) == (200, b"", name[1])


def test_cookies_come_back_with_values_of_their_own_and_a_later_expiry(tmp_path: Path) -> None:
    world = World(tmp_path)
    headers = [
        ("Set-Cookie", "theme=dark; Path=/; Domain=shop.test; Expires=Mon, 10 Jun 2024 09:00:00 GMT"),
        ("Set-Cookie", "csrf=redacted-0011223344556677; Path=/"),
        ("Set-Cookie", "sessionid=redacted-0011223344556677; HttpOnly"),
        ("Date", "Mon, 10 Jun 2024 08:00:00 GMT"),
    ]
    world.get("/", "home", visit="p1", headers=headers)
    visitor = world.visitor()
    first, second = (visitor.again().open("/").headers.getlist("Set-Cookie") for _ in range(2))
    assert [value.partition("=")[0] for value in first] == ["theme", "csrf"]
    assert "Domain" not in first[0]
    expires = parsedate_to_datetime(first[0].partition("Expires=")[2])
    assert expires.year > 2024
    assert first[1] != second[1]
    assert len(first[1]) == len("csrf=redacted-0011223344556677; Path=/")
    assert visitor.app.extensions["visitor_cookie"] == "sessionid"
    visitor.open("/")
    assert [c.partition("=")[0] for c in visitor.open("/").headers.getlist("Set-Cookie")] == ["theme"]


def test_a_head_is_answered_from_the_get(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.page("/", "home")
    answer = world.visitor().open("/", "HEAD")
    assert (answer.status_code, answer.data, answer.headers["Content-Length"]) == (200, b"", "4")


def test_ranges_are_cut_from_the_whole(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.page("/", "home")
    world.get("/film.mp4", bytes(range(100)), visit="p0001.1", media="video/mp4", destination="video",
              headers=[("Accept-Ranges", "bytes"), ("ETag", '"v1"')])  # fmt: skip
    visitor = world.visitor()
    part = visitor.open("/film.mp4", headers={"Range": "bytes=10-19"})
    assert (part.status_code, part.data) == (206, bytes(range(10, 20)))
    assert part.headers["Content-Range"] == "bytes 10-19/100"
    assert visitor.open("/film.mp4", headers={"Range": "bytes=-5"}).data == bytes(range(95, 100))
    refused = visitor.open("/film.mp4", headers={"Range": "bytes=200-"})
    assert (refused.status_code, refused.headers["Content-Range"]) == (416, "bytes */100")
    changed = visitor.open("/film.mp4", headers={"Range": "bytes=10-19", "If-Range": '"v2"'})
    assert (changed.status_code, len(changed.data)) == (200, 100)
    same = visitor.open("/film.mp4", headers={"Range": "bytes=10-19", "If-Range": '"v1"'})
    assert same.status_code == 206


def test_ranges_that_cover_everything_are_joined(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.page("/", "home")
    for start, end in ((50, 100), (0, 60)):
        world.get("/film.mp4", bytes(range(start, end)), visit="p0001.1", media="video/mp4", destination="video",
                  status=206, headers=[("Content-Range", f"bytes {start}-{end - 1}/100")])  # fmt: skip
    world.get("/cut.mp4", b"12345", visit="p0001.1", media="video/mp4", destination="video",
              status=206, headers=[("Content-Range", "bytes 0-4/100")])  # fmt: skip
    visitor = world.visitor()
    assert visitor.open("/film.mp4").data == bytes(range(100))
    assert visitor.open("/cut.mp4").status_code == 404


def test_what_the_browser_already_has_is_not_sent_again(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.get("/", "home", visit="p1", headers=[("ETag", '"v1"'), ("Last-Modified", "Mon, 10 Jun 2024 08:00:00 GMT")])
    visitor = world.visitor()
    assert visitor.open("/", headers={"If-None-Match": '"v1"'}).status_code == 304
    assert visitor.open("/", headers={"If-None-Match": '"v2"'}).status_code == 200
    assert visitor.open("/", headers={"If-Modified-Since": "Mon, 10 Jun 2024 08:00:00 GMT"}).status_code == 304


def test_redirects_stay_redirects(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.page("/", "home")
    world.get("/old", visit="p0001.1", status=301, media="", headers=[("Location", "https://shop.test/new?x=1#y")])
    answer = world.visitor().open("/old")
    assert (answer.status_code, answer.headers["Location"]) == (301, "https://shop.test/new?x=1#y")


def test_the_order_of_a_query_does_not_matter_but_everything_else_does(tmp_path: Path) -> None:
    world = World(tmp_path)
    for query, text in (("a=1&b=2", "one two"), ("a=1&a=2", "twice"), ("a=", "empty"), ("id=1", "first"), ("", "none")):
        world.page(f"/list?{query}" if query else "/list", text)
    visitor = world.visitor()
    assert visitor.text("/list?b=2&a=1") == "one two"
    assert visitor.text("/list?a=1&a=2") == "twice"
    assert visitor.text("/list?a") == "empty"
    assert visitor.text("/list") == "none"
    for unknown in ("a=1", "a=2&a=1", "id=2", "id=1&b=2", "id="):
        assert visitor.open(f"/list?{unknown}").status_code == 404


def test_a_value_made_by_the_page_itself_does_not_matter(tmp_path: Path) -> None:
    world = World(tmp_path)
    for number in (1, 2):
        visit = f"p{number}"
        world.get("/", "home", visit=visit)
        world.get(f"/data?n=1&_={1718000000000 + number}", '{"a": 1}', visit=visit, media="application/json")
    contract, _ = world.build()
    assert [(v.key, v.place) for v in contract.volatile] == [("_", "query")]
    visitor = world.visitor()
    assert visitor.text("/data?_=1999999999999&n=1") == '{"a": 1}'
    assert visitor.open("/data?_=1999999999999&n=2").status_code == 404


def test_a_callback_gets_the_name_it_asks_for(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.get("/", "home", visit="p1")
    body = '/**/ typeof cb_17 === "function" && cb_17({"cb_17": "cb_17x"});'
    world.get("/data?callback=cb_17&n=1", body, visit="p1", media="text/javascript", destination="script")
    visitor = world.visitor()
    assert visitor.text("/data?n=1&callback=cb_17") == body
    assert visitor.text("/data?n=1&callback=other") == (
        '/**/ typeof other === "function" && other({"other": "cb_17x"});'
    )
    assert visitor.text("/data?n=1&callback=a%3Cscript%3E(") == body


def test_a_token_of_the_page_does_not_matter(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.page("/form", f"<input name=t value={TOKEN_1}>")
    world.get("/form", f"<input name=t value={TOKEN_2}>", visit="e1/before")
    world.post("/send", {"t": TOKEN_2, "mail": "a@b.example"}, "thanks", visit="e1/0")
    world.step("e1", 0, "/send", safety="write", fill=["a@b.example"])
    contract, _ = world.build()
    assert [(v.key, v.place) for v in contract.volatile] == [("t", "body")]
    visitor = world.visitor()
    assert visitor.text("/send", method="POST", data={"t": TOKEN_1, "mail": "a@b.example"}) == "thanks"


def test_a_random_name_of_a_thing_does_matter(tmp_path: Path) -> None:
    world = World(tmp_path)
    page = f"<a data-id={TOKEN_1}> <a data-id={TOKEN_2}>"
    first = world.page("/", page)
    for number, token in enumerate((TOKEN_1, TOKEN_2)):
        world.get(f"/api?id={token}", f"thing {number}", visit=first.visit, media="application/json")
    world.page("/", page, repeat_of=first)
    visitor = world.visitor()
    assert visitor.text(f"/api?id={TOKEN_2}") == "thing 1"
    assert visitor.open(f"/api?id={TOKEN_3}").status_code == 404


def test_json_bodies_are_told_apart_by_their_leaves(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.page("/", "home")
    json_type = [("Content-Type", "application/json")]
    for number in (1, 2):
        query = json.dumps({"operationName": "Item", "variables": {"id": number}, "query": "query Item { a }"})
        world.post("/graphql", body=f'{{"item": {number}}}', sending=query, sent=json_type, visit="p0001.1",
                   media="application/json")  # fmt: skip
    visitor = world.visitor()
    for number in (2, 1):
        query = {"query": "query Item { a }", "variables": {"id": number}, "operationName": "Item"}
        assert visitor.open("/graphql", "POST", json=query).json == {"item": number}
    assert visitor.open("/graphql", "POST", json={**query, "variables": {"id": "1"}}).status_code == 404


def test_polling_goes_on_until_done_and_anew_with_its_page(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.page("/job", "job", visit="p1")
    for word in ("queued", "running", "running", "done", "done"):
        world.get("/status", word, visit="p1", media="application/json", sent=[("Referer", f"{SITE}/job")])
    visitor = world.visitor()
    for _ in range(2):
        visitor.open("/job")
        seen = [visitor.text("/status") for _ in range(6)]
        assert seen == ["queued", "running", "running", "done", "done", "done"]


def test_the_answer_comes_from_the_visit_its_page_was_kept_of(tmp_path: Path) -> None:
    world = World(tmp_path)
    for visit, number in (("p1", 1), ("p2", 2)):
        world.get("/", f"page {number}", visit=visit)
        world.get("/api", f"data {number}", visit=visit, media="application/json", sent=[("Referer", SITE + "/")])
    world.state("/", visit="p2")
    visitor = world.visitor()
    assert visitor.text("/") == "page 2"
    assert visitor.text("/api") == "data 2"


def test_a_bad_moment_and_a_not_modified_are_no_answers(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.get("/", "too many", visit="p1", status=429)
    world.get("/", "", visit="p2", status=304)
    world.get("/", "home", visit="p3")
    world.exchange("GET", "/lost", visit="p3", status=None, failure="connection reset")
    visitor = world.visitor()
    assert visitor.text("/") == "home"
    assert visitor.open("/lost").status_code == 404


def test_other_hosts_are_answered_under_their_own_names(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.page("/a.js", "a page of the site")
    world.get("https://cdn.test/a.js", "code", visit="p0001.1", media="text/javascript", destination="script")
    visitor = world.visitor()
    assert visitor.text("/a.js") == "a page of the site"
    assert visitor.text("https://cdn.test/a.js") == "code"


def test_a_preflight_is_granted_where_sharing_was_recorded(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.page("/", "home")
    shared = [("Access-Control-Allow-Origin", SITE)]
    world.post("https://api.test/q", body="{}", sending="{}", visit="p0001.1", media="application/json", headers=shared)
    world.post("https://api.test/private", body="{}", sending="{}", visit="p0001.1", media="application/json")
    visitor = world.visitor()
    ask = {"Origin": SITE, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "x-a"}
    answer = visitor.open("https://api.test/q", "OPTIONS", headers=ask)
    assert answer.status_code == 204
    assert answer.headers["Access-Control-Allow-Origin"] == SITE
    assert answer.headers["Access-Control-Allow-Headers"] == "x-a"
    assert visitor.open("https://api.test/private", "OPTIONS", headers=ask).status_code == 404


def test_event_streams_are_replayed(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.page("/", "home")
    messages = [
        {"at_ms": 1, "from": "server", "text": "id: 1\ndata: one"},
        {"at_ms": 5, "from": "server", "text": "data: two"},
    ]
    world.get("/events", visit="p0001.1", media="text/event-stream", messages=messages)
    answer = world.visitor().open("/events")
    assert answer.headers["Content-Type"] == "text/event-stream"
    assert answer.get_data(as_text=True).startswith("id: 1\ndata: one\n\ndata: two\n\n")


def test_a_flash_message_is_shown_once(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.page("/contact", "form")
    world.get("/contact", "form", visit="e1/before")
    world.post("/contact", {"text": "hi"}, status=302, media="", visit="e1/0",
               headers=[("Location", "/contact"), ("Set-Cookie", "flash=redacted-1111111111111111; HttpOnly")])  # fmt: skip
    sent = [("Referer", SITE + "/contact"), ("Sec-Fetch-Site", "same-origin")]
    world.get("/contact", "sent! form", visit="e1/0", sent=sent,
              headers=[("X-Flash", "1")])  # fmt: skip
    world.step("e1", 0, "/contact", safety="write", fill=["hi"])
    world.get("/contact", "form", visit="e1/1")
    world.step("e1", 1, "/contact", safety="read")
    visitor = world.visitor()
    visitor.post("/contact", {"text": "hi"})
    assert [visitor.text("/contact") for _ in range(3)] == ["sent! form", "form", "form"]


def test_what_probes_saw_answers_after_the_page_that_was_looked_at_and_never_before_it(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.page("/", "none")
    world.get("/", "none", visit="e1/before")
    world.post("/add", {"id": "1"}, "{}", media="application/json", visit="e1/0")
    world.step("e1", 0, "/")
    world.get("/", "added! one", visit="e1/0/p")
    world.get("/list", "list, one", visit="e1/0/p")
    world.get("/list", "list, a stranger's", visit="e1/0/s")
    world.get("/", "one", visit="e1/1")
    world.step("e1", 1, "/", safety="read")
    world.get("/", "one and a notice", visit="e1/1/p")
    visitor = world.visitor()
    visitor.post("/add", {"id": "1"})
    assert visitor.text("/list") == "list, one"
    assert [visitor.text("/") for _ in range(3)] == ["one", "one and a notice", "one and a notice"]


def test_a_message_comes_again_where_doing_the_same_changes_nothing_else(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.page("/", "form")
    world.get("/", "form", visit="e1/before")
    for step, (status, tag) in enumerate(((200, ()), (304, [("If-None-Match", '"a"')]))):
        world.post("/set", {"n": "1"}, status=303, media="", headers=[("Location", "/")], visit=f"e1/{step}")
        world.get("/", "saved! n is 1" if status == 200 else "", status=status, sent=tag, headers=[("ETag", '"a"')],
                  visit=f"e1/{step}")  # fmt: skip
        world.step("e1", step, "/")
        world.get("/", "n is 1", visit=f"e1/{step}/p")
    visitor = world.visitor()
    for _ in range(3):
        visitor.post("/set", {"n": "1"})
        assert [visitor.text("/") for _ in range(2)] == ["saved! n is 1", "n is 1"]


def test_a_different_text_has_the_same_outcome_where_nothing_repeats_it(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.page("/", "home")
    world.post("/letter", {"mail": "not-an-address"}, "that is no address", visit="e1/0")
    world.step("e1", 0, "/letter", safety="write", variant="failing", fill=["not-an-address"])
    world.post("/letter", {"mail": "a@b.example"}, "thanks", visit="e2/0")
    world.step("e2", 0, "/letter", safety="write", fill=["a@b.example"])
    world.post("/echo", {"name": "Ada"}, "hello Ada", visit="e3/0")
    world.step("e3", 0, "/echo", safety="write", fill=["Ada"])
    visitor = world.visitor()
    assert visitor.text("/letter", method="POST", data={"mail": "nonsense"}) == "that is no address"
    assert visitor.text("/letter", method="POST", data={"mail": "x@y.example"}) == "thanks"
    assert visitor.post("/letter", {"mail": ""}).status_code == 404
    assert visitor.post("/echo", {"name": "Grace"}).status_code == 404


def test_what_a_request_says_of_itself_may_decide(tmp_path: Path) -> None:
    world = World(tmp_path)
    first = world.page("/", "home")
    world.get("/list", "<html>list", visit=first.visit)
    world.get("/list", "<li>part", visit=first.visit, destination="empty", sent=[("HX-Request", "true")])
    world.get("/in", "sign in", visit=first.visit, status=401, headers=[("WWW-Authenticate", "Basic")])
    world.get("/in", "inside", visit=first.visit, sent=[("Authorization", "redacted-0011223344556677")])
    for cookie, text in (("", "choose"), ("consent=yes", "film")):
        world.get("/embed", text, visit="e1/0", sent=[("Cookie", cookie)] if cookie else ())
    visitor = world.visitor()
    assert visitor.text("/list") == "<html>list"
    assert visitor.text("/list", headers={"HX-Request": "true"}) == "<li>part"
    assert visitor.open("/in").status_code == 401
    assert visitor.text("/in", headers={"Authorization": "Basic YTpi"}) == "inside"
    assert visitor.text("/embed") == "choose"
    visitor.client.set_cookie("consent", "yes", domain="shop.test")
    assert visitor.text("/embed") == "film"


def test_a_job_started_again_is_told_from_its_beginning(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.page("/", "home")
    world.post("/job", {}, "{}", status=202, media="application/json", visit="e1/0")
    for word in ("queued", "done"):
        world.get("/job", word, media="application/json", visit="e1/0", sent=[("Referer", f"{SITE}/")])
    world.step("e1", 0, "/", safety="session")
    visitor = world.visitor()
    for _ in range(2):
        visitor.post("/job", {})
        assert [visitor.text("/job") for _ in range(3)] == ["queued", "done", "done"]


def test_a_short_random_value_of_the_pages_own_making_does_not_matter(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.page("/", "<a data-code=ab1cd2ef3>")
    world.get("/price?id=2&r=izkkhu3gqbs", "12", visit="p0001.1", media="application/json")
    world.get("/price?id=2&code=ab1cd2ef3", "9", visit="p0001.1", media="application/json")
    visitor = world.visitor()
    assert visitor.text("/price?r=x9&id=2") == "12"
    assert visitor.open("/price?id=2&code=zz1zz2zz3").status_code == 404
