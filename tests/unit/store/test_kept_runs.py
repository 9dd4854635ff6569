"""Run folders that an earlier Dyno made give the figures that they gave then, to the digit."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dyno.analysis import find
from dyno.store.run import RunFolder

KEPT = Path(__file__).parents[2] / "golden" / "kept"
# Results that aren't numbers.
JUDGED = ("verdict", "state", "metric", "unit", "numerator_arm", "denominator_arm", "op")


def results(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every number and judgement of findings by its path; words may be improved."""
    if path == ".fairness":
        # There are more checks now than there were then.
        value = {check["name"]: check for check in value}
    if isinstance(value, dict):
        for key, inner in value.items():
            # The details of a check are words, and so is how many there are.
            if key != "details":
                yield from results(inner, f"{path}.{key}")
    elif isinstance(value, list):
        yield f"{path}.length", len(value)
        for place, inner in enumerate(value):
            yield from results(inner, f"{path}[{place}]")
    elif not isinstance(value, str) or path.rpartition(".")[2] in JUDGED:
        yield path, value


@pytest.mark.parametrize("name", ["statements", "sweep-tasks", "linkbench"])
def test_a_kept_run_gives_its_figures(name: str, tmp_path: Path) -> None:
    with tarfile.open(KEPT / f"{name}.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    folder = tmp_path / name
    then = dict(results(json.loads((folder / "findings.json").read_bytes())))
    found = find(RunFolder.open(folder)).model_dump(mode="json")
    now = dict(results(json.loads(json.dumps(found))))
    assert len(then) > 200
    assert {path: now.get(path) for path in then if path != ".schema"} == {
        path: value for path, value in then.items() if path != ".schema"
    }
