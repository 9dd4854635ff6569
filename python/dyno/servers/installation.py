"""What an unpacked server is: where its files are, what version it is, how it is told apart."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from dyno.servers.loader import command, environment

Product = Literal["mysql", "mariadb"]
_FILE = "installation.json"
_SCHEMA_VERSION = 1


@dataclass(frozen=True)
class Installation:
    """A server that can be started.

    `version` is what the binary says of itself, `version_tuple` its three numbers. `fingerprint` is
    the SHA-256 of the package(s) it came from, or of the binary for a server on PATH.
    `library_paths` are searched for libraries by `loader`, the host's unless given. `plugins` are
    the engines and compression providers that lie in `plugin_dir` and are loaded at every start.
    `packages` are (file name, SHA-256). `allocator` is loaded into the server before all others.
    """

    name: str
    product: Product
    version: str
    version_tuple: tuple[int, int, int]
    home: Path
    mysqld: Path
    basedir: Path
    share: Path
    plugin_dir: Path | None
    library_paths: tuple[Path, ...]
    client: Path | None
    plugins: tuple[str, ...]
    fingerprint: str
    source: str
    packages: tuple[tuple[str, str], ...]
    loader: Path | None = None
    allocator: Path | None = None

    @property
    def server_environment(self) -> dict[str, str]:
        """The variables of the server itself."""
        preload = {"LD_PRELOAD": str(self.allocator)} if self.allocator is not None else {}
        return self.environment | preload

    @property
    def environment(self) -> dict[str, str]:
        """The variables that the server (or its client) needs to start; nothing is inherited."""
        return environment(self.loader, self.library_paths)

    def command(self, program: Path | None = None) -> list[str]:
        """The words that start the server, or another program that came with it."""
        return command(program or self.mysqld, self.loader, self.library_paths)

    def save(self) -> None:
        """Write installation.json into `home`; paths relative to it, so that it can be moved."""
        (self.home / _FILE).write_text(self.to_json(), encoding="utf-8")

    def to_json(self) -> str:
        """Give what `load` reads back."""
        values = {"schema_version": _SCHEMA_VERSION, **asdict(self)}
        del values["home"]
        return json.dumps(values, indent=2, default=self._within)

    def _within(self, path: Path) -> str:
        inside = path.is_relative_to(self.home)
        return str(path.relative_to(self.home) if inside else path)


def load(home: Path) -> Installation | None:
    """Read the installation in a folder, or None where there is none of this schema."""
    try:
        values: dict[str, Any] = json.loads((home / _FILE).read_text("utf-8"))
    except FileNotFoundError:
        return None
    if values.pop("schema_version", None) != _SCHEMA_VERSION:
        return None
    for key in ("mysqld", "basedir", "share", "plugin_dir", "client", "loader", "allocator"):
        values[key] = None if values.get(key) is None else home / values[key]
    values["library_paths"] = tuple(home / path for path in values["library_paths"])
    values["version_tuple"] = tuple(values["version_tuple"])
    values["plugins"] = tuple(values["plugins"])
    values["packages"] = tuple((name, digest) for name, digest in values["packages"])
    return Installation(home=home, **values)
