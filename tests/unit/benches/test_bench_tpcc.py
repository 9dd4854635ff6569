"""The rows of TPC-C-like work: peers that may be missing, what they say, what is not their work."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from bench_samples import cell, row, sample
from benches.child import Cost, Line, run
from benches.rows import tpcc
from benches.rows.row import CPU, SERVER_CPU, TIME, TIME_AWAKE, Row
from benches.run import available
from benches.stand import Sample, Stand, lasting
from benches.tools import tpcc_mysql, tpcc_sysbench

from dyno.errors import LoadError

COST = Cost(1.5, 2.5, 2**20)
RESULTS = """\
***************************************
*** ###easy### TPC-C Load Generator ***
<Parameters>
     [server]: localhost
 [connection]: 8

RAMP-UP TIME.(3 sec.)

MEASURING START.

  12, trx: 4120, 95%: 9.483, 99%: 18.738, max_rt: 213.169, 4119|98.778, 412|101.096, 1|1.0, 2|2.0

STOPPING THREADS........

<Raw Results>
  [0] sc:4120 lt:7  rt:3  fl:1 avg_rt: 9.1 (5)
  [1] sc:4119 lt:0  rt:0  fl:0 avg_rt: 4.0 (5)
  [2] sc:412 lt:0  rt:0  fl:0 avg_rt: 2.0 (5)
  [3] sc:411 lt:0  rt:0  fl:2 avg_rt: 30.0 (80)
  [4] sc:410 lt:2  rt:0  fl:0 avg_rt: 5.0 (20)
 in 12 sec.

<Raw Results2(sum ver.)>
  [0] sc:4120  lt:7  rt:3  fl:1
  [1] sc:4120  lt:0  rt:0  fl:0
"""


def timed(text: str) -> list[Line]:
    """Lines, each 2 s behind the one before, with 0.1 s of CPU and 0.3 s of the server's."""
    return [Line(line, 2.0 * n, 0.1 * n, 0.3 * n) for n, line in enumerate(text.splitlines())]


def test_tpcc_mysql_is_read_for_its_interval() -> None:
    found = tpcc_mysql.read_results(timed(RESULTS), COST)
    assert found.ops == 4127 + 4119 + 412 + 411 + 412, "late ones are done, and each counts once"
    assert found.failed == 3
    assert (found.elapsed_s, found.cpu_s) == (pytest.approx(4), pytest.approx(0.2))
    assert found.server_cpu_s == pytest.approx(0.6)
    assert found.cost == COST


@pytest.mark.parametrize("lacks", ["MEASURING START", "trx: ", "  [3] sc:411"])
def test_other_results_are_refused(lacks: str) -> None:
    with pytest.raises(LoadError, match="can't be read"):
        tpcc_mysql.read_results(timed(RESULTS.replace(lacks, "")), COST)


def test_a_script_is_run_statement_by_statement() -> None:
    script = "SET a=1;\n\n\ncreate table t (\n a int ) Engine=InnoDB ;\n"
    assert tpcc_mysql.statements(script) == [
        "SET a=1",
        "create table t (\n a int ) Engine=InnoDB",
    ]


def test_a_socket_that_it_would_cut_off_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Far:
        socket = tmp_path / ("x" * 60)

    monkeypatch.setenv(tpcc_mysql.VARIABLE, str(tmp_path))
    tool = tpcc_mysql.tpcc_mysql(warehouses=1, connections=1, warmup_s=1, schema="one")
    with pytest.raises(LoadError, match="takes no socket as long as"):
        tool(Stand(cast(Any, Far()), tmp_path, 1, Path()))


@pytest.mark.parametrize(
    ("peer", "files"),
    [
        (tpcc_sysbench, ["tpcc.lua"]),
        (tpcc_mysql, ["tpcc_load", "tpcc_start", "create_table.sql", "add_fkey_idx.sql"]),
    ],
)
def test_a_peer_that_isnt_here_is_unavailable_with_the_reason(
    peer: Any, files: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(shutil, "which", lambda program: f"/usr/bin/{program}")
    monkeypatch.delenv(peer.VARIABLE, raising=False)
    assert f"{peer.VARIABLE} isn't set" in peer.lacks()
    monkeypatch.setenv(peer.VARIABLE, str(tmp_path))
    for name in files:
        assert peer.lacks() == f"{peer.VARIABLE}={tmp_path} has no file {name}"
        (tmp_path / name).touch()
    assert peer.lacks() is None


def test_scripts_without_their_program_are_unavailable(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "tpcc.lua").touch()
    monkeypatch.setenv(tpcc_sysbench.VARIABLE, str(tmp_path))
    monkeypatch.setattr(shutil, "which", lambda program: None)
    assert tpcc_sysbench.lacks() == "there is no program sysbench"


def test_unavailable_rows_are_shown_and_the_others_measured(
    capsys: pytest.CaptureFixture[str],
) -> None:
    without = replace(cell("without"), lacks={"sysbench": lambda: "it went away"})
    rows = [row(), Row("lone", without, CPU), Row("gone", without, CPU, "sysbench")]
    assert [one.name for one in available(rows)] == ["some.cpu", "lone"]
    assert capsys.readouterr().out == "gone: unavailable: it went away\n"
    with pytest.raises(LoadError, match="can be measured here"):
        available(rows[2:])


def test_without_its_peers_no_row_of_tpcc_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in (tpcc_sysbench.VARIABLE, tpcc_mysql.VARIABLE):
        monkeypatch.delenv(variable, raising=False)
    assert all(one.lacks for one in tpcc.ROWS)


def test_data_are_only_made_for_tools_that_are_here(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    class Noting(Stand):
        def make_schema(self, name: str) -> None:
            made.append(f"make {name}")

    def filling(name: str) -> Any:
        return lambda *args, **keys: made.append(f"fill {name}")

    for name, module in (("dyno", tpcc.dynoload), ("lua", tpcc_sysbench), ("c", tpcc_mysql)):
        monkeypatch.setattr(module, "fill", filling(name))
    monkeypatch.setattr(tpcc_sysbench, "lacks", lambda: "it went away")
    monkeypatch.setattr(tpcc_mysql, "lacks", lambda: None)
    tpcc.make_tables(Noting(cast(Any, None), Path(), 2, Path()))
    assert [one for one in made if one.startswith("fill")] == ["fill dyno", "fill c"]
    assert len({one for one in made if one.startswith("make")}) == 3, "a schema for each"


def test_loaded_tables_go_behind_each_run() -> None:
    executed: list[str] = []

    class Noting(Stand):
        def execute(self, *statements: str) -> None:
            executed.extend(statements)

    tool = tpcc.leaving_none(lambda stand: sample())
    assert tool(Noting(cast(Any, None), Path(), 2, Path())) == sample()
    assert executed == ["DROP DATABASE bench_loading"]


@pytest.mark.parametrize(("asked", "given"), [(2, 12), (30, 30)])
def test_a_window_may_be_longer_than_asked_for(asked: int, given: int) -> None:
    seen: list[int] = []

    def tool(stand: Stand) -> Sample:
        seen.append(stand.seconds)
        return sample()

    lasting(12, tool)(Stand(cast(Any, None), Path(), asked, Path()))
    assert seen == [given]


def test_the_server_s_share_and_a_sleep_are_figures_of_their_own() -> None:
    assert SERVER_CPU.read(sample()) is None
    assert SERVER_CPU.read(replace(sample(ops=1000), server_cpu_s=0.5)) == pytest.approx(500)
    slept = replace(sample(), cost=Cost(1.0, 37.0, None), slept_s=30.0)
    assert (TIME.read(slept), TIME_AWAKE.read(slept)) == (37, 7)


def test_the_server_s_cpu_is_read_at_each_line(tmp_path: Path) -> None:
    burn = "import time\nwhile time.process_time() < 0.2: pass\nprint('end')"
    _, (line,) = run([sys.executable, "-c", burn], tmp_path, os.getpid())
    assert line.server_cpu_s is not None
    assert line.server_cpu_s > 0
    _, (line,) = run(["echo", "one"], tmp_path)
    assert line.server_cpu_s is None
