"""Runs the blocks of a run on this host for a driver elsewhere: `python -m dyno.runner.apart RUN`.

RUN is a run folder with its plan and its hosts, but no trials. Orders come in as lines of JSON, and
what happens goes out as such; a trial is packed beside the folder, for the driver to fetch. It ends
with its input, and leaves no server behind.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tarfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dyno.errors import DynoError, InterruptedRunError
from dyno.home import find_home, remove_tree
from dyno.hosts.alone import measuring_alone
from dyno.hosts.certificates import Certificates
from dyno.hosts.engine import joined
from dyno.hosts.lean import CERTIFICATES
from dyno.runner.blocks import Blocks, fresh_work_folder
from dyno.runner.progress import IntervalRead, Silent, TrialStep
from dyno.servers import Login
from dyno.store.run import RunFolder


def main() -> int:
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    said, run = Said(), Path(sys.argv[1])
    try:
        (run / "trials").mkdir()
        _serve(RunFolder.open(run), said)
    except DynoError as error:
        said.say(failed=[type(error).__name__, error.message, error.hint])
        return error.exit_code
    except KeyboardInterrupt:
        return InterruptedRunError.exit_code
    return 0


def packed(number: int) -> str:
    """The name of a packed trial."""
    return f"{number:04d}.tar"


class Said(Silent):
    """Watches a run and reports to the driver, which itself knows what is done and judged."""

    def say(self, **what: Any) -> None:
        """One thing."""
        sys.stdout.write(json.dumps(what, ensure_ascii=False) + "\n")
        sys.stdout.flush()

    def note(self, text: str) -> None:
        """Something worth its own line."""
        self.say(note=text)

    def loading(self, arm: str, table: str, rows: int, rows_total: int) -> None:
        """A dataset grows."""
        self.say(loading=[arm, table, rows, rows_total])

    def step(self, step: TrialStep) -> None:
        """A trial moves on."""
        self.say(step=asdict(step))

    def interval(self, read: IntervalRead) -> None:
        """An interval of the trial's load ended."""
        self.say(interval=read.event.model_dump_json(by_alias=True))


def _serve(folder: RunFolder, said: Said) -> None:
    used = folder.hosts()
    assert used is not None, "a run here has its hosts"
    own = os.environ.get(CERTIFICATES)
    keys = Certificates(Path(own)) if own is not None else None
    home = find_home()
    with measuring_alone(home), joined(used.inventory, used.set, keys) as elsewhere:
        work = fresh_work_folder(home, folder)
        blocks = Blocks(
            folder, folder.plan(), said, home=home, work=work, login=Login(), elsewhere=elsewhere
        )
        try:
            for order in _orders():
                _follow(order, blocks, said)
        finally:
            blocks.release()
            remove_tree(work)


def _orders() -> Iterator[dict[str, Any]]:
    for line in sys.stdin:
        yield json.loads(line)


def _follow(order: dict[str, Any], blocks: Blocks, said: Said) -> None:
    """`begin`, with the trials that are done, or `block`."""
    if "begin" in order:
        blocks.done |= set(order["begin"])
        blocks.prepare()
    else:
        block = order["block"]
        before = set(blocks.done)

        def keep() -> None:
            for number in sorted(blocks.done - before):
                _pack(blocks.folder, number)
                said.say(trial=number)
            before.update(blocks.done)

        blocks.run([block], keep)
    servers = blocks.folder.path / "servers"
    said.say(done={path.name: path.read_text() for path in sorted(servers.glob("*.json"))})


def _pack(folder: RunFolder, number: int) -> None:
    with tarfile.open(folder.path.parent / packed(number), "w") as archive:
        for path in sorted(folder.trial_path(number).iterdir()):
            archive.add(path, path.name)


if __name__ == "__main__":
    sys.exit(main())
