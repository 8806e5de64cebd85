import hypothesis
import hypothesis.strategies as st
import pytest

from environments.runtime.clock import Clock, format_instant, parse_instant


def test_it_runs_on_from_its_start_and_can_be_moved_and_stopped() -> None:
    ticks = iter([100.0, 103.5, 200.0, 201.0])
    clock = Clock(1000.0, tick=lambda: next(ticks))
    assert clock.now() == 1003.5
    clock.set(50.0)
    assert clock.now() == 51.0


def test_a_stopped_clock_stands_still() -> None:
    ticks = iter([0.0, 1.0, 99.0])
    clock = Clock(0.0, tick=lambda: next(ticks))
    clock.set(7.0, running=False)
    assert (clock.now(), clock.running) == (7.0, False)


@hypothesis.given(st.integers(0, 4_000_000_000_000).map(lambda ms: ms / 1000))
def test_what_is_written_can_be_read(instant: float) -> None:
    assert parse_instant(format_instant(instant)) == pytest.approx(instant, abs=0.001)


def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="isoformat"):
        parse_instant("tomorrow")
