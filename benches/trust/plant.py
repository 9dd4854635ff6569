"""Two installations of one server: as it is, and slower: by a known time an answer, or on one CPU.

Both load the same library; a script in the place of the server's program says how long it takes.
"""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

from dyno.errors import LoadError
from dyno.home import find_home
from dyno.servers import install

SOURCE = Path(__file__).with_name("burn.c")
SERVER = "mariadb-10.11.5"
PLAIN, SLOW = "trust-plain", "trust-slow"
PROGRAM = "planted"
COUNTS = "counts"
TWO_LONGS = struct.Struct("@ll")


@dataclass(frozen=True)
class Burn:
    """The time before each answer, and whether the server spins or sleeps; `cpu`: the only one that
    the server may use, None for all.
    """

    ns: int = 0
    asleep: bool = False
    cpu: int | None = None


def plant(burn: Burn) -> None:
    """Make both installations, or set how slow the slow one is. Raises DynoError where the server
    can't be had, OSError or CalledProcessError without a C compiler.
    """
    for name, chosen in ((PLAIN, Burn()), (SLOW, burn)):
        home = find_home().servers / name
        if not home.exists():
            _copy(home, name)
        program = home / PROGRAM
        program.write_text(_script(home, chosen))
        program.chmod(0o755)
        counts = home / COUNTS
        counts.write_bytes(TWO_LONGS.pack(0, 0))
        counts.chmod(0o666)  # The server may run as another user.


def taken_ns(burn: Burn) -> float:
    """By how much an answer of the slow server came later, since `plant`: a spin ends on time, a
    sleep doesn't, so it was measured. Raises LoadError if the server counted no sleep.
    """
    if not burn.asleep:
        return burn.ns
    answers, ns = TWO_LONGS.unpack((find_home().servers / SLOW / COUNTS).read_bytes())
    if not answers:
        raise LoadError(
            "the slow server counted none of its sleeps", hint="see benches/trust/burn.c"
        )
    return float(ns / answers)


def remove() -> None:
    """Take both away."""
    for name in (PLAIN, SLOW):
        shutil.rmtree(find_home().servers / name, ignore_errors=True)


def _copy(home: Path, name: str) -> None:
    origin = install(SERVER).home
    building = home.with_name(f".{name}")
    shutil.rmtree(building, ignore_errors=True)
    subprocess.run(["cp", "-al", str(origin), str(building)], check=True)
    library = building / "burn.so"
    subprocess.run(
        ["cc", "-O2", "-shared", "-fPIC", "-o", str(library), str(SOURCE), "-ldl"], check=True
    )
    file = building / "installation.json"
    said = json.loads(file.read_text())
    file.unlink()  # The copy is a link to the same file.
    (building / "true-program").write_text(said["mysqld"])
    file.write_text(json.dumps(said | {"name": name, "mysqld": PROGRAM}))
    building.rename(home)


def _script(home: Path, burn: Burn) -> str:
    program = home / (home / "true-program").read_text()
    asleep = f'BURN_ASLEEP=1 BURN_COUNTS="{home / COUNTS}" ' if burn.asleep else ""
    on_cpu = "" if burn.cpu is None else f"taskset -cp {burn.cpu} $$ >/dev/null || exit 1\n"
    return (
        f"#!/bin/sh\n{on_cpu}"
        f'LD_PRELOAD="{home / "burn.so"}" BURN_NS={burn.ns} {asleep}exec "{program}" "$@"\n'
    )
