//! Faults that only a scripted server can show: drops, stalls, malformed and misnumbered packets,
//! and login dialogues in every order.

mod common;

use std::time::{Duration, Instant};

use common::{column, text_row, Peer, Server, CHALLENGE, EOF, MODERN, OK, OK_EOF};
use sha2::{Digest, Sha256};
use wire::codec::handshake::capability;
use wire::{Connection, Discard, Error, Row, Tls, Value};

const OLD: u32 = MODERN & !capability::DEPRECATE_EOF;

/// Runs one query against a script that begins after the login.
fn query_against(script: impl FnOnce(&mut Peer) + Send + 'static) -> (Result<(), Error>, bool) {
    let server = Server::start(|peer| {
        peer.log_in(MODERN);
        peer.read();
        script(peer);
    });
    let mut connection = Connection::connect(&server.options).expect("a login");
    let result = connection
        .query(b"SELECT c", &mut |_row: Row<'_>| {})
        .map(|_| ());
    let broken = connection.is_broken();
    if broken {
        let again = connection.ping();
        assert!(
            matches!(again, Err(Error::Lost { .. })),
            "a broken connection stays broken"
        );
    }
    drop(connection);
    server.join();
    (result, broken)
}

#[test]
fn rows_come_through_with_and_without_eof_packets() {
    for (capabilities, end) in [(OLD, EOF), (MODERN, OK_EOF)] {
        let server = Server::start(move |peer| {
            peer.log_in(capabilities);
            peer.read();
            peer.columns(capabilities);
            peer.send(&text_row(&["one"]));
            peer.send(&[0xFB]);
            peer.send(end);
            peer.wait_for_the_end();
        });
        let mut connection = Connection::connect(&server.options).expect("a login");
        let rows = connection.query_strings("SELECT c").expect("rows");
        assert_eq!(rows, [[Some("one".to_owned())], [None]]);
        assert_eq!(connection.deprecates_eof(), capabilities == MODERN);
        connection.quit().expect("a goodbye");
        server.join();
    }
}

#[test]
fn the_option_turns_deprecate_eof_off() {
    let mut server = Server::start(|peer| {
        let answer = peer.greet(MODERN, "mysql_native_password");
        assert_eq!(answer[3] & 1, 0, "DEPRECATE_EOF is not in the answer");
        peer.send(OK);
    });
    server.options.deprecate_eof = false;
    let connection = Connection::connect(&server.options).expect("a login");
    assert!(!connection.deprecates_eof());
    drop(connection);
    server.join();
}

#[test]
fn a_connection_dropped_in_mid_row_is_lost() {
    let (result, broken) = query_against(|peer| {
        peer.columns(MODERN);
        peer.raw(&[10, 0, 0, peer.sequence, 9, b'h', b'a']);
    });
    assert!(matches!(result, Err(Error::Lost { .. })), "{result:?}");
    assert!(broken);
}

#[test]
fn malformed_replies_are_named_and_give_the_connection_up() {
    let malformed: [&[u8]; 6] = [
        // A row whose column is longer than the row.
        &[50, b'x'],
        // A row with extra bytes.
        &[1, b'x', b'y'],
        // A truncated length.
        &[0xFC, 1],
        // A length of nearly 2^64.
        &[0xFD, 0xFF, 0xFF, 0xFF],
        // Nothing at all.
        &[],
        // An OK in place of an EOF, ending too early.
        &[0xFE, 0, 0],
    ];
    for packet in malformed {
        let (result, broken) = query_against(move |peer| {
            peer.columns(MODERN);
            peer.send(packet);
            peer.wait_for_the_end();
        });
        assert!(
            matches!(result, Err(Error::Protocol { .. })),
            "{packet:?}: {result:?}"
        );
        assert!(broken, "{packet:?}");
    }
}

#[test]
fn malformed_beginnings_of_a_reply_are_named() {
    // No columns, more columns than there can be, bytes after the count, a truncated OK.
    let malformed: [&[u8]; 4] = [&[0xFC, 0, 0], &[0xFD, 0, 0, 9], &[1, 1], &[0, 0]];
    for packet in malformed {
        let (result, _) = query_against(move |peer| peer.send(packet));
        assert!(
            matches!(result, Err(Error::Protocol { .. })),
            "{packet:?}: {result:?}"
        );
    }
}

#[test]
fn a_wrong_sequence_number_is_an_error() {
    let (result, broken) = query_against(|peer| {
        peer.sequence = peer.sequence.wrapping_add(1);
        peer.send(OK);
    });
    let Err(Error::Protocol { what, .. }) = result else {
        panic!("{result:?}")
    };
    assert!(what.contains("sequence"), "{what}");
    assert!(broken);
}

#[test]
fn a_server_error_in_mid_result_leaves_the_connection_usable() {
    let server = Server::start(|peer| {
        peer.log_in(MODERN);
        peer.read();
        peer.columns(MODERN);
        peer.send(&text_row(&["one"]));
        peer.send(b"\xFF\x25\x05#70100Query execution was interrupted");
        peer.read();
        peer.send(OK);
    });
    let mut connection = Connection::connect(&server.options).expect("a login");
    let error = connection
        .execute_sql("SELECT c")
        .expect_err("the server's error");
    let Error::Server {
        code: 1317,
        sqlstate,
        message,
    } = &error
    else {
        panic!("{error:?}")
    };
    assert_eq!(
        (sqlstate.as_str(), message.as_str()),
        ("70100", "Query execution was interrupted")
    );
    assert!(!error.is_fatal() && !connection.is_broken());
    connection.ping().expect("still usable");
    drop(connection);
    server.join();
}

#[test]
fn a_stall_and_a_drip_both_end_at_the_limit() {
    let limit = Duration::from_millis(600);
    // Nothing at all; rows for a part of the limit and then nothing; rows beyond the limit.
    for rows in [0, 20, 40] {
        let mut server = Server::start(move |peer| {
            peer.log_in(MODERN);
            peer.read();
            peer.columns(MODERN);
            // A row every 20 ms keeps each single read short, but the command is late all the same.
            for _ in 0..rows {
                std::thread::sleep(Duration::from_millis(20));
                peer.send(&text_row(&["drop"]));
            }
            peer.wait_for_the_end();
        });
        server.options.read_timeout = Some(limit);
        let mut connection = Connection::connect(&server.options).expect("a login");
        let begin = Instant::now();
        let result = connection.execute_sql("SELECT c");
        let took = begin.elapsed();
        assert!(matches!(result, Err(Error::Timeout { .. })), "{result:?}");
        // A limit that restarted with the last of 20 rows would end at 1,000 ms.
        let latest = limit + Duration::from_millis(300);
        assert!(took >= limit && took < latest, "{rows} rows: {took:?}");
        assert!(connection.is_broken());
        drop(connection);
        server.join();
    }
}

#[test]
fn a_silent_greeting_ends_at_the_connect_limit() {
    let mut server = Server::start(Peer::wait_for_the_end);
    server.options.connect_timeout = Duration::from_millis(200);
    let begin = Instant::now();
    let result = Connection::connect(&server.options);
    assert!(matches!(result, Err(Error::Timeout { .. })), "{result:?}");
    assert!(begin.elapsed() < Duration::from_secs(2));
    server.join();
}

#[test]
fn a_truncated_greeting_is_malformed_and_a_refusal_is_the_servers() {
    let whole = common::greeting("8.0.36-fake", MODERN, "mysql_native_password");
    for len in 0..whole.len() - "mysql_native_password".len() - 2 {
        let part = whole[..len].to_vec();
        let server = Server::start(move |peer| peer.send(&part));
        let result = Connection::connect(&server.options);
        assert!(
            matches!(result, Err(Error::Protocol { .. })),
            "{len} bytes: {result:?}"
        );
        server.join();
    }
    let server = Server::start(|peer| peer.send(b"\xFF\x10\x04Too many connections"));
    let result = Connection::connect(&server.options);
    assert!(
        matches!(&result, Err(error) if error.code() == Some(1040)),
        "{result:?}"
    );
    server.join();
}

#[test]
fn nobody_there_is_a_connect_error_with_a_hint() {
    let mut options = Server::start(|_| {}).options.clone();
    options.address = wire::Address::Unix("/nonexistent/dyno.sock".into());
    let error = Connection::connect(&options).expect_err("no socket");
    assert!(matches!(error, Error::Connect { .. }), "{error:?}");
    assert!(error.to_string().contains("/nonexistent/dyno.sock"));
    assert!(error.hint().contains("check the address"));
}

#[test]
fn the_server_may_switch_to_another_plugin() {
    let mut server = Server::start(|peer| {
        peer.greet(MODERN, "sha256_password");
        let mut switch = b"\xFEmysql_native_password\0".to_vec();
        switch.extend_from_slice(CHALLENGE);
        switch.push(0);
        peer.send(&switch);
        assert_eq!(peer.read().expect("an answer").len(), 20);
        peer.send(OK);
    });
    server.options.password = Some("secret".to_owned());
    Connection::connect(&server.options).expect("a login");
    server.join();
}

#[test]
fn an_unknown_plugin_is_named() {
    for (switch, name) in [
        (&b"\xFEauth_gssapi_client\0data"[..], "auth_gssapi_client"),
        (&b"\xFE"[..], "mysql_old_password"),
    ] {
        let server = Server::start(move |peer| {
            peer.greet(MODERN, "mysql_native_password");
            peer.send(switch);
            peer.wait_for_the_end();
        });
        let error = Connection::connect(&server.options).expect_err("an unknown plugin");
        assert!(
            matches!(&error, Error::Auth { plugin, .. } if plugin == name),
            "{error:?}"
        );
        assert!(error.to_string().contains(name) && error.hint().contains("account"));
        server.join();
    }
}

/// What the server checks in the fast path.
fn sha2_answer(password: &str) -> Vec<u8> {
    let once = Sha256::digest(password);
    let mask = Sha256::new()
        .chain_update(Sha256::digest(once))
        .chain_update(CHALLENGE)
        .finalize();
    once.iter().zip(mask).map(|(a, b)| a ^ b).collect()
}

fn ends_with_auth(answer: &[u8], auth: &[u8]) -> bool {
    answer.windows(auth.len()).any(|window| window == auth)
}

#[test]
fn caching_sha2_fast_and_full_over_a_socket() {
    for full in [false, true] {
        let mut server = Server::start(move |peer| {
            let answer = peer.greet(MODERN, "caching_sha2_password");
            assert!(ends_with_auth(&answer, &sha2_answer("secret")));
            if full {
                peer.send(&[1, 4]);
                assert_eq!(peer.read().as_deref(), Some(&b"secret\0"[..]));
            } else {
                peer.send(&[1, 3]);
            }
            peer.send(OK);
        });
        server.options.password = Some("secret".to_owned());
        Connection::connect(&server.options).expect("a login");
        server.join();
    }
}

#[test]
fn no_password_in_clear_over_plain_tcp() {
    let switch_to_clear = b"\xFEmysql_clear_password\0".to_vec();
    for demand in [vec![1, 4], switch_to_clear] {
        let mut server = Server::start_tcp(move |peer| {
            peer.greet(MODERN, "caching_sha2_password");
            peer.send(&demand);
            assert_eq!(peer.read(), None, "the client says nothing more");
        });
        server.options.password = Some("secret".to_owned());
        let error = Connection::connect(&server.options).expect_err("no clear password");
        assert!(matches!(error, Error::Auth { .. }), "{error:?}");
        assert!(error.hint().contains("TLS"), "{}", error.hint());
        server.join();
    }
}

#[test]
fn a_full_login_that_trusts_the_servers_key_needs_one() {
    for key in [
        &b"\x01no key"[..],
        b"\x01-----BEGIN PUBLIC KEY-----\n",
        &[1, 4],
    ] {
        let mut server = Server::start_tcp(|peer| {
            peer.greet(MODERN, "caching_sha2_password");
            peer.send(&[1, 4]);
            assert_eq!(peer.read().as_deref(), Some(&[2][..]), "it wants the key");
            peer.send(key);
            assert_eq!(peer.read(), None, "the client says nothing more");
        });
        server.options.password = Some("secret".to_owned());
        server.options.get_server_public_key = true;
        let error = Connection::connect(&server.options).expect_err("there is no key");
        assert!(matches!(error, Error::Protocol { .. }), "{error:?}");
        server.join();
    }
}

#[test]
fn a_clear_password_plugin_in_the_greeting_gets_nothing_unasked() {
    let mut server = Server::start(|peer| {
        let answer = peer.greet(MODERN, "mysql_clear_password");
        assert!(!ends_with_auth(&answer, b"secret"));
        peer.send(OK);
    });
    server.options.password = Some("secret".to_owned());
    Connection::connect(&server.options).expect("a login");
    server.join();
}

#[test]
fn an_endless_login_is_not_followed() {
    let server = Server::start(|peer| {
        peer.greet(MODERN, "caching_sha2_password");
        for _ in 0..100 {
            peer.send(&[1, 3]);
        }
    });
    let result = Connection::connect(&server.options);
    assert!(matches!(result, Err(Error::Protocol { .. })), "{result:?}");
    server.join();
}

#[test]
fn tls_that_is_not_offered_is_an_error_before_the_password() {
    let mut server = Server::start(|peer| {
        peer.send(&common::greeting("5.6.24", MODERN, "mysql_native_password"));
        assert_eq!(peer.read(), None, "the client says nothing");
    });
    server.options.tls = Tls::Required;
    let result = Connection::connect(&server.options);
    assert!(matches!(result, Err(Error::Tls { .. })), "{result:?}");
    server.join();
}

#[test]
fn binary_rows_are_typed_and_wrong_parameters_are_refused_unsent() {
    let server = Server::start(|peer| {
        peer.log_in(MODERN);
        peer.read();
        peer.send(&[0, 9, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0]);
        peer.send(&column("?", 253));
        peer.send(&column("c", 3));
        peer.read();
        peer.send(&[1]);
        peer.send(&column("c", 3));
        // A binary row: header, bitmap, a number of four bytes; then a truncated one.
        peer.send(&[0, 0, 7, 0, 0, 0]);
        peer.send(&[0, 0, 7, 0]);
        peer.wait_for_the_end();
    });
    let mut connection = Connection::connect(&server.options).expect("a login");
    let statement = connection
        .prepare("SELECT c FROM t WHERE d = ?")
        .expect("a statement");
    assert_eq!(
        (
            statement.id(),
            statement.params(),
            statement.columns().len()
        ),
        (9, 1, 1)
    );
    let usage = connection.execute(&statement, &[], &mut Discard);
    assert!(matches!(usage, Err(Error::Usage { .. })), "{usage:?}");
    let mut seen = Vec::new();
    let mut keep = |row: Row<'_>| seen.push(format!("{:?}", row.value(0)));
    let result = connection.execute(&statement, &[Value::Text("x")], &mut keep);
    assert!(matches!(result, Err(Error::Protocol { .. })), "{result:?}");
    assert_eq!(seen, ["Int(7)"]);
    drop(connection);
    server.join();
}

#[test]
fn a_failing_source_closes_the_connection() {
    let server = Server::start(|peer| {
        peer.log_in(MODERN);
        peer.read();
        peer.send(b"\xFBfile");
        assert_eq!(peer.read().as_deref(), Some(&b"1\n"[..]));
        assert_eq!(
            peer.read(),
            None,
            "no end of data, or the server would commit the part"
        );
    });
    let mut connection = Connection::connect(&server.options).expect("a login");
    let mut calls = 0;
    let result = connection.load_data("LOAD DATA", &mut |piece| {
        calls += 1;
        if calls == 2 {
            return Err(std::io::Error::other("the disk burnt"));
        }
        piece.extend_from_slice(b"1\n");
        Ok(true)
    });
    assert!(matches!(result, Err(Error::Source(_))), "{result:?}");
    server.join();
    assert!(connection.is_broken());
}

#[test]
fn options_never_show_the_password() {
    let mut options = wire::Options::new(wire::Address::Unix("x".into()));
    options.password = Some("hunter2".to_owned());
    assert!(!format!("{options:?}").contains("hunter2"));
}

#[test]
fn a_connection_can_be_sent_to_its_worker() {
    fn sent<T: Send>() {}
    sent::<Connection>();
    sent::<Error>();
}
