"""The names under which ways to do wrong are known, and bytes that several of them send."""

from __future__ import annotations

from hostile import Mode, Peer

MODES: dict[str, Mode] = {}
PIECE = b"x" * 65536
FULL = b"\xff\xff\xff"


def mode(act: Mode) -> Mode:
    """Enter it under its name, in which a dash stands for an underline."""
    MODES[act.__name__.replace("_", "-")] = act
    return act


def after_login(act: Mode) -> Mode:
    """The same for what begins with the first command."""

    def whole(peer: Peer) -> None:
        peer.log_in()
        act(peer)

    whole.__name__ = act.__name__
    mode(whole)
    return act
