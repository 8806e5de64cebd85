"""`python -m tests.sites.features --port N`: one page a feature of the web that copies of sites tend to lose.

Each page checks itself when it is loaded and writes "ok" into #result, or what went wrong. The second origin is another
port of the same process.
"""

import argparse
import gzip
import hashlib
import json
import re
import signal
import sys
import threading
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from socket import SHUT_RDWR

from flask import Flask, Response, redirect, request
from simple_websocket import ConnectionClosed, Server
from werkzeug.routing import Rule
from werkzeug.serving import ThreadedWSGIServer, WSGIRequestHandler

SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{0}"><rect width="{0}" height="{0}" fill="{1}"/></svg>'
)
TEMPLATE = """<!doctype html><html lang=en><head>{meta}<title>{name}</title>{head}</head><body><h1>{name}</h1>
<p id=result>waiting</p>{body}
<script>
const CDN = "{cdn}", HERE = "{here}";
const picture = url => new Promise((ok, no) => {{ const i = new Image(); i.onload = () => ok(i.naturalWidth); i.onerror = () => no(new Error("no picture " + url)); i.src = url; }});
const script = (url, more = {{}}) => new Promise((ok, no) => {{ const s = Object.assign(document.createElement("script"), more); s.onload = ok; s.onerror = () => no(new Error("no script " + url)); s.src = url; document.head.append(s); }});
const heard = (target, name, when = () => true) => new Promise(ok => target.addEventListener(name, e => when(e) && ok(e)));
const same = (found, wanted) => {{ if (JSON.stringify(found) !== JSON.stringify(wanted)) throw new Error(JSON.stringify(found) + " is not " + JSON.stringify(wanted)); }};
const color = (selector, property = "color") => getComputedStyle(document.querySelector(selector))[property];
addEventListener("load", async () => {{
  const result = document.querySelector("#result");
  try {{ {check}; result.textContent = "ok"; }} catch (error) {{ result.textContent = String(error); }}
}});
</script></body></html>"""


class Feature:
    """A page that checks itself, and what it needs beside it."""

    def __init__(
        self,
        check: str,
        *,
        head: str = "",
        body: str = "",
        headers: dict[str, str] | None = None,
        charset: str = "utf-8",
    ) -> None:
        self.check, self.head, self.body = check, head, body
        self.headers, self.charset = headers or {}, charset


ODD_LINKS = """<p><a href="/landing?q=a b&x=ü">a space</a> <a href="http://127.0.0.1:99999/">no such port</a>
<a href="http://[bad/">no address</a> <a href="http://[::1]:9/">elsewhere</a> <a href="http://">nothing</a></p>
<form action="http://[bad/"><input name=q><button>Ask nobody</button></form>"""
"""What people's pages hold by mistake; a browser goes on all the same."""

FEATURES = {
    "jsonp": Feature("""window.cb_7f3a91 = data => window.got = data; await script("/api/jsonp?callback=cb_7f3a91&_=" + Date.now()); same(got, {n: 7})"""),
    "random-callback": Feature("""const name = "cb" + Math.random().toString(36).slice(2, 12); window[name] = d => window.got = d; await script(CDN + "/api/jsonp?callback=" + name); same(got, {n: 7})"""),
    "graphql": Feature("""const ask = async (query, variables) => (await (await fetch("/graphql", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({query, variables})})).json()).data;
      same(await ask("query Item($id: Int) { item(id: $id) { name } }", {id: 1}), {item: {name: "item 1"}});
      same(await ask("query Item($id: Int) { item(id: $id) { name } }", {id: 2}), {item: {name: "item 2"}});
      same(await ask("query Other { others }", {}), {others: [1, 2]})"""),
    "websocket": Feature("""const w = new WebSocket(HERE.replace("http", "ws") + "/ws"); const first = (await heard(w, "message")).data; same(first, "welcome");
      w.send("marco"); same((await heard(w, "message")).data, "polo"); w.send("bye"); same((await heard(w, "close")).code, 4001)"""),
    "websocket-relative": Feature("""const w = new WebSocket((location.protocol === "https:" ? "wss" : "ws") + "://" + location.host + "/ws"); same((await heard(w, "message")).data, "welcome"); w.close()"""),
    "event-source": Feature("""const s = new EventSource("/events"), got = []; s.addEventListener("tick", e => got.push(e.data)); await heard(s, "end"); s.close(); same(got, ["0", "1", "2"])"""),
    "service-worker": Feature("""await navigator.serviceWorker.register("/sw.js"); await navigator.serviceWorker.ready;
      if (!navigator.serviceWorker.controller) await heard(navigator.serviceWorker, "controllerchange");
      same(await (await fetch("/made-by-worker")).text(), "made by the worker")"""),
    "workers": Feature("""const w = new Worker("/worker.js"); w.postMessage(4); same((await heard(w, "message")).data, "4 from helper and shelf");
      const m = new Worker("/module-worker.js", {type: "module"}); same((await heard(m, "message")).data, "module said 5");
      const s = new SharedWorker("/shared.js"); s.port.start(); same((await heard(s.port, "message")).data, "shared")"""),
    "modules": Feature("""same((await import("/m/entry.js")).value, "entry with dep"); same((await import(CDN + "/m/far.js")).value, "far with near"); same(await window.mapped, "mapped")""",
      head="""<script type=importmap>{{"imports": {{"lib/": "/m/lib/", "far": "{cdn}/m/near.js"}}}}</script><script type=module>import {{ value }} from "lib/x.js"; import {{ near }} from "far"; window.mapped = Promise.resolve(near === "near" ? value : near)</script>"""),
    "styles": Feature("""same([color("#a"), color("#b"), color("#c"), color("#d")], ["rgb(1, 2, 3)", "rgb(4, 5, 6)", "rgb(7, 8, 9)", "rgb(10, 11, 12)"]);
      same(getComputedStyle(document.querySelector("#a")).backgroundImage.includes("/i/9.svg"), true)""",
      head='<link rel=stylesheet href="/c/one.css"><link rel=stylesheet href="{cdn}/c/far.css">', body="<p id=a>a<p id=b>b<p id=c>c<p id=d>d"),
    "pictures": Feature("""await Promise.all([...document.images].map(i => i.decode())); same([...document.images].map(i => i.naturalWidth), [9, 12, 15, 18]);
      same(await picture(CDN + "/i/21.svg?v=" + Math.random()), 21)""",
      body='<img src=/i/9.svg><img srcset="/i/12.svg 1x, {cdn}/i/24.svg 2x" src=/i/1.svg><picture><source media="(min-width:100px)" srcset="{cdn}/i/15.svg"><img src=/i/2.svg></picture><img loading=lazy src="{cdn}/i/18.svg">'),
    "forms-of-address": Feature("""same(await (await fetch("/echo?a=1&b=&a=2&c")).text(), "a=1&b=&a=2&c"); same(await (await fetch("/echo/%E4%B8%AD/a%2Fb/x;p=1?q=%C3%BC+d")).text(), "q=%C3%BC+d");
      same(await (await fetch("/Case?X=1")).text(), "upper"); same(await (await fetch("/case?X=1")).text(), "lower")"""),
    "verbs": Feature("""const ask = async (method, body) => { const a = await fetch("/api/thing/3", {method, body: body && JSON.stringify(body), headers: {"Content-Type": "application/json"}}); return [a.status, a.status === 204 ? "" : await a.text()]; };
      same(await ask("GET"), [200, '{"method":"GET"}']); same(await ask("PUT", {n: 1}), [200, '{"method":"PUT","n":1}']); same(await ask("PATCH", {n: 2}), [202, '{"method":"PATCH","n":2}']);
      same(await ask("DELETE"), [204, ""]); same((await fetch("/api/thing/3", {method: "HEAD"})).headers.get("X-Thing"), "yes"); same((await ask("POST", {n: 9}))[0], 409)"""),
    "uploads": Feature("""const f = new FormData(); f.append("name", "ü"); f.append("file", new File(["abc"], "a.txt", {type: "text/plain"})); same(await (await fetch("/upload", {method: "POST", body: f})).text(), "ü a.txt 3");
      same(await (await fetch("/upload", {method: "POST", body: new Uint8Array([1, 2, 3]), headers: {"Content-Type": "application/octet-stream"}})).text(), "3 bytes");
      same(await (await fetch("/upload", {method: "POST", body: new URLSearchParams({a: "1", b: "x y"})})).text(), "a=1&b=x+y")"""),
    "cors": Feature("""same(await (await fetch(CDN + "/api/cors", {headers: {"X-Own": "1"}, credentials: "include"})).json(), {cors: true}); let failed = false; try { await fetch(CDN + "/api/never.bin"); failed = (await fetch(CDN + "/api/never.bin")).status >= 400; } catch { failed = true; } same(failed, true)"""),
    "redirects": Feature("""const a = await fetch("/hop/3"); same([a.redirected, new URL(a.url).pathname, await a.text()], [true, "/hop/0", "landed"]);
      same(await (await fetch(CDN + "/across")).text(), "landed"); same((await fetch("/hop/1", {redirect: "manual"})).type, "opaqueredirect");
      same(await (await fetch("/keep", {method: "POST", body: "x"})).text(), "POST x")"""),
    "statuses": Feature("""same((await fetch("/status/404")).status, 404); same((await fetch("/status/410")).status, 410); same((await fetch("/status/503")).headers.get("Retry-After"), "7"); same((await fetch("/status/204")).status, 204); same((await fetch("/status/418")).statusText.length >= 0, true)"""),
    "validators": Feature("""const one = await fetch("/tagged", {cache: "no-store"}); const tag = one.headers.get("ETag"); same(!!tag, true); same((await fetch("/tagged", {headers: {"If-None-Match": tag}, cache: "no-store"})).status, 304);
      const part = await fetch("/ranged", {headers: {Range: "bytes=10-19"}}); same([part.status, await part.text(), part.headers.get("Content-Range")], [206, "0123456789", "bytes 10-19/1000"])"""),
    "codings": Feature("""same(await (await fetch("/packed.json")).json(), {packed: true}); same(await (await fetch("/chunks")).text(), "one two three"); same((await (await fetch("/binary")).arrayBuffer()).byteLength, 256)"""),
    "legacy-charset": Feature("""same(document.characterSet, "windows-1252"); same(document.querySelector("#w").textContent, "café – €"); await script("/latin.js", {charset: "windows-1252"}); same(window.latin, "naïve")""", body="<p id=w>café – €</p>", charset="windows-1252"),
    "utf16": Feature("""same(document.characterSet, "UTF-16LE"); same(document.querySelector("#w").textContent, "中文")""", body="<p id=w>中文</p>", charset="utf-16-le"),
    "shift-jis": Feature("""same(document.characterSet, "Shift_JIS"); same(document.querySelector("#w").textContent, "日本語")""", body="<p id=w>日本語</p>", charset="shift_jis"),
    "frames": Feature("""const told = e => e.data && e.data.from; const [a, b] = await Promise.all([heard(window, "message", e => told(e) === "same"), heard(window, "message", e => told(e) === "far")]).catch(() => []); same([a.data.text, b.data.text], ["inside 1", "inside 2"]);
      same(document.querySelector("#doc").contentDocument.querySelector("b").textContent, "written")""",
      body="""<iframe src="/frame?from=same&n=1"></iframe><iframe src="{cdn}/frame?from=far&n=2"></iframe><iframe id=doc srcdoc="<b>written</b><img src=/i/9.svg>"></iframe>"""),
    "built-addresses": Feature("""const base = ["http:", "", new URL(CDN).host].join("/"); same(await picture(base + "/i/27.svg"), 27); const box = document.createElement("div"); box.innerHTML = "<img src='" + base + "/i/30.svg'>"; document.body.append(box); await box.firstChild.decode(); same(box.firstChild.naturalWidth, 30);
      box.style.background = "url(" + base + "/i/33.svg)"; const x = new XMLHttpRequest(); x.open("GET", base + "/api/cors"); const done = heard(x, "load"); x.send(); await done; same(JSON.parse(x.responseText), {cors: true});
      const l = document.createElement("link"); l.rel = "stylesheet"; l.href = base + "/c/built.css"; const loaded = heard(l, "load"); document.head.append(l); await loaded; same(color("#result", "outlineColor"), "rgb(13, 14, 15)")"""),
    "shadow": Feature("""customElements.define("x-card", class extends HTMLElement { constructor() { super(); const r = this.attachShadow({mode: "closed"}); r.innerHTML = `<style>@import "/c/shadow.css"; i { color: rgb(21, 22, 23) }</style><i><slot></slot></i><img src="/i/9.svg">`; this.inner = r; } });
      const c = document.createElement("x-card"); c.textContent = "hi"; document.body.append(c); await c.inner.querySelector("img").decode(); same(getComputedStyle(c.inner.querySelector("i")).color, "rgb(21, 22, 23)");
      same(getComputedStyle(document.querySelector("x-open").shadowRoot.querySelector("em")).color, "rgb(31, 32, 33)")""",
      body="<x-open><template shadowrootmode=open><style>em{{color:rgb(31,32,33)}}</style><em>declared</em></template></x-open>"),
    "storage": Feature("""localStorage.setItem("k", "v"); sessionStorage.setItem("s", "t"); const c = await caches.open("c"); await c.add("/i/9.svg"); same((await c.match("/i/9.svg")).status, 200);
      const db = await new Promise(ok => { const r = indexedDB.open("d", 1); r.onupgradeneeded = () => r.result.createObjectStore("o"); r.onsuccess = () => ok(r.result); }); same(db.objectStoreNames.length, 1); same([localStorage.k, sessionStorage.s], ["v", "t"])"""),
    "cookies": Feature("""document.cookie = "mine=1; path=/"; await fetch("/set-cookie"); same(document.cookie.includes("seen=yes"), true); same(document.cookie.includes("hidden"), false); same(await (await fetch("/see-cookie")).text(), "hidden=h seen=yes")"""),
    "policy": Feature("""same(window.inline, 1); same(window.blocked, undefined); same(await picture(CDN + "/i/9.svg"), 9)""", head='<script nonce="n0nce">window.inline = 1</script><script>window.blocked = 1</script>',
      headers={"Content-Security-Policy": "script-src 'nonce-n0nce' 'unsafe-eval'; img-src 'self' {cdn}; connect-src 'self'"}),
    "integrity": Feature("""await script("/late.js", {integrity: "LATE", crossOrigin: "anonymous"}); same(window.late, "late"); let refused = false; try { await script("/late.js?x", {integrity: "sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}); } catch { refused = true; } same(refused, true)"""),
    "accept": Feature("""same(await (await fetch("/negotiated", {headers: {Accept: "application/json"}})).text(), '{"as":"json"}'); same(await (await fetch("/negotiated", {headers: {Accept: "text/plain"}})).text(), "as text"); same(await (await fetch("/negotiated", {headers: {"X-Requested-With": "XMLHttpRequest", Accept: "*/*"}})).text(), "as fragment")"""),
    "polling": Feature("""const seen = []; for (let n = 0; n < 9; n++) { const {state} = await (await fetch("/job", {cache: "no-store"})).json(); seen.push(state); if (state === "done") break; } same(seen, ["queued", "running", "done"])"""),
    "blobs": Feature("""const u = URL.createObjectURL(new Blob([`onmessage = async e => postMessage(await (await fetch(e.data)).text())`])); const w = new Worker(u); w.postMessage(new URL("/echo?blob=1", location.href).href); same((await heard(w, "message")).data, "blob=1"); same(await (await fetch("data:text/plain,hello")).text(), "hello")"""),
    "history": Feature("""history.pushState({n: 1}, "", "/f/history/deep?x=1#y"); same(location.pathname + location.search + location.hash, "/f/history/deep?x=1#y"); const popped = heard(window, "popstate"); history.back(); await popped; same(location.pathname, "/f/history"); same(await (await fetch("../echo?rel=1")).text(), "rel=1")"""),
    "xml": Feature("""const d = new DOMParser().parseFromString(await (await fetch("/feed.xml")).text(), "text/xml"); same(d.querySelector("title").textContent, "feed"); const o = document.querySelector("object"); same(o.contentDocument ? o.contentDocument.documentElement.localName : "svg", "svg")""", body='<object type="image/svg+xml" data="/i/9.svg"></object>'),
    "tokens": Feature("""const t = document.querySelector("meta[name=token]").content; const send = async t => (await fetch("/guarded", {method: "POST", headers: {"X-Token": t, "Content-Type": "application/json"}, body: JSON.stringify({t, n: 1})})).status; same(await send(t), 200)""", head='<meta name=token content="TOKEN">'),
    "beacons": Feature("""same(navigator.sendBeacon("/beacon", "x"), true); same((await fetch("/beacon?t=" + Date.now(), {method: "POST", keepalive: true, body: JSON.stringify({at: Date.now(), id: crypto.randomUUID()})})).status, 204)"""),
    "base": Feature("""same(document.querySelector("#i").naturalWidth, 9); same(new URL("x", document.baseURI).pathname, "/i/x"); same(await picture("12.svg"), 12)""", head='<base href="/i/">', body="<img id=i src=9.svg>"),
}  # fmt: skip


def create_app(here: str, cdn: str) -> Flask:
    """The site; either origin answers everything."""
    app = Flask(__name__, static_folder=None)
    app.url_map.strict_slashes = False
    jobs: dict[str, int] = {}

    def filled(text: str) -> str:
        return text.replace("{cdn}", cdn).replace("{here}", here).replace("{{", "{").replace("}}", "}")

    def page(name: str, feature: Feature) -> Response:
        meta = "" if feature.charset.startswith("utf-16") else f"<meta charset={feature.charset}>"
        late = "sha256-" + b64encode(hashlib.sha256(LATE.encode()).digest()).decode()
        text = TEMPLATE.format(meta=meta, name=name, head=filled(feature.head), body=filled(feature.body), cdn=cdn, here=here,
                               check=feature.check.replace('"LATE"', f'"{late}"'))  # fmt: skip
        if "TOKEN" in feature.head:
            text = text.replace("TOKEN", hashlib.sha256(str(time.time()).encode()).hexdigest()[:32])
        policy = feature.headers.get("Content-Security-Policy", "")
        if "nonce" in policy:
            text = text.replace("<script>\nconst CDN", '<script nonce="n0nce">\nconst CDN')
        mark = b"\xff\xfe" if feature.charset == "utf-16-le" else b""
        kind = "text/html" if feature.charset != "utf-8" else "text/html; charset=utf-8"
        answer = Response(mark + text.encode(feature.charset), content_type=kind)
        for header, value in feature.headers.items():
            answer.headers[header] = filled(value)
        return answer

    @app.get("/")
    def home() -> str:
        links = "".join(f"<li><a href=/f/{name}>{name}</a>" for name in FEATURES)
        return f"<!doctype html><title>Features</title><h1>Features</h1><ul>{links}</ul>{ODD_LINKS}"

    @app.get("/f/<name>")
    def one(name: str) -> Response:
        if name == "polling":
            jobs.clear()
        return page(name, FEATURES[name]) if name in FEATURES else Response("no such feature", 404)

    _routes(app, jobs, cdn)
    return app


LATE = "window.late = 'late'"
TEXTS = {
    "/sw.js": "addEventListener('install', e => skipWaiting()); addEventListener('activate', e => e.waitUntil(clients.claim()));"
    "addEventListener('fetch', e => { if (e.request.url.endsWith('/made-by-worker')) e.respondWith(new Response('made by the worker')); })",
    "/worker.js": "importScripts('/helper.js', '{cdn}/shelf.js'); onmessage = e => postMessage(e.data + ' from ' + helper + ' and ' + shelf)",
    "/helper.js": "self.helper = 'helper'", "/shelf.js": "self.shelf = 'shelf'",
    "/module-worker.js": "import { five } from '/m/five.js'; postMessage('module said ' + five)", "/m/five.js": "export const five = 5",
    "/shared.js": "onconnect = e => e.ports[0].postMessage('shared')", "/late.js": LATE,
    "/m/entry.js": "import { dep } from './dep.js'; export const value = 'entry with ' + dep", "/m/dep.js": "export const dep = 'dep'",
    "/m/far.js": "import { near } from './near.js'; export const value = 'far with ' + near", "/m/near.js": "export const near = 'near'",
    "/m/lib/x.js": "export const value = 'mapped'",
    "/c/one.css": "@import url(two.css); @import '{cdn}/c/three.css' screen; #a { color: rgb(1, 2, 3); background: url(/i/9.svg) }",
    "/c/two.css": "#b { color: rgb(4, 5, 6) }", "/c/three.css": "#c { color: rgb(7, 8, 9) }",
    "/c/far.css": "#d { color: rgb(10, 11, 12); background: url(../i/12.svg) }", "/c/shadow.css": "i { font-style: normal }",
    "/c/built.css": "#result { outline: 1px solid rgb(13, 14, 15) }",
}  # fmt: skip


def _routes(app: Flask, jobs: dict[str, int], cdn: str) -> None:
    def add(path: str, view: Callable[..., object], *methods: str) -> None:
        app.add_url_rule(path, path, view, methods=methods or ("GET",))

    for path, text in TEXTS.items():
        kind = "text/css" if path.endswith(".css") else "text/javascript"
        body = text.replace("{cdn}", cdn)
        add(path, lambda body=body, kind=kind: _cors(Response(body, content_type=kind)))
    add("/i/<int:size>.svg", lambda size: _cors(Response(SVG.format(size, "teal"), content_type="image/svg+xml")))
    add("/api/jsonp", lambda: Response(f'{request.args["callback"]}({{"n": 7}})', content_type="text/javascript"))
    add("/graphql", _graphql, "POST")
    add("/events", lambda: Response(_events(), content_type="text/event-stream"))
    add("/echo", lambda rest="": Response(request.query_string, content_type="text/plain"))
    add("/echo/<path:rest>", lambda rest: Response(request.query_string, content_type="text/plain"))
    add("/f/echo", lambda: Response(request.query_string, content_type="text/plain"))
    add("/Case", lambda: "upper")
    add("/case", lambda: "lower")
    add("/api/thing/3", _thing, "GET", "PUT", "PATCH", "DELETE", "POST", "HEAD")
    add("/upload", _upload, "POST")
    add("/api/cors", lambda: _cors(Response('{"cors": true}', content_type="application/json")), "GET", "OPTIONS")
    add("/hop/<int:left>", lambda left: redirect(f"/hop/{left - 1}") if left else "landed")
    add("/across", lambda: _cors(redirect(request.host_url.rstrip("/") + "/landing", 301)))
    add("/landing", lambda: _cors(Response("landed", content_type="text/plain")))
    add("/keep", lambda: redirect("/kept", 307), "POST")
    add("/kept", lambda: f"{request.method} {request.get_data(as_text=True)}", "POST")
    add("/status/<int:code>", lambda code: Response("" if code == 204 else "said", code, headers={"Retry-After": "7"}))
    add("/tagged", _tagged)
    add(
        "/ranged",
        lambda: Response("0123456789" * 100, content_type="text/plain").make_conditional(request.environ, True, 1000),
    )
    add("/packed.json", _packed)
    add("/chunks", lambda: Response(iter(["one ", "two ", "three"]), content_type="text/plain"))
    add("/binary", lambda: Response(bytes(range(256)), content_type="application/octet-stream"))
    add("/latin.js", lambda: Response("window.latin = 'naïve'".encode("windows-1252"), content_type="text/javascript"))
    add("/frame", _frame)
    add("/set-cookie", _set_cookies)
    add("/see-cookie", lambda: " ".join(f"{name}={request.cookies[name]}" for name in ("hidden", "seen")))
    add("/negotiated", _negotiated)
    add("/job", lambda: _job(jobs))
    add("/feed.xml", lambda: Response("<rss><title>feed</title></rss>", content_type="application/rss+xml"))
    add(
        "/guarded",
        lambda: Response(status=200 if re.fullmatch("[0-9a-f]{32}", request.get_json()["t"]) else 403),
        "POST",
    )
    add("/beacon", lambda: Response(status=204), "POST")
    app.url_map.add(Rule("/ws", endpoint="ws", websocket=True))
    app.view_functions["ws"] = _socket


def _cors(answer: Response) -> Response:
    answer.headers["Access-Control-Allow-Origin"] = request.headers.get("Origin", "*")
    answer.headers["Access-Control-Allow-Credentials"] = "true"
    answer.headers["Access-Control-Allow-Headers"] = "X-Own"
    return answer


def _graphql() -> Response:
    asked = request.get_json()
    if "Item" in asked["query"]:
        data: object = {"item": {"name": f"item {asked['variables']['id']}"}}
    else:
        data = {"others": [1, 2]}
    return Response(json.dumps({"data": data}), content_type="application/json")


def _events() -> Iterator[str]:
    for number in range(3):
        yield f"event: tick\nid: {number}\ndata: {number}\n\n"
        time.sleep(0.03)
    yield "event: end\ndata: x\n\n"
    time.sleep(0.2)


def _thing() -> Response:
    headers = {"X-Thing": "yes", "Content-Type": "application/json"}
    if request.method == "DELETE":
        return Response(status=204)
    if request.method == "POST":
        return Response('{"error": "taken"}', 409, headers)
    said = {"method": request.method, **(request.get_json(silent=True) or {})}
    return Response(json.dumps(said, separators=(",", ":")), 202 if request.method == "PATCH" else 200, headers)


def _upload() -> str:
    if file := request.files.get("file"):
        return f"{request.form['name']} {file.filename} {len(file.read())}"
    if request.mimetype == "application/octet-stream":
        return f"{len(request.get_data())} bytes"
    return request.get_data(as_text=True) or "&".join(f"{k}={v.replace(' ', '+')}" for k, v in request.form.items())


def _tagged() -> Response:
    answer = Response("tagged", content_type="text/plain")
    answer.set_etag("abc")
    return answer.make_conditional(request)


def _packed() -> Response:
    body = gzip.compress(b'{"packed": true}')
    return Response(body, content_type="application/json", headers={"Content-Encoding": "gzip"})


def _frame() -> str:
    said = json.dumps({"from": request.args["from"], "text": f"inside {request.args['n']}"})
    return f"<!doctype html><title>Frame</title><p>{said}</p><script>addEventListener('load', () => setInterval(() => parent.postMessage({said}, '*'), 100))</script>"


def _set_cookies() -> Response:
    answer = Response("set")
    answer.set_cookie("seen", "yes", path="/")
    answer.set_cookie("hidden", "h", httponly=True, samesite="Lax")
    return answer


def _negotiated() -> Response:
    if request.headers.get("X-Requested-With"):
        return Response("as fragment", content_type="text/html")
    if "json" in request.headers.get("Accept", ""):
        return Response('{"as":"json"}', content_type="application/json")
    return Response("as text", content_type="text/plain")


def _job(jobs: dict[str, int]) -> Response:
    jobs["n"] = jobs.get("n", -1) + 1
    state = ("queued", "running", "done")[min(jobs["n"], 2)]
    return Response(
        json.dumps({"state": state}), content_type="application/json", headers={"Cache-Control": "no-store"}
    )


def _socket() -> Response:
    socket = Server.accept(request.environ)
    try:
        socket.send("welcome")
        while (said := socket.receive()) != "bye":
            socket.send("polo" if said == "marco" else f"you said {said}")
        socket.close(4001)
        time.sleep(0.2)
        request.environ["werkzeug.socket"].shutdown(SHUT_RDWR)  # else the server would write an answer after the end
    except ConnectionClosed:
        pass
    return Response("")


class _Quiet(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log(self, *_: object) -> None:
        return


def main() -> None:
    parser = argparse.ArgumentParser(prog="tests.sites.features", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one; the second origin takes any")
    options = parser.parse_args()
    apps: list[Flask] = []

    def dispatch(environ: dict[str, object], start: object) -> object:
        return apps[0](environ, start)  # type: ignore[arg-type]

    servers = [ThreadedWSGIServer("127.0.0.1", port, dispatch, handler=_Quiet) for port in (options.port, 0)]
    here, cdn = (f"http://127.0.0.1:{server.server_port}" for server in servers)
    apps.append(create_app(here, cdn))
    sys.stdout.write(json.dumps({"url": here + "/"}) + "\n")
    sys.stdout.flush()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    threading.Thread(target=servers[1].serve_forever, daemon=True).start()
    servers[0].serve_forever()


if __name__ == "__main__":
    main()
