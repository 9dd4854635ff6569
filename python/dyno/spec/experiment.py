"""The experiment as people write it (experiment.toml), checked but not yet expanded: see plan.

Unknown keys are refused with the nearest known one; references between parts (a claim about an arm,
two baselines) are checked in `plan`, after the matrix has been expanded.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field, model_validator

from dyno.spec.claim import Claim
from dyno.spec.linkbench import LinkbenchWorkload
from dyno.spec.oltp import Distribution, OltpWorkload
from dyno.spec.protocol import Blocks, Protocol, Quick, Restart
from dyno.spec.server_ref import ServerField
from dyno.spec.statements import Statement, StatementsWorkload
from dyno.spec.strict import ArmName, Line, Settings, SettingValue, Strict, mistake
from dyno.spec.sweep import Sweep
from dyno.spec.tables import Column, Generator, Table
from dyno.spec.task import Task, refuse_tasks
from dyno.spec.workload import AnyWorkload, Workload

__all__ = [
    "AnyWorkload",
    "Arm",
    "Blocks",
    "Claim",
    "Column",
    "Distribution",
    "Experiment",
    "Generator",
    "LinkbenchWorkload",
    "Matrix",
    "OltpWorkload",
    "Protocol",
    "Published",
    "Quick",
    "Restart",
    "SettingValue",
    "Settings",
    "Statement",
    "StatementsWorkload",
    "Strict",
    "Sweep",
    "Table",
    "Task",
    "Workload",
]

# More of them are a mistake, and nobody reads a page about them.
ARMS_MAX = 200
STATEMENTS_ONLY = ("rounds", "warmup_rounds", "expected_trial")
LOAD_ONLY = ("warmup", "duration", "rate", "arrivals", "think", "think_is", "loads")


class Published(Strict):
    """Where the question comes from, and on what it was answered there. The report shows it beside
    your own servers and host.
    """

    title: Line = Field(description="The title of the publication.")
    by: Line | None = Field(None, description="Who published it.")
    year: int | None = Field(None, description="When.")
    server: Line | None = Field(None, description="The server that was measured there.")
    hardware: Line | None = Field(None, description="The machine that it ran on.")
    notes: str | None = Field(None, description="What else a reader should know of it.")


class Arm(Strict):
    """One thing under comparison: a server with settings, engine and options."""

    name: ArmName = Field(
        description="What reports, claims and `--arms` call it. No two arms have the same name."
    )
    server: ServerField = Field(
        description="A name of `dyno servers list`, the name of a tarball that you installed, "
        "`path`, or an address: see [your own server](../guides/your-own-server.md)."
    )
    baseline: bool = Field(
        False, description="True for exactly one arm: the others are compared with it."
    )
    extra: bool = Field(
        False, description="True: the arm runs only where `--arms` names it, or with `--arms all`."
    )
    settings: Settings = Field(
        {},
        description="The server's option file, as it would be written there: "
        '`{ key_buffer_size = "8M" }`. Only where Dyno starts the server. Some settings '
        "[have several names](../concepts/fairness.md#settings-with-several-names).",
    )
    plugins: list[Annotated[str, Field(pattern=r"^\w+$", max_length=80)]] = Field(
        [],
        description='Modules that the server loads when it starts, such as `["ha_rocksdb"]`. One '
        "that Debian packs apart is fetched first. Only where Dyno starts the server.",
    )
    allocator: Line | None = Field(
        None,
        description="Where the server gets its memory from, in place of the C library: "
        '`"jemalloc"`, `"tcmalloc"` or `"mimalloc"` of the host, or the path of a library. It is '
        "loaded with LD_PRELOAD. Only where Dyno starts the server.",
    )
    session: Settings = Field(
        {},
        description="`SET SESSION` on every measuring connection, after the workload's `session`. "
        "Limits that a session copies when it begins, such as `tmp_table_size`, belong here: "
        "[why](../concepts/fairness.md#the-trap-of-tmp_table_size).",
    )
    engine: Line | None = Field(
        None,
        description="Replaces `{engine}` in CREATE TABLE (MyISAM where no engine is named), and a "
        "load workload's `engine`.",
    )
    create_options: str | None = Field(
        None,
        description="Replaces a load workload's `create_options`: "
        '`"ROW_FORMAT=COMPRESSED KEY_BLOCK_SIZE=8"`.',
    )
    floor: ArmName | None = Field(
        None,
        description="The arm that is the same server without the engine's work, such as one with "
        "Blackhole. The report splits time and CPU of each op into the floor's part and the "
        "engine's, with intervals.",
    )
    tmpdir: Literal["disk", "memory"] = Field(
        "disk",
        description='`"memory"` puts the server\'s temporary files on tmpfs (`/dev/shm`).',
    )

    @property
    def storage(self) -> str | None:
        """How its tables are kept, if the arm says so: engine and options of CREATE TABLE."""
        return " ".join(part for part in (self.engine, self.create_options) if part) or None


class Matrix(Strict):
    """Servers x engines x named settings. Each cell is an arm named `server / engine / settings`;
    what the matrix leaves out is left out of the name. Written arms and a matrix can stand
    together; there is one baseline in all.
    """

    servers: Annotated[list[ServerField], Field(min_length=1)] = Field(
        description="Each as `server` of an arm."
    )
    engines: list[Line] = Field([], description="Each as `engine` of an arm.")
    settings: dict[Line, Settings] = Field({}, description="Each as `settings` of an arm, by name.")
    baseline: Line = Field(description="The name of one cell.")
    leave_out: list[Line] = Field(
        [],
        description="Names of cells to leave out; `*` and `?` as in file names. A name that "
        "matches no cell is an error.",
    )


class Experiment(Strict):
    """A question, its arms, workload, sweep, protocol and claims."""

    title: Line = Field(description="The title of the report.")
    question: str = Field(description="What the experiment answers, as a question.")
    published: Published | None = Field(None, description="Where the question comes from.")
    settings: Settings = Field(
        {}, description="`settings` of every arm whose server Dyno starts; an arm's come on top."
    )
    arm: Annotated[list[Arm], Field(max_length=ARMS_MAX)] = Field(
        [], description="What is compared. At least one, or a `matrix`."
    )
    matrix: Matrix | None = Field(None, description="Arms by combination.")
    workload: Workload = Field(description="What the servers are asked to do.")
    task: Annotated[list[Task], Field(max_length=100)] = Field(
        [], description="Maintenance that each trial does once."
    )
    sweep: Sweep | None = Field(
        None, description="Points at which all arms are measured; for load workloads."
    )
    protocol: Protocol = Field(Protocol(), description="How it is measured.")
    quick: Quick = Field(Quick(), description="What `--quick` changes.")
    claim: Annotated[list[Claim], Field(max_length=1000)] = Field(
        [], description="What is asserted, and will be judged."
    )

    @model_validator(mode="after")
    def _has_arms(self) -> Experiment:
        if not self.arm and self.matrix is None:
            raise ValueError("an experiment needs at least one [[arm]] or a [matrix]")
        return self

    @model_validator(mode="after")
    def _keys_suit_the_workload(self) -> Experiment:
        kind = self.workload.kind
        protocol, quick = self.protocol.model_fields_set, self.quick.model_fields_set
        if not self.workload.is_load:
            if self.sweep is not None:
                raise mistake(
                    "a sweep needs a load workload, and statements are run by rounds",
                    hint='use kind = "oltp", or protocol.connections for one level',
                )
            why, hint = "is for load workloads", "statements are run by rounds"
            _refuse("protocol", protocol, LOAD_ONLY, why, hint)
            of_loads = ("connections", "rate", "warmup", "duration", "loads")
            _refuse("quick", quick, of_loads, why, hint)
        else:
            why, hint = "is for statements", f"{kind} runs for warmup and duration"
            # With tasks nobody knows how long a trial takes.
            only = STATEMENTS_ONLY[:-1] if self.task else STATEMENTS_ONLY
            _refuse("protocol", protocol, only, why, hint)
            _refuse("quick", quick, ("statements",), why, f"{kind} has no named ones")
        return self

    @model_validator(mode="after")
    def _tasks_go_together(self) -> Experiment:
        has_load = self.workload.is_load
        refuse_tasks(self.task, ops=self.workload.ops, has_load=has_load)
        if self.task and self.protocol.slices > 1:
            raise mistake(
                "protocol.slices doesn't go with tasks: each of their trials needs fresh data",
                hint="leave one of them out",
            )
        return self

    @model_validator(mode="after")
    def _scripts_suit_the_workload(self) -> Experiment:
        key = self.sweep and ("script" if self.sweep.script else "option" * bool(self.sweep.option))
        if key and not self.workload.takes_scripts:
            raise mistake(
                f"sweep.{key} is for scripts, and {self.workload.kind} has none",
                hint='write kind = "sysbench", and the script that loads the data',
            )
        for option in self.sweep.option if self.sweep else ():
            self.workload.refuse_option(option)
        if self.quick.script and key != "script":
            raise mistake("quick.script: the sweep is over no scripts", hint="leave it out")
        return self

    @model_validator(mode="after")
    def _nothing_contradicts(self) -> Experiment:
        paced = self.workload.has_pauses
        for found, hint in _contradictions(self.protocol, self.sweep, self.quick, paced=paced):
            raise mistake(found, hint=hint)
        return self


def _refuse(table: str, given: set[str], keys: tuple[str, ...], why: str, hint: str) -> None:
    """Refuse the first of the keys that was given."""
    for key in keys:
        if key in given:
            raise mistake(f"{table}.{key} {why}", hint=hint)


def _contradictions(
    protocol: Protocol, sweep: Sweep | None, quick: Quick, *, paced: bool
) -> Iterator[tuple[str, str]]:
    """Contradictory keys about connections and rates, each with what to do about it.

    `paced`: the workload brings its own pauses.
    """
    given = protocol.model_fields_set
    over = sweep.over if sweep is not None else None
    is_open = over == "rate" or protocol.rate is not None
    one = "keep one of them"
    if over == "connections" and "connections" in given:
        yield "protocol.connections and sweep.connections both say how many", one
    if over == "connections" and protocol.rate is not None:
        yield "protocol.rate and sweep.connections are two load models", f"{one}, or use sweep.rate"
    if over == "rate" and protocol.rate is not None:
        yield "protocol.rate and sweep.rate both say how many ops a second", one
    if is_open and protocol.think is not None:
        yield "protocol.think has no effect with a rate: ops start when they are due", one
    if "arrivals" in given and not is_open:
        yield "protocol.arrivals says how the ops of a rate come; there is none", "add rate"
    if "think_is" in given and protocol.think is None:
        yield "protocol.think_is says how think is spread; there is none", "add think"
    if paced and (is_open or protocol.think is not None):
        key = "a rate" if is_open else "protocol.think"
        found = f'{key} can\'t go with workload.mode = "paced", which has its own pauses'
        yield found, "leave it out"
    if protocol.slices > 1 and "restart" in given and protocol.restart != "block":
        found = "protocol.slices needs servers that are up for a block, and restart is "
        yield f"{found}{protocol.restart!r}", 'leave restart out, or write "block"'
    for key in ("connections", "rate"):
        if getattr(quick, key) and over != key:
            yield f"quick.{key} replaces the levels of sweep.{key}; there are none", "leave it out"
