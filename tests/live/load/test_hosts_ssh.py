"""A load host that is reached over SSH: Dyno is installed there, and its agent started."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from hosting import hosted, hosts_command, write_hosts
from thinned import in_test_all
from waiting import wait_until

from dyno.hosts.deploy import FOLDER
from dyno.servers.server import free_port

pytestmark = [
    in_test_all,
    pytest.mark.skipif(os.geteuid() != 0, reason="a home of another login needs root"),
    pytest.mark.skipif(shutil.which("dropbear") is None, reason="needs dropbear-bin"),
]
CONFIG = """
Host load1
  HostName 127.0.0.1
  Port {port}
  User root
  IdentityFile {key}
  UserKnownHostsFile {folder}/known
  StrictHostKeyChecking accept-new
"""


@dataclass
class Far:
    """A file of hosts, of which load1 has an `ssh`, and the home of the login there."""

    file: Path
    home: Path

    def dyno(self, *words: str) -> subprocess.CompletedProcess[str]:
        command = hosts_command(self.file, *words)
        return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)


def prepare_home(folder: Path) -> Path:
    """Who may log in, and where pip finds packages, as this host does."""
    home = folder / "home"
    (home / ".ssh").mkdir(parents=True)
    (home / ".config" / "pip").mkdir(parents=True)
    shutil.copy(folder / "key.pub", home / ".ssh" / "authorized_keys")
    settings = [f"{name[4:].lower().replace('_', '-')} = {value}"
                for name, value in os.environ.items() if name.startswith("PIP_")]  # fmt: skip
    (home / ".config" / "pip" / "pip.conf").write_text("[global]\n" + "\n".join(settings) + "\n")
    for path in (home, home / ".ssh", home / ".ssh" / "authorized_keys"):
        path.chmod(0o700)
    return home


@pytest.fixture
def far(tmp_path: Path) -> Iterator[Far]:
    key, port = tmp_path / "key", free_port("127.0.0.1")
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    subprocess.run(["dropbearkey", "-t", "ed25519", "-f", tmp_path / "host"],
                   check=True, capture_output=True)  # fmt: skip
    home = prepare_home(tmp_path)
    config = tmp_path / "ssh_config"
    config.write_text(CONFIG.format(port=port, key=key, folder=tmp_path))
    file = write_hosts(tmp_path)
    text = file.read_text().replace('name = "load1"', 'name = "load1"\nssh = "load1"')
    file.write_text(text.replace("[engine]", f'[engine]\nssh_config = "{config}"'))
    serve = f"exec dropbear -F -s -p 127.0.0.1:{port} -r {tmp_path}/host"
    with ExitStack() as stack:
        process = subprocess.Popen(
            ["unshare", "-m", "sh", "-c", f"mount --bind {home} /root && {serve}"]
        )
        stack.callback(process.wait)
        stack.callback(process.kill)
        yield Far(file, home)


def test_setup_installs_dyno_and_up_starts_its_agent(far: Far) -> None:
    done = far.dyno("setup")
    assert done.returncode == 0, done.stderr
    assert "load1: Dyno is installed" in done.stdout
    assert (far.home / FOLDER).is_dir()
    keys = sorted(path.name for path in (far.home / FOLDER).glob("*.tls/*"))
    assert keys == ["authority.pem", "load1.pem"]
    assert "load1: Dyno was there" in far.dyno("setup").stdout
    with hosted(far.file) as hosts:
        checked = far.dyno("check")
        assert checked.returncode == 0, checked.stdout + checked.stderr
        worker = b"load1\0--no-dashboard"
        assert len(commands_with(worker)) == 1
        hosts.up.send_signal(signal.SIGKILL)
        wait_until(lambda: not commands_with(worker))


def commands_with(words: bytes) -> list[Path]:
    """The processes that have these words in their command lines, but not as a part of one."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if words in path.read_bytes():
                found.append(path)
        except OSError:
            continue
    return found


def test_a_host_that_nobody_answers_at_is_named(far: Far) -> None:
    config = far.file.parent / "ssh_config"
    config.write_text(config.read_text().replace("Port", "Port 1 #"))
    done = far.dyno("setup")
    assert done.returncode == 4
    assert done.stderr.splitlines()[-3].startswith("error: load1 can't be reached: ")
    assert "Traceback" not in done.stderr
