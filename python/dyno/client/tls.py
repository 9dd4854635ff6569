"""TLS as an address asks for it."""

from __future__ import annotations

import ssl
from typing import Any

from dyno.client.guard import Guard
from dyno.errors import ServerError
from dyno.spec.address import Address


class Encryption(ssl.SSLContext):
    """What pymysql hands its socket to, which is a guard here."""

    def wrap_socket(self, sock: Any, *args: Any, **more: Any) -> Any:
        """Encrypt the guard's connection; returns the guard."""
        assert isinstance(sock, Guard)
        wrap = super().wrap_socket
        sock.encrypt(lambda inner: wrap(inner, *args, **more))
        return sock


def encryption(address: Address) -> Encryption | None:
    """For this address; None if it asks for none. Raises ServerError for a wrong CA file."""
    if address.tls == "off":
        return None
    context = Encryption(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.check_hostname = address.tls == "verify-identity"
    if address.ca is None:
        context.verify_mode = ssl.CERT_NONE
        return context
    try:
        context.load_verify_locations(cafile=address.ca)
    except (OSError, ssl.SSLError) as error:
        raise ServerError(
            f"the authorities in {address.ca} can't be read: {error.strerror or error}",
            hint="give a PEM file with the authority that signed the server's certificate",
        ) from error
    return context
