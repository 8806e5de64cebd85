"""Which step next, given everything seen so far. Pure: the same journal gives the same plan.

The next step is the one expected to settle most: a page of a template nobody has seen, then a behaviour nobody has
tried, then second and contrasting examples, then more of the same.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from artifacts.evidence import Actionable, PageState, Skip
from artifacts.run import CaptureRequest
from explorer.crawl import plan, safety, values
from explorer.crawl.leftover import not_captured, not_logged_in
from explorer.crawl.members import LOOKS, SHARE, Members, Sight, answers_to_challenges, is_closed, logins_in
from explorer.crawl.need import Need
from explorer.crawl.offers import Offers
from explorer.crawl.revealed import Opened
from explorer.crawl.robots import Robots
from explorer.crawl.searching import MOST_SEARCHES, main_search, telling_texts, titles_of
from explorer.crawl.step import Found, Step, first_of_kinds
from explorer.crawl.trial import Shown, Trial
from explorer.crawl.tried import Tried
from explorer.crawl.urls import Templates, address_key, canonical, in_scope, is_file, joined
from explorer.crawl.words import Words, site_words


class Frontier:
    """Everything known about the site, and what that leaves to do."""

    def __init__(
        self, request: CaptureRequest, start: str, robots: Robots, clean: Callable[[str], str] = lambda url: url
    ) -> None:
        """`clean` takes secrets out of an address: what was kept is recognised by its address without them."""
        self._clean = clean
        self.request = request
        self.start = start
        self.skips: dict[tuple[str, str], Skip] = {}
        self.pages_done = 0
        self.actions_done = 0
        self.words: Words = site_words((), ())
        self._robots = robots
        self._found: dict[str, Found] = {}
        self._looked: dict[str, PageState] = {}
        self._repeated: set[str] = set()
        self._given_up: set[str] = set()
        self._files: set[str] = set()
        self._fetched: set[str] = set()
        self._traps: set[str] = set()
        self._texts: list[str] = []
        self._tried = Tried(request)
        self._trials: list[Trial] | None = None
        self._templates: Templates | None = None
        self._logins = {self._key(joined(start, account.login_url)) for account in request.accounts}
        self._public: set[str] = set()
        """Keys of what strangers are linked to."""
        self._members = Members((account.label for account in request.accounts), self._key)
        self._offers = Offers(request.accounts, self._tried, self._members)
        self._need = Need(request.tasks if request.coverage == "jit" else ())
        self._wanted = {self._key(one.url) for one in request.wanted if one.as_page}
        self._wanted_files = [one.url for one in request.wanted if not one.as_page]
        self._add(start, 0, "")
        self.add_addresses([one.url for one in request.wanted if one.as_page], "")

    def _key(self, url: str) -> str:
        return address_key(self._clean(url))

    @property
    def templates(self) -> Templates:
        """Learned from every address found so far."""
        if self._templates is None:
            self._templates = Templates(found.url for found in self._found.values())
        return self._templates

    def absorb_page(self, state: PageState, items: Sequence[Actionable], *, failed: bool = False) -> None:
        """A page was looked at (or could not be): take in its links and what can be done on it."""
        key = self._key(state.requested)
        if state.repeat_of:
            self._repeated.add(key)
            return
        self._looked[key] = state
        self._looked.setdefault(self._key(state.url), state)
        self._need.saw(state.url, state.title)
        self.pages_done += 1
        if not failed and state.status < 400 and in_scope(state.url, self.start, self.request.scope):
            self._learn(state, items)

    def absorb_trial(
        self,
        trial_key: tuple[str, str, str],
        states: Iterable[tuple[PageState, Sequence[Actionable]]],
        *,
        actions: int,
        idle: bool,
        refused: str = "",
        contrast: bool = False,
    ) -> bool:
        """A behaviour was tried: remember that, and take in the pages it led to.

        `refused` is what it would have sent, METHOD ADDRESS, had it been allowed more than reading. True if it is tried
        again as what it turned out to be.
        """
        self._trials = None if refused else self._trials
        if refused and self._tried.escalate(trial_key[0], refused):
            return True
        self._tried.absorb(trial_key, idle=idle, contrast=contrast)
        self._absorb_states(states, actions)
        return False

    def absorb_opened(self, found: Opened) -> None:
        """Something was opened, and forms came to light."""
        self._offers.opened(found)
        self._trials = None

    def absorb_tour(
        self,
        label: str,
        asked: Sequence[str],
        states: Sequence[tuple[PageState, Sequence[Actionable]]],
        pages: Iterable[tuple[str, Iterable[tuple[str, str]], str]],
        *,
        looks: int,
        actions: int,
    ) -> None:
        """An account looked at pages, and took further `pages` (address, links, failure), out of those asked for."""
        self.pages_done += looks
        self._members.absorb_tour(label, asked, states, looks)
        self._absorb_states(states, actions)
        for url, links, _ in pages:
            self._members.fetched[self._key(url)] = None
            for link, text in links:
                self._follow(link, text, 3, url, label)

    def _absorb_states(self, states: Iterable[tuple[PageState, Sequence[Actionable]]], actions: int) -> None:
        self._trials = None
        self.actions_done += actions
        for state, items in states:
            if state.status < 400 and in_scope(state.url, self.start, self.request.scope):
                self._learn(state, items, plan_on=False)
                self._follow(state.url, "", 2, state.requested, state.identity)  # scripts may have written it there

    def absorb_failure(self, url: str, skip: Skip) -> None:
        """A page could not be captured; it is not asked for again."""
        self.skip(skip)
        self._given_up.add(self._key(url))
        self._repeated.add(self._key(url))

    def absorb_file(self, url: str) -> None:
        """A file was fetched, or could not be."""
        self._files.add(self._key(url))

    def absorb_fetched(self, url: str, links: Iterable[tuple[str, str]]) -> None:
        """A page was taken by a plain request: it counts as known, and its links are taken in."""
        self._fetched.add(self._key(url))
        found = self._found.get(self._key(url))
        for link, text in links:
            self._follow(link, text, found.depth + 1 if found else 3, url)

    @property
    def pages_fetched(self) -> int:
        return len(self._fetched | self._members.fetched.keys())

    def add_addresses(self, urls: Iterable[str], where: str) -> None:
        """Addresses from a sitemap or another list."""
        for url in urls:
            self._add(url, 2, where)

    def skip(self, skip: Skip) -> None:
        self.skips.setdefault((skip.what, skip.reason), skip)

    def next_step(self, *, only_wanted: bool = False) -> Step | None:
        """The step worth most, or None when nothing is left within the budgets; what is wanted has none."""
        if only_wanted or self._looked:
            if wanted := self._next_wanted():
                return wanted
            if only_wanted:
                return None
        budget = self.request.budget
        asked = self.pages_done + len(self._given_up) // 2
        page = self._best_page() if not budget.max_pages or asked < budget.max_pages else None
        trial = self._best_trial() if not budget.max_actions or self.actions_done < budget.max_actions else None
        repeat = self._best_repeat()
        tour = self._best_tour(page[0] if page else 0.0)
        file = self._best_file() if not budget.max_pages or len(self._files) < budget.max_pages else None
        options = [option for option in (page, trial, tour, repeat, file) if option]
        if options:
            return max(options, key=lambda option: option[0])[1]
        batch = self._next_batch()
        if batch:
            return Step("fetch", batch[0], batch=batch)
        last = self._tour(0)
        return last[1] if last else None

    def is_exhausted(self) -> bool:
        """Whether nothing worth doing is left, budgets aside."""
        return self._best_page() is None and self._best_trial() is None

    def left_over(self) -> list[Skip]:
        """What the budgets left out, for the report."""
        done = self._looked.keys() | self._given_up | self._files | self._fetched | self._members.fetched.keys()
        pages = [found for key, found in self._found.items() if key not in done]
        logins = [
            (one, self._tried.logged_in_as(one.user), self._key(joined(self.start, one.login_url)) in self._looked)
            for one in self.request.accounts
        ]
        return [*not_captured(pages), *not_logged_in(self.start, logins, self.request.allow)]

    def _learn(self, state: PageState, items: Sequence[Actionable], *, plan_on: bool = True) -> None:
        depth = self._found[self._key(state.requested)].depth if self._key(state.requested) in self._found else 2
        texts: dict[str, str] = {}
        traps: dict[str, bool] = {}
        for item in items:
            if item.href and (where := canonical(joined(state.url, item.href))):
                texts[where] = f"{texts.get(where, '')} {item.name}".strip()
                traps[where] = traps.get(where, True) and "trap" in item.attributes
        self._traps |= {self._key(where) for where, is_trap in traps.items() if is_trap}
        for link in state.links:
            self._follow(link, texts.get(canonical(link), ""), depth + 1, state.url, state.identity)
        if state.identity != "anonymous":
            self._members.saw(state, state.links)
        self._texts += [item.name for item in items if item.tag == "a" and item.name]
        if plan_on and state.identity == "anonymous":
            self._offers.pages.append(Shown(state.requested, state.template, tuple(items), state.url))
        if not self.words.name_things or self.words.one == "test" or (plan_on and len(self._offers.pages) <= 3):
            self.words = self._need.words(site_words(self._looked.values(), self._texts, self._titles()))
        self._trials = None

    def _follow(self, link: str, text: str, depth: int, where: str, identity: str = "anonymous") -> None:
        if identity == "anonymous":
            self._public.add(self._key(link))
        judged = safety.of_link(link, text)
        if self._key(link) in self._traps and self._key(link) not in self._found:
            self.skip(Skip(what=link, where=where, reason="trap", detail="a link that nobody can see"))
        elif judged.safety == "read":
            self._add(link, depth, where, text)
        else:
            self.skip(Skip(what=link, where=where, reason="safety", detail=f"{judged.safety}: {judged.because}"))

    def _add(self, url: str, depth: int, where: str, text: str = "") -> None:
        key = self._key(url)
        if key in self._found:
            known = self._found[key]
            if text and text not in known.text and len(known.text) < values.MOST_TEXT:
                self._found[key] = known._replace(text=f"{known.text} {text}".strip())
            return
        if not in_scope(url, self.start, self.request.scope):
            self.skip(Skip(what=canonical(url), where=where, reason="scope"))
        elif not self.request.ignore_robots and not self._robots.allows(url):
            self.skip(Skip(what=canonical(url), where=where, reason="robots", detail=self._robots.line_for(url)))
        else:
            self._found[key] = Found(canonical(url), depth, where, text)
            self._templates = None

    def _best_page(self) -> tuple[float, Step] | None:
        templates = self.templates
        taken = Counter(templates.of(key) for key in (*self._looked, *self._given_up))
        closed = Counter(templates.of(key) for key, state in self._looked.items() if is_closed(state))
        best: tuple[float, Found] | None = None
        for key, found in self._found.items():
            if key in self._looked or key in self._given_up or key in self._fetched or is_file(found.url):
                continue
            template = templates.of(found.url)
            count = taken[template]
            if "?" in template and count >= values.QUERY_SAMPLE:
                self.skip(
                    Skip(what=template, where=found.where, reason="sample", detail=f"{count} of its kind were taken")
                )
                continue
            value = values.LOGIN if key in self._logins else values.page_value(count, found.depth, "?" in template)
            value = min(value, values.CLOSED) if closed[template] > 1 and self._members.is_any_inside else value
            if key not in self._logins:
                value = self._need.page_value(found.url, found.text, found.depth, value)
            if value > 0 and (best is None or value > best[0]):
                best = (value, found)
        return (best[0], Step("page", best[1].url)) if best else None

    def _next_batch(self) -> tuple[str, ...]:
        """Pages to take by plain requests, kinds of which little is known first."""
        if self.request.scope == "page" or self._need:
            return ()
        most = self.request.budget.max_pages * values.FETCHES_A_PAGE or values.FETCHES_WITHOUT_LIMIT
        templates = self.templates
        taken = Counter(templates.of(key) for key in (*self._looked, *self._given_up, *self._fetched))
        waiting: list[tuple[float, str]] = []
        for key, found in self._found.items():
            if key in self._looked or key in self._given_up or key in self._fetched or is_file(found.url):
                continue
            if "#" in found.url:  # what a script makes of the page cannot be fetched
                continue
            template = templates.of(found.url)
            if "?" in template and taken[template] >= values.QUERY_SAMPLE * values.FETCHES_A_PAGE:
                continue
            waiting.append((-values.page_value(taken[template], found.depth, "?" in template), found.url))
            taken[template] += 1
        waiting.sort(key=lambda item: item[0])
        urls = dict.fromkeys([*self._searches(most // 4), *(url for _, url in waiting)])
        return tuple(urls)[: min(values.BATCH, most - len(self._fetched))]

    def _searches(self, most: int) -> list[str]:
        """Addresses of searches that tell how the site searches, as far as fewer were made."""
        form = main_search(self._offers.pages)
        if form is None:
            return []
        asked = form.asked(found.url for found in self._found.values())
        texts = [text for text in telling_texts(self._titles()) if text not in asked]
        for text in texts[: max(0, min(most, MOST_SEARCHES) - len(asked))]:
            self._add(form.address(text), 2, form.action)
        done = self._looked.keys() | self._given_up | self._fetched
        mine = [key for key, found in self._found.items() if found.where == form.action and found.depth == 2]
        return [self._found[key].url for key in mine if key not in done and form.asked([self._found[key].url])]

    def _titles(self) -> list[str]:
        return titles_of([(found.url, found.text) for found in self._found.values()], self.templates)

    def _next_wanted(self) -> Step | None:
        done = self._looked.keys() | self._given_up
        for key in sorted(self._wanted):
            if key in self._found and key not in done:
                return Step("page", self._found[key].url)
        for url in self._wanted_files:
            if self._key(url) not in self._files and self._may_fetch(url):
                return Step("file", url)
        return None

    def _may_fetch(self, url: str) -> bool:
        return bool(joined(self.start, url)) and (self.request.ignore_robots or self._robots.allows(url))

    def _best_file(self) -> tuple[float, Step] | None:
        for key, found in self._found.items():
            if key not in self._files and is_file(found.url):
                return 12.0, Step("file", found.url)
        return None

    def _best_repeat(self) -> tuple[float, Step] | None:
        """One page of each of the first templates is looked at twice, to learn what changes by itself.

        Before any behaviour is tried: later, our own doings would pass for the site's.
        """
        for key in first_of_kinds(self._looked, self.templates, values.FIRST_KINDS):
            state = self._looked[key]
            if key not in self._repeated and self._key(state.requested) == key:
                return 88.0, Step("repeat", state.requested)
        return None

    def _best_tour(self, page: float) -> tuple[float, Step] | None:
        """Looking at pages as an account, within its share of the budget unless no `page` of that value is left."""
        most = self.request.budget.max_pages
        if not most:
            return self._tour(LOOKS)
        room = most - self.pages_done - len(self._given_up) // 2
        if page >= values.MUCH:
            room = min(room, most // SHARE - self._members.looks)
        return self._tour(room) if room > 0 else None

    def _tour(self, looks: int) -> tuple[float, Step] | None:
        if not self._members.is_any_inside or "account" not in self.request.allow or self.request.scope == "page":
            return None
        addresses = {key: found.url for key, found in self._found.items()}
        sight = Sight(self.templates, addresses, self._looked, self._public)
        most = self.request.budget.max_pages * values.FETCHES_A_PAGE or values.FETCHES_WITHOUT_LIMIT
        left = most - len(self._fetched) - len(self._members.fetched)
        return self._members.next_tour(logins_in(self._planned()), sight, most=looks, fetches=left)

    def _planned(self) -> list[Trial]:
        if self._trials is None:
            challenges = answers_to_challenges(self.request.accounts, self.start, self._looked)
            self._trials = self._offers.trials(self.templates, self.words, challenges)
        return self._trials

    def _best_trial(self) -> tuple[float, Step] | None:
        best: tuple[float, Trial] | None = None
        for trial in self._planned():
            if not plan.allowed(trial, self.request.allow):
                detail = f"{trial.judgement.safety}: {trial.judgement.because}"
                self.skip(Skip(what=trial.behaviour, where=trial.page, reason="safety", detail=detail))
                continue
            value = self._trial_value(trial)
            if value > 0 and (best is None or value > best[0]):
                best = (value, trial)
        if best is None:
            return None
        value, chosen = best
        limit = self._tried.limit(chosen)
        left = self.request.budget.max_actions - self.actions_done if self.request.budget.max_actions else limit
        return value, Step("trial", chosen.page, chosen, min(limit, left))

    def _trial_value(self, trial: Trial) -> float:
        value = self._tried.value(trial)
        found = self._found.get(self._key(trial.page))
        return value if value and self._need.wants(trial, found.text if found else "") else 0
