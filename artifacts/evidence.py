"""What was seen of the site: states, exchanges, interactions, and what was left out and why.

An Evidence record points at two blobs of JSON lines, `open` and `sealed`. The Builder is handed the open one only.
Which states and interactions are sealed is drawn by digest, so nobody chooses.
"""

import json
import re
from collections.abc import Iterable
from typing import Annotated, Literal, NamedTuple

from pydantic import Field, TypeAdapter

from artifacts._record import Record
from artifacts.digest import Digest
from artifacts.run import Account, CaptureRequest, Lens, Safety
from artifacts.store import Store

Headers = tuple[tuple[str, str], ...]

_IN_FRAMES = frozenset({"document", "iframe", "frame", ""})
_SHOWN = re.compile(r"json|xml|javascript")
"""Media types of the kind application/ that browsers show."""


class Exchange(Record):
    """One HTTP request and its answer as they crossed the proxy, secrets already redacted.

    A failed exchange has no status and says why in `failure`; an answer of 500 is an answer.
    """

    kind: Literal["exchange.v1"] = "exchange.v1"
    order: int
    """Place among all exchanges of the run, by the time the request was sent."""
    visit: str
    """The look or step during which it was sent; `probe_of` tells those sent beside a step to see what it changed."""
    identity: str = "anonymous"
    method: str
    url: str
    """Absolute, fragment removed."""
    http_version: str = "HTTP/1.1"
    request_headers: Headers = ()
    request_body: Digest | None = None
    destination: str = ""
    """Sec-Fetch-Dest: document, style, script, image, font, empty, ...; empty when the browser did not say."""
    status: int | None = None
    response_headers: Headers = ()
    """As sent, order and repeats kept, secrets replaced; content-encoding stays although the body is kept decoded."""
    response_body: Digest | None = None
    """Decoded from its content-encoding. None when there was no body, or it was cut off (see `note`)."""
    response_bytes: int = 0
    """Size of the decoded body, also when it was too large to keep."""
    milliseconds: float = 0
    messages: Digest | None = None
    """WebSocket or event-stream messages: JSON lines of {"at_ms", "from": "client"|"server", "text"|"base64"}."""
    failure: str | None = None
    note: str = ""

    def said(self, name: str) -> str:
        """The values of one header of the answer, joined by commas; empty if it is not there."""
        return ", ".join(value for key, value in self.response_headers if key.lower() == name)

    @property
    def is_download(self) -> bool:
        """Whether a browser saves the answer and stays on the page that it shows."""
        if self.destination not in _IN_FRAMES:
            return False
        media = self.said("content-type").partition(";")[0].strip().lower()
        is_saved = media.startswith("application/") and not _SHOWN.search(media)
        return is_saved or self.said("content-disposition").strip().lower().startswith("attachment")


class Actionable(Record):
    """Something on a page that can be acted on."""

    selector: str
    """CSS, unique in its frame at the time of the look; built from ids, names and roles before positions."""
    role: str
    name: str
    """Accessible name, at most 120 characters."""
    tag: str
    input_type: str = ""
    href: str = ""
    form: str = ""
    """Selector of the form it belongs to; empty when it belongs to none."""
    form_method: str = ""
    form_action: str = ""
    field_name: str = ""
    value: str = ""
    options: tuple[str, ...] = ()
    """Values of a select; at most 50."""
    required: bool = False
    visible: bool = True
    attributes: dict[str, str] = {}
    """aria-*, data-toggle, pattern, min, max, maxlength, placeholder, autocomplete, title, class."""


class PageState(Record):
    """One settled view of one page, as one visitor saw it."""

    kind: Literal["page_state.v1"] = "page_state.v1"
    url: str
    """Address after redirects and scripts, fragment kept."""
    requested: str
    """Address that was asked for; equal to `url` when nothing redirected."""
    template: str
    """URL template it was filed under, such as "/catalogue/{}/"."""
    status: int
    title: str
    identity: str = "anonymous"
    visit: str
    lens: Digest
    fingerprint: Digest
    """Of the settled DOM's structure and text with volatile values masked."""
    server_html: Digest | None = None
    """The document as the server sent it, decoded; None when the page came from a cache or a script."""
    dom: Digest
    """Settled DOM as HTML, open shadow roots and same-origin frames included."""
    axtree: Digest
    """JSON list of {"role", "name", "value", "depth"} in tree order, ignored nodes left out."""
    text: Digest
    """Visible text, UTF-8, as innerText gives it, open shadow roots included."""
    screenshot: Digest
    """PNG of the viewport."""
    full_page: Digest
    """PNG of the whole page up to the lens's max_height."""
    page_height: int
    storage: Digest
    """JSON {"local": {..}, "session": {..}, "cookies": [{"name", "path", "http_only", ...}]}, secrets replaced."""
    actionables: Digest
    """JSON list of Actionable."""
    links: tuple[str, ...] = ()
    """Absolute http(s) addresses of the page's links, in document order, repeats removed."""
    console_errors: tuple[str, ...] = ()
    failed_requests: tuple[str, ...] = ()
    settled_after_ms: int = Field(ge=0)
    settled: bool = True
    """False when the page was still changing at the cap."""
    repeat_of: Digest | None = None
    """The earlier state of the same address that this second look repeats, to learn what is volatile."""
    notes: tuple[str, ...] = ()


class Action(Record):
    """One thing done to a page, said so that it can be done again on the mirror."""

    act: Literal["goto", "click", "fill", "select", "check", "uncheck", "press", "hover", "submit", "upload", "drag"]
    selector: str = ""
    role: str = ""
    name: str = ""
    value: str = ""
    """Text to fill, option value to select, key to press, name of the file to upload, selector of what to drag it to;
    of a goto, USER:PASSWORD to answer with when the site asks for them by its headers.

    A test account's password reads {{password:LABEL}}.
    """
    url: str = ""


class Interaction(Record):
    """Before, what was done, and after.

    Interactions with one `episode` follow each other in one browser context that began without cookies; the site's
    state is what the earlier steps made of it. To repeat step n, repeat steps 0 to n-1 first.
    """

    kind: Literal["interaction.v1"] = "interaction.v1"
    episode: str
    step: int
    identity: str = "anonymous"
    behaviour: str
    """What is being tried, such as "search form /search/ q" or "click button Add to basket"."""
    variant: Literal["ordinary", "other", "failing"] = "ordinary"
    """Which of the inputs a behaviour is tried with."""
    safety: Safety
    visit: str
    before: Digest
    """PageState."""
    actions: tuple[Action, ...]
    after: Digest
    """PageState."""
    exchanges: tuple[int, ...]
    """`order` of the exchanges it caused."""
    effect: Literal["none", "page", "storage", "navigation"]
    """The strongest of: nothing seen, the page changed, storage changed, the address changed."""
    dom_change: Digest | None = None
    """Unified difference of the two visible texts and of the DOM outline, UTF-8."""
    storage_change: dict[str, str] = {}
    dialogs: tuple[str, ...] = ()
    popups: tuple[str, ...] = ()
    downloads: tuple[str, ...] = ()


class Skip(Record):
    """Something deliberately not done, or that could not be captured."""

    kind: Literal["skip.v1"] = "skip.v1"
    what: str
    """An address, or an action in words."""
    where: str = ""
    """The page it was found on."""
    reason: Literal[
        "robots", "scope", "safety", "budget", "sample", "trap", "error", "challenge", "login", "too_large", "unsettled"
    ]
    detail: str = ""


def login_of(account: Account) -> str:
    """What a Skip of reason `login` calls logging in with an account that nobody logged in with."""
    return f"login as {account.label}"


class Probe(NamedTuple):
    """Plain requests for pages that tell what a step changed, sent beside the step and not part of it.

    The same few pages are asked for before the first step of an episode and after each that may have changed something,
    redirects followed, so that what differs between the two is what the step did.
    """

    after: str
    """The visit of the step they came after, EPISODE/NUMBER; EPISODE/before for those before the first."""
    whose: Literal["actor", "stranger", "elsewhere"]
    """In the session of whoever acted, by a visitor without history, or by the same account in another session."""


_WHOSE: dict[str, Literal["actor", "stranger", "elsewhere"]] = {"p": "actor", "s": "stranger", "o": "elsewhere"}


def probe_visit(after: str, whose: Literal["actor", "stranger", "elsewhere"] = "actor") -> str:
    """The name of the visit that probes what the step of visit `after` did."""
    return f"{after}/{next(letter for letter, name in _WHOSE.items() if name == whose)}"


def probe_of(visit: str) -> Probe | None:
    """What a visit of probes belongs to; None for any other visit.

    >>> probe_of("e0004.1/2/p"), probe_of("e0004.1/2")
    (Probe(after='e0004.1/2', whose='actor'), None)
    """
    after, _, letter = visit.rpartition("/")
    return Probe(after, _WHOSE[letter]) if "/" in after and letter in _WHOSE else None


Item = Annotated[Exchange | PageState | Interaction | Skip, Field(discriminator="kind")]
_ITEM: TypeAdapter[Item] = TypeAdapter(Item)


class Part(NamedTuple):
    """The open or the sealed half of the evidence, read into memory."""

    states: tuple[PageState, ...]
    exchanges: tuple[Exchange, ...]
    interactions: tuple[Interaction, ...]
    skips: tuple[Skip, ...]

    def __add__(self, other: "Part") -> "Part":  # type: ignore[override]
        """Both halves together, exchanges in the order they happened."""
        return Part(
            self.states + other.states,
            tuple(sorted(self.exchanges + other.exchanges, key=lambda exchange: exchange.order)),
            self.interactions + other.interactions,
            self.skips + other.skips,
        )


class Evidence(Record):
    """Everything captured of one site in one run."""

    kind: Literal["evidence.v1"] = "evidence.v1"
    request: CaptureRequest
    site: str
    """Origin of the site, such as "https://shop.example"."""
    start: str
    """Address of the first page after redirects."""
    lens: Lens
    outcome: Literal["complete", "limit", "interrupted"]
    open: Digest
    sealed: Digest
    states: int
    interactions: int
    exchanges: int
    fetched: int = 0
    """Pages taken by plain requests and not rendered: there are exchanges of them, and no states."""
    sealed_states: int
    sealed_interactions: int
    redactions: dict[str, int] = {}
    """How many values of each kind were replaced before they reached the disk."""
    missing: tuple[tuple[str, str], ...] = ()
    """Addresses that pages asked for and that could not be captured, with the reason."""
    not_found: str = ""
    """Address asked for to see the site's own "not found"; empty when none was."""


def store_part(store: Store, items: Iterable[Item]) -> str:
    """Keep evidence items as JSON lines; the digest names the part."""
    return store.put(b"".join(item.to_bytes() + b"\n" for item in items))


def load_part(store: Store, digest: str) -> Part:
    """Read one part back. Raises DamagedError if the blob is missing or altered."""
    items = [_ITEM.validate_python(json.loads(line)) for line in store.get(digest).splitlines() if line]
    return Part(
        tuple(item for item in items if isinstance(item, PageState)),
        tuple(item for item in items if isinstance(item, Exchange)),
        tuple(item for item in items if isinstance(item, Interaction)),
        tuple(item for item in items if isinstance(item, Skip)),
    )
