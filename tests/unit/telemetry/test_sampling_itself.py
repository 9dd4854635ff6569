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

from dyno.telemetry import COLUMNS, HostCollector, Sampler, Series, ServerCollector, host_facts

WRITTEN_BYTES = 8 * 2**20


@pytest.fixture
def disk_folder(tmp_path: Path) -> Iterator[Path]:
    """A folder that isn't on tmpfs, where the kernel counts no bytes written to storage."""
    if host_facts(tmp_path).filesystem != "tmpfs":
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=Path(__file__).parent) as folder:
        yield Path(folder)


def counted(series: Series, column: str) -> tuple[float, float]:
    """What a counter grew by, at least and at most: its rates times their windows.

    A sample's counters are read within `elapsed_ms` of its t_s, later on a busy host; the rates are
    exact for the true instants, which the samples don't hold.
    """
    low, high = 0.0, 0.0
    start = series.samples[0]
    for sample in series.samples[1:]:
        rate = sample.values[column]
        if rate is None:
            continue
        before_s, now_s = start.elapsed_ms / 1000, sample.elapsed_ms / 1000
        low += rate * max(0.0, sample.t_s - start.t_s - before_s)
        high += rate * (sample.t_s - start.t_s + now_s)
        start = sample
    return low, high


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
    while time.monotonic() < begin_s + 1.4:
        hashlib.sha256(block)  # In C: a loop in Python would keep the sampler from its own work.
    # The last sample is taken while it stops.
    least_pct_s = 100 * (time.process_time() - begin_cpu_s)
    series = sampler.stop()
    most_pct_s = 100 * (time.process_time() - begin_cpu_s)
    elapsed_s = time.monotonic() - begin_s
    frame = series.frame

    user, system = counted(series, "server_cpu_user_pct"), counted(series, "server_cpu_system_pct")
    # On a busy host the sample before may be late, and the last one then too near to it for rates.
    # Two threads of this process can have run in between.
    rated = [each for each in series.samples if each.values["server_cpu_user_pct"] is not None]
    unrated_pct_s = 200 * (series.samples[-1].t_s - rated[-1].t_s)
    # Each counter's ticks are 10 ms. An idle host gives this process some 140 per cent-seconds.
    assert user[0] + system[0] - 5 <= most_pct_s
    assert least_pct_s <= user[1] + system[1] + unrated_pct_s + 5
    assert user[0] + system[0] < 130 * elapsed_s
    wchar_low, wchar_high = counted(series, "server_wchar_bytes_per_s")
    assert wchar_low <= 1.1 * WRITTEN_BYTES
    assert wchar_high >= 0.99 * WRITTEN_BYTES
    assert counted(series, "server_write_bytes_per_s")[1] >= 0.99 * WRITTEN_BYTES
    assert counted(series, "host_block_out_kib_per_s")[1] >= 0.95 * WRITTEN_BYTES / 1024

    shares = frame.select(pl.sum_horizontal(pl.col("^host_cpu_.*_pct$"))).to_series()
    assert shares.to_list()[1:4] == pytest.approx([100.0] * 3)
    assert frame["t_s"][0] >= 0
    assert frame["server_rss_bytes"].null_count() == 0
    assert set(frame.columns) == {"t_s", "unix_ms", *COLUMNS}
    # One at the start, one at the end, and one for each interval.
    assert 5 <= series.overhead.samples + series.overhead.missed <= elapsed_s / 0.25 + 3

    overhead = series.overhead
    assert overhead.cpu_share_pct is not None
    assert overhead.sample_ms_mean is not None
    assert overhead.sample_ms_max is not None
    assert 0 < overhead.cpu_share_pct < 10
    assert 0 < overhead.sample_ms_mean <= overhead.sample_ms_max

    path = tmp_path / "telemetry.parquet"
    frame.write_parquet(path)
    assert pl.read_parquet(path).equals(frame)
