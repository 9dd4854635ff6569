"""One factor in detail: the plan of a run that measures several values of a setting."""

from __future__ import annotations

from collections.abc import Sequence

from dyno.analysis.fairness.read_back import normal
from dyno.analysis.verdicts.model import Compared
from dyno.analysis.why.factors import SWITCHES, joined
from dyno.analysis.why.plan import at_point, between, in_one_piece
from dyno.analysis.why.rows import without
from dyno.errors import SpecError
from dyno.spec.changed import changed
from dyno.spec.experiment import Arm, Settings, SettingValue
from dyno.spec.plan import Plan, ordered
from dyno.spec.renamed import normal_name
from dyno.spec.why import Factor
from dyno.spec.words import shortened

# How the names of such runs begin.
CURVE = "curve-"
# What a factor sets on one arm: in the option file, and in the session.
Side = tuple[Settings, Settings]


def curve_of(text: str) -> tuple[str, list[str]]:
    """The setting and the values of "SETTING=v1,v2,...". Raises SpecError."""
    setting, _, values = text.partition("=")
    found = [value.strip() for value in values.split(",") if value.strip()]
    if not setting.strip() or not found:
        raise SpecError(
            f"--curve {shortened(text)!r} isn't a setting with values",
            hint="write it as: --curve tmp_table_size=32M,64M",
        )
    return normal_name(setting.strip()), found


def curve_plan(
    plan: Plan,
    compared: Compared,
    factors: Sequence[Factor],
    curve: tuple[str, Sequence[str]],
    *,
    first: str,
    run: str,
    budget_s: float,
    seed: int,
) -> Plan:
    """The plan: an arm for each value, on the arm `first`, whose own value is the baseline; the
    other arm's value comes last.

    Raises SpecError for a setting that doesn't differ or has no values in between.
    """
    setting, given = curve
    factor = _factor_of(setting, factors)
    is_first = first == compared.denominator_arm
    arms = _arms(plan.arm(first), factor, setting, given, is_first=is_first)
    comparisons = [between(arm.name, arms[0].name, compared) for arm in arms[1:]]
    ends = " and ".join((compared.denominator_arm, compared.numerator_arm))
    loads = plan.protocol.loads if compared.metric == "load_time" else 0
    protocol = changed(in_one_piece(plan.protocol), loads=loads, control=False, budget=budget_s)
    return at_point(
        plan,
        compared.point,
        arms,
        name=f"{CURVE}{plan.name}",
        title=f"{setting}: {plan.title}",
        published=None,
        question=f"What does {setting} do between its values on {ends}? It differs in run {run}.",
        protocol=protocol,
        comparisons=comparisons,
        options=changed(plan.options, seed=seed),
        orders=ordered(arms, 1, protocol, seed),
    )


def measures_values_of(setting: str, plan: Plan) -> bool:
    """Whether a curve's plan is of this setting."""
    return plan.arms[0].name.startswith(_named(setting, ""))


def _named(setting: str, value: SettingValue) -> str:
    return f"{setting} = {value}"


def _factor_of(setting: str, factors: Sequence[Factor]) -> Factor:
    known = {name: f for f in factors for side in _sides(f) for name in joined(*side)}
    if setting in known and setting not in SWITCHES:
        return known[setting]
    names = known.keys() - set(SWITCHES)
    raise SpecError(
        f"--curve: {setting!r} isn't a setting that both servers take and that differs",
        hint=f"those are: {', '.join(sorted(names)) or 'none'}",
    )


def _sides(factor: Factor) -> tuple[Side, Side]:
    """What it sets on the first arm, and on the second."""
    return (factor.first, factor.first_session), (factor.second, factor.second_session)


def _arms(
    base: Arm, factor: Factor, setting: str, given: Sequence[str], *, is_first: bool
) -> list[Arm]:
    """The arm's own value first, then the given ones, then the other arm's."""
    own, other = _sides(factor) if is_first else reversed(_sides(factor))
    if not all(setting in joined(*side) for side in (own, other)):
        raise SpecError(
            f"--curve: {setting!r} has no values between those of the two arms",
            hint="name a setting that both arms have a value of",
        )
    ends = [(*own, _value(own, setting)), (*other, _value(other, setting))]
    between = [(*_at(value, own, other, setting), value) for value in _new(given, ends)]
    found = [ends[0], *between, ends[1]]
    return [
        changed(
            base,
            name=_named(setting, value),
            baseline=place == 0,
            floor=None,
            extra=False,
            settings=without(base.settings, [factor]) | settings,
            session=without(base.session, [factor]) | session,
        )
        for place, (settings, session, value) in enumerate(found)
    ]


def _value(side: Side, setting: str) -> SettingValue:
    return joined(*side)[setting]


def _new(
    given: Sequence[str], ends: Sequence[tuple[Settings, Settings, SettingValue]]
) -> list[str]:
    """Each of the given values once, without those that the ends have."""
    found: dict[str, str] = {}
    for value in given:
        found.setdefault(normal(value), value)
    for *_, end in ends:
        found.pop(normal(end), None)
    return list(found.values())


def _at(value: str, own: Side, other: Side, setting: str) -> Side:
    """The factor's settings at a value. What has the same value as the setting on both arms goes
    with it, everything else of the factor is as on the other arm.
    """
    ends = _value(own, setting), _value(other, setting)

    def moved(own: Settings, other: Settings) -> Settings:
        return {
            name: value if (own.get(name), there) == ends else there
            for name, there in other.items()
        }

    return moved(own[0], other[0]), moved(own[1], other[1])
