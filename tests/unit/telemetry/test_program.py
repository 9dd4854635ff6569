"""What a program is made of: of texts of /proc, and of this very process."""

from __future__ import annotations

import os
from pathlib import Path

from dyno.telemetry.program import ProgramRead, allocator, mapped_files, read_program

MAPS = """\
55d0c0000000-55d0c0001000 r--p 00000000 fe:00 1 /opt/my server/mysqld
7f10a0000000-7f10a0021000 rw-p 00000000 00:00 0
7f10b0000000-7f10b0001000 r-xp 00000000 fe:00 2 /lib/x86_64-linux-gnu/libc.so.6
7f10b0001000-7f10b0002000 r--p 00001000 fe:00 2 /lib/x86_64-linux-gnu/libc.so.6
7f10c0000000-7f10c0001000 rw-s 00000000 00:01 3 /[aio] (deleted)
7ffd00000000-7ffd00021000 rw-p 00000000 00:00 0 [stack]
"""


def test_files_are_read_once_each_with_blanks_in_their_names() -> None:
    assert [str(path) for path in mapped_files(MAPS)] == [
        "/opt/my server/mysqld",
        "/lib/x86_64-linux-gnu/libc.so.6",
    ]


def test_an_allocator_is_known_by_its_library() -> None:
    libc = Path("/lib/libc.so.6")
    assert allocator([libc]) == "of the C library"
    assert allocator([libc, Path("/usr/lib/libjemalloc.so.2")]) == "libjemalloc.so.2"
    assert allocator([]) is None


def test_this_process_is_read_and_one_that_is_gone_is_unknown() -> None:
    found = read_program(os.getpid())
    assert found.allocator == "of the C library"
    assert found.c_library is not None
    assert "2." in found.c_library
    assert read_program(2**22 + 1) == ProgramRead()
