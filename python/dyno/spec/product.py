"""A server's product and version: as people write them, and as numbers that can be compared."""

from __future__ import annotations

import re

PRODUCTS = {"mariadb": "MariaDB", "mysql": "MySQL"}


def full_name(product: str, version: str) -> str:
    """As in "MariaDB 10.11.5"; an unknown product keeps its own name."""
    return f"{PRODUCTS.get(product, product)} {version}"


def series(version: str) -> tuple[int, ...]:
    """The first two numbers of a version: (10, 11) of "10.11.5-MariaDB"."""
    return tuple(int(number) for number in re.findall(r"\d+", version)[:2])
