"""`dyno graph` as a command: files, labels, standard input, what it writes and where it says so."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from graph_samples import GOLDEN

from dyno.cli.graph import graph
from dyno.errors import SpecError

LOOP = str(GOLDEN / "sysbench-loop.log")
SLAP = str(GOLDEN / "slap-engines.csv")
Said = tuple[str, str]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Said]:
    """The command alone; errors come through, as they do to `main`."""
    app = typer.Typer(pretty_exceptions_enable=False)
    app.command()(graph)

    def called(*arguments: str) -> Said:
        capsys.readouterr()
        app(list(arguments), standalone_mode=False)
        said = capsys.readouterr()
        return said.out, said.err

    return called


@pytest.mark.slow
def test_a_page_and_each_chart_as_svg_and_png(run: Callable[..., Said], tmp_path: Path) -> None:
    out, err = run(f"A={LOOP}", "--out", str(tmp_path / "deep" / "g"))
    names = {path.name for path in (tmp_path / "deep" / "g").iterdir()}
    assert "graph.html" in names
    assert {"throughput.svg", "throughput.png", "latency-over-time.svg"} <= names
    assert len(names) == 1 + 2 * 4
    assert (tmp_path / "deep" / "g" / "throughput.png").read_bytes().startswith(b"\x89PNG")
    assert out == ""
    assert "sysbench, 4 runs, 4 other lines skipped" in err
    assert f"page: {tmp_path}" in err.replace("\n", " ")


def test_json_is_alone_on_stdout_and_nothing_is_written(
    run: Callable[..., Said], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    out, _ = run(f"old={SLAP}", LOOP, "--label", "slap", "--json")
    found = json.loads(out)
    assert found["schema"] == 1
    assert [file["label"] for file in found["files"]] == ["slap", "sysbench-loop"]
    assert list(tmp_path.iterdir()) == []


def test_standard_input(run: Callable[..., Said], monkeypatch: pytest.MonkeyPatch) -> None:
    content = Path(SLAP).read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    out, _ = run("piped=-", "--json")
    (file,) = json.loads(out)["files"]
    assert (file["label"], file["file"], len(file["runs"])) == ("piped", "standard input", 12)


def test_a_name_with_a_sign_in_it_is_a_name(run: Callable[..., Said], tmp_path: Path) -> None:
    path = tmp_path / "threads=4.csv"
    path.write_bytes(Path(SLAP).read_bytes())
    out, _ = run(str(path), "--json")
    assert json.loads(out)["files"][0]["label"] == "threads=4"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((SLAP, "--format", "csv"), "--format: 'csv' is no format"),
        ((SLAP, "--label", "a", "--label", "b"), "--label is given 2 times for 1 files"),
        ((f"={SLAP}",), "the label is empty"),
        (("-", "-"), "standard input is given twice"),
        ((SLAP, "--format", "pgbench"), "no run of pgbench"),
        (("no/such/file",), "can't be read"),
    ],
)
def test_wrong_arguments(
    run: Callable[..., Said], arguments: tuple[str, ...], message: str
) -> None:
    with pytest.raises(SpecError) as raised:
        run(*arguments)
    assert message in raised.value.message
    assert raised.value.hint
