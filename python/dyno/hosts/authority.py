"""Makes the certificates of hosts."""

from __future__ import annotations

import datetime as dt
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from dyno.errors import SpecError
from dyno.hosts.certificates import Certificates
from dyno.spec.inventory import Host, Inventory
from dyno.store.files import storing

VALID = dt.timedelta(days=825)
# A host whose clock is behind must not refuse them.
_EARLIER = dt.timedelta(days=1)
_PEM = serialization.Encoding.PEM


def make_certificates(inventory: Inventory, made: Certificates) -> None:
    """Make them for all hosts. Raises SpecError if the folder is there, StoreError if it can't be
    written.
    """
    if made.folder.exists():
        raise SpecError(
            f"there are certificates in {made.folder}",
            hint="remove that folder to make new ones for all hosts",
        )
    key = ec.generate_private_key(ec.SECP256R1())
    authority = (
        _builder("Dyno", key.public_key())
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    with storing(made.folder):
        made.folder.mkdir(mode=0o700)
        _write(made.authority, authority.public_bytes(_PEM))
        for host in inventory.host:
            _write(made.of(host), _signed(host, key))


def _signed(host: Host, authority: ec.EllipticCurvePrivateKey) -> bytes:
    """A host's certificate, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    address = x509.SubjectAlternativeName([x509.IPAddress(ip_address(host.address))])
    certificate = (
        _builder(host.name, key.public_key())
        .add_extension(address, critical=False)
        .sign(authority, hashes.SHA256())
    )
    private = key.private_bytes(
        _PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return certificate.public_bytes(_PEM) + private


def _builder(subject: str, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
    def name(text: str) -> x509.Name:
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])

    now = dt.datetime.now(dt.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(name(subject))
        .issuer_name(name("Dyno"))
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _EARLIER)
        .not_valid_after(now + VALID)
    )


def _write(path: Path, content: bytes) -> None:
    path.touch(mode=0o600, exist_ok=False)
    path.write_bytes(content)
