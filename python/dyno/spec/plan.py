"""The plan: an experiment expanded, ordered and seeded, as it is stored in a run folder.

Everything that a run needs is in it and nothing that depends on the machine, so the same experiment
with the same options and seed gives the same plan anywhere. Schema history:
  1  first version
"""

from __future__ import annotations

import difflib
import random
from typing import Literal

from pydantic import Field

from dyno.errors import SpecError
from dyno.spec.experiment import (
    Arm,
    Claim,
    Experiment,
    Protocol,
    Published,
    StatementsWorkload,
    Strict,
)
from dyno.spec.matrix import expand_arms

LOOKS = (8, 12, 18, 27, 40, 60)


class Options(Strict):
    """What the command line may change; all of it is stored in the plan."""

    quick: bool = False
    scale: float | None = Field(default=None, gt=0)
    blocks: int | None = Field(default=None, ge=1, le=200)
    budget_s: float | None = Field(default=None, gt=0)
    arms: tuple[str, ...] = ()
    servers: tuple[str, ...] = ()
    seed: int = Field(default=42, ge=0, lt=2**63)


class Point(Strict):
    """One level of the sweep."""

    connections: int


class Quantity(Strict):
    """The time of one op on one arm."""

    arm: str
    op: str


class Comparison(Strict):
    """A ratio of two quantities that the run estimates; primary ones decide when it may stop."""

    numerator: Quantity
    denominator: Quantity
    primary: bool = False


class PlannedClaim(Strict):
    """A claim with its quantities looked up; exactly one of comparison and quantity is set."""

    claim: Claim
    comparison: int | None = None
    quantity: Quantity | None = None


class Plan(Strict):
    """What a run does, trial by trial. `orders[block]` lists arm names as they are run."""

    plan_schema: Literal[1] = 1
    name: str
    title: str
    question: str
    published: Published | None
    options: Options
    scale: float
    arms: list[Arm]
    points: list[Point]
    workload: StatementsWorkload
    protocol: Protocol
    looks: list[int]
    comparisons: list[Comparison]
    claims: list[PlannedClaim]
    left_out_claims: list[Claim]
    orders: list[list[str]]

    def arm(self, name: str) -> Arm:
        """The arm of that name, which must exist."""
        return next(arm for arm in self.arms if arm.name == name)

    @property
    def baseline(self) -> Arm:
        """The arm that the others are compared with."""
        return next(arm for arm in self.arms if arm.baseline)

    @property
    def ops(self) -> list[str]:
        """The op kinds in the workload's order."""
        return [statement.name for statement in self.workload.statement]

    def trial_number(self, *, block: int, position: int) -> int:
        """Trials are numbered from 1 in the order in which they are run."""
        return block * len(self.arms) + position + 1


def make_plan(experiment: Experiment, options: Options, *, name: str) -> Plan:
    """Expand, scale, order and cross-check. Raises SpecError for references that lead nowhere."""
    arms = _choose_arms(experiment, options)
    workload, scale = _scaled(experiment, options)
    protocol = _protocol(experiment, options)
    ops = [statement.name for statement in workload.statement]
    claims, left_out, comparisons = _plan_claims(experiment, arms, ops)
    return Plan(
        name=name,
        title=experiment.title,
        question=experiment.question,
        published=experiment.published,
        options=options,
        scale=scale,
        arms=arms,
        points=[Point(connections=protocol.connections)],
        workload=workload,
        protocol=protocol,
        looks=looks_between(protocol.blocks.first, protocol.blocks.last),
        comparisons=comparisons,
        claims=claims,
        left_out_claims=left_out,
        orders=_orders(arms, protocol.blocks.last, options.seed),
    )


def looks_between(first: int, last: int) -> list[int]:
    """The pre-set looks (statistics.md 1.6) from the first to the last block."""
    return sorted({first, *(look for look in LOOKS if first < look < last), last})


def _choose_arms(experiment: Experiment, options: Options) -> list[Arm]:
    arms = expand_arms(experiment)
    added = [Arm(name=_server_label(server), server=server) for server in options.servers]
    arms += added
    for arm in arms:
        _refuse_password(arm.server)
    baselines = [arm.name for arm in arms if arm.baseline]
    if len(baselines) != 1:
        found = " and ".join(repr(name) for name in baselines) or "none"
        raise SpecError(
            f"exactly one arm must be the baseline, found {found}",
            hint="set baseline = true on one arm",
        )
    names = [arm.name for arm in arms]
    wanted = options.arms or (tuple(experiment.quick.arms) if options.quick else ())
    if wanted == ("all",):
        wanted = tuple(names)
    elif not wanted:
        wanted = tuple(arm.name for arm in arms if not arm.extra)
    for name in wanted:
        _known(name, names, what="arm")
    wanted += tuple(arm.name for arm in added)
    arms = [arm for arm in arms if arm.name in wanted]
    if not any(arm.baseline for arm in arms):
        arms = [arms[0].model_copy(update={"baseline": True}), *arms[1:]]
    if options.quick:
        arms = [
            arm.model_copy(
                update={"settings": arm.settings | experiment.quick.settings.get(arm.name, {})}
            )
            for arm in arms
        ]
    return arms


def _refuse_password(server: str) -> None:
    """An address with a password is refused here, before anything is written to a file."""
    user, _, place = server.removeprefix("mysql://").rpartition("@")
    if server.startswith("mysql://") and ":" in user:
        raise SpecError(
            f"server mysql://{user.partition(':')[0]}:…@{place}: an address holds no password",
            hint="put it into the environment variable DYNO_PASSWORD",
        )


def _server_label(server: str) -> str:
    """An arm's name for a server given on the command line: an address without its user."""
    if not server.startswith("mysql://"):
        return server
    return server.removeprefix("mysql://").rpartition("@")[2].strip("/?") or server


def _scaled(experiment: Experiment, options: Options) -> tuple[StatementsWorkload, float]:
    scale = options.scale or (experiment.quick.scale if options.quick else 1.0)
    tables = [
        table.model_copy(update={"rows": max(1, round(table.rows * scale))})
        for table in experiment.workload.table
    ]
    statements = experiment.workload.statement
    names = [statement.name for statement in statements]
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise SpecError(f"two statements are named {twice!r}", hint="give each its own name")
    if options.quick and experiment.quick.statements:
        for wanted in experiment.quick.statements:
            _known(wanted, names, what="statement")
        statements = [s for s in statements if s.name in experiment.quick.statements]
    workload = experiment.workload.model_copy(update={"table": tables, "statement": statements})
    return workload, scale


def _protocol(experiment: Experiment, options: Options) -> Protocol:
    protocol = experiment.protocol
    first, last = protocol.blocks.first, protocol.blocks.last
    if options.quick:
        first = last = experiment.quick.blocks
    if options.blocks:
        first, last = min(first, options.blocks), options.blocks
    if first > last:
        raise SpecError(
            f"protocol.blocks: first is {first} but last is {last}", hint="first can't exceed last"
        )
    blocks = protocol.blocks.model_copy(update={"first": first, "last": last})
    budget = options.budget_s or protocol.budget
    return protocol.model_copy(update={"blocks": blocks, "budget": budget})


def _plan_claims(
    experiment: Experiment, arms: list[Arm], ops: list[str]
) -> tuple[list[PlannedClaim], list[Claim], list[Comparison]]:
    """Claims looked up, claims about arms or ops that this run leaves out, and all comparisons."""
    all_arms = [arm.name for arm in expand_arms(experiment)]
    all_ops = [statement.name for statement in experiment.workload.statement]
    names = [arm.name for arm in arms]
    found: list[tuple[Claim, list[Quantity]]] = []
    left_out: list[Claim] = []
    for claim in experiment.claim:
        references = list(claim.ratio_of) if claim.ratio_of else [claim.of or ""]
        quantities = [_quantity(text, claim, all_arms, all_ops) for text in references]
        if all(q.arm in names and q.op in ops for q in quantities):
            found.append((claim, quantities))
        else:
            left_out.append(claim)
    claimed = {(q[0], q[1]) for _, q in found if len(q) == 2}
    baseline = next(arm.name for arm in arms if arm.baseline)
    usual = {
        (Quantity(arm=name, op=op), Quantity(arm=baseline, op=op))
        for op in ops
        for name in names
        if name != baseline
    }
    usual -= {(b, a) for a, b in claimed}

    def place(pair: tuple[Quantity, Quantity]) -> list[int]:
        return [i for q in pair for i in (ops.index(q.op), names.index(q.arm))]

    pairs = sorted(claimed | usual, key=place)
    comparisons = [
        Comparison(numerator=a, denominator=b, primary=(a, b) in claimed or not claimed)
        for a, b in pairs
    ]
    planned = [
        PlannedClaim(claim=claim, quantity=q[0])
        if len(q) == 1
        else PlannedClaim(claim=claim, comparison=pairs.index((q[0], q[1])))
        for claim, q in found
    ]
    return planned, left_out, comparisons


def _quantity(text: str, claim: Claim, arms: list[str], ops: list[str]) -> Quantity:
    """The quantity named by "ARM" (with the claim's op) or "ARM @ OP"."""
    arm, separator, op = (part.strip() for part in text.partition("@"))
    if not separator:
        if claim.op is None:
            raise SpecError(
                f"claim {claim.says!r}: {text!r} names no op", hint='add op = "…" or "ARM @ OP"'
            )
        op = claim.op
    _known(arm, arms, what="arm", where=f"claim {claim.says!r}: ")
    _known(op, ops, what="statement", where=f"claim {claim.says!r}: ")
    return Quantity(arm=arm, op=op)


def _known(name: str, names: list[str], *, what: str, where: str = "") -> None:
    if name in names:
        return
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(names)}"
    raise SpecError(f"{where}there is no {what} {name!r}", hint=hint)


def _orders(arms: list[Arm], blocks: int, seed: int) -> list[list[str]]:
    """One shuffled order a block; block b's order depends on the seed and b alone."""
    orders = []
    for block in range(blocks):
        names = [arm.name for arm in arms]
        random.Random(f"order/{seed}/{block}").shuffle(names)
        orders.append(names)
    return orders
