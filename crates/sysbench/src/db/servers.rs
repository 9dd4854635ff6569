//! Which server a new connection goes to: the lists of the command line, in turn.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;

use doors::default_socket;
use wire::{Address, Options};

use crate::options::Login;
use crate::shared::Shared;

/// For connecting and for logging in, each. The original has no limit and waits forever.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);

/// How the next connection is made.
pub fn next(shared: &Shared) -> Options {
    if let Some(driven) = &shared.driven {
        return driven.options();
    }
    let login = &shared.settings.login;
    let nth = shared.connections.fetch_add(1, Ordering::Relaxed);
    let mut options = Options::new(address(login, nth));
    options.user = login.user.clone();
    options.password = Some(login.password.clone());
    options.database = Some(login.database.clone()).filter(|name| !name.is_empty());
    options.tls = login.tls.clone();
    options.compression = login.compression;
    options.connect_timeout = CONNECT_TIMEOUT;
    options.multi_statements = true;
    options.local_infile = false;
    options.read_timeout = Some(shared.settings.answer);
    options
}

/// The address of the nth connection: sockets in turn, or else hosts with their ports, ports first.
fn address(login: &Login, nth: usize) -> Address {
    if !login.sockets.is_empty() {
        let socket = &login.sockets[nth % login.sockets.len()];
        return Address::Unix(PathBuf::from(socket));
    }
    let ports = login.ports.len().max(1);
    let port = login.ports.get(nth % ports).copied().unwrap_or(3306);
    let hosts = login.hosts.len().max(1);
    match login.hosts.get(nth / ports % hosts).map(String::as_str) {
        None | Some("localhost" | "") => Address::Unix(default_socket()),
        Some(host) => Address::Tcp {
            host: host.to_owned(),
            port,
        },
    }
}

/// The server's name in messages.
pub fn describe(login: &Login, address: &Address) -> String {
    match address {
        Address::Unix(path) if !login.sockets.is_empty() => format!("socket '{}'", path.display()),
        Address::Unix(_) => {
            let port = login.ports.first().copied().unwrap_or(3306);
            format!("host 'localhost', port {port}")
        }
        Address::Tcp { host, port } => format!("host '{host}', port {port}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{Options, Settings};

    fn login(arguments: &[&str]) -> Login {
        let arguments: Vec<String> = arguments.iter().map(|one| (*one).to_owned()).collect();
        let options = Options::read(&arguments).unwrap();
        Settings::new(&options).unwrap().login
    }

    #[test]
    fn ports_vary_before_hosts() {
        let login = login(&["--mysql-host=a,b", "--mysql-port=1,2"]);
        let seen: Vec<String> = (0..5).map(|nth| address(&login, nth).to_string()).collect();
        assert_eq!(seen, ["a:1", "a:2", "b:1", "b:2", "a:1"]);
    }

    #[test]
    fn sockets_come_before_hosts() {
        let login = login(&["--mysql-host=a,b", "--mysql-socket=/x,/y"]);
        let seen: Vec<String> = (0..3).map(|nth| address(&login, nth).to_string()).collect();
        assert_eq!(seen, ["/x", "/y", "/x"]);
        let first = address(&login, 0);
        assert_eq!(describe(&login, &first), "socket '/x'");
    }
}
