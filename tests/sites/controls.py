"""One page with every ordinary kind of control, each of which says what was done to it.

Run it with `python -m tests.sites.controls --port N`; it prints {"url": ..} when it is ready.
"""

import argparse
import json
import sys

from flask import Flask, request
from waitress.server import create_server

PAGE = """<!doctype html><html lang=en><title>Controls</title>
<style>nav ul ul{display:none} nav li:hover ul{display:block} [role=slider]{width:90px;height:12px;background:#ccc}
.card{padding:8px;margin:4px;border:1px solid #999;width:120px} [contenteditable]{border:1px dashed #999}</style>
<h1>Controls</h1>
<nav><ul><li><a href="#menu" class=entry>Goods</a><ul><li><a href="/lamps">Lamps</a></li></ul></li></ul></nav>
<button id=dialog aria-haspopup=dialog>Open dialog</button><dialog id=box>Inside <button id=shut>Shut</button></dialog>
<details><summary>More</summary><p>Unfolded words</p></details>
<div role=tablist><button role=tab aria-selected=true>One</button><button role=tab>Two</button></div><p id=panel>first</p>
<label><input type=checkbox id=news> News</label>
<label><input type=radio name=size value=s id=small> Small</label> <label><input type=radio name=size value=l id=large> Large</label>
<label>Loudness <input type=range id=loud min=0 max=10 value=5></label>
<div role=slider id=warm tabindex=0 aria-label=Warmth aria-valuenow=3></div>
<label>Day <input type=date id=day></label> <label>Colour <input type=color id=tint value="#000000"></label>
<label>Kind <select id=kind><option>none<option>round<option>square</select></label>
<div contenteditable=true id=note aria-label=Note>old words</div>
<label>Picture <input type=file id=pick accept="image/*"></label>
<div id=cards><div class=card draggable=true>A</div><div class=card draggable=true>B</div><div class=card draggable=true>C</div></div>
<p>Press <kbd>Ctrl</kbd> or <kbd>Ctrl K</kbd> to find</p>
<form action="/list"><label><input type=checkbox name=only value=red> red</label> <button>Filter</button></form>
<ol id=log></ol>
<script>
const say = text => document.getElementById("log").insertAdjacentHTML("beforeend", "<li>" + text + "</li>");
const on = (id, event, make) => document.getElementById(id).addEventListener(event, e => say(make(e)));
document.querySelector("nav li").addEventListener("mouseenter", () => say("hovered"));
on("dialog", "click", () => { box.showModal(); return "dialog opened"; }); shut.onclick = () => box.close();
document.querySelectorAll("[role=tab]").forEach(tab => tab.addEventListener("click", () => { panel.textContent = "tab " + tab.textContent; }));
on("news", "change", e => "news " + e.target.checked);
for (const id of ["small", "large"]) on(id, "change", () => "size " + id);
on("loud", "input", e => "loudness " + e.target.value); on("day", "change", e => "day " + e.target.value);
on("tint", "input", e => "colour " + e.target.value); on("kind", "change", e => "kind " + e.target.value);
on("warm", "keydown", e => "warmth " + e.key); on("note", "input", e => "note " + e.target.textContent);
on("pick", "change", e => "file " + e.target.files[0].name + " " + e.target.files[0].size);
document.addEventListener("keydown", e => { if (e.ctrlKey && e.key === "k") { e.preventDefault(); say("finder opened"); } });
let held = null;
document.querySelectorAll(".card").forEach(card => {
  card.addEventListener("dragstart", () => { held = card; });
  card.addEventListener("dragover", e => e.preventDefault());
  card.addEventListener("drop", e => { e.preventDefault(); card.after(held); say("order " + cards.textContent.replace(/\\s/g, "")); });
});
</script></html>"""


def make_app() -> Flask:
    app = Flask(__name__)

    @app.get("/")
    def home() -> str:
        return PAGE

    @app.get("/list")
    def listed() -> str:
        return f"<!doctype html><title>List</title><p>only {request.args.get('only', 'all')}</p>"

    @app.get("/lamps")
    def lamps() -> str:
        return "<!doctype html><title>Lamps</title><p>lamps</p>"

    return app


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    server = create_server(make_app(), host="127.0.0.1", port=parser.parse_args().port, ident=None)
    sys.stdout.write(json.dumps({"url": f"http://127.0.0.1:{server.effective_port}/"}) + "\n")
    sys.stdout.flush()
    server.run()


if __name__ == "__main__":
    main()
