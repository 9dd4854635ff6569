"""Hand-made findings: a rich run, a damaged one with hostile names, and one with many arms."""

from __future__ import annotations

from report_parts import arm, claim_read, compared_of, times_of

from dyno.analysis.costs.model import Costs, Counters, Moved
from dyno.analysis.explains import compare_plans
from dyno.analysis.fairness.model import Fairness
from dyno.analysis.model import ArmRead, Explained, Findings, OpRead, RunRead
from dyno.analysis.verdicts.model import ClaimRead
from dyno.spec.experiment import Published

MYISAM, ARIA_8K, ARIA_2K = "MyISAM", "Aria 8K", "Aria 2K"
SECONDS = {
    "Q1": {MYISAM: 1.08, ARIA_8K: 1.15, ARIA_2K: 1.06},
    "Q2": {MYISAM: 4.69, ARIA_8K: 1.83, ARIA_2K: 1.64},
    "Q3": {MYISAM: 1.88, ARIA_8K: 1.92, ARIA_2K: 1.90},
    "Q4": {MYISAM: 6.00, ARIA_8K: 2.68, ARIA_2K: 2.41},
    "Q5": {MYISAM: 1.76, ARIA_8K: 2.51, ARIA_2K: 2.33},
    "Q6": {MYISAM: 5.73, ARIA_8K: 3.45, ARIA_2K: 3.12},
}
SQL = {
    "Q1": "SELECT id, tea FROM t1 GROUP BY left(id,1) ORDER BY NULL",
    "Q2": "SELECT id, count(*), tea FROM t1 GROUP BY left(id,1) ORDER BY NULL",
    "Q3": "SELECT id, tea FROM t1 GROUP BY left(id,2) ORDER BY NULL",
    "Q4": "SELECT id, count(*), tea FROM t1 GROUP BY left(id,2) ORDER BY NULL",
    "Q5": "SELECT id, tea FROM t1 GROUP BY id % 100 ORDER BY NULL",
    "Q6": "SELECT id, count(*), tea FROM t1 GROUP BY id % 100 ORDER BY NULL",
}


def rich() -> Findings:
    """Three arms, six ops, twelve blocks, claims of all four verdicts."""
    spreads = {MYISAM: 0.022, ARIA_8K: 0.012, ARIA_2K: 0.013}
    times = {
        (name, op): times_of(name, op, SECONDS[op][name], 12, spreads[name], 31 * i + j)
        for i, op in enumerate(SECONDS)
        for j, name in enumerate(spreads)
    }
    compared = []
    for op in SECONDS:
        under = times[MYISAM, op]
        compared.append(compared_of(times[ARIA_8K, op], under, tail=op == "Q4"))
        compared.append(compared_of(times[ARIA_2K, op], under))
        compared.append(compared_of(times[ARIA_2K, op], times[ARIA_8K, op], primary=False))
    return Findings(
        name="aria-tmp-tables",
        title="Internal temporary tables: Aria against MyISAM",
        question="Does GROUP BY with an aggregate get faster when the temporary table on disk "
        "is Aria?",
        published=Published(
            title="Benchmarking Aria",
            by="MariaDB documentation",
            server="MySQL 5.1 and MariaDB 5.1",
            hardware="one desktop, 2010, not described further",
        ),
        answer=[
            "With an aggregate, yes: Aria (8K pages) needs 40 to 61 % less time than MyISAM on "
            "Q2, Q4 and Q6.",
            "Without one, no: between 2 and 43 % more time on Q1, Q3 and Q5.",
            "Pages of 2K need 1 to 10 % less time than pages of 8K.",
        ],
        run=_rich_run(),
        arms=[
            arm(MYISAM, "mysql-5.6.24", "MySQL", "5.6.24", baseline=True, tmpdir="disk"),
            arm(ARIA_8K, "mariadb-10.1.8", "MariaDB", "10.1.8", settings={"aria_block_size": 8192}),
            arm(ARIA_2K, "mariadb-10.1.8", "MariaDB", "10.1.8", settings={"aria_block_size": 2048}),
        ],
        ops=[OpRead(name=op, sql=SQL[op], says=_says(op)) for op in SECONDS],
        times=list(times.values()),
        compared=compared,
        claims=_rich_claims(),
        claims_left_out=["2K pages beat 8K on MariaDB 5.5 (arm left out here)"],
        fairness=_rich_fairness(),
        counters=_rich_counters(),
        moved=_rich_moved(),
        explained=_rich_explained(),
        plans_compared=list(compare_plans(_rich_explained())),
        costs=Costs(
            client_cpu_share_pct=0.42,
            client_cpu_us_per_op=183.0,
            telemetry_cpu_share_pct=0.31,
            telemetry_sample_ms=1.9,
            steps_s={"start server": 1.42, "restore dataset": 0.38, "measure": 16.9, "stop": 0.81},
        ),
        limits=[
            "The servers differ in more than the engine of temporary tables: MySQL 5.6 and "
            "MariaDB 10.1 are five years of work apart.",
            "id and tea are not determined by the grouping, so the checksum covers the rest.",
        ],
        host=RICH_HOST,
    )


def _rich_explained() -> list[Explained]:
    """Q6 is sorted by an index on Aria."""
    columns = ["id", "select_type", "table", "type", "key", "rows", "Extra"]
    scan = ["1", "SIMPLE", "t1", "ALL", None, "2097152", "Using temporary"]
    by_index = ["1", "SIMPLE", "t1", "index", "PRIMARY", "2097152", None]
    plans = {op: [([MYISAM, ARIA_8K, ARIA_2K], scan)] for op in SECONDS}
    plans["Q6"] = [([MYISAM], scan), ([ARIA_8K, ARIA_2K], by_index)]
    return [
        Explained(op=op, arms=arms, columns=columns, rows=[row], error=None)
        for op, each in plans.items()
        for arms, row in each
    ]


def _rich_run() -> RunRead:
    return RunRead(
        id="2026-11-20T10-14-03-7f3a",
        state="finished",
        reason="every primary comparison is different, equivalent or precise",
        blocks=12,
        trials_ok=36,
        trials_failed=0,
        elapsed_s=1384.0,
        started="2026-11-20 10:14:03 UTC",
        dyno="0.1.0",
        seed=42,
        scale=1.0,
        delta=0.01,
        quick=False,
        repeat="dyno run aria-tmp-tables --seed 42 --arms 'MyISAM,Aria 8K,Aria 2K'",
    )


def _rich_moved() -> list[Moved]:
    return [
        Moved(op=op, arm=aria, baseline=MYISAM, counter=name, value=value, baseline_value=was)
        for op in ("Q2", "Q4", "Q6")
        for name, value, was in (
            ("Key_read_requests / Aria_pagecache_read_requests", 6_292_456, 4_194_286),
        )
        for aria in (ARIA_8K, ARIA_2K)
    ]


RICH_HOST = {
    "cpu_model": "AMD EPYC 7R13 Processor",
    "cores_logical": 2,
    "kernel": "6.1.0-26-amd64",
    "memory_total_bytes": 8_218_116_096,
    "governor": None,
    "virtualised": True,
    "cgroup_cpu_limit_cores": "unlimited",
    "warnings": ["the CPU frequency governor is unknown", "a hypervisor is below"],
}


def _says(op: str) -> str:
    grouping = {"1": "left(id,1)", "3": "left(id,2)", "5": "id % 100"}
    odd = str(int(op[1]) - 1 + int(op[1]) % 2)
    return f"GROUP BY {grouping[odd]}, {'without' if op[1] == odd else 'with'} an aggregate"


def _rich_claims() -> list[ClaimRead]:
    return [
        claim_read(
            "with an aggregate, Aria needs about half of MyISAM's time",
            "Aria 8K / MyISAM on Q2",
            3,
            "direction only",
            published="6.24 s against 12.89 s",
            expected="0.484, effect within 20 % of itself",
            low=0.381,
            high=0.587,
            why="The interval excludes 1 on the claimed side but leaves the band.",
        ),
        claim_read(
            "the same on Q6",
            "Aria 8K / MyISAM on Q6",
            15,
            "reproduced",
            published="10.38 s against 17.00 s",
            expected="0.611, effect within 20 % of itself",
            low=0.533,
            high=0.688,
            why="The whole interval lies inside the band.",
        ),
        claim_read(
            "without an aggregate the two are near parity on Q5",
            "Aria 8K / MyISAM on Q5",
            12,
            "not reproduced",
            published="7.10 s against 6.28 s",
            expected="0.9 to 1.2",
            low=0.9,
            high=1.2,
            why="The interval lies wholly above the band: Aria needs 43 % more time.",
        ),
        claim_read(
            "2K pages are faster than 8K on Q3",
            "Aria 2K / Aria 8K on Q3",
            8,
            "inconclusive",
            published="4.05 s against 4.87 s",
            expected="at most 0.95",
            high=0.95,
            why="The interval reaches across 1; an effect of 2.1 % could have been seen",
            needed_blocks=40,
        ),
        claim_read(
            "one temporary table on disk a statement",
            "Created_tmp_disk_tables of Aria 8K on Q2",
            None,
            "reproduced",
            expected="1 to 1",
            low=1.0,
            high=1.0,
            why="Measured 1 in every trial.",
        ),
    ]


def _rich_fairness() -> list[Fairness]:
    return [
        Fairness(
            name="Equal results",
            check="ok",
            says="Row counts and checksums are equal on all arms, in all blocks.",
            details=[
                f"{op}: 9 rows, checksum 5f1c{i}a9d0e77b3c{i}" for i, op in enumerate(SECONDS)
            ],
        ),
        Fairness(
            name="Settings read back",
            check="warning",
            says="2 settings differ between arms and were not declared.",
            details=[
                "join_buffer_size: 262144 on MyISAM, 131072 on Aria 8K and Aria 2K",
                "sort_buffer_size: 262144 on MyISAM, 2097152 on Aria 8K and Aria 2K",
            ],
        ),
        Fairness(name="Durability", check="ok", says="The workload doesn't write."),
        Fairness(name="Generator headroom", check="ok", says="It used 0.42 % of one core."),
        Fairness(
            name="Noise floor",
            check="unknown",
            says="No A/A run of this host is at hand; the floor is taken as 1 %.",
        ),
    ]


def _rich_counters() -> list[Counters]:
    found = []
    for i, op in enumerate(SECONDS):
        aggregate = i % 2 == 1
        for j, name in enumerate((MYISAM, ARIA_8K, ARIA_2K)):
            aria = j > 0
            status = {
                "Created_tmp_disk_tables": 1.0,
                "Created_tmp_tables": 1.0,
                "Handler_read_rnd_next": 2_097_163.0,
                "Handler_write": 9.0 if aggregate else 2_097_152.0,
                "Handler_update": 2_097_143.0 if aggregate and not aria else 0.0,
                "Key_write_requests": 0.0 if aria else 2_097_152.0 * aggregate,
                "Key_read_requests": 0.0 if aria else 4_194_286.0,
                "Bytes_sent": 4_821.0 + j,
                "Threads_created": 0.0,
            }
            if aria:
                status |= {
                    "Handler_tmp_update": 2_097_143.0 * aggregate,
                    "Aria_pagecache_read_requests": 6_291_456.0 + 1000 * j,
                    "Aria_pagecache_write_requests": 2_097_190.0,
                }
            host = {
                "server_cpu_pct": 99.1 - j,
                "context_switches_per_s": 412.0 + 10 * j,
                "disk_read_kib_per_s": None,
            }
            found.append(Counters(arm=name, op=op, status=status, host=host))
    return found


NASTY_ARM = "A<b>&\"'| `x` *y* [red]"
SCRIPT = "</script><script>alert(1)</script>"


def damaged() -> Findings:
    """Two arms, three blocks: no interval yet, failures, unknowns, and names that break markup."""
    op = f"Q<1> {SCRIPT}"
    under = times_of("base | line", op, 0.0123, 3, 0.02, 5)
    over = times_of(NASTY_ARM, op, 0.0125, 3, 0.3, 6)
    base = rich()
    return base.model_copy(
        update={
            "name": "nasty",
            "title": f'Hostile <title> & "quotes" {SCRIPT}',
            "question": "Is a < b & c > d?",
            "published": None,
            "answer": ["Too few blocks to say: 3 of the 8 that the first look needs."],
            "run": base.run.model_copy(
                update={
                    "state": "stopped",
                    "reason": "the budget of 20 s was used up",
                    "blocks": 3,
                    "trials_ok": 6,
                    "trials_failed": 2,
                    "elapsed_s": 21.0,
                    "scale": 0.0625,
                    "quick": True,
                    "repeat": "dyno run 'nasty & <co>' --quick",
                }
            ),
            "arms": _damaged_arms(),
            "ops": [OpRead(name=op, sql="SELECT '<b>' || \"&\" FROM `t|1` WHERE a < 1", says=None)],
            "times": [under, over],
            "compared": [compared_of(over, under)],
            "claims": [
                claim_read(
                    "a <= b | c",
                    "A / B",
                    0,
                    "inconclusive",
                    expected="at least 15",
                    low=15.0,
                    why="No interval yet",
                    n=3,
                    needed_blocks=8,
                )
            ],
            "claims_left_out": [],
            "fairness": _damaged_fairness(),
            "counters": [],
            "moved": [],
            "explained": [
                Explained(op=op, arms=[NASTY_ARM], columns=[], rows=[], error="ERROR 1064 near '<'")
            ],
            "costs": Costs(
                client_cpu_share_pct=None,
                client_cpu_us_per_op=None,
                telemetry_cpu_share_pct=None,
                telemetry_sample_ms=None,
                steps_s={},
            ),
            "limits": [],
            "host": {"cpu_model": None, "disk": {"name": "/dev/vda", "rotational": None}},
        }
    )


def _damaged_arms() -> list[ArmRead]:
    return [
        arm("base | line", "mysql-5.6.24", "MySQL", "5.6.24", baseline=True, trials_ok=3),
        arm(
            NASTY_ARM,
            "mysql://user@[::1]:3306/",
            "",
            "",
            trials_ok=3,
            failures=[
                "block 1: server died: mysqld got signal 11 <core> & stopped",
                'block 2: ERROR 1064 (42000) near `"<`',
            ],
        ),
    ]


def _damaged_fairness() -> list[Fairness]:
    return [
        Fairness(name="Equal <results>", check="failed", says="Checksums differ: `a|b`."),
        Fairness(
            name="Server log",
            check="unknown",
            says="The log could not be read.",
            details=["[Warning] <b>IP address</b> & name", SCRIPT],
        ),
    ]


def many() -> Findings:
    """Eight arms, two ops, names up to 60 characters, and ratios from 0.01 to above 1."""
    names = ["MyISAM, key buffer 8 MB", "MyISAM, key buffer 256 MB", "MyISAM on tmpfs"]
    names += ["MEMORY", "Aria, page cache 8 MB", "Aria, page cache 256 MB", "InnoDB, defaults"]
    names += ["MariaDB 11.4.5 with a name that is sixty characters in length"[:60]]
    typical = [41.0, 2.3, 2.1, 0.44, 3.9, 3.1, 47.0, 40.7]
    times = [
        times_of(name, op, seconds * factor, 18, 0.03, 17 * i + k)
        for k, (op, factor) in enumerate((("1M rows", 1.0), ("4M rows", 5.2)))
        for i, (name, seconds) in enumerate(zip(names, typical, strict=True))
    ]
    compared = [compared_of(t, times[0]) for t in times[1:8]]
    compared += [compared_of(t, times[8]) for t in times[9:]]
    compared += [compared_of(times[8 + i], times[i], primary=False) for i in (0, 3)]
    base = rich()
    arms = [arm(n, "mysql-5.5.9", "MySQL", "5.5.9", baseline=i == 0) for i, n in enumerate(names)]
    ops = [
        OpRead(name=op, sql=f"SELECT c, count(*) FROM t{op[0]} GROUP BY c ORDER BY NULL", says=None)
        for op in ("1M rows", "4M rows")
    ]
    claim = claim_read(
        "a large key buffer is over 15 times faster",
        "MyISAM, key buffer 256 MB / MyISAM, key buffer 8 MB on 1M rows",
        0,
        "reproduced",
        expected="at most 0.0667",
        high=0.0667,
        why="The whole interval lies inside the band.",
        n=18,
    )
    return base.model_copy(
        update={
            "name": "tmp-tables-on-disk",
            "title": "How much do temporary tables on disk cost?",
            "arms": arms,
            "ops": ops,
            "times": times,
            "compared": compared,
            "claims": [claim],
            "claims_left_out": [],
            "counters": [
                Counters(
                    arm=name,
                    op=op.name,
                    status={"Key_writes": 496_878.0 if i == 0 else 0.0, "Key_reads": 12.0 * i},
                    host={},
                )
                for op in ops
                for i, name in enumerate(names)
            ],
            "moved": [],
            "explained": [],
            "run": base.run.model_copy(update={"blocks": 18, "trials_ok": 144}),
        }
    )


def largest() -> Findings:
    """Fourteen arms, eight ops, sixty blocks: as much as a run can be asked for."""
    names = [f"arm number {i} of fourteen, with quite a long name indeed, {i}" for i in range(14)]
    ops = [f"Q{k}" for k in range(8)]
    times = {
        (name, op): times_of(name, op, 1 + i + k, 60, 0.05, 100 * i + k)
        for k, op in enumerate(ops)
        for i, name in enumerate(names)
    }
    base = rich()
    return base.model_copy(
        update={
            "arms": [
                arm(n, "mysql-5.5.9", "MySQL", "5.5.9", baseline=n == names[0]) for n in names
            ],
            "ops": [OpRead(name=op, sql=f"SELECT {op}", says=None) for op in ops],
            "times": list(times.values()),
            "compared": [
                compared_of(times[name, op], times[names[0], op])
                for op in ops
                for name in names[1:]
            ],
            "claims": [],
            "counters": [
                Counters(
                    arm=n, op=op, status={f"Key_{j}": 17.0 * j * i for j in range(80)}, host={}
                )
                for op in ops
                for i, n in enumerate(names)
            ],
            "moved": [],
            "explained": [],
        }
    )


def empty() -> Findings:
    """A run that ended before its first trial did."""
    nothing: dict[str, object] = {
        key: []
        for key in ("answer", "times", "compared", "claims", "fairness", "counters", "moved")
    }
    return damaged().model_copy(update=nothing | {"explained": [], "ops": [], "host": {}})
