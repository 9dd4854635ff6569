"""Slices as figures: they are compared side by side, and n counts blocks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from load_runs import OP, at_rate, load_run, plan
from spec_samples import LOAD

from dyno.analysis import find
from dyno.analysis.model import Findings
from dyno.spec.plan import Plan
from dyno.store.trial import Trial

pytestmark = pytest.mark.slow

SLICES, BLOCKS = 5, 8
SLICED = LOAD.replace("[protocol]", f"[protocol]\nslices = {SLICES}\ncontrol = false")
ONE_LEVEL = SLICED.replace("connections = [1, 8, 64]", "connections = [8]")
STEADY = at_rate(lambda arm, point: 1000.0 if arm == "a" else 800.0)


def with_hiccups(arm: str, point: int, block: int) -> list[int]:
    """The second slice of b in each block does half of what the others do."""
    seen[arm, point, block] += 1
    ended = STEADY(arm, point, 10 * block + seen[arm, point, block])
    return [n // 2 for n in ended] if (arm, seen[arm, point, block]) == ("b", 2) else ended


seen: Counter[tuple[str, int, int]] = Counter()


def run(path: Path, made: Plan, change: Callable[[Trial], Trial] = lambda trial: trial) -> Findings:
    seen.clear()
    return find(load_run(path, with_hiccups, blocks=BLOCKS, plan=made, change=change))


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Findings:
    return run(tmp_path_factory.mktemp("sliced"), plan(SLICED))


def test_n_counts_blocks_and_one_slice_decides_nothing(found: Findings) -> None:
    assert found.run.trials_ok == 2 * 3 * SLICES * BLOCKS
    throughputs = [f for f in found.figures if f.metric == "throughput"]
    assert {f.n for f in throughputs} == {BLOCKS}
    for compared in (c for c in found.compared if c.metric == "throughput"):
        assert compared.n == BLOCKS
        assert compared.ratio is not None
        assert compared.ratio.value == pytest.approx(0.8, rel=0.01)


# Of a's slices two of five are slow, of b's three, as where the kernel chooses the CPUs.
HALVES = {"a": {4, 5}, "b": {1, 2, 4}}


def fast_or_slow(arm: str, point: int, block: int) -> list[int]:
    seen[arm, point, block] += 1
    at = seen[arm, point, block]
    return [n // (1 + (at in HALVES[arm])) for n in at_rate(lambda *_: 1000.0)(arm, point, block)]


def test_slices_are_compared_side_by_side(tmp_path: Path) -> None:
    """The medians of equal arms are a whole step apart here; most pairs of slices aren't."""
    seen.clear()
    found = find(load_run(tmp_path, fast_or_slow, blocks=BLOCKS, plan=plan(ONE_LEVEL)))
    medians = {f.arm: f.median.value for f in found.figures if f.metric == "throughput"}
    assert medians["b"] / medians["a"] == pytest.approx(0.5, rel=0.01)
    (compared,) = (c for c in found.compared if c.metric == "throughput")
    assert compared.ratio is not None
    assert compared.ratio.value == pytest.approx(1.0, rel=0.01)


def test_slices_without_a_partner_are_left_out(tmp_path: Path) -> None:
    """Both arms get twice as fast from slice to slice. Each lost another one: paired by their
    order, the slices between would be one apart.
    """
    made = plan(ONE_LEVEL)
    lost = {"a": 1, "b": 3}

    def doubling(arm: str, point: int, block: int) -> list[int]:
        seen[arm, point, block] += 1
        times = 2 ** seen[arm, point, block]
        return [n * times for n in at_rate(lambda *_: 100.0)(arm, point, block)]

    def some_void(trial: Trial) -> Trial:
        is_lost = made.slice_at(trial.position) == lost[trial.arm]
        return trial.model_copy(update={"void": "too busy"}) if is_lost else trial

    seen.clear()
    found = find(load_run(tmp_path, doubling, blocks=BLOCKS, plan=made, change=some_void))
    (compared,) = (c for c in found.compared if c.metric == "throughput")
    assert compared.ratio is not None
    assert compared.ratio.value == pytest.approx(1.0, rel=0.01)


def test_the_spread_knows_what_slices_leave(found: Findings) -> None:
    spreads = [c.spread for c in found.compared if c.metric == "throughput" and c.primary]
    assert spreads
    for spread in spreads:
        assert spread is not None
        assert spread.within is not None
        assert "trials of" not in spread.says


def test_another_number_of_slices_is_proposed(tmp_path: Path) -> None:
    noisy = at_rate(lambda arm, point: 1000.0, noise=0.1)
    number = count()
    # A warm-up that takes far longer than the slices after it.
    text = ONE_LEVEL.replace("[protocol]", "[protocol]\ntarget = 0.03").replace('"5s"', '"300s"')
    made = plan(text)
    folder = load_run(
        tmp_path,
        lambda arm, point, _: noisy(arm, point, next(number)),
        blocks=BLOCKS,
        plan=made,
        change=lambda trial: trial.model_copy(update={"duration_s": 1.3}),
    )
    spreads = [c.spread for c in find(folder).compared if c.metric == "throughput" and c.primary]
    says = [spread.says for spread in spreads if spread and "slices" in spread.says]
    assert says, spreads
    for words in says:
        assert re.fullmatch(
            r"About \d+ blocks of \d+ slices would bring it to ±3\.0 %, in \d+% of the time that "
            f"blocks of {SLICES} slices need\\.",
            words,
        ), words


def test_slices_are_drawn_as_one_line_a_block(found: Findings) -> None:
    assert len(found.series) == 2 * 3 * BLOCKS
    for line in found.series:
        assert len(line.t_s) == len(line.ops_per_s) == len(line.p95_ms) == 20 * SLICES
        assert line.t_s == sorted(line.t_s)
        assert line.t_s[-1] == 20 * SLICES


def test_a_figure_that_a_slice_lacks_is_absent(tmp_path: Path) -> None:
    """The others are those that were fast enough to have it."""
    made = plan(ONE_LEVEL)

    def few(trial: Trial) -> Trial:
        if made.slice_at(trial.position) != 3 or trial.block != 2 or trial.summary is None:
            return trial
        phase = trial.summary.phases[0]
        ops = [op.model_copy(update={"count": 300}) for op in phase.ops]
        changed = phase.model_copy(update={"ops": ops})
        summary = trial.summary.model_copy(update={"phases": [changed]})
        return trial.model_copy(update={"summary": summary})

    found = run(tmp_path, made, change=few)
    by_metric = {f.metric: f for f in found.figures if (f.arm, f.point, f.op) == ("a", 0, OP)}
    assert by_metric["p50"].n == BLOCKS
    assert by_metric["p99"].n == BLOCKS - 1
    assert 2 not in {value.block for value in by_metric["p99"].blocks}
