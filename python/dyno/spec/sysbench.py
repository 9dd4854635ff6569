"""The workload `sysbench`: a Lua script of sysbench's, with its options, as a load.

docs/reference/load-plan.md says how dynoload runs it. Here are the keys of an experiment, and how
the script's files get into a run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from dyno.errors import SpecError
from dyno.spec.bounded import read_bounded
from dyno.spec.changed import changed
from dyno.spec.kind import WHICH_KIND, Kind, Loaders, SessionStatements, written
from dyno.spec.oltp import ROW_BYTES
from dyno.spec.point import Variant
from dyno.spec.strict import Line, OpName, Settings, SettingValue, Strict, mistake
from dyno.spec.sweep import script_name
from dyno.spec.units import format_bytes, plural

BUNDLED = re.compile(r"\w+")
# Far more than the scripts of any known repository.
FILES_MAX, FILE_BYTES_MAX = 200, 1024 * 1024
ALL_BYTES_MAX = 4 * 1024 * 1024
# What `--scale` multiplies, in all spellings.
SIZES = ("table_size", "table-size", "oltp_table_size", "oltp-table-size")
TABLES = ("tables", "oltp_tables_count", "oltp-tables-count")
# The op where scripts are the points, each of which has an event of its own.
EVENT = "event"


class ScriptKeys(Strict):
    """The keys that experiment and load plan share."""

    kind: Annotated[Literal["sysbench"], WHICH_KIND]
    script: Line = Field(
        description="A Lua script for sysbench 1.0 or 0.5: a file, from the experiment's folder, "
        "or the name of one that comes with Dyno, such as `oltp_read_write`. What it includes "
        "must be in the script's folder or below it."
    )
    files: dict[str, str] = Field(
        {},
        description="The texts of the script and of what it includes. A run stores them; leave "
        "it out.",
    )
    name: OpName | None = Field(
        None,
        description="What reports call the op. Unless it is given the script's name, and `event` "
        "with a sweep over scripts.",
    )
    loaders: Loaders = Field(
        1, description="How many threads run a `prepare` that is made for several."
    )


class LoadScript(ScriptKeys):
    """The workload in a load plan; options as on a command line, without `--`."""

    options: dict[str, str] = {}


class SysbenchWorkload(ScriptKeys, Kind):
    """Any script of sysbench's as a load, unchanged: `prepare` loads the data, an op is one event.
    Each connection has a Lua state of its own. What the script retries by itself is
    retried, and its latency includes that. Scripts that come with Dyno cost less CPU as
    `kind = "oltp"`.

    Where the server, the connections and the time come from is the experiment's business, so
    options such as `threads` or `mysql-host` aren't the script's.
    """

    load_keys: ClassVar[type[Strict]] = LoadScript
    takes_scripts: ClassVar[bool] = True

    options: Settings = Field(
        {},
        description="The script's options, and sysbench's own `rand-*`, `db-ps-mode` and "
        "`mysql-ignore-errors`: `{ tables = 4, table-size = 10000 }`. `{engine}` and "
        "`{create_options}` in them are replaced by the arm's. `--scale` multiplies `table-size`.",
    )
    writes: bool = Field(
        True,
        description="False: trials only read, so that they may share the data. Dyno can't see it "
        "in a script.",
    )
    session: SessionStatements = []

    @property
    def ops(self) -> list[str]:
        """The op kinds: only the script's event."""
        return [self.name or script_name(self.script)]

    def _number(self, names: tuple[str, ...]) -> int | None:
        found = [self.options[name] for name in names if name in self.options]
        return found[0] if found and isinstance(found[0], int) else None

    @property
    def row_count(self) -> int:
        """The rows of all tables, as far as the usual options say; 0 if that isn't known."""
        return (self._number(SIZES) or 0) * (self._number(TABLES) or 1)

    @property
    def size_bytes(self) -> int:
        """As if they were rows of sbtest."""
        return self.row_count * ROW_BYTES

    def with_files(self, folder: Path, scripts: Sequence[str] = ()) -> SysbenchWorkload:
        """The workload with the texts of its files, from the experiment's folder, which must hold
        those of a sweep as well. Raises SpecError if they can't be read.
        """
        named = changed(self, name=self.name or EVENT) if scripts else self
        own = [path for script in [self.script, *scripts] if (path := _own(folder, script))]
        if self.files or not own:
            return named
        apart = next((path for path in own if path.parent != own[0].parent), None)
        if apart is not None:
            raise SpecError(
                f"sweep.script: {apart} isn't in {own[0].parent}, where {own[0].name} is",
                hint="put the scripts of a sweep into one folder",
            )
        files = {path.name: _text(path) for path in own} | dict(_beside(own[0]))
        if (size := sum(map(len, files.values()))) > ALL_BYTES_MAX:
            raise _too_many(own[0], format_bytes(size), format_bytes(ALL_BYTES_MAX))
        return changed(named, script=_stored(self.script, files), files=files)

    def at_variant(self, variant: Variant) -> SysbenchWorkload:
        """The workload with that script or those options, on the same data."""
        return changed(
            self,
            script=_stored(variant.script or self.script, self.files),
            options=_without(self.options, variant.options) | variant.options,
        )

    def refuse_option(self, option: str) -> None:
        """Raise a mistake for what decides how much data there is."""
        if option in (*SIZES, *TABLES):
            raise mistake(
                f"sweep.option: {option} is about the data, which are loaded once for all points",
                hint="make an experiment of each size, or use --scale",
            )

    def for_load(self, engine: str | None, create_options: str | None = None) -> LoadScript:
        """The script, with its options as text."""
        places = {"{engine}": engine or "InnoDB", "{create_options}": create_options or ""}
        return LoadScript(
            kind="sysbench",
            script=self.script,
            files=self.files,
            name=self.name,
            loaders=self.loaders,
            options={name: _option(value, places) for name, value in self.options.items()},
        )

    def data_parts(self, engine: str | None, create_options: str | None = None) -> dict[str, Any]:
        """All of it: what `prepare` makes of an option is the script's business."""
        return self.for_load(engine, create_options).model_dump(mode="json", exclude={"name"})

    def scaled(self, scale: float) -> SysbenchWorkload:
        """The workload with that share of each table's rows, at least one. Raises SpecError if no
        option says how many they are.
        """
        size = self._number(SIZES)
        if scale == 1:
            return self
        if size is None:
            name = script_name(self.script)
            raise SpecError(
                f"script {name!r} can't be scaled: no option says how many rows a table has",
                hint="give table-size in options, or leave --scale out",
            )
        options = {
            name: max(1, round(size * scale)) if name in SIZES else value
            for name, value in self.options.items()
        }
        return changed(self, options=options)

    def facts(self) -> Iterator[tuple[str, str]]:
        """The script, its files and options."""
        yield "script", self.script
        if len(self.files) > 1:
            yield "files", f"{plural(len(self.files), 'file')}, kept in the run"
        yield "trials", "may write to the data" if self.writes else "only read it"
        yield "options", written(self.options)


def _own(folder: Path, script: str) -> Path | None:
    """The file of a script; None if it is the name of one that comes with Dyno."""
    path = (folder / script).absolute()
    return None if BUNDLED.fullmatch(script) and not path.exists() else path


def _without(options: Settings, others: Settings) -> Settings:
    """Those that `others` doesn't have, with a dash or an underscore."""
    there = {name.replace("-", "_") for name in others}
    return {name: value for name, value in options.items() if name.replace("-", "_") not in there}


def _stored(script: str, files: dict[str, str]) -> str:
    """The name under which a run has it."""
    name = Path(script).name
    return name if name in files else script


def _option(value: SettingValue, places: dict[str, str]) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    text = str(value)
    for place, replacement in places.items():
        text = text.replace(place, replacement)
    return text


def _beside(script: Path) -> Iterator[tuple[str, str]]:
    """The other scripts of its folder and below: which of them it includes, only Lua knows."""
    found = sorted(path for path in script.parent.rglob("*.lua") if path.is_file())
    if len(found) > FILES_MAX:
        raise _too_many(script, f"{len(found)} files", str(FILES_MAX))
    for path in found:
        yield path.relative_to(script.parent).as_posix(), _text(path)


def _too_many(script: Path, seen: str, most: str) -> SpecError:
    return SpecError(
        f"workload.script: {script.parent} has {seen} of scripts, and a run keeps {most} at most",
        hint="put the script and what it includes into a folder of their own",
    )


def _text(path: Path) -> str:
    try:
        return read_bounded(path, most_bytes=FILE_BYTES_MAX).decode()
    except UnicodeDecodeError as error:
        raise SpecError(
            f"workload.script: {path} is not UTF-8 text: {error}", hint="save it as UTF-8"
        ) from None
    except OSError as error:
        raise SpecError(
            f"workload.script: {path} can't be read: {error.strerror}",
            hint="give a Lua file, or the name of a bundled script such as oltp_read_write",
        ) from None
