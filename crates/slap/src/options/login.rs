//! Which server to connect to and how, from the options. Connecting itself is in `connecting`.

use std::env;
use std::path::PathBuf;

use doors::{default_socket, Encryption};
use nix::unistd::{Uid, User};
use wire::Compression;

use crate::failure::Failure;

/// What the options say about the server and the account.
#[derive(Clone, Default)]
pub struct Login {
    /// --host
    pub host: Option<String>,
    /// --port
    pub port: Option<u16>,
    /// --socket
    pub socket: Option<PathBuf>,
    /// --user
    pub user: Option<String>,
    /// --password with a value.
    pub password: Option<String>,
    /// --password without one.
    pub asks_password: bool,
    /// True for TCP, false for a Unix socket, if options say so.
    pub tcp: Option<bool>,
    /// TLS.
    pub encryption: Encryption,
    /// Authorities that signed the server's certificate.
    pub ca_file: Option<PathBuf>,
    /// --get-server-public-key
    pub get_server_public_key: bool,
    /// Compression.
    pub compression: Compression,
}

impl std::fmt::Debug for Login {
    /// Without the password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Login")
            .field("host", &self.host)
            .field("port", &self.port)
            .field("socket", &self.socket)
            .field("user", &self.user)
            .finish_non_exhaustive()
    }
}

impl Login {
    /// --protocol
    pub fn protocol(&mut self, text: &str) -> Result<(), Failure> {
        self.tcp = match text.to_ascii_lowercase().as_str() {
            "tcp" => Some(true),
            "socket" => Some(false),
            _ => {
                return Err(Failure::refused(
                    format!("Unknown option to protocol: {text}"),
                    "give tcp or socket",
                ))
            }
        };
        Ok(())
    }

    /// --ssl-mode
    pub fn ssl_mode(&mut self, text: &str) -> Result<(), Failure> {
        let mode = Encryption::named(text);
        self.encryption = mode.ok_or_else(|| {
            Failure::refused(
                format!("unknown value to option --ssl-mode: {text}"),
                "give disabled, preferred, required, verify_ca or verify_identity",
            )
        })?;
        Ok(())
    }

    /// Where the server listens.
    pub fn address(&self) -> wire::Address {
        let host = self.host.clone().or_else(|| env::var("MYSQL_HOST").ok());
        let host = host.filter(|host| !host.is_empty());
        let is_local = host.as_deref().is_none_or(|host| host == "localhost");
        let tcp = self.tcp.unwrap_or(!is_local);
        if tcp {
            let named = env::var("MYSQL_TCP_PORT").ok();
            let port = self.port.or_else(|| named?.parse().ok());
            return wire::Address::Tcp {
                host: host.unwrap_or_else(|| "127.0.0.1".to_owned()),
                port: port.unwrap_or(3306),
            };
        }
        let socket = self.socket.clone();
        wire::Address::Unix(socket.unwrap_or_else(default_socket))
    }

    /// The account's name: given, or that of the current user.
    pub fn account(&self) -> String {
        let own = || User::from_uid(Uid::effective()).ok().flatten();
        let given = self.user.clone().filter(|user| !user.is_empty());
        given
            .or_else(|| own().map(|user| user.name))
            .unwrap_or_else(|| "root".to_owned())
    }

    /// The password: given, prompted for, or from the environment.
    pub fn secret(&self) -> Result<Option<String>, Failure> {
        if self.asks_password {
            let typed = rpassword::prompt_password("Enter password: ");
            return typed.map(Some).map_err(|error| {
                Failure::refused(
                    format!("the password can't be asked for: {error}"),
                    "give it in an option file, or in the variable MYSQL_PWD",
                )
            });
        }
        let given = self.password.clone();
        Ok(given.or_else(|| env::var("MYSQL_PWD").ok()))
    }
}
