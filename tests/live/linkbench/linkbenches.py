"""Our LinkBench command line on a server, with the configuration that people have."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dyno.client import Connection
from dyno.program import find_dynoload
from dyno.servers import Server

ROOT = Path(__file__).parents[3]
SHIPPED = ROOT / "crates/linkbench/src/config/shipped.properties"
# A ceiling for a busy host, below that of a test.
LIMIT_S = 540


def ours() -> list[str]:
    """Our program; another build than the installed one, for whoever works on it."""
    return [os.environ.get("DYNO_TEST_DYNOLOAD") or str(find_dynoload()), "linkbench"]


@dataclass(frozen=True)
class Done:
    """How a program ended."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Bench:
    """A server, a folder with `config/` in it, and a schema."""

    server: Server
    admin: Connection
    home: Path
    schema: str

    @property
    def config(self) -> Path:
        return self.home / "config" / "LinkConfigMysql.properties"

    def argv(self, *words: str, **properties: object) -> list[str]:
        """The command line; further properties go by -D."""
        given = {"socket": self.server.socket, "user": "root", "password": "", "dbid": self.schema}
        pairs = [f"{key}={value}" for key, value in {**given, **properties}.items()]
        more = [word for pair in pairs for word in ("-D", pair)]
        return [*ours(), "-c", str(self.config), *words, *more]

    def run(self, *words: str, **properties: object) -> Done:
        done = subprocess.run(
            self.argv(*words, **properties),
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def sql(self, text: str) -> list[tuple[Any, ...]]:
        with self.admin.cursor() as cursor:
            cursor.execute(text)
            return list(cursor.fetchall())

    def number(self, text: str) -> int:
        ((value,),) = self.sql(text)
        return int(value)

    def columns(self, name: str) -> list[str]:
        return (self.home / name).read_text(encoding="utf-8").splitlines()


def make_home(path: Path) -> None:
    """The two files, as they come with LinkBench, for 2,000 ids."""
    config = path / "config"
    config.mkdir(parents=True, exist_ok=True)
    keys = SHIPPED.read_text(encoding="utf-8").splitlines()
    begin = next(i for i, key in enumerate(keys) if key.startswith("data_file"))
    run, workload = keys[:begin], keys[begin + 1 :]
    run = ["workload_file = config/FBWorkload.properties", *run]
    (config / "LinkConfigMysql.properties").write_text("\n".join(run), encoding="utf-8")
    text = "\n".join(workload).replace("maxid1 = 10000001", "maxid1 = 2001")
    assert "maxid1 = 2001" in text
    (config / "FBWorkload.properties").write_text(text, encoding="utf-8")
