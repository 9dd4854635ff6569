"""Charts as files: each as SVG and PNG, for slides and for those who open no page."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from dyno.report import Chart
from dyno.store.files import storing, write_atomic


def write_images(charts: Iterable[Chart], folder: Path) -> None:
    """Write them into `folder`, made if need be. Raises StoreError if it can't be written."""
    with storing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    for chart in charts:
        write_atomic(folder / f"{chart.name}.svg", chart.svg().encode())
        write_atomic(folder / f"{chart.name}.png", chart.png())
