"""What Dyno checks of data holds on MyRocks, as far as MyRocks supports it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from standing import standing

from dyno.checks.isolation import LEVELS
from dyno.runner.isolation import check_isolation
from dyno.servers import Server


@pytest.fixture(scope="module")
def myrocks() -> Iterator[Server]:
    with standing("mariadb-trixie", plugins=["ha_rocksdb"]) as (server, _, _):
        yield server


def test_isolation_holds_up_to_repeatable_read(myrocks: Server) -> None:
    tests = check_isolation(myrocks, schema=None, engine="ROCKSDB", levels=LEVELS, where="here")
    states = {(test.isolation, test.number): test.state for test in tests}
    for number in range(1, 10):
        assert states["repeatable_read", number] == "ok", tests
        # As on InnoDB, the last three are about reads that READ COMMITTED doesn't repeat.
        assert states["read_committed", number] == ("ok" if number < 7 else "broken")
    # Its documented limit.
    of_serializable = [test for test in tests if test.isolation == "serializable"]
    assert "not checked" in {test.state for test in of_serializable}
    words = "MyRocks supports only READ COMMITTED and REPEATABLE READ"
    assert all(words in t.seen for t in of_serializable if t.state == "not checked")
