"""The same options for mysqlslap and ours: the same report, and the same work on the server.

What differs on purpose is written into the expectation: the first DROP SCHEMA isn't sent, because
a schema that is there isn't ours to drop.
"""

from __future__ import annotations

import re
from collections import Counter

import pytest
from slaps import Stand, masked
from thinned import WHOLE

FEW = ["--auto-generate-sql-write-number=20", "--auto-generate-sql-unique-query-number=4"]
TWO = ["--create=CREATE TABLE x(a int);CREATE TABLE y(a int)", "--delimiter=;"]

# Name, options, and whether the schema is made.
MATRIX: list[tuple[str, list[str], bool]] = [
    ("mixed", ["-a", *FEW], True),
    ("many", ["-a", *FEW, "-c", "2,4", "-i2", "--number-of-queries=100"], True),
    ("few queries", ["-a", *FEW, "-c8", "--number-of-queries=5"], True),
    ("each", ["-a", *FEW, "-c3", "--auto-generate-sql-execute-number=7"], True),
    ("read", ["-a", *FEW, "--auto-generate-sql-load-type=read", "-x2:1", "-y2:1"], True),
    ("write", ["-a", *FEW, "--auto-generate-sql-load-type=write", "-x3", "-y0"], True),
    ("update", ["-a", *FEW, "--auto-generate-sql-load-type=update"], True),
    (
        "update by key",
        ["-a", *FEW, "--auto-generate-sql-load-type=u", "--auto-generate-sql-add-autoincrement"],
        True,
    ),
    (
        "key",
        [
            *("-a", *FEW, "--auto-generate-sql-load-type=key", "--auto-generate-sql-guid-primary"),
            *("--auto-generate-sql-secondary-indexes=2", "-c2", "--number-of-queries=60"),
        ],
        True,
    ),
    ("engines", ["-a", *FEW, "-e", "innodb,memory:max_rows=500,myisam", "-c1,2"], True),
    ("blackhole", ["-a", *FEW, "-e", "blackhole", "--auto-generate-sql-guid-primary"], True),
    ("strings", [*TWO, "-q", "SELECT 1;INSERT INTO x VALUES(2);SELECT 3", "-c2"], True),
    ("cycle", [*TWO, "-q", "SELECT 1;INSERT INTO x VALUES(2)", "--number-of-queries=5"], True),
    ("hidden", [*TWO, "-q", "SELECT 1; INSERT INTO x VALUES(2);;SELECT 3"], True),
    ("own schema", [*TWO, "-q", "INSERT INTO y VALUES(2)", "--create-schema=slap_other"], True),
    ("preserved", ["-q", "SELECT 1", "--create-schema=mysql", "-c2", "-i2"], False),
    (
        "commit",
        [*TWO, "-q", "INSERT INTO x VALUES(1)", "--commit=2", "-c2", "--number-of-queries=10"],
        True,
    ),
    (
        "commit generated",
        ["-a", *FEW, "--commit=3", "-c2", "--number-of-queries=20", "-e", "innodb"],
        True,
    ),
    (
        "detach",
        ["-q", "SELECT 1", "--create-schema=mysql", "--detach=5", "--number-of-queries=10"],
        False,
    ),
    (
        "detach in a list",
        [
            *("-q", "SELECT 1;SELECT 2;SELECT 3;SELECT 4;SELECT 5;SELECT 6", "-F;", "-c2"),
            *("--create-schema=mysql", "--detach=2", "--number-of-queries=24"),
        ],
        False,
    ),
    (
        "before and after",
        [
            *(*TWO, "-q", "INSERT INTO x VALUES(1)", "--pre-query=INSERT INTO x VALUES(2)", "-i2"),
            *("--post-query=DELETE FROM x;UPDATE y SET a=1", "--pre-system=true"),
        ],
        True,
    ),
    (
        "init",
        ["-q", "SELECT 1", "--create-schema=mysql", "--init-command=SET @a=1", "-c3"],
        False,
    ),
    ("nothing to run", ["--create-schema=mysql", "-c2"], False),
]


def difference(ours: Counter[str], theirs: Counter[str]) -> dict[str, int]:
    names = set(ours) | set(theirs)
    return {n: ours[n] - theirs[n] for n in sorted(names) if ours[n] != theirs[n]}


@pytest.mark.parametrize(
    ("options", "makes"), [case[1:] for case in MATRIX], ids=[case[0] for case in MATRIX]
)
def test_report_and_work_are_the_same(stand: Stand, options: list[str], makes: bool) -> None:
    theirs, ours = stand.both(*options)
    assert (theirs.done.code, ours.done.code) == (0, 0), ours.done.err
    assert masked(ours.done.out) == masked(theirs.done.out)
    assert "number of seconds to run all queries: T" in masked(ours.done.out)
    expected = {"Com_drop_db": -1} if makes else {}
    assert difference(ours.counts, theirs.counts) == expected
    assert ours.counts["Connections"] > 1
    assert not stand.has_schema()
    assert not stand.has_schema("slap_other")


def test_a_schema_that_may_be_dropped_makes_no_difference(stand: Stand) -> None:
    theirs = stand.work(lambda: stand.mysqlslap("-a", *FEW))
    ours = stand.work(lambda: stand.slap("-a", *FEW, "--i-know-what-i-drop"))
    assert difference(ours.counts, theirs.counts) == {}


@pytest.mark.parametrize(
    "options",
    [
        ["-a", *FEW, "-c", "2,4", "-e", "innodb,memory"],
        ["-q", "SELECT 1", "--create-schema=mysql", "--auto-generate-sql-load-type=query"],
    ],
)
def test_csv_has_the_same_fields_and_is_appended(stand: Stand, options: list[str]) -> None:
    theirs, ours = stand.both(*options, "--csv")
    assert masked(ours.done.out) == masked(theirs.done.out)
    assert re.fullmatch(r"(\w*,\w+(,\d+\.\d{3}){3},\d+,\d+\n)+", ours.done.out)
    file = stand.path / "both.csv"
    file.unlink(missing_ok=True)
    theirs, ours = stand.both(*options, f"--csv={file}")
    assert (theirs.done.out, ours.done.out) == ("", "")
    lines = masked(file.read_text()).splitlines()
    half = len(lines) // 2
    assert half > 0
    assert lines[:half] == lines[half:]
    assert file.stat().st_mode & 0o777 == 0o640


def test_silence_is_silent(stand: Stand) -> None:
    theirs, ours = stand.both("-a", "-s", *FEW)
    assert (theirs.done.out, ours.done.out) == ("", "")


def test_steps_are_reported_alike(stand: Stand) -> None:
    for kind in ("read", "write", "key", "mixed"):
        options = ["-a", "-vv", *FEW, f"--auto-generate-sql-load-type={kind}"]
        theirs, ours = stand.both(*options, "--auto-generate-sql-guid-primary", "-i2", "-c1,2")
        assert masked(ours.done.out) == masked(theirs.done.out)


def test_a_failed_shell_command_is_only_reported(stand: Stand) -> None:
    options = ["-q", "SELECT 1", "--create-schema=mysql", "--pre-system=exit 2"]
    theirs, ours = stand.both(*options, "--post-system=echo after; exit 3")
    assert sorted(ours.done.err.splitlines()) == sorted(theirs.done.err.splitlines())
    assert "post_system option returned 768." in ours.done.err
    assert "after" in ours.done.out.splitlines()
    assert (theirs.done.code, ours.done.code) == (0, 0)


def test_a_server_of_mysql_does_the_same_work(mysql: Stand) -> None:
    options = ["-a", *FEW, "-c2", "--number-of-queries=40", "--auto-generate-sql-guid-primary"]
    theirs, ours = mysql.both(*options, "-e", "innodb,myisam")
    assert (theirs.done.code, ours.done.code) == (0, 0), ours.done.err
    assert masked(ours.done.out) == masked(theirs.done.out)
    assert difference(ours.counts, theirs.counts) == {"Com_drop_db": -1}


@pytest.mark.timeout(900)
def test_the_published_command_line_runs_as_typed(stand: Stand) -> None:
    create, query, csv = (stand.path / name for name in ("create.sql", "query.sql", "out.csv"))
    create.write_text(
        "CREATE TABLE accesslog (id int, request_uri varchar(255), bytes int, agent varchar(255))"
    )
    insert = "INSERT INTO accesslog VALUES (1, '/index.html', 4711, 'Mozilla/5.0 (X11; Linux)')"
    query.write_text(insert)
    csv.unlink(missing_ok=True)
    for plugin in ("archive", "blackhole"):
        stand.sql(f"INSTALL SONAME 'ha_{plugin}'")
    command = "--concurrency=1,25,50,100,300 --engine=archive,myisam,blackhole"
    done = stand.slap(
        *command.split(),
        f"--create={create}",
        f"--query={query}",
        "--number-of-queries=10000",
        f"--csv={csv}",
        f"--iterations={10 if WHOLE else 1}",
    )
    assert (done.code, done.out, done.err) == (0, "", "")
    fields = [line.split(",") for line in csv.read_text().splitlines()]
    cells = [(f[0], int(f[5]), int(f[6])) for f in fields]
    clients = [1, 25, 50, 100, 300]
    engines = ["archive", "myisam", "blackhole"]
    assert cells == [(e, c, 10000 // c) for e in engines for c in clients]
    assert all(float(f[4]) >= float(f[3]) > 0 for f in fields)
