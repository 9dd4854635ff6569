"""What a running program is made of: allocator, C library, compiler. Read from /proc and its files;
what isn't found there is None.
"""

from __future__ import annotations

import mmap
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from dyno.telemetry import proc

# By the names of their libraries. Whatever else is mapped, memory then comes from there.
ALLOCATORS = ("jemalloc", "tcmalloc", "mimalloc", "hoard", "snmalloc", "rpmalloc")
_LIBC = re.compile(rb"GNU C Library \(([^)\0]+)\)[^\0\n]{0,40} version ([\d.]+\d)")
# Of the section .comment, which Debian's packages have no more.
_COMPILER = re.compile(rb"GCC: \([^)\0]*\) [\d.]+|clang version [\d.]+")


@dataclass(frozen=True)
class ProgramRead:
    """`allocator`: its library, or "of the C library"; `c_library` with its version; `compiler`."""

    allocator: str | None = None
    c_library: str | None = None
    compiler: str | None = None


def read_program(pid: int) -> ProgramRead:
    """What the process with this id has mapped now."""
    text = proc.known(lambda: proc.read_text(Path(f"/proc/{pid}/maps")))
    if text is None:
        return ProgramRead()
    files = mapped_files(text)
    libc = next((path for path in files if re.match(r"libc[.-]", path.name)), None)
    return ProgramRead(
        allocator=allocator([*_preloaded(pid, files), *files]),
        c_library=_in_file(libc, _LIBC) if libc else None,
        compiler=next(filter(None, (_in_file(path, _COMPILER) for path in _programs(files))), None),
    )


def mapped_files(maps: str) -> list[Path]:
    """The files of which a part is mapped, in the order of /proc/PID/maps, each once."""
    lines = (line.split(maxsplit=5) for line in maps.splitlines())
    names = (words[5] for words in lines if len(words) == 6 and words[5].startswith("/"))
    return [Path(name) for name in dict.fromkeys(names) if not name.endswith(" (deleted)")]


def _preloaded(pid: int, files: list[Path]) -> list[Path]:
    """Of the files those that were loaded before all others, so that their functions count."""
    text = proc.known(lambda: proc.read_text(Path(f"/proc/{pid}/environ"))) or ""
    asked = next((v for v in text.split("\0") if v.startswith("LD_PRELOAD=")), "")
    named = re.split(r"[: ]", asked.removeprefix("LD_PRELOAD="))
    wanted = {Path(name).resolve() for name in named if name}
    return [path for path in files if path in wanted]


def allocator(files: list[Path]) -> str | None:
    """Which allocator is the first among them; None where no library says anything."""
    for path in files:
        if any(name in path.name for name in ALLOCATORS):
            return path.name
    return "of the C library" if any(".so" in path.name for path in files) else None


def _programs(files: list[Path]) -> list[Path]:
    """Programs, not libraries: of a server with a loader of its own this is there, too."""
    return [path for path in files if ".so" not in path.name]


@lru_cache(maxsize=64)
def _in_file(path: Path, pattern: re.Pattern[bytes]) -> str | None:
    """What a pattern finds in a file, once for each: servers are hundreds of megabytes."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            found = pattern.search(data)
            words = (found.groups() or (found.group(),)) if found else ()
    except (OSError, ValueError):
        return None
    return " ".join(word.decode("ascii", "replace") for word in words) or None
