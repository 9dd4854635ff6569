"""A series: what a run of an experiment of crashes does, one after the other. It is its plan."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Literal

from dyno.errors import SpecError
from dyno.spec.address import Address
from dyno.spec.changed import changed
from dyno.spec.crash_load import CrashLoad
from dyno.spec.durability import (
    HARMED_ENOUGH,
    PRICE_BLOCKS_MIN,
    Crashes,
    CrashKind,
    DurabilityClaim,
    DurabilityExperiment,
    Price,
    QuickCrashes,
)
from dyno.spec.experiment import Arm, Published, Settings
from dyno.spec.matrix import refuse_twins
from dyno.spec.strict import ArmName, Strict
from dyno.spec.words import refuse_unknown

SERIES_SCHEMA = 1


class Cell(Strict):
    """An arm and a kind of crash, of which there are some number of crashes."""

    arm: ArmName
    kind: CrashKind


class Series(Strict):
    """All of it. Crashes are numbered from 1; round r has each cell once, in an order of its own,
    so that kinds and settings alternate.
    """

    kind: Literal["durability"] = "durability"
    name: str
    title: str
    question: str
    published: Published | None = None
    seed: int
    quick: bool = False
    arms: list[Arm]
    load: CrashLoad
    crashes: Crashes
    budget_s: float
    control: ArmName | None = None
    price: Price | None = None
    claims: list[DurabilityClaim] = []

    def arm(self, name: str) -> Arm:
        """The arm of that name, which must exist."""
        return next(arm for arm in self.arms if arm.name == name)

    @property
    def cells(self) -> list[Cell]:
        """In the file's order."""
        only = self.crashes.only
        return [
            Cell(arm=arm.name, kind=kind)
            for arm in self.arms
            for kind in self.crashes.kinds
            if arm.name in only.get(kind, [arm.name])
        ]

    def each(self, cell: Cell) -> int:
        """How many crashes a cell gets at most."""
        more = {(more.arm, more.crash): more.each for more in self.crashes.more}
        return more.get((cell.arm, cell.kind), self.crashes.each)

    def settled_by(self, cell: Cell) -> int:
        """How many crashes of a cell that harm are enough."""
        more = {(more.arm, more.crash): more.settled_by for more in self.crashes.more}
        return more.get((cell.arm, cell.kind), HARMED_ENOUGH)

    def turns(self) -> Iterator[tuple[int, int, Cell]]:
        """Each crash that there may be: its number, its round from 0, and its cell."""
        number = 0
        for round_ in range(max(map(self.each, self.cells))):
            cells = [cell for cell in self.cells if round_ < self.each(cell)]
            random.Random(f"crashes/{self.seed}/{round_}").shuffle(cells)
            for cell in cells:
                number += 1
                yield number, round_, cell

    def price_turns(self) -> Iterator[tuple[int, int, Arm]]:
        """Each measurement of throughput: its number from 1, its block from 0, and its arm. A block
        has each arm once, in an order of its own.
        """
        number = 0
        for block in range(self.price.blocks if self.price else 0):
            arms = list(self.arms)
            random.Random(f"price/{self.seed}/{block}").shuffle(arms)
            for arm in arms:
                number += 1
                yield number, block, arm

    def after_s(self, cell: Cell, round_: int) -> float:
        """How long after the load began a crash comes: the rounds share `within` among them, each
        has one part, and the instant is drawn in that.
        """
        each = self.each(cell)
        parts = list(range(each))
        random.Random(f"parts/{self.seed}/{cell.arm}/{cell.kind}").shuffle(parts)
        drawn = random.Random(f"instant/{self.seed}/{cell.arm}/{cell.kind}/{round_}").random()
        part_s = self.crashes.within / each
        return self.crashes.warmup + (parts[round_] + drawn) * part_s

    def ops_seed(self, number: int) -> int:
        """The seed of what dynoload does before a crash."""
        return random.Random(f"ops/{self.seed}/{number}").getrandbits(63)


def make_series(
    experiment: DurabilityExperiment,
    *,
    name: str,
    quick: bool = False,
    arms: tuple[str, ...] = (),
    budget_s: float | None = None,
    seed: int = 42,
) -> Series:
    """Choose and cross-check. Raises SpecError for references that lead nowhere."""
    refuse_twins(experiment.arm)
    names = [arm.name for arm in experiment.arm]
    referred = [claim.arm for claim in experiment.claim]
    referred += [arm for only in experiment.crashes.only.values() for arm in only]
    referred += [more.arm for more in experiment.crashes.more]
    referred += [experiment.control] if experiment.control else []
    referred += [experiment.price.baseline] if experiment.price else []
    for wanted in (*arms, *experiment.quick.arms, *referred):
        refuse_unknown(wanted, names, what="arm")
    short = experiment.quick if quick else None
    chosen = arms or (tuple(short.arms) if short else ()) or tuple(names)
    kept = [arm for arm in experiment.arm if arm.name in chosen and (arms or not arm.extra)]
    if not kept:
        raise SpecError("no arm is left", hint="name one with --arms")
    return Series(
        name=name,
        title=experiment.title,
        question=experiment.question,
        published=experiment.published,
        seed=seed,
        quick=quick,
        arms=[_whole(arm, experiment.settings) for arm in kept],
        load=experiment.load,
        crashes=_crashes(experiment.crashes, short),
        budget_s=budget_s or experiment.budget,
        control=experiment.control if experiment.control in chosen else None,
        price=_price(experiment.price, chosen, quick=quick),
        claims=[claim for claim in experiment.claim if claim.arm in chosen],
    )


def _price(price: Price | None, chosen: tuple[str, ...], *, quick: bool) -> Price | None:
    """Without its baseline there is nothing to compare with."""
    if price is None or price.baseline not in chosen or len(chosen) < 2:
        return None
    return changed(price, blocks=PRICE_BLOCKS_MIN) if quick else price


def _crashes(crashes: Crashes, short: QuickCrashes | None) -> Crashes:
    if short is None:
        return crashes
    kinds = short.kinds or crashes.kinds
    only = {kind: arms for kind, arms in crashes.only.items() if kind in kinds}
    return changed(crashes, kinds=kinds, only=only, more=[], each=min(short.each, crashes.each))


def _whole(arm: Arm, shared: Settings) -> Arm:
    """With the settings of all arms below its own; never somebody else's server."""
    if isinstance(arm.server, Address):
        raise SpecError(
            f"arm {arm.name!r}: Dyno crashes only servers that it has started itself",
            hint="give a name of dyno servers list",
        )
    return changed(arm, settings=shared | arm.settings)
