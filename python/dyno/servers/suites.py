"""Suites of Debian beside the host's own: apt with a state of Dyno's own, so nothing of the host
changes. apt verifies signatures as always; mirror and proxy are the host's.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dyno.errors import ServerError
from dyno.home import Home, locked
from dyno.servers.fetch import Progress, run_client

KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
MIRROR = "DYNO_DEBIAN_MIRROR"
_TARBALL = "install the server from its maker's tarball: dyno servers install --tarball FILE"


@dataclass(frozen=True)
class Apt:
    """apt's programs with some options; the host's own lists without any."""

    options: tuple[str, ...] = ()

    def get(self, *words: str) -> list[str]:
        """A command line of apt-get."""
        return ["apt-get", "-q", *self.options, *words]

    def offered(self, packages: Sequence[str]) -> dict[str, str]:
        """The version that is offered now of each package, as far as apt's lists know it."""
        if not packages:
            return {}
        try:
            done = subprocess.run(
                ["apt-cache", *self.options, "policy", *packages],
                capture_output=True,
                text=True,
                check=False,
                env={**os.environ, "LC_ALL": "C"},
            )
        except FileNotFoundError:
            return {}
        found = re.findall(r"^(\S+):\n.*\n  Candidate: (\S+)", done.stdout, re.MULTILINE)
        known = {name: version for name, version in found if version != "(none)"}
        return {name: known[name] for name in packages if name in known}


HOST = Apt()


def apt_of(suite: str, home: Home) -> Apt:
    """What asks a suite, by the lists that were fetched last."""
    state = home.root / "apt" / suite
    options = {
        "Dir::Etc::sourcelist": state / "sources.list",
        "Dir::Etc::sourceparts": "/nonexistent",
        "Dir::State::lists": state / "lists",
        # As if nothing were installed: what a server needs is then all that it needs.
        "Dir::State::status": state / "status",
        "Dir::State::extended_states": state / "extended_states",
        "Dir::Cache": state / "cache",
        # Container images often turn it off, and then each program reads all lists again.
        "Dir::Cache::pkgcache": "pkgcache.bin",
        # The folders are ours, where apt's own user may not write.
        "APT::Sandbox::User": "root",
        "Acquire::Languages": "none",
        "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled": "false",
    }
    return Apt(tuple(f"-o{key}={value}" for key, value in options.items()))


def update(suite: str, home: Home, *, progress: Progress) -> Apt:
    """Fetch the suite's lists. Raises ServerError where there is no apt, no mirror, or no key."""
    state = home.root / "apt" / suite
    apt = apt_of(suite, home)
    with locked(home, f"apt-{suite}"):
        for folder in ("lists/partial", "cache/archives/partial"):
            (state / folder).mkdir(parents=True, exist_ok=True)
        (state / "status").touch()
        source = f"deb [signed-by={KEYRING}] {mirror(os.environ)} {suite} main\n"
        (state / "sources.list").write_text(source, encoding="utf-8")
        progress(f"fetching the lists of Debian {suite}")
        run_client(apt.get("-o", "APT::Update::Error-Mode=any", "update"), cwd=state, what=suite)
    return apt


def mirror(environ: Mapping[str, str]) -> str:
    """Where packages come from: as the user says, else as the host's own sources do."""
    if given := environ.get(MIRROR):
        return given
    form = "$(REPO_URI)\t$(ORIGIN)\t$(LABEL)"
    text = run_client(
        HOST.get("indextargets", "--format", form, "Created-By: Packages"),
        cwd=Path("/"),
        what="Debian packages",
    )
    for line in text.splitlines():
        address, origin, label = line.split("\t")
        if (origin, label) == ("Debian", "Debian") or address.rstrip("/").endswith("/debian"):
            return address
    raise ServerError(
        "this host's apt has no mirror of Debian",
        hint=f"name one in {MIRROR}, or {_TARBALL}",
    )


def libraries_of(packages: Sequence[str], apt: Apt, *, what: str) -> list[str]:
    """The packages with libraries that these need, and what those need, by apt's own account."""
    options = ("-s", "--no-install-recommends", "install", *packages)
    said = run_client(apt.get(*options), cwd=Path("/"), what=what)
    every = re.findall(r"^Inst (\S+)", said, re.MULTILINE)
    shown = run_client(
        ["apt-cache", *apt.options, "show", "--no-all-versions", *every], cwd=Path("/"), what=what
    )
    # A paragraph for each package.
    found = {
        name[1]
        for text in shown.split("\n\n")
        if re.search(r"^Section: libs$", text, re.MULTILINE)
        and (name := re.search(r"^Package: (\S+)$", text, re.MULTILINE))
    }
    return [name for name in every if name in found and name not in packages]
