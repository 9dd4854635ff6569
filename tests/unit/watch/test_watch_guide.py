"""The guide describes every key of the JSON documents."""

from __future__ import annotations

import re
from pathlib import Path

from watched import make_job, make_reading

from dyno.watch import Estimate, Fill, Gone, Sight, Waiting, sight_document

GUIDE = Path(__file__).parents[3] / "docs" / "guides" / "watch.md"


def keys_of(document: object) -> set[str]:
    if isinstance(document, list):
        return set().union(*map(keys_of, document))
    if isinstance(document, dict):
        return set(document).union(*map(keys_of, document.values()))
    return set()


def test_every_key_is_described() -> None:
    job = make_job()
    waiting = Waiting(1, "a", "b", "c", 1.0)
    sight = Sight(
        0.0,
        "MariaDB",
        make_reading(job, waiting=(waiting,)),
        None,
        {job.id: Estimate(1.0, 1.0)},
        Fill(1.0, 1, 1.0, None),
        (Gone(job, 1.0, 1.0, "ended"),),
    )
    keys = keys_of(sight_document(sight, at="", address=""))
    assert len(keys) > 30
    described = set(re.findall(r"`(\w+)`", GUIDE.read_text("utf-8")))
    assert keys - described == set()
