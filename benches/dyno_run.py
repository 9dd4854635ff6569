"""A run of Dyno's own, of an experiment made up for a bench, in a folder that goes afterwards."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dyno.errors import LoadError


@contextmanager
def dyno_run(text: str, *options: str) -> Iterator[tuple[dict[str, Any], Path]]:
    """Run the experiment of this text, and give its findings and its run folder.

    Raises LoadError if the run fails; one that ran out of its budget doesn't.
    """
    with tempfile.TemporaryDirectory(prefix="dyno-bench-") as folder:
        (Path(folder) / "experiment.toml").write_text(text)
        argv = [sys.executable, "-m", "dyno.cli.main", "run", "experiment.toml", "--json", *options]
        done = subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 3):
            said = done.stderr.strip().splitlines()[-3:]
            raise LoadError(f"dyno run ended with exit code {done.returncode}: {said}")
        (run,) = Path(folder).glob("runs/*/*")
        yield json.loads(done.stdout), run
