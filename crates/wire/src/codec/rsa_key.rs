//! A password under a server's RSA key, which `caching_sha2_password` takes where there is no TLS.

use rsa::pkcs8::DecodePublicKey;
use rsa::rand_core::{CryptoRng, RngCore};
use rsa::{Oaep, RsaPublicKey};
use rustls::crypto::ring;
use sha1::Sha1;

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

/// The host's random numbers, from the library that makes TLS.
struct Random;

impl RngCore for Random {
    fn next_u32(&mut self) -> u32 {
        let mut bytes = [0; 4];
        self.fill_bytes(&mut bytes);
        u32::from_le_bytes(bytes)
    }

    fn next_u64(&mut self) -> u64 {
        let mut bytes = [0; 8];
        self.fill_bytes(&mut bytes);
        u64::from_le_bytes(bytes)
    }

    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        self.try_fill_bytes(bytes)
            .expect("this host has random numbers");
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), rsa::rand_core::Error> {
        let filled = ring::default_provider().secure_random.fill(bytes);
        filled.map_err(|_| rsa::rand_core::Error::new("no random numbers"))
    }
}

impl CryptoRng for Random {}
