"""What `dyno watch` draws: on a terminal, in plain lines, and what it must never print."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from dyno.cli.watch_screen import WatchScreen, plain
from dyno.watch import Estimate, Fill, Gone, Job, Reading, Sight, Waiting

JOB = Job(
    id=12,
    user="ann",
    kind="alter",
    table="shop.orders",
    sql="ALTER TABLE orders\n ADD INDEX k2 (k)",
    state="altering table",
    elapsed_s=30.0,
    pct=43.2,
    stage="altering table",
    source="onlineddl",
)
ESTIMATE = Estimate(71.0, 41.0, phase="read", rate_per_s=1.4)
FULL = Fill(70.0, 12_345, 20.0, "it overflows before the ALTER ends, which then fails (error 1799)")
BEHIND = Waiting(15, "web", "INSERT INTO orders VALUES (1)", "Waiting for lock", 4.0, 12)


def sight(*jobs: Job, waiting: tuple[Waiting, ...] = (), **keys: object) -> Sight:
    reading = Reading(jobs, 70.0, 12_345, waiting, {"row locks": "no right"})
    plain_keys = {"estimates": {job.id: ESTIMATE for job in jobs}, "fill": FULL} | keys
    return Sight(0.0, "MariaDB 10.11.5", reading, None, **plain_keys)


def shown(*sights: Sight, terminal: bool = False, width: int = 110) -> str:
    text = io.StringIO()
    console = Console(
        file=text, width=width, height=40, force_terminal=terminal, highlight=False, no_color=True
    )
    with WatchScreen(console, "mysql://ann@db:3306/") as screen:
        for one in sights:
            screen.show(one)
    return text.getvalue()


@pytest.mark.parametrize("terminal", [True, False])
def test_a_job_is_shown_whole(terminal: bool) -> None:
    text = shown(sight(JOB, waiting=(BEHIND,)), terminal=terminal)
    for words in (
        "ALTER shop.orders",
        "session 12",
        "43.2 %",
        "1.40 %/s",
        "altering table: read",
        "30 s so far, about 41 s to go of 1 min 11 s",
        "row log 70.0 % full (12,345 rows), full in 20 s: WARNING: it overflows",
        "INSERT INTO orders",
        "not seen: row locks: no right",
    ):
        assert words in text


def test_plain_lines_say_once_what_stays_the_same() -> None:
    away = Sight(0.0, "MariaDB 10.11.5", None, "can't reach it")
    text = shown(sight(), sight(), away, away, sight())
    assert text.count("nothing runs") == 2
    assert text.count("server away: can't reach it; trying again") == 1
    assert text.count("connected to MariaDB 10.11.5") == 2
    assert "\x1b" not in text


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("early", "gone long before it was due: killed, or failed at 43.2 % after 30 s, with"),
        ("ended", "ended at 43.2 % after 30 s\n"),
        ("server", "gone while the server was away at 43.2 % after 30 s"),
    ],
)
def test_a_job_that_is_gone_gets_a_line_that_stays(how: str, words: str) -> None:
    text = shown(sight(gone=(Gone(JOB, 43.2, 41.0, how),)))
    assert words in text
    assert "ALTER shop.orders (session 12)" in text


def test_an_absent_server_is_reported() -> None:
    text = shown(Sight(0.0, "MariaDB 10.11.5", None, "can't reach it"), terminal=True)
    assert "server away: can't reach it" in text


def test_what_is_unknown_has_its_reason() -> None:
    unknown = Estimate(None, None, why="the server doesn't say how far it is")
    job = Job(**vars(JOB) | {"pct": None, "source": None})
    text = shown(sight(job, estimates={12: unknown}))
    assert "no percentage" in text
    assert "to go: unknown (the server doesn't say how far it is)" in text


def test_a_server_can_not_write_to_the_terminal() -> None:
    evil = Job(**vars(JOB) | {"sql": "ALTER \x1b]0;x\x07 TABLE", "table": "a.\x1b[2Jb"})
    for terminal in (True, False):
        text = shown(sight(evil), terminal=terminal)
        assert "\x1b]0" not in text
        assert "\x1b[2Jb" not in text
    assert plain("a\n b\x1b[31m") == "a b [31m"


def test_a_narrow_terminal_holds_it() -> None:
    text = shown(sight(JOB, waiting=(BEHIND,) * 12), terminal=True, width=40)
    assert "and 4 more" in text
