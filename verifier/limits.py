"""What counts as close enough, in one place."""

from typing import NamedTuple

from artifacts.report import Metrics


class Limits(NamedTuple):
    """Shares of 1: those that decide the verdict, that make a state a finding, that an interaction must reach."""

    mean_ssim: float = 0.97
    mean_pixel: float = 0.98
    mean_text_f1: float = 0.98
    reproduced: float = 0.90

    state_ssim: float = 0.95
    state_pixel: float = 0.97
    state_text_f1: float = 0.97
    state_axtree_f1: float = 0.95

    after_ssim: float = 0.90
    after_text_f1: float = 0.90
    change_f1: float = 0.80
    """Of the words that an action makes come and go."""
    missed_looks: float = 0.05
    """Subjects that may go unjudged because the verifier's own look failed."""
    noise_slack: float = 0.005
    """How much worse than the site compared with itself still counts as noise."""


LIMITS = Limits()


def within_noise(metrics: Metrics, noise: Metrics | None) -> bool:
    """Whether the site compared with itself is hardly closer than this. Without a second look nothing is noise.

    >>> close = Metrics(ssim=0.9, pixel=0.99, text_f1=0.97, axtree_f1=1)
    >>> within_noise(close, close), within_noise(close, None)
    (True, False)
    >>> within_noise(close.replaced(text_f1=0.5), close)
    False
    """
    if noise is None:
        return False
    pairs = zip(_values(metrics), _values(noise), strict=True)
    return all(value >= floor - LIMITS.noise_slack for value, floor in pairs)


def telling(metrics: Metrics, noise: Metrics | None) -> tuple[tuple[str, float, float], ...]:
    """Each metric of a state that is too low to pass unmentioned: its name, the least and the value.

    None is, where the site compared with itself is hardly closer.
    """
    if within_noise(metrics, noise):
        return ()
    least = (LIMITS.state_ssim, LIMITS.state_pixel, LIMITS.state_text_f1, LIMITS.state_axtree_f1)
    named = zip(NAMES, least, _values(metrics), strict=True)
    return tuple((name, floor, value) for name, floor, value in named if value < floor)


NAMES = ("ssim", "pixel", "text_f1", "axtree_f1")


def _values(metrics: Metrics) -> tuple[float, float, float, float]:
    return metrics.ssim, metrics.pixel, metrics.text_f1, metrics.axtree_f1
