"""Real logs as rows: formats, times, what isn't a log line, packed files."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from dyno.cli.app import app
from dyno.errors import SpecError, StoreError
from dyno.weblog import convert
from dyno.weblog.line import COLUMN_BYTES, NULL, MalformedLineError, row_of

COMMON = b'10.0.0.7 - frank [10/Oct/2004:13:55:36 -0700] "GET /a.gif?x=1 HTTP/1.0" 200 2326'
COMBINED = COMMON + b' "http://www.example/start.html" "Mozilla/4.08 [en]"'


def test_common_and_combined_lines_are_rows() -> None:
    row = ["GET", "2326", "HTTP/1.0", "/a.gif", "x=1", NULL, "10.0.0.7"]
    rest = ["frank", NULL, "2004-10-10 20:55:36"]
    assert row_of(COMMON).values == [*row, NULL, *rest]
    assert row_of(COMBINED).values == [*row, "http://www.example/start.html", *rest]


def test_a_virtual_host_in_front_is_the_host() -> None:
    assert row_of(b"www.example:80 " + COMBINED).values[5] == "www.example"


@pytest.mark.parametrize(
    ("request_line", "columns"),
    [
        (b"-", [NULL, NULL, NULL]),
        (rb"\x16\x03\x01", [NULL, NULL, NULL]),
        (b"GET /", ["GET", NULL, "/"]),
        (b"GET /? HTTP/1.1", ["GET", "HTTP/1.1", "/"]),
    ],
)
def test_requests_that_are_none_are_unknown(request_line: bytes, columns: list[str]) -> None:
    line = COMMON.replace(b"GET /a.gif?x=1 HTTP/1.0", request_line)
    method, _, protocol, uri, args, *_ = row_of(line).values
    assert [method, protocol, uri, args] == [*columns, NULL]


def test_nothing_needs_escaping_in_a_row() -> None:
    line = COMMON.replace(b"/a.gif", "/ä'b\\\"c".encode())
    assert row_of(line).values[3] == "/%C3%A4%27b%5C%22c"
    long = row_of(COMMON.replace(b"/a.gif", b"/" + 400 * b"a"))
    assert (len(long.values[3]), long.cut) == (COLUMN_BYTES, 1)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"hello",
        COMMON.replace(b"200", b"2000"),
        COMMON.replace(b"10/Oct", b"32/Oct"),
        COMMON.replace(b"Oct", b"Okt"),
        COMMON.replace(b"13:55", b"25:55"),
        COMMON[:40],
        COMMON + 70_000 * b"a",
    ],
)
def test_other_lines_are_malformed(line: bytes) -> None:
    with pytest.raises(MalformedLineError):
        row_of(line)


@given(st.binary(max_size=300))
def test_any_bytes_are_a_row_or_malformed(noise: bytes) -> None:
    for line in (noise, COMMON.replace(b"/a.gif", noise), COMBINED + noise):
        try:
            values = row_of(line).values
        except MalformedLineError:
            continue
        assert len(values) == 11
        for value in values:
            assert value == NULL or (value.isascii() and value.isprintable())
            assert value == NULL or not set(value) & set("'\"\\\t")


def test_logs_are_joined_and_the_rest_is_kept_aside(tmp_path: Path) -> None:
    plain, packed = tmp_path / "a.log", tmp_path / "b.log.gz"
    plain.write_bytes(COMMON + b"\nnoise\n\n" + COMBINED + b"\n")
    packed.write_bytes(gzip.compress(COMBINED + b"\n" + b"tail without an end"))
    out, rejected = tmp_path / "rows.tsv", tmp_path / "rows.rejected"
    done = convert([plain, packed], out, rejected=rejected)
    assert (done.rows, sum(done.malformed.values())) == (3, 2)
    assert list(done.first.values()) == [f"{plain}:2"]
    lines = out.read_text().splitlines()
    assert [line.split("\t")[0] for line in lines] == ["1", "2", "3"]
    assert all(len(line.split("\t")) == 12 for line in lines)
    assert rejected.read_bytes() == b"noise\ntail without an end\n"


def test_what_goes_wrong_leaves_no_file(tmp_path: Path) -> None:
    noise, cut = tmp_path / "noise", tmp_path / "cut.gz"
    noise.write_bytes(b"noise\n")
    cut.write_bytes(gzip.compress(100 * (COMMON + b"\n"))[:-20])
    out = tmp_path / "rows.tsv"
    for logs, says in (
        ([noise], "no line of a log"),
        ([cut], "can't be read"),
        ([tmp_path / "missing"], "can't be read"),
    ):
        with pytest.raises(SpecError, match=says):
            convert(logs, out, rejected=tmp_path / "rows.rejected")
    with pytest.raises(StoreError):
        convert([noise], tmp_path / "no" / "rows.tsv", rejected=tmp_path / "rows.rejected")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cut.gz", "noise"]


def test_the_command_counts_and_tells(tmp_path: Path) -> None:
    log, out = tmp_path / "a.log", tmp_path / "rows.tsv"
    log.write_bytes(COMMON + b"\nnoise\n")
    shown = CliRunner().invoke(app, ["import-log", str(log), "--out", str(out), "--json"])
    assert shown.exit_code == 0, shown.output
    document = json.loads(shown.stdout)
    assert (document["rows"], document["cut"]) == (1, 0)
    assert list(document["malformed"].values()) == [1]
