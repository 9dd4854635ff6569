"""What an agent loads stays on a host that measures."""

from __future__ import annotations

import json
import subprocess
import sys

LOADED = """
import json, sys
import dyno.hosts.agent
names = {name.partition(".")[0] for name in sys.modules} - set(sys.stdlib_module_names)
print(json.dumps(sorted(name for name in names if not name.startswith("_"))))
"""


def test_an_agent_loads_neither_tables_nor_plans() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, check=True)
    assert json.loads(done.stdout) == ["dyno", "psutil"]
