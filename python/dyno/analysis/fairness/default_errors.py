"""Errors that only a server's newer default causes: ops that only one arm retries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from dyno.analysis.fairness.model import Fairness
from dyno.analysis.load.trial import measured
from dyno.analysis.samples import Samples
from dyno.spec.plan import Plan
from dyno.spec.units import plural

# By code: the setting, and what it means.
CAUSES = {
    "1020": (
        "innodb_snapshot_isolation",
        "a row changed after the transaction's snapshot was taken (the default is ON from MariaDB "
        "11.6 on)",
    ),
}


def checks(plan: Plan, samples: Samples) -> Iterator[Fairness]:
    """One for each cause that was seen, counted apart from what every server retries."""
    seen: dict[str, Counter[tuple[int, str]]] = {code: Counter() for code in CAUSES}
    for trial in samples.ok:
        phase = measured(trial)
        for code, counts in seen.items():
            if phase is not None:
                again = phase.retries.get(code, 0) + phase.failed.get(code, 0)
                counts[trial.point, trial.arm] += again
    for code, counts in seen.items():
        found = {place: count for place, count in sorted(counts.items()) if count}
        if found:
            setting, meaning = CAUSES[code]
            yield Fairness(
                name=f"errors of {setting}",
                check="warning",
                says=f"Ops were retried or failed with error {code} because of {setting}: "
                f"{meaning}. Set it equally on all arms to compare the servers without it.",
                details=[
                    f"{arm}, {plan.points[point].label}: {plural(count, 'time')}"
                    for (point, arm), count in found.items()
                ],
            )
