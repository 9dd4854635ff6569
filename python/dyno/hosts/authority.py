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
from dyno.hosts.elsewhere import Proof
from dyno.spec.inventory import Host, Inventory
from dyno.store.files import storing

VALID = dt.timedelta(days=825)
# A host whose clock is behind must not refuse them.
_EARLIER = dt.timedelta(days=1)
_PEM = serialization.Encoding.PEM
_AUTHORITY = "Dyno"


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
        _builder(_AUTHORITY, key.public_key(), issuer=_AUTHORITY)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    with storing(made.folder):
        made.folder.mkdir(mode=0o700)
        _write(made.authority, authority.public_bytes(_PEM))
        for host in inventory.host:
            _write(made.of(host), _signed(host, key))


def make_server_certificate(server: Host, folder: Path) -> Proof:
    """Make a self-signed certificate for the servers on a host. Raises StoreError."""
    key = ec.generate_private_key(ec.SECP256R1())
    certificate = _certificate(server, key, issuer=server.name, signed_by=key)
    proof = Proof(folder / "server.pem", folder / "authority.pem")
    with storing(folder):
        _write(proof.certificate, certificate + _private(key))
        _write(proof.authority, certificate)
    return proof


def _signed(host: Host, authority: ec.EllipticCurvePrivateKey) -> bytes:
    """A host's certificate, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    return _certificate(host, key, issuer=_AUTHORITY, signed_by=authority) + _private(key)


def _certificate(
    host: Host,
    key: ec.EllipticCurvePrivateKey,
    *,
    issuer: str,
    signed_by: ec.EllipticCurvePrivateKey,
) -> bytes:
    address = x509.SubjectAlternativeName([x509.IPAddress(ip_address(host.address))])
    return (
        _builder(host.name, key.public_key(), issuer=issuer)
        .add_extension(address, critical=False)
        .sign(signed_by, hashes.SHA256())
        .public_bytes(_PEM)
    )


def _private(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(_PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())


def _builder(
    subject: str, key: ec.EllipticCurvePublicKey, *, issuer: str
) -> x509.CertificateBuilder:
    def name(text: str) -> x509.Name:
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])

    now = dt.datetime.now(dt.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(name(subject))
        .issuer_name(name(issuer))
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _EARLIER)
        .not_valid_after(now + VALID)
    )


def _write(path: Path, content: bytes) -> None:
    path.touch(mode=0o600, exist_ok=False)
    path.write_bytes(content)
