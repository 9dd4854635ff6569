"""The checks of `tpcc` that hold only right after the load: the number of rows, and the shares that
the load draws at random.
"""

from __future__ import annotations

from dyno.checks.model import Check
from dyno.checks.sql import Term, bad_rows, balanced

ITEMS = 100_000
# A share of 10 %, drawn row by row, is further off than this about once in 16,000 loads.
SIGMAS = 4
_D, _OF = ("w_id", "d_id"), ("d_w_id", "d_id")


def _rows(table: str, keys: tuple[str, ...], count: int) -> Check:
    """N rows of `table` for each district or, with one key, for each warehouse."""
    names = _D[: len(keys)]
    owner, of = ("district", _OF) if len(keys) > 1 else ("warehouse", ("w_id",))
    return Check(
        f"rows of {table}",
        f"a {owner} has {count:,}",
        balanced(
            names,
            [Term("rows", keys, "COUNT(*)", table, grouped=True)],
            [Term("wanted", of, str(count), owner)],
        ),
        just_loaded=True,
    )


def _share(name: str, table: str, is_one: str) -> Check:
    """One row in ten, within the limits of chance; an empty table breaks the rule."""
    found, rows = f"COALESCE(SUM({is_one}), 0)", "COUNT(*)"
    return Check(
        name,
        f"about one in ten of {table}, within {SIGMAS} sigma",
        bad_rows(
            f"CONCAT({found}, ' of ', {rows})",
            f"FROM {table} HAVING {rows} = 0 "
            f"OR ABS({found} - 0.1 * {rows}) > {SIGMAS} * SQRT(0.09 * {rows})",
        ),
        just_loaded=True,
    )


def _holds(column: str) -> str:
    """The word in capitals, whatever the column's collation."""
    return f"{column} LIKE CAST('%ORIGINAL%' AS BINARY)"


LOAD_CHECKS = (
    Check(
        "rows of item",
        f"there are {ITEMS:,}",
        bad_rows("CONCAT(COUNT(*), ' rows')", f"FROM item HAVING COUNT(*) <> {ITEMS}"),
        just_loaded=True,
    ),
    _rows("stock", ("s_w_id",), 100_000),
    _rows("district", ("d_w_id",), 10),
    _rows("customer", ("c_w_id", "c_d_id"), 3000),
    _rows("history", ("h_w_id", "h_d_id"), 3000),
    _rows("orders", ("o_w_id", "o_d_id"), 3000),
    _rows("new_orders", ("no_w_id", "no_d_id"), 900),
    _share("BC customers", "customer", "c_credit = 'BC'"),
    _share("ORIGINAL items", "item", _holds("i_data")),
    _share("ORIGINAL stock", "stock", _holds("s_data")),
)
