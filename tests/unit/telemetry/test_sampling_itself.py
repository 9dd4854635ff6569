"""The real thing: sample this very process while it burns CPU and writes to disk."""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from dyno.telemetry import COLUMNS, HostCollector, Sampler, ServerCollector, host_facts

WRITTEN_BYTES = 8 * 2**20


@pytest.fixture
def disk_folder(tmp_path: Path) -> Iterator[Path]:
    """A folder that isn't on tmpfs, where the kernel counts no bytes written to storage."""
    if host_facts(tmp_path).filesystem != "tmpfs":
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=Path(__file__).parent) as folder:
        yield Path(folder)


def total(frame: pl.DataFrame, column: str) -> float:
    """A rate times its windows: what was counted from the first sample to the last rate."""
    seen, start_s = 0.0, frame["t_s"][0]
    for t_s, rate in frame.select("t_s", column).iter_rows():
        if rate is not None:
            seen += rate * (t_s - start_s)
            start_s = t_s
    return seen


def test_cpu_and_written_bytes_of_this_process(disk_folder: Path, tmp_path: Path) -> None:
    origin_s = time.monotonic()
    sampler = Sampler(
        [HostCollector(), ServerCollector(os.getpid())], interval_s=0.25, origin_s=origin_s
    )
    sampler.start()
    begin_s, begin_cpu_s = time.monotonic(), time.process_time()
    with (disk_folder / "written").open("wb") as file:
        file.write(os.urandom(WRITTEN_BYTES))
        file.flush()
        os.fsync(file.fileno())
    block = bytes(2**20)
    while time.monotonic() < begin_s + 1.3:
        hashlib.sha256(block)  # In C: a loop in Python would keep the sampler from its own work.
    cpu_pct = 100 * (time.process_time() - begin_cpu_s) / (time.monotonic() - begin_s)
    series = sampler.stop()
    frame = series.frame

    seen_cpu = total(frame, "server_cpu_user_pct") + total(frame, "server_cpu_system_pct")
    span_s = frame["t_s"][-1] - frame["t_s"][0]
    # On an idle host this is 50 to 130 per cent of a core; when others compete for it, less, but
    # then this process's own clock says so too.
    assert seen_cpu / span_s == pytest.approx(cpu_pct, abs=15)
    assert seen_cpu / span_s < 130
    assert total(frame, "server_wchar_bytes_per_s") >= 0.95 * WRITTEN_BYTES
    assert total(frame, "server_write_bytes_per_s") >= 0.95 * WRITTEN_BYTES
    assert total(frame, "host_block_out_kib_per_s") >= 0.95 * WRITTEN_BYTES / 1024

    shares = frame.select(pl.sum_horizontal(pl.col("^host_cpu_.*_pct$"))).to_series()
    assert shares.to_list()[1:4] == pytest.approx([100.0] * 3)
    assert frame["t_s"][0] >= 0
    assert frame["server_rss_bytes"].null_count() == 0
    assert set(frame.columns) == {"t_s", "unix_ms", *COLUMNS}
    assert 5 <= series.overhead.samples <= 8

    overhead = series.overhead
    assert overhead.cpu_share_pct is not None
    assert overhead.sample_ms_mean is not None
    assert overhead.sample_ms_max is not None
    assert 0 < overhead.cpu_share_pct < 10
    assert 0 < overhead.sample_ms_mean <= overhead.sample_ms_max

    path = tmp_path / "telemetry.parquet"
    frame.write_parquet(path)
    assert pl.read_parquet(path).equals(frame)
