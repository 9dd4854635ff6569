"""`dyno experiments`: what can be run."""

from __future__ import annotations

from rich.markup import escape
from rich.table import Table

from dyno.cli.find import list_experiments
from dyno.cli.options import Json
from dyno.cli.screen import out, print_json
from dyno.spec.durability import DurabilityExperiment
from dyno.spec.experiment import Experiment
from dyno.spec.matrix import expand_arms
from dyno.spec.read import read_any


def experiments(json: Json = False) -> None:
    """List the experiments that can be run by name."""
    found = {name: (path, read_any(path)) for name, path in list_experiments().items()}
    if json:
        print_json(
            [
                {
                    "name": name,
                    "title": experiment.title,
                    "question": experiment.question,
                    "arms": _arms(experiment),
                    "claims": len(experiment.claim),
                    "path": str(path),
                }
                for name, (path, experiment) in found.items()
            ]
        )
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("name", "question", "arms", "claims"):
        table.add_column(heading, justify="right" if heading in ("arms", "claims") else "left")
    for name, (_, experiment) in found.items():
        table.add_row(
            name,
            escape(experiment.question),
            str(len(_arms(experiment))),
            str(len(experiment.claim)),
        )
    out.print(table)
    out.print("\nSee one in full with: dyno check NAME", style="dim")


def _arms(experiment: Experiment | DurabilityExperiment) -> list[str]:
    """The names of its arms."""
    if isinstance(experiment, DurabilityExperiment):
        return [arm.name for arm in experiment.arm]
    return [arm.name for arm in expand_arms(experiment)]
