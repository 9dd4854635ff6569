"""EXPLAIN of each statement on each arm, and how the arms' plans differ: by their steps in order,
each with its table, access, key and rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dyno.analysis.model import Explained, PlansCompared, PlanStep
from dyno.analysis.samples import Samples
from dyno.spec.plan import Plan

# Rows are estimates from samples of a table: two of them differ if by more than this factor.
ROWS_APART = 2.0


def explained(plan: Plan, samples: Samples) -> Iterator[Explained]:
    """The first EXPLAIN of each arm; arms with the same one are grouped."""
    first = samples.first_of_arms(lambda trial: trial)
    for op in plan.ops:
        grouped: dict[str, Explained] = {}
        for arm, trial in first.items():
            for explain in trial.explains:
                if explain.statement == op:
                    key = explain.model_dump_json()
                    arms = [*(grouped[key].arms if key in grouped else []), arm]
                    grouped[key] = Explained(
                        op=op,
                        arms=arms,
                        columns=explain.columns,
                        rows=explain.rows,
                        error=explain.error.message if explain.error else None,
                    )
        yield from grouped.values()


def compare_plans(found: Sequence[Explained]) -> Iterator[PlansCompared]:
    """By op; what has failed or has other columns isn't compared."""
    for op in dict.fromkeys(each.op for each in found):
        arms: list[list[str]] = []
        plans: list[list[PlanStep]] = []
        for each in found:
            if each.op != op or (steps := _steps(each)) is None:
                continue
            place = next((i for i, known in enumerate(plans) if _alike(known, steps)), None)
            if place is None:
                arms.append(list(each.arms))
                plans.append(steps)
            else:
                arms[place] += each.arms
        if plans:
            yield PlansCompared(op=op, arms=arms, plans=plans)


def _steps(found: Explained) -> list[PlanStep] | None:
    names = [column.lower() for column in found.columns]
    if found.error is not None or not {"table", "type", "key", "rows"} <= set(names):
        return None
    rows = [dict(zip(names, row, strict=False)) for row in found.rows]
    return [
        PlanStep(
            table=row["table"] or "",
            access=row["type"] or "",
            key=row["key"] or "",
            rows=_number(row["rows"]),
        )
        for row in rows
    ]


def _number(text: str | None) -> float | None:
    return float(text) if text and text.replace(".", "", 1).isdigit() else None


def _alike(ours: Sequence[PlanStep], theirs: Sequence[PlanStep]) -> bool:
    return len(ours) == len(theirs) and all(map(same_step, ours, theirs))


def same_step(ours: PlanStep | None, theirs: PlanStep | None) -> bool:
    """Whether two plans do the same at one place."""
    if ours is None or theirs is None:
        return ours is theirs
    if (ours.table, ours.access, ours.key) != (theirs.table, theirs.access, theirs.key):
        return False
    if ours.rows is None or theirs.rows is None:
        return ours.rows == theirs.rows
    least, most = sorted((ours.rows, theirs.rows))
    return most + 1 <= ROWS_APART * (least + 1)
