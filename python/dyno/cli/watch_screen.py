"""Draws what `dyno watch` sees: a display that changes on a terminal, plain lines elsewhere.

Only draws; what it shows was read and reckoned in dyno.watch.
"""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from dyno.spec.units import format_duration, plural
from dyno.watch import Estimate, Fill, Gone, Job, Reading, Sight, Waiting, share_done

BAR_COLUMNS = 30
WAITING_MAX = 8
# The most characters of a statement that a plain line shows.
SQL_CHARS = 60
_SOON_S = 0.5

_GONE = {
    "ended": "ended",
    "killed": "killed",
    "early": "gone long before it was due: killed, or failed",
    "server": "gone while the server was away",
    "unknown": "no longer there",
}


class WatchScreen:
    """A context manager, so that the terminal is left in order, with the last picture on it."""

    def __init__(self, console: Console, address: str, *, once: bool = False) -> None:
        self.console = console
        self._address = address
        self._state: list[str] = []
        changes = console.is_terminal and not once
        self.live = Live(console=console, auto_refresh=False) if changes else None

    def __enter__(self) -> WatchScreen:
        if self.live:
            self.live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.live:
            self.live.stop()

    def show(self, sight: Sight) -> None:
        """Draw a sight; what is gone gets a line that stays."""
        clock = time.strftime("%H:%M:%S")
        for gone in sight.gone:
            self.console.print(Text(f"{clock} {gone_words(gone)}"), soft_wrap=True)
        if self.live:
            self.live.update(picture(sight, self._address, clock), refresh=True)
            return
        for line in self._lines(sight):
            self.console.print(Text(f"{clock} {line}"), soft_wrap=True)

    def _lines(self, sight: Sight) -> list[str]:
        """Plain lines: what stays the same is said once."""
        reading = sight.reading
        if reading is None:
            return self._new([f"server away: {plain(sight.away or '')}; trying again"])
        state = [f"connected to {sight.server}"]
        state += [f"not seen: {what}: {why}" for what, why in reading.missing.items()]
        if not reading.jobs and not reading.waiting:
            return self._new([*state, "nothing runs"])
        lines = self._new(state)
        lines += [job_line(job, sight) for job in reading.jobs]
        lines += [waiting_line(one) for one in reading.waiting[:WAITING_MAX]]
        return lines + _more(reading)

    def _new(self, state: list[str]) -> list[str]:
        """Those lines of a state that didn't hold at the sight before."""
        new = [line for line in state if line not in self._state]
        self._state = state
        return new


def picture(sight: Sight, address: str, clock: str) -> RenderableType:
    """All of a sight, for a terminal."""
    title = Text(no_wrap=True, overflow="ellipsis")
    title.append("dyno watch ", "bold").append(plain(address)).append(f" · {sight.server} · ")
    title.append(clock, "dim")
    if sight.reading is None:
        away = Text(f"server away: {plain(sight.away or '')}", "bold red")
        return Group(title, Text(), away, Text("trying again", "dim"))
    parts: list[RenderableType] = [title]
    for job in sight.reading.jobs:
        parts += [Text(), *_job_picture(job, sight)]
    if not sight.reading.jobs:
        parts += [Text(), Text("nothing runs: no ALTER, OPTIMIZE or long load", "dim")]
    if sight.reading.waiting:
        parts += [Text(), _waiting_table(sight.reading)]
    for what, why in sight.reading.missing.items():
        parts.append(Text(f"not seen: {what}: {why}", "dim"))
    return Group(*parts)


def _job_picture(job: Job, sight: Sight) -> list[RenderableType]:
    estimate = sight.estimates[job.id]
    head = Text(no_wrap=True, overflow="ellipsis")
    head.append(_name(job), "bold").append(f" · session {job.id}, {plain(job.user)}")
    head.append(f" · {_where(job, estimate)}", "cyan")
    pct = share_done(job)
    bar = Table.grid(padding=(0, 1))
    bar.add_row(
        ProgressBar(total=100, completed=pct or 0, width=BAR_COLUMNS, pulse=pct is None),
        Text(" · ".join(_numbers(job, estimate)), no_wrap=True, overflow="ellipsis"),
    )
    sql = Text(plain(job.sql), "dim", no_wrap=True, overflow="ellipsis")
    parts: list[RenderableType] = [head, bar, Text(eta_words(job, estimate)), sql]
    if sight.fill is not None and job.source == "onlineddl":
        parts.append(_fill_picture(sight.fill))
    if job.kind == "defragment" and sight.reading and sight.reading.defragmented is not None:
        parts.append(Text(f"defragmented so far: {sight.reading.defragmented:,} times"))
    return parts


def _fill_picture(fill: Fill) -> RenderableType:
    grid = Table.grid(padding=(0, 1))
    style = "red" if fill.warning else "green"
    words = Text(fill_words(fill), "bold red" if fill.warning else "")
    bar = ProgressBar(
        total=100, completed=min(fill.pct, 100), width=BAR_COLUMNS, complete_style=style
    )
    grid.add_row(bar, words)
    return grid


def _waiting_table(reading: Reading) -> RenderableType:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading, least in (("waits", 6), ("user", 6), ("for", 9), ("state", 8), ("statement", 8)):
        table.add_column(heading, no_wrap=True, overflow="ellipsis", min_width=least)
    for one in reading.waiting[:WAITING_MAX]:
        table.add_row(
            *(
                Text(text)
                for text in (
                    str(one.id),
                    plain(one.user),
                    format_duration(one.elapsed_s),
                    plain(one.state),
                    plain(one.sql),
                )
            )
        )
    return Group(table, *(Text(line, "dim") for line in _more(reading)))


def job_line(job: Job, sight: Sight) -> str:
    """A job in one line."""
    estimate = sight.estimates[job.id]
    parts = [f"{_name(job)} (session {job.id})", _where(job, estimate)]
    parts += [*_numbers(job, estimate), eta_words(job, estimate)]
    if sight.fill is not None and job.source == "onlineddl":
        parts.append(fill_words(sight.fill))
    return " · ".join(part for part in parts if part)


def waiting_line(one: Waiting) -> str:
    """A session that waits, in one line."""
    behind = f" behind session {one.behind}" if one.behind is not None else ""
    waited = format_duration(one.elapsed_s)
    return f"  session {one.id} waits{behind} for {waited}: {plain(one.state)}: {_short(one.sql)}"


def gone_words(gone: Gone) -> str:
    """What became of a job, and how far it came."""
    far = "" if gone.pct is None else f" at {gone.pct:.1f} %"
    due = f", with about {format_duration(gone.left_s)} to go" if gone.left_s else ""
    due = due if gone.how in ("early", "killed", "server") else ""
    took = format_duration(gone.job.elapsed_s)
    return f"{_name(gone.job)} (session {gone.job.id}): {_GONE[gone.how]}{far} after {took}{due}"


def eta_words(job: Job, estimate: Estimate) -> str:
    """How long it has run and will still take."""
    so_far = f"{format_duration(job.elapsed_s)} so far"
    if estimate.left_s is None or estimate.total_s is None:
        return f"{so_far}, to go: unknown ({estimate.why})"
    if estimate.left_s < _SOON_S:
        return f"{so_far}, due to end"
    about = "at most" if estimate.at_most else "about"
    left, total = format_duration(estimate.left_s), format_duration(estimate.total_s)
    return f"{so_far}, {about} {left} to go of {total}"


def fill_words(fill: Fill) -> str:
    """How full the row log is."""
    rows = f" ({plural(fill.rows, 'row')})" if fill.rows is not None else ""
    soon = f", full in {format_duration(fill.full_in_s)}" if fill.full_in_s is not None else ""
    warning = f": WARNING: {fill.warning}" if fill.warning else ""
    return f"row log {fill.pct:.1f} % full{rows}{soon}{warning}"


def plain(text: str) -> str:
    """A server's text on one line, without what a terminal would obey."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def _name(job: Job) -> str:
    return f"{job.kind.upper()} {plain(job.table or '')}".strip()


def _where(job: Job, estimate: Estimate) -> str:
    words = plain(job.stage or job.state) or "no state"
    words = f"{words}: {estimate.phase}" if estimate.phase else words
    return f"killed, being undone ({words})" if job.killed else words


def _numbers(job: Job, estimate: Estimate) -> list[str]:
    parts = []
    pct = share_done(job)
    if pct is not None:
        parts.append(f"{pct:.1f} %")
    if job.rows_done is not None:
        of = f" of about {job.rows_total:,}" if job.rows_total else ""
        parts.append(f"{job.rows_done:,}{of} rows")
    if estimate.rate_per_s is not None:
        per_s = estimate.rate_per_s
        parts.append(f"{per_s:.2f} %/s" if estimate.rate_unit == "%" else f"{per_s:,.0f} rows/s")
    if not parts and estimate.phase is not None:
        return ["all that is counted is done"]
    return parts or ["no percentage"]


def _short(sql: str) -> str:
    text = plain(sql)
    return text if len(text) <= SQL_CHARS else text[: SQL_CHARS - 1] + "…"


def _more(reading: Reading) -> list[str]:
    more = len(reading.waiting) - WAITING_MAX
    return [f"  and {more:,} more"] if more > 0 else []
