//! The host's random numbers, from the library that makes TLS.

use rsa::rand_core::impls::{next_u32_via_fill, next_u64_via_fill};
use rsa::rand_core::{CryptoRng, Error, RngCore};
use rustls::crypto::ring;

pub(super) struct Random;

impl RngCore for Random {
    fn next_u32(&mut self) -> u32 {
        next_u32_via_fill(self)
    }

    fn next_u64(&mut self) -> u64 {
        next_u64_via_fill(self)
    }

    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        self.try_fill_bytes(bytes)
            .expect("this host has random numbers");
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Error> {
        let filled = ring::default_provider().secure_random.fill(bytes);
        filled.map_err(|_| Error::new("no random numbers"))
    }
}

impl CryptoRng for Random {}
