"""The command line without servers: help, errors, exit codes, JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def dyno(*arguments: str, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "dyno.cli.main", *arguments],
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": str(ROOT / "python"), "COLUMNS": "100"} | environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_help_names_every_command_and_the_exit_codes() -> None:
    words = dyno("--help").stdout
    for command in ("run", "check", "experiments", "report", "servers", "130 interrupted"):
        assert command in words


def test_version() -> None:
    assert dyno("--version").stdout.startswith("dyno 0.")


def test_experiments_lists_what_is_bundled() -> None:
    listed = {entry["name"] for entry in json.loads(dyno("experiments", "--json").stdout)}
    assert {"a-a", "aria-tmp-tables", "tmp-tables-on-disk"} <= listed


@pytest.mark.parametrize("name", ["a-a", "aria-tmp-tables", "tmp-tables-on-disk"])
@pytest.mark.parametrize("form", [(), ("--quick",), ("--arms", "all")])
def test_every_bundled_experiment_can_be_checked(name: str, form: tuple[str, ...]) -> None:
    checked = dyno("check", name, *form)
    assert checked.returncode == 0, checked.stderr
    assert "to the first look" in checked.stdout
    plan = json.loads(dyno("check", name, *form, "--json").stdout)
    assert plan["name"] == name


@pytest.mark.parametrize(
    ("arguments", "code", "message", "hint"),
    [
        (("run", "aria-tmp-table"), 2, "no experiment 'aria-tmp-table'", "'aria-tmp-tables'"),
        (("check", "a-a", "--arms", "C"), 2, "there is no arm 'C'", "known: A, B"),
        (("check", "a-a", "--budget", "soon"), 2, "--budget: 'soon' is not a duration", ""),
        (("check", "a-a", "--budget", "0"), 2, "--budget", "20m"),
        (("check", "none/experiment.toml"), 2, "no experiment at", "dyno experiments"),
        (("report", "a-a", "--out", "/nonexistent"), 5, "there is no run of 'a-a'", "dyno run a-a"),
        (("report", "python"), 5, "python is not a run folder", "runs/"),
        (("servers", "install"), 2, "name a server or a --tarball", "dyno servers list"),
        (("servers", "install", "--tarball", "x.tgz"), 2, "needs its --sha256", "sha256sum"),
        (("servers", "start", "path", "-s", "x"), 2, "'x' is not NAME=VALUE", ""),
        (
            ("run", "a-a", "--server", "mysql://u:pw@h/"),
            2,
            "an address holds no password",
            "DYNO_PASSWORD",
        ),
    ],
)
def test_a_mistake_is_one_line_and_a_hint(
    arguments: tuple[str, ...], code: int, message: str, hint: str
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


def test_an_unknown_option_is_refused() -> None:
    failed = dyno("run", "a-a", "--bloks", "3")
    assert failed.returncode == 2
    assert "--blocks" in failed.stderr


def test_no_color_is_honoured() -> None:
    colours = {"NO_COLOR": "1", "FORCE_COLOR": "", "TTY_COMPATIBLE": ""}
    failed = dyno("run", "nothing", **colours)
    assert "\x1b[" not in failed.stderr


def test_a_closed_pipe_is_no_error() -> None:
    done = subprocess.run(
        f"{sys.executable} -m dyno.cli.main check aria-tmp-tables --json | head -1",
        shell=True,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT / "python")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "Traceback" not in done.stderr
