//! Which parameter types go with an execution, as a scripted server sees it.

mod common;

use common::{column, Server, MODERN, OK};
use wire::{Connection, Discard, Value};

#[test]
fn types_of_parameters_are_sent_once_and_when_they_change() {
    let (sender, executed) = std::sync::mpsc::channel();
    let server = Server::start(move |peer| {
        peer.log_in(MODERN);
        while let Some(command) = peer.read() {
            match command[0] {
                0x16 => {
                    peer.send(&[0, 7, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0]);
                    peer.send(&column("?", 253));
                    peer.send(&column("?", 253));
                }
                0x17 => {
                    // After command, statement, flags and iteration count.
                    sender.send(command[10..].to_vec()).expect("a listener");
                    match command.ends_with(b"no") {
                        true => peer.send(b"\xFF\x57\x04#42000no"),
                        false => peer.send(OK),
                    }
                }
                _ => peer.send(OK),
            }
        }
    });
    let mut connection = Connection::connect(&server.options).expect("a login");
    let statement = connection.prepare("UPDATE t SET a = ?, b = ?");
    let statement = statement.expect("a statement");
    let mut bodies = |values: [Value<'_>; 2]| {
        let done = connection.execute(&statement, &values, &mut Discard);
        let body = executed.recv().expect("a command");
        (body, done.is_ok())
    };
    let int = |number: u8| [number, 0, 0, 0, 0, 0, 0, 0];
    let (types, others) = ([1, 8, 0, 253, 0], [1, 8, 0, 6, 0]);
    let sent = |nulls: u8, types: &[u8], value: u8, text: &[u8]| {
        [&[nulls], types, &int(value), text].concat()
    };
    // Only NULL was bound: the next text has a new type.
    let (body, _) = bodies([Value::Int(1), Value::Null]);
    assert_eq!(body, sent(2, &others, 1, b""));
    let (body, _) = bodies([Value::Int(2), Value::Text("b")]);
    assert_eq!(body, sent(0, &types, 2, b"\x01b"));
    let (body, _) = bodies([Value::Int(3), Value::Text("cc")]);
    assert_eq!(body, sent(0, &[0], 3, b"\x02cc"));
    // NULL keeps the type.
    let (body, _) = bodies([Value::Int(4), Value::Null]);
    assert_eq!(body, sent(2, &[0], 4, b""));
    let (body, _) = bodies([Value::Int(5), Value::Text("d")]);
    assert_eq!(body, sent(0, &[0], 5, b"\x01d"));
    let unsigned = [1, 8, 0x80, 253, 0];
    let (body, _) = bodies([Value::UInt(6), Value::Text("e")]);
    assert_eq!(body, sent(0, &unsigned, 6, b"\x01e"));
    // After an error it isn't known what the server kept.
    let (body, is_ok) = bodies([Value::UInt(7), Value::Text("no")]);
    assert_eq!((body, is_ok), (sent(0, &[0], 7, b"\x02no"), false));
    let (body, _) = bodies([Value::UInt(8), Value::Text("f")]);
    assert_eq!(body, sent(0, &unsigned, 8, b"\x01f"));
    drop(connection);
    server.join();
}
