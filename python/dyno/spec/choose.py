"""Which part of an experiment a run does: arms, scale and levels by command line and --quick."""

from __future__ import annotations

import re

from pydantic import Field, ValidationError

from dyno.errors import SpecError
from dyno.spec.address import Address
from dyno.spec.changed import changed
from dyno.spec.experiment import (
    AnyWorkload,
    Arm,
    Experiment,
    Protocol,
    Settings,
    Strict,
)
from dyno.spec.matrix import expand_arms, refuse_twins
from dyno.spec.point import Point, Variant
from dyno.spec.protocol import Connections, Restart
from dyno.spec.renamed import normal_name
from dyno.spec.server_ref import ServerField, ServerRef
from dyno.spec.task import LONGEST_S, Task, beside_load, done_by, undisturbed_s
from dyno.spec.units import format_duration
from dyno.spec.words import refuse_unknown, shortened


class Options(Strict):
    """What the command line may change; all of it is stored in the plan."""

    quick: bool = False
    scale: float | None = Field(default=None, gt=0, le=1e9)
    blocks: int | None = Field(default=None, ge=1, le=200)
    budget_s: float | None = Field(default=None, gt=0)
    arms: tuple[str, ...] = ()
    servers: tuple[ServerField, ...] = ()
    connections: tuple[Connections, ...] = ()
    duration_s: float | None = Field(default=None, gt=0)
    control: bool | None = None
    seed: int = Field(default=42, ge=0, lt=2**63)


def choose_arms(experiment: Experiment, options: Options) -> list[Arm]:
    """The arms that run, exactly one of them the baseline."""
    arms = expand_arms(experiment)
    added = [_added(server) for server in options.servers]
    arms += added
    refuse_twins(arms)
    baselines = [arm.name for arm in arms if arm.baseline]
    if len(baselines) != 1:
        found = " and ".join(repr(name) for name in baselines) or "none"
        raise SpecError(
            f"exactly one arm must be the baseline, found {found}",
            hint="set baseline = true on one arm",
        )
    names = [arm.name for arm in arms]
    for arm in arms:
        _refuse_floor(arm, names)
    wanted = options.arms or (tuple(experiment.quick.arms) if options.quick else ())
    if wanted == ("all",):
        wanted = tuple(names)
    elif not wanted:
        wanted = tuple(arm.name for arm in arms if not arm.extra)
    for name in wanted:
        refuse_unknown(name, names, what="arm")
    wanted += tuple(arm.name for arm in added)
    arms = [arm for arm in arms if arm.name in wanted]
    if not any(arm.baseline for arm in arms):
        arms = [changed(arms[0], baseline=True), *arms[1:]]
    quick = experiment.quick.settings if options.quick else {}
    return [
        changed(
            arm,
            settings=_laid_over(
                _laid_over(_shared(experiment, arm), arm.settings), quick.get(arm.name, {})
            ),
        )
        for arm in arms
    ]


def _laid_over(below: Settings, above: Settings) -> Settings:
    """Both; a setting of `above` counts, also where the other one has `loose_` before its name."""
    again = {normal_name(name): name for name in above}
    kept = {
        name: value for name, value in below.items() if again.get(normal_name(name), name) == name
    }
    return kept | above


def _refuse_floor(arm: Arm, names: list[str]) -> None:
    if arm.floor is None:
        return
    refuse_unknown(arm.floor, names, what="arm", where=f"arm {arm.name!r}: floor: ")
    if arm.floor == arm.name:
        raise SpecError(
            f"arm {arm.name!r} is its own floor",
            hint="name the arm that is the same server without the engine's work",
        )


def _shared(experiment: Experiment, arm: Arm) -> Settings:
    """The settings of every arm, except on a server that someone else runs."""
    return {} if isinstance(arm.server, Address) else experiment.settings


def refuse_engines(workload: AnyWorkload, arms: list[Arm]) -> None:
    """Raise SpecError for an arm's engine that dynoload wouldn't put into its CREATE TABLE, and for
    options if the CREATE TABLE is the experiment's own.
    """
    for arm in arms:
        engine = arm.engine or ""
        if not workload.is_load and arm.create_options is not None:
            raise SpecError(
                f"arm {arm.name!r}: create_options are for load workloads",
                hint="statements have their own CREATE TABLE, with {engine} in it",
            )
        if workload.is_load and not re.fullmatch(r"\w*", engine):
            raise SpecError(
                f"arm {arm.name!r}: {engine!r} is no name of an engine",
                hint="what else CREATE TABLE should say goes into create_options",
            )


def _added(server: ServerRef) -> Arm:
    """The arm of a server given on the command line, named after it (an address without its
    user).

    Raises SpecError for what can't be a name.
    """
    name = server.place if isinstance(server, Address) else server.name
    try:
        return Arm(name=name, server=server)
    except ValidationError as error:
        raise SpecError(
            f"--server {shortened(str(server))!r}: {error.errors()[0]['msg']}",
            hint="write it into the experiment, as an [[arm]] with a name",
        ) from None


def scaled(experiment: Experiment, options: Options) -> tuple[AnyWorkload, float]:
    """The workload with its rows scaled, and the scale."""
    scale = options.scale or (experiment.quick.scale if options.quick else 1.0)
    chosen = experiment.quick.statements * options.quick
    narrowed = experiment.workload.narrowed(chosen)
    try:
        return narrowed.scaled(scale), scale
    except SpecError as error:
        said = "--scale" if options.scale else "quick.scale"
        other = "larger" if scale < 1 else "smaller"
        raise SpecError(
            f"{said} {scale:g} doesn't suit the workload: {error.message}",
            hint=f"choose a {other} {said}; 1 keeps the workload as it is written",
        ) from None


def choose_points(experiment: Experiment, options: Options) -> list[Point]:
    """The points at which every arm is measured; a single one without a sweep."""
    protocol, sweep = experiment.protocol, experiment.sweep
    quick = experiment.quick if options.quick else None
    rates = [protocol.rate]
    connections = [protocol.connections]
    if sweep is not None and sweep.over == "rate":
        rates = list((quick and quick.rate) or sweep.rate)
    elif sweep is not None and sweep.over == "connections":
        connections = (quick and quick.connections) or sweep.connections
    if options.connections:
        connections = list(options.connections)
        _refuse_levels(experiment, connections)
    with_level = len(connections) * len(rates) > 1
    return [
        Point(
            connections=c,
            rate_per_s=rate,
            variant=variant and changed(variant, with_level=with_level),
        )
        for variant in _variants(experiment, quick.script if quick else [])
        for c in connections
        for rate in rates
    ]


def _variants(experiment: Experiment, names: list[str]) -> list[Variant] | list[None]:
    """What differs besides the level: of the sweep's scripts those of `names`, if there are any."""
    found = experiment.sweep.variants if experiment.sweep is not None else []
    for name in names:
        refuse_unknown(name, [v.name for v in found], what="script", where="quick.script: ")
    return [v for v in found if not names or v.name in names] or [None]


def _refuse_levels(experiment: Experiment, connections: list[int]) -> None:
    """Levels on the command line need a closed load; a single one fits every experiment except a
    sweep of rates.
    """
    if experiment.sweep is not None and experiment.sweep.over == "rate":
        raise SpecError(
            "--connections: the experiment sweeps over a rate",
            hint="set protocol.connections in the experiment",
        )
    if len(connections) == 1:
        return
    if not experiment.workload.is_load:
        raise SpecError(
            f"--connections: {len(connections)} levels make a sweep, and that needs a load "
            "workload, not statements",
            hint="give one level",
        )
    if experiment.protocol.rate is not None:
        raise SpecError(
            f"--connections: {len(connections)} levels make a sweep, but protocol.rate says how "
            "many ops come",
            hint="give one level",
        )


def choose_protocol(
    experiment: Experiment, options: Options, points: list[Point], tasks: list[Task]
) -> Protocol:
    """The protocol with what the command line and --quick change, and the restart that fits.

    Raises SpecError if `tasks`, those of this run, need a longer load.
    """
    protocol, quick = experiment.protocol, experiment.quick
    first, last = protocol.blocks.first, protocol.blocks.last
    if options.quick:
        first = last = quick.blocks
    if options.blocks:
        first, last = min(first, options.blocks), options.blocks
    if first > last:
        raise SpecError(
            f"protocol.blocks: first is {first} but last is {last}", hint="first can't exceed last"
        )
    update: dict[str, object] = {
        "blocks": changed(protocol.blocks, first=first, last=last),
        "budget": options.budget_s or protocol.budget,
    }
    if len(points) == 1:
        update["connections"] = points[0].connections
    if "restart" not in protocol.model_fields_set:
        is_shared = experiment.sweep is not None or len(points) > 1 or protocol.slices > 1
        update["restart"] = "block" if is_shared else "trial"
    if tasks:
        update["restart"] = _restart_of_tasks(protocol)
    if beside_load(tasks) and "duration" not in protocol.model_fields_set:
        update["duration"] = LONGEST_S
    for key in ("warmup", "duration", "loads") if options.quick else ():
        if (value := getattr(quick, key)) is not None:
            update[key] = value
    if options.duration_s is not None:
        if not experiment.workload.is_load:
            raise SpecError(
                "--duration is for load workloads", hint="statements are run by protocol.rounds"
            )
        update["duration"] = options.duration_s
    chosen = changed(protocol, **update)
    _refuse_short_load(chosen, tasks)
    return chosen


def _restart_of_tasks(protocol: Protocol) -> Restart:
    """Tasks change tables and files, so each trial has a server on a fresh copy of the data."""
    if "restart" in protocol.model_fields_set and protocol.restart != "trial":
        raise SpecError(
            f"protocol.restart is {protocol.restart!r}, and each trial with tasks begins on a "
            "fresh copy of the data",
            hint='leave out restart, or write "trial"',
        )
    return "trial"


def choose_tasks(experiment: Experiment, arms: list[Arm]) -> list[Task]:
    """The tasks of this run: those that one of its arms does. Raises SpecError for what an arm
    forbids.
    """
    known = [arm.name for arm in expand_arms(experiment)] + [arm.name for arm in arms]
    for task in experiment.task:
        for name in task.arms:
            refuse_unknown(name, known, what="arm", where=f"task {task.name!r}: arms: ")
        refused = f"does no {task.do} on" if task.least is None else "sets no variable of"
        for arm in arms:
            theirs = task.is_for(arm.name) and isinstance(arm.server, Address)
            if theirs and (task.do is not None or task.least is not None):
                raise SpecError(
                    f"task {task.name!r}: Dyno {refused} {arm.server}, which someone else runs",
                    hint="use a server of the catalog, or name the other arms in the task's arms",
                )
    return done_by(experiment.task, [arm.name for arm in arms])


def _refuse_short_load(protocol: Protocol, tasks: list[Task]) -> None:
    needs_s = undisturbed_s(tasks)
    if needs_s >= protocol.duration:
        raise SpecError(
            f"before, between and after the tasks the load runs {format_duration(needs_s)}, and "
            f"protocol.duration ends it after {format_duration(protocol.duration)}",
            hint="with tasks beside it duration is a limit: leave it out, or make it longer",
        )
