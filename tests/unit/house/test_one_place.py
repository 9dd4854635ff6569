"""What grows most has one home: a metric, a workload and a section of the report are added to a
copy of the package, as CONTRIBUTING says, and everything knows them.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from filecmp import cmp
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "python" / "dyno"
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

# The workload does what the stored run did, so that its trials have the op.
WORKLOAD = '''"""The workload `scratch`."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from dyno.spec.kind import Kind
from dyno.spec.strict import Strict


class ScratchKeys(Strict):
    kind: Literal["scratch"]
    number: Annotated[int, Field(ge=0)] = 1


class LoadScratch(ScratchKeys):
    pass


class ScratchWorkload(ScratchKeys, Kind):
    load_keys: ClassVar[type[Strict]] = LoadScratch
    writes: ClassVar[bool] = False
    row_count: ClassVar[int] = 0
    size_bytes: ClassVar[int] = 0
    ops: ClassVar[list[str]] = ["oltp_read_write"]

    session: list[str] = []

    def scaled(self, scale):
        return self

    def facts(self):
        yield "number", str(self.number)
'''
OWN_FINDINGS = '''"""What a run of `scratch` has of its own."""

from dyno.analysis.part import FindingsPart


class Scratch(FindingsPart):
    number: int


def scratch(plan, samples):
    return Scratch(number=plan.workload.number)
'''
OWN_SECTION = '''"""The section that runs of `scratch` have."""

from dyno.report.section import Lines, Section


def section(findings):
    own = findings.scratch
    return own and Section("own", "Scratch workload", [Lines([f"Its number is {own.number}."])])
'''


def insert(file: Path, before: str, text: str) -> None:
    """Put text before the only place of this kind in a file."""
    was = file.read_text(encoding="utf-8")
    assert was.count(before) == 1
    file.write_text(was.replace(before, text + before), encoding="utf-8")


def add_metric(package: Path) -> None:
    insert(package / "spec" / "metrics.py", ")\nMETRICS = {", ROW)
    insert(package / "analysis" / "measures.py", "OF_TRIALS: ", MEASURE)
    insert(package / "analysis" / "measures.py", "    throughputs,\n", "    scratch,\n")


def add_section(package: Path) -> None:
    (package / "report" / "sections" / "scratch.py").write_text(SECTION, encoding="utf-8")
    registry = package / "report" / "sections" / "registry.py"
    insert(registry, "\nSECTIONS: ", "from dyno.report.sections import scratch\n")
    insert(registry, "    tpcc.section,\n", "    scratch.section,\n")


def add_workload(package: Path) -> None:
    (package / "spec" / "scratch.py").write_text(WORKLOAD, encoding="utf-8")
    spec = package / "spec" / "workload.py"
    insert(spec, "\nAnyWorkload = ", "from dyno.spec.scratch import LoadScratch, ScratchWorkload\n")
    insert(spec, "    | OltpWorkload\n", "    | ScratchWorkload\n")
    insert(spec, "    | LoadOltp\n", "    | LoadScratch\n")
    (package / "analysis" / "scratch.py").write_text(OWN_FINDINGS, encoding="utf-8")
    analysis = package / "analysis" / "workloads.py"
    insert(analysis, "\n\nclass OfWorkload", "from dyno.analysis.scratch import Scratch, scratch\n")
    insert(analysis, "    linkbench: Linkbench ", "    scratch: Scratch | None = None\n")
    insert(analysis, '    "tpcc": tpcc,\n', '    "scratch": scratch,\n')
    (package / "report" / "sections" / "own.py").write_text(OWN_SECTION, encoding="utf-8")
    registry = package / "report" / "sections" / "registry.py"
    insert(registry, "\nSECTIONS: ", "from dyno.report.sections import own\n")
    insert(registry, "    linkbench.section,\n", "    own.section,\n")


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a copy of the package is, with one more of each."""
    root = tmp_path_factory.mktemp("copy")
    shutil.copytree(PACKAGE, root / "dyno")
    for add in (add_metric, add_section, add_workload):
        add(root / "dyno")
    return root


@pytest.fixture(scope="module")
def forms(package: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str, str]:
    """The report in terminal, Markdown and HTML, of a stored run of the new workload that claims
    the new metric where it claimed p95.
    """
    runs = tmp_path_factory.mktemp("runs")
    with tarfile.open(KEPT / "sweep-tasks.tar.xz") as archive:
        archive.extractall(runs, filter="data")
    folder = runs / "sweep-tasks"
    plan = folder / "plan.json"
    text = plan.read_text(encoding="utf-8")
    assert '"p95"' in text
    document = json.loads(text.replace('"p95"', '"scratch"'))
    document["workload"] = {"kind": "scratch", "number": 7, "session": []}
    plan.write_text(json.dumps(document), encoding="utf-8")
    terminal = dyno(package, "report", str(folder))
    markdown = dyno(package, "report", str(folder), "--format", "markdown")
    return terminal, markdown, (folder / "report.html").read_text(encoding="utf-8")


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


@pytest.mark.parametrize(("add", "most"), [(add_metric, 2), (add_section, 1), (add_workload, 3)])
def test_few_files_are_touched(add: Callable[[Path], None], most: int, tmp_path: Path) -> None:
    copy = tmp_path / "dyno"
    shutil.copytree(PACKAGE, copy)
    add(copy)
    sources = [path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py")]
    touched = [path for path in sources if not cmp(PACKAGE / path, copy / path, shallow=False)]
    assert 1 <= len(touched) <= most, touched


def test_a_claim_about_a_new_metric_is_checked(package: Path, tmp_path: Path) -> None:
    experiment = tmp_path / "scratch.toml"
    kept = (KEPT / "sweep-tasks.toml").read_text(encoding="utf-8")
    experiment.write_text(kept.replace('"p95"', '"scratch"'), encoding="utf-8")
    assert "scratch figure of new / old" in dyno(package, "check", str(experiment))


def test_a_new_metric_is_in_every_form_of_the_report(forms: tuple[str, str, str]) -> None:
    terminal, markdown, page = forms
    for form in (terminal, markdown, page):
        assert "Scratch figure, 4 connections" in form
    for form in (markdown, page):
        assert "scratch figure of new / old at 4 connections" in form


def test_a_new_workload_is_in_every_form_of_the_report(forms: tuple[str, str, str]) -> None:
    terminal, markdown, page = forms
    for form in (terminal, markdown, page):
        assert "Scratch workload" in form
        assert "Its number is 7." in form
    assert "throughput, ratio to old" in terminal
    for form in (markdown, page):
        assert "throughput of new / old at 4 connections" in form


def test_a_new_section_is_in_every_form_of_the_report(forms: tuple[str, str, str]) -> None:
    terminal, markdown, page = forms
    for form in (terminal, markdown, page):
        assert "Scratch section" in form
        assert "A scratch line." in form
    assert "| Arm | Scratch trials |" in markdown
    assert ">Scratch trials<" in page
    assert '<a href="#scratch">Scratch section</a>' in page
