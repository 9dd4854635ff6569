"""How a search goes on, against attempts that are written down: no server is asked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyno.runner.tasks.bisect import SearchEndedError, Trying, search
from dyno.runner.tasks.done import Done
from dyno.spec.least import Least
from dyno.store.trial import Attempt

LOW, HIGH = 65_536, 67_108_864
FULL = (1799, "Creating index 'c_2' required more bytes")


def least(low: int = LOW, high: int = HIGH, within: float = 0.25) -> Least:
    keys = {"variable": "log_max_size", "from": low, "to": high, "within": within}
    return Least.model_validate(keys)


def failed(value: int) -> Attempt:
    code, message = FULL
    return Attempt(value=value, outcome="failed", elapsed_s=1.5, code=code, message=message)


def from_on(border: int) -> Trying:
    """It does from `border` on."""

    def attempt(value: int) -> Attempt:
        if value < border:
            return failed(value)
        return Attempt(value=value, outcome="ok", elapsed_s=1.0)

    return attempt


def values(attempts: list[Attempt]) -> list[int]:
    return [tried.value for tried in attempts]


@given(
    low=st.integers(1, 10_000),
    times=st.floats(1.001, 100_000),
    share=st.floats(0, 1),
    within=st.floats(0.01, 1),
)
def test_a_border_is_found_within_what_is_asked(
    low: int, times: float, share: float, within: float
) -> None:
    high = low + max(round(low * (times - 1)), 1)
    border = low + 1 + round((high - low - 1) * share)
    asked = least(low, high, within)
    found = search(asked, from_on(border))
    assert found.done.outcome == "ok"
    assert found.least is not None
    assert found.least >= border
    below = max(tried.value for tried in found.attempts if tried.outcome == "failed")
    assert below < border
    # Whole numbers may leave nothing to try between them.
    assert found.least <= below * (1 + within) or found.least == below + 1
    assert values(found.attempts)[:2] == [high, low]
    assert len(set(values(found.attempts))) == len(found.attempts) <= asked.attempts + 1


def test_sizes_are_bisected_by_their_logarithm() -> None:
    found = search(least(), from_on(900_000))
    assert values(found.attempts)[:4] == [HIGH, LOW, 2_097_152, 370_728]
    assert found.least is not None
    assert 900_000 <= found.least <= 1_125_000
    assert len(found.attempts) == least().attempts == 7
    assert found.done.elapsed_s >= 0


def test_what_never_fails_gives_only_a_bound() -> None:
    found = search(least(), from_on(1))
    assert (found.done.outcome, found.least) == ("ok", LOW)
    assert [tried.outcome for tried in found.attempts] == ["ok", "ok"]


def test_what_always_fails_is_reported_with_the_servers_error() -> None:
    found = search(least(), from_on(HIGH + 1))
    assert (found.done.outcome, found.done.code, found.done.message) == ("failed", *FULL)
    assert (values(found.attempts), found.least) == ([HIGH], None)


def test_a_timeout_ends_it_with_what_was_tried() -> None:
    def attempt(value: int) -> Attempt:
        if value in (HIGH, LOW):
            return from_on(900_000)(value)
        return Attempt(value=value, outcome="timeout", elapsed_s=9.0, message="killed after 9.0 s")

    found = search(least(), attempt)
    assert (found.done.outcome, found.done.message) == ("timeout", "killed after 9.0 s")
    assert [tried.outcome for tried in found.attempts] == ["ok", "failed", "timeout"]
    assert found.least is None


@pytest.mark.parametrize("undone", [True, False])
def test_an_error_that_tells_nothing_of_a_value_ends_it(*, undone: bool) -> None:
    def attempt(value: int) -> Attempt:
        if value == HIGH:
            return from_on(1)(value)
        last = from_on(1)(value) if undone else None
        raise SearchEndedError(Done("failed", 0.0, 0.0, 1091, "undo: there is no c_2"), last)

    found = search(least(), attempt)
    assert (found.done.outcome, found.done.code, found.least) == ("failed", 1091, None)
    assert values(found.attempts) == ([HIGH, LOW] if undone else [HIGH])


def test_a_server_that_rounds_is_asked_no_value_twice() -> None:
    tried: set[int] = set()

    def attempt(value: int) -> Attempt | None:
        rounded = max(value // 1_048_576, 1) * 1_048_576
        if rounded in tried:
            return None
        tried.add(rounded)
        return from_on(5_000_000)(rounded)

    found = search(least(1_048_576, 8_388_608, within=0.01), attempt)
    assert found.least == 5_242_880
    assert sorted(values(found.attempts)) == sorted(tried)
