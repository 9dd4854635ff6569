"""From what two servers reported of themselves to the factors that could explain a difference: what
differs, can be set on both, and what of that belongs together.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from dyno.analysis.fairness.read_back import differences, normal
from dyno.spec.experiment import Arm, Settings
from dyno.spec.renamed import OPTIONS, normal_name
from dyno.spec.why import Factor

Variables = Mapping[str, str]

# Settings of one mechanism: one without the other does nothing, or something else. By the name that
# stands for all of them.
TOGETHER: Mapping[str, tuple[str, ...]] = {
    "tmp_table_size": ("tmp_memory_table_size", "max_heap_table_size"),
    "innodb_io_capacity": ("innodb_io_capacity_max",),
    "innodb_log_file_size": ("innodb_log_files_in_group", "innodb_redo_log_capacity"),
    "query_cache_type": ("query_cache_size",),
    "table_open_cache": ("open_files_limit", "table_definition_cache"),
    "character_set_server": ("collation_server",),
    "log_bin": ("sync_binlog", "binlog_format", "gtid_mode", "enforce_gtid_consistency"),
    # Two names of one variable.
    "slow_query_log": ("log_slow_query",),
    "long_query_time": ("log_slow_query_time",),
    "expire_logs_days": ("binlog_expire_logs_seconds",),
}
# A list of switches, each of which is a factor of its own where both servers know it.
SWITCHES = ("optimizer_switch",)
# Keys of an arm that are factors, too; those of one line belong together.
KEYS = (("allocator",), ("tmpdir",), ("engine", "create_options"))
_BINLOG = {"1": {"log_bin": "binlog", "server_id": 1}, "0": {"skip_log_bin": 1}}


@dataclass
class Found:
    """The factors, and the names of what can't be set on both servers."""

    factors: list[Factor] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


def find_factors(
    first: Arm,
    second: Arm,
    read: Mapping[str, Variables],
    known: Mapping[str, Collection[str]],
) -> Found:
    """What differs between two arms. `read` has the variables that the measuring session of each
    saw, by arm; `known` the options that the server of each takes.
    """
    found = Found()
    in_session = {normal_name(name) for name in (*first.session, *second.session)}
    singles: dict[str, Factor] = {}
    for difference in differences([first, second], read):
        if first.server == second.server and not difference.declared:
            continue  # One program: it follows from what was declared.
        a, b = difference.values[first.name], difference.values[second.name]
        name = difference.name
        if name in SWITCHES and a is not None and b is not None:
            singles |= {factor.name: factor for factor in _switches(name, a, b)}
        elif a is None or b is None:
            found.left.append(name)
        elif name in in_session:
            singles[name] = Factor(name=name, first_session={name: a}, second_session={name: b})
        elif all(_takes(name, known[arm.name]) for arm in (first, second)):
            singles[name] = _single(name, a, b)
        else:
            found.left.append(name)
    found.factors = [*_merged(singles), *_of_keys(first, second)]
    return found


def _of_keys(first: Arm, second: Arm) -> Iterator[Factor]:
    for keys in KEYS:
        if keys[0] == "engine" and not tables_can_be_swapped(first, second):
            continue
        unlike = [key for key in keys if getattr(first, key) != getattr(second, key)]
        if unlike:
            yield Factor(
                name=" with ".join(unlike),
                first_keys={key: getattr(first, key) for key in unlike},
                second_keys={key: getattr(second, key) for key in unlike},
            )


def tables_can_be_swapped(first: Arm, second: Arm) -> bool:
    """Whether either server may be tried with the other arm's tables: an engine that comes as a
    plugin goes with its server.
    """
    return first.plugins == second.plugins


def _takes(name: str, known: Collection[str]) -> bool:
    return name in known or OPTIONS.get(name, name) in known


def _single(name: str, a: str, b: str) -> Factor:
    if name == "log_bin":
        return Factor(name=name, first=_BINLOG[normal(a)], second=_BINLOG[normal(b)])
    return Factor(name=name, first={name: a}, second={name: b})


def _switches(name: str, a: str, b: str) -> Iterator[Factor]:
    """The switches that both know and that differ."""
    ours, theirs = (
        dict(part.split("=", 1) for part in x.split(",") if "=" in part) for x in (a, b)
    )
    for switch in sorted(ours.keys() & theirs.keys()):
        if ours[switch] != theirs[switch]:
            yield Factor(
                name=f"{name}.{switch}",
                first={name: f"{switch}={ours[switch]}"},
                second={name: f"{switch}={theirs[switch]}"},
            )


def _merged(singles: Mapping[str, Factor]) -> Iterator[Factor]:
    """Those of one mechanism as one, under the first of their names."""
    heads = {other: head for head, others in TOGETHER.items() for other in others}
    groups: dict[str, list[Factor]] = {}
    for name, factor in singles.items():
        groups.setdefault(heads.get(name, name), []).append(factor)
    for group in groups.values():
        yield group[0] if len(group) == 1 else _one(group, "they are one mechanism")


def merged(factors: list[Factor], names: Collection[str], why: str) -> list[Factor]:
    """The factors, those of these names as one in the place of the first."""
    group = [factor for factor in factors if factor.name in names]
    if len(group) < 2:
        return factors
    rest = [factor for factor in factors if factor.name not in names or factor is group[0]]
    return [_one(group, why) if factor is group[0] else factor for factor in rest]


def _one(group: list[Factor], why: str) -> Factor:
    def of(key: str) -> Settings:
        return joined(*(getattr(factor, key) for factor in group))

    return Factor(
        name=" with ".join(factor.name for factor in group),
        first=of("first"),
        second=of("second"),
        first_session=of("first_session"),
        second_session=of("second_session"),
        first_keys={k: v for factor in group for k, v in factor.first_keys.items()},
        second_keys={k: v for factor in group for k, v in factor.second_keys.items()},
        merged=why,
    )


def joined(*parts: Settings) -> Settings:
    """Settings of several factors for one option file; switches of one list are put together."""
    found: Settings = {}
    for part in parts:
        for name, value in part.items():
            is_list = name in SWITCHES and name in found
            found[name] = f"{found[name]},{value}" if is_list else value
    return found
