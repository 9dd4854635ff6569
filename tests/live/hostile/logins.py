"""What a hostile or broken server does before the login and in it."""

from __future__ import annotations

import itertools
import socket
import struct

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from hostile import Mode, Peer
from packets import CAPABILITIES, CHALLENGE, OK, TLS, error, greeting, switch
from registry import FULL, MODES, PIECE, mode

# As sha256_password and caching_sha2_password pad it.
OAEP = padding.OAEP(padding.MGF1(hashes.SHA1()), hashes.SHA1(), None)
# A key as servers send one; the test can read what was encrypted for it.
KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
PUBLIC_KEY = KEY.public_key().public_bytes(
    serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
)


def decrypted(packets: list[bytes], secret: str) -> bool:
    """Whether a password was sent that only needs this key, and the challenge, to be read."""
    for packet in packets:
        try:
            mixed = KEY.decrypt(packet, OAEP)
        except ValueError:
            continue
        masks = itertools.cycle(CHALLENGE)
        if secret.encode() in bytes(byte ^ mask for byte, mask in zip(mixed, masks, strict=False)):
            return True
    return False


# Before the login.


@mode
def silent(peer: Peer) -> None:
    peer.silence()


@mode
def closes(peer: Peer) -> None:
    del peer


@mode
def resets(peer: Peer) -> None:
    peer.stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


@mode
def greeting_drips(peer: Peer) -> None:
    packet = greeting()
    peer.drip(struct.pack("<I", len(packet)) + packet)


@mode
def greeting_of_garbage(peer: Peer) -> None:
    peer.send(bytes(range(256)))
    peer.silence()


@mode
def greeting_of_http(peer: Peer) -> None:
    peer.raw(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
    peer.silence()


@mode
def greeting_of_ssh(peer: Peer) -> None:
    peer.raw(b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n")
    peer.silence()


@mode
def greeting_empty(peer: Peer) -> None:
    peer.send(b"")
    peer.silence()


@mode
def greeting_cut_short(peer: Peer) -> None:
    peer.raw(b"\x4a\0\0\0" + greeting()[:20])
    peer.silence()


@mode
def greeting_cut_off(peer: Peer) -> None:
    peer.raw(b"\x4a\0\0\0" + greeting()[:20])


@mode
def greeting_without_end(peer: Peer) -> None:
    peer.raw(FULL + b"\0\x0a")
    while True:
        peer.raw(PIECE)


@mode
def greeting_of_packets_without_end(peer: Peer) -> None:
    sequence = 0
    while True:
        peer.raw(FULL + bytes([sequence % 256]) + b"\x0a" * 0xFFFFFF)
        sequence += 1


@mode
def greeting_of_another_protocol(peer: Peer) -> None:
    peer.send(greeting(protocol=9))
    peer.silence()


@mode
def greeting_without_numbers_in_the_version(peer: Peer) -> None:
    peer.send(greeting(b"\xff\xfe beta"))
    peer.read()
    peer.send(OK)
    peer.serve()


@mode
def greeting_without_capabilities(peer: Peer) -> None:
    peer.send(greeting(capabilities=0))
    peer.read()
    peer.send(OK)
    peer.serve()


@mode
def greeting_misnumbered(peer: Peer) -> None:
    peer.sequence = 7
    peer.send(greeting())
    peer.silence()


@mode
def too_many_connections(peer: Peer) -> None:
    peer.send(b"\xff\x10\x04Too many connections")


@mode
def greeting_of_escapes(peer: Peer) -> None:
    peer.send(b"\xff\x10\x04\x1b]0;owned\x07\x1b[2J\x9b31m\r\nerror: all is well")


# In the login.


def _asks(plugin: bytes, *more: bytes) -> Mode:
    """Asks for another plugin, then sends more, and is silent."""

    def act(peer: Peer) -> None:
        peer.send(greeting())
        peer.read()
        peer.send(switch(plugin))
        for data in more:
            if peer.read() is None:
                return
            peer.send(data)
        peer.read()
        peer.silence()

    return act


MODES["wants-the-password-in-clear"] = _asks(b"mysql_clear_password")
MODES["wants-the-password-for-a-dialog"] = _asks(b"dialog", b"\x02Password: ")
MODES["wants-an-old-password"] = _asks(b"mysql_old_password")
MODES["wants-a-plugin-that-nobody-knows"] = _asks(b"\x1b[31mno_such_plugin")
MODES["offers-a-key-for-the-password"] = _asks(
    b"caching_sha2_password", b"\x01\x04", b"\x01" + PUBLIC_KEY
)
MODES["offers-a-key-for-sha256"] = _asks(b"sha256_password", b"\x01" + PUBLIC_KEY)
MODES["offers-a-broken-key"] = _asks(b"caching_sha2_password", b"\x01\x04", b"\x01not a key")
MODES["wants-a-short-challenge-answered"] = _asks(b"client_ed25519")


@mode
def greets_with_sha256(peer: Peer) -> None:
    peer.send(greeting(plugin=b"sha256_password"))
    peer.read()
    peer.send(b"\x01" + PUBLIC_KEY)
    peer.read()
    peer.silence()


@mode
def greets_with_clear_password(peer: Peer) -> None:
    peer.send(greeting(plugin=b"mysql_clear_password"))
    peer.read()
    peer.send(switch(b"mysql_clear_password"))
    peer.read()
    peer.silence()


@mode
def switches_without_end(peer: Peer) -> None:
    peer.send(greeting())
    while peer.read() is not None:
        peer.send(switch(b"mysql_native_password"))


@mode
def login_data_without_end(peer: Peer) -> None:
    peer.send(greeting(plugin=b"caching_sha2_password"))
    peer.read()
    while True:
        peer.send(b"\x01\x03")


@mode
def login_silent(peer: Peer) -> None:
    peer.send(greeting())
    peer.silence()


@mode
def login_drips(peer: Peer) -> None:
    peer.send(greeting())
    peer.read()
    packet = error(1045, b"x" * 200)
    peer.drip(struct.pack("<I", len(packet))[:3] + bytes([peer.sequence]) + packet)


@mode
def login_refused(peer: Peer) -> None:
    peer.send(greeting())
    peer.read()
    peer.send(error(1045, b"Access denied for user 'u'@'h'", b"28000"))


@mode
def login_closed(peer: Peer) -> None:
    peer.send(greeting())
    peer.read()


@mode
def login_answered_with_garbage(peer: Peer) -> None:
    peer.send(greeting())
    peer.read()
    peer.send(b"\x77" * 9)
    peer.silence()


@mode
def tls_offered_and_never_spoken(peer: Peer) -> None:
    peer.send(greeting(capabilities=CAPABILITIES | TLS))
    peer.silence()


@mode
def tls_offered_and_garbled(peer: Peer) -> None:
    peer.send(greeting(capabilities=CAPABILITIES | TLS))
    peer.read()
    peer.raw(b"\x15\x03\x01\0\x02" + CHALLENGE * 9)
    peer.silence()


@mode
def more_is_said_before_tls(peer: Peer) -> None:
    packet = greeting(capabilities=CAPABILITIES | TLS)
    peer.raw(struct.pack("<I", len(packet)) + packet + b"\x07\0\0\x02" + OK)
    peer.silence()
