"""What `perf script` prints, read as stacks."""

from __future__ import annotations

from dyno.telemetry.perf_script import NO_SYMBOL, RawFrame, parse_script

# As perf 6.1 writes it: -F tid,ip,sym,dso.
SCRIPT = """\
   10321
\tffffffff8177177e unix_stream_sendmsg ([kernel.kallsyms])
\t           fd104 __send (/usr/lib/x86_64-linux-gnu/libc.so.6)
\t               0 [unknown] ([unknown])

   10321
\tffffffff8177177e unix_stream_sendmsg ([kernel.kallsyms])
\t           fd104 __send (/usr/lib/x86_64-linux-gnu/libc.so.6)

   10342
\t          e973b6 row_search_mvcc(unsigned char*, page_cur_mode_t) (/opt/a server/mariadbd)
\t          e973b7 [unknown] (/opt/a server/mariadbd)

   10342
\t    7f0011112222 tmp_malloc (/usr/lib/libjemalloc.so.1 (deleted))

   10343
\t    7f0011112222 [unknown] ([unknown])
"""


def test_stacks_are_read_from_the_root_down_and_equal_ones_counted() -> None:
    assert parse_script(SCRIPT.splitlines()) == {
        (
            RawFrame("libc.so.6", "__send"),
            RawFrame("[kernel.kallsyms]", "unix_stream_sendmsg"),
        ): 2,
        (
            RawFrame("mariadbd", NO_SYMBOL),
            RawFrame("mariadbd", "row_search_mvcc(unsigned char*, page_cur_mode_t)"),
        ): 1,
        (RawFrame("libjemalloc.so.1", "tmp_malloc"),): 1,
        (RawFrame("[unknown]", NO_SYMBOL),): 1,
    }


def test_nothing_is_no_stacks() -> None:
    assert parse_script([]) == {}
    assert parse_script(["", "   10321 ", ""]) == {}
