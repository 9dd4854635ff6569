"""How near the load generator came to being the limit, by arm and point: its self-check."""

from __future__ import annotations

from dyno.analysis.load.model import GeneratorRead
from dyno.analysis.model import Findings
from dyno.report import numbers
from dyno.report.load import CHOSEN_POINTS, points_of, points_shown, spread
from dyno.report.section import Section, at_points
from dyno.report.sheets import Cell, Column, Group, Row, Sheet, given, missing
from dyno.spec.units import plural


def section(findings: Findings) -> Section | None:
    """For loads."""
    if not findings.generator:
        return None
    made = at_points(generator, findings, "", shown=points_shown(findings))
    title = "The load generator's self-check"
    return Section("generator", title, [made], generator_says(findings), "Load generator")


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
        at = _where(findings, busiest)
        said.append(f"It took at most {share} % of the CPU time that it may use ({at}).")
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
    columns = [Column("CPU, of its cores", "less is better")]
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
