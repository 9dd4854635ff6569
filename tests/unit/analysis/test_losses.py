"""What a series shows, in figures, words and verdicts; and what its folder refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from crashes import LOSS, crash, folder, made_series, price

from dyno.analysis.durability import Losses, find_losses
from dyno.errors import StoreError
from dyno.spec.durability import Price
from dyno.spec.series import Cell
from dyno.stats import clopper_pearson


def losses(path: Path, **of_cells: dict[str, Any]) -> Losses:
    return find_losses(folder(path / "run", **of_cells))


def said(found: Losses, arm: str, kind: str) -> tuple[str, str]:
    cell = found.cell(arm, kind)
    assert cell is not None
    return cell.mark, cell.says


def test_a_loss_is_shown_with_its_share_and_its_size(tmp_path: Path) -> None:
    found = losses(tmp_path, loose_power=LOSS)
    assert said(found, "loose", "power") == (
        "loses",
        "loses acknowledged commits at power loss: in 6 of 6 crashes, up to 300 ops of the last "
        "0.41 s",
    )
    cell = found.cell("loose", "power")
    assert cell is not None
    assert (cell.lossy, cell.broken, cell.lost_most, cell.lost_s_most) == (6, 0, 300, 0.41)
    assert cell.share is not None
    assert cell.share.interval == pytest.approx((0.05 ** (1 / 6), 1.0))


def test_no_loss_is_a_bound_and_never_more(tmp_path: Path) -> None:
    found = losses(tmp_path, loose_power=LOSS)
    words = "1 of 2 arms lost or broke something; no loss was seen with safe."
    assert found.answer[0] == words
    assert said(found, "safe", "power") == (
        "keeps",
        "no loss seen in 6 crashes: below 39 % a crash",
    )


def test_where_the_control_loses_nothing_nothing_was_tested(tmp_path: Path) -> None:
    found = losses(tmp_path)
    assert said(found, "safe", "power")[0] == "not tested"
    assert said(found, "safe", "kill")[0] == "keeps"
    assert [claim.verdict for claim in found.claims][1] == "inconclusive"


def test_verdicts_need_what_was_seen_or_a_bound(tmp_path: Path) -> None:
    found = losses(tmp_path, loose_power=LOSS)
    verdicts = [claim.verdict for claim in found.claims]
    assert verdicts == ["reproduced", "reproduced", "inconclusive", "not reproduced"]


def test_what_does_not_come_back_is_named_first(tmp_path: Path) -> None:
    dead = {
        "lost": None,
        "state": "no engine",
        "failure": "the server came back without ROCKSDB",
        "recovery_s": 1.0,
    }
    found = losses(tmp_path, loose_power=LOSS, safe_kill=dead)
    assert said(found, "safe", "kill") == (
        "breaks",
        "doesn't come back whole: the engine is missing 6 of 6 times (the server came back without "
        "ROCKSDB)",
    )
    assert found.answer[0] == "2 of 2 arms lost or broke something."
    assert found.answer[1].startswith("safe, kill -9: doesn't come back whole")
    cell = found.cell("safe", "kill")
    assert cell is not None
    assert (cell.lossy, cell.lost_most) == (6, None), (
        "nothing was checked: all is lost, and uncounted"
    )


def test_losses_are_counted_among_the_crashes_that_came_back_whole(tmp_path: Path) -> None:
    made = folder(tmp_path / "run", loose_power=LOSS)
    dead = {"lost": None, "state": "no start", "failure": "it didn't start"}
    power = Cell(arm="loose", kind="power")
    turn = next(turn for turn in made.series().turns() if turn[2] == power)
    made.keep(crash(*turn, **dead))
    assert said(find_losses(made), "loose", "power") == (
        "breaks",
        "doesn't come back whole: the server doesn't start 1 of 6 times (it didn't start); loses "
        "acknowledged commits at power loss: in 5 of the other 5 crashes, up to 300 ops of the "
        "last 0.41 s",
    )


def test_what_was_lost_beside_other_damage_counts_as_well(tmp_path: Path) -> None:
    made = folder(tmp_path / "run", loose_power=LOSS)
    power = Cell(arm="loose", kind="power")
    turn = next(turn for turn in made.series().turns() if turn[2] == power)
    made.keep(crash(*turn, **{**LOSS, "lost": 900, "checks": ["t: corrupt"]}))
    assert said(find_losses(made), "loose", "power") == (
        "breaks",
        "doesn't come back whole: checks complain 1 of 6 times (t: corrupt); loses acknowledged "
        "commits at power loss: in 6 of 6 crashes, up to 900 ops of the last 0.41 s",
    )


@pytest.mark.parametrize(
    ("odd", "words"),
    [
        ({"state": "repaired"}, "whole only after REPAIR"),
        ({"state": "no start", "lost": None}, "the server doesn't start"),
        ({"state": "no mount", "lost": None}, "the file system can't be mounted"),
        ({"checks": ["ledger_rows: error: corrupt"]}, "checks complain"),
        ({"wrong": 2}, "rows have a wrong content"),
        ({"twice": 1}, "rows are there twice"),
        ({"surplus": 9}, "rows are there that nobody sent"),
    ],
)
def test_each_kind_of_damage_has_its_words(tmp_path: Path, odd: dict[str, Any], words: str) -> None:
    mark, says = said(losses(tmp_path, safe_power=odd), "safe", "power")
    assert (mark, words in says) == ("breaks", True)


def test_what_is_in_flight_is_no_damage(tmp_path: Path) -> None:
    found = losses(tmp_path, safe_kill={"surplus": 8})
    assert said(found, "safe", "kill")[0] == "keeps"


def test_an_interrupted_series_shows_what_it_has(tmp_path: Path) -> None:
    made = folder(tmp_path / "run")
    for path in made.crashes_path.iterdir():
        path.unlink()
    found = find_losses(made)
    assert found.answer == ["No crash is over, so nothing is known."]
    assert {cell.mark for cell in found.cells} == {"no crash"}


def test_findings_are_read_back_as_they_were_written(tmp_path: Path) -> None:
    found = losses(tmp_path, loose_power=LOSS)
    assert Losses.model_validate(json.loads(found.model_dump_json())) == found


def test_a_crash_that_is_not_in_the_plan_is_damage(tmp_path: Path) -> None:
    made = folder(tmp_path / "run")
    made.keep(crash(999, 0, Cell(arm="safe", kind="kill")))
    with pytest.raises(StoreError, match="has no such crash"):
        list(made.crashes())


def test_the_exact_interval_is_that_of_the_sheet() -> None:
    """13 of 27: 29 to 68 %; none of 59: below 5 %."""
    low, high = clopper_pearson(13, 27)
    assert (round(low, 2), round(high, 2)) == (0.29, 0.68)
    assert clopper_pearson(0, 59)[1] == pytest.approx(0.05, abs=0.001)
    assert clopper_pearson(0, 0) == (0.0, 1.0)
    assert clopper_pearson(5, 5)[1] == 1.0
    with pytest.raises(ValueError, match="isn't a share"):
        clopper_pearson(3, 2)


def test_the_plan_of_a_series_is_kept(tmp_path: Path) -> None:
    assert folder(tmp_path / "run").series() == made_series()


def test_a_binary_log_that_differs_is_named(tmp_path: Path) -> None:
    found = losses(tmp_path, loose_power=LOSS | {"ahead": 3}, safe_power={"behind": 2})
    assert said(found, "loose", "power")[1].endswith(
        "; 18 lost ops are in the binary log, so replicas are ahead"
    )
    assert said(found, "safe", "power")[1].endswith(
        "; 12 ops that are kept aren't in the binary log: replicas are behind"
    )


def test_a_price_is_a_ratio_with_its_interval_beside_what_is_lost(tmp_path: Path) -> None:
    series = made_series(price=Price(baseline="safe", blocks=8))
    made = folder(tmp_path / "run", series, loose_power=LOSS)
    price(made, safe=1000.0, loose=2100.0)
    found = find_losses(made).price
    assert found is not None
    safe, loose = found.arms
    assert (safe.ratio, safe.n, safe.says) == (None, 8, "the baseline; no loss was seen")
    assert loose.ratio is not None
    assert loose.ratio.value == pytest.approx(2.1)
    assert loose.ratio.interval == pytest.approx((2.1, 2.1))
    assert loose.says == (
        "2.1 times as fast as safe (2.1 to 2.1, 8 blocks); loses something in 6 of 6 crashes, up "
        "to the last 0.41 s (power cut)"
    )


def test_too_few_blocks_give_no_interval_and_none_no_price(tmp_path: Path) -> None:
    series = made_series(price=Price(baseline="safe", blocks=6))
    made = folder(tmp_path / "run", series)
    price(made, safe=1000.0, loose=1000.0)
    for number in range(5, 13):
        (made.prices_path / f"{number:04d}.json").unlink()
    found = find_losses(made).price
    assert found is not None
    loose = found.arms[1]
    assert (loose.n, loose.ratio and loose.ratio.interval) == (2, None)
    assert "no interval yet" in loose.says
    for path in made.prices_path.iterdir():
        path.unlink()
    empty = find_losses(made).price
    assert empty is not None
    assert empty.arms[1].says.startswith("its throughput wasn't measured")


def test_a_price_of_another_plan_is_refused(tmp_path: Path) -> None:
    series = made_series(price=Price(baseline="safe", blocks=6))
    made = folder(tmp_path / "run", series)
    price(made, safe=1.0, loose=1.0)
    first, second = (made.prices_path / f"000{n}.json" for n in (1, 3))
    second.write_text(first.read_text())
    with pytest.raises(StoreError, match="no such price"):
        find_losses(made)
