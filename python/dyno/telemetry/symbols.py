"""Functions that have a name in a program's own symbol table or in debug data only, so that a
stripped build of it has none for them.

Two builds can be compared by function only as far as both have names.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from elftools.elf.elffile import ELFFile

# Of ELF's binding and types: STB_LOCAL; STT_FUNC and STT_GNU_IFUNC.
_LOCAL = 0
_FUNCTIONS = (2, 10)


class Names:
    """What the names of a program's functions say. An object that is in C alone and has no symbol
    table of its own exports all that it has names for: others come from debug data beside it.
    """

    def __init__(self, local: frozenset[str] = frozenset(), exported: frozenset[str] = frozenset()):
        self.local = local
        self._exported_by_c = (
            frozenset() if any(name.startswith("_Z") for name in exported) else exported
        )

    def is_local(self, symbol: str) -> bool:
        """Whether a stripped build has no name for a function, given by the linker's name."""
        name = symbol.partition("@")[0]
        return name in self.local or bool(self._exported_by_c and name not in self._exported_by_c)


@lru_cache(maxsize=64)
def names_of(path: str) -> Names:
    """The names of a program; none where it can't be read."""
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile

    try:
        with Path(path).open("rb") as file:
            elf = ELFFile(file)
            if elf.elfclass != 64 or not elf.little_endian:
                return Names()
            if elf.get_section_by_name(".symtab") is not None:
                own = _functions(elf, ".symtab")
                return Names(local=frozenset(name for name, bind in own if bind == _LOCAL))
            return Names(exported=frozenset(name for name, _ in _functions(elf, ".dynsym")))
    except (OSError, ELFError, ValueError, struct.error):
        return Names()


def _functions(elf: ELFFile, section: str) -> Iterator[tuple[str, int]]:
    """Name and binding of each function. A table is read as a whole: symbol by symbol the library
    takes seconds for a server.
    """
    table = elf.get_section_by_name(section)
    if table is None:
        return
    names = elf.get_section(table["sh_link"]).data()
    for start, info, *_ in struct.iter_unpack("<IBBHQQ", table.data()):
        if info & 0xF in _FUNCTIONS:
            yield names[start : names.index(b"\0", start)].decode(errors="replace"), info >> 4
