"""Records `dyno watch` in a terminal, for docs: a server, an ALTER under load, what was drawn.

    PYTHONPATH=python:tests/live:tests/live/watch python tests/live/watch/capture.py [ROWS]

writes docs/recordings/watch.cast (asciinema v2: every byte that the program wrote to its terminal,
with its time) and docs/recordings/watch.svg (one of its pictures). Nothing is edited but the
socket's path, which is this machine's.
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

from altering import REBUILD, TABLE, Statement, fill, writing
from rich.console import Console
from rich.text import Text
from standing import standing
from watching import argv, environment

from dyno.servers import Server

FOLDER = Path(__file__).parents[3] / "docs" / "recordings"
COLUMNS, LINES = 100, 16
# The socket's path is shown as this.
SHOWN_SOCKET = "/run/mysqld/mysqld.sock"
WAITS_AFTER_S = 4.0
# Pictures are apart by more than this, the parts of one by less.
PAUSE_S = 0.05
# What isn't a colour moves the cursor or clears lines.
MOVES = re.compile(r"\x1b\[[0-9;?]*[A-Za-ln-z]|\r")


def record(server: Server, rows: int) -> list[tuple[float, str]]:
    """All that was written, with its times since the first."""
    main, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    socket = Path(SHOWN_SOCKET)
    command = argv(server.socket, "--until-done", "--interval", "500ms")
    watch = subprocess.Popen(
        command,
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env=environment(TERM="xterm-256color", COLUMNS=str(COLUMNS), LINES=str(LINES)),
    )
    os.close(terminal)
    written: list[tuple[float, str]] = []
    alter: Statement | None = None
    waits: Statement | None = None
    begun_s = time.monotonic()
    altered_s = 0.0
    with writing(server, rows=rows, per_s=200):
        while True:
            now_s = time.monotonic() - begun_s
            if alter is None and "nothing runs" in "".join(text for _, text in written):
                altered_s = now_s
                alter = Statement.begin(server, REBUILD)
            if waits is None and alter is not None and now_s - altered_s > WAITS_AFTER_S:
                # It needs the table for itself, so it waits for the ALTER, and others for it.
                waits = Statement.begin(server, f"LOCK TABLES {TABLE} WRITE")
            text = _read(main)
            if text is None:
                break
            if text:
                written.append((now_s, text.replace(str(server.socket), str(socket))))
            if waits is not None and waits.took_s is not None and waits.connection.open:
                waits.end()  # Its session ends, and so its lock.
    watch.wait()
    assert alter is not None
    alter.end()
    assert waits is not None, "the ALTER was too short: take more rows"
    return [(at_s - written[0][0], text) for at_s, text in written]


def _read(main: int) -> str | None:
    """What is written next, up to a pause; None at the end."""
    text = b""
    while select.select([main], [], [], PAUSE_S)[0]:
        try:
            more = os.read(main, 65536)
        except OSError:
            return text.decode() or None
        if not more:
            return text.decode() or None
        text += more
    return text.decode()


def picture(written: list[tuple[float, str]]) -> str:
    """A picture of the ALTER as SVG."""
    drawn = [text for _, text in written if " to go of" in text and "Waiting for" in text]
    frame = MOVES.sub("", drawn[0])
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        console = Console(record=True, width=COLUMNS, file=nowhere)
        console.print(Text.from_ansi(frame), soft_wrap=True)
    svg = console.export_svg(title="dyno watch", unique_id="watch")
    # A page of docs loads nothing from elsewhere: any monospaced font will do.
    return re.sub(r"\s*@font-face \{.*?\}", "", svg, flags=re.S)


def main(rows: int) -> None:
    with standing("mariadb-10.11.5", innodb_buffer_pool_size="256M") as (server, admin, _):
        fill(admin, rows)
        written = record(server, rows)
    FOLDER.mkdir(exist_ok=True)
    header = {"version": 2, "width": COLUMNS, "height": LINES, "title": "dyno watch"}
    lines = [json.dumps(header)]
    lines += [json.dumps([round(at_s, 3), "o", text]) for at_s, text in written]
    (FOLDER / "watch.cast").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (FOLDER / "watch.svg").write_text(picture(written), encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 600_000)
