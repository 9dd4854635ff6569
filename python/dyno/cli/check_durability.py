"""`dyno check-durability`: does a server that was killed under load still have what it had
acknowledged? It measures no speed.
"""

from __future__ import annotations

import enum
from typing import Annotated

import typer
from rich.console import Console

from dyno.cli import options as o
from dyno.cli.durability_words import head_lines, kill_line, limits, summary_line
from dyno.cli.screen import err, out, print_json, telling
from dyno.errors import BrokenDataError, InterruptedRunError, PowerError, SpecError
from dyno.power import enter_private_mounts, lacking
from dyno.runner.durability import Durability, DurabilityPlan, Kill
from dyno.runner.durability import check_durability as run_durability
from dyno.servers import catalog
from dyno.spec.address import Address
from dyno.spec.changed import changed
from dyno.spec.crash_load import LinkbenchNodes, Load, TpccOrders
from dyno.spec.linkbench import IDS_MAX, IDS_MIN
from dyno.spec.protocol import CONNECTIONS_MAX
from dyno.spec.server_ref import parse_server
from dyno.spec.units import plural

AFTER_S_LEAST = 0.2


class CrashName(enum.StrEnum):
    """The kinds of crash that make sense for one server; see docs/guides/what-is-lost.md."""

    KILL = "kill"
    POWER = "power"
    CACHE = "cache"
    TORN = "torn"
    SECTORS = "sectors"


class Workload(enum.StrEnum):
    """Those whose acknowledged work can be looked for."""

    TPCC = "tpcc"
    LINKBENCH = "linkbench"


def check_durability(
    server: Annotated[
        str,
        typer.Option("--server", help="A server that Dyno installs, starts and kills: its name."),
    ],
    engine: Annotated[str, typer.Option("--engine", help="The engine of the tables.")] = "innodb",
    workload: Annotated[
        Workload, typer.Option("--workload", help="Whose data: orders of tpcc, or a graph.")
    ] = Workload.TPCC,
    warehouses: Annotated[
        int | None,
        typer.Option("--warehouses", min=1, max=100_000, help="For tpcc: default 1, 100 MB each."),
    ] = None,
    ids: Annotated[
        int | None,
        typer.Option("--ids", min=IDS_MIN, max=IDS_MAX, help="For linkbench: default 10,000."),
    ] = None,
    connections: Annotated[
        int, typer.Option("--connections", min=1, max=CONNECTIONS_MAX, help="How many make load.")
    ] = 16,
    kills: Annotated[
        int, typer.Option("--kills", min=1, max=1000, help="How often the server is killed.")
    ] = 5,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="A server setting, NAME=VALUE. Repeatable."),
    ] = None,
    plugins: o.Plugins = None,
    after: Annotated[
        str, typer.Option("--after", help="Load before a kill: 0.5 to 1.5 times this, drawn.")
    ] = "5s",
    crash: Annotated[
        CrashName,
        typer.Option(
            "--crash", help="kill, or a power cut: power, cache, torn, sectors. Those need root."
        ),
    ] = CrashName.KILL,
    seed: o.Seed = 42,
    json: o.Json = False,
) -> None:
    """Kill a server under load (SIGKILL), and look for all that it had acknowledged.

    innodb_flush_log_at_trx_commit and rocksdb_flush_log_at_trx_commit are 1 unless --set changes
    them. A killed process isn't a power failure: see docs/reference/data-checks.md.
    """
    plan = DurabilityPlan(
        server=_own_server(server),
        load=_load(workload, warehouses, ids, connections),
        engine=o.engine_from("--engine", engine),
        kills=kills,
        after_s=_after_s(after),
        seed=seed,
        settings=o.settings_from("--set", settings),
        plugins=tuple(plugins or ()),
        crash=crash.value,
    )
    if crash is not CrashName.KILL:
        _prepare_power()
    result = _run(plan, err if json else out)
    if json:
        print_json(result.model_dump(mode="json"))
    else:
        out.print(f"\n{summary_line(result)}\n{limits(result)}", soft_wrap=True, markup=False)
    if not result.ok:
        bad = ", ".join(str(kill.number) for kill in result.kills if not kill.ok)
        raise BrokenDataError(
            f"{server} did not keep what it had acknowledged, or its data, after kill {bad}",
            hint="docs/reference/data-checks.md says what is looked at",
        )


def _run(plan: DurabilityPlan, console: Console) -> Durability:
    """The test, with a line for each kill as it comes."""
    ended = 0
    with telling("starting the server") as say:

        def on_begin(empty: Durability) -> None:
            for line in head_lines(empty):
                say.show(line, console=console)

        def on_kill(kill: Kill) -> None:
            nonlocal ended
            ended += 1
            say.show(kill_line(kill), console=console)

        try:
            return run_durability(plan, say=say, on_begin=on_begin, on_kill=on_kill)
        except KeyboardInterrupt:
            raise InterruptedRunError(
                f"interrupted after {ended} of {plural(plan.kills, 'kill')}; "
                "the server and its data are gone"
            ) from None


def _prepare_power() -> None:
    """Before any thread runs. Raises PowerError."""
    if (missing := lacking()) is not None:
        raise PowerError(missing, hint="run it as root on a host with loop devices")
    enter_private_mounts()


def _load(workload: Workload, warehouses: int | None, ids: int | None, connections: int) -> Load:
    """What is loaded and looked for. Raises SpecError for the size of another workload."""
    if workload is Workload.TPCC:
        if ids is not None:
            raise SpecError("--ids: tpcc has warehouses", hint="give --warehouses")
        orders = TpccOrders(kind="tpcc", connections=connections)
        return orders if warehouses is None else changed(orders, warehouses=warehouses)
    if warehouses is not None:
        raise SpecError("--warehouses: linkbench has ids", hint="give --ids")
    nodes = LinkbenchNodes(kind="linkbench", connections=connections)
    return nodes if ids is None else changed(nodes, ids=ids)


def _own_server(text: str) -> str:
    server = parse_server(text)
    if isinstance(server, Address):
        raise SpecError(
            "--server: Dyno kills only servers that it has started itself, never one at an address",
            hint=f"give a name: {', '.join(catalog())}",
        )
    return server.name


def _after_s(text: str) -> float:
    after_s = o.seconds_from("--after", text)
    assert after_s is not None
    if after_s < AFTER_S_LEAST:
        raise SpecError(
            f"--after: in {after_s:g} s nothing is acknowledged", hint="give a time such as 5s"
        )
    return after_s
