//! Logins with caching_sha2_password against another server implementation (`tests/peer`, in Go),
//! over TLS with a checked certificate, since the packaged servers of the live tests are older.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use wire::{Address, Connection, Error, Options, Tls};

struct Peer {
    process: Child,
    /// The peer ends when this is closed, so it can't outlive the test.
    stdin: Option<ChildStdin>,
    port: u16,
    folder: PathBuf,
}

impl Peer {
    fn start() -> Peer {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("dyno-wire-peer-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).expect("a folder for the peer");
        let program = folder.join("peer");
        let mut build = Command::new("go");
        build.args(["build", "-o"]).arg(&program).arg(".");
        build.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peer"));
        let status = build.status().expect("the Go compiler (go) on the PATH");
        assert!(status.success(), "go build: {status}");
        let mut process = Command::new(&program)
            .arg(folder.join("ca.pem"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a running peer");
        let stdin = process.stdin.take();
        let mut line = String::new();
        let stdout = process.stdout.take().expect("its output");
        BufReader::new(stdout)
            .read_line(&mut line)
            .expect("its port");
        let port = line.trim().parse().expect("a port number");
        Peer {
            process,
            stdin,
            port,
            folder,
        }
    }

    fn options(&self, tls: Tls, password: &str) -> Options {
        let host = "127.0.0.1".to_owned();
        let mut options = Options::new(Address::Tcp {
            host,
            port: self.port,
        });
        options.user = "dyno".to_owned();
        options.password = Some(password.to_owned());
        options.tls = tls;
        options.read_timeout = Some(Duration::from_secs(10));
        options
    }

    fn verify(&self) -> Tls {
        Tls::VerifyIdentity {
            ca_file: self.folder.join("ca.pem"),
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        drop(self.stdin.take());
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// How many logins so far were full ones.
fn full(connection: &mut Connection) -> String {
    let mut rows = connection.query_strings("SELECT full").expect("a count");
    rows.pop()
        .and_then(|mut row| row.pop())
        .flatten()
        .expect("a value")
}

#[test]
#[ignore = "needs go"]
fn caching_sha2_password_full_then_fast() {
    let peer = Peer::start();
    let password = "pass ä word";

    // The cache is empty. Over plain TCP there is no way to log in; nothing is sent.
    let plain = peer.options(Tls::Off, password);
    let error = Connection::connect(&plain).expect_err("no password in clear");
    assert!(matches!(&error, Error::Auth { plugin, .. } if plugin == "caching_sha2_password"));
    assert!(error.hint().contains("TLS"), "{}", error.hint());

    // A wrong password in a full login doesn't fill the cache.
    let wrong = Connection::connect(&peer.options(peer.verify(), "wrong"));
    assert_eq!(wrong.expect_err("a wrong password").code(), Some(1045));

    let secure = peer.options(peer.verify(), password);
    let mut connection = Connection::connect(&secure).expect("a full login");
    assert_eq!(connection.server_version(), "8.0.36-peer");
    assert!(!connection.is_mariadb());
    let first = full(&mut connection);
    assert_eq!(
        first, "2",
        "the wrong password and this login, both in full"
    );
    let mut connection = Connection::connect(&secure).expect("a fast login");
    assert_eq!(
        full(&mut connection),
        first,
        "the second login came from the cache"
    );

    // From the cache it works in clear too, since only a hash is sent.
    let mut connection = Connection::connect(&plain).expect("a fast login in clear");
    assert_eq!(full(&mut connection), first);
    let wrong = Connection::connect(&peer.options(Tls::Off, "wrong"));
    assert_eq!(wrong.expect_err("a wrong password").code(), Some(1045));
}

#[test]
#[ignore = "needs go"]
fn certificates_are_checked_when_asked_for() {
    let peer = Peer::start();
    let password = "pass ä word";
    // An unchecked peer could be anybody: it gets no password until a hash is enough.
    let anybody = peer.options(Tls::Required, password);
    let error = Connection::connect(&anybody).expect_err("no password for anybody");
    assert!(matches!(error, Error::Auth { .. }), "{error:?}");
    Connection::connect(&peer.options(peer.verify(), password)).expect("a full login");
    Connection::connect(&anybody).expect("any certificate, once the server knows the password");
    let other = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/other-ca.pem");
    let ca_file = PathBuf::from(other);
    for stranger in [
        Tls::VerifyIdentity {
            ca_file: ca_file.clone(),
        },
        Tls::VerifyCa { ca_file },
    ] {
        let error = Connection::connect(&peer.options(stranger, password)).expect_err("a stranger");
        assert!(matches!(error, Error::Tls { .. }), "{error:?}");
    }
    // The certificate is only for 127.0.0.1.
    let mut named = peer.options(peer.verify(), password);
    named.address = Address::Tcp {
        host: "localhost".to_owned(),
        port: peer.port,
    };
    let error = Connection::connect(&named).expect_err("another name");
    assert!(error.hint().contains("subjectAltName"), "{error:?}");
    named.tls = Tls::VerifyCa {
        ca_file: peer.folder.join("ca.pem"),
    };
    Connection::connect(&named).expect("an authority is enough, whatever the name");
    // A missing ca_file, and one that contains no certificate.
    for file in [
        "/nonexistent/ca.pem",
        concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"),
    ] {
        let tls = Tls::VerifyIdentity {
            ca_file: file.into(),
        };
        let error = Connection::connect(&peer.options(tls, password)).expect_err("no authority");
        assert!(error.to_string().contains(file), "{error}");
    }
}
