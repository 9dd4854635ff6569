"""What a statement of another session does, and to which table, judged by its first words.

No SQL parser: only the words before the table's name are examined.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_WORD = r"(?:`(?:[^`]|``)+`|[\w$]+)"
_NAME = rf"(?P<table>{_WORD}(?:\s*\.\s*{_WORD})?)"
_COMMENT = re.compile(r"\s*(?:/\*(?!!|M!).*?\*/|--[ \t\n].*?(?:\n|$)|#.*?(?:\n|$))", re.S)
_SET_STATEMENT = re.compile(r"\s*SET\s+STATEMENT\s.*?\sFOR\s+", re.I | re.S)
_QUIETLY = r"(?:(?:LOW_PRIORITY|QUICK|IGNORE|DELAYED|HIGH_PRIORITY)\s+)*"

# Kind, and what it looks like. A kind in capitals only counts once it has run for long: a server
# executes thousands of those per second.
_FORMS = [
    (kind, re.compile(r"\s*" + form, re.I | re.S))
    for kind, form in (
        ("alter", rf"ALTER\s+(?:ONLINE\s+)?(?:IGNORE\s+)?TABLE\s+(?:IF\s+EXISTS\s+)?{_NAME}"),
        ("optimize", rf"OPTIMIZE\s+(?:NO_WRITE_TO_BINLOG\s+|LOCAL\s+)?TABLES?\s+{_NAME}"),
        (
            "index",
            r"CREATE\s+(?:OR\s+REPLACE\s+)?(?:(?:ONLINE|OFFLINE|UNIQUE|FULLTEXT|SPATIAL)\s+)*INDEX"
            rf"\s+(?:IF\s+NOT\s+EXISTS\s+)?{_WORD}\s+(?:USING\s+\w+\s+)?ON\s+{_NAME}",
        ),
        ("index", rf"DROP\s+INDEX\s+(?:IF\s+EXISTS\s+)?{_WORD}\s+ON\s+{_NAME}"),
        ("other", rf"(?:REPAIR|CHECK|ANALYZE)\s+(?:\w+\s+)?TABLES?\s+{_NAME}"),
        ("other", rf"TRUNCATE\s+(?:TABLE\s+)?{_NAME}"),
        ("LOAD", rf"LOAD\s+(?:DATA|XML)\s.*?\sINTO\s+TABLE\s+{_NAME}"),
        ("LOAD", rf"(?:INSERT|REPLACE)\s+{_QUIETLY}(?:INTO\s+)?{_NAME}"),
        (
            "LOAD",
            rf"CREATE\s+(?:OR\s+REPLACE\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?{_NAME}.*?\bSELECT\b",
        ),
        ("OTHER", rf"DELETE\s+{_QUIETLY}FROM\s+{_NAME}"),
        ("OTHER", rf"UPDATE\s+{_QUIETLY}{_NAME}\s+SET\s"),
    )
]


@dataclass(frozen=True)
class Statement:
    """`kind` as in Job; `ddl`: maintenance however short it is, not one of a load's statements."""

    kind: str
    table: str
    ddl: bool


def classify(sql: str, database: str | None) -> Statement | None:
    """What a statement does; None: neither maintenance nor a change of rows.

    A table without a schema gets that of the session, `database`.
    """
    bare = _without_prefix(sql)
    for kind, form in _FORMS:
        if found := form.match(bare):
            ddl = kind.islower()
            return Statement(kind.lower(), _full_name(found["table"], database), ddl)
    return None


def names_table(sql: str, table: str) -> bool:
    """Whether a statement contains the name of a table (schema.table) as a word."""
    word = re.escape(table.rpartition(".")[2])
    return re.search(rf"(?<![\w$]){word}(?![\w$])", sql, re.I) is not None


def _without_prefix(sql: str) -> str:
    while found := _COMMENT.match(sql) or _SET_STATEMENT.match(sql):
        sql = sql[found.end() :]
    return sql


def _full_name(written: str, database: str | None) -> str:
    words = [
        word[1:-1].replace("``", "`") if word.startswith("`") else word
        for word in re.findall(_WORD, written)
    ]
    return ".".join(words if len(words) > 1 or not database else [database, *words])
