"""One script, one command line, both programs: the same exit code and the same words.

What is Dyno's own is left out: the first line of a run, which names the program, and times.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest
from programs import Ran, Stand

IDLE = "function event() end\n"
CONNECTED = "con = sysbench.sql.driver():connect()\n"
SLOW = 'ffi.cdef("int usleep(unsigned int);")\nfunction event() ffi.C.usleep(20000) end\n'


@dataclass(frozen=True)
class Case:
    name: str
    script: str
    arguments: str = ""


def declaring(options: str) -> str:
    return f"sysbench.cmdline.options = {options}\n{IDLE}"


QUIET = "--verbosity=0 --events=1 run"
OLD = "function event() end function done() local o = sysbench.opt print("
CASES = [
    # Hooks and pictures at any verbosity.
    *(
        Case(
            f"report-{form}-{verbosity}",
            f"{SLOW}sysbench.hooks.report_cumulative = sysbench.report_{form}\n",
            f"--verbosity={verbosity} --events=3 run",
        )
        for form in ("csv", "json", "default")
        for verbosity in (0, 1)
    ),
    Case("help-quiet", declaring('{ a = {"a thing", 5} }'), "--verbosity=0 help"),
    Case(
        "histogram-object-quiet",
        "h = sysbench.histogram.new(10, 1, 100) h:update(7) h:print()",
        "--verbosity=0",
    ),
    # Deprecated names of options: they say so, they win wherever they stand, 0 is none given.
    Case(
        "deprecated",
        f"{OLD}o.threads, o.events, o.time, o.rate, o.num_threads) end",
        "--rate=7 --tx-rate=9000 --max-time=7 --max-requests=1 --num-threads=2 --events=9 "
        "--threads=1 --verbosity=0 run",
    ),
    Case(
        "deprecated-zero",
        f"{OLD}o.threads, o.events, o.time, o.rate, o.max_time) end",
        "--events=1 --max-time=0 --max-requests=0 --num-threads=1 --tx-rate=0 --verbosity=0 run",
    ),
    # Limits below zero are none.
    Case("no-time", IDLE, "--time=-1 --events=2 --verbosity=0 run"),
    Case("no-events", IDLE, "--time=1 --events=-1 --verbosity=0 run"),
    Case("no-reports", IDLE, "--report-interval=-1 --events=1 --verbosity=0 run"),
    # Options that a script declares wrongly, and that are typed wrongly.
    Case("options-no-table", declaring("7"), "help"),
    Case("options-of-words", declaring('{ "x" }'), QUIET),
    Case("options-without-names", declaring("{ {} }"), "help"),
    Case("options-without-description", declaring("{ a = {} }"), QUIET),
    Case("options-of-no-kind", declaring('{ a = {"a", function() end} }'), QUIET),
    Case("unknown-dashes", declaring('{ a_b = {"a", 1} }'), "--non-existing-option=3 run"),
    Case("unknown-underscores", declaring('{ a_b = {"a", 1} }'), "--non_existing-option run"),
    Case("no-bool", declaring('{ a_b = {"a", true} }'), "--a-b=5 run"),
    Case("no-bool-typed-otherwise", declaring('{ ["a-b"] = {"a", true} }'), "--a_b=x run"),
    Case("no-int", declaring('{ a_b = {"a", 3, sysbench.cmdline.ARG_INT} }'), "--a-b=x run"),
    Case("no-own-bool", IDLE, "--mysql_dry-run=7 run"),
    Case("no-own-int", IDLE, "--report_interval=x run"),
    # What scripts compare.
    Case("version", "print(sysbench.version, sysbench.version_string)", "--verbosity=0"),
    # Places of errors, and types.
    Case("closed", f"{CONNECTED}con:disconnect()\nprint(pcall(con.query, con, 'SELECT 1'))"),
    Case("closed-row", f"{CONNECTED}con:disconnect()\nprint(pcall(con.query_row, con, 'DO 1'))"),
    Case("unprepared", f"{CONNECTED}print(pcall(con.prepare, con, 'SELECT 1 FROM nix'))"),
    Case("no-bulk", f"{CONNECTED}print(pcall(function() con:bulk_insert_next('(1)') end))"),
    Case("no-driver", 'print(pcall(sysbench.sql.driver, "nix"))'),
    Case("types", f"{CONNECTED}print(type(con), type(con:query('SELECT 1')), con, con.sql_errno)"),
    Case(
        "one-result",
        f"{CONNECTED}one = con:query('SELECT 1, 2') two = con:query('SELECT 3 UNION SELECT 4')\n"
        "print(one.nrows, one.nfields, two.nrows, two.nfields, one:free())",
    ),
]


def words(ran: Ran) -> list[str]:
    lines = [*ran.stdout.splitlines(), *ran.stderr.splitlines()]
    # Times of a run differ each time, and lines of sysbench's own Lua are other lines here.
    text = "\n".join(line for line in lines if line and not line.startswith("sysbench 1.0.20"))
    text = re.sub(r'(\[string "[\w.]+"\]):\d+:', r"\1:N:", text)
    return [*re.sub(r"\d+\.\d+", "N", text).splitlines(), f"exit {ran.code}"]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_both_say_the_same(stand: Stand, case: Case) -> None:
    (stand.folder / "script.lua").write_text(case.script)
    theirs = stand.run("sysbench", "script.lua", *case.arguments.split())
    ours = stand.run("dyno", "script.lua", *case.arguments.split())
    assert words(ours) == words(theirs)


def test_the_histogram_is_printed_once_also_with_a_hook(stand: Stand) -> None:
    hook = "function sysbench.hooks.report_cumulative() print('hook') end\n"
    options = ["--histogram", "--report-checkpoints=1", "--time=2", "--verbosity=3", "run"]
    for script in (SLOW, SLOW + hook):
        (stand.folder / "script.lua").write_text(script)
        for program in ("sysbench", "dyno"):
            said = stand.run(program, "script.lua", *options).stdout
            assert said.count("Latency histogram (values are in milliseconds)\n") == 1
            checkpoint, _, end = said.partition("Latency histogram")
            assert "Checkpoint report:" in checkpoint
            assert ("hook\n" if hook in script else "General statistics:") in end
