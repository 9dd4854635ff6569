"""Local functions of programs that a compiler made here, with and without their symbol table."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from dyno.telemetry import Profiler
from dyno.telemetry.perf_script import RawFrame, has_local_functions, parse_script
from dyno.telemetry.symbols import Names, names_of

pytestmark = pytest.mark.slow

PROGRAM = """
static __attribute__((noinline)) unsigned spin(unsigned n) {
  volatile unsigned x = n;
  for (unsigned i = 0; i < 1000; i++) x = x * 3 + 1;
  return x;
}
__attribute__((noinline)) unsigned turn(unsigned n) {
  volatile unsigned x = spin(n);
  for (unsigned i = 0; i < 1000; i++) x = x * 3 + 1;
  return x;
}
int main(void) { for (unsigned n = 1;; n = turn(n)); }
"""


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("programs")
    (folder / "spin.c").write_text(PROGRAM)
    made = {"whole": [], "stripped": ["-s"]}
    for name, options in made.items():
        command = ["cc", "-O1", "-rdynamic", *options, "-o", str(folder / name), "spin.c"]
        subprocess.run(command, cwd=folder, check=True)
    return {name: str(folder / name) for name in made}


def test_only_a_symbol_table_has_local_functions(programs: dict[str, str]) -> None:
    names = names_of(programs["whole"])
    assert names.is_local("spin")
    assert not names.is_local("turn")
    assert not names.is_local("main")
    assert names_of(programs["stripped"]).local == frozenset()


def test_names_that_c_code_does_not_export_come_from_debug_data() -> None:
    c = Names(exported=frozenset({"malloc", "memcpy"}))
    assert c.is_local("_int_malloc")
    assert not c.is_local("memcpy@@GLIBC_2.14")
    # Of C++ only mangled names could say it, and all that a stripped program names is exported.
    assert not Names(exported=frozenset({"_Z4turnj"})).is_local("turn")


def test_what_is_no_program_has_none(tmp_path: Path, programs: dict[str, str]) -> None:
    text, cut = tmp_path / "text", tmp_path / "cut"
    text.write_text("#!/bin/sh\n")
    cut.write_bytes(Path(programs["whole"]).read_bytes()[:700])
    for path in (text, cut, tmp_path, tmp_path / "none"):
        assert not names_of(str(path)).is_local("spin")


def test_frames_are_marked_by_the_linkers_names(programs: dict[str, str]) -> None:
    path = programs["whole"]
    lines = ["  7", f"\t 1 Spin::spin ({path})", f"\t 2 turn ({path})", ""]
    mangled = ["  7", f"\t 1 spin ({path})", f"\t 2 turn ({path})", ""]
    assert has_local_functions(lines)
    assert parse_script(lines, mangled) == {
        (RawFrame("whole", "turn"), RawFrame("whole", "Spin::spin", is_local=True)): 1
    }


@pytest.mark.parametrize("name", ["whole", "stripped"])
def test_perf_names_what_a_program_has_names_for(
    name: str, programs: dict[str, str], tmp_path: Path
) -> None:
    with subprocess.Popen([programs[name]]) as busy:
        try:
            profiler = Profiler(busy.pid, folder=tmp_path)
            profiler.start()
            time.sleep(0.3)
            profiler.begin()
            time.sleep(1.5)
            profiler.stop()
            found = profiler.read()
        finally:
            busy.kill()
    if found.unavailable is not None:
        assert os.geteuid() != 0, found.unavailable
        return
    own = {stack[-1] for stack in found.stacks if stack[-1].object == name}
    assert RawFrame(name, "turn") in own
    if name == "whole":
        assert RawFrame(name, "spin", is_local=True) in own
    else:
        assert "spin" not in {frame.symbol for frame in own}
