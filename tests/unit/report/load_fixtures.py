"""Hand-made findings of loads: a rich sweep of connections, one of rates, one point, and a torso.

The arms are made-up servers; see load_parts.py for how their figures come about.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import load_parts as parts
from load_parts import Server
from report_fixtures import NASTY_ARM, RICH_HOST, SCRIPT, rich
from report_parts import arm, claim_read

from dyno.analysis.costs.model import CostChange, Costs, Moved, ProfileLine, ProfileRead
from dyno.analysis.fairness.model import Fairness
from dyno.analysis.load.model import Figure, PointRead, StabilityRead
from dyno.analysis.model import ArmRead, Findings, OpRead
from dyno.analysis.profiles.model import ArmProfile, Flame, ProfileComparison, ProfileRow
from dyno.analysis.verdicts.model import ClaimRead, Compared
from dyno.spec.changed import changed
from dyno.spec.experiment import Published
from dyno.spec.metrics import MetricKey
from dyno.stats import Estimate

OP = "oltp_read_write"
METRICS: tuple[MetricKey, ...] = ("throughput", "p50", "p95", "p99", "p999")
LONG = "MariaDB 11.4.5, innodb_flush_log_at_trx_commit=2, compressed"
SERVERS = [
    Server("MySQL 5.5.9", 1, 310.0, 0.021, 0.00035, 1.15, 262.0),
    Server("MariaDB 10.1.8", 2, 335.0, 0.013, 0.00009, 1.0, 231.0),
    Server("MariaDB 11.4.5", 3, 322.0, 0.008, 0.00003, 0.92, 205.0),
    Server("MySQL 5.6.24", 4, 300.0, 0.012, 0.00012, 1.05, 240.0),
    Server(LONG, 5, 390.0, 0.009, 0.00004, 0.97, 214.0),
]


def _arms(servers: list[Server], trials: int) -> list[ArmRead]:
    return [
        arm(
            server.name,
            "mariadb-11.4.5" if "Maria" in server.name else "mysql-5.6.24",
            server.name.split()[0],
            server.name.split()[1].rstrip(","),
            baseline=place == 0,
            trials_ok=trials,
        )
        for place, server in enumerate(servers)
    ]


def _compared(
    servers: list[Server], points: list[PointRead], found: dict[tuple[int, int, MetricKey], Figure]
) -> list[Compared]:
    return [
        parts.compared_at(
            found[s.key, p.index, metric],
            found[servers[0].key, p.index, metric],
            p,
            primary=metric == "throughput",
        )
        for metric in METRICS
        if metric in ("throughput", "p95")
        for p in points
        for s in servers[1:]
    ]


def _load(servers: list[Server], points: list[PointRead], blocks: int, seconds: int) -> Findings:
    """A whole run of these servers over these points; claims, words and host are added by each."""
    is_open = points[0].rate_per_s is not None
    found: dict[tuple[int, int, MetricKey], Figure] = {
        (s.key, p.index, m): parts.figure_of(s, OP, p, m, blocks)
        for s in servers
        for p in points
        for m in METRICS
    }
    base = rich()
    trials = blocks * len(points)
    nothing: dict[str, Any] = {"times": [], "moved": [], "explained": []}
    everywhere = [(s, p) for p in points for s in servers]
    return base.model_copy(
        update=nothing
        | {
            "published": None,
            "run": base.run.model_copy(
                update={
                    "blocks": blocks,
                    "trials_ok": trials * len(servers),
                    "elapsed_s": float(trials * len(servers) * (seconds + 7)),
                    "repeat": "dyno run oltp-over-connections --seed 42",
                }
            ),
            "arms": _arms(servers, trials),
            "ops": [OpRead(name=OP, sql="", says=None)],
            "points": points,
            "figures": list(found.values()),
            "compared": _compared(servers, points, found),
            "claims": [],
            "claims_left_out": [],
            "series": [
                parts.series_of(s, p, b, seconds) for s, p in everywhere for b in range(blocks)
            ],
            "latency": [parts.latency_of(s, OP, p, blocks * seconds) for s, p in everywhere],
            "stability": [parts.stability_of(s, p, blocks) for s, p in everywhere],
            "counters": [parts.counters_of(s, OP, points[-1]) for s in servers],
            "moved": [_moved(servers, points[-1])],
            "per_op": [parts.per_op_of(s, p) for s, p in everywhere],
            "profiles": _profiles(servers),
            "generator": [parts.generator_of(s, p, is_open=is_open) for s, p in everywhere],
            "fairness": _fairness(),
            "costs": Costs(
                client_cpu_share_pct=23.4,
                client_cpu_us_per_op=31.2,
                telemetry_cpu_share_pct=0.31,
                telemetry_sample_ms=1.9,
                steps_s={"start server": 1.4, "restore dataset": 4.1, "measure": 30.0},
            ),
            "limits": ["Client and server share two cores: the client's work is part of it."],
        }
    )


def _moved(servers: list[Server], point: PointRead) -> Moved:
    ours, theirs = (parts.counters_of(s, OP, point) for s in (servers[1], servers[0]))
    name = "Innodb_log_writes"
    return Moved(
        op=OP,
        point=point.index,
        arm=ours.arm,
        baseline=theirs.arm,
        counter=name,
        value=ours.status[name],
        baseline_value=theirs.status[name],
    )


def _fairness() -> list[Fairness]:
    return [
        Fairness(name="Durability", check="ok", says="All arms flush the log at every commit."),
        Fairness(
            name="Settings read back",
            check="warning",
            says="1 setting differs between arms and was not declared.",
            details=["innodb_log_file_size: 5242880 on MySQL 5.5.9, 50331648 on the others"],
        ),
        Fairness(name="Generator headroom", check="ok", says="It took at most 28 % of all cores."),
    ]


def profiled() -> Findings:
    """The sweep, with profiles that were compared."""
    found = sweep()
    first, last = found.arms[0].name, found.points[-1]
    changes = [
        CostChange(arm=arm.name, baseline=first, point=last.index, cost=cost, n=8, ratio=ratio)
        for arm in found.arms[1:]
        for cost, ratio in {
            "server_cpu_us_per_op": Estimate(0.782, (0.77, 0.79)),
            "fsyncs_per_op": Estimate(1.0, (0.99, 1.01)),
        }.items()
    ]
    why = [
        f"Against {first}, an op on {found.arms[2].name} takes 22 % less CPU time on the server "
        f"(21 to 23 %), at {last.label}, over 8 blocks."
    ]
    return changed(
        found, profiles_compared=[compared_profiles(found)], cost_changes=changes, why=why
    )


def compared_profiles(found: Findings) -> ProfileComparison:
    """The third arm's profile against the baseline's, at the highest level."""

    def row(label: str, at: float, apart: float, **more: Any) -> ProfileRow:
        points = Estimate(at, (at - apart, at + apart))
        given: dict[str, Any] = {"kind": "function", "baseline_points": 5.0, "p": 0.001}
        return ProfileRow(label=label, points=points, **given | more)

    def side(name: str, cost_us: float) -> ArmProfile:
        return ArmProfile(
            arm=name, samples=28000, unresolved_pct=1, unwound_pct=99, cpu_us_per_op=cost_us
        )

    rest: dict[str, Any] = {"kind": "all else", "p": None, "baseline_points": 90.0}
    part: dict[str, Any] = {"kind": "class", "p": None}
    rows = [
        row("btr_cur_search", 2.0, 0.6, inclusive=Estimate(2.5, (1.8, 3.2)), module="InnoDB"),
        row("kernel (futex)", 1.2, 0.3, module="kernel"),
        row("all else", 0.5, 0.6, **rest),
    ]
    return ProfileComparison(
        arm=side(found.arms[2].name, 51.9),
        baseline=side(found.arms[0].name, 50.0),
        point=found.points[-1].index,
        blocks=list(range(8)),
        total=Estimate(3.7, (3.1, 4.3)),
        classes=[row("the server", 2.5, 0.5, **part), row("the kernel", 1.2, 0.3, **part)],
        rows=rows,
        brief=rows,
        tested=148,
        flame=Flame(
            names=["do_command", "btr_cur_search", "kernel (futex)", "malloc"],
            parents=[-1, 0, 1, -1],
            points=[98.0, 30.0, 6.2, 5.7],
            baseline_points=[95.0, 27.0, 5.0, 5.0],
        ),
    )


def _profiles(servers: list[Server]) -> list[ProfileRead]:
    common = [
        (9.1, "rec_get_offsets_func(rec_t const*, dict_index_t const*, mem_block_info_t**)"),
        (6.4, "btr_cur_search_to_nth_level"),
        (5.2, "MYSQLparse"),
        (3.8, "ut_delay"),
        (2.9, "__memmove_avx_unaligned_erms"),
        (2.2, "row_search_mvcc(unsigned char*, page_cur_mode_t, row_prebuilt_t*, ulint, ulint)"),
    ]
    found = []
    for server in servers:
        if server.key == 1:
            why = "perf can't read this build's symbols: it was stripped"
            found.append(ProfileRead(arm=server.name, unavailable=why))
            continue
        lines = [
            ProfileLine(
                share_pct=round(share * (1 + 0.2 * parts.noise(server.key, place)), 2),
                symbol=symbol,
                object="libc.so.6" if symbol.startswith("__") else "mariadbd",
            )
            for place, (share, symbol) in enumerate(common)
            if (server.key + place) % 4
        ]
        found.append(ProfileRead(arm=server.name, lines=lines))
    return found


@cache
def sweep() -> Findings:
    """Five arms over nine levels of connections, eight blocks; a name of sixty characters."""
    points = parts.points_of([2**i for i in range(9)])
    found = _load(SERVERS, points, blocks=8, seconds=30)
    return found.model_copy(
        update={
            "name": "oltp-over-connections",
            "title": "OLTP over connections: five servers from 2010 to 2025",
            "question": "Which server does the most transactions a second, and up to how many "
            "connections?",
            "published": Published(
                title="MariaDB 5.3.4 benchmarks", by="Vadim Tkachenko", server="MySQL 5.5, 5.6"
            ),
            "answer": [
                "MariaDB 11.4.5 does 1.9 to 2.6 times the throughput of MySQL 5.5.9 from 64 "
                "connections on.",
                "Up to 4 connections the servers are within 12 % of each other.",
                "MySQL 5.5.9 has its peak at 32 connections, MariaDB 11.4.5 at 128.",
            ],
            "claims": _sweep_claims(),
            "scaling": [parts.scaling_of(s, OP, points, fits=s.key != 4) for s in SERVERS],
            "host": RICH_HOST,
        }
    )


def sweep_compared() -> Compared:
    """One comparison of the sweep."""
    points = parts.points_of([16])
    over, under = (parts.figure_of(SERVERS[i], OP, points[0], "throughput", 8) for i in (2, 0))
    return parts.compared_at(over, under, points[0], primary=True)


def _sweep_claims() -> list[ClaimRead]:
    """Claims on the throughput of MariaDB 10.1.8 (places 0, 4, 8 … of the comparisons)."""
    common: dict[str, Any] = {"expected": "1.0 to 1.25", "low": 1.0, "high": 1.25, "n": 8}
    return [
        claim_read(
            "MariaDB 10.1 does a little more than MySQL 5.5 (at 1 connection)",
            "throughput: MariaDB 10.1.8 / MySQL 5.5.9, 1 connection",
            0,
            "reproduced",
            why="The whole interval lies inside the band.",
            **common,
        ),
        claim_read(
            "MariaDB 10.1 does a little more than MySQL 5.5 (at 256 connections)",
            "throughput: MariaDB 10.1.8 / MySQL 5.5.9, 256 connections",
            32,
            "direction only",
            published="3,120 against 2,700 tps",
            why="The interval excludes 1 on the claimed side but leaves the band.",
            **common,
        ),
    ]


@cache
def rates() -> Findings:
    """Two arms over eight offered rates: an open load, with send lag and a void trial."""
    points = parts.points_of([], [250.0, 500.0, 1000, 2000, 3000, 4000, 5000, 6000])
    found = _load([SERVERS[0], SERVERS[2]], points, blocks=5, seconds=40)
    return found.model_copy(
        update={
            "name": "oltp-over-rates",
            "title": "Latency at a given rate",
            "question": "Up to which rate does p95 stay below 20 ms?",
            "answer": ["Up to 3,000 ops/s on MariaDB 11.4.5, up to 2,000 on MySQL 5.5.9."],
            "host": RICH_HOST,
        }
    )


SCRIPTS = (
    ("point queries", ("oltp_point_select", "random_points_10", "hot_points")),
    ("writes", ("oltp_insert", "oltp_update_index")),
)


@cache
def scripts() -> Findings:
    """Three arms over five scripts in two groups at two levels: no axis that they share."""
    points = [
        PointRead(
            index=10 * group + 2 * place + (n == 16),
            label=f"{script}, {n} connection{'s' * (n > 1)}",
            connections=n,
            variant=script,
            group=name,
        )
        for group, (name, members) in enumerate(SCRIPTS)
        for place, script in enumerate(members)
        for n in (1, 16)
    ]
    points = [p.model_copy(update={"index": i}) for i, p in enumerate(points)]
    found = _load(SERVERS[:3], points, blocks=8, seconds=4)
    return found.model_copy(
        update={
            "name": "scripts",
            "title": "Five kinds of statements",
            "question": "Which server is faster at which statement?",
            "answer": ["MariaDB 11.4.5 does more of all of them."],
            "host": RICH_HOST,
            "series": [],
            "compared": [*found.compared, *_cpu(found)],
        }
    )


def _cpu(found: Findings) -> list[Compared]:
    """The server's CPU time per op beside each throughput: the less of it, the more ops."""
    return [
        c.model_copy(
            update={
                "metric": "server_cpu",
                "primary": False,
                "ratio": c.ratio and c.ratio.through(lambda ratio: 1 / ratio),
            }
        )
        for c in found.compared
        if c.metric == "throughput"
    ]


@cache
def single() -> Findings:
    """Three arms at one level, twelve blocks of five minutes: no sweep, a thinned series."""
    points = parts.points_of([16])
    found = _load(SERVERS[:3], points, blocks=12, seconds=300)
    compared = [c.model_copy(update={"point_label": ""}) for c in found.compared]
    return found.model_copy(
        update={
            "name": "oltp-at-16",
            "title": "OLTP at 16 connections",
            "question": "Is MariaDB 11.4 faster than MySQL 5.5 at 16 connections?",
            "answer": ["MariaDB 11.4.5 does 37 % more transactions a second than MySQL 5.5.9."],
            "compared": compared,
            "profiles": [],
            "host": {},
        }
    )


@cache
def torso() -> Findings:
    """Two hostile names, two blocks, one point without a trial, and nearly nothing known."""
    servers = [
        Server("base | line", 1, 310.0, 0.02, 0.0003),
        Server(NASTY_ARM, 2, 330.0, 0.01, 0.0001),
    ]
    points = parts.points_of([1, 3, 24])
    found = _load(servers, points, blocks=2, seconds=4)
    gone = (NASTY_ARM, 2)
    unknown = [
        StabilityRead(arm=r.arm, point=r.point, trials=r.trials)
        for r in found.stability
        if (r.arm, r.point) != gone
    ]
    return found.model_copy(
        update={
            "name": "torso",
            "title": f"Hostile <title> & {SCRIPT}",
            "question": "Is a < b?",
            "answer": [],
            "figures": [f for f in found.figures if (f.arm, f.point) != gone],
            "compared": [
                c if (c.numerator_arm, c.point) != gone else _without_ratio(c)
                for c in found.compared
            ],
            "counters": [],
            "moved": [],
            "series": [r for r in found.series if (r.arm, r.point) != gone],
            "latency": [r for r in found.latency if (r.arm, r.point) != gone],
            "stability": unknown,
            "per_op": [
                r.model_copy(update={"figures": dict.fromkeys(r.figures)}) for r in found.per_op
            ],
            "profiles": [
                ProfileRead(arm=s.name, unavailable="`perf` <is> missing") for s in servers
            ],
            "generator": [
                g.model_copy(update={"cpu_share_pct": None, "headroom": None, "void_trials": 2})
                for g in found.generator
                if (g.arm, g.point) == gone
            ],
            "scaling": [parts.scaling_of(servers[0], OP, points, fits=False)],
            "host": {},
        }
    )


def _without_ratio(compared: Compared) -> Compared:
    unknown = dict.fromkeys(("ratio", "mean", "mde", "p"))
    return compared.model_copy(
        update={**unknown, "holm_p": None, "n": 0, "blocks": [], "state": "undecided"}
    )


def idle() -> Findings:
    """A load run that ended before its first trial did."""
    nothing: dict[str, Any] = {
        key: []
        for key in ("figures", "series", "latency", "stability", "scaling", "per_op", "generator")
    }
    return torso().model_copy(update=nothing | {"compared": [], "profiles": [], "fairness": []})
