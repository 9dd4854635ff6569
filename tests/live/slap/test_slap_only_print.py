"""--only-print: line for line what mysqlslap prints, but for random constants."""

from __future__ import annotations

import re

import pytest
from slaps import ours, run

CASES: list[list[str]] = [
    ["-a"],
    ["-a", "-x2:1", "-y2:1", "--auto-generate-sql-load-type=update"],
    ["-a", "-x2", "-y2", "--auto-generate-sql-guid-primary"],
    ["-a", "--auto-generate-sql-secondary-indexes=3", "--auto-generate-sql-add-autoincrement"],
    ["-a", "--auto-generate-sql-load-type=key", "--auto-generate-sql-guid-primary", "-e", "a,b"],
    ["-a", "--auto-generate-sql-load-type=read", "-x0", "-y2"],
    ["-a", "--auto-generate-sql-load-type=write", "-x1:1", "-y0", "--no-drop"],
    ["-a", "--auto-generate-sql-write-number=1"],
    ["-a", "--auto-generate-sql-write-number=0"],
    ["-a", "--auto-generate-sql-write-number=25", "--auto-generate-sql-unique-write-number=3"],
    ["-a", "--auto-generate-sql-unique-query-number=0"],
    ["-a", "-e", "innodb, memory:max_rows=5", "-i2"],
    ["-a", "--number-of-queries=20"],
    ["-a", "--commit=4", "--auto-generate-sql-execute-number=9"],
    ["--create=CREATE TABLE x(a int);CREATE TABLE y(a int)", "-F;", "-q", "SELECT 1", "-e", "x"],
    ["-q", "SELECT 1;SELECT 2;;SELECT 3", "-F;"],
    ["-q", "SELECT 1; SELECT 2; ;SELECT 3", "-F;"],
    ["-q", "SELECT 1;   SELECT 2;", "-F;", "--number-of-queries=5"],
    ["-q", "SELECT 1\n\n\nSELECT 2"],
    ["-q", "SELECT 'a;b'", "-F;"],
    ["-q", "SELECT 1", "--pre-query=SELECT 2\nSELECT 3", "--post-query=SELECT 4", "-i2"],
    ["-q", "SELECT 1", "--create-schema=other", "--create=CREATE TABLE a (b int)"],
    ["-q", "SELECT 1$$SELECT 2", "-F$$"],
]


def without_constants(text: str) -> str:
    text = re.sub(r"'[0-9A-TW-Za-z]{126}'", "S", text)
    return re.sub(r"(?<=[(,= ])\d+(?=[,);]|$)", "N", text, flags=re.MULTILINE)


@pytest.mark.parametrize("options", CASES, ids=" ".join)
def test_the_lines_are_the_same(options: list[str]) -> None:
    # Of a delimiter mysqlslap takes half; ours does so when asked to.
    half = ["--split=legacy"] if "-F$$" in options else []
    given = ["--no-defaults", "--only-print", *options]
    theirs = run(["mariadb-slap", *given])
    mine = run([*ours(), *given, *half])
    assert (theirs.code, mine.code) == (0, 0), mine.err
    assert without_constants(mine.out) == without_constants(theirs.out)
    assert mine.out


def test_files_are_cut_as_texts(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("sql")
    # A list that begins with an empty statement is left out: with it mysqlslap never ends.
    texts = ["SELECT 1;\nSELECT 2;\n", "S1;\n\nS2;\n\n", "S1;  S2", "S1\n\nS2\n", ""]
    for nth, text in enumerate(texts):
        file = folder / f"{nth}.sql"
        file.write_text(text)
        for delimiter in (["-F;"], []):
            given = ["--no-defaults", "--only-print", f"--query={file}", *delimiter]
            assert run([*ours(), *given]) == run(["mariadb-slap", *given]), (text, delimiter)


def test_the_whole_delimiter_counts_unless_half_is_asked_for() -> None:
    given = ["--no-defaults", "--only-print", "-F$$", "-q", "SELECT 1$$SELECT 2"]
    assert run([*ours(), *given]).out == "SELECT 1;\nSELECT 2;\n"


def test_sql_is_cut_as_sql_where_that_is_asked_for() -> None:
    text = "SELECT 'a;b'; -- c;d\nSELECT 2;;"
    given = ["--no-defaults", "--only-print", "-F;", "-q", text, "--split=sql"]
    assert run([*ours(), *given]).out == "SELECT 'a;b';\n-- c;d\nSELECT 2;\n"


def test_no_command_is_run() -> None:
    done = run([*ours(), "--no-defaults", "--only-print", "-a", "--pre-system=echo danger"])
    assert done.code == 0
    assert "danger" not in done.out
