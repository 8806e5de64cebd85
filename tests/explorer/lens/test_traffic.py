from explorer.lens.traffic import LONG_MS, POLLS, Traffic


class Ticking:
    def __init__(self) -> None:
        self.at = 100.0

    def __call__(self) -> float:
        return self.at


def test_an_open_request_is_noise_until_it_ends():
    clock = Ticking()
    traffic = Traffic(clock)
    traffic.started("a")
    clock.at += 1
    assert traffic.quiet_for_ms() == 0
    traffic.ended("a")
    clock.at += 0.3
    assert round(traffic.quiet_for_ms()) == 300


def test_a_request_that_never_ends_stops_counting():
    clock = Ticking()
    traffic = Traffic(clock)
    traffic.started("long poll")
    clock.at += LONG_MS / 1000 - 0.1
    assert traffic.quiet_for_ms() == 0
    clock.at += 0.2
    assert traffic.quiet_for_ms() >= LONG_MS


def test_polling_stops_counting_but_another_address_counts():
    clock = Ticking()
    traffic = Traffic(clock)
    for number in range(POLLS + 5):
        traffic.started(number, polled="GET /news")
        traffic.ended(number)
        clock.at += 0.1
    assert traffic.quiet_for_ms() > 400
    traffic.started("other", polled="GET /list")
    assert traffic.quiet_for_ms() == 0


def test_the_end_of_an_unknown_request_changes_nothing():
    clock = Ticking()
    traffic = Traffic(clock)
    clock.at += 2
    traffic.ended("never seen")
    assert round(traffic.quiet_for_ms()) == 2000
