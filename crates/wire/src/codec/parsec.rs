//! `MariaDB`'s plugin parsec: a signature by a key that is derived from the password and from a
//! salt, which the server sends when it is asked.

use pbkdf2::pbkdf2_hmac;
use rsa::rand_core::RngCore;
use sha2::{Digest, Sha512};

use super::auth::signature;
use super::random::Random;
use crate::error::Error;

/// Begins the packet with the salt: PBKDF2 with HMAC-SHA-512.
pub(super) const ALGORITHM: u8 = b'P';
const ROUNDS: u32 = 1024;
/// How often a server may ask to double `ROUNDS`; more would keep the client busy for too long.
const DOUBLINGS_MAX: u8 = 3;
const NONCE: usize = 32;

/// The answer to the packet with the salt: our part of what is signed, and the signature.
pub(super) fn answer(password: &str, challenge: &[u8], salt: &[u8]) -> Result<Vec<u8>, Error> {
    let [ALGORITHM, doublings @ 0..=DOUBLINGS_MAX, salt @ ..] = salt else {
        return Err(Error::protocol("a salt that parsec doesn't know", salt));
    };
    let mut nonce = [0_u8; NONCE];
    Random
        .try_fill_bytes(&mut nonce)
        .map_err(|_| Error::Usage {
            what: "this host gives no random numbers".to_owned(),
        })?;
    Ok(signed(password, challenge, salt, *doublings, &nonce))
}

fn signed(password: &str, challenge: &[u8], salt: &[u8], doublings: u8, nonce: &[u8]) -> Vec<u8> {
    let mut seed = [0_u8; 32];
    pbkdf2_hmac::<Sha512>(password.as_bytes(), salt, ROUNDS << doublings, &mut seed);
    let expanded = Sha512::digest(seed).into();
    let signature = signature(&expanded, &[challenge, nonce].concat());
    [nonce, &signature].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_it_answers_can_be_verified_with_the_public_key() {
        use curve25519_dalek::edwards::CompressedEdwardsY;
        use curve25519_dalek::scalar::clamp_integer;
        use curve25519_dalek::{EdwardsPoint, Scalar};

        let challenge = [7_u8; 32];
        let answer = answer("secret", &challenge, b"P\x01salt of 18 bytes..").expect("an answer");
        let (nonce, signature) = answer.split_at(NONCE);
        let mut seed = [0_u8; 32];
        pbkdf2_hmac::<Sha512>(b"secret", b"salt of 18 bytes..", 2048, &mut seed);
        let expanded: [u8; 64] = Sha512::digest(seed).into();
        let secret = clamp_integer(expanded[..32].try_into().expect("half of it"));
        let public = EdwardsPoint::mul_base(&Scalar::from_bytes_mod_order(secret));
        let (commitment, proof) = signature.split_at(32);
        let hash: [u8; 64] = Sha512::new()
            .chain_update(commitment)
            .chain_update(public.compress().as_bytes())
            .chain_update(challenge)
            .chain_update(nonce)
            .finalize()
            .into();
        let commitment = CompressedEdwardsY::from_slice(commitment).expect("32 bytes");
        let proof = Scalar::from_bytes_mod_order(proof.try_into().expect("half of it"));
        let hash = Scalar::from_bytes_mod_order_wide(&hash);
        let expected = commitment.decompress().expect("a point") + hash * public;
        assert_eq!(EdwardsPoint::mul_base(&proof), expected);
    }

    #[test]
    fn another_salt_is_refused() {
        for salt in [&b"Q\x00salt"[..], b"P", b"P\x04salt", b""] {
            assert!(answer("secret", &[7; 32], salt).is_err(), "{salt:?}");
        }
    }
}
