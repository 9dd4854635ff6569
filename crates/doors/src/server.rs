//! How MySQL's programs find a server on this host, and the names of their encryption modes.

use std::env;
use std::path::{Path, PathBuf};

use wire::Tls;

/// Where servers listen by default, by distribution.
const SOCKETS: [&str; 4] = [
    "/run/mysqld/mysqld.sock",
    "/var/run/mysqld/mysqld.sock",
    "/var/lib/mysql/mysql.sock",
    "/tmp/mysql.sock",
];

/// What `localhost` means to MySQL's client library: `MYSQL_UNIX_PORT`, or the first socket that
/// exists.
pub fn default_socket() -> PathBuf {
    if let Some(path) = env::var_os("MYSQL_UNIX_PORT") {
        return PathBuf::from(path);
    }
    let mut known = SOCKETS.iter().map(Path::new);
    let existing = known.find(|path| path.exists());
    existing.unwrap_or(Path::new(SOCKETS[0])).to_owned()
}

/// How the connection is encrypted: the values of `--ssl-mode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encryption {
    /// Not encrypted.
    #[default]
    Off,
    /// Encrypted if the server supports it.
    Preferred,
    /// Always; the server's certificate isn't checked.
    Required,
    /// With a server whose certificate is checked, but not the name in it.
    VerifyCa,
    /// With a server whose certificate is checked, and the name in it too.
    VerifyIdentity,
}

impl Encryption {
    /// Looks up a mode by its name, in any case.
    pub fn named(word: &str) -> Option<Encryption> {
        match word.to_ascii_lowercase().as_str() {
            "disabled" => Some(Encryption::Off),
            "preferred" => Some(Encryption::Preferred),
            "required" => Some(Encryption::Required),
            "verify_ca" => Some(Encryption::VerifyCa),
            "verify_identity" => Some(Encryption::VerifyIdentity),
            _ => None,
        }
    }

    /// True if a certificate is checked, which needs a CA file.
    pub fn verifies(self) -> bool {
        matches!(self, Encryption::VerifyCa | Encryption::VerifyIdentity)
    }

    /// With the file of the authorities that signed the server's certificate.
    pub fn tls(self, ca_file: PathBuf) -> Tls {
        match self {
            Encryption::Off => Tls::Off,
            Encryption::Preferred => Tls::Preferred,
            Encryption::Required => Tls::Required,
            Encryption::VerifyCa => Tls::VerifyCa { ca_file },
            Encryption::VerifyIdentity => Tls::VerifyIdentity { ca_file },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_words_in_any_case() {
        assert_eq!(Encryption::named("PREFERRED"), Some(Encryption::Preferred));
        assert_eq!(Encryption::named("on"), None);
        let words = ["disabled", "preferred", "required", "verify_ca"];
        let verifies = words.map(|word| Encryption::named(word).unwrap().verifies());
        assert_eq!(verifies, [false, false, false, true]);
    }
}
