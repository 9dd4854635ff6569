"""`dyno watch` and stage events: two ALTERs at once, which no other source keeps apart.

MariaDB has them as MySQL from 5.7 on does, so this is also what shows that they are read rightly.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import pytest
from altering import REBUILD, SCHEMA, TABLE, Statement, fill, switch_stages
from standing import standing
from thinned import thinned
from watching import Document, Watch, has_job, watching

from dyno.client import Connection
from dyno.servers import Server

ROWS = 400_000
OTHER = "invoices"
Stand: TypeAlias = tuple[Server, Connection]
Percents: TypeAlias = list[float]


@pytest.fixture(scope="module", params=thinned(["mariadb-11.4.5", "mariadb-10.11.5"], least=1))
def stand(request: pytest.FixtureRequest) -> Iterator[Stand]:
    with standing(request.param, performance_schema="ON") as (server, admin, _):
        fill(admin, ROWS)
        with admin.cursor() as cursor:
            cursor.execute(f"CREATE TABLE {SCHEMA}.{OTHER} LIKE {SCHEMA}.{TABLE}")
            cursor.execute(f"INSERT INTO {SCHEMA}.{OTHER} SELECT * FROM {SCHEMA}.{TABLE}")
            # Without it the server doesn't know how much there is to read.
            cursor.execute(f"ANALYZE TABLE {SCHEMA}.{OTHER}")
        yield server, admin


def alter_both(server: Server) -> tuple[Watch, list[int]]:
    """Watch two ALTERs of two tables until both have ended; gives their sessions too."""
    with watching(server.socket) as watch:
        both = [
            Statement.begin(server, REBUILD),
            Statement.begin(server, REBUILD.replace(TABLE, OTHER)),
        ]
        sessions = [one.id for one in both]
        for one in both:
            one.end()
    return watch, sessions


def reports_of_both(watch: Watch, sessions: list[int]) -> Iterator[Document]:
    """Each document of a time when both ran."""
    for _, document in watch.documents:
        if {job["id"] for job in document["jobs"]} >= set(sessions):
            yield document


def progress_of_both(server: Server) -> tuple[list[Percents], list[Percents]]:
    """The stage events of two ALTERs at once: each one's own, and those of both at a time."""
    watch, sessions = alter_both(server)
    seen: dict[int, Percents] = {session: [] for session in sessions}
    at_once: list[Percents] = []
    # One may be far ahead of the other, so each is followed to its own end.
    for _, document in watch.documents:
        jobs = [job for job in document["jobs"] if job["source"] == "stages"]
        for job in jobs:
            assert job["stage"].startswith("alter table ("), job
            seen[job["id"]].append(job["pct"])
        if len(jobs) > 1:
            at_once.append([job["pct"] for job in jobs])
    for document in reports_of_both(watch, sessions):
        assert "progress of each" not in document["missing"]
    return list(seen.values()), at_once


def followed(percents: Percents) -> bool:
    """Whether an ALTER was seen often, from early on, to later."""
    return len(percents) > 5 and percents[0] < 40 and percents[-1] > percents[0] + 10


def test_two_alters_at_once_have_their_own_progress(stand: Stand) -> None:
    server, admin = stand
    switch_stages(admin, on=True)
    # On a busy host two ALTERs may be over before they were looked at six times.
    for _ in range(8):
        seen, at_once = progress_of_both(server)
        for percents in seen:
            assert percents == sorted(percents)
        if at_once and all(map(followed, seen)):
            break
    assert all(map(followed, seen)), seen
    # Neither is the other's.
    assert any(one != other for one, other in at_once)


def test_a_single_alter_has_them_too_and_keeps_its_row_log(stand: Stand) -> None:
    server, admin = stand
    switch_stages(admin, on=True)
    with watching(server.socket) as watch:
        alter = Statement.begin(server, REBUILD)
        watch.until(lambda d: has_job(d, source="stages") and d["row_log"] is not None)
        alter.end()


def test_stage_events_that_are_off_are_named(stand: Stand) -> None:
    server, admin = stand
    switch_stages(admin, on=False)
    watch, sessions = alter_both(server)
    documents = list(reports_of_both(watch, sessions))
    reasons = [d["missing"].get("progress of each", "") for d in documents]
    assert any("stage events are switched off" in reason for reason in reasons), documents
    assert not any(job["source"] == "stages" for d in documents for job in d["jobs"])
