"""The time of an op split by what it did: parts that sum, exact ones and sampled ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dyno.analysis.profiles import LatencyTrial, compare_latency
from dyno.analysis.profiles.latency import BLOCKED, CLIENT, CPU, RUN_QUEUE

LOCKS = "waiting for row locks"
BLOCKS = 8


def trial(block: int, *, ops: int = 100_000, cpu_s: float = 40.0, **states: int) -> LatencyTrial:
    return LatencyTrial(
        block=block,
        ops=ops,
        threads=16,
        seconds=20.0,
        cpu_s=cpu_s,
        run_queue_s=8.0,
        states={CLIENT: 3000, LOCKS: 1000} | states,
    )


def arms(seed: int = 81) -> tuple[list[LatencyTrial], list[LatencyTrial]]:
    """The arm's ops take longer: more CPU time, and more of what is left in row locks."""
    rng = np.random.default_rng(seed)

    def drawn(block: int, *, ops: float, cpu_s: float, locked: float) -> LatencyTrial:
        noise = np.exp(0.01 * rng.standard_normal())
        seen = int(rng.binomial(4000, locked))
        base = trial(block, ops=round(ops * noise), cpu_s=cpu_s)
        return replace(base, states={CLIENT: 4000 - seen, LOCKS: seen})

    arm = [drawn(b, ops=80_000, cpu_s=44.0, locked=0.45) for b in range(BLOCKS)]
    return arm, [drawn(b, ops=100_000, cpu_s=40.0, locked=0.25) for b in range(BLOCKS)]


def test_the_parts_sum_to_the_time_from_op_to_op() -> None:
    arm, baseline = arms()
    found = compare_latency(arm, baseline, names=("B", "A"))
    assert [part.name for part in found.parts] == [CPU, RUN_QUEUE, LOCKS, CLIENT]
    assert sum(p.us.value for p in found.parts) == pytest.approx(found.total.value, abs=1e-9)
    apart = np.mean([a.us_per_op - b.us_per_op for a, b in zip(arm, baseline, strict=True)])
    assert found.total.value == pytest.approx(apart, abs=1e-9)
    assert sum(part.baseline_us for part in found.parts) == pytest.approx(found.baseline_us)


def test_what_became_longer_is_found() -> None:
    arm, baseline = arms()
    parts = {p.name: p for p in compare_latency(arm, baseline, names=("B", "A")).parts}
    # 44 s of CPU for 80,000 ops against 40 s for 100,000.
    assert parts[CPU].us.value == pytest.approx(150, rel=0.05)
    assert parts[CPU].exact
    locks = (320 - 44 - 8) * 0.45 / 0.08 - (320 - 40 - 8) * 0.25 / 0.1
    assert parts[LOCKS].us.value == pytest.approx(locks, rel=0.1)
    assert not parts[LOCKS].exact
    assert parts[LOCKS].p < 0.001


def test_equal_arms_differ_in_few_sessions() -> None:
    seen = []
    for seed in range(100):
        _, one = arms(seed)
        _, other = arms(seed + 1000)
        parts = compare_latency(one, other, names=("B", "A")).parts
        seen.append(any(part.p <= 0.05 for part in parts))
    assert np.mean(seen) <= 0.1


def test_without_samples_all_that_is_left_is_one_part() -> None:
    arm, baseline = arms()
    bare = [replace(t, states={}) for t in baseline]
    found = compare_latency(arm, bare, names=("B", "A"))
    assert [(part.name, part.exact) for part in found.parts] == [
        (CPU, True),
        (RUN_QUEUE, True),
        (BLOCKED, True),
    ]
    assert sum(p.us.value for p in found.parts) == pytest.approx(found.total.value, abs=1e-9)


def test_a_trial_without_samples_is_split_as_the_others_of_its_arm() -> None:
    arm, baseline = arms()
    bare = [replace(baseline[0], states={}), *baseline[1:]]
    whole = {p.name: p for p in compare_latency(arm, baseline, names=("B", "A")).parts}
    found = {p.name: p for p in compare_latency(arm, bare, names=("B", "A")).parts}
    assert found.keys() == whole.keys()
    for name, part in found.items():
        assert part.us.value == pytest.approx(whole[name].us.value, rel=0.1, abs=10), name


def test_accounts_that_exceed_the_time_there_was_are_refused() -> None:
    arm, baseline = arms()
    wrong = [replace(arm[0], cpu_s=400.0), *arm[1:]]
    with pytest.raises(ValueError, match=r"block 0: 16 threads in 20 s can't have 400 s of CPU"):
        compare_latency(wrong, baseline, names=("B", "A"))
    assert not wrong[0].is_possible
    # A little more is two clocks that aren't read at once.
    assert replace(arm[0], cpu_s=313.0).left_us == 0.0


@pytest.mark.parametrize(
    ("first", "words"),
    [
        (trial(1), "block 1 has two trials"),
        (trial(0, ops=0), "block 0: no time per op of 0 ops"),
    ],
)
def test_impossible_trials_are_refused(first: LatencyTrial, words: str) -> None:
    arm, baseline = arms()
    with pytest.raises(ValueError, match=words):
        compare_latency([first, *arm[1:]], baseline, names=("B", "A"))


def test_two_blocks_are_too_few() -> None:
    arm, baseline = arms()
    with pytest.raises(ValueError, match="3 blocks of both arms, not 2"):
        compare_latency(arm[:2], baseline, names=("B", "A"))
