//! What the fuzzer and the corpus test do with an input: feed it to one part of the codec and
//! assert what must hold for any bytes. No input may panic, loop, or allocate out of proportion.

use wire::codec::handshake::{Greeting, Turn};
use wire::codec::Transport;
use wire::codec::{index_binary, index_text, value, Auth, Cell, Framer, PrepareReply, Reply, Step};
use wire::{Column, ColumnType, Encoding, Row, Rows};

/// One way to use an input.
pub type Target = fn(&[u8]);

/// Every target with the name of its corpus folder.
pub const TARGETS: [(&str, Target); 5] = [
    ("handshake", handshake),
    ("frame", frame),
    ("reply", reply),
    ("row", row),
    ("prepare", prepare),
];

/// A greeting or a turn of the login, and each plugin's answer to what is in it.
pub fn handshake(input: &[u8]) {
    if let Ok(greeting) = Greeting::read(input) {
        assert!(
            greeting.challenge.len() <= input.len() && greeting.version.len() <= 3 * input.len()
        );
        answer(&greeting.plugin, &greeting.challenge);
    }
    match Turn::read(input) {
        Ok(Turn::Switch { plugin, challenge }) => answer(plugin, challenge),
        Ok(Turn::Data(data)) => {
            for plugin in ["caching_sha2_password", "client_ed25519", "parsec"] {
                let mut auth =
                    Auth::new(plugin, "secret", Transport::Trusted).expect("a known plugin");
                auth.first(&[7; 32]).expect("an answer");
                let _ = auth.more(data);
                // From here on it takes what comes for the server's RSA key.
                let _ = auth.more(&[4]);
                let _ = auth.more(data);
            }
        }
        Ok(Turn::Welcome) | Err(_) => {}
    }
}

fn answer(plugin: &str, challenge: &[u8]) {
    if let Ok(mut auth) = Auth::new(plugin, "secret", Transport::Open) {
        if let Ok(answer) = auth.first(challenge) {
            assert!(answer.len() <= 64 && !answer.windows(6).any(|window| window == b"secret"));
        }
    }
}

/// A stream of bytes, cut as the first byte says, through the framer.
pub fn frame(input: &[u8]) {
    let Some((cut, mut stream)) = input.split_first() else {
        return;
    };
    let mut framer = Framer::new(1 << 20);
    let mut payload_bytes = 0;
    loop {
        match framer.advance() {
            Ok(true) => payload_bytes += framer.payload().len(),
            Ok(false) if stream.is_empty() => break,
            Ok(false) => {
                let space = framer.space();
                let now = usize::from(*cut).max(1).min(stream.len()).min(space.len());
                assert!(now > 0, "a framer that wants more has room for it");
                space[..now].copy_from_slice(&stream[..now]);
                framer.filled(now);
                stream = &stream[now..];
            }
            Err(_) => break,
        }
    }
    assert!(payload_bytes <= input.len());
}

struct Check {
    columns: usize,
    rows: u64,
    wants_rows: bool,
}

impl Rows for Check {
    fn columns(&mut self, columns: &[Column]) {
        self.columns = columns.len();
    }

    fn row(&mut self, row: Row<'_>) {
        assert_eq!(row.len(), self.columns);
        let in_cells: usize = row.iter().flatten().map(<[u8]>::len).sum();
        assert!(in_cells <= row.size_bytes());
        for column in 0..=row.len() {
            let _ = row.value(column);
        }
        self.rows += 1;
    }

    fn wants_rows(&self) -> bool {
        self.wants_rows
    }
}

/// Payloads (each after a length of two bytes) of successive replies. The first byte says how the
/// connection was set up.
pub fn reply(input: &[u8]) {
    let Some((flags, stream)) = input.split_first() else {
        return;
    };
    let encoding = if flags & 2 == 0 {
        Encoding::Text
    } else {
        Encoding::Binary
    };
    let mut check = Check {
        columns: 0,
        rows: 0,
        wants_rows: flags & 4 == 0,
    };
    let mut machine = Reply::new(flags & 1 != 0);
    // Columns may be omitted, and two statements are executed in turn.
    let mut statement = None;
    if flags & 8 != 0 {
        machine.cache_columns();
        machine.learn_columns(1, &[Column::default()]);
        statement = Some(1);
    }
    machine.start(encoding, statement);
    let mut rows = 0;
    for payload in payloads(stream) {
        match machine.payload(payload, &mut check) {
            Ok(Step::Finished) => {
                rows += machine.done().rows;
                statement = statement.map(|id| 3 - id);
                machine.start(encoding, statement);
            }
            Ok(Step::More | Step::LocalInfile) => {}
            Err(error) if error.is_fatal() => break,
            Err(_) => {
                rows += machine.done().rows;
                machine.start(encoding, statement);
            }
        }
    }
    assert!(rows <= input.len() as u64);
    assert!(!check.wants_rows || check.rows >= rows);
}

/// Payloads of the reply to a prepare.
pub fn prepare(input: &[u8]) {
    let Some((flags, stream)) = input.split_first() else {
        return;
    };
    let mut machine = PrepareReply::new(flags & 1 != 0);
    for payload in payloads(stream) {
        match machine.payload(payload) {
            Ok(false) => {}
            Ok(true) => {
                assert!(machine.into_prepared().columns.len() <= input.len());
                return;
            }
            Err(_) => return,
        }
    }
}

/// A row: the number of columns, a type and a sign for each, then the row's bytes.
pub fn row(input: &[u8]) {
    let Some((count, rest)) = input.split_first() else {
        return;
    };
    let count = usize::from(*count % 32);
    let Some((kinds, row)) = rest.split_at_checked(count) else {
        return;
    };
    let column = |kind: &u8| Column {
        kind: ColumnType(*kind),
        flags: if kind & 1 == 0 { 0x20 } else { 0 },
        ..Column::default()
    };
    let columns: Vec<Column> = kinds.iter().map(column).collect();
    let mut cells: Vec<Cell> = Vec::new();
    if index_text(row, count, &mut cells).is_ok() {
        assert_eq!(cells.len(), count);
    }
    if index_binary(row, &columns, &mut cells).is_ok() {
        assert_eq!(cells.len(), count);
        for (cell, column) in cells.iter().zip(&columns) {
            if let Some(bytes) = cell.slice(row) {
                let _ = value(column, bytes);
            }
        }
    }
}

fn payloads(mut stream: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let ([low, high], rest) = stream.split_first_chunk()?;
        let len = usize::from(u16::from_le_bytes([*low, *high])).min(rest.len());
        let (payload, later) = rest.split_at(len);
        stream = later;
        Some(payload)
    })
}
