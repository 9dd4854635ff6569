"""The durability test in words: its settings, a line for each kill, what it came to, and what it
can't show. Pure.
"""

from __future__ import annotations

from dyno.analysis.durability import KINDS
from dyno.runner.durability import Durability, Kill
from dyno.spec.units import plural
from dyno.stats import wilson

CONFIDENCE = 0.95
_SLOW = 0.1


def head_lines(result: Durability) -> list[str]:
    """The server, what runs on it, and its settings as it says them."""
    read = (f"{name}={_read(value)}" for name, value in result.settings.items())
    return [
        f"{result.server} ({result.product} {result.version}), "
        f"{result.workload} with {result.data} in {result.engine}, "
        f"{plural(result.connections, 'connection')}"
        + ("" if result.crash == "kill" else f", {KINDS[result.crash]}"),
        f"read back: {', '.join(read)}",
    ]


def kill_line(kill: Kill) -> str:
    """One kill: "kill 1 after 4.2 s, at 520 ops/s: 934 acknowledged, 934 found, …"."""
    begin = (
        f"kill {kill.number} after {kill.after_s:.1f} s, at {kill.ops_per_s:,.0f} ops/s: "
        f"{kill.acknowledged:,} acknowledged"
    )
    back = "" if kill.recovery_s is None else f"; back in {kill.recovery_s:.2f} s"
    if kill.failure is not None or kill.lost is None or kill.surplus is None:
        return f"{begin}{back}; NOT OK: {kill.failure}"
    ok = len(kill.checks) - len(kill.bad_checks)
    line = (
        f"{begin}, {kill.found:,} found, {kill.lost:,} lost, surplus {kill.surplus:,}{back}; "
        f"{ok} of {len(kill.checks)} checks ok"
    )
    return line if kill.ok else f"{line}; NOT OK: {'; '.join(_faults(kill))}"


def summary_line(result: Durability) -> str:
    """What all kills came to: how much was lost, of how much."""
    setting = f"with {result.flush}={_read(result.settings.get(result.flush))}"
    whole, lost, judged = result.acknowledged, result.lost, result.judged
    words = "no kill could be judged"
    if judged and not lost:
        words = f"0 of {whole:,} acknowledged {result.counted} lost in {_kills(judged)}"
    elif judged:
        low, high = (100 * share for share in wilson(lost, whole, confidence=CONFIDENCE))
        each = [kill.lost or 0 for kill in judged]
        words = (
            f"lost {lost:,} of {whole:,} acknowledged {result.counted} "
            f"({100 * lost / whole:.2f} %, 95 % Wilson interval {low:.2f} to {high:.2f} %) "
            f"in {_kills(judged)}, {min(each):,} to {max(each):,} a kill,"
        )
    unjudged = [kill for kill in result.kills if kill.lost is None]
    more = [f"nothing was checked after kill {kill.number}: {kill.failure}" for kill in unjudged]
    more += [
        f"after kill {kill.number} the data broke a rule or couldn't be checked"
        for kill in judged
        if kill.bad_checks or not kill.is_surplus_ok
    ]
    slow = [str(kill.number) for kill in result.kills if kill.ops_per_s < _SLOW * _best(result)]
    if slow:
        more.append(
            f"kill {', '.join(slow)} came at less than a tenth of the best rate, and shows little"
        )
    return "; ".join([f"{words} {setting}", *more])


def limits(result: Durability) -> str:
    """What a killed process, or a power cut of this kind, can't show."""
    if result.crash != "kill":
        return (
            f"Each kill came right after a cut of the disk's power ({KINDS[result.crash]}); what "
            "was acknowledged later doesn't count. The disk is an image: its speed isn't a disk's."
        )
    return (
        "A killed process isn't a power failure: the kernel keeps what it was handed. So nothing "
        f"may be lost here with {result.flush}=2 although that isn't durable. A disk that confirms "
        "flushes without doing them goes unnoticed."
    )


def _faults(kill: Kill) -> list[str]:
    """All that isn't as it must be."""
    faults = []
    if kill.lost:
        lacking = f", {kill.incomplete:,} of them in part" if kill.incomplete else ""
        faults.append(f"lost {kill.lost:,}{lacking}, such as {kill.example}")
    if not kill.is_surplus_ok:
        faults.append(f"surplus {kill.surplus:,}, allowed are 0 to {kill.connections:,}")
    faults += [check.line for check in kill.bad_checks]
    return faults or ["no check was made"]


def _best(result: Durability) -> float:
    return max(kill.ops_per_s for kill in result.kills)


def _kills(kills: list[Kill]) -> str:
    return plural(len(kills), "kill")


def _read(value: str | None) -> str:
    return "unknown to the server" if value is None else value or "(empty)"
