"""Hosts that are reached by the system's own ssh, with its keys and its configuration."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

from dyno.errors import HostLostError
from dyno.spec.inventory import Host

CONNECT_S = 10
# Of ssh itself; other codes are of what it ran.
_UNREACHABLE = 255


def ssh_command(host: Host, config: Path | None, script: str) -> list[str]:
    """What runs a shell script on a host. It asks nobody for a password."""
    options = ["-T", "-o", "BatchMode=yes", "-o", f"ConnectTimeout={CONNECT_S}"]
    if config is not None:
        options += ["-F", str(config)]
    assert host.ssh is not None
    return ["/usr/bin/env", "ssh", *options, "--", host.ssh, shlex.join(["sh", "-c", script])]


def run_there(
    host: Host, config: Path | None, script: str, *, sent: bytes = b"", limit_s: float
) -> str:
    """Run a script on a host with this on its standard input; gives its output. Raises
    HostLostError if the host can't be reached, or the script fails.
    """
    try:
        done = subprocess.run(
            ssh_command(host, config, script),
            input=sent,
            capture_output=True,
            timeout=limit_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise HostLostError(f"{host.name} ({host.ssh}) didn't finish in {limit_s:g} s") from None
    if done.returncode == 0:
        return done.stdout.decode(errors="replace")
    words = done.stderr.decode(errors="replace").strip().splitlines()
    why = words[-1] if words else f"exit code {done.returncode}"
    if done.returncode == _UNREACHABLE:
        hint = f"try it by hand: ssh {host.ssh} true"
        raise HostLostError(f"{host.name} can't be reached: {why}", hint=hint)
    raise HostLostError(f"{host.name} can't be set up: {why}")
