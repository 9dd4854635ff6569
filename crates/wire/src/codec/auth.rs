//! Login plugins: how to answer a challenge. Pure; the caller moves the packets.

use curve25519_dalek::scalar::clamp_integer;
use curve25519_dalek::{EdwardsPoint, Scalar};
use sha1::{Digest, Sha1};
use sha2::{Sha256, Sha512};

use super::printable::printable;
use super::{parsec, rsa_key};
use crate::error::Error;

/// The transport of the connection, by whether it may carry a password in clear.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// TCP in clear, or TLS with an unknown peer: the server's certificate isn't checked.
    Open,
    /// The same, and the caller trusts the key that the server sends.
    Trusted,
    /// TLS with a server whose certificate was checked, or a Unix socket, which doesn't leave the
    /// host.
    Private,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Plugin {
    Native,
    CachingSha2,
    Ed25519,
    Parsec,
    Clear,
    Socket,
}

/// Asks a server for its RSA key, and begins its answer to a server that wants the password.
const WANT_KEY: u8 = 2;

/// One login's dialogue with one plugin.
pub struct Auth<'a> {
    plugin: Plugin,
    password: &'a str,
    transport: Transport,
    challenge: Vec<u8>,
    wants_key: bool,
}

impl std::fmt::Debug for Auth<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Auth")
            .field("plugin", &self.plugin)
            .finish_non_exhaustive()
    }
}

impl<'a> Auth<'a> {
    /// True for a plugin that this crate supports. A greeting may propose another one and still
    /// switch to one of these, since the plugin depends on the account.
    pub fn knows(plugin: &str) -> bool {
        Plugin::named(plugin).is_some()
    }

    /// Starts with the plugin that the server named.
    pub fn new(name: &str, password: &'a str, transport: Transport) -> Result<Auth<'a>, Error> {
        let plugin = Plugin::named(name).ok_or_else(|| Error::Auth {
            plugin: printable(name.as_bytes()),
            reason: "this client doesn't know the plugin",
            hint: "use an account with mysql_native_password, caching_sha2_password, ed25519 or \
                   parsec",
        })?;
        Ok(Auth {
            plugin,
            password,
            transport,
            challenge: Vec::new(),
            wants_key: false,
        })
    }

    /// The answer to the challenge.
    pub fn first(&mut self, challenge: &[u8]) -> Result<Vec<u8>, Error> {
        challenge.clone_into(&mut self.challenge);
        match self.plugin {
            Plugin::Socket => Ok(Vec::new()),
            Plugin::Native | Plugin::CachingSha2 if self.password.is_empty() => Ok(Vec::new()),
            Plugin::Native => Ok(native(self.password, part(challenge, 20)?)),
            Plugin::CachingSha2 => Ok(caching_sha2(self.password, part(challenge, 20)?)),
            Plugin::Ed25519 => {
                let expanded = Sha512::digest(self.password.as_bytes()).into();
                Ok(signature(&expanded, part(challenge, 32)?))
            }
            // It asks for the salt.
            Plugin::Parsec => part(challenge, 32).map(|_| Vec::new()),
            Plugin::Clear => self.in_clear("the server wants the password in clear"),
        }
    }

    /// The answer to more data; `None`: nothing to send, keep waiting.
    pub fn more(&mut self, data: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        match (self.plugin, data) {
            (Plugin::CachingSha2, [3]) => Ok(None),
            (Plugin::CachingSha2, key) if self.wants_key => {
                self.wants_key = false;
                rsa_key::encrypted(self.password, part(&self.challenge, 20)?, key).map(Some)
            }
            (Plugin::CachingSha2, [4]) if self.transport == Transport::Trusted => {
                self.wants_key = true;
                Ok(Some(vec![WANT_KEY]))
            }
            (Plugin::Parsec, salt) => {
                parsec::answer(self.password, part(&self.challenge, 32)?, salt).map(Some)
            }
            (Plugin::CachingSha2, [4]) => self
                .in_clear("the server doesn't have this password cached and wants it in clear")
                .map(Some),
            _ => Err(Error::protocol(
                "data that this login plugin doesn't expect",
                data,
            )),
        }
    }

    fn in_clear(&self, reason: &'static str) -> Result<Vec<u8>, Error> {
        if self.transport != Transport::Private && !self.password.is_empty() {
            return Err(Error::Auth {
                plugin: self.plugin.name().to_owned(),
                reason,
                hint: "it could be any server: use a Unix socket, or TLS that checks the server's \
                       certificate",
            });
        }
        let mut answer = self.password.as_bytes().to_vec();
        answer.push(0);
        Ok(answer)
    }
}

impl Plugin {
    fn named(name: &str) -> Option<Plugin> {
        Some(match name {
            "mysql_native_password" => Plugin::Native,
            "caching_sha2_password" => Plugin::CachingSha2,
            "client_ed25519" => Plugin::Ed25519,
            "parsec" => Plugin::Parsec,
            "mysql_clear_password" => Plugin::Clear,
            "unix_socket" | "auth_socket" => Plugin::Socket,
            _ => return None,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Plugin::Native => "mysql_native_password",
            Plugin::CachingSha2 => "caching_sha2_password",
            Plugin::Ed25519 => "client_ed25519",
            Plugin::Parsec => "parsec",
            Plugin::Clear => "mysql_clear_password",
            Plugin::Socket => "unix_socket",
        }
    }
}

fn part(challenge: &[u8], len: usize) -> Result<&[u8], Error> {
    challenge
        .get(..len)
        .ok_or_else(|| Error::protocol("login challenge cut short", challenge))
}

fn xor(a: &[u8], b: &[u8]) -> Vec<u8> {
    a.iter().zip(b).map(|(a, b)| a ^ b).collect()
}

/// SHA1(password) XOR SHA1(challenge, SHA1(SHA1(password))).
fn native(password: &str, challenge: &[u8]) -> Vec<u8> {
    let once = Sha1::digest(password.as_bytes());
    let twice = Sha1::digest(once);
    let mask = Sha1::new()
        .chain_update(challenge)
        .chain_update(twice)
        .finalize();
    xor(&once, &mask)
}

/// SHA256(password) XOR SHA256(SHA256(SHA256(password)), challenge).
fn caching_sha2(password: &str, challenge: &[u8]) -> Vec<u8> {
    let once = Sha256::digest(password.as_bytes());
    let twice = Sha256::digest(once);
    let mask = Sha256::new()
        .chain_update(twice)
        .chain_update(challenge)
        .finalize();
    xor(&once, &mask)
}

/// An `EdDSA` signature (RFC 8032, 5.1.6) by an expanded secret. `MariaDB`'s ed25519 takes the
/// SHA-512 of the password itself for it, whatever its length, not that of a seed.
pub(super) fn signature(expanded: &[u8; 64], challenge: &[u8]) -> Vec<u8> {
    let (secret, prefix) = expanded.split_at(32);
    let mut secret_bytes = [0_u8; 32];
    secret_bytes.copy_from_slice(secret);
    let secret = Scalar::from_bytes_mod_order(clamp_integer(secret_bytes));
    let public = EdwardsPoint::mul_base(&secret).compress();

    let nonce = wide_scalar(&[prefix, challenge]);
    let commitment = EdwardsPoint::mul_base(&nonce).compress();
    let hash = wide_scalar(&[commitment.as_bytes(), public.as_bytes(), challenge]);
    let proof = nonce + hash * secret;

    let mut signature = commitment.as_bytes().to_vec();
    signature.extend_from_slice(proof.as_bytes());
    signature
}

/// SHA-512 of the parts, as a number modulo the group's order.
fn wide_scalar(parts: &[&[u8]]) -> Scalar {
    let mut hash = Sha512::new();
    for part in parts {
        hash.update(part);
    }
    Scalar::from_bytes_mod_order_wide(&hash.finalize().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_goes_only_to_a_peer_that_is_known() {
        let more = |transport| {
            let auth = Auth::new("caching_sha2_password", "secret", transport);
            let mut auth = auth.expect("a known plugin");
            auth.first(&[7; 20]).expect("an answer");
            auth.more(&[4])
        };
        assert!(matches!(more(Transport::Open), Err(Error::Auth { .. })));
        assert_eq!(more(Transport::Trusted).ok(), Some(Some(vec![WANT_KEY])));
        let clear = b"secret\0".to_vec();
        assert_eq!(more(Transport::Private).ok(), Some(Some(clear)));
    }
}
