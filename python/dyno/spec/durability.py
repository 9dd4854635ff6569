"""An experiment that asks what servers lose: crashes under load, arms by kinds of crash.

It has no trials and compares no speed. `series` expands it to what a run does.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from dyno.spec.crash_load import CrashLoad, Ledger
from dyno.spec.experiment import ARMS_MAX, Arm, Published
from dyno.spec.strict import ArmName, Line, Settings, Strict, mistake
from dyno.spec.units import DurationSeconds
from dyno.spec.words import first_twice

# kill: SIGKILL. power: the page cache is lost, too. cache: and the disk's volatile cache. torn: of
# what lies in that cache, a random half of the blocks is written. sectors: a random half of the
# sectors, so that blocks are torn as well. liar: the disk confirms flushes that it doesn't do.
CrashKind = Literal["kill", "power", "cache", "torn", "sectors", "liar"]
NEEDS_POWER: tuple[CrashKind, ...] = ("power", "cache", "torn", "sectors", "liar")
# How many crashes that harm settle a cell: one proves it, one more repeats it.
HARMED_ENOUGH = 2
# So few blocks are the fewest whose interval reaches 95 %.
PRICE_BLOCKS_MIN = 6
CRASHES_MAX = 1000
Says = Literal["loses", "keeps", "breaks"]


class More(Strict):
    """A cell that gets more crashes than the others, for a narrower bound."""

    arm: ArmName = Field(description="The arm.")
    crash: CrashKind = Field(description="The kind of crash.")
    each: Annotated[int, Field(ge=1, le=CRASHES_MAX)] = Field(
        description="How many crashes at most."
    )
    settled_by: Annotated[int, Field(ge=1, le=CRASHES_MAX)] = Field(
        HARMED_ENOUGH,
        description="How many crashes that lose or break something settle the cell: as many as "
        "`each` for a share with a narrow interval.",
    )


class Crashes(Strict):
    """How servers crash, how often, and when."""

    kinds: Annotated[list[CrashKind], Field(min_length=1)] = Field(
        ["kill", "power"],
        description="`kill` (SIGKILL), `power` (the page cache is lost as well), `cache` (and what "
        "the disk's volatile cache holds), `torn` (of that, a random half of the blocks of 4 KiB "
        "is written), `sectors` (a random half of the 512-byte sectors, so that blocks are torn), "
        "`liar` (the disk confirms flushes that it doesn't do). All but the first need root.",
    )
    each: Annotated[int, Field(ge=1, le=CRASHES_MAX)] = Field(
        20,
        description="How many crashes of a kind an arm gets at most. It gets no more once two have "
        "lost something, or broken it.",
    )
    warmup: DurationSeconds = Field(1.0, description="The load before the earliest instant.")
    within: Annotated[DurationSeconds, Field(gt=0)] = Field(
        6.0,
        description="The window that the instant is drawn from: at least the longest cycle that "
        "matters, such as the flush of each second.",
    )
    more: list[More] = Field([], description="Cells with another `each`.")
    only: dict[CrashKind, list[ArmName]] = Field(
        {}, description="Kinds that only these arms get; a kind that isn't here is for all."
    )

    @model_validator(mode="after")
    def _different_kinds(self) -> Crashes:
        if (kind := first_twice(self.kinds)) is not None:
            raise mistake(f"kinds has {kind!r} twice", hint="name each kind once")
        for kind in self.only:
            if kind not in self.kinds:
                raise mistake(
                    f"only has {kind!r}, which isn't in kinds", hint="add it to kinds, too"
                )
        return self


class QuickCrashes(Strict):
    """What `--quick` changes."""

    each: Annotated[int, Field(ge=1, le=CRASHES_MAX)] = Field(
        3, description="How many crashes of a kind an arm gets at most."
    )
    arms: list[ArmName] = Field([], description="Only these arms; all where none is named.")
    kinds: list[CrashKind] = Field([], description="Only these kinds; all where none is named.")


class Price(Strict):
    """What each arm's promise costs: its throughput under the same load, on the plain disk."""

    baseline: ArmName = Field(description="The arm that the others are compared with.")
    blocks: Annotated[int, Field(ge=PRICE_BLOCKS_MIN, le=1000)] = Field(
        8,
        description="How often each arm is measured, all arms once a block in a random order. "
        f"With `--quick`: {PRICE_BLOCKS_MIN}.",
    )
    warmup: DurationSeconds = Field(1.0, description="The load before the figure counts.")
    window: Annotated[DurationSeconds, Field(gt=0)] = Field(
        3.0, description="The load whose ops are counted."
    )


class DurabilityClaim(Strict):
    """What is asserted of an arm."""

    arm: ArmName = Field(description="The arm.")
    crash: CrashKind = Field(description="The kind of crash.")
    says: Says = Field(
        description="`loses`: something acknowledged is lost. `keeps`: nothing is lost or broken. "
        "`breaks`: the server, a table or an engine doesn't come back whole."
    )
    below: Annotated[float, Field(gt=0, lt=1)] = Field(
        0.05,
        description="Of `keeps`: it is reproduced once losses at more than this share of the "
        "crashes are ruled out. 0.05 takes 59 crashes.",
    )
    published: Line | None = Field(None, description="Where it is said.")


class DurabilityExperiment(Strict):
    """A question about what is lost, its arms, load, crashes and claims."""

    kind: Literal["durability"] = Field(description="What distinguishes it from other experiments.")
    title: Line = Field(description="The title of the report.")
    question: str = Field(description="What the experiment answers, as a question.")
    published: Published | None = Field(None, description="Where the question comes from.")
    settings: Settings = Field({}, description="`settings` of every arm; an arm's come on top.")
    arm: Annotated[list[Arm], Field(min_length=1, max_length=ARMS_MAX)] = Field(
        description="What is crashed: servers that Dyno starts."
    )
    load: CrashLoad = Field(
        Ledger(), description="What makes load, and is looked for after each crash."
    )
    crashes: Crashes = Field(Crashes(), description="The crashes.")
    budget: DurationSeconds = Field(5400.0, description="No crash begins after this long.")
    control: ArmName | None = Field(
        None,
        description="The arm that must lose at each kind but `kill`: where it lost nothing, the "
        "others were not tested.",
    )
    price: Price | None = Field(
        None, description="What the arms cost; left out, no throughput is measured."
    )
    quick: QuickCrashes = Field(QuickCrashes(), description="What `--quick` changes.")
    claim: Annotated[list[DurabilityClaim], Field(max_length=1000)] = Field(
        [], description="What is asserted, and will be judged."
    )
