"""Run folders of command lines whose dyno was killed, damaged in a way drawn from a seed."""

from __future__ import annotations

import json
import random
from pathlib import Path

from mutations import change_one
from odd_files import make_odd

from dyno.recorded import slap, sysbench
from dyno.recorded.typed import read_typed
from dyno.store.run import RunFolder, RunState

GOLDEN = Path(__file__).parents[2] / "golden" / "recorded"
DOORS = {"sysbench": sysbench.file, "slap": slap.file}
COMMANDS = (
    *("", "dyno", "dyno x", "dyno report x", "dyno sysbench", "dyno slap '", "dyno slap --out"),
    "\x1b[31m",
    "dyno sysbench --mysql-password=x",
)


def killed(path: Path, door: str) -> RunFolder:
    """A folder that holds what the program recorded, and nothing that dyno made of it."""
    raw = GOLDEN / f"{door}.ndjson"
    plan = DOORS[door](read_typed([]), raw.read_text().splitlines(), 0).plan
    state = RunState(state="running", started_unix_ms=0, command=f"dyno {door} run")
    folder = RunFolder.create(path, plan=plan, host={}, state=state)
    (path / "recorded.ndjson").write_bytes(raw.read_bytes())
    return folder


def damage(folder: RunFolder, seed: int) -> str:
    """Damage the folder in one way; gives what was done."""
    rng = random.Random(seed)
    if rng.random() < 0.15:
        command = rng.choice(COMMANDS)
        folder.write_state(folder.state().model_copy(update={"command": command}))
        return f"the command {command!r}"
    raw = folder.path / "recorded.ndjson"
    lines = raw.read_text().splitlines(keepends=True)
    place = rng.randrange(len(lines))
    way = rng.choice(("bytes", "cut", "value", "value", "value", "line", "odd file", "nested"))
    match way:
        case "bytes":
            content = bytearray(raw.read_bytes())
            for _ in range(20):
                content[rng.randrange(len(content))] = rng.randrange(256)
            raw.write_bytes(content)
        case "cut":
            raw.write_bytes(raw.read_bytes()[: rng.randrange(raw.stat().st_size)])
        case "value":
            document = json.loads(lines[place])
            way += f" {change_one(document, rng)}"
            lines[place] = json.dumps(document) + "\n"
            raw.write_text("".join(lines))
        case "line":
            del lines[place]
            raw.write_text("".join(lines))
        case "odd file":
            way = make_odd(raw, rng)
        case "nested":
            raw.write_text("[" * 100_000 + "\n")
    return way
