"""What a hostile or broken server does after the login."""

from __future__ import annotations

from hostile import EXECUTE, Mode, Peer
from packets import EOF, EOF_AND_MORE, OK, column, error, row
from registry import FULL, after_login


@after_login
def lost_after_login(peer: Peer) -> None:
    del peer


@after_login
def silent_after_login(peer: Peer) -> None:
    peer.silence()


@after_login
def lost_in_a_query(peer: Peer) -> None:
    next(peer.commands(), None)


def _each(act: Mode) -> Mode:
    """Do it in answer to each command."""

    def whole(peer: Peer) -> None:
        for packet in peer.commands():
            # What every client says first is settings: they are granted.
            if b"SET " in packet[:8].upper():
                peer.send(OK)
            else:
                act(peer)

    whole.__name__ = act.__name__
    return after_login(whole)


@_each
def answers_garbage(peer: Peer) -> None:
    peer.send(bytes(range(3, 250)))


@_each
def answers_nothing_at_all(peer: Peer) -> None:
    peer.send(b"")


@_each
def answers_ok_to_all(peer: Peer) -> None:
    peer.send(OK)


@_each
def answers_no_rows(peer: Peer) -> None:
    peer.rows(["c1", "c2"], [])


@_each
def answers_one_empty_cell(peer: Peer) -> None:
    peer.rows(["c"], [(None,)])


@_each
def answers_words_for_numbers(peer: Peer) -> None:
    peer.rows(["a", "b"], [("many", "more"), ("\x1b[31mred", "9" * 5000)])


@_each
def answers_bytes_that_are_no_text(peer: Peer) -> None:
    peer.rows(["a", "b"], [(b"\xff\xfe\x00\x80", b"\xc3\x28")])


@_each
def answers_an_error_to_all(peer: Peer) -> None:
    peer.send(error(1064, b"You have an error in your SQL syntax", b"42000"))


@_each
def answers_an_error_of_escapes(peer: Peer) -> None:
    peer.send(error(1064, b"\x1b]0;owned\x07\x1b[2J\x9b31m\r\nerror: all is well"))


@_each
def answers_an_error_cut_short(peer: Peer) -> None:
    peer.send(b"\xff\x28")


@_each
def answers_a_column_cut_short(peer: Peer) -> None:
    peer.send(b"\x02")
    peer.send(b"\x03def\xfd\xff\xff\xff")


@_each
def answers_rows_that_lie(peer: Peer) -> None:
    peer.send(b"\x02")
    for name in (b"a", b"b"):
        peer.send(column(name))
    peer.send(EOF)
    peer.send(b"\xfd\xff\xff\x7fshort")
    peer.send(EOF)


@_each
def answers_rows_cut_short(peer: Peer) -> None:
    peer.rows(["a", "b", "c"], [("one",)])


@_each
def answers_misnumbered(peer: Peer) -> None:
    peer.sequence = 99
    peer.send(OK)


@_each
def answers_an_ok_cut_short(peer: Peer) -> None:
    peer.send(b"\x00\xfd")


@_each
def columns_without_end(peer: Peer) -> None:
    peer.send(b"\xfe" + b"\xff" * 7 + b"\x7f")
    packet = column(b"c")
    while True:
        peer.send(packet)


@_each
def rows_without_end(peer: Peer) -> None:
    peer.send(b"\x01")
    peer.send(column(b"c"))
    peer.send(EOF)
    packets = []
    for _ in range(256):
        packets.append(b"\x02\0\0" + bytes([peer.sequence]) + b"\x01a")
        peer.sequence = (peer.sequence + 1) % 256
    while True:
        peer.raw(b"".join(packets))


@_each
def a_row_without_end(peer: Peer) -> None:
    peer.send(b"\x01")
    peer.send(column(b"c"))
    peer.send(EOF)
    while True:
        peer.raw(FULL + bytes([peer.sequence]) + b"y" * 0xFFFFFF)
        peer.sequence = (peer.sequence + 1) % 256


@_each
def rows_that_drip(peer: Peer) -> None:
    peer.send(b"\x01")
    peer.send(column(b"c"))
    peer.send(EOF)
    while True:
        peer.send(row(("a",)))
        peer.sleep(0.5)


@_each
def results_without_end(peer: Peer) -> None:
    while True:
        peer.rows(["c"], [("a",)], end=EOF_AND_MORE)


@_each
def wants_a_file(peer: Peer) -> None:
    peer.send(b"\xfb/etc/passwd")
    peer.read()
    peer.send(OK)


@_each
def wants_a_file_and_waits(peer: Peer) -> None:
    peer.send(b"\xfb/etc/passwd")
    peer.read()
    peer.silence()


@after_login
def right_until_executed(peer: Peer) -> None:
    for packet in peer.commands():
        if packet[0] == EXECUTE:
            peer.silence()
            return
        peer.answer(packet)


@after_login
def right_until_asked_often(peer: Peer) -> None:
    """About right to a few commands, then silent: what was begun hangs."""
    for count, packet in enumerate(peer.commands(), 1):
        if count > 4:
            peer.silence()
            return
        peer.answer(packet)


@after_login
def right_until_it_goes(peer: Peer) -> None:
    for count, packet in enumerate(peer.commands(), 1):
        if count > 4:
            return
        peer.answer(packet)


@after_login
def right(peer: Peer) -> None:
    """Nothing wrong but that it has no data: the control."""
    peer.serve()
