"""The end of every report: what measuring cost, the host, and the limits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from dyno.analysis.costs.model import Costs
from dyno.analysis.load.model import LoadHostSeen
from dyno.analysis.model import Findings
from dyno.report import numbers
from dyno.report.section import Block, Lines, Pairs, Section, Table
from dyno.report.sheets import Cell, Column, Group, Row, Sheet, estimated, given, missing
from dyno.spec.units import format_bytes, plural

_OF_OTHERS = ("load_hosts", "server_hosts")
BY_SET = (
    "Each block lies wholly on one set of hosts, so what differs between machines doesn't reach a "
    "ratio. If sets don't agree, the difference between the arms depends on the machine."
)
SEEN = (
    "The way from each load host to the servers is a median over the blocks before which it was "
    "measured. Began late: how long after the agreed instant a trial may have begun at worst. "
    "CPU time is a median over the trials: of all CPUs of the host while it measured; the agent's, "
    "with its telemetry, of one core."
)
NO_LIMITS = "The experiment names no limits. That doesn't mean that it has none."


def costs(findings: Findings) -> Section:
    """What measuring itself took."""
    rows = Pairs(_cost_rows(findings), is_brief=False)
    return Section("costs", "What measuring cost", [rows], label="Cost of measuring")


def host(findings: Findings) -> Section:
    """The host as it was found before the run, and those that made the load in its place."""
    others = findings.host.get("load_hosts") or {}
    servers = findings.host.get("server_hosts") or {}
    own = {name: fact for name, fact in findings.host.items() if name not in _OF_OTHERS}
    rows = Pairs(host_rows(own), is_brief=False)
    unknown = Lines([] if findings.host else [numbers.UNAVAILABLE], "quiet", is_brief=False)
    lead = "These made the load. What follows is the host of the servers."
    made: list[Block] = [Table(_facts("Load hosts", others), lead)] if others else []
    if len(servers) > 1:
        lead = "Each set has its own. Below is more about the first."
        made.append(Table(_facts("Server hosts", servers), lead))
    if findings.load_hosts:
        made.append(Table(_seen(findings.load_hosts), SEEN))
    if findings.by_set:
        made.append(Table(_by_set(findings), BY_SET))
    return Section("host", "Host", [*made, rows, unknown])


def _facts(name: str, hosts: dict[str, dict[str, Any]]) -> Sheet:
    """What decides how much each can do, a row each."""
    facts = {
        "cpu_model": "CPU",
        "cores_logical": "CPUs",
        "memory_total_bytes": "Memory",
        "kernel": "Kernel",
        "governor": "Governor",
        "load_average_1min": "Load before",
    }
    rows = [
        Row(name, [given(text) for _, text in host_rows({key: found.get(key) for key in facts})])
        for name, found in hosts.items()
    ]
    columns = [Column(title, numeric=title == "CPUs") for title in facts.values()]
    return Sheet(name, "Host", columns, [Group("", rows)])


def _by_set(findings: Findings) -> Sheet:
    """The ratios of the main comparisons, a column for each set."""
    sets = sorted({each.set for each in findings.by_set})
    found = {(each.compared, each.set): each for each in findings.by_set}
    rows = []
    for place in sorted({each.compared for each in findings.by_set}):
        compared = findings.compared[place]
        what = f"{compared.numerator_arm} over {compared.denominator_arm}"
        at = f", {compared.point_label}" if compared.point_label else ""
        ratios = (found.get((place, name)) for name in sets)
        cells = [
            missing() if each is None else estimated(each.ratio, why="too few blocks")
            for each in ratios
        ]
        rows.append(Row(f"{what}{at}", cells))
    blocks = {each.set: each.n for each in findings.by_set}
    columns = [Column(f"Set {name}, {plural(blocks[name], 'block')}") for name in sets]
    return Sheet("Ratios by set of hosts", "Ratio", columns, [Group("", rows)])


def _seen(hosts: Sequence[LoadHostSeen]) -> Sheet:
    """The network between load hosts and servers, and what kept them busy, a row each."""
    columns = [
        Column("Round trip"),
        Column("Round trip p99"),
        Column("One TCP stream"),
        Column("Blocks"),
        Column("Began late"),
        Column("CPUs busy"),
        Column("with the load"),
        Column("Agent's CPU"),
    ]
    rows = [
        Row(
            host.name,
            [
                _known(host.round_trip_us, lambda us: numbers.seconds(us / 1e6)),
                _known(host.round_trip_p99_us, lambda us: numbers.seconds(us / 1e6)),
                _known(host.bytes_per_s, lambda rate: f"{format_bytes(rate)}/s"),
                given(str(host.blocks)),
                _known(host.late_us, lambda us: numbers.seconds(us / 1e6)),
                _known(host.cpu_busy_pct, _percent),
                _known(host.generator_cpu_pct, _percent),
                _known(host.agent_cpu_share_pct, _percent),
            ],
        )
        for host in hosts
    ]
    return Sheet("Network and CPU time of the load hosts", "Host", columns, [Group("", rows)])


def _percent(value: float) -> str:
    return f"{numbers.significant(value, 2)} %"


def _known(value: float | None, words: Callable[[float], str]) -> Cell:
    return missing() if value is None else given(words(value))


def limits(findings: Findings) -> Section:
    """What the run can't show."""
    said = Lines(findings.limits, is_brief=False)
    none = Lines([] if findings.limits else [NO_LIMITS], "quiet", is_brief=False)
    return Section("limits", "What it can't tell", [said, none], label="Limits")


def _cost_rows(findings: Findings) -> list[tuple[str, str]]:
    """What measuring cost, figure by figure; what couldn't be read is named as unavailable."""
    costs = findings.costs

    def shown(value: float | None, unit: str) -> str:
        return (
            numbers.UNAVAILABLE
            if value is None
            else f"{numbers.significant(value)} {unit} (median over trials)"
        )

    rows = [
        ("Load generator's CPU, of one core", shown(costs.client_cpu_share_pct, "%")),
        ("Load generator's CPU an op", shown(costs.client_cpu_us_per_op, "µs")),
        ("Telemetry's CPU, of one core", shown(costs.telemetry_cpu_share_pct, "%")),
        ("One telemetry sample", shown(costs.telemetry_sample_ms, "ms")),
    ]
    if costs.profiler_cpu_share_pct is not None:
        share = shown(costs.profiler_cpu_share_pct, "%")
        rows.append(("The profiler's CPU, of one core, without its interrupts", share))
    if costs.awake is not None:
        rows.append(("CPUs kept awake", _awake(costs)))
    if costs.awake == "loops":
        rows.append(("CPU time of the loops that keep CPUs awake", shown(costs.awake_cpu_s, "s")))
    return rows + [
        (f"Step: {step}", f"{numbers.seconds(elapsed)} (median over trials)")
        for step, elapsed in costs.steps_s.items()
    ]


def _awake(costs: Costs) -> str:
    """How they were kept awake, and the round trips that decided it."""
    if costs.awake == "request":
        return "by request (/dev/cpu_dma_latency)"
    if costs.asleep_us is None or costs.looped_us is None:
        return "by loops" if costs.awake == "loops" else "no: there is only one CPU"
    trips = (
        f"with loops a round trip between two CPUs takes {numbers.significant(costs.looped_us)} µs,"
        f" without them {numbers.significant(costs.asleep_us)} µs"
    )
    return f"by loops: {trips}" if costs.awake == "loops" else f"no: {trips}"


def host_rows(host: dict[str, Any]) -> list[tuple[str, str]]:
    """Host facts, flat: nested names joined by a dot, null as unavailable."""
    return list(_flat(host, ""))


def _flat(value: Any, name: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _flat(inner, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list) and any(isinstance(item, (dict, list)) for item in value):
        for place, inner in enumerate(value):
            yield from _flat(inner, f"{name}.{place}")
    elif name:
        known = isinstance(value, (int, float)) and not isinstance(value, bool)
        yield name, format_bytes(value) if known and name.endswith("_bytes") else _plain(value)


def _plain(value: Any) -> str:
    if value is None:
        return numbers.UNAVAILABLE
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return str(value) if abs(value) < 10_000 else f"{value:,}"
    if isinstance(value, list):
        return ", ".join(_plain(item) for item in value) or "none"
    return "none" if value == {} else str(value)
