"""Loading an arm's data again, timed, for those who ask how long it takes.

The dataset that trials work on is loaded once and kept, using only settings that affect the data,
so its time says nothing about the arm. Here it is loaded with all the arm's settings into a
separate server, and thrown away.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from dyno.errors import ServerError
from dyno.home import remove_tree
from dyno.runner.bench import Bench
from dyno.runner.dataset import load_rows, make_schema
from dyno.runner.progress import Progress
from dyno.runner.record import timed
from dyno.servers import Installation, create_data_dir, start
from dyno.spec.dataset import data_settings
from dyno.store.storage import Loading
from dyno.telemetry import process_totals, process_use


def load_timed(bench: Bench, installation: Installation, progress: Progress) -> Loading:
    """Load the arm's data and time it. Raises LoadError and ServerError."""
    data = bench.work / "load-again"
    steps: dict[str, float] = {}
    create_data_dir(installation, data, settings=data_settings(bench.arm), home=bench.home)
    try:
        with tempfile.TemporaryDirectory(prefix="load-", dir=bench.work) as logs:
            server = start(
                installation,
                data_dir=data,
                run_dir=Path(logs),
                settings=bench.arm.settings,
                cpus=bench.ground.server,
            )
            try:
                make_schema(server, bench.schema, where=str(bench.arm.server), owner=bench.owner)
                before = process_totals(server.pid)
                with timed(steps, "load"):
                    load_rows(
                        bench.plan,
                        bench.arm,
                        bench.target(server),
                        password=None,
                        progress=progress,
                        disk=bench.disk,
                        cpus=bench.ground.generator,
                    )
                use = process_use(before, process_totals(server.pid))
                with timed(steps, "stop"):
                    clean = server.stop()
            except BaseException:
                server.kill()
                raise
    finally:
        remove_tree(data)
    if not clean:
        raise ServerError(f"{bench.arm.server} didn't shut down after its data were loaded again")
    return Loading(load_s=steps["load"], stop_s=steps["stop"], written_bytes=use.write_bytes)
