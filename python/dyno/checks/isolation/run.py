"""Runs the isolation tests, each with its own sessions."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from concurrent.futures import TimeoutError as Waiting
from typing import Literal

from pydantic import BaseModel, ConfigDict

from dyno.checks.isolation.fixture import Fixture
from dyno.checks.isolation.scenarios import SCENARIOS, BrokenTestError, Stage
from dyno.checks.isolation.session import Session
from dyno.checks.isolation.transactions import Place
from dyno.client import Connection, SqlError, reads_answers

Level = Literal["repeatable_read", "read_committed", "serializable"]
LEVELS: tuple[Level, ...] = ("repeatable_read", "read_committed", "serializable")
# The district and the customer of all tests; the fixture has a pending order of this customer.
_DISTRICT, _CUSTOMER = 1, 1


class IsolationTest(BaseModel):
    """One test at one level. `seen` says how it held, what broke it, or why it is unknown."""

    model_config = ConfigDict(frozen=True)

    number: int
    says: str
    isolation: str
    state: Literal["ok", "broken", "not checked"]
    seen: str


def run_tests(
    connect: Callable[[], Connection], fixture: Fixture, *, isolation: Level
) -> Iterator[IsolationTest]:
    """Run all nine on the fixture's rows, which must exist; `connect` opens a connection to their
    schema, which is closed here. The tests' changes stay.
    """
    items = fixture.items
    at = Place(fixture.warehouse, _DISTRICT, _CUSTOMER, (items[0], items[1]))
    for number, scenario in enumerate(SCENARIOS, 1):
        says = " ".join((scenario.__doc__ or "").split()).partition(": ")[2].rstrip(".")
        state: Literal["ok", "broken", "not checked"] = "ok"
        try:
            with _stage(connect, at, isolation) as stage:
                seen = reads_answers(scenario)(stage)
        except BrokenTestError as broken:
            state, seen = "broken", str(broken)
        except Waiting:
            state, seen = "broken", "a session kept waiting although nothing blocked it any more"
        except SqlError as error:
            state, seen = "not checked", error.words
        yield IsolationTest(number=number, says=says, isolation=isolation, state=state, seen=seen)


@contextlib.contextmanager
def _stage(connect: Callable[[], Connection], at: Place, isolation: Level) -> Iterator[Stage]:
    """Two sessions; however a test ends, it leaves no locks behind."""
    with contextlib.ExitStack() as undo:
        # Left in this order: the first session's locks are released before the second's thread is
        # joined.
        two = Session(connect(), isolation)
        undo.callback(two.close)
        one = Session(connect(), isolation)
        undo.callback(one.close)
        yield Stage(one, two, at)
