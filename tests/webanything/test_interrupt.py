import os
import signal

import pytest

from webanything.interrupt import ended_by_signal, stopping


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_asks_to_stop_and_the_second_stops(number: signal.Signals) -> None:
    said: list[str] = []
    before = signal.getsignal(number)
    with stopping(said.append) as stop:
        assert not stop()
        os.kill(os.getpid(), number)
        assert stop()
        assert len(said) == 1
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), number)
    assert signal.getsignal(number) is before


def test_a_server_ends_with_the_first_signal() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt), ended_by_signal():
        os.kill(os.getpid(), signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) is before
