"""Many arms in a few sentences; few arms by their names."""

from __future__ import annotations

from dyno.analysis.durability.model import CellRead
from dyno.analysis.durability.words import harmed_lines, line_of
from dyno.spec.durability import CrashKind


def lossy(arm: str, lost: int, *, kind: CrashKind = "power", **more: int) -> CellRead:
    return CellRead(
        arm=arm,
        kind=kind,
        mark="loses",
        says=f"loses {lost}",
        n=2,
        lossy=2,
        broken=0,
        share=None,
        acknowledged=9000,
        lost_median=lost,
        lost_most=lost,
        lost_s_median=lost / 1000,
        lost_s_most=lost / 1000,
        recovery_s_median=None,
        recovery_s_most=None,
        ops_per_s_median=None,
        **more,
    )


def test_a_few_losses_have_a_sentence_each() -> None:
    assert list(harmed_lines([lossy("a", 3), lossy("b", 5)], "op")) == [
        "a, power cut: loses 3.",
        "b, power cut: loses 5.",
    ]


def test_many_losses_are_one_sentence_and_replicas_are_named() -> None:
    cells = [lossy(name, 10 * i) for i, name in enumerate("abcd", start=1)]
    cells += [lossy("e", 7, ahead=7), lossy("f", 1, behind=90)]
    assert list(harmed_lines(cells, "op")) == [
        "Power cut, 6 arms: each loses acknowledged commits at power loss, up to 40 ops, "
        "up to the last 0.04 s.",
        "Power cut, e: lost ops are in the binary log, so replicas are ahead.",
        "Power cut, f: ops that are kept aren't in the binary log: replicas are behind.",
    ]


def test_a_kill_says_that_no_power_cut_was_needed() -> None:
    cells = [lossy(name, 2, kind="kill") for name in "abcde"]
    (only,) = harmed_lines(cells, "new order")
    assert only == (
        "Kill -9, 5 arms: each loses acknowledged commits at a crash, no power cut needed, "
        "up to 2 new orders, up to the last 0.002 s."
    )


def test_few_arms_are_named_and_many_are_counted() -> None:
    assert line_of("kill", ["a", "b"], "no loss seen") == "Kill -9, a, b: no loss seen."
    assert line_of("kill", list("abcde"), "no loss seen") == "Kill -9, 5 arms: no loss seen."
