"""Loads an arm's dataset into a server, and lists everything that the loaded rows depend on.

Where the server runs and what is kept of it isn't known here.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from dyno.client import SqlError
from dyno.cpus import CpuSet
from dyno.errors import LoadError, ServerError
from dyno.runner.load import run_load
from dyno.runner.progress import Progress
from dyno.servers import ANYBODY, WORK_S, ReadableServer, create_schema, drop_schema, is_schema
from dyno.spec.events import Event, PhaseMark
from dyno.spec.experiment import Arm, Settings
from dyno.spec.load_plan import Target, dataset_plan
from dyno.spec.plan import Plan

# Bumped when the load generator's rows change for the same plan.
DATA_VERSION = 1


def dataset_parts(
    plan: Plan, arm: Arm, *, schema: str, fingerprint: str, settings: Settings
) -> dict[str, object]:
    """All that the arm's loaded data folder depends on; `fingerprint` is the installation's,
    `settings` are those that the server gets while it is loaded, by its own names.
    """
    return {
        "data_version": DATA_VERSION,
        "installation": fingerprint,
        "settings": settings,
        **({"plugins": sorted(arm.plugins)} if arm.plugins else {}),
        "schema": schema,
        "seed": plan.options.seed,
        **plan.own_workload.data_parts(arm.engine, arm.create_options),
    }


def make_schema(server: ReadableServer, schema: str, *, where: str, owner: str = ANYBODY) -> None:
    """An empty schema; what its owner had made before is dropped first. Raises ServerError."""
    try:
        with closing(server.admin()) as connection:
            if is_schema(connection, schema):
                # Dropping a large schema takes a while; everything else here is quick.
                with closing(server.admin(answer_s=WORK_S)) as patient:
                    drop_schema(patient, schema, owner=owner)
            create_schema(connection, schema, owner=owner)
    except SqlError as error:
        raise ServerError(
            f"{where}: the schema {schema!r} can't be made: {error.words}",
            hint="the account needs CREATE, DROP, INDEX, SELECT, INSERT, UPDATE and DELETE on it",
        ) from error


def load_rows(
    plan: Plan,
    arm: Arm,
    target: Target,
    *,
    password: str | None,
    progress: Progress,
    disk: Path | None,
    cpus: CpuSet | None = None,
) -> None:
    """Create and fill the tables; nothing if the workload has none. `disk`: where they are, if that
    is on this host; `cpus`: where dynoload runs. Raises LoadError, and StoreError if the disk gets
    full.
    """
    if not plan.own_workload.has_dataset:
        return
    hear = rows_reporter(arm.name, plan.own_workload.row_count, progress)
    with tempfile.TemporaryDirectory(prefix="dyno-load-") as folder:
        result = run_load(
            dataset_plan(plan, arm, target),
            Path(folder),
            password=password,
            on_event=hear,
            disk=disk,
            cpus=cpus,
        )
    if result.failure:
        raise LoadError(
            f"loading the dataset for {arm.name!r}: {result.failure}",
            hint=engine_hint(result.failure, 'plugins = ["ha_…"] to the arm'),
        )


def engine_hint(failure: str, what: str) -> str | None:
    """What to do about an engine that the server doesn't have (error 1286)."""
    missing = "server error 1286" in failure
    return f"if the engine is a plugin of the server, add {what}" if missing else None


def rows_reporter(arm: str, rows_total: int, progress: Progress) -> Callable[[Event], None]:
    """Turns the load's events into progress; several tables may grow at once."""
    rows: dict[str, int] = {}

    def report(event: Event) -> None:
        if isinstance(event, PhaseMark) and event.state == "progress" and event.table:
            rows[event.table] = event.rows or 0
            progress.loading(arm, event.table, sum(rows.values()), rows_total)

    return report
