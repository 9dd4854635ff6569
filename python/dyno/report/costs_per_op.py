"""Why, for loads: what an op cost on each arm, the profiles, and the generator's look at itself.

Medians over trials, side by side: reasons to look at, not proofs.
"""

from __future__ import annotations

from dyno.analysis.model import Findings, GeneratorRead, PerOp, PointRead
from dyno.report import numbers
from dyno.report.load import CHOSEN_POINTS, points_of, spread
from dyno.report.sheets import Cell, Column, Group, Row, Sheet, given, missing
from dyno.spec.units import plural

SAME = "1.00"
SYMBOLS_MOST = 16
SYMBOLS_OF_EACH = 10
# The keys of PerOp.figures in words; others are shown as they are called.
QUANTITIES = {
    "server_cpu_us_per_op": "Server's CPU, µs",
    "client_cpu_us_per_op": "Load generator's CPU, µs",
    "context_switches_per_op": "Context switches (host)",
    "read_kb_per_op": "Read from disk, kB",
    "written_kb_per_op": "Written to disk, kB",
    "fsyncs_per_op": "fsyncs",
    "statements_per_op": "Statements",
    "bytes_sent_per_op": "Sent to the client, bytes",
    "rows_read_per_op": "Rows read",
    "retries_per_1000_ops": "Retries, of 1,000 ops",
}


def costs_per_op(findings: Findings, *, all_points: bool = False) -> Sheet:
    """Quantities down, arms across, a group a point; few points unless `all_points`."""
    with_costs = {read.point for read in findings.per_op}
    points = [point for point in points_of(findings) if point.index in with_costs]
    if not all_points:
        points = spread(points, CHOSEN_POINTS)
    found = {(read.arm, read.point): read for read in findings.per_op}
    arms = [arm.name for arm in findings.arms if any((arm.name, p.index) in found for p in points)]
    baseline = next((arm.name for arm in findings.arms if arm.baseline), None)
    groups = []
    for point in points:
        here = [found.get((arm, point.index)) for arm in arms]
        under = found.get((baseline, point.index)) if baseline else None
        rows = [_quantity(name, here, under) for name in _names(here)]
        groups.append(Group(point.label, [*rows, _trials(findings, point, arms)]))
    return Sheet("Cost of an op", "Of one op", [Column(a) for a in arms], groups, "Point")


def _names(here: list[PerOp | None]) -> list[str]:
    return list(dict.fromkeys(name for read in here if read is not None for name in read.figures))


def _quantity(name: str, here: list[PerOp | None], under: PerOp | None) -> Row:
    """One cost on all arms; below each, how many times the baseline's it is."""
    base = under.figures.get(name) if under is not None else None
    cells = []
    for read in here:
        value = read.figures.get(name) if read is not None else None
        if value is None:
            cells.append(missing())
        else:
            relative = numbers.ratio(value / base) if base else SAME
            cells.append(
                given(numbers.significant(value), "" if relative == SAME else f"{relative} ×")
            )
    return Row(QUANTITIES.get(name, name), cells)


def _trials(findings: Findings, point: PointRead, arms: list[str]) -> Row:
    counts = {s.arm: s.trials for s in findings.stability if s.point == point.index}
    unknown = missing("the number of trials is not known")
    return Row("n, trials", [given(str(counts[a])) if a in counts else unknown for a in arms])


def profiles(findings: Findings) -> Sheet:
    """The functions that took most of the server's CPU time, arms side by side, in percent."""
    reads = [read for read in findings.profiles if read.lines]
    shares: dict[tuple[str, str], dict[str, float]] = {}
    for read in reads:
        for line in read.lines:
            by_arm = shares.setdefault((line.symbol, line.object), {})
            by_arm[read.arm] = by_arm.get(read.arm, 0.0) + line.share_pct
    top = {
        (line.symbol, line.object)
        for read in reads
        for line in sorted(read.lines, key=lambda line: -line.share_pct)[:SYMBOLS_OF_EACH]
    }
    order = sorted(top, key=lambda key: (-max(shares[key].values()), key))[:SYMBOLS_MOST]
    unknown = missing("not among the functions that were kept of this arm")
    rows = [
        Row(
            f"{symbol} ({thing})" if thing else symbol,
            [_share(shares[symbol, thing].get(read.arm), unknown) for read in reads],
            code=True,
        )
        for symbol, thing in order
    ]
    return Sheet("Profile", "Function", [Column(r.arm) for r in reads], [Group("", rows)])


def _share(value: float | None, unknown: Cell) -> Cell:
    return unknown if value is None else given(f"{numbers.significant(value, 2)} %")


def unprofiled(findings: Findings) -> list[tuple[str, str]]:
    """The arms without a profile, those with the same reason together, and why."""
    why: dict[str, list[str]] = {}
    for read in findings.profiles:
        if not read.lines:
            why.setdefault(read.unavailable or numbers.UNAVAILABLE, []).append(read.arm)
    return [(", ".join(arms), reason) for reason, arms in why.items()]


def generator_says(findings: Findings) -> str:
    """How near the load generator came to being the limit, over all arms and points."""
    reads = findings.generator
    void = sum(read.void_trials for read in reads)
    said = [
        f"{plural(void, 'trial')} void because the load generator was the limit."
        if void
        else "No trial was void because the load generator was the limit."
    ]
    busiest = max(reads, key=lambda r: r.cpu_share_pct or 0.0, default=None)
    if busiest is not None and busiest.cpu_share_pct is not None:
        share = numbers.significant(busiest.cpu_share_pct)
        said.append(f"It took at most {share} % of all cores ({_where(findings, busiest)}).")
    known = [read for read in reads if read.headroom is not None]
    if known:
        least = min(known, key=lambda r: r.headroom or 0.0)
        where = "there" if least is busiest else f"on {_where(findings, least)}"
        said.append(
            f"The least headroom was {where}: {numbers.ratio(least.headroom)} times below the "
            "bound that makes a trial void."
        )
    return " ".join(said)


def _where(findings: Findings, read: GeneratorRead) -> str:
    label = next((p.label for p in findings.points if p.index == read.point), "")
    return f"{read.arm}, {label}" if label else read.arm


def generator(findings: Findings, *, all_points: bool = False) -> Sheet:
    """The load generator's self-check by arm and point; few points unless `all_points`."""
    lagged = any(read.send_lag_p99_ms is not None for read in findings.generator)
    known = {read.point for read in findings.generator}
    points = [point for point in points_of(findings) if point.index in known]
    groups = []
    for point in points if all_points else spread(points, CHOSEN_POINTS):
        here = [read for read in findings.generator if read.point == point.index]
        rows = [Row(read.arm, _generator(read, lagged=lagged)) for read in here]
        groups.append(Group(point.label, rows))
    columns = [Column("CPU, of all cores", "less is better")]
    columns += [Column("Send lag, p99", "less is better")] if lagged else []
    columns += [Column("Headroom, times", "more is better"), Column("Void trials")]
    return Sheet("Load generator", "Arm", columns, groups, "Point")


def _generator(read: GeneratorRead, *, lagged: bool) -> list[Cell]:
    share, headroom = read.cpu_share_pct, read.headroom
    lag = read.send_lag_p99_ms
    cells = [missing() if share is None else given(f"{numbers.significant(share)} %")]
    if lagged:
        cells.append(missing() if lag is None else given(numbers.milliseconds(lag)))
    cells.append(missing() if headroom is None else given(numbers.ratio(headroom)))
    return [*cells, given(f"{read.void_trials:,}", warn=read.void_trials > 0)]
