"""Watches a server as `dyno watch --json` does, in this process or as one of its own."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from dyno.servers import connect_external
from dyno.servers.external import NO_PASSWORD
from dyno.spec.address import Address
from dyno.watch import Follower, Link, sight_document

Document = dict[str, Any]
EVERY_S = 0.1


def address(socket: Path, user: str = "root") -> str:
    return f"mysql://{user}@/?socket={socket}"


def argv(socket: Path, *options: str) -> list[str]:
    return [sys.executable, "-m", "dyno.cli.main", "watch", "--server", address(socket), *options]


def environment(**more: str) -> dict[str, str]:
    return os.environ | {"DYNO_PASSWORD": "", **more}


@dataclass
class Watch:
    """Documents with the time at which they were read, on time.monotonic's clock."""

    documents: list[tuple[float, Document]] = field(default_factory=list)

    def follow(self, socket: Path, user: str, stop: threading.Event) -> None:
        """Look until it is stopped."""
        there = Address.parse(address(socket, user))
        connect = partial(connect_external, there, login=NO_PASSWORD)
        with closing(Follower(lambda: Link(connect()))) as follower:
            while not stop.wait(EVERY_S):
                document = sight_document(follower.look(), at="", address=str(there))
                # As a script gets it.
                self.documents.append((time.monotonic(), json.loads(json.dumps(document))))

    def until(self, wanted: Callable[[Document], bool], timeout_s: float = 60) -> Document:
        """Wait for a document, of those read too; gives the first."""
        deadline = time.monotonic() + timeout_s
        looked = 0
        while True:
            for _, document in self.documents[looked:]:
                looked += 1
                if wanted(document):
                    return document
            assert time.monotonic() < deadline, f"it didn't come; the last: {self.documents[-3:]}"
            time.sleep(0.02)

    def all_of(self, value: Callable[[Document], Any]) -> list[Any]:
        """What this gives of each document so far, as far as it is something."""
        return list(filter(None, (value(document) for _, document in self.documents)))


@contextmanager
def watching(socket: Path, user: str = "root") -> Iterator[Watch]:
    """Watch a server, several times a second."""
    watch, stop = Watch(), threading.Event()
    thread = threading.Thread(target=watch.follow, args=(socket, user, stop), daemon=True)
    thread.start()
    try:
        watch.until(lambda _: True)
        yield watch
    finally:
        stop.set()
        thread.join(30)


def has_job(document: Document, **keys: object) -> bool:
    """Whether a job with these values runs."""
    return any(all(job[k] == v for k, v in keys.items()) for job in document["jobs"])


def beyond(pct: float) -> Callable[[Document], bool]:
    """Whether a job has come further than this."""
    return lambda document: any((job["pct"] or 0) > pct for job in document["jobs"])
