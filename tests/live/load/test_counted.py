"""What counting what a server does costs isn't counted itself, nor is the end of a connection."""

from __future__ import annotations

import threading

import pytest
from counted import counted
from standing import standing

QUESTIONS = 3


@pytest.mark.parametrize("name", ["mysql-5.6.24", "mariadb-10.1.8"])
def test_a_connection_that_closes_late_adds_nothing(name: str) -> None:
    with standing(name) as (server, admin, _):

        def ask() -> None:
            other = server.admin()
            with other.cursor() as cursor:
                for _ in range(QUESTIONS):
                    cursor.execute("SELECT 1")
            threading.Timer(0.4, other.close).start()

        work = counted(admin, ask)
        assert work["Com_select"] == QUESTIONS
        assert work["Connections"] == 1
        assert work["Handler_read_rnd_next"] == 0
