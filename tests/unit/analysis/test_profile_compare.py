"""Two arms' profiles compared: rows that sum, functions that are found, renamed or moved."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from profile_models import (
    BASELINE,
    CALLER,
    DEARER,
    INLINED,
    NEW,
    RENAMED,
    SAMPLES,
    Arms,
    dearer,
    name_of,
    profiled,
    rebuilt,
    stack_of,
)

from dyno.analysis.profiles import ProfileComparison, ProfiledTrial, compare
from dyno.analysis.profiles.model import ProfileRow
from dyno.store.stacks import Frame

pytestmark = pytest.mark.slow

SESSIONS = 12


def compared(arms: Arms) -> ProfileComparison:
    return compare(arms.arm, arms.baseline, names=("B", "A"))


def sessions(costs: np.ndarray, *, seed: int, samples: int = SAMPLES) -> list[ProfileComparison]:
    rng = np.random.default_rng(seed)
    return [compared(profiled(rng, costs, samples=samples)) for _ in range(SESSIONS)]


def labels(rows: list[ProfileRow]) -> set[str]:
    return {row.label for row in rows}


def assert_sums(found: ProfileComparison) -> None:
    for rows in (found.rows, found.brief, found.classes):
        assert sum(row.points.value for row in rows) == pytest.approx(found.total.value, abs=1e-9)


def test_dearer_functions_are_listed_and_all_rows_sum() -> None:
    found_all = sessions(dearer(), seed=71)
    for found in found_all:
        assert_sums(found)
        assert found.rows[-1].kind == "all else"
        assert 100 < found.tested < 200
        assert found.objects_only is None
        assert not found.inlined
    for planted, least in ((DEARER[0], 10), (DEARER[1], 11)):
        assert sum(name_of(planted) in labels(found.rows) for found in found_all) >= least


def test_equal_arms_list_nothing_but_all_else() -> None:
    listed = [labels(found.rows) for found in sessions(BASELINE, seed=72)]
    assert all(rows <= {"all functions", "all else"} for rows in listed)
    assert sum("all functions" in rows for rows in listed) <= 2


def test_a_renamed_function_is_one_row_that_covers_0() -> None:
    good = 0
    for found in sessions(rebuilt(BASELINE), seed=73):
        pairs = [(pair.baseline_name, pair.arm_name) for pair in found.renamed]
        if pairs == [(name_of(RENAMED), name_of(NEW))]:
            low, high = found.renamed[0].points.bounds
            good += low <= 0 <= high
            assert not labels(found.rows) & {name_of(RENAMED), name_of(NEW)}
        assert_sums(found)
    # Its interval covers 0 in 95 % of sessions, and otherwise the two aren't put together.
    assert good >= 10


def test_a_function_that_only_calls_in_one_arm_was_not_renamed() -> None:
    """`execute` has samples of its own in B only, but all of A's stacks go through it."""
    execute, command, parse = (
        Frame("mariadbd", name) for name in ("execute", "do_command", "parse")
    )
    plain = {(command, execute, command, parse): 500, (command, execute, stack_of(3)[-1]): 500}
    alike = {(command, execute): 500, (command, execute, stack_of(3)[-1]): 500}
    found = compare(steady(alike), steady(plain), names=("B", "A"))
    assert found.renamed == []
    assert {"execute", "parse"} <= labels(found.rows)
    assert "execute" not in labels(found.top_inclusive)
    assert_sums(found)


def test_an_inlined_function_has_moved_and_the_sum_stays() -> None:
    good = 0
    for found in sessions(rebuilt(BASELINE), seed=74, samples=5 * SAMPLES):
        moves = [(move.functions, move.callers, move.into) for move in found.inlined]
        if moves == [([name_of(INLINED)], [name_of(CALLER)], True)]:
            low, high = found.inlined[0].points.bounds
            good += low <= 0 <= high
            assert not labels(found.rows) & {name_of(INLINED), name_of(CALLER)}
    assert good >= 10


def test_swapped_a_function_comes_out_of_its_caller() -> None:
    arms = profiled(np.random.default_rng(75), rebuilt(BASELINE), samples=10 * SAMPLES)
    there = compared(arms)
    back = compared(Arms(arms.baseline, arms.arm))
    assert [move.into for move in there.inlined] == [True]
    assert [move.into for move in back.inlined] == [False]
    assert back.renamed[0].arm_name == name_of(RENAMED)
    # With all that they call, neither they nor what they are called by differ.
    together = {name_of(at) for at in (RENAMED, NEW, INLINED, CALLER)}
    assert not together & labels(there.top_inclusive)


def test_what_all_functions_share_comes_before_any_function() -> None:
    good = 0
    for found in sessions(1.03 * BASELINE, seed=76, samples=20 * SAMPLES):
        assert_sums(found)
        if found.rows[0].kind == "common":
            assert found.factor is not None
            assert found.factor.value == pytest.approx(1.03, abs=0.025)
            good += labels(found.rows) == {"all functions", "all else"}
        else:
            assert labels(found.rows) == {"all else"}
    assert good >= 8


def test_a_factor_whose_row_covers_0_is_none() -> None:
    """Fourteen functions of many are in both servers, 2.7, 3.7 and 7.4 times as dear in one."""

    def trial(block: int, shared: int, own: range) -> ProfiledTrial:
        left, some = divmod(2000 - 14 * shared, len(own))
        counts = {stack_of(at): shared for at in range(14)}
        return same(block, counts | {stack_of(at): left + (at - own[0] < some) for at in own})

    times = (27, 37, 74)
    ours = [trial(block, shared, range(20, 40)) for block, shared in enumerate(times)]
    theirs = [trial(block, 10, range(40, 60)) for block in range(len(times))]
    found = compare(ours, theirs, names=("B", "A"))
    assert_sums(found)
    assert "common" not in {row.kind for row in found.rows}


def same(block: int, counts: dict[tuple[Frame, ...], int], cpu_s: float = 1.0) -> ProfiledTrial:
    return ProfiledTrial(block=block, stacks=Counter(counts), cpu_s=cpu_s, ops=1000)


def steady(counts: dict[tuple[Frame, ...], int], cpu_s: float = 1.0) -> list[ProfiledTrial]:
    return [same(block, counts, cpu_s * (1 + block / 1000)) for block in range(8)]


PLAIN = {stack_of(at): 100 for at in range(40)}
ADDRESS = {(*stack_of(0)[:3], Frame("mariadbd", f"0x{at:x}")): 100 for at in range(40)}


def test_the_inclusive_cost_stands_beside_the_own() -> None:
    leaf = stack_of(3)
    more = PLAIN | {leaf: 1100}
    found = compare(steady(more, 1.25), steady(PLAIN), names=("B", "A"))
    row = next(row for row in found.rows if row.label == name_of(3))
    # Of 4,000 and 5,000 samples: 25 % of 1.25 s less 2.5 % of 1 s.
    assert row.points.value == pytest.approx(100 * (0.22 * 1.25 - 0.025))
    assert row.inclusive is not None
    assert row.inclusive.value == pytest.approx(row.points.value)
    assert row.baseline_points == pytest.approx(2.5)
    assert leaf[-2].symbol in labels(found.top_inclusive)
    assert "do_command" in labels(found.top_inclusive)


def test_symbols_missing_in_one_arm_leave_only_objects() -> None:
    found = compare(steady(PLAIN), steady(ADDRESS), names=("B", "A"))
    assert found.objects_only == "0 % of B's samples have no symbol, and 100 % of A's"
    assert found.rows == []
    assert labels(found.classes) == {"the server"}


def test_a_few_samples_without_symbols_do_not_hide_the_functions() -> None:
    """13 and 20 % of 120 samples: apart by more than 5 %, and by less than their scatter."""

    def few(without: int) -> list[ProfiledTrial]:
        counts = {stack_of(at): 1 for at in range(40 - without)}
        return [
            same(block, counts | {stack: 1 for stack in list(ADDRESS)[:without]})
            for block in range(3)
        ]

    assert compare(few(8), few(5), names=("B", "A")).objects_only is None


def test_what_all_functions_share_does_not_hide_them() -> None:
    """A fifth of the samples have no symbol, and all code is dearer by half: a server that waits
    more has colder caches. Beside that, one function takes as much as all others together.
    """
    plain = PLAIN | {stack: count // 4 for stack, count in ADDRESS.items()}
    planted = stack_of(3)
    dearer = plain | {planted: plain[planted] + sum(plain.values())}
    found = compare(steady(dearer, 3.0), steady(plain), names=("B", "A"))
    assert found.objects_only is None
    assert found.factor is not None
    assert found.factor.value == pytest.approx(1.5, rel=0.01)
    assert name_of(3) in labels(found.rows)
    # Twice as many samples an op have callers, and none has none.
    assert found.own_only is None
    # The same, but a third of what had names has none.
    bare = list(PLAIN)[20:33]
    lacking = {stack: count for stack, count in dearer.items() if stack not in bare}
    lacking[next(iter(ADDRESS))] += sum(PLAIN[stack] for stack in bare)
    found = compare(steady(lacking, 3.0), steady(plain), names=("B", "A"))
    assert found.objects_only == "23 % of B's samples have no symbol, and 20 % of A's"


def test_code_without_symbols_may_be_a_little_of_a_large_difference() -> None:
    """One function makes an op eight times as dear, and colder caches double what has no symbol: a
    fifth of the baseline's cost, and 3 % of the difference.
    """
    plain = PLAIN | {stack: count // 4 for stack, count in ADDRESS.items()}
    planted = stack_of(3)
    dearer = plain | {next(iter(ADDRESS)): 1000, planted: 34_000}
    found = compare(steady(dearer, sum(dearer.values()) / 5000), steady(plain), names=("B", "A"))
    assert found.objects_only is None
    first, *_ = found.rows
    assert (first.label, first.points.value) == (name_of(3), pytest.approx(678, abs=1))


def test_symbols_missing_in_both_arms_are_counted() -> None:
    found = compare(steady(PLAIN | ADDRESS), steady(PLAIN | ADDRESS), names=("B", "A"))
    assert found.objects_only is None
    assert found.arm.unresolved_pct == pytest.approx(50.0)


def with_local(counts: dict[tuple[Frame, ...], int], *, named: bool) -> dict:
    """A fifth more samples, in functions that only a build with a symbol table has names for."""
    frames = [Frame("mariadbd", f"static_{at}", is_local=True) for at in range(8)]
    bare = Frame("mariadbd", "[no symbol]")
    added: Counter[tuple[Frame, ...]] = Counter()
    for frame in frames:
        added[*stack_of(0)[:3], frame if named else bare] += sum(counts.values()) // 40
    return counts | added


def test_local_functions_of_one_build_have_no_name_in_either() -> None:
    dearer = PLAIN | {stack_of(3): 1100}
    stripped, whole = with_local(dearer, named=False), with_local(PLAIN, named=True)
    found = compare(steady(stripped, 1.25), steady(whole), names=("B", "A"))
    assert found.objects_only is None
    assert (found.arm.unresolved_pct, found.baseline.unresolved_pct) == pytest.approx(
        (16.7, 16.7), abs=0.1
    )
    assert name_of(3) in labels(found.rows)
    assert not [label for label in labels(found.rows) if label.startswith("static_")]
    assert_sums(found)


def test_what_has_no_name_is_a_row_where_it_costs_more() -> None:
    stripped, whole = with_local(PLAIN, named=False), with_local(PLAIN, named=True)
    more = {
        stack: n * 2 if stack[-1].symbol == "[no symbol]" else n for stack, n in stripped.items()
    }
    found = compare(steady(more, 7 / 6), steady(whole), names=("B", "A"))
    assert found.objects_only is None
    row = next(row for row in found.rows if row.label == "the server [no symbol]")
    assert row.points.value == pytest.approx(100 / 6, abs=0.1)
    assert_sums(found)


def test_local_functions_that_both_builds_name_are_rows() -> None:
    whole = with_local(PLAIN, named=True)
    slow = {stack: n * 5 if stack[-1].symbol == "static_3" else n for stack, n in whole.items()}
    found = compare(steady(slow, 1.08), steady(whole), names=("B", "A"))
    assert "static_3" in labels(found.rows)
    assert found.arm.unresolved_pct == 0


def test_a_build_without_names_is_still_not_compared_by_function() -> None:
    found = compare(steady(ADDRESS), steady(with_local(PLAIN, named=True)), names=("B", "A"))
    assert found.objects_only == "100 % of B's samples have no symbol, and 17 % of A's"


def test_unwinding_missing_in_one_arm_leaves_what_functions_take_themselves() -> None:
    leaves = {stack[-1:]: n for stack, n in PLAIN.items()}
    dearer = leaves | {stack_of(3)[-1:]: 1100}
    found = compare(steady(dearer, 1.25), steady(PLAIN), names=("B", "A"))
    assert found.own_only == "0 % of B's samples have callers, and 100 % of A's"
    assert found.objects_only is None
    row = next(row for row in found.rows if row.label == name_of(3))
    assert row.points.value == pytest.approx(100 * (0.22 * 1.25 - 0.025))
    assert row.inclusive is None
    assert (found.flame, found.top_inclusive, found.renamed) == (None, [], [])


def test_frames_inlined_in_one_arm_only_count_for_their_function() -> None:
    inlined = {
        (*stack, Frame("mariadbd", "rec_offs", is_inlined=True)): n for stack, n in PLAIN.items()
    }
    found = compare(steady(inlined), steady(PLAIN), names=("B", "A"))
    assert labels(found.rows) == {"all else"}


def test_classes_are_in_their_order_and_sum() -> None:
    mixed = PLAIN | {
        (Frame("libc.so.6", "__memcpy_avx"),): 300,
        (Frame("[kernel.kallsyms]", "__x64_sys_futex"),): 200,
        (Frame("ha_rocksdb.so", "rocksdb::Get"),): 100,
        (Frame("libcrypto.so.3", "sha256"),): 100,
    }
    found = compare(steady(mixed, 1.2), steady(mixed), names=("B", "A"))
    assert [row.label for row in found.classes] == [
        "the server",
        "its plugins",
        "libc and the allocator",
        "other libraries",
        "the kernel",
    ]
    assert_sums(found)


def test_blocks_of_one_arm_only_are_left_out() -> None:
    found = compare(steady(PLAIN), steady(PLAIN)[2:], names=("B", "A"))
    assert found.blocks == [2, 3, 4, 5, 6, 7]


def test_what_cannot_be_compared_is_refused() -> None:
    good = steady(PLAIN)
    for arm, words in (
        (good[:2], "3 blocks or more, and 2"),
        ([*good, good[0]], "block 0 has two profiles"),
        ([replace(good[0], ops=0), *good[1:]], "needs ops and CPU time, got 0 ops"),
        ([replace(good[0], cpu_s=float("nan")), *good[1:]], "needs ops and CPU time"),
        ([replace(good[0], stacks={}), *good[1:]], "block 0: the profile has no samples"),
    ):
        with pytest.raises(ValueError, match=words):
            compare(arm, good, names=("B", "A"))


def test_a_comparison_is_stored_and_read() -> None:
    found = compared(profiled(np.random.default_rng(77), rebuilt(dearer())))
    assert ProfileComparison.model_validate_json(found.model_dump_json()) == found
