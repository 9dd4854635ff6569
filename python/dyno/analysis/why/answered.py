"""What searches for causes beside a run have found of its differences."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import ValidationError

from dyno.analysis.why.model import CAUSES_SCHEMA, Causes
from dyno.errors import StoreError
from dyno.store.reading import read_json
from dyno.store.run import RunFolder

# How the names of such runs begin.
SEARCH = "why-"


def answers(folder: RunFolder, name: str) -> Iterator[str]:
    """The answer of each complete search of this run, in order of time; `name` is its experiment's.
    A damaged one says nothing: its own report is the place for that.
    """
    place = folder.path.parent.parent / f"{SEARCH}{name}"
    for path in sorted(place.glob("*/findings.json")):
        try:
            found = Causes.model_validate(read_json(path, schema=CAUSES_SCHEMA))
        except (StoreError, ValidationError):
            continue
        if found.explained.run == folder.path.name and found.run.state == "complete":
            # Older searches don't name the point in their answer.
            at = f" At {found.point}." if found.point and not found.explained.point else ""
            yield f"{found.answer[0]}{at} Found by dyno why in run {found.run.id}."
