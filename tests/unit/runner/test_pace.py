"""What is left of the budget, and the time to go, on a clock that the test sets."""

from __future__ import annotations

from dyno.runner.pace import Pace


class Clock:
    """Seconds, moved by hand."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


def run_block(pace: Pace, clock: Clock, *, trials: int, trial_s: float, rest_s: float = 0) -> None:
    pace.begin_block()
    for _ in range(trials):
        clock.now_s += trial_s
        pace.trial_done()
    clock.now_s += rest_s
    pace.end_block()


def test_the_first_block_always_fits() -> None:
    assert Pace(budget_s=1.0, clock_s=Clock()).fits(1000)


def test_a_block_fits_as_long_as_its_trials_will_end_in_time() -> None:
    clock = Clock()
    pace = Pace(budget_s=100.0, clock_s=clock)
    run_block(pace, clock, trials=4, trial_s=10.0)
    assert pace.fits(4)
    assert pace.fits(6)
    assert not pace.fits(7)


def test_a_blocks_starts_and_stops_belong_to_its_trials() -> None:
    clock = Clock()
    pace = Pace(budget_s=100.0, clock_s=clock)
    run_block(pace, clock, trials=4, trial_s=10.0, rest_s=20.0)
    assert pace.eta_s(2) == 30.0


def test_the_rest_of_a_broken_off_block_costs_only_its_trials() -> None:
    clock = Clock()
    pace = Pace(budget_s=100.0, before_s=70.0, clock_s=clock)
    run_block(pace, clock, trials=1, trial_s=10.0)
    assert pace.elapsed_s() == 80.0
    assert pace.fits(2)
    assert not pace.fits(3)


def test_preparation_is_not_measured() -> None:
    clock = Clock()
    pace = Pace(budget_s=100.0, clock_s=clock)
    clock.now_s += 500
    pace.begin()
    clock.now_s += 5
    assert pace.elapsed_s() == 5.0


def test_the_time_to_go_is_known_after_the_first_trial_and_bounded_by_the_budget() -> None:
    clock = Clock()
    pace = Pace(budget_s=50.0, clock_s=clock)
    pace.begin_block()
    assert pace.eta_s(3) is None
    clock.now_s += 10
    pace.trial_done()
    assert pace.eta_s(3) == 30.0
    assert pace.eta_s(300) == 40.0
    clock.now_s += 100
    assert pace.eta_s(3) == 0.0


def test_a_block_without_trials_teaches_nothing() -> None:
    clock = Clock()
    pace = Pace(budget_s=50.0, clock_s=clock)
    run_block(pace, clock, trials=0, trial_s=0.0)
    assert pace.eta_s(1) is None
