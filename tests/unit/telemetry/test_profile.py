"""A sampled profile: perf's report read, its refusals in words, and perf itself where it works."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dyno.telemetry import Profiler
from dyno.telemetry.profile import LINES_MOST, NO_SYMBOL, parse_report, refusal

# As perf 6.1 writes it: -t '|' --sort symbol,dso.
REPORT = """
 40.10%  |[.] row_search_mvcc(unsigned char*, page_cur_mode_t)|mysqld             |-      -
 20.00%  |[k] finish_task_switch.isra.0      |[kernel.kallsyms]  |-      -
  3.50%  |[.] 0x000000000029c463             |libcrypto.so.3     |-      -
  2.25%  |[.] 0x000000000029c47f             |libcrypto.so.3     |-      -
  1.00%  |[.] memcpy                         |libc.so.6          |-      -
"""


def test_the_hottest_lines_come_first_and_addresses_are_one_line() -> None:
    profile = parse_report(REPORT)
    assert profile.unavailable is None
    assert [(line.share_pct, line.symbol, line.object) for line in profile.lines] == [
        (40.1, "row_search_mvcc(unsigned char*, page_cur_mode_t)", "mysqld"),
        (20.0, "finish_task_switch.isra.0", "[kernel.kallsyms]"),
        (5.75, NO_SYMBOL, "libcrypto.so.3"),
        (1.0, "memcpy", "libc.so.6"),
    ]


def test_the_number_of_lines_is_limited() -> None:
    text = "".join(f"{99 - n}.00%|[.] f{n}|mysqld|- -\n" for n in range(40))
    profile = parse_report(text)
    assert [line.symbol for line in profile.lines] == [f"f{n}" for n in range(LINES_MOST)]


def test_without_a_single_symbol_there_is_no_profile() -> None:
    profile = parse_report("50.00%|[.] 0x00000000000a|mysqld|- -\n50.00%|[k] 0xffff|[unknown]|-\n")
    assert profile.lines == ()
    assert profile.unavailable == "no symbols in [unknown], mysqld"


def test_without_samples_there_is_no_profile() -> None:
    assert parse_report("").unavailable == "no samples: the process used no CPU time"


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (
            "Error:\nAccess to performance monitoring and observability operations is limited.\n"
            "Consider adjusting /proc/sys/kernel/perf_event_paranoid setting to open\n",
            "no permission: see kernel.perf_event_paranoid",
        ),
        ("Error:\nThe cycles event is not supported.\n", "perf said: The cycles event is not "
         "supported."),
        ("", "perf ended with exit code 255"),
    ],
)  # fmt: skip
def test_a_refusal_is_one_line(said: str, why: str) -> None:
    assert refusal(said, 255) == why


def test_without_perf_the_reason_is_given(tmp_path: Path) -> None:
    profiler = Profiler(os.getpid(), folder=tmp_path, perf=str(tmp_path / "no-perf"))
    profiler.start(0.1)
    assert profiler.finish().unavailable == "perf can't be run: No such file or directory"


def test_a_profile_that_was_never_begun_says_so(tmp_path: Path) -> None:
    assert Profiler(os.getpid(), folder=tmp_path).finish().unavailable == "it was never begun"


def script(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_a_failed_perf_is_reported_in_its_own_words(tmp_path: Path) -> None:
    perf = script(tmp_path / "perf", "echo 'Error:' >&2; echo 'no such event' >&2; exit 3")
    profiler = Profiler(os.getpid(), folder=tmp_path, perf=perf)
    profiler.start(0.1)
    assert profiler.finish().unavailable == "perf said: no such event"


def test_abandoning_ends_perf_and_leaves_no_data(tmp_path: Path) -> None:
    data = tmp_path / "perf.data"
    perf = script(tmp_path / "perf", f"echo x > {data}; echo $$ > {tmp_path}/pid; exec sleep 600")
    profiler = Profiler(os.getpid(), folder=tmp_path, perf=perf)
    profiler.start(600)
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
        pass
    pid = int((tmp_path / "pid").read_text())
    profiler.abandon()
    assert not data.exists()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    profiler.abandon()


def test_perf_itself_gives_lines_or_a_reason(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "while True: sum(range(10000))"]) as busy:
        try:
            profiler = Profiler(busy.pid, folder=tmp_path)
            profiler.start(0.5)
            profile = profiler.finish()
        finally:
            busy.kill()
    assert bool(profile.lines) != bool(profile.unavailable)
    assert sum(line.share_pct for line in profile.lines) <= 100.5
    assert list(tmp_path.iterdir()) == []
