//! The codec against its own encoders and against hand-made packets, with random sizes and cuts.

mod common;

use proptest::collection::vec;
use proptest::prelude::*;

use wire::codec::handshake::Greeting;
use wire::codec::{begin, command, finish, index_binary, index_text, packet, put_lenenc};
use wire::codec::{put_lenenc_bytes, put_packets, value, Cell, Framer, PrepareReply, Reader};
use wire::codec::{Reply, Step, FULL, HEADER};
use wire::{Column, ColumnType, DateTime, Discard, Encoding, Error, Row, Rows, Time, Value};

/// Feeds bytes in pieces and collects the payloads.
fn deframe(mut bytes: &[u8], piece: usize) -> Result<Vec<Vec<u8>>, Error> {
    let mut framer = Framer::default();
    let mut payloads = Vec::new();
    loop {
        while framer.advance()? {
            payloads.push(framer.payload().to_vec());
        }
        if bytes.is_empty() {
            return Ok(payloads);
        }
        let space = framer.space();
        let now = piece.min(bytes.len()).min(space.len());
        space[..now].copy_from_slice(&bytes[..now]);
        framer.filled(now);
        bytes = &bytes[now..];
    }
}

#[test]
fn long_payloads_are_split_and_joined_at_the_boundary() {
    for len in [
        FULL - 1,
        FULL,
        FULL + 1,
        2 * FULL - 1,
        2 * FULL,
        2 * FULL + 5,
    ] {
        let payload: Vec<u8> = (0..len).map(|i| (i % 251) as u8).collect();
        let mut framed = Vec::new();
        let start = begin(&mut framed);
        framed.extend_from_slice(&payload);
        let next = finish(&mut framed, start, 0);
        // One packet for every full 16 MiB - 1, and one more, possibly empty.
        let packets = len / FULL + 1;
        assert_eq!(framed.len(), len + packets * HEADER);
        assert_eq!(usize::from(next), packets);
        for piece in [60_000, 1 << 20] {
            let payloads = deframe(&framed, piece).expect("well framed");
            assert!(payloads.len() == 1 && payloads[0] == payload, "{len} bytes");
        }
    }
}

#[test]
fn the_read_buffer_grows_with_what_one_read_brings() {
    let mut framed = Vec::new();
    for sequence in 0..100 {
        put_packets(&mut framed, &[7; 60], FULL, sequence);
    }
    let mut framer = Framer::default();
    let first = framer.space().len();
    assert!(first < framed.len(), "{first} bytes at first");
    framer.space().copy_from_slice(&framed[..first]);
    framer.filled(first);
    while framer.advance().expect("well framed") {}
    assert!(framer.pending() + framer.space().len() >= 2 * first);
}

#[test]
fn a_payload_above_the_limit_is_refused_before_it_is_kept() {
    let mut framer = Framer::new(1000);
    let header = [0, 0, 2, 0];
    framer.space()[..4].copy_from_slice(&header);
    framer.filled(4);
    assert!(matches!(framer.advance(), Err(Error::Protocol { .. })));
}

#[test]
fn numbers_take_the_shortest_form() {
    let forms = [
        (0, 1),
        (250, 1),
        (251, 3),
        (65_535, 3),
        (65_536, 4),
        (0xFF_FFFF, 4),
        (1 << 24, 9),
        (u64::MAX, 9),
    ];
    for (number, len) in forms {
        let mut out = Vec::new();
        put_lenenc(&mut out, number);
        assert_eq!(out.len(), len, "{number}");
        assert_eq!(
            Reader::new(&out, "number").lenenc().expect("a number"),
            number
        );
    }
    for wrong in [0xFB, 0xFF] {
        assert!(Reader::new(&[wrong], "number").lenenc().is_err());
    }
}

#[test]
fn a_greeting_of_mariadb_loses_its_prefix() {
    let packet = common::greeting("5.5.5-10.1.8-MariaDB", common::MODERN & !1, "x");
    let greeting = Greeting::read(&packet).expect("a greeting");
    assert_eq!(greeting.version, "10.1.8-MariaDB");
    assert!(greeting.is_mariadb());
    assert_eq!(greeting.challenge, common::CHALLENGE);
    let packet = common::greeting("5.6.24", common::MODERN, "x");
    assert!(!Greeting::read(&packet).expect("a greeting").is_mariadb());
}

#[test]
fn errors_come_with_and_without_a_state() {
    for (bytes, state, text) in [
        (&b"\xFF\x15\x04#28000no"[..], "28000", "no"),
        (&b"\xFF\x15\x04no"[..], "HY000", "no"),
        (&b"\xFF\x15\x04#28"[..], "HY000", "#28"),
        (&b"\xFF\x15\x04"[..], "HY000", ""),
    ] {
        let Error::Server {
            code,
            sqlstate,
            message,
        } = packet::err(bytes)
        else {
            panic!()
        };
        assert_eq!(
            (code, sqlstate.as_str(), message.as_str()),
            (1045, state, text)
        );
    }
    assert!(matches!(packet::err(b"\xFF\x15"), Error::Protocol { .. }));
}

#[test]
fn a_reply_of_several_results_is_summed() {
    let more_ok: &[u8] = &[0, 3, 9, 10, 0, 1, 0];
    let last_ok: &[u8] = &[0, 4, 0, 2, 0, 2, 0];
    let mut reply = Reply::new(true);
    reply.start(Encoding::Text, None);
    let column = common::column("c", 253);
    let end_more: &[u8] = &[0xFE, 0, 0, 10, 0, 5, 0];
    let payloads = [more_ok, &[1], &column, b"\x01x", b"\xFB", end_more, last_ok];
    for (index, payload) in payloads.iter().enumerate() {
        let step = reply.payload(payload, &mut Discard).expect("a good packet");
        let last = index + 1 == payloads.len();
        assert_eq!(step, if last { Step::Finished } else { Step::More });
    }
    let done = reply.done();
    assert_eq!(
        (done.affected_rows, done.last_insert_id, done.warnings),
        (7, 9, 8)
    );
    assert_eq!(
        (done.rows, done.bytes, done.result_sets, done.status),
        (2, 3, 1, 2)
    );
    assert!(
        reply.payload(last_ok, &mut Discard).is_err(),
        "nothing may follow"
    );
}

#[test]
fn a_prepare_reply_is_read_with_and_without_eof_packets() {
    let head = [0, 5, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0];
    let definition = common::column("c", 3);
    for deprecate_eof in [false, true] {
        let mut packets: Vec<&[u8]> = vec![&head, &definition, &definition];
        packets.extend((!deprecate_eof).then_some(common::EOF));
        packets.push(&definition);
        packets.extend((!deprecate_eof).then_some(common::EOF));
        let mut reply = PrepareReply::new(deprecate_eof);
        for (index, packet) in packets.iter().enumerate() {
            let done = reply.payload(packet).expect("a good packet");
            assert_eq!(done, index + 1 == packets.len());
        }
        let prepared = reply.into_prepared();
        assert_eq!(
            (prepared.id, prepared.params, prepared.columns.len()),
            (5, 2, 1)
        );
    }
}

#[test]
fn columns_that_the_server_leaves_out_are_those_it_described_last() {
    for deprecate_eof in [false, true] {
        let mut reply = Reply::new(deprecate_eof);
        reply.cache_columns();
        let (narrow, wide) = (common::column("n", 3), common::column("w", 8));
        let mut known = Column::default();
        known.read(&narrow).expect("a definition");
        reply.learn_columns(1, &[known]);

        // Omitted at once, as it was described when it was prepared: an INT of 4 bytes.
        let value = executed(&mut reply, deprecate_eof, 1, None, &[0, 0, 7, 0, 0, 0]);
        assert_eq!(value, ["n: Int(7)"]);
        // Another statement has its own columns; a new description replaces the old one.
        let nine: &[u8] = &[0, 0, 9, 0, 0, 0, 0, 0, 0, 0];
        let value = executed(&mut reply, deprecate_eof, 2, Some(&wide), nine);
        assert_eq!(value, ["w: Int(9)"]);
        let value = executed(&mut reply, deprecate_eof, 1, Some(&wide), nine);
        assert_eq!(value, ["w: Int(9)"]);
        let value = executed(&mut reply, deprecate_eof, 2, None, nine);
        assert_eq!(value, ["w: Int(9)"]);
        // Shown to nobody, but kept all the same.
        describe(&mut reply, deprecate_eof, 1, Some(&narrow), &mut Discard).expect("columns");
        finish_rows(&mut reply, deprecate_eof, &mut Discard);
        let value = executed(&mut reply, deprecate_eof, 1, None, &[0, 0, 5, 0, 0, 0]);
        assert_eq!(value, ["n: Int(5)"]);

        reply.forget_columns(Some(1));
        let mut rows = |_: Row<'_>| {};
        for statement in [1, 3] {
            let head = describe(&mut reply, deprecate_eof, statement, None, &mut rows);
            assert!(matches!(head, Err(Error::Protocol { .. })), "{head:?}");
        }
    }
}

/// The values of the only row of an executed statement.
fn executed(
    reply: &mut Reply,
    deprecate_eof: bool,
    statement: u32,
    described: Option<&[u8]>,
    row: &[u8],
) -> Vec<String> {
    let mut values = Vec::new();
    let mut rows = |row: Row<'_>| {
        let shown = row.columns().iter().enumerate();
        values.extend(shown.map(|(at, column)| format!("{}: {:?}", column.name, row.value(at))));
    };
    describe(reply, deprecate_eof, statement, described, &mut rows).expect("columns");
    reply.payload(row, &mut rows).expect("a row");
    finish_rows(reply, deprecate_eof, &mut rows);
    values
}

fn describe<R: Rows>(
    reply: &mut Reply,
    deprecate_eof: bool,
    statement: u32,
    described: Option<&[u8]>,
    rows: &mut R,
) -> Result<(), Error> {
    reply.start(Encoding::Binary, Some(statement));
    reply.payload(&[1, u8::from(described.is_some())], rows)?;
    let eof = (!deprecate_eof).then_some(common::EOF);
    for packet in described.into_iter().chain(eof) {
        assert_eq!(reply.payload(packet, rows)?, Step::More);
    }
    Ok(())
}

fn finish_rows<R: Rows>(reply: &mut Reply, deprecate_eof: bool, rows: &mut R) {
    let last = if deprecate_eof {
        common::OK_EOF
    } else {
        common::EOF
    };
    let step = reply.payload(last, rows).expect("an end");
    assert_eq!(step, Step::Finished);
}

/// A value that a server could send, with the column it belongs to.
#[derive(Debug, Clone, PartialEq)]
enum Sent {
    Null,
    Int(i64),
    UInt(u64),
    Double(f64),
    Bytes(Vec<u8>),
    When(DateTime),
    Span(Time),
}

impl Sent {
    fn value(&self) -> Value<'_> {
        match self {
            Sent::Null => Value::Null,
            Sent::Int(number) => Value::Int(*number),
            Sent::UInt(number) => Value::UInt(*number),
            Sent::Double(number) => Value::Double(*number),
            Sent::Bytes(bytes) => Value::Bytes(bytes),
            Sent::When(when) => Value::DateTime(*when),
            Sent::Span(time) => Value::Time(*time),
        }
    }

    fn column(&self) -> Column {
        let (kind, flags) = match self {
            Sent::Null => (ColumnType::BLOB, 0),
            Sent::Int(_) => (ColumnType::LONGLONG, 0),
            Sent::UInt(_) => (ColumnType::LONGLONG, 0x20),
            Sent::Double(_) => (ColumnType::DOUBLE, 0),
            Sent::Bytes(_) => (ColumnType::VAR_STRING, 0),
            Sent::When(_) => (ColumnType::DATETIME, 0),
            Sent::Span(_) => (ColumnType::TIME, 0),
        };
        Column {
            kind,
            flags,
            ..Column::default()
        }
    }
}

fn sent() -> impl Strategy<Value = Sent> {
    let when = (
        0..9999_u16,
        0..13_u8,
        0..32_u8,
        0..24_u8,
        0..60_u8,
        0..60_u8,
        0..1_000_000_u32,
    );
    let when = when.prop_map(|(year, month, day, hour, minute, second, micros)| {
        Sent::When(DateTime {
            year,
            month,
            day,
            hour,
            minute,
            second,
            micros,
        })
    });
    let time = (
        any::<bool>(),
        0..35_u32,
        0..24_u8,
        0..60_u8,
        0..60_u8,
        0..1_000_000_u32,
    );
    let time = time.prop_map(|(negative, days, hours, minutes, seconds, micros)| {
        Sent::Span(Time {
            negative,
            days,
            hours,
            minutes,
            seconds,
            micros,
        })
    });
    prop_oneof![
        Just(Sent::Null),
        any::<i64>().prop_map(Sent::Int),
        any::<u64>().prop_map(Sent::UInt),
        any::<f64>()
            .prop_filter("comparable", |n| !n.is_nan())
            .prop_map(Sent::Double),
        vec(any::<u8>(), 0..400).prop_map(Sent::Bytes),
        when,
        time,
    ]
}

fn binary_row(values: &[Sent]) -> Vec<u8> {
    let mut row = vec![0; 1 + (values.len() + 2).div_ceil(8)];
    for (index, sent) in values.iter().enumerate() {
        if *sent == Sent::Null {
            row[1 + (index + 2) / 8] |= 1 << ((index + 2) % 8);
        }
        command::put_value(&mut row, &sent.value());
    }
    row
}

fn text_row(cells: &[Option<Vec<u8>>]) -> Vec<u8> {
    let mut row = Vec::new();
    for cell in cells {
        match cell {
            Some(bytes) => put_lenenc_bytes(&mut row, bytes),
            None => row.push(0xFB),
        }
    }
    row
}

proptest! {
    // Each case of some of these is a hundred kilobytes, or a hundred cuts.
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_number_comes_back(number in any::<u64>()) {
        let mut out = Vec::new();
        put_lenenc(&mut out, number);
        let mut reader = Reader::new(&out, "number");
        prop_assert_eq!(reader.lenenc().expect("a number"), number);
        prop_assert!(reader.is_done());
    }

    #[test]
    fn payloads_come_back_however_the_stream_is_cut(
        payloads in vec(vec(any::<u8>(), 0..3000), 0..40),
        long in 60_000..140_000_usize,
        piece in 1..70_000_usize,
    ) {
        let mut payloads = payloads;
        // One payload longer than the framer's buffer, in the middle.
        payloads.insert(payloads.len() / 2, vec![7; long]);
        let mut framed = Vec::new();
        let mut sequence = 0;
        for payload in &payloads {
            sequence = put_packets(&mut framed, payload, FULL, sequence);
        }
        prop_assert_eq!(deframe(&framed, piece).expect("well framed"), payloads);
    }

    #[test]
    fn text_rows_come_back(cells in vec(proptest::option::of(vec(any::<u8>(), 0..400)), 1..20)) {
        let row = text_row(&cells);
        let mut found: Vec<Cell> = Vec::new();
        index_text(&row, cells.len(), &mut found).expect("a row");
        let back: Vec<_> = found.iter().map(|cell| cell.slice(&row).map(<[u8]>::to_vec)).collect();
        prop_assert_eq!(back, cells.clone());
        prop_assert!(index_text(&row, cells.len() + 1, &mut found).is_err());
        prop_assert!(index_text(&row, cells.len() - 1, &mut found).is_err());
        for cut in 0..row.len() {
            prop_assert!(index_text(&row[..cut], cells.len(), &mut found).is_err());
        }
    }

    #[test]
    fn binary_rows_come_back(values in vec(sent(), 1..20)) {
        let row = binary_row(&values);
        let columns: Vec<Column> = values.iter().map(Sent::column).collect();
        let mut found: Vec<Cell> = Vec::new();
        index_binary(&row, &columns, &mut found).expect("a row");
        for ((cell, column), sent) in found.iter().zip(&columns).zip(&values) {
            let back = cell.slice(&row).map_or(Value::Null, |bytes| value(column, bytes));
            prop_assert_eq!(back, sent.value());
        }
        for cut in 0..row.len() {
            prop_assert!(index_binary(&row[..cut], &columns, &mut found).is_err());
        }
    }

    #[test]
    fn small_integers_keep_their_sign(number in any::<i16>(), tiny in any::<i8>()) {
        let column = |kind, flags| Column { kind, flags, ..Column::default() };
        let short = number.to_le_bytes();
        let signed = value(&column(ColumnType::SHORT, 0), &short);
        prop_assert_eq!(signed, Value::Int(i64::from(number)));
        let unsigned = value(&column(ColumnType::SHORT, 0x20), &short);
        prop_assert_eq!(unsigned, Value::UInt(u64::from(number as u16)));
        let bytes = tiny.to_le_bytes();
        let signed = value(&column(ColumnType::TINY, 0), &bytes);
        prop_assert_eq!(signed, Value::Int(i64::from(tiny)));
    }

    #[test]
    fn whole_replies_come_back(
        rows in vec(vec(proptest::option::of(vec(any::<u8>(), 0..50)), 3..=3), 0..20),
        deprecate_eof in any::<bool>(),
    ) {
        let mut reply = Reply::new(deprecate_eof);
        reply.start(Encoding::Text, None);
        let mut back: Vec<Vec<Option<Vec<u8>>>> = Vec::new();
        let mut keep = |row: Row<'_>| {
            back.push(row.iter().map(|cell| cell.map(<[u8]>::to_vec)).collect());
        };
        let mut payloads = vec![vec![3]];
        payloads.extend(["a", "b", "c"].map(|name| common::column(name, 253)));
        payloads.extend((!deprecate_eof).then(|| common::EOF.to_vec()));
        payloads.extend(rows.iter().map(|row| text_row(row)));
        for payload in &payloads {
            prop_assert_eq!(reply.payload(payload, &mut keep).expect("good"), Step::More);
        }
        let end = if deprecate_eof { common::OK_EOF } else { common::EOF };
        prop_assert_eq!(reply.payload(end, &mut keep).expect("good"), Step::Finished);
        prop_assert_eq!(back, rows);
    }
}
