"""Following a server: jobs that end, are killed or vanish, and a server that goes away."""

from __future__ import annotations

import json
from collections.abc import Iterable

from watched import make_job, make_reading

from dyno.client import SqlError
from dyno.errors import ServerError
from dyno.watch import Follower, Job, Link, Reading, Sight, sight_document

Answer = Reading | SqlError


class Scripted(Link):
    """A link that answers as the test says; to a live server in tests/live/watch."""

    def __init__(self, answers: Iterable[Answer]) -> None:
        self.server = "MariaDB 10.11.5"
        self._answers = iter(answers)
        self.closed = False

    def read(self) -> Reading:
        answer = next(self._answers)
        if isinstance(answer, Reading):
            return answer
        raise answer

    def close(self) -> None:
        self.closed = True


def sights(*links: Scripted | ServerError, looks: int) -> list[Sight]:
    left = iter(links)
    clock = iter(range(looks))

    def connect() -> Link:
        link = next(left)
        if isinstance(link, ServerError):
            raise link
        return link

    follower = Follower(connect, clock_s=lambda: float(next(clock)))
    return [follower.look() for _ in range(looks)]


def job(second: float, pct: float | None, **keys: object) -> Job:
    return make_job(elapsed_s=second, pct=pct, **{"source": "processlist"} | keys)


def how_it_went(*jobs: Job) -> tuple[str, float | None]:
    """How the last job went by the words of the sight that lacks it."""
    readings = [make_reading(one) for one in jobs] + [make_reading()]
    last = sights(Scripted(readings), looks=len(readings))[-1]
    (gone,) = last.gone
    assert gone.job == jobs[-1]
    return gone.how, gone.pct


def test_a_job_at_its_end_has_ended() -> None:
    jobs = [job(second, 5.0 * second) for second in range(1, 20)]
    assert how_it_went(*jobs) == ("ended", 95.0)


def test_a_job_that_goes_long_before_it_was_due_is_early() -> None:
    jobs = [job(second, 2.0 * second) for second in range(1, 20)]
    assert how_it_went(*jobs) == ("early", 38.0)


def test_a_job_that_was_seen_killed_is_killed() -> None:
    jobs = [job(10, 30.0), job(11, 33.0, killed=True)]
    assert how_it_went(*jobs) == ("killed", 33.0)


def test_the_last_progress_of_a_killed_job_is_kept() -> None:
    jobs = [job(10, 30.0), job(11, 33.0), job(12, None, killed=True)]
    assert how_it_went(*jobs) == ("killed", 33.0)


def test_of_a_job_without_a_percentage_nothing_is_claimed() -> None:
    assert how_it_went(job(10, None, source=None)) == ("unknown", None)


def test_the_next_of_the_same_statement_is_another_job() -> None:
    readings = [make_reading(job(20, 90.0)), make_reading(job(1, 4.0))]
    *_, last = sights(Scripted(readings), looks=2)
    assert [gone.job.elapsed_s for gone in last.gone] == [20]
    assert last.reading is not None
    assert [one.elapsed_s for one in last.reading.jobs] == [1]


def test_a_server_that_goes_away_is_tried_again_until_it_is_back() -> None:
    lost = SqlError("Lost connection to MySQL server during query", code=2013)
    first = Scripted([make_reading(job(10, 30.0)), lost])
    away = ServerError("can't reach it: refused")
    seen = sights(first, away, away, Scripted([make_reading(), make_reading()]), looks=6)
    assert first.closed
    assert [sight.away for sight in seen] == [
        None,
        "Lost connection to MySQL server during query",
        away.message,
        away.message,
        None,
        None,
    ]
    assert [len(sight.gone) for sight in seen] == [0, 0, 0, 0, 1, 0]
    (gone,) = seen[4].gone
    assert (gone.how, gone.pct) == ("server", 30.0)


def test_a_job_that_outlives_the_connection_goes_on() -> None:
    lost = SqlError("gone", code=2006)
    first = Scripted([make_reading(job(10, 30.0)), lost])
    *_, last = sights(first, Scripted([make_reading(job(12, 36.0))]), looks=3)
    assert last.gone == ()
    assert last.reading is not None


def test_a_document_holds_all_of_a_sight() -> None:
    running = [
        make_reading(make_job(elapsed_s=float(s), pct=2.0 * s), rowlog_pct=3.0 * s, rowlog_rows=s)
        for s in range(1, 20)
    ]
    seen = sights(Scripted([*running, make_reading()]), looks=20)
    at = "2026-01-02T03:04:05+00:00"
    shown = [
        json.loads(json.dumps(sight_document(sight, at=at, address="mysql://a@b/")))
        for sight in seen[-2:]
    ]
    assert shown[0]["schema"] == 1
    (one,) = shown[0]["jobs"]
    assert one["pct"] == 38
    assert one["phase"] == "read"
    assert one["left_s"] > 0
    assert shown[0]["row_log"]["full_in_s"] > 0
    assert shown[1]["jobs"] == []
    assert shown[1]["row_log"] is None
    assert [gone["how"] for gone in shown[1]["gone"]] == ["early"]
    assert shown[1]["gone"][0]["done_pct"] == 38
