"""The server collector on two captures of /proc/PID, 2 s apart, and when the process goes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from dyno.telemetry import ServerCollector, proc

SAMPLES = Path(__file__).parent / "samples"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(SAMPLES / "first", tmp_path, dirs_exist_ok=True)
    return tmp_path


def later(folder: Path) -> None:
    shutil.rmtree(folder / "4242")
    shutil.copytree(SAMPLES / "second" / "4242", folder / "4242")


def collector(folder: Path) -> ServerCollector:
    return ServerCollector(4242, folder=folder, clock_s=iter((100.0, 102.0, 104.0)).__next__)


def test_stat_of_a_process_whose_name_holds_parentheses(folder: Path) -> None:
    stat = proc.process_stat((folder / "4242/stat").read_text())
    assert (stat.state, stat.threads, stat.start_ticks) == ("S", 2, 74352)
    assert (stat.faults_minor, stat.faults_major) == (1000, 3)


def test_levels_and_rates(folder: Path) -> None:
    server = collector(folder)
    values = server.sample()
    assert list(values) == [column.name for column in server.columns]
    assert values["server_rss_bytes"] == 25600 * proc.PAGE_BYTES
    assert values["server_threads"] == 2
    assert all(values[c.name] is None for c in server.columns if c.rate)
    later(folder)
    values = server.sample()
    tick_pct = 100 / proc.TICKS_PER_S
    assert values["server_cpu_user_pct"] == pytest.approx(300 * tick_pct / 2)
    assert values["server_cpu_system_pct"] == pytest.approx(50 * tick_pct / 2)
    assert values["server_faults_minor_per_s"] == 200
    assert values["server_faults_major_per_s"] == 1
    assert values["server_read_bytes_per_s"] == 2048
    assert values["server_write_bytes_per_s"] == 512 * 1024
    assert values["server_rchar_bytes_per_s"] == 10000
    assert values["server_wchar_bytes_per_s"] == 20000
    # Thread 4243 ended: its past is not taken back. 4244 and 4245 are new: 30 + 70 and 4 + 6.
    assert values["server_context_switches_voluntary_per_s"] == 50
    assert values["server_context_switches_involuntary_per_s"] == 5
    assert server.unavailable == {}


def test_a_thread_id_given_to_a_new_thread_counts_from_zero(folder: Path) -> None:
    server = collector(folder)
    server.sample()
    status = folder / "4242/task/4243/status"
    text = status.read_text().replace(":\t900", ":\t40").replace(":\t90\n", ":\t8\n")
    status.write_text(text)
    values = server.sample()
    assert values["server_context_switches_voluntary_per_s"] == 20
    assert values["server_context_switches_involuntary_per_s"] == 4


def test_vanished_is_missing_not_zero(folder: Path) -> None:
    server = collector(folder)
    server.sample()
    shutil.rmtree(folder / "4242")
    assert set(server.sample().values()) == {None}
    assert set(server.unavailable.values()) == {"process 4242 has ended"}
    assert set(server.unavailable) == {column.name for column in server.columns}


@pytest.mark.parametrize(("old", "new"), [(" 0 74352 ", " 0 99999 "), (") S ", ") Z ")])
def test_another_process_of_that_id_and_a_zombie_are_not_the_server(
    folder: Path, old: str, new: str
) -> None:
    server = collector(folder)
    assert server.sample()["server_threads"] == 2
    stat = folder / "4242/stat"
    stat.write_text(stat.read_text().replace(old, new))
    assert set(server.sample().values()) == {None}
    assert server.unavailable["server_rss_bytes"] == "process 4242 has ended"


def test_io_that_may_not_be_read_is_unavailable_with_the_reason(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Tests may run as root, whom no file mode stops.
    def refuse(path: Path) -> str:
        if path.name == "io":
            raise PermissionError(13, "Permission denied", str(path))
        return path.read_text()

    monkeypatch.setattr(proc, "read_text", refuse)
    server = collector(folder)
    values = server.sample()
    assert values["server_write_bytes_per_s"] is None
    assert values["server_threads"] == 2
    assert server.unavailable["server_write_bytes_per_s"].endswith("4242/io: Permission denied")
    assert len(server.unavailable) == 4


def test_a_real_child_that_is_killed_and_not_yet_waited_for() -> None:
    program = "import sys; sys.stdout.write('up'); sys.stdout.flush(); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        assert child.stdout.read(2) == b"up"
        server = ServerCollector(child.pid)
        values = server.sample()
        peer = psutil.Process(child.pid)
        assert values["server_threads"] == peer.num_threads() == 1
        rss_bytes = values["server_rss_bytes"]
        assert rss_bytes == pytest.approx(peer.memory_info().rss, rel=0.05)
        child.kill()
        peer_state = None
        while peer_state != psutil.STATUS_ZOMBIE:
            peer_state = peer.status()
        assert set(server.sample().values()) == {None}
        child.wait(10)
        assert set(server.sample().values()) == {None}
        assert server.unavailable["server_threads"] == f"process {child.pid} has ended"
