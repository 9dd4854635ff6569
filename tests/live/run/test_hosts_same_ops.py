"""Three load hosts do what one does: the server counts the same commands, and its tables end alike.

Ops come one after another, so that their order is the same, too: what two that overlap leave
depends on which is first. So a load with an op that took too long is made again.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest
from counted import counted
from hosting import hosted, write_hosts
from namespaces import all_agents, apart, can_be_apart
from place import Place
from standing import standing
from thinned import in_test_all

from dyno.hosts.certificates import certificates
from dyno.hosts.elsewhere import Elsewhere
from dyno.hosts.engine import joined
from dyno.servers.account import TCP_USER, make_accounts
from dyno.spec.inventory import read_inventory
from dyno.spec.load_plan import LoadPlan

pytestmark = in_test_all

NAMES = ("load1", "load2", "load3")
APART = ("10.99.9.1", dict(zip(NAMES, ("10.99.9.2", "10.99.9.3", "10.99.9.4"), strict=True)))
HERE = ("127.0.0.1", dict(zip(NAMES, ("127.0.0.2", "127.0.0.3", "127.0.0.4"), strict=True)))
OPS, PER_S = 120, 10
# What is begun 10 ms later on one host than on another is still in order.
LONGEST_MS = 1000 / PER_S - 10
TRIES = 4
WORKLOADS: dict[str, dict[str, Any]] = {
    "oltp": {"script": "oltp_read_write", "table_size": 2000},
    "tpcc": {"warehouses": 1},
    "linkbench": {"ids": 2000},
}


@dataclass(frozen=True)
class Stand:
    """A server at an address that three hosts reach."""

    place: Place
    elsewhere: Elsewhere

    def done_by(self, hosts: int) -> tuple[Counter[str], dict[str, tuple[object, ...]]]:
        """What the server counts while so many of the hosts do the ops, and the tables then."""
        some = replace(self.elsewhere, hosts=self.elsewhere.hosts[:hosts])
        longest_ms: list[float] = []
        for _ in range(TRIES):
            self.place.empty()
            assert self.place.run([{"name": "load"}]).failure is None
            found = counted(self.place.admin, lambda: longest_ms.append(self._run(some)))
            if longest_ms[-1] < LONGEST_MS:
                of_commands = {name: n for name, n in found.items() if name.startswith("Com_")}
                return Counter(of_commands), contents(self.place)
        raise AssertionError(f"ops took up to {longest_ms} ms")

    def _run(self, elsewhere: Elsewhere) -> float:
        """Do the ops; gives how many milliseconds the longest took from when it was due."""
        target = {
            "host": elsewhere.listen,
            "port": self.place.server.port,
            "user": TCP_USER,
            "password_env": "DYNO_PASSWORD",
            "database": self.place.schema,
        }
        steps = [{"duration_s": OPS / PER_S, "rate_per_s": PER_S}]
        plan = LoadPlan.model_validate(
            {
                "schema": 2,
                "seed": 7,
                "target": target,
                "connections": 2 * len(NAMES),
                "phases": [
                    {"name": "measure", "arrivals": {"distribution": "fixed", "steps": steps}}
                ],
                "workload": self.place.workload,
            }
        )
        group = elsewhere.group(plan)
        result = group.run(password=elsewhere.password, on_event=lambda _: None, look=lambda: None)
        assert result.failure is None
        assert len(result.by_host) == len(elsewhere.hosts)
        assert result.log.summary is not None
        measured = result.log.summary.phase("measure")
        assert measured is not None
        assert (measured.scheduled, measured.failed, measured.retries) == (OPS, {}, {})
        return max(op.max_ns for op in measured.ops) / 1e6


@contextmanager
def one_cpu() -> Iterator[None]:
    """For this process and those that it starts: with one thread for all connections of a host,
    they take the first arrivals in their own order.
    """
    all_cpus = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(all_cpus)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, all_cpus)


@pytest.fixture(scope="module")
def hosts(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Elsewhere]:
    """In networks of their own where this machine can have some."""
    in_networks = request.config.getoption("--apart") and can_be_apart()
    server, loads = APART if in_networks else HERE
    with ExitStack() as stack:
        stack.enter_context(one_cpu())
        far = stack.enter_context(apart(server, loads)) if in_networks else {}
        file = write_hosts(tmp_path_factory.mktemp("hosts"), server=server, loads=loads)
        stack.enter_context(hosted(file))
        stack.enter_context(all_agents(far, file))
        inventory = read_inventory(file)
        yield stack.enter_context(joined(inventory, None, certificates(inventory, file)))


@pytest.fixture(params=list(WORKLOADS))
def stand(request: pytest.FixtureRequest, hosts: Elsewhere) -> Iterator[Stand]:
    kind: str = request.param
    with standing("mariadb-debian", listen=hosts.listen, innodb_buffer_pool_size="256M") as stand:
        place = Place.make(stand, kind, **WORKLOADS[kind])
        make_accounts(place.server, hosts.password, hosts=[each.comes_from for each in hosts.hosts])
        yield Stand(place, hosts)


def test_three_hosts_do_what_one_does(stand: Stand) -> None:
    counts_of_one, tables_of_one = stand.done_by(1)
    counts_of_three, tables_of_three = stand.done_by(3)
    assert counts_of_one == counts_of_three
    assert tables_of_one == tables_of_three
    assert counts_of_one["Com_commit"] > 0


def contents(place: Place) -> dict[str, tuple[object, ...]]:
    """Rows and a checksum of each table, without columns that hold when something was done."""
    columns = (
        "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = %s "
        "AND data_type NOT IN ('datetime', 'timestamp') AND column_name <> 'time'"
    )
    by_table: dict[str, list[str]] = {}
    found: dict[str, tuple[object, ...]] = {}
    with closing(place.server.admin(place.schema)) as connection, connection.cursor() as cursor:
        cursor.execute(columns, (place.schema,))
        for table, column in cursor.fetchall():
            by_table.setdefault(str(table), []).append(f"IFNULL(`{column}`, '-')")
        for table, values in by_table.items():
            sum_ = f"SUM(CRC32(CONCAT_WS('|', {', '.join(values)})))"
            cursor.execute(f"SELECT COUNT(*), {sum_} FROM `{table}`")
            (row,) = cursor.fetchall()
            found[table] = tuple(row)
    assert found
    return found
