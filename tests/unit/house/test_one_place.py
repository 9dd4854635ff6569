"""What grows most has one home: a metric is added to a copy of the package, as CONTRIBUTING says,
and everything knows it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
KEPT = ROOT / "tests" / "golden" / "kept"

ROW = """    Metric("scratch", "scratch figure", "scratch figures", unit="ms", needs="load"),
"""
MEASURE = '''def scratch(of: Loaded) -> Iterator[Value]:
    """Twice the median latency."""
    for key, op, value in latencies(of):
        if key == "p50":
            yield "scratch", op, 2 * value


'''


def insert(file: Path, before: str, text: str) -> None:
    """Put text before the only place of this kind in a file."""
    was = file.read_text(encoding="utf-8")
    assert was.count(before) == 1
    file.write_text(was.replace(before, text + before), encoding="utf-8")


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with one more metric: two files are touched."""
    root = tmp_path_factory.mktemp("copy")
    shutil.copytree(ROOT / "python" / "dyno", root / "dyno")
    insert(root / "dyno" / "spec" / "metrics.py", ")\nMETRICS = {", ROW)
    measures = root / "dyno" / "analysis" / "measures.py"
    insert(measures, "OF_TRIALS: ", MEASURE)
    insert(measures, "    throughputs,\n", "    scratch,\n")
    return root


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A stored run that claims the new metric where it claimed p95."""
    with tarfile.open(KEPT / "sweep-tasks.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    folder = tmp_path / "sweep-tasks"
    plan = folder / "plan.json"
    text = plan.read_text(encoding="utf-8")
    assert '"p95"' in text
    plan.write_text(text.replace('"p95"', '"scratch"'), encoding="utf-8")
    return folder


def dyno(package: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "dyno.cli.main", *arguments],
        env=os.environ | {"PYTHONPATH": str(package), "COLUMNS": "160", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_claim_about_a_new_metric_is_checked(package: Path, tmp_path: Path) -> None:
    experiment = tmp_path / "scratch.toml"
    kept = (KEPT / "sweep-tasks.toml").read_text(encoding="utf-8")
    experiment.write_text(kept.replace('"p95"', '"scratch"'), encoding="utf-8")
    assert "scratch figure of new / old" in dyno(package, "check", str(experiment))


def test_a_new_metric_is_in_every_form_of_the_report(package: Path, run: Path) -> None:
    terminal = dyno(package, "report", str(run))
    markdown = dyno(package, "report", str(run), "--format", "markdown")
    page = (run / "report.html").read_text(encoding="utf-8")
    for form in (terminal, markdown, page):
        assert "Scratch figure, 4 connections" in form
    for form in (markdown, page):
        assert "scratch figure of new / old at 4 connections" in form
