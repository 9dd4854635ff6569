"""Puts this very Dyno on load hosts: its files, dynoload, and the packages that an agent needs.

Each version has a folder of its own there, by the digest of its files. Packages come from wherever
pip finds them on that host.
"""

from __future__ import annotations

import io
import re
import shlex
import tarfile
from collections.abc import Iterable, Iterator
from functools import cached_property
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from dyno.hosts.certificates import Certificates
from dyno.hosts.here import HostRead, package_files, read_host
from dyno.hosts.ssh import run_there
from dyno.program import find_dynoload
from dyno.spec.inventory import Host, Inventory

# Below the home of the account there, unless the host has a `home`.
FOLDER = ".local/share/dyno-agent"
# All that an agent loads; a server host has the rest of Dyno's packages, too.
_AGENT_NEEDS = ("psutil", "distributed")
_NAME = re.compile(r"[A-Za-z0-9._-]+")
_LOOK_S = 60.0
_INSTALL_S = 900.0
_THERE = """
set -e; umask 077
mkdir -p {base}; cd {base}
[ -e {dyno}/done ] && echo there
exit 0
"""
_INSTALL = """
set -e; umask 077
cd {base}; rm -rf {dyno}; mkdir {dyno}; tar -xzf - -C {dyno}; cd {dyno}
command -v {python} >/dev/null || {{ echo "there is no {python}" >&2; exit 1; }}
{python} -m venv venv
venv/bin/python -m pip install --quiet --disable-pip-version-check -r needs.txt
mv dyno venv/lib/{python}/site-packages/
mv dynoload venv/bin/
touch done
"""
_KEYS = """
set -e; umask 077
cd {base}; rm -rf {tls}; mkdir {tls}; tar -xzf - -C {tls}
"""
# The shell gives what it starts in the background no input, so the pipe gets a number of its own.
_AGENT = """
cd {base} || exit 1
exec 3<&0
rm -rf tmp; mkdir tmp
DYNO_HOME="$PWD/home" TMPDIR="$PWD/tmp" {command} &
agent=$!
(cat <&3 >/dev/null; kill $agent) 2>/dev/null &
wait $agent
"""


class Deployed:
    """This host's Dyno, on the hosts of an inventory that have an `ssh`."""

    def __init__(self, inventory: Inventory) -> None:
        self._config = inventory.engine.ssh_config
        self._tls = f"hosts-{inventory.engine.port}.tls"

    @cached_property
    def _here(self) -> HostRead:
        """Read only where somebody has an `ssh`: it takes a while."""
        return read_host()

    @property
    def _dyno(self) -> str:
        return f"dyno-{self._here.dyno[:12]}"

    @property
    def python(self) -> str:
        """The Python that has it, in the folder that agents start in."""
        return f"{self._dyno}/venv/bin/python"

    @property
    def certificates(self) -> Certificates:
        """Those of a host, in the same folder."""
        return Certificates(Path(self._tls))

    def install(self, host: Host) -> bool:
        """Install it unless it is there; returns whether it had to. Raises HostLostError."""
        words = self._words(host)
        if "there" in run_there(host, self._config, _THERE.format(**words), limit_s=_LOOK_S):
            return False
        script = _INSTALL.format(**words)
        packed = _packed(_own_files(_needs(host)))
        run_there(host, self._config, script, sent=packed, limit_s=_INSTALL_S)
        return True

    def send_certificates(self, host: Host, keys: Certificates) -> None:
        """Give a host what it alone needs of them. Raises HostLostError."""
        files = ((path.name, path) for path in (keys.authority, keys.of(host)))
        script = _KEYS.format(**self._words(host))
        run_there(host, self._config, script, sent=_packed(files), limit_s=_LOOK_S)

    def agent_script(self, host: Host, command: str) -> str:
        """A shell script that runs an agent's command for as long as its input is open."""
        return _AGENT.format(**self._words(host), command=command)

    def _words(self, host: Host) -> dict[str, str]:
        base = f'"$HOME"/{FOLDER}' if host.home is None else shlex.quote(str(host.home))
        python = f"python{self._here.python}"
        return {"base": base, "dyno": self._dyno, "python": python, "tls": self._tls}


def _needs(host: Host) -> set[str]:
    """The packages that a host needs, and all that they need."""
    own = ("dyno-bench",) if "server" in host.roles else ()
    return _closure((*_AGENT_NEEDS, *own)) - {"dyno-bench"}


def _own_files(needs: set[str]) -> Iterator[tuple[str, Path | bytes]]:
    """Names in the archive, and what they hold."""
    for name, path in package_files():
        yield f"dyno/{name}", path
    yield "dynoload", find_dynoload()
    pins = [f"{name}=={version(name)}\n" for name in sorted(needs)]
    yield "needs.txt", "".join(pins).encode()


def _closure(names: tuple[str, ...]) -> set[str]:
    """These packages and all that they need, as far as they are installed here."""
    found: set[str] = set()
    left = list(names)
    while left:
        name = re.sub(r"[-_.]+", "-", left.pop()).lower()
        if name in found:
            continue
        try:
            needs = requires(name) or []
        except PackageNotFoundError:
            continue  # Of another system or Python.
        found.add(name)
        for need in needs:
            match = _NAME.match(need)
            if match is not None and "extra ==" not in need:
                left.append(match.group())
    return found


def _packed(files: Iterable[tuple[str, Path | bytes]]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=1) as archive:
        for name, content in files:
            data = content if isinstance(content, bytes) else content.read_bytes()
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            entry.mode = 0o755 if name == "dynoload" else 0o644
            archive.addfile(entry, io.BytesIO(data))
    return packed.getvalue()
