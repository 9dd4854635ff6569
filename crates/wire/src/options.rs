//! What a caller gives to open a connection. Plain data; nothing here does I/O.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// Where the server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// A Unix domain socket.
    Unix(PathBuf),
    /// TCP; `TCP_NODELAY` is always set.
    Tcp {
        /// Name or address of the host.
        host: String,
        /// Port, usually 3306.
        port: u16,
    },
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Unix(path) => write!(f, "{}", path.display()),
            Address::Tcp { host, port } => write!(f, "{host}:{port}"),
        }
    }
}

/// Whether and how the connection is encrypted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Tls {
    /// In clear.
    #[default]
    Off,
    /// Encrypted if the server offers it; its certificate isn't checked.
    Preferred,
    /// Encrypted, but the server's certificate isn't checked.
    Required,
    /// Encrypted, and the certificate must be signed by an authority of `ca_file`.
    VerifyCa {
        /// Certificates of the authorities, PEM.
        ca_file: PathBuf,
    },
    /// The same, and the certificate must carry the host's name. Over a Unix socket the name
    /// expected is `localhost`.
    VerifyIdentity {
        /// Certificates of the authorities, PEM.
        ca_file: PathBuf,
    },
}

impl Tls {
    /// Whether the other side is known to be the right one, and not just anyone who encrypts.
    pub fn is_checked(&self) -> bool {
        match self {
            Tls::Off | Tls::Preferred | Tls::Required => false,
            Tls::VerifyCa { .. } | Tls::VerifyIdentity { .. } => true,
        }
    }
}

/// Whether and how what is sent is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Compression {
    /// Not at all.
    #[default]
    Off,
    /// By zlib, as all servers can.
    Zlib,
    /// By zstd, as MySQL from 8.0.18 on can.
    Zstd,
}

/// How to open a connection.
#[derive(Clone)]
pub struct Options {
    /// Where the server listens.
    pub address: Address,
    /// Account name.
    pub user: String,
    /// Password; `None` and an empty one are the same to the server.
    pub password: Option<String>,
    /// Default schema.
    pub database: Option<String>,
    /// Encryption.
    pub tls: Tls,
    /// Log in by the RSA key that the server sends, where there is no TLS: whoever sits between
    /// could send a key of its own, and read the password.
    pub get_server_public_key: bool,
    /// Compression; an error if the server doesn't offer it.
    pub compression: Compression,
    /// Limit for connecting and logging in, each step of it.
    pub connect_timeout: Duration,
    /// Limit for one command, from sending it until the end of its reply. `None`: no limit.
    pub read_timeout: Option<Duration>,
    /// Tell the server that LOAD DATA LOCAL is served (see [`crate::Connection::load_data`]).
    pub local_infile: bool,
    /// Allow several statements, separated by semicolons, in one query.
    pub multi_statements: bool,
    /// Use `CLIENT_DEPRECATE_EOF` if the server offers it: one packet fewer per result set.
    pub deprecate_eof: bool,
    /// Let MariaDB omit the columns of a prepared statement that it described before.
    pub cache_metadata: bool,
}

impl Options {
    /// User `root` without a password, no TLS, 10 s to connect, no limit for commands, LOAD DATA
    /// LOCAL served, single statements.
    pub fn new(address: Address) -> Options {
        Options {
            address,
            user: "root".to_owned(),
            password: None,
            database: None,
            tls: Tls::Off,
            get_server_public_key: false,
            compression: Compression::Off,
            connect_timeout: Duration::from_secs(10),
            read_timeout: None,
            local_infile: true,
            multi_statements: false,
            deprecate_eof: true,
            cache_metadata: true,
        }
    }
}

impl fmt::Debug for Options {
    /// Leaves the password out, so that it can't end up in a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("address", &self.address)
            .field("user", &self.user)
            .field("password", &self.password.as_ref().map(|_| "(hidden)"))
            .field("database", &self.database)
            .field("tls", &self.tls)
            .field("get_server_public_key", &self.get_server_public_key)
            .field("compression", &self.compression)
            .field("connect_timeout", &self.connect_timeout)
            .field("read_timeout", &self.read_timeout)
            .field("local_infile", &self.local_infile)
            .field("multi_statements", &self.multi_statements)
            .field("deprecate_eof", &self.deprecate_eof)
            .field("cache_metadata", &self.cache_metadata)
            .finish()
    }
}
