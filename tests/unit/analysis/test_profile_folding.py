"""Stacks of real servers folded: names of two builds, objects, families, inlined frames."""

from __future__ import annotations

import pytest

from dyno.analysis.profiles.families import kernel_family, libc_family
from dyno.analysis.profiles.folding import fold, has_inlined, sum_of
from dyno.analysis.profiles.names import plain
from dyno.analysis.profiles.objects import Part, kind_of, module_of, part_of
from dyno.store.stacks import NO_SYMBOL, Frame, parse_folded


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        (
            "row_search_mvcc(unsigned char*, page_cur_mode_t, row_prebuilt_t*, unsigned long)",
            "row_search_mvcc",
        ),
        ("row_search_mvcc.part.0", "row_search_mvcc"),
        ("row_search_mvcc.cold", "row_search_mvcc"),
        ("buf_page_get_gen.constprop.1.isra.0", "buf_page_get_gen"),
        ("buf_page_get_gen.isra.0.cold", "buf_page_get_gen"),
        ("trx_commit_low.lto_priv.0", "trx_commit_low"),
        ("mtr_t::commit() [clone .part.0] [clone .cold.12]", "mtr_t::commit"),
        (
            "btr_cur_t::search_leaf(dtuple_t const*, page_cur_mode_t, mtr_t*) [clone .constprop.0]",
            "btr_cur_t::search_leaf",
        ),
        ("memcpy@plt", "memcpy"),
        ("memcpy@@GLIBC_2.14", "memcpy"),
        ("*ABS*+0xa1c30@plt", "[plt]"),
        ("Field::str_needs_quotes[abi:cxx11]() const", "Field::str_needs_quotes"),
        (
            "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >"
            "::_M_append(char const*, unsigned long)",
            "std::__cxx11::basic_string::_M_append",
        ),
        ("void mtr_t::memcpy<(mtr_t::write_type)1>(buf_block_t const&, void*)", "mtr_t::memcpy"),
        ("bool mem_cmp<char const*>(std::less<char const*>, char const*)", "mem_cmp"),
        ("unsigned long mach_read<8u>(unsigned char const*)", "mach_read"),
        (
            "std::basic_ostream<char, std::char_traits<char> >& std::operator<< "
            "<std::char_traits<char> >(std::basic_ostream<char>&, char const*)",
            "std::operator<<",
        ),
        ("Gtid_set::operator<(Gtid_set const&) const", "Gtid_set::operator<"),
        ("ut::unique_ptr<trx_t>::operator->() const", "ut::unique_ptr::operator->"),
        ("operator new(unsigned long)", "operator new"),
        ("Sql_alloc::operator new(unsigned long, st_mem_root*)", "Sql_alloc::operator new"),
        ("Sql_condition::operator bool() const", "Sql_condition::operator bool"),
        (
            "log_writer(log_t*)::{lambda(unsigned long)#1}::operator()(unsigned long) const",
            "log_writer::{lambda#1}::operator()",
        ),
        ("(anonymous namespace)::Guard::unlock()", "{anonymous}::Guard::unlock"),
        ("non-virtual thunk to Item_func_plus::val_int()", "Item_func_plus::val_int"),
        ("THD::~THD()", "THD::~THD"),
        ("handle_one_connection", "handle_one_connection"),
        ("Foo<bar(", "Foo<bar("),
        ("0x000000000029c463", NO_SYMBOL),
        ("[unknown]", NO_SYMBOL),
    ],
)
def test_names_of_two_builds_agree(symbol: str, name: str) -> None:
    assert plain(symbol) == name
    assert plain(name) == name


@pytest.mark.parametrize(
    ("place", "kind"),
    [
        ("mariadbd", "server"),
        ("/usr/sbin/mysqld (deleted)", "server"),
        ("ha_rocksdb.so", "plugin"),
        ("component_reference_cache.so", "plugin"),
        ("libc.so.6", "libc"),
        ("libc-2.31.so", "libc"),
        ("libpthread.so.0", "libc"),
        ("libjemalloc.so.2", "libc"),
        ("ld-linux-x86-64.so.2", "libc"),
        ("[vdso]", "libc"),
        ("libcrypto.so.1.1", "library"),
        ("libstdc++.so.6.0.30", "library"),
        ("[kernel.kallsyms]", "kernel"),
        ("[guest.kernel.kallsyms]", "kernel"),
        ("[nf_tables]", "kernel"),
        ("/lib/modules/6.1.0/kernel/fs/ext4/ext4.ko.xz", "kernel"),
        ("[unknown]", "unknown"),
        ("//anon", "unknown"),
    ],
)
def test_classes_of_objects(place: str, kind: str) -> None:
    assert kind_of(place) == kind


def test_a_program_with_an_unusual_name_is_the_server() -> None:
    assert kind_of("mysqld-9.1") == "library"
    assert kind_of("/opt/bin/mysqld-9.1", program="mysqld-9.1") == "server"


@pytest.mark.parametrize(
    ("name", "module"),
    [
        ("btr_cur_search_to_nth_level", "InnoDB"),
        ("btr_cur_t::search_leaf", "InnoDB"),
        ("rec_get_offsets_func", "InnoDB"),
        ("mtr_t::commit", "InnoDB"),
        ("ha_innobase::index_read", "InnoDB"),
        ("lock_rec_lock", "InnoDB"),
        ("lock_tables", "the server"),
        ("log_write_up_to", "InnoDB"),
        ("log_slow_statement", "the server"),
        ("_ma_search", "Aria"),
        ("ha_myisam::index_read_map", "MyISAM"),
        ("myrocks::ha_rocksdb::index_read_map", "RocksDB"),
        ("rocksdb::DBImpl::Get", "RocksDB"),
        ("MYSQL_BIN_LOG::write_transaction_to_binlog", "binary log"),
        ("pfs_start_mutex_wait_v1", "performance schema"),
        ("end_statement_v1", "performance schema"),
        ("MYSQLparse", "parser"),
        ("Protocol::send_result_set_row", "protocol"),
        ("net_write_packet", "protocol"),
        ("JOIN::exec_inner", "the server"),
    ],
)
def test_modules_of_the_server(name: str, module: str) -> None:
    assert module_of(name) == module


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("__memmove_avx_unaligned_erms", "memcpy"),
        ("__memcpy_evex_unaligned_erms", "memcpy"),
        ("__memset_avx2_unaligned", "memset"),
        ("__memcmp_avx2_movbe", "compare"),
        ("__strncmp_avx2", "compare"),
        ("_int_malloc", "malloc"),
        ("__libc_calloc", "malloc"),
        ("__GI___libc_free", "malloc"),
        ("cfree", "malloc"),
        ("malloc_consolidate", "malloc"),
        ("___pthread_mutex_lock", "locks"),
        ("__lll_lock_wait", "locks"),
        ("clock_gettime", "time"),
        ("__vsnprintf_internal", "text and numbers"),
        ("__strlen_avx2", "strings"),
        ("__libc_recv", "system calls"),
        ("fdatasync", "system calls"),
        ("abort", "other"),
        (NO_SYMBOL, NO_SYMBOL),
    ],
)
def test_families_of_libc(name: str, family: str) -> None:
    assert libc_family(name) == family


@pytest.mark.parametrize(
    ("frames", "family"),
    [
        ("entry_SYSCALL_64_after_hwframe do_syscall_64 __x64_sys_futex do_futex", "futex"),
        ("do_syscall_64 x64_sys_call __x64_sys_pread64 vfs_read ext4_file_read_iter", "read"),
        ("system_call_fastpath sys_pwrite64 vfs_write", "write"),
        ("entry_SYSCALL_64 SyS_fsync do_fsync", "fsync"),
        ("do_syscall_64 __x64_sys_fdatasync asm_sysvec_apic_timer_interrupt", "fsync"),
        ("do_syscall_64 __x64_sys_recvfrom __sys_recvfrom tcp_recvmsg", "network"),
        ("do_syscall_64 __x64_sys_read ksys_read vfs_read sock_read_iter", "network"),
        ("do_syscall_64 ksys_write vfs_write sock_write_iter unix_stream_sendmsg", "network"),
        ("do_syscall_64 ksys_pread64 vfs_read ext4_file_read_iter", "read"),
        ("do_syscall_64 __x64_sys_ppoll do_sys_poll schedule", "network"),
        ("do_syscall_64 __x64_sys_io_submit", "asynchronous I/O"),
        ("ret_from_fork io_wq_worker", "asynchronous I/O"),
        ("do_syscall_64 __x64_sys_madvise", "memory"),
        ("do_syscall_64 __x64_sys_openat", "files"),
        ("do_syscall_64 __x64_sys_getrusage", "other"),
        ("el0_svc __arm64_sys_futex", "futex"),
        ("asm_exc_page_fault exc_page_fault do_user_addr_fault", "page fault"),
        ("asm_sysvec_apic_timer_interrupt", "interrupts"),
        ("ret_from_fork schedule_tail finish_task_switch", "scheduler"),
        ("clear_page_erms", "other"),
        (NO_SYMBOL, NO_SYMBOL),
    ],
)
def test_the_kernel_counts_for_what_it_was_entered_by(frames: str, family: str) -> None:
    assert kernel_family([frames] if frames == NO_SYMBOL else frames.split()) == family


STACKS = parse_folded("""\
libc.so.6`start_thread;mariadbd`do_command;mariadbd`row_search_mvcc(unsigned char*, mode_t) 50
libc.so.6`start_thread;mariadbd`do_command;mariadbd`row_search_mvcc;mariadbd`row_search_mvcc.cold 5
libc.so.6`start_thread;mariadbd`do_command;mariadbd`row_search_mvcc;libc.so.6`__memcpy_avx_erms 20
libc.so.6`start_thread;mariadbd`do_command;mariadbd`rec_copy;mariadbd`rec_offs_[i] 10
libc.so.6`start_thread;mariadbd`do_command;libc.so.6`__libc_recv;\
[kernel.kallsyms]`do_syscall_64;[kernel.kallsyms]`__x64_sys_recvfrom;\
[kernel.kallsyms]`tcp_recvmsg 12
libcrypto.so.3`0x29c463 3
""")
SEARCH = Part("server", "InnoDB", "row_search_mvcc")
COMMAND = Part("server", "the server", "do_command")


def test_stacks_are_folded_by_part() -> None:
    found = fold(STACKS)
    assert found.samples == 100
    assert found.own == {
        SEARCH: 55,
        Part("libc", "libc", "memcpy"): 20,
        Part("server", "InnoDB", "rec_offs"): 10,
        Part("kernel", "kernel", "network"): 12,
        Part("library", "libcrypto", NO_SYMBOL): 3,
    }
    assert found.unresolved == 3
    assert found.unwound == 97


def test_inclusive_samples_count_a_function_once_per_stack() -> None:
    found = fold(STACKS)
    assert found.inclusive[SEARCH] == 75
    assert found.inclusive[COMMAND] == 97


def test_a_clone_is_not_its_own_caller() -> None:
    assert fold(STACKS).callers[SEARCH] == {COMMAND: 55}


def test_inlined_frames_belong_to_the_function_that_they_are_in() -> None:
    assert has_inlined([STACKS])
    found = fold(STACKS, inlined=False)
    assert found.own[Part("server", "InnoDB", "rec_copy")] == 10
    assert found.samples == 100


def test_folded_trials_add_up() -> None:
    both = sum_of([fold(STACKS), fold(STACKS)])
    assert both.own[SEARCH] == 110
    assert both.callers[SEARCH] == {COMMAND: 110}
    assert (both.samples, both.unresolved, both.unwound) == (200, 6, 194)


@pytest.mark.parametrize(
    ("frame", "label"),
    [
        (Frame("mariadbd", "JOIN::exec()"), "JOIN::exec"),
        (Frame("libc.so.6", "__memcpy_avx"), "libc (memcpy)"),
        (Frame("libjemalloc.so.2", "arena_bin_malloc"), "libc (malloc)"),
        (Frame("libstdc++.so.6", "operator new(unsigned long)"), "libc (malloc)"),
        (Frame("libcrypto.so.3", "0x29c463"), "libcrypto [no symbol]"),
        (Frame("ha_rocksdb.so", "rocksdb::DBImpl::Get(rocksdb::Slice const&)"), None),
    ],
)
def test_labels_are_for_people(frame: Frame, label: str | None) -> None:
    assert part_of(frame).label == (label or "rocksdb::DBImpl::Get")
