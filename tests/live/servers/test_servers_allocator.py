"""An allocator of the user's choice: a library that the server loads before all others."""

from __future__ import annotations

from pathlib import Path

import pytest
from planted import compiled

from dyno.errors import ServerError
from dyno.home import Home
from dyno.servers import Installation, create_data_dir, install, start, with_allocator
from dyno.telemetry import read_program


@pytest.fixture
def library(work: Path) -> Path:
    """A library with an allocator's name, and nothing in it."""
    source = work / "nothing.c"
    source.write_text("int dyno_nothing(void) { return 0; }\n")
    made = work / "libjemalloc.so.9"
    compiled(made, source, "-shared", "-fPIC")
    return made


# By the host's loader, and by one of its own.
@pytest.mark.parametrize("name", ["mariadb-debian", "mysql-sid"])
def test_a_server_runs_with_the_library_and_its_record_says_so(
    name: str, library: Path, home: Home, work: Path
) -> None:
    plain = install(name, home=home)
    found = with_allocator(plain, str(library))
    create_data_dir(found, work / "data", home=home)
    with start(found, data_dir=work / "data", run_dir=work / "run") as server:
        assert read_program(server.pid).allocator == library.name
    assert f'"allocator": "{library}"' in found.to_json()
    assert install(name, home=home) == plain


@pytest.mark.parametrize(
    ("asked", "said", "hint"),
    [
        ("jemaloc", "no allocator that Dyno knows", "jemalloc"),
        ("/nowhere/libjemalloc.so", "there is no library", "path"),
    ],
)
def test_what_is_not_there_is_said_before_a_server_starts(
    asked: str, said: str, hint: str, home: Home
) -> None:
    plain: Installation = install("mariadb-debian", home=home)
    with pytest.raises(ServerError, match=said) as caught:
        with_allocator(plain, asked)
    assert hint in (caught.value.hint or "")
