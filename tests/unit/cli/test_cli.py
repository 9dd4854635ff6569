"""The command line without servers: help, errors, exit codes, JSON."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

from dyno.cli.main import main

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True)
class Ended:
    """How the command line ended."""

    returncode: int
    stdout: str
    stderr: str


Dyno = Callable[..., Ended]
GB = 1024**3


@pytest.fixture
def dyno(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Dyno]:
    """The command line in this process: a new one takes most of a second to start."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    monkeypatch.chdir(ROOT)

    def run(*arguments: str) -> Ended:
        monkeypatch.setattr(sys, "argv", ["dyno", *arguments])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        return Ended(int(ended.value.code or 0), said.out, said.err)

    yield run
    for number, handler in handlers.items():
        signal.signal(number, handler)


def has_free(monkeypatch: pytest.MonkeyPatch, free_bytes: int) -> None:
    """Make every disk have as much room."""
    usage = SimpleNamespace(total=1024 * GB, free=free_bytes)
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: usage)


def test_help_names_every_command_and_the_exit_codes(dyno: Dyno) -> None:
    words = dyno("--help").stdout
    for command in ("run", "check", "experiments", "report", "servers", "130 interrupted"):
        assert command in words


def test_version(dyno: Dyno) -> None:
    assert dyno("--version").stdout.startswith("dyno 0.")


def test_experiments_lists_what_is_bundled(dyno: Dyno) -> None:
    listed = {entry["name"] for entry in json.loads(dyno("experiments", "--json").stdout)}
    assert {"a-a", "aria-tmp-tables", "tmp-tables-on-disk"} <= listed


@pytest.mark.parametrize("name", ["a-a", "aria-tmp-tables", "tmp-tables-on-disk"])
@pytest.mark.parametrize("form", [(), ("--quick",), ("--arms", "all")])
def test_every_bundled_experiment_can_be_checked(
    dyno: Dyno, monkeypatch: pytest.MonkeyPatch, name: str, form: tuple[str, ...]
) -> None:
    # This host's disk may have no room for the largest of them.
    has_free(monkeypatch, 1024 * GB)
    checked = dyno("check", name, *form)
    assert checked.returncode == 0, checked.stderr
    assert "to the first look" in checked.stdout
    plan = json.loads(dyno("check", name, *form, "--json").stdout)
    assert plan["name"] == name


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_data_that_the_disk_cannot_hold(
    dyno: Dyno, monkeypatch: pytest.MonkeyPatch, form: tuple[str, ...]
) -> None:
    has_free(monkeypatch, 0)
    refused = dyno("check", "aria-tmp-tables", *form)
    assert refused.returncode == 2
    assert "error: the data take about" in refused.stderr
    assert "has 0 B left" in refused.stderr
    assert "--scale" in refused.stderr
    assert dyno("check", "aria-tmp-tables", *form, "--force").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "code", "message", "hint"),
    [
        (("run", "aria-tmp-table"), 2, "no experiment 'aria-tmp-table'", "'aria-tmp-tables'"),
        (("check", "a-a", "--arms", "C"), 2, "there is no arm 'C'", "known: A, B"),
        (("check", "a-a", "--budget", "soon"), 2, "--budget: 'soon' is not a duration", ""),
        (("check", "a-a", "--budget", "0"), 2, "--budget", "20m"),
        (("check", "none/experiment.toml"), 2, "no experiment at", "dyno experiments"),
        (("report", "a-a", "--out", "/none"), 5, "no run of 'a-a'", "dyno run a-a --out /none"),
        (("report", "x/y", "--out", "/none"), 5, "no run of 'x/y'", "give a run folder"),
        (("report", "a:x:b", "--out", "/none"), 5, "no run of 'a:x:b'", "give a run folder"),
        (("report", "python"), 5, "python is not a run folder", "runs/"),
        (("report", "x", "--json", "--format", "markdown"), 2, "--format asks for markdown", "one"),
        (("servers", "install"), 2, "name a server or a --tarball", "dyno servers list"),
        (
            ("servers", "install", "a", "b", "--tarball", "x.tgz", "--sha256", "0"),
            2,
            "a tarball is one server, but it got 2 names",
            "one name or none",
        ),
        (("servers", "install", "--tarball", "x.tgz"), 2, "needs its --sha256", "sha256sum"),
        (("servers", "start", "path", "-s", "x"), 2, "'x' is not NAME=VALUE", ""),
        (("run", "a-a", "--hosts"), 2, "'--hosts' requires an argument", "dyno run --help"),
        (("run", "durability-innodb", "--blocks", "3"), 2, "experiment of crashes", "--quick"),
        (("run", "a-a", "--blocks", "x"), 2, "it should be a valid integer, got 'x'", ""),
        (("run", "a-a", "--scale", "0"), 2, "greater than or equal to 0.000001, got '0'", ""),
        (("check", "a-a", "--set", "a"), 2, "--set goes with --hosts", "the file of hosts"),
        (("check", "a-a", "--hosts", "/none"), 2, "no file of hosts at /none", "[[host]]"),
        (
            ("run", "a-a", "--server", "mysql://u:pw@h/"),
            2,
            "holds a password, which would end up in files",
            "DYNO_PASSWORD",
        ),
    ],
)
def test_a_mistake_is_one_line_and_a_hint(
    dyno: Dyno, arguments: tuple[str, ...], code: int, message: str, hint: str
) -> None:
    failed = dyno(*arguments)
    assert failed.returncode == code, failed.stderr
    errors = [line for line in failed.stderr.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1, failed.stderr
    assert message in errors[0]
    assert hint in failed.stderr
    assert "Traceback" not in failed.stderr
    assert failed.stdout == ""
    assert "pw" not in failed.stderr


@pytest.mark.parametrize("act", ["install", "remove"])
def test_one_unknown_server_among_several_and_nothing_is_done(
    dyno: Dyno, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, act: str
) -> None:
    monkeypatch.setenv("DYNO_HOME", str(tmp_path))
    installed = tmp_path / "servers" / "own"
    installed.mkdir(parents=True)
    (installed / "installation.json").write_text("{}")
    failed = dyno("servers", act, "own", "mysql-5.6")
    assert failed.returncode == 3
    assert "error: there is no server 'mysql-5.6'" in failed.stderr
    assert "did you mean 'mysql-5.6.24'?" in failed.stderr
    assert installed.is_dir()
    assert failed.stdout == ""


def test_a_report_as_json_is_its_findings(dyno: Dyno, tmp_path: Path) -> None:
    with tarfile.open(ROOT / "tests" / "golden" / "kept" / "statements.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    folder = tmp_path / "statements"
    printed = dyno("report", str(folder), "--json")
    assert printed.returncode == 0, printed.stderr
    assert json.loads(printed.stdout) == json.loads((folder / "findings.json").read_bytes())
    assert dyno("report", str(folder), "--format", "json").stdout == printed.stdout


def test_an_unknown_option_is_refused(dyno: Dyno) -> None:
    failed = dyno("run", "a-a", "--bloks", "3")
    assert failed.returncode == 2
    assert "--blocks" in failed.stderr


@pytest.mark.slow
def test_no_color_is_honoured() -> None:
    def words(**environment: str) -> str:
        return subprocess.run(
            [sys.executable, "-m", "dyno.cli.main", "run", "nothing"],
            env=os.environ | {"PYTHONPATH": str(ROOT / "python")} | environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        ).stderr

    assert "\x1b[31" in words(FORCE_COLOR="1") or "\x1b[1;31" in words(FORCE_COLOR="1")
    assert "\x1b[1;31" not in words(FORCE_COLOR="1", NO_COLOR="1")


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [("check", "aria-tmp-tables", "--json"), ("host",)])
def test_a_closed_pipe_is_not_an_error(arguments: tuple[str, ...]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "dyno.cli.main", *arguments],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT / "python")},
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")
