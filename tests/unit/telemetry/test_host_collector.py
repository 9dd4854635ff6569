"""The host collector on two captures of /proc, 2 s apart."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from dyno.telemetry import HostCollector, proc

SAMPLES = Path(__file__).parent / "samples"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(SAMPLES / "first", tmp_path, dirs_exist_ok=True)
    return tmp_path


def later(folder: Path) -> None:
    shutil.copytree(SAMPLES / "second", folder, dirs_exist_ok=True)


def two_seconds() -> Iterator[float]:
    yield from (100.0, 102.0, 104.0, 106.0)


def collector(folder: Path) -> HostCollector:
    return HostCollector(folder=folder, clock_s=two_seconds().__next__)


def test_first_sample_has_levels_and_no_rates(folder: Path) -> None:
    host = collector(folder)
    values = host.sample()
    assert list(values) == [column.name for column in host.columns]
    assert {c.name for c in host.columns if values[c.name] is None} == {
        c.name for c in host.columns if c.rate
    }
    assert host.unavailable == {}
    assert values["host_procs_running"] == 1  # 2, less the one who reads
    assert values["host_memory_free_bytes"] == 22900736 * 1024
    assert values["host_memory_cached_bytes"] == (1494684 + 4868 + 112716) * 1024
    assert values["host_memory_dirty_bytes"] == 493280 * 1024
    assert values["host_memory_writeback_bytes"] == 12 * 1024
    assert values["host_load_1min"] == 0.27
    assert values["host_psi_cpu_some_avg10_pct"] == 13.15


def test_rates_are_over_the_true_elapsed_time(folder: Path) -> None:
    host = collector(folder)
    host.sample()
    later(folder)
    values = host.sample()
    # Ticks: user 200 + nice 10, system 60 + irq 3 + softirq 7, idle 110, iowait 20, steal 10.
    assert values["host_cpu_user_pct"] == pytest.approx(100 * 210 / 420)
    assert values["host_cpu_system_pct"] == pytest.approx(100 * 70 / 420)
    assert values["host_cpu_idle_pct"] == pytest.approx(100 * 110 / 420)
    assert values["host_cpu_iowait_pct"] == pytest.approx(100 * 20 / 420)
    assert values["host_cpu_steal_pct"] == pytest.approx(100 * 10 / 420)
    assert values["host_interrupts_per_s"] == 500
    assert values["host_context_switches_per_s"] == 2500
    assert values["host_procs_running"] == 4
    assert values["host_procs_blocked"] == 3
    assert values["host_block_in_kib_per_s"] == 200
    assert values["host_block_out_kib_per_s"] == 10000
    assert values["host_swap_in_kib_per_s"] == 10 * proc.PAGE_BYTES / 1024 / 2
    assert values["host_swap_out_kib_per_s"] == 0
    assert values["host_psi_cpu_some_pct"] == pytest.approx(25)  # 0.5 s of 2 s
    assert values["host_psi_memory_some_pct"] == pytest.approx(2)
    assert host.unavailable == {}


def test_a_cpu_counter_that_runs_backwards_spoils_the_five_shares_for_one_sample(
    folder: Path,
) -> None:
    host = collector(folder)
    host.sample()
    later(folder)
    stat = folder / "stat"
    stat.write_text(stat.read_text().replace(" 378 8 68 ", " 350 8 68 "))  # iowait was 358
    values = host.sample()
    cpu = [name for name in values if name.startswith("host_cpu_")]
    assert [values[name] for name in cpu] == [None] * 5
    assert all("backwards, from 358 to 350" in host.unavailable[name] for name in cpu)
    assert values["host_context_switches_per_s"] == 2500
    shutil.copy(SAMPLES / "second" / "stat", stat)
    assert host.sample()["host_cpu_iowait_pct"] == 100  # 28 ticks since, and no others


def test_without_pressure_its_columns_are_unavailable_and_the_rest_goes_on(folder: Path) -> None:
    shutil.rmtree(folder / "pressure")
    host = collector(folder)
    values = host.sample()
    missing = [name for name in values if name.startswith("host_psi_")]
    assert len(missing) == 6
    assert sorted(host.unavailable) == sorted(missing)
    assert "No such file" in host.unavailable["host_psi_io_some_pct"]
    assert values["host_procs_blocked"] == 0


def test_pressure_that_exists_but_refuses_to_be_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A kernel started with psi=0 has the files and answers EOPNOTSUPP.
    def refuse(path: Path) -> str:
        if path.parent.name == "pressure":
            raise OSError(errno.EOPNOTSUPP, "Operation not supported", str(path))
        return path.read_text()

    monkeypatch.setattr(proc, "read_text", refuse)
    host = collector(folder)
    assert host.sample()["host_psi_cpu_some_pct"] is None
    assert host.unavailable["host_psi_cpu_some_pct"].endswith("cpu: Operation not supported")


@pytest.mark.parametrize("text", ["", "cpu  1 2\n", "cpu  a b c d e f g h\n"])
def test_a_stat_of_another_format_is_missing_not_zero(folder: Path, text: str) -> None:
    (folder / "stat").write_text(text)
    host = collector(folder)
    assert host.sample()["host_procs_running"] is None
    assert "host_procs_running" in host.unavailable
