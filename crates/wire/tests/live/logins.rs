//! Logins with each plugin that the server has, and TLS.

use wire::{Compression, Connection, Error, Options, Tls};

use crate::{code, connect, on_every_server, one, run};

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn logins() {
    on_every_server("logins", |options| {
        let mut admin = connect(options);
        user(&mut admin, "native", "IDENTIFIED BY 'pass word'");
        let mut login = options.clone();
        login.database = None;
        login.user = "dyno_native".to_owned();
        login.password = Some("pass word".to_owned());
        let mut connection = connect(&login);
        assert_eq!(
            one(&mut connection, "SELECT CURRENT_USER()"),
            "dyno_native@localhost"
        );
        login.password = Some("wrong".to_owned());
        assert_eq!(code(Connection::connect(&login)), 1045);
        login.password = None;
        assert_eq!(code(Connection::connect(&login)), 1045);
        login.password = Some("pass word".to_owned());
        login.database = Some("no_such_schema".to_owned());
        assert!([1044, 1049].contains(&code(Connection::connect(&login))));
        drop_user(&mut admin, "native");
        ed25519(&mut admin, options);
    });
}

fn user(admin: &mut Connection, name: &str, identified: &str) {
    drop_user(admin, name);
    run(
        admin,
        &format!("CREATE USER dyno_{name}@localhost {identified}"),
    );
}

fn drop_user(admin: &mut Connection, name: &str) {
    // Old servers have no IF EXISTS here: "there is no such user" is fine too.
    if let Err(error) = admin.execute_sql(&format!("DROP USER dyno_{name}@localhost")) {
        assert_eq!(error.code(), Some(1396), "{error}");
    }
}

/// If the server's package has the plugin, it must work; otherwise it can't be installed.
fn ed25519(admin: &mut Connection, options: &Options) {
    let folder = one(admin, "SELECT @@plugin_dir");
    let installed = admin.execute_sql("INSTALL SONAME 'auth_ed25519'");
    if !std::path::Path::new(&folder)
        .join("auth_ed25519.so")
        .exists()
    {
        // No such statement (MySQL), or no such file.
        assert!([1064, 1126].contains(&code(installed)));
        return;
    }
    // 1125, 1968: it is already installed.
    if let Err(error) = installed {
        assert!([1125, 1968].contains(&error.code().unwrap_or(0)), "{error}");
    }
    for password in [
        "secret",
        "ä much longer one, beyond the thirty-two bytes of a seed",
        "x",
    ] {
        let how = format!("IDENTIFIED VIA ed25519 USING PASSWORD('{password}')");
        user(admin, "ed25519", &how);
        let mut login = options.clone();
        login.database = None;
        login.user = "dyno_ed25519".to_owned();
        login.password = Some(password.to_owned());
        let mut connection = connect(&login);
        assert_eq!(
            one(&mut connection, "SELECT CURRENT_USER()"),
            "dyno_ed25519@localhost"
        );
        login.password = Some("wrong".to_owned());
        assert_eq!(code(Connection::connect(&login)), 1045);
        drop_user(admin, "ed25519");
    }
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn tls_where_the_server_has_it() {
    on_every_server("tls", |options| {
        let mut admin = connect(options);
        // Removed in MySQL 8.0.26, where TLS is always available.
        let rows = admin
            .query_strings("SHOW VARIABLES LIKE 'have_ssl'")
            .expect("rows");
        let has = rows
            .first()
            .is_none_or(|row| row[1].as_deref() == Some("YES"));
        let mut secure = options.clone();
        secure.tls = Tls::Required;
        if !has {
            let error = Connection::connect(&secure).expect_err("no TLS");
            assert!(error.to_string().contains("offers no TLS"), "{error}");
            return;
        }
        let mut connection = connect(&secure);
        let rows = connection
            .query_strings("SHOW STATUS LIKE 'Ssl_version'")
            .expect("a row");
        assert!(rows[0][1]
            .as_deref()
            .is_some_and(|version| version.starts_with("TLSv1.")));
        // More than one TLS record in each direction.
        let text = "x".repeat(100_000);
        let length = one(&mut connection, &format!("SELECT LENGTH('{text}')"));
        assert_eq!(length, "100000");
        assert_eq!(one(&mut connection, "SELECT REPEAT('x', 100000)"), text);

        let wrong = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/other-ca.pem");
        secure.tls = Tls::VerifyIdentity {
            ca_file: wrong.into(),
        };
        let error = Connection::connect(&secure).expect_err("an unknown authority");
        assert!(matches!(error, Error::Tls { .. }), "{error:?}");
        assert!(error.hint().contains("ca_file"), "{}", error.hint());
        if let Ok(ca_file) = std::env::var("DYNO_TEST_CA") {
            secure.tls = Tls::VerifyIdentity {
                ca_file: ca_file.into(),
            };
            connect(&secure).ping().expect("a verified connection");
        }
    });
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn compressed_as_far_as_the_server_can() {
    on_every_server("compressed", |options| {
        for compression in [Compression::Zlib, Compression::Zstd] {
            let mut packed = options.clone();
            packed.compression = compression;
            let made = Connection::connect(&packed);
            let mut connection = match (compression, made) {
                (_, Ok(connection)) => connection,
                (Compression::Zstd, Err(error)) => {
                    let words = error.to_string();
                    assert!(
                        words.contains("doesn't offer compression by zstd"),
                        "{words}"
                    );
                    continue;
                }
                (_, Err(error)) => panic!("{error}"),
            };
            let rows = connection
                .query_strings("SHOW STATUS LIKE 'Compression'")
                .expect("a row");
            assert_eq!(rows[0][1].as_deref(), Some("ON"));
            // Shorter than what is compressed at all, longer than a read, and as long as can be.
            run(&mut connection, "SET @text = ''");
            for length in [1, 100, 300_000] {
                let text = "abc".repeat(length);
                assert_eq!(one(&mut connection, &format!("SELECT '{text}'")), text);
            }
            let long = one(&mut connection, "SELECT @@max_allowed_packet");
            let most = long.parse::<usize>().expect("a number").min(4_000_000);
            let text = one(
                &mut connection,
                &format!("SELECT REPEAT('x', {})", most - 1000),
            );
            assert_eq!(text.len(), most - 1000);
        }
    });
}
