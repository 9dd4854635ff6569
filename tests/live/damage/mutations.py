"""Damages of a run folder, drawn from a seed: of bytes, of values, of series, and of files."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
from odd_files import make_odd

ODD: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    7,
    1e308,
    -0.5,
    2**63,
    10**30,
    "",
    "x",
    "\x1b[31m\u202e",
    "x" * 100_000,
    [],
    {},
    [[]],
    {"a": {"b": 1}},
    float("nan"),
)


def damage(folder: Path, seed: int) -> str:
    """Damage a run folder in one way; gives what was done. Half of the sums don't show it."""
    rng = random.Random(seed)
    if rng.random() < 0.7:
        for sums in folder.glob("trials/*/SHA256SUMS"):
            sums.unlink()
    return rng.choice(WAYS)(folder, rng)


def _files(folder: Path, pattern: str) -> list[Path]:
    found = [path for path in folder.rglob(pattern) if path.name != "findings.json"]
    return sorted(path for path in found if "load" not in path.name)


def _bytes(folder: Path, rng: random.Random) -> str:
    path = rng.choice(_files(folder, "*.json") + _files(folder, "*.parquet"))
    content = bytearray(path.read_bytes())
    for _ in range(rng.choice((1, 1, 3, 30))):
        content[rng.randrange(len(content))] = rng.randrange(256)
    path.write_bytes(content)
    return f"bytes of {path.name}"


def _cut(folder: Path, rng: random.Random) -> str:
    path = rng.choice(_files(folder, "*.json") + _files(folder, "*.parquet"))
    content = path.read_bytes()
    path.write_bytes(content[: rng.choice((0, 1, rng.randrange(len(content)), len(content) - 1))])
    return f"{path.name} cut"


def _text(folder: Path, rng: random.Random) -> str:
    path = rng.choice(_files(folder, "*.json"))
    text = rng.choice(
        ("[" * 100_000, "{}", "[]", "null", "1", '"x"', "9" * 10_000, '{"schema": 1}', "\0" * 99)
    )
    path.write_text(text)
    return f"{path.name} is {text[:20]!r}"


def _places(value: Any, found: list[tuple[Any, Any]]) -> None:
    keys = value if isinstance(value, dict) else range(len(value))
    for key in keys:
        found.append((value, key))
        if isinstance(value[key], dict | list):
            _places(value[key], found)


def change_one(document: Any, rng: random.Random) -> str:
    """One value of a document becomes another, is doubled or goes away; gives its key."""
    places: list[tuple[Any, Any]] = []
    _places(document, places)
    holder, key = rng.choice(places)
    match rng.randrange(5):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, list):
            holder.append(holder[key])
        case 2 if isinstance(holder[key], int | float):
            holder[key] = rng.choice((-1, -(2**40), 2**62, 1e300, 1e-300, 0, 1.5))
        case 3 if isinstance(holder, dict):
            holder[rng.choice(("x", "\x1b", "name", "arm"))] = holder[key]
        case _:
            holder[key] = rng.choice(ODD)
    return str(key)


def _value(folder: Path, rng: random.Random) -> str:
    path = rng.choice(_files(folder, "*.json"))
    document = json.loads(path.read_bytes())
    changed = [change_one(document, rng) for _ in range(rng.choice((1, 1, 2, 10)))]
    path.write_text(json.dumps(document))
    return f"{path.name}: {', '.join(changed)}"


def _series(folder: Path, rng: random.Random) -> str:
    """A whole Parquet file with odd content."""
    path = rng.choice(_files(folder, "*.parquet"))
    frame = pl.read_parquet(path)
    name = rng.choice(frame.columns)
    column = frame[name]
    number = rng.choice((-1, 0, 2**40, 2**62)) if column.dtype == pl.Int64 else -1.5
    ways: dict[str, Callable[[], pl.DataFrame]] = {
        "dropped": lambda: frame.drop(name),
        "text": lambda: frame.with_columns(pl.lit("x").alias(name)),
        "nulls": lambda: frame.with_columns(pl.lit(None, dtype=column.dtype).alias(name)),
        "number": lambda: frame.with_columns(pl.lit(number).alias(name)),
        "nan": lambda: frame.with_columns(pl.lit(float("nan")).alias(name)),
        "infinite": lambda: frame.with_columns(pl.lit(float("inf")).alias(name)),
        "empty": lambda: frame.clear(),
        "twice": lambda: pl.concat([frame, frame]),
        "reversed": lambda: frame.reverse(),
        "no columns": lambda: pl.DataFrame(),
        "lists": lambda: frame.with_columns(pl.lit([1]).alias(name)),
        "many": lambda: pl.select(pl.repeat(1, 50_000_000).alias(name)),
    }
    way = rng.choice(sorted(ways))
    ways[way]().write_parquet(path)
    return f"{path.name}: {name} {way}"


def _kind(folder: Path, rng: random.Random) -> str:
    return make_odd(rng.choice([path for path in sorted(folder.rglob("*")) if path.is_file()]), rng)


def _folder(folder: Path, rng: random.Random) -> str:
    """Folders that don't belong there, or are gone."""
    trials = folder / "trials"
    numbers = sorted(path for path in trials.iterdir() if path.name.isdigit())
    one = rng.choice(numbers)
    way = rng.randrange(8)
    match way:
        case 0:
            shutil.rmtree(trials)
        case 1:
            shutil.rmtree(trials)
            trials.write_text("x")
        case 2:
            shutil.copytree(one, trials / "0099")
        case 3:
            (trials / "²").mkdir()
        case 4:
            (trials / ("9" * 30)).mkdir()
        case 5:
            shutil.rmtree(one)
            one.write_text("x")
        case 6:
            shutil.rmtree(one)
        case 7:
            shutil.rmtree(one)
            one.symlink_to(folder)
    return f"folders: {way}"


WAYS = (_bytes, _bytes, _cut, _text, _value, _value, _value, _series, _series, _kind, _folder)
