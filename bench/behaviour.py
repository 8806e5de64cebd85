"""How far actions are understood: `python -m bench.behaviour RUN`.

The mirror is built without a quarter of the episodes. Then every episode is done again on it, those it was built from
and the hidden ones, twice: as it is, and by a visitor who counts as astray from the first step, so that handlers answer
and no recording does. Compared are statuses and redirects, the texts that a page has and the fresh visitor's has not
(facts), and whole pages, tokens left out.
"""

import random
import re
import sqlite3
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click
from flask.testing import FlaskClient

from artifacts.events import ignore
from artifacts.evidence import Evidence, Exchange, Part, load_part, probe_of
from artifacts.store import Store
from bench.figures import Result
from builder.behave.history import Act, Episode, Reading, address_of, episodes
from builder.behave.spans import normal
from builder.build import build
from builder.compile.recordings import recordings
from builder.compile.trails import trails
from builder.compile.volatile import Learned
from builder.emit.seed import sandbox_password
from builder.induce.tree import parse, rebuilt

_TAG = re.compile(r"\s*(<[^>]*>)\s*")


def plain(page: str) -> str:
    """What no browser tells apart, tokens left out, as equal text."""
    return _TAG.sub(r"\1", normal(rebuilt(parse(page))).replace('=""', ""))


def facts(page: str) -> Counter[str]:
    """The texts between tags."""
    return Counter(text for text in _TAG.split(plain(page)) if text.strip() and not text.startswith("<"))


def episode_of(visit: str) -> str:
    probe = probe_of(visit)
    return (probe.after if probe else visit).partition("/")[0]


def without(part: Part, hidden: frozenset[str]) -> Part:
    """The evidence as if these episodes had never been tried."""

    def kept(visit: str) -> bool:
        return episode_of(visit) not in hidden

    return Part(
        tuple(state for state in part.states if kept(state.visit)),
        tuple(exchange for exchange in part.exchanges if kept(exchange.visit)),
        tuple(one for one in part.interactions if one.episode not in hidden),
        part.skips,
    )


class Replay:
    """Episodes done again on a mirror."""

    def __init__(
        self, folder: Path, evidence: Evidence, sent: dict[int, Exchange], read: Callable[[str], bytes]
    ) -> None:
        self._evidence = evidence
        self._sent = sent
        self._read = read
        self._folder = folder
        sys.path.insert(0, str(folder))
        self._app = import_module("app")
        self._passwords = {a.label: sandbox_password(evidence.site, a.label) for a in evidence.request.accounts}

    def episode(self, episode: Episode, fresh: dict[str, str], *, astray: bool) -> Counter[str]:
        database = sqlite3.connect(":memory:", check_same_thread=False, uri=True)
        database.executescript((self._folder / "seed.sql").read_text(encoding="utf-8"))
        database.execute("ATTACH DATABASE ? AS site", (f"{(self._folder / 'site.db').as_uri()}?mode=ro",))
        app = self._app.create_app(lambda: database)
        client: FlaskClient = app.test_client()
        if astray:
            database.execute("INSERT INTO visitor (id, token) VALUES (1, 'astray')")
            database.execute("INSERT INTO astray VALUES (1)")
            client.set_cookie(app.extensions["visitor_cookie"], "astray", domain=urlsplit(self._evidence.site).hostname)
        count: Counter[str] = Counter()
        for number, act in enumerate(episode.acts, 1):
            right = self._act(client, act, count)
            for look in (one for one in episode.looks if one.prior == number):
                right &= self._look(client, look.address, look.source, fresh.get(look.address, ""), count)
            count["steps"] += 1
            count["steps right"] += right
        database.close()
        return count

    def _act(self, client: FlaskClient, act: Act, count: Counter[str]) -> bool:
        exchange = self._sent[act.order]
        headers = {
            name: value for name, value in exchange.request_headers if name.lower() in ("content-type", "referer")
        }
        body = self._read(exchange.request_body).decode("utf-8", "replace") if exchange.request_body else ""
        for label, password in self._passwords.items():
            body = re.sub(rf"(%7B%7B|\{{\{{)password(%3A|:){re.escape(label)}(%7D%7D|\}}\}})", password, body)
        answer = client.open(
            address_of(exchange.url), base_url=self._evidence.site, method=exchange.method, data=body.encode(),
            headers=headers,
        )  # fmt: skip
        location = urlsplit(answer.headers.get("Location", ""))
        there = location.path + (f"?{location.query}" if location.query else "")
        right = answer.status_code == act.status and there == act.location
        count["answers"] += 1
        count["answers right"] += right
        return right

    def _look(self, client: FlaskClient, address: str, true: str, before: str, count: Counter[str]) -> bool:
        answer = client.get(address, base_url=self._evidence.site, headers={"Accept": "text/html"})
        mine = answer.get_data(as_text=True)
        wanted, said = facts(true) - facts(before), facts(mine) - facts(before)
        count["facts"] += wanted.total()
        count["facts said"] += said.total()
        count["facts right"] += (wanted & said).total()
        right = plain(mine) == plain(true)
        count["pages"] += 1
        count["pages right"] += right
        return right


def share(count: Counter[str], right: str, of: str) -> str:
    return f"{count[right] / count[of]:.0%} of {count[of]}" if count[of] else "-"


def row(count: Counter[str]) -> Sequence[str]:
    precision = f"{count['facts right'] / max(count['facts said'], 1):.2f}"
    recall = f"{count['facts right'] / max(count['facts'], 1):.2f}"
    return (
        share(count, "answers right", "answers"), f"{precision} / {recall}", share(count, "pages right", "pages"),
        share(count, "steps right", "steps"),
    )  # fmt: skip


def figures(
    part: Part, evidence: Evidence, store: Store, seed: int, folder: Path
) -> Iterator[tuple[str, Counter[str]]]:
    """The counts for open and hidden episodes, as they are answered and as handlers answer."""
    names = sorted({one.episode for one in part.interactions})
    hidden = frozenset(random.Random(seed).sample(names, len(names) // 4))
    build(without(part, hidden), evidence, store=store, out=folder / "mirror", parts="open", emit=ignore)
    found = recordings((one for one in part.exchanges if _is_actors(one.visit)), store.get)
    users = {account.label: account.user for account in evidence.request.accounts}
    walked, _ = trails(found, part.interactions)
    done = episodes(walked, Reading(evidence.site, Learned(), users, lambda path: path, lambda _: False))
    plain_looks = (one for one in found if not one.visit.startswith("e") and one.is_document and one.status == 200)
    fresh = {address_of(one.exchange.url): one.body.decode("utf-8", "replace") for one in plain_looks}
    replay = Replay(folder / "mirror", evidence, {one.order: one for one in part.exchanges}, store.get)
    for what, astray in (("as it is", False), ("by handlers", True)):
        for kind in ("open", "hidden"):
            total: Counter[str] = Counter()
            for episode in done:
                if (episode.name in hidden) == (kind == "hidden"):
                    total += replay.episode(episode, fresh, astray=astray)
            yield f"{kind}, {what}", total


def _is_actors(visit: str) -> bool:
    probe = probe_of(visit)
    return probe is None or probe.whose == "actor"


@click.command()
@click.argument("run", type=click.Path(path_type=Path, exists=True))
@click.option("--seed", default=1, help="Draws which episodes are hidden.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Write the raw figures to this file.")
def main(run: Path, seed: int, json_file: Path | None) -> None:
    evidence = Evidence.from_bytes((run / "evidence.json").read_bytes())
    store = Store(run / "store")
    part = load_part(store, evidence.open) + load_part(store, evidence.sealed)
    result = Result(f"behaviour of {run.name}", ["episodes", "status and redirect", "facts P / R", "pages", "steps"])
    raw: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, count in figures(part, evidence, store, seed, Path(folder)):
            result.add(name, *row(count))
            raw[name] = dict(count)
    result.raw = raw
    result.show(json_file)


if __name__ == "__main__":
    main()
