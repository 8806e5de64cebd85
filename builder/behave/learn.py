"""Handlers and state from what visitors did and saw: forms, their outcomes, and what they do to rows. Pure."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from builder.behave import acting
from builder.behave.contents import jinja
from builder.behave.effects import Case, atoms_of, below, by_atoms, cases_of, effect_of
from builder.behave.formulas import Env, Row, text_of
from builder.behave.frames import Fragments, Seen
from builder.behave.history import Act, Episode
from builder.behave.patches import Change
from builder.behave.pieces import branches, explained, piecewise
from builder.behave.pools import Join, Pool, joined, joins_for, pools_of
from builder.behave.search import Example, nothing
from builder.behave.spots import Found, Part, Sight, find_parts, without
from builder.behave.views import Moment, Rows, View, views_of
from builder.induce.site import Induced

Spec = dict[str, Any]
_MOST_READ, _MOST_FRESH = 12, 40
"""Pages that are searched for numbers that the site speaks of; a fresh visitor's pages that a part is explained on."""
_ENOUGH_SAID = 4
"""Different things that a part says after actions that are understood, before what it says after others is left out."""
_NUMBER = re.compile(r"(?<![\w.,#&-])(?:[^\w\s<>&;=\"]|&\w+;)?(\d{1,6}(?:\.\d\d)?)(?![\w.,\"=])")


@dataclass(frozen=True, eq=False)
class Form:
    """A handler: what requests of one form are answered, and what they do."""

    form: str
    joins: tuple[Join, ...]
    outcome: Spec
    user: Spec
    effects: tuple[Spec, ...]
    message: Spec
    examples: int
    hidden: frozenset[str]
    """Fields that may be sent and decide nothing."""
    needs_user: bool
    """Whether only somebody who was signed in has ever sent it: what a stranger would be told nobody knows."""
    orders: tuple[int, ...]
    """Places of the recorded exchanges of this form."""
    logins: tuple[tuple[int, str], ...]
    """Exchanges that signed somebody in, and whom."""


@dataclass(frozen=True, eq=False)
class Shown:
    """A part of pages that is written from state."""

    part: Part
    holes: Spec
    template: str
    """Jinja; empty for an attribute."""


@dataclass(frozen=True, eq=False)
class Behaviour:
    """All that actions are known to do."""

    views: tuple[View, ...] = ()
    parts: tuple[Shown, ...] = ()
    forms: tuple[Form, ...] = ()
    pools: tuple[Pool, ...] = ()
    messages: tuple[Change, ...] = ()
    """How each place is rid of what was said there once."""
    open: Mapping[str, str] | None = None
    """Form or part -> why it is not known."""


def behaviour_of(
    fresh: Sequence[Seen], episodes: Sequence[Episode], fragments: Mapping[int, Fragments], induced: Induced
) -> Behaviour:
    """Handlers that give every recorded action of their form, and the parts of pages that follow from their state."""
    if not episodes:
        return Behaviour()
    marks = frozenset(Decimal(number) for page in fresh[:_MOST_READ] for number in _NUMBER.findall(page.source))
    return _Learner(episodes, find_parts(fresh, episodes, fragments), pools_of(induced), marks).behaviour()


class _Learner:
    def __init__(
        self, episodes: Sequence[Episode], found: Found, pools: Sequence[Pool], marks: frozenset[Decimal]
    ) -> None:
        self._marks = marks
        self._episodes = episodes
        self._found = found
        self._pools = {pool.name: pool for pool in pools}
        self._views = [view for part in found.parts for view in views_of(part, episodes, pools)]
        self._acts: dict[str, list[tuple[int, int, Act]]] = defaultdict(list)
        for number, episode in enumerate(episodes):
            for place, act in enumerate(episode.acts):
                self._acts[act.form].append((number, place, act))
        self._joins = {
            form: joins_for([act for _, _, act in acts if act.status < 400], pools) for form, acts in self._acts.items()
        }
        self._users = dict(self._timeline())
        self._open: dict[str, str] = {}
        self._outcomes = {
            form: self._outcome(
                [act for *_, act in acts],
                [Env(acting.as_address(self._names(form, *one)), nothing) for one in acts],
            )
            for form, acts in self._acts.items()
        }

    def behaviour(self) -> Behaviour:
        effects = self._effects()
        views = [view for view in self._views if view.name not in self._open]
        known = {name: [one for one in found if one["view"] not in self._open] for name, found in effects.items()}
        forms = [form for name in self._acts if (form := self._form(name, known.get(name, ())))]
        rows = self._simulated(views, {form.form: form for form in forms})
        views = [view for view in views if view.name not in self._open]
        shown = list(self._shown(views, rows, {form.form for form in forms if form.effects}))
        views = [view for view in views if any(one.part is view.part for one in shown)]
        forms = list(self._with_effects_on(forms, {view.name for view in views}))
        used = {join.pool for form in forms for join in form.joins}
        return Behaviour(
            tuple(views),
            tuple(shown),
            tuple(forms),
            tuple(self._pools[name] for name in sorted(used)),
            without(self._found.messages),
            self._open,
        )

    def _timeline(self) -> Iterator[tuple[Moment, str]]:
        """Who is signed in at each moment, as far as what the frame shows tells."""
        logged = self._logged_parts()
        for number, episode in enumerate(self._episodes):
            user = ""
            yield Moment(number, 0), user
            for place, act in enumerate(episode.acts):
                if act.names["known"] and act.status < 400:
                    user = act.names["known"]
                elif user and self._is_out(logged, Moment(number, place + 1), act):
                    user = ""
                yield Moment(number, place + 1), user

    def _logged_parts(self) -> list[tuple[set[str], Part]]:
        """Parts of the frame that look otherwise after a login than to anybody else, with how strangers see them."""
        found = []
        first: dict[int, int] = {}
        for number, episode in enumerate(self._episodes):
            logins = [n for n, act in enumerate(episode.acts) if act.names["known"] and act.status < 400]
            first[number] = logins[0] + 1 if logins else len(episode.acts) + 1
        for part in self._found.parts:
            if part.family:
                continue
            strangers = {str(s.values) for s in part.sights if s.episode < 0 or s.prior < first[s.episode]}
            after = {str(s.values) for s in part.sights if s.episode >= 0 and s.prior == first[s.episode]}
            if after and not after & strangers:
                found.append((strangers, part))
        return found

    def _is_out(self, logged: Sequence[tuple[set[str], Part]], moment: Moment, act: Act) -> bool:
        for strangers, part in logged:
            now = [str(s.values) for s in part.sights if Moment(s.episode, s.prior) == moment]
            if now:
                return now[-1] in strangers
        return act.forgets

    def _names(self, form: str, number: int, place: int, act: Act) -> dict[str, str]:
        return {**joined(act.names, self._joins[form], self._pools), "user": self._users[Moment(number, place)]}

    def _with_effects_on(self, forms: Iterable[Form], known: set[str]) -> Iterator[Form]:
        """The forms with their effects on rows that pages show; one that is left without any is not understood."""
        for form in forms:
            effects = tuple(effect for effect in form.effects if effect["view"] in known)
            if effects or form.user != {"leaf": "stays"}:
                yield replace(form, effects=effects)
            else:
                self._open[form.form] = "no page shows the rows that it changes in a way that is known"

    def _effects(self) -> dict[str, list[Spec]]:
        """Form -> its effects. Views that a form changes in a way nobody understands are left open."""
        effects: dict[str, list[Spec]] = defaultdict(list)
        for number, view in enumerate(self._views):
            made = self._made(view)
            if isinstance(made, str) and view.plain is not None:
                self._views[number] = view.plain
                made = self._made(view.plain)
            if isinstance(made, str):
                self._open[view.name] = made
                continue
            for form, effect in made.items():
                effects[form].append(effect)
        return effects

    def _made(self, view: View) -> dict[str, Spec] | str:
        """What each form that changes a view does to it; or why that is not known."""
        close = {form: list(self._cases(view, form, set())) for form in self._acts}
        inert = {form for form, found in close.items() if found and all(c.before == c.after for c in found)}
        cases = {form: list(self._cases(view, form, inert)) for form in self._acts}
        made: dict[str, Spec] = {}
        for form, found in cases.items():
            naming = frozenset(join.variable for join in self._joins[form])
            learned = effect_of(view, found, naming) if found else None
            if found and learned is None:
                return f"what {form} does to these rows follows no known rule"
            if learned is not None and learned.changing:
                outcome = self._outcomes[form] or {"leaf": {}}
                choice = below(outcome, learned.effect["choice"], [c.names for c in found], {"do": "nothing"})
                counted = {"examples": learned.examples, "changing": learned.changing}
                made[form] = {**learned.effect, "choice": choice, **counted}
        return made or "nothing is known to change these rows"

    def _cases(self, view: View, form: str, inert: set[str]) -> Iterator[Case]:
        for number, place, act in self._acts[form]:
            for address in view.addresses() if not self._looks_otherwise(view, number, place) else ():
                before = self._before(view, number, place, address, inert)
                after = view.known.get((Moment(number, place + 1), address))
                if before is not None and after is not None:
                    names = self._names(form, number, place, act)
                    case = Case(names, before, after, address, self._everywhere(view, number, place))
                    yield from cases_of(view, case, act.groups)

    def _looks_otherwise(self, view: View, number: int, place: int) -> bool:
        """Whether somebody else looks at what everybody sees after an action: then nothing can be compared."""
        return view.is_everybodys and self._users[Moment(number, place)] != self._users[Moment(number, place + 1)]

    def _everywhere(self, view: View, number: int, place: int) -> Rows:
        """The rows on all pages as they were last seen before an action."""
        found: dict[str, Rows] = {}
        for address in view.addresses():
            for moment in (Moment(-1, 0), *(Moment(number, earlier) for earlier in range(place + 1))):
                found[address] = view.known.get((moment, address), found.get(address, ()))
        return tuple(row for rows in found.values() for row in rows)

    def _before(self, view: View, number: int, place: int, address: str, inert: set[str]) -> Rows | None:
        """The rows that were last seen, where nothing was done since that changes them."""
        for earlier in range(place, -1, -1):
            found = view.known.get((Moment(number, earlier), address))
            if found is not None:
                return found
            if earlier and self._episodes[number].acts[earlier - 1].form not in inert:
                return None
        if view.is_everybodys and number:
            return self._before(view, number - 1, len(self._episodes[number - 1].acts), address, inert)
        return view.start(address)

    def _form(self, name: str, effects: Sequence[Spec]) -> Form | None:
        acts = self._acts[name]
        plain = [self._names(name, *one) for one in acts]
        outcome = self._outcomes[name]
        envs = [Env(acting.as_markup(one), nothing) for one in plain]
        user = self._user(name, envs)
        if outcome is None or user is None:
            self._open[name] = "its outcomes follow no known rule"
            return None
        if not effects and user == {"leaf": "stays"}:
            self._open[name] = "it is not known to change anything"
            return None
        message = self._message(name, envs) or {"leaf": None}
        hidden = frozenset[str]().union(*(act.hidden for *_, act in acts))
        logins = tuple((act.order, act.names["known"]) for *_, act in acts if act.names["known"] and act.status < 400)
        orders = tuple(act.order for *_, act in acts)
        needs = all(one["user"] for one in plain) and user != {"leaf": "nobody"}
        return Form(
            name, self._joins[name], outcome, user, tuple(effects), message, len(acts), hidden, needs, orders, logins
        )

    def _outcome(self, acts: Sequence[Act], envs: Sequence[Env]) -> Spec | None:
        labels = [(act.status, bool(act.location)) for act in acts]

        def leaf(label: tuple[int, bool], chosen: Sequence[int]) -> Spec | None:
            status, leads = label
            if not leads:
                return {"status": status, "like": [acts[n].order for n in chosen]}
            examples = [Example(acts[n].location, envs[n]) for n in chosen]
            if len({one.text for one in examples}) == 1:
                return {"status": status, "location": ["text", examples[0].text]}
            if all(one.text == one.env.names["referer"] for one in examples):
                return {"status": status, "location": ["text", ["var", "referer"]]}
            location = piecewise(examples, [], 0) or by_atoms(examples)
            return None if location is None else {"status": status, "location": location}

        return branches(labels, envs, atoms_of(envs, labels), leaf)

    def _user(self, name: str, envs: Sequence[Env]) -> Spec | None:
        labels = []
        for (number, place, act), env in zip(self._acts[name], envs, strict=True):
            after = self._users[Moment(number, place + 1)]
            if after == env.names["user"] or (after and after == act.names["known"]):
                labels.append("known" if after and act.names["known"] else "stays")
            else:
                labels.append("nobody")
        if "nobody" in labels:  # whoever is nobody stays nobody
            labels = ["nobody" if one == "stays" and not env.names["user"] else one
                      for one, env in zip(labels, envs, strict=True)]  # fmt: skip
        return branches(labels, envs, atoms_of(envs, labels), lambda label, _: label)

    def _message(self, name: str, envs: Sequence[Env]) -> Spec | None:
        """What the next page says once."""
        said = {(one.episode, one.prior): one.change for one in self._found.messages}
        changes = [said.get((number, place + 1)) for number, place, _ in self._acts[name]]
        looked = [(number, place + 1) in self._found.compared for number, place, _ in self._acts[name]]
        chosen = [n for n, one in enumerate(looked) if one]
        labels = [changes[n].spot if changes[n] else None for n in chosen]  # type: ignore[union-attr]
        known = [envs[n] for n in chosen]

        def leaf(label: Any, members: Sequence[int]) -> Spec | None:
            if label is None:
                return {}
            found = [(changes[chosen[n]], known[n]) for n in members]
            examples = [Example(change.new or "", env) for change, env in found if change is not None]
            formula = piecewise(examples, [], 0)
            place, _, after = label
            return None if formula is None else {"place": list(place), "after": after, "new": formula}

        made = branches(labels, known, atoms_of(known, labels), leaf) if chosen else None
        outcome = self._outcomes[name]
        if made is None or outcome is None:
            return None
        return below(outcome, made, [self._names(name, *self._acts[name][n]) for n in chosen], {})

    def _simulated(self, views: Sequence[View], forms: Mapping[str, Form]) -> dict[tuple[Moment, str, str], Rows]:
        """The rows of each view at each moment; a view whose rows do not come out as seen is left open."""
        found: dict[tuple[Moment, str, str], Rows] = {}
        for view in views:
            for address in view.addresses():
                rows: Rows = ()
                for number, episode in enumerate(self._episodes):
                    if not (view.is_everybodys and number):
                        rows = view.start(address) or ()
                    rows = view.known.get((Moment(number, 0), address), rows)
                    found[Moment(number, 0), view.name, address] = rows
                    for place, act in enumerate(episode.acts):
                        form = forms.get(act.form)
                        for effect in form.effects if form else ():
                            if effect["view"] == view.name:
                                rows = self._after(view, effect, rows, (number, place, act), address)
                        seen = view.known.get((Moment(number, place + 1), address))
                        if seen is not None and seen != rows:
                            if form is not None and not self._looks_otherwise(view, number, place):
                                self._open[view.name] = f"{act.form} does not give what was seen after it"
                            rows = seen
                        found[Moment(number, place + 1), view.name, address] = rows
                found[Moment(-1, 0), view.name, address] = view.start(address) or ()
        return found

    def _after(self, view: View, effect: Spec, rows: Rows, done: tuple[int, int, Act], address: str) -> Rows:
        names = self._names(done[2].form, *done)
        everywhere = self._everywhere(view, done[0], done[1])
        if text_of(effect["page"], Env(names, nothing)) != address:
            return rows
        after = acting.all_acted(effect, view.derived, rows, names, done[2].groups, lambda _: everywhere)
        return rows if after is None else after

    def _is_followed(self, sight: Sight, forms: Collection[str]) -> bool:
        """Whether all that was done before a look is understood: what else it shows follows from nothing known."""
        return all(act.form in forms for act in self._episodes[sight.episode].acts[: sight.prior])

    def _shown(
        self, views: Sequence[View], rows: Mapping[tuple[Moment, str, str], Rows], forms: Collection[str]
    ) -> Iterator[Shown]:
        """Parts that state explains; of looks after what nobody understands, at least all the others."""
        for part in self._found.parts:
            known = {sight.address: sight.values for sight in part.sights if sight.episode < 0 and part.family}
            fresh = [sight for sight in part.sights if sight.episode < 0]
            acted = [sight for sight in part.sights if sight.episode >= 0]
            followed = [sight for sight in acted if self._is_followed(sight, forms)]
            said = {str(sight.values) for sight in followed if sight.prior}
            holes = None
            for later in (acted, followed) if len(followed) < len(acted) and len(said) >= _ENOUGH_SAID else (acted,):
                sights = [*fresh[:_MOST_FRESH], *later]
                holes = holes or explained(
                    part,
                    sights,
                    views,
                    [known.get(sight.address, {}) for sight in sights],
                    [self._rows_at(views, rows, sight) for sight in sights],
                    [self._users.get(Moment(sight.episode, sight.prior), "") for sight in sights],
                    self._marks,
                )
            if holes is None:
                self._open[part.name] = "something in it follows no known rule"
            else:
                yield Shown(part, holes, jinja(part.template) if part.template is not None else "")

    def _rows_at(
        self, views: Sequence[View], rows: Mapping[tuple[Moment, str, str], Rows], sight: Sight
    ) -> Callable[[str], Sequence[Row]]:
        places = {view.name: view.addresses() for view in views}

        def of(view: str) -> Sequence[Row]:
            address = places[view][0] if len(places[view]) == 1 else sight.address
            return rows.get((Moment(sight.episode, sight.prior), view, address), ())

        return of
