//! The target of a plan: where the server is, who logs in, and whether the wire is encrypted.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Where the server is, and who logs in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// True: no server at all. Every command is answered at once within this process, which shows
    /// the most that the load generator could do.
    #[serde(default, skip_serializing_if = "is_false")]
    pub noop: bool,
    /// Path of a Unix socket.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub socket: Option<PathBuf>,
    /// Name or address of a host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// With `host`; the default is 3306.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// Account name.
    #[serde(default = "default_user")]
    pub user: String,
    /// Name of the environment variable that holds the password.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password_env: Option<String>,
    /// The password itself, if it came another way; never from a plan.
    #[serde(skip)]
    pub password: Option<Secret>,
    /// Default schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database: Option<String>,
    /// Encryption.
    #[serde(default)]
    pub tls: Tls,
    /// Certificates of the authorities (PEM), with `tls` `verify` and `verify_ca`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca_file: Option<PathBuf>,
    /// Trust the RSA key that the server sends, where there is no TLS.
    #[serde(default, skip_serializing_if = "is_false")]
    pub get_server_public_key: bool,
    /// Compression of what is sent.
    #[serde(default, skip_serializing_if = "is_off")]
    pub compression: Compression,
}

// serde passes a reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_off(value: &Compression) -> bool {
    *value == Compression::Off
}

/// Whether and how what is sent is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Compression {
    /// Not at all.
    #[default]
    Off,
    /// By zlib.
    Zlib,
    /// By zstd, which MySQL from 8.0.18 on offers.
    Zstd,
}

// serde passes a reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_false(value: &bool) -> bool {
    !value
}

fn default_user() -> String {
    "root".to_owned()
}

/// Whether connections are encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tls {
    /// In clear.
    #[default]
    Off,
    /// Encrypted; the certificate is not checked.
    Required,
    /// Encrypted; the certificate is checked, except for its name.
    VerifyCa,
    /// Encrypted; the certificate and its name are checked.
    Verify,
}

/// A password, which appears in no message.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(pub String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(hidden)")
    }
}
