"""Comparisons of profiles in words: sentences whose figures sum, and what must be known first."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyno.analysis.profiles.latency import CPU, RUN_QUEUE
from dyno.analysis.profiles.model import (
    ArmProfile,
    Inlined,
    LatencyPart,
    LatencySplit,
    ProfileComparison,
    ProfileRow,
    Renamed,
    RowKind,
)
from dyno.analysis.profiles.words import factor_words, latency_sentence, sentences, summing
from dyno.spec.changed import changed
from dyno.stats import Estimate


def row(
    label: str, value: float, low: float, high: float, kind: RowKind = "function"
) -> ProfileRow:
    points = Estimate(value, (low, high))
    return ProfileRow(kind=kind, label=label, points=points, baseline_points=5.0)


def arm(name: str, unresolved_pct: float = 1.0) -> ArmProfile:
    return ArmProfile(
        arm=name, samples=28000, unresolved_pct=unresolved_pct, unwound_pct=99.0, cpu_us_per_op=50.0
    )


FOUND = ProfileComparison(
    arm=arm("B"),
    baseline=arm("A"),
    blocks=list(range(8)),
    total=Estimate(3.7, (3.1, 4.3)),
    classes=[row("the server", 3.4, 2.9, 3.9, "class"), row("the kernel", 0.3, 0.1, 0.5, "class")],
    brief=[
        row("btr_cur_search", 2.04, 1.4, 2.6),
        row("page_cur", 0.96, 0.7, 1.3),
        row("the rest of InnoDB", 0.46, 0.2, 0.7, "rest"),
        row("kernel (futex)", 0.2, 0.1, 0.3),
        row("all else", 0.04, -0.3, 0.3, "all else"),
    ],
    tested=148,
)


def test_the_sentence_that_splits_a_difference() -> None:
    assert list(sentences(FOUND)) == [
        "B takes 3.7 points more CPU per op than A (3.1 to 4.3; 8 blocks). Of these: "
        "btr_cur_search 2.0 (1.4 to 2.6), page_cur 1.0 (0.7 to 1.3), the rest of InnoDB 0.5 "
        "(0.2 to 0.7), kernel (futex) 0.2 (0.1 to 0.3), all else 0.0 (−0.3 to 0.3)."
    ]


def test_less_has_its_own_direction_and_rows_keep_their_signs() -> None:
    rows = [row("memcpy", -2.0, -2.4, -1.6), row("all else", 0.5, 0.1, 0.9, "all else")]
    less = changed(FOUND, total=Estimate(-1.5, (-1.9, -1.1)), brief=rows)
    assert list(sentences(less)) == [
        "B takes 1.5 points less CPU per op than A (1.1 to 1.9; 8 blocks). By part, less below 0: "
        "memcpy −2.0 (−2.4 to −1.6), all else 0.5 (0.1 to 0.9)."
    ]


def test_no_difference_and_nothing_listed() -> None:
    rest = [row("all else", 0.2, -0.4, 0.8, "all else")]
    none = changed(FOUND, total=Estimate(0.2, (-0.4, 0.8)), brief=rest)
    assert list(sentences(none)) == [
        "B and A don't differ in CPU per op (0.2 points, −0.4 to 0.8; 8 blocks). None of 148 "
        "functions and groups differs by itself; for a function that takes 1 %, 0.4 points would "
        "mostly be found."
    ]


def test_what_all_functions_share_is_said_first() -> None:
    rows = [
        row("all functions", 3.0, 1.2, 4.8, "common"),
        row("all else", 0.7, 0.1, 1.3, "all else"),
    ]
    shared = changed(FOUND, factor=Estimate(1.03, (1.012, 1.048)), rows=rows, brief=rows)
    first, second = sentences(shared)
    assert first == (
        "All functions are 3.0 % dearer (1.2 to 4.8 %); differences of single functions come on "
        "top."
    )
    assert second.endswith("Of these: all functions 3.0 (1.2 to 4.8), all else 0.7 (0.1 to 1.3).")


def test_a_factor_below_1_is_cheaper() -> None:
    words = factor_words(Estimate(0.95, (0.93, 0.97)))
    assert words == "all functions are 5.0 % cheaper (3.0 to 7.0 %)"


def test_many_unresolved_samples_are_said_in_the_first_line() -> None:
    first, _ = sentences(changed(FOUND, arm=arm("B", 12.0), baseline=arm("A", 11.0)))
    assert first == (
        "12 % of B's samples and 11 % of A's are in code without symbols, so in no known function."
    )


def test_only_objects_are_split_by_class() -> None:
    reason = "20 % of B's samples have no symbol, and 1 % of A's"
    first, second, third = sentences(
        changed(FOUND, arm=arm("B", 20.0), objects_only=reason, brief=[])
    )
    assert first.startswith("20 % of B's samples")
    assert second == f"Only objects are compared, not functions: {reason}."
    assert third.endswith("Of these: the server 3.4 (2.9 to 3.9), the kernel 0.3 (0.1 to 0.5).")


def test_without_callers_functions_stand_for_themselves() -> None:
    reason = "20 % of B's samples have callers, and 99 % of A's"
    first, _ = sentences(changed(FOUND, own_only=reason))
    assert first.startswith("Functions are compared by what they take themselves")
    assert reason in first


@pytest.mark.parametrize(
    ("into", "words"),
    [
        (True, "Moved: B has rec_offs inside rec_copy, A has them apart; "),
        (False, "Moved: A has rec_offs inside rec_copy, B has them apart; "),
    ],
)
def test_functions_that_were_put_together_are_named(into: bool, words: str) -> None:
    zero = Estimate(0.0, (-0.3, 0.3))
    pair = Renamed(module="InnoDB", baseline_name="buf_get", arm_name="buf_fetch", points=zero)
    move = Inlined(functions=["rec_offs"], callers=["rec_copy"], into=into, points=zero)
    _, renamed, moved = sentences(changed(FOUND, renamed=[pair], inlined=[move]))
    assert renamed.startswith("Renamed? buf_get is only in A, buf_fetch only in B: ")
    assert moved.startswith(words)


def part(name: str, us: float, low: float, high: float) -> LatencyPart:
    interval = Estimate(us, (low, high))
    return LatencyPart(name=name, exact=False, us=interval, baseline_us=100.0, p=0.01)


def test_the_sentence_that_splits_a_latency() -> None:
    split = LatencySplit(
        arm="B",
        baseline="A",
        blocks=list(range(8)),
        total=Estimate(1400, (1200, 1600)),
        baseline_us=5000,
        parts=[
            part(CPU, 510, 450, 570),
            part(RUN_QUEUE, 90, 10, 170),
            part("waiting for row locks", 800, 660, 940),
        ],
    )
    assert latency_sentence(split) == (
        "Of +1.4 ms per op on B against A (1.2 to 1.6; 8 blocks): 0.5 CPU (0.5 to 0.6), 0.8 "
        "waiting for row locks (0.7 to 0.9), 0.1 waiting for a CPU (0.0 to 0.2)."
    )


@given(st.lists(st.floats(-1000, 1000), min_size=1, max_size=40))
def test_rounded_figures_sum_and_are_near(values: list[float]) -> None:
    total, *rounded = summing(values, 1, total=sum(values))
    assert sum(rounded) == pytest.approx(total, abs=1e-6)
    assert all(abs(a - b) <= 0.1 + 1e-9 for a, b in zip(values, rounded, strict=True))
