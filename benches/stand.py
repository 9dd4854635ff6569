"""What every tool runs against and what it gives back: a stand and a sample. Knows no tool."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

from benches.child import Cost
from dyno.home import find_home
from dyno.servers import Server, create_data_dir, install, start
from dyno.spec.experiment import Settings
from dyno.telemetry.proc import process_stat, read_text

Over: TypeAlias = Literal["socket", "tcp"]

SCHEMA = "bench"
LOADING_SCHEMA = "bench_loading"
SETTLED_SHARE = 0.05
LOOK_S = 0.2
PATIENCE_S = 5.0


@dataclass(frozen=True)
class Sample:
    """What one tool did in one run.

    `ops` ended in the window of `elapsed_s`, in which the whole process had `cpu_s` of CPU: not in
    its start, and not while it warmed up. `cost` is from its start to its end. `server_cpu_s` is
    the server's in the window; `slept_s` what the tool is known to sleep, as part of its time;
    `late_ms` how long after the instant that was agreed on the last of several hosts began;
    `busiest_ms` the CPU time in the busiest of all windows of 10 ms.
    """

    cost: Cost
    ops: int
    elapsed_s: float
    cpu_s: float
    latency_us_mean: float | None = None
    latency_us_p50: float | None = None
    latency_us_p99: float | None = None
    failed: int | None = None
    send_lag_ms_p99: float | None = None
    server_cpu_s: float | None = None
    slept_s: float = 0.0
    late_ms: float | None = None
    busiest_ms: float | None = None

    def __str__(self) -> str:
        per_op = f", {1e6 * self.cpu_s / self.ops:.3g} us/op" if self.ops else ""
        return f"{self.ops / self.elapsed_s:,.0f} ops/s{per_op}"


@dataclass(frozen=True)
class Stand:
    """What all tools share: the server, a folder for files, the window, the floor's program."""

    server: Server
    folder: Path
    seconds: int
    floor: Path

    def execute(self, *statements: str) -> None:
        """Run statements as root."""
        with closing(self.server.admin()) as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    def make_schema(self, name: str) -> None:
        """Make a schema, empty even if it was there."""
        self.execute(f"DROP DATABASE IF EXISTS {name}", f"CREATE DATABASE {name}")

    def settle(self) -> None:
        """Wait until the server rests: what one run left (purging, closing) isn't the next one's.

        At most `PATIENCE_S`, for a server may have something to do for long.
        """
        deadline = time.monotonic() + PATIENCE_S
        before = server_cpu_s(self.server)
        while time.monotonic() < deadline:
            time.sleep(LOOK_S)
            now = server_cpu_s(self.server)
            if now - before <= SETTLED_SHARE * LOOK_S:
                return
            before = now


def server_cpu_s(server: Server) -> float:
    """User and system time of a server so far, in steps of 10 ms."""
    stat = process_stat(read_text(Path(f"/proc/{server.pid}/stat")))
    return stat.cpu_user_s + stat.cpu_system_s


@contextmanager
def own_server(name: str, settings: Settings) -> Iterator[tuple[Server, Path]]:
    """A fresh server on a socket and on TCP, and a folder for files; both go at the end."""
    with tempfile.TemporaryDirectory(prefix="bench-", dir=find_home().work) as work:
        folder = Path(work)
        folder.chmod(0o755)
        installation = install(name)
        create_data_dir(installation, folder / "data")
        with start(
            installation,
            data_dir=folder / "data",
            run_dir=folder / "logs",
            settings=settings,
            listen="127.0.0.1",
        ) as server:
            _let_root_in(server)
            yield server, folder


def _let_root_in(server: Server) -> None:
    """Over TCP: the peers log in as root, and a server of Dyno's has none there."""
    with closing(server.admin()) as admin:
        admin.run("CREATE USER 'root'@'127.0.0.1'")
        admin.run("GRANT ALL ON *.* TO 'root'@'127.0.0.1' WITH GRANT OPTION")


Tool: TypeAlias = Callable[[Stand], Sample]
"""One run of one program in one way."""


def lasting(seconds: int, tool: Tool) -> Tool:
    """The tool with a window of at least this many seconds."""
    return lambda stand: tool(replace(stand, seconds=max(stand.seconds, seconds)))
