"""The check of the tables' collations."""

from __future__ import annotations

from load_runs import plan

from dyno.analysis.fairness.collations import checks
from dyno.analysis.fairness.model import Fairness
from dyno.analysis.samples import Samples
from dyno.store.trial import TableSize, Trial

ARMS = [arm.name for arm in plan().arms]


def judged(*of_arms: dict[str, str | None]) -> list[Fairness]:
    trials = [
        Trial(
            number=number,
            arm=ARMS[number - 1],
            block=0,
            position=number,
            status="ok",
            started_unix_ms=0,
            duration_s=1.0,
            sizes=[
                TableSize(table=table, engine="InnoDB", collation=collation)
                for table, collation in collations.items()
            ],
        )
        for number, collations in enumerate(of_arms, 1)
    ]
    return list(checks(plan(), Samples(trials=trials)))


def test_equal_ones_are_ok() -> None:
    (found,) = judged({"t": "latin1_swedish_ci"}, {"t": "latin1_swedish_ci"})
    assert (found.check, found.says) == ("ok", "Equal on all arms: latin1_swedish_ci.")


def test_another_one_is_a_warning_by_table() -> None:
    (found,) = judged({"t": "latin1_bin", "u": "a"}, {"t": "utf8mb4_0900_ai_ci", "u": "a"})
    assert found.check == "warning"
    assert found.says.startswith("1 table has another collation")
    assert found.details == [f"t: latin1_bin ({ARMS[0]}); utf8mb4_0900_ai_ci ({ARMS[1]})"]


def test_what_was_not_read_is_unknown_and_older_runs_say_nothing() -> None:
    assert judged({"t": None}, {"t": None}) == []
    (found,) = judged({"t": "a"}, {"t": None})
    assert found.check == "unknown"
