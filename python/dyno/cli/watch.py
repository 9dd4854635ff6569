"""`dyno watch`: what maintenance runs on a server, and how long it will still take."""

from __future__ import annotations

import contextlib
import getpass
import time
from datetime import datetime
from typing import Annotated
from urllib.parse import quote

import typer

from dyno.cli.login import login
from dyno.cli.options import seconds_from
from dyno.cli.screen import out, print_json
from dyno.cli.watch_screen import WatchScreen
from dyno.errors import SpecError
from dyno.servers import reach
from dyno.spec.address import SCHEME
from dyno.spec.server_ref import ServerRef, parse_server
from dyno.watch import Follower, Link, Sight, sight_document

INTERVAL_MIN_S = 0.1


def watch(
    server: Annotated[
        str,
        typer.Option(
            "--server",
            help="mysql://user@host:port/ or mysql://user@/?socket=/path (password as with dyno "
            "run), a socket's path (as the user that you are), or the name of a server that dyno "
            "servers start runs.",
        ),
    ],
    interval: Annotated[
        str, typer.Option("--interval", help="Time between two readings, e.g. 500ms or 5s.")
    ] = "1s",
    once: Annotated[bool, typer.Option("--once", help="Read once and end.")] = False,
    until_done: Annotated[
        bool, typer.Option("--until-done", help="End when all that was seen running has ended.")
    ] = False,
    json: Annotated[
        bool, typer.Option("--json", help="Print a JSON document a reading, each on a line.")
    ] = False,
) -> None:
    """Show running ALTER, OPTIMIZE and long loads on any server: progress, ETA, who waits."""
    every_s = seconds_from("--interval", interval) or 0.0
    if every_s < INTERVAL_MIN_S:
        raise SpecError(
            f"--interval: {interval} is too often; each reading costs the server a little",
            hint=f"give {INTERVAL_MIN_S:g}s or more",
        )
    if once and until_done:
        raise SpecError("--once and --until-done exclude each other", hint="leave one of them out")
    watched = _server(server)
    shown = str(watched)
    asked = login()

    def connect() -> Link:
        return Link(reach(watched, login=asked))

    follower = Follower(connect)
    with contextlib.closing(follower):
        # A wrong address is an error; a server that goes away later is waited for.
        follower.connect()
        if json:
            _follow(follower, _JsonLines(shown), every_s, once=once, until_done=until_done)
            return
        with WatchScreen(out, shown, once=once) as screen:
            _follow(follower, screen, every_s, once=once, until_done=until_done)


class _JsonLines:
    """Shows a sight as a line of JSON, as soon as there is one."""

    def __init__(self, address: str) -> None:
        self._address = address

    def show(self, sight: Sight) -> None:
        """Print it."""
        at = datetime.now().astimezone().isoformat(timespec="milliseconds")
        line = sight_document(sight, at=at, address=self._address)
        print_json(line, indent=None)


def _follow(
    follower: Follower,
    shown: WatchScreen | _JsonLines,
    every_s: float,
    *,
    once: bool,
    until_done: bool,
) -> None:
    saw_a_job = False
    next_s = time.monotonic()
    while True:
        sight = follower.look()
        shown.show(sight)
        jobs = sight.reading.jobs if sight.reading else ()
        saw_a_job = saw_a_job or bool(jobs)
        if once or (until_done and saw_a_job and sight.reading is not None and not jobs):
            return
        # Readings that take longer than the interval aren't made up for.
        next_s = max(next_s + every_s, time.monotonic())
        time.sleep(max(next_s - time.monotonic(), 0.0))


def _server(text: str) -> ServerRef:
    """Parse a server's name or address. A path is a socket, used as the current user, as in the
    servers' own clients.
    """
    if text.startswith("/"):
        text = f"{SCHEME}{quote(getpass.getuser(), safe='')}@/?socket={quote(text)}"
    return parse_server(text)
