"""`dyno check-durability` as typed wrongly: refused in a line, before any server is touched."""

from __future__ import annotations

import signal
import sys

import pytest

from dyno.cli.main import main


@pytest.mark.parametrize(
    ("arguments", "said", "hint"),
    [
        (["--server", "mysql://root@db1:3306/"], "never one at an address", "mariadb-debian"),
        (["--server", "mysql-5.6.24", "--after", "soon"], "'soon' is not a duration", ""),
        (["--server", "mysql-5.6.24", "--after", "0s"], "in 0 s nothing is acknowledged", "5s"),
        (["--server", "mysql-5.6.24", "--set", "sync_binlog"], "is not NAME=VALUE", ""),
        (["--server", "mysql-5.6.24", "--ids", "9"], "tpcc has warehouses", "--warehouses"),
        (
            ["--server", "x", "--workload", "linkbench", "--warehouses", "9"],
            "linkbench has ids",
            "--ids",
        ),
        (["--server", "mysql-5.6.24", "--engine", "a b"], "'a b' is not an engine", "InnoDB"),
    ],
)
def test_what_cannot_be_tested_is_refused(
    arguments: list[str],
    said: str,
    hint: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    # The command line takes these over; the rest of the session needs its own back.
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    monkeypatch.setattr(sys, "argv", ["dyno", "check-durability", *arguments])
    try:
        with pytest.raises(SystemExit) as ended:
            main()
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    words = capsys.readouterr()
    assert ended.value.code == 2
    assert words.out == ""
    assert said in words.err
    assert hint in words.err
