"""A trial's files are what was written, by the sums beside them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import polars as pl
import pytest
from load_runs import at_rate, load_run, plan

from dyno.analysis import find
from dyno.errors import StoreError
from dyno.store.run import RunFolder


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    return load_run(tmp_path, at_rate(lambda arm, point: 1000.0), blocks=2, plan=plan())


def trial(run: RunFolder) -> Path:
    return run.trial_path(min(run.done()))


def test_the_sums_are_those_of_sha256sum(run: RunFolder) -> None:
    done = subprocess.run(
        ["sha256sum", "--check", "--strict", "SHA256SUMS"],
        cwd=trial(run),
        capture_output=True,
        text=True,
        check=True,
    )
    assert "trial.json: OK" in done.stdout


@pytest.mark.parametrize("name", ["trial.json", "intervals.parquet", "bins.parquet"])
def test_a_flipped_bit_is_noticed(run: RunFolder, name: str) -> None:
    path = trial(run) / name
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(StoreError, match=f"{name} is damaged: .*SHA-256") as refused:
        find(run)
    assert str(trial(run)) in (refused.value.hint or "")


def test_a_file_that_is_gone_is_missed(run: RunFolder) -> None:
    (trial(run) / "intervals.parquet").unlink()
    with pytest.raises(StoreError, match="parquet is missing"):
        find(run)


@pytest.mark.parametrize(
    ("column", "value", "says"),
    [
        ("count", -1, "count is below 0"),
        ("t_s", float("inf"), "t_s is infinite"),
        ("t_s", None, "t_s has gaps"),
        ("op", 7, "op holds"),
        ("histogram", "HISTFAAA", "no histogram"),
    ],
)
def test_series_that_nothing_writes(run: RunFolder, column: str, value: object, says: str) -> None:
    (trial(run) / "SHA256SUMS").unlink()
    path = trial(run) / "intervals.parquet"
    frame = pl.read_parquet(path)
    frame.with_columns(pl.lit(value).alias(column)).write_parquet(path)
    with pytest.raises(StoreError, match="parquet is damaged") as refused:
        find(run)
    assert says in refused.value.message
