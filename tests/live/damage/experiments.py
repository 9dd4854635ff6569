"""Damages of an experiment file and of its command line, drawn from a seed."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

from odd_files import make_odd

NUMBERS = (
    "-1",
    "0",
    "true",
    "nan",
    "-inf",
    "1e308",
    "9223372036854775807",
    "9" * 30,
    "9" * 10_000,
    "0x" + "f" * 5000,
    "1.5",
    "[1, 2]",
    '"1"',
    "1979-05-27T07:32:00Z",
)
TEXTS = (
    '""',
    '"\\u001b[31mred\\u0007"',
    '"\\u202ebackwards"',
    '"two\\nlines"',
    '"' + "x" * 50_000 + '"',
    '"../../etc/passwd"',
    '"/dev/zero"',
    '"10000d"',
    '"-5s"',
    '"1e400 GiB"',
    '"%s %n {0} {{x}}"',
    "7",
    "[]",
    "{}",
    "[" * 3000,
    "{a = " * 3000,
)
# What was typed after the colon is nobody's to see.
SECRET = "hunter2"
ADDRESSES = (
    f'"mysql://root:{SECRET}@203.0.113.1:1/"',
    f'"mysql://root:{SECRET}@[::1/?tls=x"',
    f'"mariadb:/root:{SECRET}@x"',
    f'"MYSQL://root:{SECRET}@x"',
    f'"root:{SECRET}@x"',
)
OPTIONS = (
    ("--scale", ("0", "-1", "inf", "nan", "1e300", "1e-300", "x")),
    ("--seed", ("-1", "9" * 30, "1.5", "")),
    ("--budget", ("0s", "-1s", "9" * 400 + "d", "1000d", "1", "\x1b[31m")),
    ("--blocks", ("0", "-1", "9" * 12, "201")),
    ("--connections", ("0", "1,1", ",", "-1", "9" * 20, ",".join(map(str, range(1, 500))))),
    ("--duration", ("0s", "1y", "1e300s", "99999h")),
    ("--arms", ("x", ",,,", "a" * 10_000, "\x1b]0;x\x07")),
    ("--server", ("x", f"mysql:/u:{SECRET}@h", f"mysql://u:{SECRET}@h:99999/", "/dev/null", "..")),
)


def damage(path: Path, seed: int) -> tuple[str, list[str]]:
    """Damage an experiment file in one way; gives what was done, and options to check it with."""
    rng = random.Random(seed)
    if rng.random() < 0.2:
        name, values = rng.choice(OPTIONS)
        return f"{name} odd", [f"{name}={rng.choice(values)}"]
    text = path.read_text()
    way = rng.choice(WAYS)
    if way is None:
        return make_odd(path, rng), []
    changed = way(text, rng)
    path.write_bytes(changed if isinstance(changed, bytes) else changed.encode())
    return way.__name__, []


def _bytes(text: str, rng: random.Random) -> bytes:
    content = bytearray(text.encode())
    for _ in range(rng.choice((1, 1, 3, 30))):
        content[rng.randrange(len(content))] = rng.randrange(256)
    return bytes(content)


def _cut(text: str, rng: random.Random) -> str:
    return text[: rng.randrange(len(text))]


def _lines(text: str, rng: random.Random) -> str:
    """A line goes, is doubled, or moves."""
    lines = text.splitlines(keepends=True)
    for _ in range(rng.choice((1, 1, 3))):
        place = rng.randrange(len(lines))
        line = lines[place]
        match rng.randrange(3):
            case 0:
                del lines[place]
            case 1:
                lines.insert(place, line)
            case 2:
                lines.insert(rng.randrange(len(lines)), lines.pop(place))
    return "".join(lines)


def _number(text: str, rng: random.Random) -> str:
    return _replaced(r"(?<== )\d[\d_.]*", rng.choice(NUMBERS), text, rng)


def _text(text: str, rng: random.Random) -> str:
    return _replaced(r"\"[^\"\n]*\"", rng.choice(TEXTS), text, rng)


def _address(text: str, rng: random.Random) -> str:
    return _replaced(r"(?<=server = )\"[^\"\n]*\"", rng.choice(ADDRESSES), text, rng)


def _key(text: str, rng: random.Random) -> str:
    odd = ("x", '""', '"\\u001b"', "a.b.c", ".".join("a" * 5000), "title", "x" * 5000)
    return _replaced(r"(?m)^\w+(?= =)", rng.choice(odd), text, rng)


def _added(text: str, rng: random.Random) -> str:
    odd = (
        "[" * 5000 + "]" * 5000,
        "x = " + "[" * 5000,
        '[[claim]]\nsays = "x"\nratio_of = ["a", "a"]\nbetween = [2, 1]\n',
        '[[claim]]\nsays = "x"\nratio_of = ["a", "b"]\nat_most = 1e300\n',
        "[[arm]]\n" * 1000,
        '[[arm]]\nname = "x"\nserver = "mariadb-10.11.5"\n' * 300,
        "[sweep]\nconnections = [" + "1," * 10_000 + "]\n",
        "#" * 300_000,
        "\0",
        "\ufeff",
    )
    return text + "\n" + rng.choice(odd)


def _replaced(pattern: str, by: str, text: str, rng: random.Random) -> str:
    found = list(re.finditer(pattern, text))
    if not found:
        return text + by
    one = rng.choice(found)
    return text[: one.start()] + by + text[one.end() :]


# None: something else in the file's place.
WAYS: tuple[Callable[..., str | bytes] | None, ...] = (
    _bytes,
    _cut,
    _lines,
    _lines,
    _number,
    _number,
    _number,
    _text,
    _text,
    _text,
    _address,
    _key,
    _added,
    None,
)
