//! The promise of the hot path: after warm-up, sending commands and reading replies allocates
//! nothing. Counted by the allocator itself, on this thread.

mod common;

use common::{column, text_row, Peer, Server, EOF, MODERN, OK_EOF};
use wire::codec::handshake::capability;
use wire::{Connection, Discard, Row, Value};

const ROUNDS: usize = 200;

/// Answers queries, pings, a prepare and executes until the client leaves.
fn serve(peer: &mut Peer, capabilities: u32) {
    let deprecate_eof = capabilities & capability::DEPRECATE_EOF != 0;
    let end = if deprecate_eof { OK_EOF } else { EOF };
    peer.log_in(capabilities);
    while let Some(command) = peer.read() {
        match command[0] {
            0x16 => {
                peer.send(&[0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0]);
                for name in ["?", "c"] {
                    peer.send(&column(name, 253));
                    if !deprecate_eof {
                        peer.send(EOF);
                    }
                }
            }
            0x03 if command[1..].starts_with(b"UPDATE") => {
                peer.send(b"\0\x01\0\x02\0\0\0\x28Rows matched: 1  Changed: 1  Warnings: 0");
            }
            0x03 | 0x17 => {
                peer.columns(capabilities);
                for _ in 0..3 {
                    let text = text_row(&["some text"]);
                    let binary = [&[0, 0][..], &text].concat();
                    peer.send(if command[0] == 0x03 { &text } else { &binary });
                }
                peer.send(end);
            }
            _ => peer.send(common::OK),
        }
    }
}

#[test]
fn commands_and_replies_allocate_nothing_after_warm_up() {
    for capabilities in [MODERN, MODERN & !capability::DEPRECATE_EOF] {
        let server = Server::start(move |peer| serve(peer, capabilities));
        let mut connection = Connection::connect(&server.options).expect("a login");
        let statement = connection
            .prepare("SELECT c FROM t WHERE d = ?")
            .expect("a statement");
        let mut seen_bytes = 0;
        let mut round = || {
            let mut look = |row: Row<'_>| seen_bytes += row.get(0).map_or(0, <[u8]>::len);
            connection
                .query(b"SELECT c FROM t", &mut look)
                .expect("rows");
            let params = [Value::Text("a parameter")];
            connection
                .execute(&statement, &params, &mut look)
                .expect("rows");
            connection
                .execute(&statement, &params, &mut Discard)
                .expect("rows");
            connection
                .query(b"UPDATE t SET c = 1", &mut Discard)
                .expect("an OK");
            connection.ping().expect("an OK");
            assert!(connection.info().is_empty());
        };
        round();
        let counted = allocation_counter::measure(|| (0..ROUNDS).for_each(|_| round()));
        assert_eq!(counted.count_total, 0, "{counted:?}");
        assert_eq!(seen_bytes, (ROUNDS + 1) * 2 * 3 * "some text".len());
        drop(connection);
        server.join();
    }
}
