"""What was tried of each behaviour, and what one more trial of it would be worth. Pure."""

from collections import Counter

from artifacts.run import CaptureRequest
from explorer.crawl import plan
from explorer.crawl.trial import TWO, Trial, is_twice

TRIALS = {"ordinary": 1, "other": 2, "failing": 2}
"""How many trials of each variant one behaviour gets before it counts as understood."""
TWICE = 20
"""Value of doing twice in a row what was done once."""
ANOTHER = 6
"""Value of one more instance of a behaviour that is understood; each one tried makes the next worth less."""
CONTRAST = 46.0
"""Value of what sets one thing apart in a behaviour that changes something: after every other kind of example."""
_TELLING = 3
"""Contrasts of one behaviour worth that much; further ones wait until links were followed too."""
_LATER = 28.0
_BOTH = 47.0
"""Value of doing a thing to two things and to one of them again, once; of the same for further behaviours, `_LATER`."""
SEQUENCE = 6
"""Steps of the first trial of a behaviour that may change something; later trials look at one page more."""
LONG_SEQUENCE = 12
"""Steps of a trial with two of a kind: two rows, their changes, and what values do to the one that is left."""


class Tried:
    """Counts of everything tried so far."""

    def __init__(self, request: CaptureRequest) -> None:
        self._request = request
        self._counts: Counter[tuple[str, str]] = Counter()
        self._instances: set[tuple[str, str, str]] = set()
        self._idle: Counter[str] = Counter()
        self._contrasts: Counter[str] = Counter()
        self._escalated: dict[str, str] = {}
        """Behaviours that were taken for reading -> what they would have sent."""
        self._long = 0

    def absorb(self, key: tuple[str, str, str], *, idle: bool, contrast: bool) -> None:
        """A behaviour, variant and instance was tried, with no effect at all if `idle`."""
        behaviour, variant, _ = key
        self._instances.add(key)
        if contrast:
            self._contrasts[behaviour] += 1
            self._long += key[2] == TWO
            return
        self._counts[behaviour, variant] += 1
        self._idle[behaviour] += idle

    def escalate(self, behaviour: str, refused: str) -> bool:
        """It would have sent `refused`, METHOD ADDRESS. True if that is allowed, and so to be tried again."""
        if behaviour in self._escalated:
            return False
        self._escalated[behaviour] = refused
        return plan.judgement_of(behaviour, refused).safety in self._request.allow

    def as_it_is(self, trial: Trial) -> Trial:
        """The trial, judged by what its like would have sent if that is known."""
        refused = self._escalated.get(trial.name, "")
        return plan.escalated(trial, refused) if refused and trial.judgement.safety == "read" else trial

    def logged_in_as(self, user: str) -> bool:
        return any(
            name.startswith("login ") and instance.startswith(f"{user} ") for name, _, instance in self._instances
        )

    def is_first(self, trial: Trial) -> bool:
        return not any(self._counts[trial.name, variant] for variant in TRIALS)

    def limit(self, trial: Trial) -> int:
        """Steps it may take together with the looks at its effect."""
        if trial.instance == TWO:
            return LONG_SEQUENCE
        if trial.contrast and not trial.then:
            return 1
        return SEQUENCE if trial.then or self.is_first(trial) else 2

    def value(self, trial: Trial) -> float:
        """What trying it would be worth; 0 for nothing."""
        behaviour, variant = trial.name, trial.variant
        if (behaviour, variant, trial.instance) in self._instances or self._idle[behaviour] >= 2:
            return 0
        if trial.contrast:
            return self._contrast_value(trial)
        if behaviour.startswith("follow"):
            return 0 if self._counts[behaviour, "ordinary"] else 30
        tried = self._counts[behaviour, variant]
        if tried >= TRIALS[variant] + (1 if trial.probes and variant == "ordinary" else 0):
            return ANOTHER - tried if variant == "ordinary" else 0
        first = self.is_first(trial)
        if is_twice(trial):  # what one click does is known by then, and leads nowhere else
            return 0 if first or self._idle[behaviour] else TWICE
        base = {"ordinary": 80 if first else 50, "failing": 55, "other": 48}[variant]
        return base + (6 if trial.probes else 0) - 8 * tried

    def _contrast_value(self, trial: Trial) -> float:
        """A contrast needs something to be held against: each of its parts by itself."""
        if not all(self._counts[part.name, "ordinary"] for part in (trial, *trial.then)):
            return 0
        if trial.instance == TWO:
            return _LATER if self._long else _BOTH
        number = self._contrasts[trial.name]
        before_its_like = 1 if trial.then else 0  # whose something is decides more than what a guard says
        return (CONTRAST if number < _TELLING else _LATER) + before_its_like - number / 2
