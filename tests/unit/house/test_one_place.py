"""What grows most has one home: a metric and a section of the report are added to a copy of the
package, as CONTRIBUTING says, and everything knows them.
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
SECTION = '''"""A section of one table."""

from dyno.report.section import Lines, Section, Table
from dyno.report.sheets import Column, Group, Row, Sheet, given


def section(findings):
    """Every run has it."""
    rows = [Row(arm.name, [given(str(arm.trials_ok))]) for arm in findings.arms]
    sheet = Sheet("Trials", "Arm", [Column("Scratch trials")], [Group("", rows)])
    return Section("scratch", "Scratch section", [Lines(["A scratch line."]), Table(sheet)])
'''


def insert(file: Path, before: str, text: str) -> None:
    """Put text before the only place of this kind in a file."""
    was = file.read_text(encoding="utf-8")
    assert was.count(before) == 1
    file.write_text(was.replace(before, text + before), encoding="utf-8")


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with one more metric, for which two files are touched, and one more
    section, for which one is.
    """
    root = tmp_path_factory.mktemp("copy")
    shutil.copytree(ROOT / "python" / "dyno", root / "dyno")
    insert(root / "dyno" / "spec" / "metrics.py", ")\nMETRICS = {", ROW)
    measures = root / "dyno" / "analysis" / "measures.py"
    insert(measures, "OF_TRIALS: ", MEASURE)
    insert(measures, "    throughputs,\n", "    scratch,\n")
    (root / "dyno" / "report" / "scratch.py").write_text(SECTION, encoding="utf-8")
    sections = root / "dyno" / "report" / "sections.py"
    insert(sections, "\nSECTIONS: ", "from dyno.report import scratch\n")
    insert(sections, "    tpcc.section,\n", "    scratch.section,\n")
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


def forms(package: Path, run: Path) -> tuple[str, str, str]:
    """Terminal, Markdown and HTML."""
    terminal = dyno(package, "report", str(run))
    markdown = dyno(package, "report", str(run), "--format", "markdown")
    return terminal, markdown, (run / "report.html").read_text(encoding="utf-8")


def test_a_claim_about_a_new_metric_is_checked(package: Path, tmp_path: Path) -> None:
    experiment = tmp_path / "scratch.toml"
    kept = (KEPT / "sweep-tasks.toml").read_text(encoding="utf-8")
    experiment.write_text(kept.replace('"p95"', '"scratch"'), encoding="utf-8")
    assert "scratch figure of new / old" in dyno(package, "check", str(experiment))


def test_a_new_metric_is_in_every_form_of_the_report(package: Path, run: Path) -> None:
    terminal, markdown, page = forms(package, run)
    for form in (terminal, markdown, page):
        assert "Scratch figure, 4 connections" in form
    for form in (markdown, page):
        assert "scratch figure of new / old at 4 connections" in form


def test_a_new_section_is_in_every_form_of_the_report(package: Path, run: Path) -> None:
    terminal, markdown, page = forms(package, run)
    for form in (terminal, markdown, page):
        assert "Scratch section" in form
        assert "A scratch line." in form
    assert "| Arm | Scratch trials |" in markdown
    assert ">Scratch trials<" in page
    assert '<a href="#scratch">Scratch section</a>' in page
