from artifacts.run import CaptureRequest
from explorer.crawl.safety import Judgement
from explorer.crawl.trial import TWO, Trial, Variant
from explorer.crawl.tried import CONTRAST, LONG_SEQUENCE, SEQUENCE, Tried


def trial(instance: str, variant: Variant = "ordinary", *, contrast: bool = False, behaviour: str = "add") -> Trial:
    return Trial(behaviour, variant, instance, Judgement("session", ""), "/p", (), True, contrast)


def key(one: Trial) -> tuple[str, str, str]:
    return (one.behaviour, one.variant, one.instance)


def tried(*ones: Trial, idle: bool = False) -> Tried:
    found = Tried(CaptureRequest(url="http://shop.example/", allow=("session",)))
    for one in ones:
        found.absorb(key(one), idle=idle, contrast=one.contrast)
    return found


def test_a_new_behaviour_comes_before_contrasts_and_these_before_following_links() -> None:
    known = tried(trial("a"))
    apart = trial("empty", "failing", contrast=True)
    follow = trial("/x", behaviour="follow link to x")
    values = [known.value(one) for one in (trial("b", behaviour="like"), trial("a", "failing"), apart, follow)]
    assert values == sorted(values, reverse=True) and values[2] == CONTRAST


def test_a_contrast_needs_a_success_and_is_made_once() -> None:
    apart = trial("empty", "failing", contrast=True)
    assert tried().value(apart) == 0 and tried(trial("a")).value(apart) > 0
    assert tried(trial("a"), apart).value(apart) == 0
    assert tried(trial("a"), idle=True).value(apart) > 0 == tried(trial("a"), trial("b"), idle=True).value(apart)


def test_the_first_contrasts_of_a_behaviour_are_worth_most_and_take_no_others_place() -> None:
    some = [trial(f"guard {number}", "failing", contrast=True) for number in range(9)]
    known = tried(trial("a"), *some[:4])
    follow = trial("/x", behaviour="follow link to x")
    assert 0 < known.value(some[4]) < known.value(follow) < known.value(trial("c", "failing"))
    assert known.value(trial("a2", "failing")) == tried(trial("a")).value(trial("a2", "failing"))


def test_two_of_a_kind_come_once_early_with_room_for_what_follows() -> None:
    both = trial(TWO, "other", contrast=True)._replace(then=(trial("b"), trial("a")))
    known = tried(trial("a"))
    other = both._replace(behaviour="like")
    assert known.value(both) > CONTRAST and known.limit(both) == LONG_SEQUENCE
    later = tried(trial("a"), trial("a", behaviour="like"), both)
    assert 0 < later.value(other) < CONTRAST
    assert (tried().limit(trial("a")), known.limit(trial("b"))) == (SEQUENCE, 2)
    assert known.limit(trial("empty", "failing", contrast=True)) == 1


def test_what_is_done_around_a_login_needs_both_done_before_and_may_take_some_steps() -> None:
    login = trial("ada x", behaviour="login form")
    around = trial("ada then add", "other", contrast=True, behaviour="login form")._replace(then=(trial("b"),))
    assert tried(login).value(around) == 0 < tried(login, trial("a")).value(around)
    known = tried(login, trial("a"))
    assert known.limit(around) == SEQUENCE
    assert known.value(around) > known.value(trial("empty", "failing", contrast=True, behaviour="login form"))


def test_what_was_taken_for_reading_is_known_for_what_it_is() -> None:
    known = tried()
    read = trial("a")._replace(judgement=Judgement("read", ""))
    assert known.as_it_is(read) == read
    assert known.escalate("add", "POST /cart/add") and not known.escalate("add", "POST /cart/add")
    assert known.as_it_is(read).judgement.safety == "session"
    assert not known.escalate("other", "POST /somewhere")


def test_who_logged_in_is_known_by_the_trial() -> None:
    known = tried(trial("ada {{password:user}}", behaviour="login form"))
    assert known.logged_in_as("ada") and not known.logged_in_as("bob")
