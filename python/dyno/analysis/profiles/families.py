"""Families of the kernel's and libc's functions, which nobody tunes one by one.

Time in the kernel counts for the system call by which it was entered; which of the kernel's
functions a sample hit says little about a database. Of libc, a build uses one of several variants
of a function, by processor.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from dyno.store.stacks import NO_SYMBOL

OTHER = "other"
NETWORK = "network"
_LIBC_PREFIX = re.compile(r"^_*(?:GI_+)?(?:libc_)?(?:int_)?_*")
_LIBC: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("memcpy", re.compile(r"^(?:w?memp?cpy|w?memmove|bcopy)")),
    ("memset", re.compile(r"^(?:memset|bzero|explicit_bzero)")),
    ("compare", re.compile(r"^(?:memcmp|bcmp|str(?:n|case|ncase|coll)?cmp|strcoll)")),
    (
        "malloc",
        re.compile(
            r"^(?:(?:m|c|re|mem|val|pv|sys)?(?:alloc|malloc|align)|free|cfree|posix_memalign|"
            r"aligned_alloc|tcache|arena|systrim|unlink_chunk|je_|tc_|mi_|operator (?:new|delete))"
        ),
    ),
    ("locks", re.compile(r"^(?:pthread_|lll_|futex|nptl|sem_)")),
    ("time", re.compile(r"^(?:clock_|gettimeofday|time$|vdso)")),
    ("text and numbers", re.compile(r"^(?:v?(?:as|f|sn?)?printf|strto|ato[ifl]|itoa|qsort|msort)")),
    ("strings", re.compile(r"^(?:str|stp|mem|rawmem|wcs)")),
    (
        "system calls",
        re.compile(r"^(?:p?(?:read|write)|recv|send|p?poll|f(?:data)?sync|syscall|io_|sched_)"),
    ),
)
# ksys_write: a kernel that jumps there from __x64_sys_write has only the former on the stack.
_CALL = re.compile(r"^(?:__(?:x64|ia32|arm64|se|do)_|k)?(?:compat_)?[sS]y[sS]_(?P<call>\w+)$")
_CALLS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("read", re.compile(r"^p?readv?(?:64|2)?$")),
    ("write", re.compile(r"^p?writev?(?:64|2)?$")),
    ("fsync", re.compile(r"^(?:f(?:data)?sync|sync_file_range2?|msync|syncfs|sync)$")),
    ("futex", re.compile(r"^futex")),
    (
        NETWORK,
        re.compile(r"^(?:send|recv|p?poll|p?select|epoll|accept|socket|shutdown|[gs]etsockopt)"),
    ),
    ("scheduler", re.compile(r"^(?:sched_|nanosleep|clock_nanosleep)")),
    ("memory", re.compile(r"^(?:mmap|munmap|madvise|brk|mprotect|mremap)")),
    ("asynchronous I/O", re.compile(r"^io_")),
    (
        "files",
        re.compile(r"^(?:open|close|new?f?stat|[fl]?stat|unlink|fallocate|f?truncate|l?lseek)"),
    ),
)
_ENTRIES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("page fault", re.compile(r"^(?:asm_)?(?:exc_)?page_fault|^do_user_addr_fault|^do_page_fault")),
    ("interrupts", re.compile(r"sysvec_|_interrupt$|^(?:asm_)?common_interrupt|^do_IRQ|irq_entry")),
    ("asynchronous I/O", re.compile(r"^io_wq")),
)
_SCHEDULES = re.compile(r"^(?:__)?schedule(?:_\w+)?$|^finish_task_switch|^ret_from_fork")
_SOCKET = re.compile(
    r"^(?:sock_(?:read|write)_iter|(?:__)?sys_(?:send|recv)|tcp_|inet6?_(?:send|recv)msg|"
    r"unix_(?:stream|dgram)_)"
)


def libc_family(name: str) -> str:
    """The family of a plain name in libc: "memcpy" for __memmove_avx_unaligned_erms."""
    if name == NO_SYMBOL:
        return name
    bare = _LIBC_PREFIX.sub("", name)
    return next((family for family, pattern in _LIBC if pattern.match(bare)), OTHER)


def kernel_family(names: Iterable[str]) -> str:
    """What the kernel was entered for, from the plain names of its frames, root first.

    The first frame that names a system call, a fault or an interrupt decides; reads and writes of
    a socket are network. "scheduler" for a stack that shows only that, "[no symbol]" for one
    without symbols.
    """
    seen = list(names)
    for name in seen:
        family = _entered_by(name)
        if family in ("read", "write") and any(_SOCKET.match(other) for other in seen):
            return NETWORK
        if family is not None:
            return family
    if any(_SCHEDULES.match(name) for name in seen):
        return "scheduler"
    return NO_SYMBOL if all(name == NO_SYMBOL for name in seen) else OTHER


def _entered_by(name: str) -> str | None:
    call = _CALL.match(name)
    if call is not None:
        return next((family for family, p in _CALLS if p.match(call["call"])), OTHER)
    return next((family for family, pattern in _ENTRIES if pattern.search(name)), None)
