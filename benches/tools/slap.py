"""mysqlslap's command line, of mariadb-slap or of dynoload: INSERTs of a line of an access log."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from benches.child import run
from benches.stand import Sample, Stand, Tool
from dyno.program import find_dynoload

CREATE = (
    "CREATE TABLE accesslog (id int unsigned NOT NULL, method varchar(255),"
    " bytes_sent varchar(255), uri varchar(255), hostname varchar(255), time datetime NOT NULL)"
)
QUERY = (
    "INSERT INTO accesslog VALUES (1, 'GET', '5120', '/archives/2005/12/index.html',"
    " 'www.example.org', '2006-01-17 21:05:32')"
)


def theirs() -> tuple[str]:
    """Debian's mysqlslap."""
    return ("mariadb-slap",)


def ours() -> tuple[str, str]:
    """The same command line in dynoload."""
    return str(find_dynoload()), "slap"


def slap(program: Callable[[], Sequence[str]], *, engine: str, clients: int, queries: int) -> Tool:
    """N INSERTs over all clients; each is an op. Its CPU is the whole program's."""

    def tool(stand: Stand) -> Sample:
        argv = [*program(), "--no-defaults", f"--socket={stand.server.socket}", "--user=root"]
        argv += [f"--create={CREATE}", f"--query={QUERY}", f"--engine={engine}"]
        argv += [f"--concurrency={clients}", f"--number-of-queries={queries}", "--iterations=1"]
        cost, _ = run(argv, stand.folder)
        return Sample(cost, ops=queries, elapsed_s=cost.wall_s, cpu_s=cost.cpu_s)

    return tool
