"""Planted liars: servers that leave out flushes, or acknowledge what they haven't written."""

from __future__ import annotations

from pathlib import Path

from liar import hasty, lying
from small_series import FLUSH_1, cell, needs_power, run, write

ALONE = """
connections = 1
rows = 100
think = "50ms"
"""


def arm_of(server: str, name: str) -> str:
    return FLUSH_1.replace("mariadb-debian", server).replace("flush 1", name)


@needs_power
def test_a_server_that_leaves_out_some_flushes_is_caught(tmp_path: Path) -> None:
    """Every third flush does nothing: within 20 power cuts that must be seen. The log is buffered:
    what is written with O_DIRECT survives without a flush, unless the disk's cache is lost, too.
    And ops stand alone: the next one's flush makes up for what was left out.
    """
    with lying("planted-liar", every=3) as server:
        arm = arm_of(server, "liar").replace("{ ", "{ innodb_log_file_buffering = 1, ")
        experiment = write(tmp_path, arm, kinds=["power"], each=20, load=ALONE)
        found = run(tmp_path, experiment)
    caught = cell(found, "liar", "power")
    assert (caught["mark"], caught["lossy"] > 0) == ("loses", True)
    assert caught["n"] <= 20


@needs_power
def test_a_server_that_acknowledges_before_it_writes_is_caught_at_once(tmp_path: Path) -> None:
    """By the first crash, and without any power cut. The same server without the door before it
    keeps all.
    """
    with hasty("planted-hasty") as server:
        arms = arm_of(server, "hasty") + FLUSH_1
        found = run(tmp_path, write(tmp_path, arms, kinds=["kill", "power"], each=5))
    for kind in ("kill", "power"):
        caught = cell(found, "hasty", kind)
        assert (caught["mark"], caught["lossy"], caught["n"]) == ("loses", 2, 2), kind
        kept = cell(found, "flush 1", kind)
        assert (kept["mark"], kept["lossy"], kept["n"]) == ("keeps", 0, 5), kind
        assert kept["acknowledged"] > 20
