"""Certificates for servers under test: an authority, and what it signs for `localhost`."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID

PEM = serialization.Encoding.PEM
AUTHORITY = "authority.pem"


def write_certificate(folder: Path) -> dict[str, str]:
    """The server's settings for a key and a certificate in `folder`; `AUTHORITY` lies beside them.

    The certificate is good for the name `localhost` and for no address.
    """
    theirs, ours = _key(), _key()
    authority = (
        _builder("authority", "authority", theirs)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(theirs, hashes.SHA256())
    )
    certificate = (
        _builder("server", "authority", ours)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(theirs, hashes.SHA256())
    )
    private = ours.private_bytes(
        PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    files = {
        "ssl_key": ("key.pem", private),
        "ssl_cert": ("certificate.pem", certificate.public_bytes(PEM)),
        "": (AUTHORITY, authority.public_bytes(PEM)),
    }
    for name, content in files.values():
        path = folder / name
        path.write_bytes(content)
        path.chmod(0o644)
    return {setting: str(folder / name) for setting, (name, _) in files.items() if setting}


def _key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def _builder(subject: str, issuer: str, key: rsa.RSAPrivateKey) -> x509.CertificateBuilder:
    def name(text: str) -> x509.Name:
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])

    now = dt.datetime.now(dt.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(name(subject))
        .issuer_name(name(issuer))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
    )
