"""What scripts see of the program: every entry of the Lua API, on each program alike.

Each script says what it finds, in lines that begin with "> ". What sysbench 1.0.20 makes of it is
kept in `expected/`, and was read against what is known of its API; DYNO_ACCEPT=1 retakes it from
sysbench. `only_ours` marks what sysbench itself gets wrong: that is written by hand.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest
from programs import API_SCRIPTS, OURS, PROGRAMS, Stand

EXPECTED = Path(__file__).parent / "expected"
ACCEPT = bool(os.environ.get("DYNO_ACCEPT"))


@dataclass(frozen=True)
class Case:
    name: str
    script: str
    arguments: str
    # Commands of the same script that must succeed before.
    before: tuple[str, ...] = ()
    # Threads say their lines in any order.
    any_order: bool = False
    only_ours: bool = False
    # sysbench ends well where it should not.
    any_exit: bool = False


def errors(mode: str, ignored: int, **keys: bool) -> Case:
    arguments = f"--events=2 --mode={mode} --mysql-ignore-errors={ignored} run"
    return Case(f"errors-{mode}-{ignored}", "errors", arguments, ("prepare",), **keys)


def commands(command: str, threads: int = 1) -> Case:
    arguments = f"--threads={threads} {command}"
    return Case(f"commands-{command}-{threads}", "commands", arguments, any_order=threads > 1)


GIVEN = (
    "--bare=x --flag=off --off --number=2.5e3 --word= --with_dash=8 --int=-5 --size=3M "
    "--list=x,y,z --typed-bool=1 --typed-double=1.5 --typed_string=ab --typed-list=q --typed-int=7 "
    "--threads=3 --rand-type=pareto --time=0 --events=17 --histogram --mysql-user=u "
    "--percentile=99 --int=-6"
)
CASES = [
    Case("lifecycle-body", "lifecycle", ""),
    Case("lifecycle-prepare", "lifecycle", "prepare"),
    Case("lifecycle-cleanup", "lifecycle", "cleanup"),
    Case("lifecycle-help", "lifecycle", "help"),
    Case("lifecycle-unknown", "lifecycle", "nix"),
    Case("lifecycle-run", "lifecycle", "run --threads=1 --events=9"),
    Case("lifecycle-threads", "lifecycle", "--threads=3 run", any_order=True),
    Case("environment", "environment", ""),
    Case("options-defaults", "options", "prepare"),
    Case("options-given", "options", f"{GIVEN} prepare"),
    Case("options-int", "options", "--int=1x prepare"),
    Case("options-big-int", "options", "--int=99999999999 prepare"),
    Case("options-bool", "options", "--flag=5 prepare"),
    Case("options-unknown", "options", "--nix=1 prepare"),
    Case("options-third-word", "options", "prepare two"),
    commands("single"),
    commands("single", 2),
    commands("parallel"),
    commands("parallel", 3),
    commands("share", 2),
    commands("refuse"),
    commands("broken"),
    commands("cleanup"),
    commands("prepare", 2),
    commands("ask"),
    commands("nix"),
    commands("run"),
    Case("sql", "sql", "prepare"),
    Case("sql-cleanup", "sql", "cleanup", ("prepare",)),
    Case("bulk", "bulk", "prepare"),
    Case("prepared", "prepared", "prepare"),
    # sysbench doesn't end emulated strings where they end.
    Case("prepared-text", "prepared", "--db-ps-mode=disable prepare", only_ours=True),
    errors("ignored", 1062),
    errors("hook", 1213),
    errors("statement", 1062),
    errors("statement", 1213),
    errors("fatal", 1213),
    errors("thrown", 1062),
    errors("lua", 1062),
    errors("object", 1062),
    errors("none", 1062),
    errors("caught", 1213),
    errors("caught", 1062),
    errors("thread_done", 1062, any_exit=True),
    Case("rand", "rand", "run"),
    Case("rand-seed", "rand", "--rand-seed=3 --rand-type=uniform run"),
    Case("counters", "counters", "--events=10 run"),
    Case("loop", "loop", "--events=10 --threads=2 run", any_order=True),
    Case(
        "legacy",
        "legacy",
        "--oltp-table-size=50 --my-option=x --sb-rand-uniform=3 run --mysql-ignore-errors=1062",
        ("prepare",),
    ),
    Case("legacy-fatal", "legacy", "--oltp-table-size=50 --num-threads=1 run", ("prepare",)),
    Case("newer", "newer", "--mysql-ignore-errors=2013,2006 run", only_ours=True),
]


def runs() -> list[tuple[str, Case]]:
    return [(p, c) for p in PROGRAMS for c in CASES if p in OURS or not c.only_ours]


@pytest.mark.parametrize(("program", "case"), runs(), ids=[f"{c.name}-{p}" for p, c in runs()])
def test_a_script_sees_what_it_sees_in_sysbench(stand: Stand, program: str, case: Case) -> None:
    script = f"{case.script}.lua"
    for command in case.before:
        ran = stand.run(program, script, command, folder=API_SCRIPTS)
        assert ran.code == 0, ran.stdout + ran.stderr
    ran = stand.run(program, script, *case.arguments.split(), folder=API_SCRIPTS)
    said = sorted(ran.said) if case.any_order else ran.said
    end = [] if case.any_exit else [f"exit {ran.code}"]
    text = "".join(f"{line}\n" for line in [*said, *ran.stderr.splitlines(), *end])
    path = EXPECTED / f"{case.name}.txt"
    if ACCEPT and program == "sysbench":
        path.write_text(text)
    assert text == path.read_text()


def test_every_script_and_every_expectation_is_used() -> None:
    assert {p.stem for p in API_SCRIPTS.glob("*.lua")} - {c.script for c in CASES} == {
        "distribution",
        "histogram",
        "hooks",
    }
    assert {p.stem for p in EXPECTED.glob("*.txt")} == {c.name for c in CASES}
