//! A password under a server's RSA key, which `caching_sha2_password` takes where there is no TLS.

use rsa::pkcs8::DecodePublicKey;
use rsa::{Oaep, RsaPublicKey};
use sha1::Sha1;

use super::random::Random;
use crate::error::Error;

/// The password, ended by a NUL and mixed with the challenge, encrypted for the key in `pem`.
pub(super) fn encrypted(password: &str, challenge: &[u8], pem: &[u8]) -> Result<Vec<u8>, Error> {
    let unreadable = || Error::protocol("an RSA key that can't be read", pem);
    let text = std::str::from_utf8(pem).map_err(|_| unreadable())?;
    let key = RsaPublicKey::from_public_key_pem(text.trim_end()).map_err(|_| unreadable())?;
    let plain = password.bytes().chain([0]);
    let mixed: Vec<u8> = plain
        .zip(challenge.iter().cycle())
        .map(|(a, b)| a ^ b)
        .collect();
    key.encrypt(&mut Random, Oaep::new::<Sha1>(), &mixed)
        .map_err(|error| Error::Auth {
            plugin: "caching_sha2_password".to_owned(),
            reason: match error {
                rsa::Error::MessageTooLong => "the password is too long for the server's RSA key",
                _ => "the password can't be encrypted by the server's RSA key",
            },
            hint: "use a Unix socket, or TLS that checks the server's certificate",
        })
}
