//! TLS by rustls, versions 1.2 and 1.3: encrypted only, or with the certificate checked.

use std::path::Path;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::WebPkiServerVerifier;
use rustls::crypto::{ring, CryptoProvider};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::RootCertStore;
use rustls::{CertificateError, ClientConfig, ClientConnection, DigitallySignedStruct};
use rustls::{SignatureScheme, StreamOwned};

use super::stream::{Socket, Stream};
use crate::error::Error;
use crate::options::{Address, Tls};

const HINT_VERSION: &str = "only TLS 1.2 and 1.3 work: servers built with yaSSL (MySQL 5.5, \
     5.6 and old MariaDB packages) can't do them; use a Unix socket there";
const HINT_CERTIFICATE: &str = "the ca_file must hold the authority that signed the server's \
     certificate, and the certificate the host's name as a subjectAltName";
const HINT_CA_FILE: &str = "ca_file must be a readable PEM file with at least one certificate";

/// Does the TLS handshake over a connected socket.
pub(super) fn wrap(mut socket: Socket, tls: &Tls, address: &Address) -> Result<Stream, Error> {
    let config = config(tls)?;
    let host = match address {
        Address::Unix(_) => "localhost",
        Address::Tcp { host, .. } => host.as_str(),
    };
    let name = ServerName::try_from(host.to_owned())
        .map_err(|error| fail(format!("host name {host}: {error}"), HINT_CERTIFICATE))?;
    let mut connection = ClientConnection::new(Arc::new(config), name)
        .map_err(|error| fail(error.to_string(), HINT_VERSION))?;
    while connection.is_handshaking() {
        if let Err(error) = connection.complete_io(&mut socket) {
            return Err(handshake_error(&error));
        }
    }
    Ok(Stream::Tls {
        stream: Box::new(StreamOwned::new(connection, socket)),
        is_checked: tls.is_checked(),
    })
}

fn fail(reason: String, hint: &'static str) -> Error {
    Error::Tls { reason, hint }
}

fn handshake_error(error: &std::io::Error) -> Error {
    let inner = error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<rustls::Error>());
    let hint = match inner {
        Some(rustls::Error::InvalidCertificate(_)) => HINT_CERTIFICATE,
        _ => HINT_VERSION,
    };
    fail(format!("handshake failed: {error}"), hint)
}

fn config(tls: &Tls) -> Result<ClientConfig, Error> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| fail(error.to_string(), HINT_VERSION))?;
    let verifier: Arc<dyn ServerCertVerifier> = match tls {
        Tls::Off | Tls::Preferred | Tls::Required => Arc::new(AnyCertificate { provider }),
        Tls::VerifyIdentity { ca_file } => authorized(ca_file, provider)?,
        Tls::VerifyCa { ca_file } => Arc::new(AnyName {
            authorized: authorized(ca_file, provider)?,
        }),
    };
    Ok(builder
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth())
}

/// Accepts certificates that an authority in the file signed for the host's name.
fn authorized(
    ca_file: &Path,
    provider: Arc<CryptoProvider>,
) -> Result<Arc<WebPkiServerVerifier>, Error> {
    let authorities = Arc::new(authorities(ca_file)?);
    WebPkiServerVerifier::builder_with_provider(authorities, provider)
        .build()
        .map_err(|error| fail(error.to_string(), HINT_CA_FILE))
}

fn authorities(ca_file: &Path) -> Result<RootCertStore, Error> {
    let wrong = |what: String| fail(format!("{}: {what}", ca_file.display()), HINT_CA_FILE);
    let mut store = RootCertStore::empty();
    let certificates = CertificateDer::pem_file_iter(ca_file).map_err(|e| wrong(e.to_string()))?;
    for certificate in certificates {
        let certificate = certificate.map_err(|error| wrong(error.to_string()))?;
        store
            .add(certificate)
            .map_err(|error| wrong(error.to_string()))?;
    }
    if store.is_empty() {
        return Err(wrong("no certificate in it".to_owned()));
    }
    Ok(store)
}

/// Accepts every certificate: the mode `required` hides the traffic from listeners, and no more.
///
/// Signatures aren't checked either, since a signature under a certificate that anyone may have
/// made proves nothing, and the self-made certificates of some servers can't be parsed.
#[derive(Debug)]
struct AnyCertificate {
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _certificate: &CertificateDer<'_>,
        _signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _message: &[u8],
        _certificate: &CertificateDer<'_>,
        _signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}

/// Accepts every certificate of an authority of ours, whatever name it has: servers make their own
/// without any.
#[derive(Debug)]
struct AnyName {
    authorized: Arc<WebPkiServerVerifier>,
}

impl ServerCertVerifier for AnyName {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        // The name is checked last: if only the name is wrong, everything else is right.
        match self.authorized.verify_server_cert(
            end_entity,
            intermediates,
            server_name,
            ocsp_response,
            now,
        ) {
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            other => other,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.authorized
            .verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.authorized
            .verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.authorized.supported_verify_schemes()
    }
}
