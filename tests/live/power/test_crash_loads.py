"""Series with other loads than the ledger: what crashes take of orders and nodes, or break."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_series import FLUSH_1, FLUSH_2, cell, dyno, needs_power, run, run_folder, write
from thinned import thinned

# Most of the data in memory: they are loaded faster.
ARMS = (FLUSH_1 + FLUSH_2).replace("64M", "256M")
LOADS = {
    "new order": 'kind = "tpcc"\nconnections = 8',
    "new node": 'kind = "linkbench"\nids = 2000\nconnections = 8',
}


@needs_power
@pytest.mark.parametrize("one", thinned(list(LOADS), least=1))
def test_flush_2_loses_what_flush_1_keeps(tmp_path: Path, one: str) -> None:
    """And the rules of the data hold after each recovery: what is left is a prefix of the log."""
    experiment = write(tmp_path, ARMS, kinds=["power"], load=LOADS[one], top='control = "flush 2"')
    found = run(tmp_path, experiment)
    assert all(crash["checks"] == [] for crash in found["crashes"])
    assert all(crash["acknowledged"] > 0 for crash in found["crashes"])
    kept, lost = cell(found, "flush 1", "power"), cell(found, "flush 2", "power")
    assert (kept["mark"], kept["lossy"], kept["n"]) == ("keeps", 0, 2)
    # A cut right after the flush of each second would lose nothing.
    assert (lost["mark"], lost["lossy"] > 0, lost["n"]) == ("loses", True, 2)
    assert 0 < lost["lost_s_most"] < 3
    assert f" {one}" in lost["says"]
    (worst, *_) = sorted(found["crashes"], key=lambda crash: -crash["lost"])
    assert sum(moment["lost"] for moment in worst["moments"]) == worst["lost"]
    shown = dyno("report", str(run_folder(tmp_path)), "--format", "markdown")
    assert f"A {one} counts once a client knew" in shown.stdout, shown.stderr


def test_a_broken_rule_of_the_data_is_damage(tmp_path: Path) -> None:
    """MyISAM: what was under way at the kill is half there."""
    arm = FLUSH_1.replace('"flush 1"', '"MyISAM"') + 'engine = "MyISAM"\n'
    found = run(tmp_path, write(tmp_path, arm, kinds=["kill"], each=1, load=LOADS["new order"]))
    (crash,) = found["crashes"]
    assert any("MyISAM has no transactions" in line for line in crash["checks"]), crash["checks"]
    broken = cell(found, "MyISAM", "kill")
    assert (broken["mark"], broken["broken"]) == ("breaks", 1)
    assert "checks complain 1 of 1 times" in broken["says"]
