"""The catalog: which servers Dyno can fetch by name. Data in catalog.toml; no code per entry."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal, cast

from dyno.errors import ServerError

Source = Literal["maven", "npm", "debian", "path", "tarball"]
# The entry that is whatever server the host's PATH has.
ON_PATH = "path"


@dataclass(frozen=True)
class Entry:
    """One server of the catalog.

    `package` is what the package client calls it (several names with spaces between for Debian,
    path or URL for a tarball); `version` is None where it is known only after installing; `sha256`
    is None where the package client itself verifies (Debian) or nothing is fetched (path). `suite`
    is one of Debian's, "" for the host's own.
    """

    name: str
    product: str
    version: str | None
    source: Source
    package: str
    sha256: str | None
    note: str = ""
    keep: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    suite: str = ""


@cache
def _file() -> dict[str, Any]:
    return tomllib.loads(files("dyno.servers").joinpath("catalog.toml").read_text("utf-8"))


@cache
def catalog() -> Mapping[str, Entry]:
    """Give every entry of the catalog by name, in the order of the file."""
    entries = {}
    for row in _file()["server"]:
        entries[row["name"]] = Entry(
            name=row["name"],
            product=row["product"],
            version=row.get("version"),
            source=cast(Source, row["source"]),
            package=row["package"],
            sha256=row.get("sha256"),
            note=row["note"],
            keep=tuple(row.get("keep", ())),
            optional=tuple(row.get("optional", ())),
            suite=row.get("suite", ""),
        )
    return entries


def library_packages(soname: str) -> tuple[str, ...]:
    """Give the Debian packages that may hold a shared library, likeliest first."""
    return tuple(_file()["libraries"].get(soname, ()))


def plugin_packages(product: str) -> Mapping[str, str]:
    """Give the Debian packages of plugins that a product's maker packs apart, by plugin."""
    packages: dict[str, str] = _file()["plugins"].get(product, {})
    return packages


def unknown_server(name: str, known: Iterable[str]) -> ServerError:
    """Make the error for a name that is neither in the catalog nor installed."""
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1)
    meant = f"did you mean {near[0]!r}? " if near else ""
    return ServerError(
        f"there is no server {name!r}", hint=f"{meant}known servers: {', '.join(names)}"
    )
