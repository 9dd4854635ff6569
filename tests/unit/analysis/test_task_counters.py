"""Claims about how far a counter moved in a task, and what else trials tell of it: every trial must
be within the bounds.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from task_runs import COLUMN, INDEX, TASKS, task_run

from dyno.analysis import find

CLAIM = """
[[claim]]
says = "x"
status = "{counter}"
of = "{arm} @ {task}"
{bound}
"""


@pytest.mark.parametrize(
    ("counter", "bound", "verdict", "measured"),
    [
        ("Innodb_pages_created", "between = [50, 52]", "reproduced", "51 (50 to 52)"),
        ("Innodb_pages_created", "at_most = 51", "not reproduced", "51 (50 to 52)"),
        ("Innodb_defragment_count", "at_least = 1", "inconclusive", None),
    ],
)
def test_a_claim_is_about_each_trials_task(
    tmp_path: Path, counter: str, bound: str, verdict: str, measured: str | None
) -> None:
    claim = CLAIM.format(counter=counter, arm="a", task=INDEX, bound=bound)
    (read,) = find(task_run(tmp_path, text=TASKS + claim)).claims
    assert (read.verdict, read.measured) == (verdict, measured)
    assert read.n == (0 if measured is None else 3)


def test_a_task_that_moved_nothing_counts_as_none(tmp_path: Path) -> None:
    claim = CLAIM.format(counter="Com_alter_table", arm="a", task="checkpoint", bound="at_most = 0")
    (read,) = find(task_run(tmp_path, text=TASKS + claim)).claims
    assert (read.verdict, read.n, read.measured) == ("reproduced", 3, "0")


@pytest.mark.parametrize(
    ("figure", "of", "bound", "verdict", "measured"),
    [
        (
            "progress_error",
            ("a", INDEX),
            "between = [30, 40]",
            "reproduced",
            "30 points (30 to 40)",
        ),
        ("progress_error", ("a", INDEX), "at_most = 39", "not reproduced", "30 points (30 to 40)"),
        ("progress_error", ("b", INDEX), "at_most = 10", "inconclusive", None),
        ("row_log_peak", ("b", COLUMN), "between = [99, 100]", "reproduced", "99.5 %"),
        ("failed", ("a", COLUMN), "at_most = 0", "reproduced", "0"),
        ("failed", ("b", COLUMN), "at_most = 0", "not reproduced", "1"),
    ],
)
def test_a_claim_is_about_a_figure_of_each_trials_task(
    tmp_path: Path,
    figure: str,
    of: tuple[str, str],
    bound: str,
    verdict: str,
    measured: str | None,
) -> None:
    claim = CLAIM.format(counter="", arm=of[0], task=of[1], bound=bound)
    claim = claim.replace('status = ""', f'figure = "{figure}"')
    (read,) = find(task_run(tmp_path, text=TASKS + claim)).claims
    assert (read.verdict, read.measured) == (verdict, measured)
    assert read.n == (0 if measured is None else 3)
