"""The life of an arm's server around trials and blocks: when it is started, and when it ends.

`protocol.restart` decides: "trial" starts one for each trial, "block" one for each block, in which
the servers of all arms are alive side by side, and "never" keeps the first one. How a server is
started is not known here, and nothing is measured.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

from dyno.errors import ServerError
from dyno.runner.bench import Bench
from dyno.runner.record import Record, timed
from dyno.servers import START_S, Server, log_findings, make_memory_dir, remove_tree, start
from dyno.store.files import storing


def begin_block(benches: Iterable[Bench], *, block: int, say: Callable[[str], None]) -> None:
    """Start the servers that outlive a trial and don't run yet, one after the other; `say` hears
    whose.

    Raises ServerError where a server has never started yet; one that did is left to its next
    trial, which tries again and stores what went wrong.
    """
    for bench in benches:
        if bench.external is not None or not bench.stays or running(bench) is not None:
            continue
        say(bench.arm.name)
        try:
            start_server(bench, block=block)
        except ServerError:
            if not bench.proven:
                raise


def end_block(benches: Iterable[Bench]) -> None:
    """Stop what must not outlive the block."""
    for bench in benches:
        if bench.plan.protocol.restart == "block":
            stop_server(bench)


def running(bench: Bench) -> Server | None:
    """The arm's server, if it is alive; what a dead one left is cleared away."""
    if bench.server is not None and not bench.server.is_alive():
        stop_server(bench, clean=False)
    return bench.server


def start_server(bench: Bench, *, block: int, run_dir: Path | None = None) -> Server:
    """Place the data and start the server; `run_dir` gets its log, by default the bench's own.

    The time that it takes is in `bench.start_steps`, for the trial that comes next.
    """
    assert bench.copy is not None
    bench.start_steps = {}
    with timed(bench.start_steps, "restore"):
        data = bench.copy.place(block=block, writes=bench.plan.writes)
    with timed(bench.start_steps, "start"):
        bench.server = _start(bench, data, run_dir or bench.logs)
    bench.proven = True
    return bench.server


def _start(bench: Bench, data_dir: Path, run_dir: Path, timeout_s: float = START_S) -> Server:
    """The arm's server on these data, with what the arm says of it."""
    assert bench.installation is not None
    return start(
        bench.installation,
        data_dir=data_dir,
        run_dir=run_dir,
        settings=bench.arm.settings,
        tmpdir=make_memory_dir().inner if bench.arm.tmpdir == "memory" else None,
        timeout_s=timeout_s,
    )


def start_again(bench: Bench, *, run_dir: Path, crash: bool, timeout_s: float) -> bool:
    """End the arm's server, by SIGKILL if it is to crash, and start it on its data as they are.

    False where it had to be killed although it was to shut down. `timeout_s` is for the shutdown
    and for the start, each. Raises ServerError where it doesn't come back.
    """
    before = bench.server
    assert before is not None
    if crash:
        before.kill()
    ended = crash or before.stop(timeout_s=timeout_s)
    bench.left(clean=False)
    bench.server = None
    _forget_memory(bench, before)
    bench.server = _start(bench, before.data_dir, run_dir, timeout_s)
    return ended


def stop_server(bench: Bench, *, clean: bool = True) -> None:
    """End the arm's server, if there is one.

    Data that were written to are thrown away, so a server on them is killed: a clean shutdown
    would first write them all out.
    """
    server = bench.server
    if server is None:
        return
    bench.left(clean=False)
    try:
        if clean and not bench.plan.writes:
            bench.left(clean=server.stop())
    finally:
        server.kill()
        bench.server = None
    _forget_memory(bench, server)


def _forget_memory(bench: Bench, server: Server) -> None:
    """A folder in memory isn't the server's own: it stays behind, with the one around it."""
    if bench.arm.tmpdir == "memory":
        remove_tree(server.tmpdir.parent)


def keep_log(bench: Bench, server: Server, partial: Path, record: Record) -> None:
    """Leave in the trial's folder what the server said since the trial before; note the errors."""
    log = partial / "server.err"
    if bench.stays:
        with storing(log), server.error_log.open("rb") as whole, log.open("wb") as kept:
            whole.seek(bench.log_read_bytes)
            shutil.copyfileobj(whole, kept)
            bench.log_read_bytes = whole.tell()
            shutil.copyfile(server.error_log.with_name("my.cnf"), partial / "my.cnf")
    record.log = [f"{line.severity}: {line.text}" for line in log_findings(log)]
