"""The documents against the code: what exists is described, and what is linked exists."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, TypeAdapter

from dyno import errors
from dyno.analysis.model import Findings
from dyno.analysis.part import WithEstimates
from dyno.cli.reference import commands, options_of, reference
from dyno.spec import experiment as spec
from dyno.spec import reference as experiment_keys
from dyno.spec.durability import DurabilityExperiment
from dyno.spec.explain import models_in
from dyno.spec.inventory import Inventory
from dyno.spec.least import Least
from dyno.spec.matrix import expand_arms
from dyno.spec.plan import Options, Plan, make_plan
from dyno.spec.read import parse_experiment, read_any
from dyno.spec.series import make_series
from dyno.store.run import RunState
from dyno.store.trial import Trial

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"
GUIDE = DOCS / "guides" / "write-an-experiment.md"
PAGES = sorted(
    page
    for pattern in ("*.md", "docs/**/*.md", "experiments/*/README.md", "fuzz/*.md")
    for page in ROOT.glob(pattern)
)
EXPERIMENTS = sorted(path.parent for path in ROOT.glob("experiments/*/experiment.toml"))
FENCE = re.compile(r"^```(?P<mark>[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def read(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def code_words(page: Path) -> set[str]:
    """Every word that stands in code on a page, in spans and blocks."""
    text = read(page)
    spans = CODE.findall(FENCE.sub("", text)) + [m["body"] for m in FENCE.finditer(text)]
    return {word for span in spans for word in re.findall(r"\w+", span)}


def keys_of(*models: type[BaseModel]) -> set[str]:
    """The keys that the models have in files."""
    found = set()
    for model in models:
        estimates = model.estimates() if issubclass(model, WithEstimates) else {}
        for name in model.model_fields:
            found |= set(estimates[name][:3]) if name in estimates else {name}
    return found


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as code hosts make them."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", read(page)), re.MULTILINE)
    kept = [re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings]
    return {heading.replace(" ", "-") for heading in kept}


def test_the_command_line_page_is_what_the_code_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert read(DOCS / "reference" / "cli.md") == reference(), (
        "run: python -m dyno.cli.reference > docs/reference/cli.md"
    )


def test_every_command_and_option_is_on_its_page() -> None:
    found = dict(commands())
    assert {"dyno run", "dyno check", "dyno servers install"} <= found.keys()
    sections = re.split(r"^## ", read(DOCS / "reference" / "cli.md"), flags=re.MULTILINE)
    described = {section.splitlines()[0]: section for section in sections[1:]}
    assert described.keys() == found.keys()
    for name, command in found.items():
        for option in options_of(command):
            assert re.search(rf"[`\s]{re.escape(option)}\b", described[name]), f"{name} {option}"


@pytest.mark.parametrize("folder", EXPERIMENTS, ids=lambda path: path.name)
def test_every_experiment_is_documented_and_bundled(folder: Path) -> None:
    words = read(folder / "README.md")
    experiment = read_any(folder)
    for part in ("Question", "Source", "Arms", "How it decides", "What it can't tell", "Run it"):
        assert f"**{part}" in words, f"{folder.name}/README.md lacks {part}"
    assert experiment.question in " ".join(words.split())
    assert f"experiments/{folder.name}/README.md" in read(ROOT / "README.md")
    bundled = tomllib.loads(read(ROOT / "pyproject.toml"))["tool"]["setuptools"]["data-files"]
    assert f"share/dyno/experiments/{folder.name}" in bundled
    measures = isinstance(experiment, spec.Experiment)
    assert len(expand_arms(experiment) if measures else experiment.arm) > 1


def test_every_exit_code_is_documented() -> None:
    dyno, dynoload = read(DOCS / "reference" / "exit-codes.md").split("## dynoload")
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    mistakes = [kind for kind in kinds if issubclass(kind, errors.DynoError)]
    assert len(mistakes) > 5
    for kind in mistakes:
        assert f"| {kind.exit_code} | `{kind.__name__}` |" in dyno
    codes = re.findall(r"Exit::\w+ => (\d+),", read(ROOT / "crates/dynoload/src/exit.rs"))
    assert len(codes) > 5
    for code in codes:
        assert f"\n| {code} | " in dynoload


def tables_below(model: type[BaseModel]) -> set[type[BaseModel]]:
    """The models of all tables of a file that has this one at its top."""
    inner = {part for field in model.model_fields.values() for part in models_in(field.annotation)}
    return {model}.union(*map(tables_below, inner))


def test_the_page_of_an_experiments_keys_is_what_the_models_say() -> None:
    assert read(DOCS / "reference" / "experiment-keys.md") == experiment_keys.reference(), (
        "run: python -m dyno.spec.reference > docs/reference/experiment-keys.md"
    )


def test_every_table_of_an_experiment_has_a_section_and_every_key_a_description() -> None:
    tables = tables_below(spec.Experiment) | tables_below(DurabilityExperiment)
    assert {spec.Claim, spec.Task, spec.Distribution, Least} <= tables
    assert set(experiment_keys.SECTIONS.values()) == tables
    silent = [
        f"{table.__name__}.{key}"
        for table in tables
        for key, field in table.model_fields.items()
        if not (field.description or "").endswith(".")
    ]
    assert not silent, silent
    assert [table.__name__ for table in tables if not table.__doc__] == []


def test_every_key_of_an_experiment_is_a_row_of_its_tables_section() -> None:
    page = read(DOCS / "reference" / "experiment-keys.md")
    sections = dict(
        part.split("\n", maxsplit=1) for part in re.split(r"^## ", page, flags=re.MULTILINE)[1:]
    )
    for heading, table in experiment_keys.SECTIONS.items():
        rows = re.findall(r"^\| `(\w+)` \| .+ \| .+ \| .{3,} \|$", sections[heading], re.MULTILINE)
        assert rows == [field.alias or key for key, field in table.model_fields.items()], heading


def test_the_guide_to_experiments_is_short() -> None:
    assert len(read(GUIDE).split()) <= 1500


def test_the_examples_of_the_guides_are_experiments() -> None:
    examples = 0
    for page in PAGES:
        for block in FENCE.finditer(read(page)):
            if not block["mark"].startswith("toml"):
                continue
            document: dict[str, Any] = tomllib.loads(block["body"])
            if block["mark"] == "toml experiment":
                examples += 1
                parsed = parse_experiment(document, source=page.name)
                assert make_plan(parsed, Options(), name="example").claims
            elif block["mark"] == "toml crashes":
                crashes = DurabilityExperiment.model_validate(document)
                assert make_series(crashes, name="example").claims
            elif block["mark"] == "toml hosts":
                assert Inventory.model_validate(document).sets
            else:
                assert block["mark"] == "toml part", f"{page.name}: say what this TOML is"
                for key, value in document.items():
                    field = spec.Experiment.model_fields[key]
                    TypeAdapter(field.annotation).validate_python(value)
    assert examples >= 2


def guide_blocks(mark: str) -> list[str]:
    """The blocks of the guide to experiments that have this mark."""
    return [m["body"] for m in FENCE.finditer(read(GUIDE)) if m["mark"] == mark]


def plan_of(document: dict[str, Any]) -> Plan:
    parsed = parse_experiment(document, source="guide")
    return make_plan(parsed, Options(control=False), name="example")


def test_the_matrix_of_the_guide_expands() -> None:
    (part,) = [part for part in guide_blocks("toml part") if "[matrix]" in part]
    document = tomllib.loads(guide_blocks("toml experiment")[0]) | tomllib.loads(part)
    del document["arm"], document["claim"]
    plan = make_plan(
        parse_experiment(document, source="guide"), Options(control=False), name="example"
    )
    assert len(plan.arms) == 6
    assert plan.baseline.name == "mariadb-10.1.8 / InnoDB / small"


def test_the_sweep_of_the_guide_makes_a_claim_of_each_level() -> None:
    document = tomllib.loads(guide_blocks("toml experiment")[1])
    plan = make_plan(
        parse_experiment(document, source="guide"), Options(control=False), name="example"
    )
    assert [point.connections for point in plan.points] == [1, 4, 16, 64]
    assert len(plan.claims) == 4


def test_every_key_of_a_run_folder_is_documented() -> None:
    page = code_words(DOCS / "reference" / "run-folder.md")
    keys = keys_of(Plan, Options, RunState, Trial, Findings) - {"plan_schema"}
    parts = [field.annotation for field in Findings.model_fields.values()]
    for part in parts:
        for inner in (part, *getattr(part, "__args__", ())):
            if isinstance(inner, type) and issubclass(inner, BaseModel):
                keys |= keys_of(inner) - keys_of(spec.Arm, spec.Published)
    assert keys - page == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_local_link_leads_somewhere(page: Path) -> None:
    for link in LINK.findall(FENCE.sub("", read(page))):
        if link.startswith(("http://", "https://")):
            continue
        place, _, anchor = link.partition("#")
        target = (page.parent / place).resolve() if place else page
        assert target.exists(), f"{link} leads nowhere"
        assert target.is_relative_to(ROOT), f"{link} leads out of the repository"
        if anchor:
            assert anchor in anchors(target), f"{link}: there is no such heading"


def test_every_decision_has_a_number_of_its_own_and_three_parts() -> None:
    pages = sorted((DOCS / "adr").glob("*.md"))
    assert [page.name[:4] for page in pages] == [f"{i:04d}" for i in range(1, len(pages) + 1)]
    for page in pages:
        text = read(page)
        assert text.startswith(f"# {int(page.name[:4])}. ")
        assert len(text.splitlines()) < 40
        for part in ("**Context.**", "**Decision.**", "**Consequences.**"):
            assert part in text, f"{page.name} lacks {part}"


def test_every_page_is_linked_from_another() -> None:
    linked = {
        (page.parent / link.partition("#")[0]).resolve()
        for page in PAGES
        for link in LINK.findall(read(page))
        if not link.startswith("http")
    }
    decisions = set((DOCS / "adr").glob("*.md"))  # Their folder is linked.
    assert DOCS / "adr" in linked
    assert {p for p in DOCS.rglob("*.md")} - linked - decisions == set()
