"""Login plugins: which are answered, and with what. A password is sent in clear only if nobody but
the right server can read it, and is never encrypted with a key that a server just sent.
"""

from __future__ import annotations

import hashlib
from typing import Any

from dyno.client.error import SqlError

PROTECT = (
    "use a Unix socket, or TLS that checks the certificate: ?tls=verify-identity&ca=FILE in the "
    "address"
)
OTHERS = "use an account with mysql_native_password or caching_sha2_password"
_CHALLENGE_BYTES = 20
# How caching_sha2_password replies to the answer.
_IS_RIGHT, _IS_WANTED = b"\x01\x03", b"\x01\x04"


class Plugin:
    """Answers one server's challenge; pymysql makes one and calls `authenticate`.

    `connection` has `secret`, the password, which pymysql doesn't know, and `is_protected`.
    """

    def __init__(self, connection: Any) -> None:
        self.connection = connection

    def authenticate(self, packet: Any) -> Any:
        """Answer; returns the next packet."""
        raise NotImplementedError

    @property
    def password(self) -> bytes:
        """The password as typed."""
        secret = self.connection.secret
        assert isinstance(secret, bytes)
        return secret

    def say(self, answer: bytes) -> Any:
        """Send it; returns the next packet."""
        self.connection.write_packet(answer)
        return self.connection._read_packet()

    def say_in_clear(self, why: str) -> Any:
        """Send the password itself if that is safe. Raises SqlError if it isn't."""
        if self.password and not self.connection.is_protected:
            raise SqlError(f"the server {why}, and it could be any server", hint=PROTECT)
        return self.say(self.password + b"\0")


class Native(Plugin):
    """mysql_native_password: SHA1(password) XOR SHA1(challenge, SHA1(SHA1(password)))."""

    def authenticate(self, packet: Any) -> Any:
        """Answer the challenge."""
        challenge = _challenge(packet)
        if not self.password:
            return self.say(b"")
        once = hashlib.sha1(self.password).digest()
        mask = hashlib.sha1(challenge + hashlib.sha1(once).digest()).digest()
        return self.say(_xor(once, mask))


class CachingSha2(Plugin):
    """caching_sha2_password: SHA256(password) XOR SHA256(SHA256(SHA256(password)), challenge); a
    server that doesn't have the password in its cache then asks for it in clear.
    """

    def authenticate(self, packet: Any) -> Any:
        """Answer the challenge, or the server's reply to the answer."""
        if packet.is_auth_switch_request():
            packet = self.say(self._answer(_challenge(packet)))
        data = packet.get_all_data()
        if data == _IS_RIGHT:
            packet = self.connection._read_packet()
        elif data == _IS_WANTED:
            packet = self.say_in_clear("doesn't have this password cached and wants it in clear")
        if packet.is_extra_auth_data():
            raise SqlError("the server's login goes on without end")
        return packet

    def _answer(self, challenge: bytes) -> bytes:
        if not self.password:
            return b""
        once = hashlib.sha256(self.password).digest()
        twice = hashlib.sha256(once).digest()
        return _xor(once, hashlib.sha256(twice + challenge).digest())


class Sha256(Plugin):
    """sha256_password: the password in clear. Never encrypted with a key that the server sends."""

    def authenticate(self, packet: Any) -> Any:
        """Send it if that is safe."""
        return self.say_in_clear("wants the password by sha256_password")


class Clear(Plugin):
    """mysql_clear_password: for directories and one-time passwords."""

    def authenticate(self, packet: Any) -> Any:
        """Send it if that is safe."""
        return self.say_in_clear("wants the password in clear")


class Socket(Plugin):
    """unix_socket, auth_socket: the kernel tells the server who asks."""

    def authenticate(self, packet: Any) -> Any:
        """Send nothing."""
        return self.say(b"")


class Unknown(Plugin):
    """Any other: old_password is broken, dialog asks in clear, the rest are unknown."""

    def authenticate(self, packet: Any) -> Any:
        """Refuse."""
        raise SqlError("the server asks for a login plugin that Dyno doesn't answer", hint=OTHERS)


KNOWN: dict[str, type[Plugin]] = {
    "mysql_native_password": Native,
    "caching_sha2_password": CachingSha2,
    "sha256_password": Sha256,
    "mysql_clear_password": Clear,
    "unix_socket": Socket,
    "auth_socket": Socket,
}


class Plugins(dict[str, type[Plugin]]):
    """The known ones; any other name gives `Unknown`, so that pymysql never answers by itself."""

    def __init__(self) -> None:
        super().__init__(KNOWN)

    def get(self, name: Any, default: Any = None) -> Any:
        """The plugin with this name, which pymysql passes as bytes."""
        text = name.decode("ascii", "replace") if isinstance(name, bytes) else name
        return super().get(text, Unknown)


def _challenge(packet: Any) -> bytes:
    challenge: bytes = packet.read_all()[:_CHALLENGE_BYTES]
    if len(challenge) < _CHALLENGE_BYTES:
        raise SqlError("the server's login challenge is cut short")
    return challenge


def _xor(a: bytes, b: bytes) -> bytes:
    return bytes(x ^ y for x, y in zip(a, b, strict=True))
