"""What a frame belongs to: the server, one of its plugins, libc and allocator, another library, the
kernel; inside the server, which module.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from dyno.analysis.profiles.families import libc_family
from dyno.analysis.profiles.names import plain
from dyno.store.stacks import NO_OBJECT, NO_SYMBOL, Frame

Kind = Literal["server", "plugin", "libc", "library", "kernel", "unknown"]

# In the order of the table of classes.
KINDS: dict[Kind, str] = {
    "server": "the server",
    "plugin": "its plugins",
    "libc": "libc and the allocator",
    "library": "other libraries",
    "kernel": "the kernel",
    "unknown": "unknown code",
}
PROGRAMS = ("mariadbd", "mysqld", "mysqld-debug", "mariadbd-debug")
ALLOCATORS = ("libjemalloc", "libtcmalloc", "libtcmalloc_minimal", "libmimalloc")
_LIBC = ("libc", "libpthread", "libm", "librt", "libdl", "libc.musl-x86_64", "[vdso]")
_SHARED = re.compile(r"^(?P<stem>.+?)(?:-\d[\d.]*)?\.so(?:\.[\d.]+)*$")
_KERNEL = re.compile(r"^\[(?:kernel|guest\.kernel|kernel\..*|guest\.kernel\..*)\]$|^vmlinux|\.ko\b")

# Functions of modules that are linked into the server; the first that fits.
_MODULES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("RocksDB", re.compile(r"^(?:rocksdb|myrocks)::")),
    (
        "performance schema",
        re.compile(
            r"^(?:pfs_|PFS_|(?:start|end|get|set|inc|create|destroy|bind|find|refine|digest|"
            r"register|unlock|signal|broadcast)_\w+_v(?:\d+|c)$)"
        ),
    ),
    (
        "binary log",
        re.compile(r"^(?:MYSQL_BIN_LOG|[Bb]inlog_|Gtid|rpl_|\w*_log_event|Log_event|event_group)"),
    ),
    ("Aria", re.compile(r"^(?:_?ma_|maria_|ha_maria|pagecache_|translog_)")),
    ("MyISAM", re.compile(r"^(?:_?mi_|myisam|ha_myisam)")),
    (
        "InnoDB",
        re.compile(
            r"^(?:(?:btr|buf|page|row|rec|dict|trx|mtr|fil|fsp|fseg|flst|ibuf|rtr|srv|os|ut|ins|"
            r"upd|que|dtuple|dfield|pars|fts|mach|innobase|innodb|ib|recv|purge|rw_lock|undo|ddl|"
            r"mem_heap|read_view|sync_arr\w*|cmp_(?:rec|data|dtuple|whole))(?:0\w+)?_|"
            r"lock_(?:rec|clust|sec|trx|sys|wait|mutex|update|move|table(?!s))|"
            r"log_(?:write|buffer|checkpoint|flush|free|reserve|append|sys|crypt|block|wait|files)|"
            r"(?:ha_innobase|ha_innopart|mtr_t|trx_t|trx_sys_t|log_t|lock_sys_t|purge_sys_t|lob|"
            r"undo|ib|ReadView|rw_trx_hash\w*|PolicyMutex|TTAS\w*Mutex|ssux_lock\w*|srw_\w+|"
            r"Buf_\w+|Row_\w+|Parallel_reader|fil_\w+|buf_\w+|dict_\w+|recv_\w+)::)"
        ),
    ),
    ("parser", re.compile(r"^(?:MYSQL(?:parse|lex)|ORAparse|my_sql_parser|Lex_input|LEX::|lex_)")),
    ("protocol", re.compile(r"^(?:Protocol|[Nn]et_|vio_|my_net_|my_real_read)")),
)


class Part(NamedTuple):
    """What samples are counted by: a function, or a family of the kernel's or libc's functions."""

    kind: Kind
    module: str
    name: str

    @property
    def label(self) -> str:
        """For people: "btr_cur_search_to_nth_level", "kernel (futex)", "libc (memcpy)"."""
        if self.kind in ("kernel", "libc"):
            return f"{self.module} ({self.name})"
        return f"{self.module} {NO_SYMBOL}" if self.name == NO_SYMBOL else self.name

    @property
    def is_function(self) -> bool:
        """Whether it is one function, which another build may rename or inline."""
        return self.kind in ("server", "plugin", "library") and self.name != NO_SYMBOL


def kind_of(place: str, *, program: str | None = None) -> Kind:
    """The class of an object; `program` is the server's program, if it has an unusual name."""
    name = _bare(place)
    if _KERNEL.search(name):
        return "kernel"
    if name in PROGRAMS or name == program:
        return "server"
    if not name or name == NO_OBJECT or name.startswith(("//anon", "anon", "[heap]", "[stack]")):
        return "unknown"
    stem = _stem(name)
    if stem in (*_LIBC, *ALLOCATORS, "ld") or stem.startswith("ld-"):
        return "libc"
    if name.startswith("["):
        # A kernel module: [nf_conntrack].
        return "kernel"
    return "plugin" if ".so" in name and not stem.startswith("lib") else "library"


def part_of(frame: Frame, *, program: str | None = None) -> Part:
    """The part of a frame outside the kernel."""
    kind, name = kind_of(frame.object, program=program), plain(frame.symbol)
    stem = _stem(_bare(frame.object))
    if kind == "server":
        return Part(kind, module_of(name), name)
    if kind == "unknown":
        return Part(kind, "unknown code", NO_SYMBOL)
    if kind == "libc":
        return Part(kind, "libc", "malloc" if stem in ALLOCATORS else libc_family(name))
    if kind == "library" and name.startswith(("operator new", "operator delete")):
        return Part("libc", "libc", "malloc")
    return Part(kind, stem, name)


def module_of(name: str) -> str:
    """The module of a function of the server, by its name's first letters; "the server" if none."""
    for module, pattern in _MODULES:
        if pattern.match(name):
            return module
    return "the server"


def _bare(place: str) -> str:
    return place.removesuffix(" (deleted)").rpartition("/")[2]


def _stem(name: str) -> str:
    """A library's name without its version: two builds may use different ones."""
    found = _SHARED.match(name)
    return found["stem"] if found else name
