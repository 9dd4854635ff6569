"""Runs a command beside real servers: with_servers.py NAME… -- COMMAND…

Each server is started on a fresh data folder; the command finds their sockets, comma-separated, in
DYNO_TEST_SOCKET (root, no password). The command's exit code is this one's.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from dyno.home import find_home
from dyno.servers import create_data_dir, install, start


def main(arguments: list[str]) -> int:
    split = arguments.index("--")
    names, command = arguments[:split], arguments[split + 1 :]
    with ExitStack() as stack:
        work = tempfile.TemporaryDirectory(prefix="test-", dir=find_home().work)
        folder = Path(stack.enter_context(work))
        folder.chmod(0o755)
        sockets = []
        for name in names:
            installation = install(name, progress=lambda text: print(text, file=sys.stderr))
            data = folder / name
            create_data_dir(installation, data)
            server = start(installation, data_dir=data, run_dir=folder / f"{name}-logs")
            stack.enter_context(server)
            sockets.append(str(server.socket))
            print(f"{name} {server.version} on {server.socket}", file=sys.stderr)
        environment = os.environ | {"DYNO_TEST_SOCKET": ",".join(sockets)}
        return subprocess.run(command, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
