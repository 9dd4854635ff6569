"""A series in words: kinds of crash, a cell, a crash. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from dyno.analysis.durability.model import CellRead
from dyno.analysis.part import Estimate
from dyno.spec.durability import CrashKind
from dyno.spec.units import capital, plural
from dyno.store.crash import Crash

KINDS: dict[CrashKind, str] = {
    "kill": "kill -9",
    "power": "power cut",
    "cache": "power cut, volatile disk cache",
    "torn": "power cut, half of the disk cache written",
    "sectors": "power cut, half of the disk cache's sectors written",
    "liar": "power cut, disk ignores flushes",
}
_LOSES: dict[bool, str] = {
    True: "loses acknowledged commits at a crash, no power cut needed",
    False: "loses acknowledged commits at power loss",
}
_AHEAD = "are in the binary log, so replicas are ahead"
_BEHIND = "that are kept aren't in the binary log: replicas are behind"
_DETAIL_MOST = 120
# More cells than this are one sentence: the matrix has them all.
_SINGLY_MOST = 4


def short_time(seconds: float) -> str:
    """A short time in seconds, with two digits: "0.41 s"."""
    return f"{seconds:.2g} s"


def harmed_lines(cells: Sequence[CellRead], one: str) -> Iterator[str]:
    """Cells of one kind and one mark, as sentences: one each, or one of all if many lost."""
    if len(cells) <= _SINGLY_MOST or cells[0].mark != "loses":
        yield from (f"{cell.arm}, {KINDS[cell.kind]}: {cell.says}." for cell in cells)
        return
    kind = cells[0].kind
    words = f"each {_LOSES[kind == 'kill']}"
    if most := max(cell.lost_most or 0 for cell in cells):
        words += f", up to {plural(most, one)}"
    if seconds := max(cell.lost_s_most or 0 for cell in cells):
        words += f", up to the last {short_time(seconds)}"
    found = {
        words: [cell.arm for cell in cells],
        f"lost {one}s {_AHEAD}": [cell.arm for cell in cells if cell.ahead],
        f"{one}s {_BEHIND}": [cell.arm for cell in cells if cell.behind],
    }
    yield from (line_of(kind, arms, said) for said, arms in found.items() if arms)


def line_of(kind: CrashKind, arms: Sequence[str], said: str) -> str:
    """What holds for several arms, as a sentence: by their names, or their number if many."""
    names = ", ".join(arms) if len(arms) <= _SINGLY_MOST else plural(len(arms), "arm")
    return capital(f"{KINDS[kind]}, {names}: {said}.")


def lossy_words(kind: CrashKind, crashes: Sequence[Crash], ahead: int, one: str) -> str:
    """A cell that lost something: in how many of the crashes after which that could be counted, how
    much, from how many last seconds, and how much of it is in the binary log. `one` names the
    unit: "op", "new order".
    """
    counted = [crash for crash in crashes if crash.lost is not None]
    lossy = [crash for crash in counted if crash.lost]
    seconds = [crash.lost_s for crash in lossy if crash.lost_s is not None]
    of = "" if len(counted) == len(crashes) else "the other "
    words = f"{_LOSES[kind == 'kill']}: in {len(lossy)} of {of}{plural(len(counted), 'crash')}"
    if most := max((crash.lost or 0 for crash in lossy), default=0):
        words += f", up to {plural(most, one)}"
    if seconds:
        words += f" of the last {short_time(max(seconds))}"
    if ahead:
        words += f"; {plural(ahead, f'lost {one}')} {_AHEAD}"
    return words


def lost_at_most(cell: CellRead) -> str:
    """A cell that harmed, in short: how often, and how long a time at most."""
    if cell.mark == "breaks":
        return f"doesn't come back whole in {cell.broken} of {plural(cell.n, 'crash')}"
    words = f"loses something in {cell.lossy} of {plural(cell.n, 'crash')}"
    if cell.lost_s_most is None:
        return words
    return f"{words}, up to the last {short_time(cell.lost_s_most)}"


def behind_words(behind: int, one: str) -> str:
    """What the binary log lacks of what was kept; "" if nothing."""
    return f"; {plural(behind, one)} {_BEHIND}" if behind else ""


def broken_words(crashes: Sequence[Crash]) -> str:
    """A cell that broke: how, and the first reason given."""
    broken = [crash for crash in crashes if crash.is_broken]
    hows = Counter(how(crash) for crash in broken)
    list_ = ", ".join(f"{name} {n} of {len(crashes)} times" for name, n in hows.items())
    reason = next((why for crash in broken if (why := why_broken(crash))), "")
    return f"doesn't come back whole: {list_}" + (f" ({reason})" if reason else "")


def kept_words(n: int, share: Estimate, *, each: bool = False) -> str:
    """A cell in which nothing was seen, or the one of several that has the fewest crashes."""
    assert share.interval is not None
    count = f"{plural(n, 'crash')} or more each" if each else plural(n, "crash")
    return f"no loss seen in {count}: below {100 * share.interval[1]:.2g} % a crash"


def how(crash: Crash) -> str:
    """In what way a crash left something broken."""
    if crash.state != "recovered":
        return {
            "repaired": "whole only after REPAIR",
            "unreadable": "a table can't be read",
            "no engine": "the engine is missing",
            "no start": "the server doesn't start",
            "no mount": "the file system can't be mounted",
        }[crash.state]
    if crash.checks:
        return "checks complain"
    if crash.wrong:
        return "rows have a wrong content"
    return "rows are there twice" if crash.twice else "rows are there that nobody sent"


def why_broken(crash: Crash) -> str:
    """The first thing that was said about it."""
    said = [crash.failure or "", *crash.checks, *crash.log]
    first = " ".join(next((line for line in said if line), "").split())
    return first if len(first) <= _DETAIL_MOST else first[: _DETAIL_MOST - 1] + "…"


def crash_line(crash: Crash) -> str:
    """One crash: "kill -9 of X after 2.3 s, at 520 ops/s: 1,034 acknowledged, 0 lost; …"."""
    begin = (
        f"{KINDS[crash.kind]} of {crash.arm} after {crash.after_s:.1f} s, at "
        f"{crash.ops_per_s:,.0f} ops/s: {crash.acknowledged:,} acknowledged"
    )
    if crash.lost is None:
        lost = ", nothing was checked"
    else:
        lost = f", {crash.lost:,} lost"
        lost += f" of the last {short_time(crash.lost_s)}" if crash.lost_s is not None else ""
    back = "" if crash.recovery_s is None else f"; back in {crash.recovery_s:.2f} s"
    broken = f"; {how(crash)}" if crash.is_broken else ""
    return f"{begin}{lost}{back}{broken}"
