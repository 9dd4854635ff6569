"""What a plan will cost, estimated before anything runs: rows and bytes, trials and time."""

from __future__ import annotations

from dataclasses import dataclass

from dyno.spec.address import Address
from dyno.spec.checked import check_data_of, checks_in_first_block
from dyno.spec.data_check import EVERY_TRIAL, NEVER
from dyno.spec.dataset import data_settings
from dyno.spec.plan import Plan
from dyno.spec.task import beside_load, undisturbed_s

SERVER_START_STOP_S = 3.0
UNKNOWN_TRIAL_S = 10.0
# dynoload's start, its connections, and what is read before and after, on two cores.
BESIDE_LOAD_S = 0.1
# Reading what perf sampled, 0.2 to 0.4 s on two cores, and starting it.
PROFILE_S = 0.4
# Two cores that a server shares with its loaders: tpcc 13 MB/s, linkbench 15, narrow rows less.
LOAD_BYTES_PER_S = 15e6
# The checks read tables more than once. Measured on a busy host: tpcc 16 MB/s, linkbench 40.
CHECK_BYTES_PER_S = 20e6


@dataclass(frozen=True)
class Cost:
    """Time in seconds at the first and at the last look (or the budget), disk in bytes.

    `trial_s` includes its check, and its server's start and stop if it has its own server;
    `block_s` includes all of them. `load_s` and `check_s` are guesses for all datasets, and are
    spent once. Timed loads, and checks after trials, are in `block_s` and the looks. `disk_bytes`
    are those on this machine.
    """

    trial_s: float
    trial_is_guessed: bool
    block_s: float
    first_look_s: float
    last_look_s: float
    dataset_bytes: int
    datasets: int
    disk_bytes: int
    load_s: float
    check_s: float


def estimate(plan: Plan) -> Cost:
    """Time from the phases of a load or from what statements and tasks are expected to take
    (`expected_trial`, scaled), disk from the tables.

    Each distinct dataset is kept as a snapshot, and arms that share it use one copy.
    """
    protocol = plan.protocol
    expected = protocol.expected_trial
    if expected is not None:
        measured_s = expected * plan.scale
    elif plan.tasks:
        measured_s = _with_tasks_s(plan)
    else:
        warmups_s = sum(map(protocol.warmup_s, range(protocol.slices)))
        beside_s = BESIDE_LOAD_S + PROFILE_S * plan.is_profiled(protocol.blocks.last - 1)
        timed_s = protocol.duration + warmups_s / protocol.slices + beside_s
        measured_s = timed_s if plan.is_load else UNKNOWN_TRIAL_S
    starts = {"trial": plan.block_trials, "block": len(plan.arms), "never": 0}[protocol.restart]
    block_s = plan.block_trials * measured_s + starts * SERVER_START_STOP_S
    size_bytes = plan.own_workload.size_bytes
    loads_s = size_bytes * len(plan.arms) / LOAD_BYTES_PER_S if protocol.loads else 0.0
    asked = check_data_of(plan)
    check_s = 0.0 if asked == NEVER else size_bytes / CHECK_BYTES_PER_S
    checks_s = checks_in_first_block(plan) * check_s
    checked_blocks = protocol.blocks.last if asked == EVERY_TRIAL else 1

    def look_s(blocks: int) -> float:
        more_s = min(blocks, protocol.loads) * loads_s + min(blocks, checked_blocks) * checks_s
        return min(blocks * block_s + more_s, protocol.budget)

    found = {
        (
            arm.server,
            str(data_settings(arm)),
            str(plan.own_workload.data_parts(arm.engine, arm.create_options)),
        )
        for arm in plan.arms
    }
    datasets = len(found)
    here = sum(not isinstance(server, Address) for server, *_ in found)
    return Cost(
        trial_s=measured_s
        + SERVER_START_STOP_S * (protocol.restart == "trial")
        + check_s * (asked == EVERY_TRIAL),
        trial_is_guessed=expected is None and (not plan.is_load or bool(plan.tasks)),
        block_s=block_s + loads_s + checks_s,
        first_look_s=look_s(plan.looks[0]),
        last_look_s=look_s(plan.looks[-1]),
        dataset_bytes=size_bytes,
        datasets=datasets,
        disk_bytes=size_bytes * here * 2,
        load_s=size_bytes * datasets / LOAD_BYTES_PER_S,
        check_s=check_s * datasets,
    )


def _with_tasks_s(plan: Plan) -> float:
    """It is unknown how long tasks take: each counts as a trial of unknown length, and so does each
    attempt of a search.
    """
    protocol = plan.protocol
    tasks_s = sum(task.attempts for task in plan.tasks) * UNKNOWN_TRIAL_S
    if beside_load(plan.tasks):
        load_s = min(protocol.warmup + undisturbed_s(plan.tasks), protocol.duration)
    elif plan.is_load:
        load_s = protocol.warmup + protocol.duration
    else:
        load_s = UNKNOWN_TRIAL_S
    return tasks_s + load_s
