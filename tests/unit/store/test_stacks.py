"""Stacks and their text: there and back, added up, and as the short profile of a trial."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyno.store import stacks as stored
from dyno.store.stacks import Frame, folded, hottest, parse_folded, together
from dyno.telemetry import perf_script

MAIN = Frame("mariadbd", "handle_one_connection(void*)")
SEARCH = Frame("mariadbd", "row_search_mvcc(unsigned char*, page_cur_mode_t)")
COPY = Frame("libc.so.6", "__memmove_avx_unaligned_erms")
TEXT = """\
mariadbd`handle_one_connection(void*);mariadbd`row_search_mvcc(unsigned char*, page_cur_mode_t) 30
mariadbd`handle_one_connection(void*);mariadbd`row_search_mvcc(unsigned char*, page_cur_mode_t);\
libc.so.6`__memmove_avx_unaligned_erms 12
mariadbd`handle_one_connection(void*);mariadbd`rec_offs_[i] 8
"""
STACKS = Counter(
    {
        (MAIN, SEARCH): 30,
        (MAIN, SEARCH, COPY): 12,
        (MAIN, Frame("mariadbd", "rec_offs", is_inlined=True)): 8,
    }
)

names = st.text(st.characters(codec="utf-8", exclude_characters=";`\n\r"), min_size=1).filter(
    lambda name: name == name.strip() and not name.endswith(("_[i]", "_[l]"))
)
marks = st.sampled_from([{}, {"is_inlined": True}, {"is_local": True}])
frames = st.builds(lambda place, name, mark: Frame(place, name, **mark), names, names, marks)


def test_the_text_is_the_stacks() -> None:
    assert parse_folded(TEXT) == STACKS
    assert sorted(folded(STACKS).splitlines()) == sorted(TEXT.splitlines())


def test_a_local_function_is_marked() -> None:
    local = Frame("mariadbd", "row_sel_try", is_local=True)
    assert parse_folded("mariadbd`row_sel_try_[l] 5\n") == {(local,): 5}
    assert folded({(local,): 5}) == "mariadbd`row_sel_try_[l] 5\n"


@given(st.dictionaries(st.lists(frames, min_size=1).map(tuple), st.integers(1, 10**9), max_size=5))
def test_there_and_back(stacks: dict) -> None:
    assert parse_folded(folded(stacks)) == stacks


def test_what_separates_is_replaced() -> None:
    text = folded({(Frame("a`b", "operator;\n"),): 1})
    assert text == "a_b`operator:  1\n"


def test_a_stack_in_several_lines_has_the_sum() -> None:
    assert parse_folded("a`f 2\n\na`f 3\n") == {(Frame("a", "f"),): 5}


def test_other_tools_stacks_have_no_objects() -> None:
    assert parse_folded("main;f 1") == {(Frame("[unknown]", "main"), Frame("[unknown]", "f")): 1}


@pytest.mark.parametrize("line", ["a`f", "a`f -1", "a`f 1.5", "7", "a`f ²"])
def test_a_line_without_frames_or_count_is_refused_with_its_number(line: str) -> None:
    with pytest.raises(ValueError, match="line 2"):
        parse_folded(f"a`f 1\n{line}\n")


def test_trials_are_added_up() -> None:
    assert together([STACKS, STACKS])[MAIN, SEARCH] == 60
    assert together([]) == {}


def test_the_short_profile_of_stacks() -> None:
    lines = hottest(STACKS, most=2)
    assert [(line.share_pct, line.symbol, line.object) for line in lines] == [
        (60.0, SEARCH.symbol, "mariadbd"),
        (24.0, COPY.symbol, "libc.so.6"),
    ]
    assert hottest({}) == []


def test_the_profiler_uses_the_same_words() -> None:
    assert stored.NO_SYMBOL == perf_script.NO_SYMBOL
