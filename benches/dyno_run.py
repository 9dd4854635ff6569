"""A run of Dyno's own, of an experiment made up for a bench, in a folder that goes afterwards."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE
from typing import Any

from dyno.errors import LoadError
from dyno.launch import launch


@contextmanager
def dyno_run(text: str, *options: str) -> Iterator[tuple[dict[str, Any], Path]]:
    """Run the experiment of this text, and give its findings and its run folder. The run ends with
    this process, however that ends.

    Raises LoadError if the run fails; one that ran out of its budget doesn't.
    """
    with tempfile.TemporaryDirectory(prefix="dyno-bench-") as folder:
        (Path(folder) / "experiment.toml").write_text(text)
        argv = [sys.executable, "-m", "dyno.cli.main", "run", "experiment.toml", "--json", *options]
        process = launch(argv, env=os.environ, cwd=Path(folder), stdout=PIPE, stderr=PIPE)
        try:
            findings, messages = process.communicate()
        except BaseException:  # Ctrl-C reaches only us.
            process.terminate()
            process.communicate()
            raise
        if process.returncode not in (0, 3):
            said = messages.decode().strip().splitlines()[-3:]
            raise LoadError(f"dyno run ended with exit code {process.returncode}: {said}")
        (run,) = Path(folder).glob("runs/*/*")
        yield json.loads(findings), run
