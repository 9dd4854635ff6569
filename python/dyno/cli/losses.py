"""`dyno run`, `dyno check` and `dyno report` of experiments that crash servers."""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path

from rich.markup import escape
from rich.table import Table

from dyno.analysis.durability import KINDS, LOSSES_SCHEMA, Losses, crash_line, find_losses
from dyno.cli.arms import settings_of, shared_settings
from dyno.cli.begin import new_run
from dyno.cli.concluded import show_conclusion, write_conclusion
from dyno.cli.find import find_experiment, runs_of
from dyno.cli.screen import Teller, err, out, print_json, telling
from dyno.errors import DynoError
from dyno.home import find_home
from dyno.power import lacking
from dyno.report.losses import losses_html, losses_terminal
from dyno.runner.beforehand import refuse_unknown_servers
from dyno.runner.crashes import execute_series
from dyno.spec.durability import NEEDS_POWER
from dyno.spec.kind import pairs
from dyno.spec.series import Series
from dyno.spec.units import format_duration, plural
from dyno.store.crash import Crash
from dyno.store.priced import Priced
from dyno.store.series import SeriesFolder, is_series
from dyno.telemetry import host_facts

# Copying the data, starting the server twice, recovery and checks, by the prototype.
_BESIDES_S = 3.0
# Of that, copying the data and one start.
_START_S = 1.5


class CrashScreen(contextlib.ExitStack):
    """The progress of a series on stderr. The status line starts with the first
    message: its thread must not run before the mounts are private.
    """

    _teller: Teller | None = None

    def say(self, text: str) -> None:
        """What is done now."""
        if self._teller is None:
            self._teller = self.enter_context(telling(text))
        if err.is_terminal:
            self._teller(text)

    def crashed(self, crash: Crash, *, done: int, most: int, eta_s: float | None) -> None:
        """A crash is over."""
        left = f", {format_duration(eta_s)} left at most" if eta_s else ""
        self.note(f"{done} of at most {most}{left}: {crash_line(crash)}")

    def priced(self, priced: Priced, *, done: int, most: int, eta_s: float) -> None:
        """An arm was measured."""
        left = f", {format_duration(eta_s)} left" if eta_s else ""
        self.note(f"price {done} of {most}{left}: {priced.arm}, {priced.ops_per_s:,.0f} ops/s")

    def note(self, text: str) -> None:
        """A line that stays."""
        if self._teller is None:
            err.print(escape(text), soft_wrap=True)
        else:
            self._teller.show(text, console=err)


def run_losses(series: Series, *, out_path: Path, json: bool, again: str) -> None:
    """Run a new series, and report it."""
    refuse_unknown_servers(series.arms)
    path, state = new_run(series.name, out_path)
    host = host_facts(find_home().root).to_dict()
    folder = SeriesFolder.create(path, series=series, host=host, state=state)
    execute_losses(folder, json=json, again=again, new=True)


def execute_losses(folder: SeriesFolder, *, json: bool, again: str, new: bool = False) -> None:
    """Run what is left of a folder, and report it."""
    err.print(f"run folder: {escape(str(folder.path))}", soft_wrap=True)
    try:
        with CrashScreen() as screen:
            state = execute_series(folder, screen, again=again)
    except (DynoError, KeyboardInterrupt):
        if any(folder.crashes()):
            conclude_losses(folder)
        elif new:
            shutil.rmtree(folder.path)  # Nothing was tested: nothing to resume or to report.
        raise
    err.print(f"stopped: {escape(state.reason)}\n", soft_wrap=True)
    print_losses(folder, conclude_losses(folder), json=json)


def unfinished_losses(name: str, out_path: Path) -> SeriesFolder | None:
    """The newest series of an experiment that isn't complete."""
    label, _ = find_experiment(name)
    for path in reversed(runs_of(label, out_path)):
        if is_series(path):
            folder = SeriesFolder(path)
            if folder.state().state != "complete":
                return folder
    return None


def conclude_losses(folder: SeriesFolder) -> Losses:
    """Make the findings, and write findings.json and report.html."""
    losses = find_losses(folder)
    write_conclusion(folder.path, losses, losses_html(losses), schema=LOSSES_SCHEMA)
    return losses


def print_losses(folder: SeriesFolder, losses: Losses, *, json: bool) -> None:
    """The findings on stdout, and where the report is on stderr."""
    show_conclusion(folder.path, losses, losses_terminal, schema=LOSSES_SCHEMA, json=json)


def check_losses(series: Series, *, json: bool) -> None:
    """What a run would do, and whether this host can."""
    refuse_unknown_servers(series.arms)
    if json:
        print_json(series.model_dump(mode="json"))
        return
    out.print(f"[bold]{escape(series.title)}[/]\n{escape(series.question)}\n")
    table = Table(box=None, pad_edge=False, header_style="bold")
    shared = shared_settings(series.arms)
    for heading, least in (("arm", 12), ("server", 14), ("own settings", 33)):
        table.add_column(heading, overflow="fold", min_width=least)
    for arm in series.arms:
        own = {name: value for name, value in settings_of(arm).items() if name not in shared}
        server = f"{arm.server}, {arm.engine or 'InnoDB'}"
        texts = (arm.name, server, pairs(own))
        table.add_row(*map(escape, texts))
    out.print(table)
    if shared:
        out.print(f"every arm: {escape(pairs(shared))}", soft_wrap=True)
    for name, text in _facts(series):
        out.print(f"\n[bold]{name}[/]  {escape(text)}", soft_wrap=True, end="")
    out.print()


def _facts(series: Series) -> list[tuple[str, str]]:
    crashes, cells = series.crashes, len(series.cells)
    mean_s = crashes.warmup + crashes.within / 2 + _BESIDES_S
    most = sum(map(series.each, series.cells))
    most_s = min(series.budget_s, most * mean_s)
    kinds = "; ".join(
        f"{kind}: {KINDS[kind]}" + (f" (only {', '.join(only)})" if only else "")
        for kind in crashes.kinds
        for only in [crashes.only.get(kind)]
    )
    found = [
        ("kinds", kinds),
        (
            "crashes",
            f"at most {plural(most, 'crash')} in {plural(cells, 'cell')}, "
            f"{crashes.warmup:g} to {crashes.warmup + crashes.within:g} s into the load",
        ),
        ("load", series.load.words),
        ("time", f"about {format_duration(most_s)} at most; budget {series.budget_s / 60:g} min"),
        *_price(series),
        *(("claim", f"{claim.arm}, {claim.crash}: {claim.says}") for claim in series.claims),
    ]
    problem = lacking() if any(kind in NEEDS_POWER for kind in crashes.kinds) else None
    return [*found, ("here", problem or "this host can do all of it")]


def _price(series: Series) -> list[tuple[str, str]]:
    """What is measured after the crashes, if anything."""
    if (price := series.price) is None:
        return []
    turns = price.blocks * len(series.arms)
    all_s = turns * (price.warmup + price.window + _START_S)
    words = f"{plural(price.blocks, 'block')} of every arm, against {price.baseline}"
    return [("price", f"{words}; about {format_duration(all_s)} after the crashes")]
