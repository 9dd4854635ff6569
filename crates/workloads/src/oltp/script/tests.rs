//! What each script sends, read back from the commands themselves.

use load::Turn;
use proptest::prelude::*;
use serde_json::{json, Value};
use wire::Encoding;

use super::*;
use crate::script::Prepared;

/// A script, and what a server would receive from it.
struct Ear {
    script: AnyScript,
    sql: Vec<String>,
    prepared: Vec<Prepared>,
}

fn oltp(script: &str, change: Value) -> Oltp {
    let mut keys = json!({"script": script});
    for (key, value) in change.as_object().unwrap() {
        keys[key] = value.clone();
    }
    serde_json::from_value(keys).unwrap()
}

fn ear(script: &str, change: Value) -> Ear {
    Ear::new(oltp(script, change).script(42, 0, 1))
}

impl Ear {
    fn new(script: AnyScript) -> Ear {
        let sql = script.prepared();
        let prepared = |(id, sql): (usize, &String)| Prepared {
            id: id as u32,
            params: sql.matches('?').count() as u16,
        };
        Ear {
            script,
            prepared: sql.iter().enumerate().map(prepared).collect(),
            sql,
        }
    }

    /// All that op `index` sends, with literals where a prepared statement was executed.
    fn op(&mut self, index: u64) -> Vec<String> {
        assert_eq!(self.script.draw(Turn { index, nth: index }), 0);
        self.again()
    }

    /// The same op once more.
    fn again(&mut self) -> Vec<String> {
        let mut heard = Vec::new();
        for step in 0.. {
            let (mut out, mut encoding) = (Vec::new(), Encoding::Text);
            let say = Say::new(&mut out, &self.prepared, &mut encoding);
            if !self.script.step(step, say) {
                assert!(out.is_empty(), "a step that isn't there writes nothing");
                break;
            }
            let (sql, is_execute) = self.hear(&out);
            assert_eq!(encoding == Encoding::Binary, is_execute);
            heard.push(sql);
        }
        heard
    }

    /// The SQL of a framed command, and whether it was prepared.
    fn hear(&self, packet: &[u8]) -> (String, bool) {
        let length = usize::from(packet[0]) | usize::from(packet[1]) << 8;
        let (length, body) = (length | usize::from(packet[2]) << 16, &packet[4..]);
        assert_eq!(body.len(), length, "one command, and nothing after it");
        match body[0] {
            0x03 => (String::from_utf8(body[1..].to_vec()).unwrap(), false),
            0x17 => (self.hear_execute(&body[1..]), true),
            other => panic!("command {other}"),
        }
    }

    fn hear_execute(&self, body: &[u8]) -> String {
        let id = u32::from_le_bytes(body[..4].try_into().unwrap()) as usize;
        let params = usize::from(self.prepared[id].params);
        let (types, mut values) = body[9 + params.div_ceil(8) + 1..].split_at(2 * params);
        let mut pieces = self.sql[id].split('?');
        let mut sql = pieces.next().unwrap().to_owned();
        for (kind, piece) in types.chunks(2).zip(pieces) {
            match kind {
                [0x08, 0] => {
                    let (value, rest) = values.split_first_chunk().unwrap();
                    sql += &i64::from_le_bytes(*value).to_string();
                    values = rest;
                }
                [0xfd, 0] => {
                    let (text, rest) = values[1..].split_at(usize::from(values[0]));
                    sql += &format!("'{}'", std::str::from_utf8(text).unwrap());
                    values = rest;
                }
                other => panic!("type {other:?}"),
            }
            sql += piece;
        }
        assert!(values.is_empty());
        sql
    }
}

/// Turns numbers into N and texts into S.
fn outline(sql: &str) -> String {
    let mut outline = String::new();
    let mut last = ' ';
    let mut bytes = sql.chars().peekable();
    while let Some(char) = bytes.next() {
        if char == '\'' {
            while bytes.next_if(|&char| char != '\'').is_some() {}
            bytes.next();
            outline.push('S');
        } else if (char.is_ascii_digit() || char == '-') && (last == ' ' || "(=".contains(last)) {
            while bytes.next_if(char::is_ascii_digit).is_some() {}
            outline.push('N');
        } else {
            outline.push(char);
        }
        last = char;
    }
    outline
}

fn outlines(sent: &[String]) -> Vec<String> {
    sent.iter().map(|sql| outline(sql)).collect()
}

const POINT: &str = "SELECT c FROM sbtest1 WHERE id=N";
const RANGES: [&str; 4] = [
    "SELECT c FROM sbtest1 WHERE id BETWEEN N AND N",
    "SELECT SUM(k) FROM sbtest1 WHERE id BETWEEN N AND N",
    "SELECT c FROM sbtest1 WHERE id BETWEEN N AND N ORDER BY c",
    "SELECT DISTINCT c FROM sbtest1 WHERE id BETWEEN N AND N ORDER BY c",
];
const WRITES: [&str; 4] = [
    "UPDATE sbtest1 SET k=k+1 WHERE id=N",
    "UPDATE sbtest1 SET c=S WHERE id=N",
    "DELETE FROM sbtest1 WHERE id=N",
    "INSERT INTO sbtest1 (id, k, c, pad) VALUES (N, N, S, S)",
];

fn transaction(parts: &[&[&str]]) -> Vec<String> {
    let inside = parts.iter().copied().flatten().copied();
    let all = ["BEGIN"].into_iter().chain(inside).chain(["COMMIT"]);
    all.map(str::to_owned).collect()
}

#[test]
fn each_transaction_says_what_sysbenchs_does() {
    for prepared in [true, false] {
        for (script, expected) in [
            (
                "oltp_read_write",
                transaction(&[&[POINT; 10], &RANGES, &WRITES]),
            ),
            ("oltp_read_only", transaction(&[&[POINT; 10], &RANGES])),
            ("oltp_write_only", transaction(&[&WRITES])),
        ] {
            let mut ear = ear(script, json!({ "prepared": prepared }));
            assert_eq!(outlines(&ear.op(0)), expected, "{script}");
            assert!(ear.script.is_transaction());
            assert_eq!(ear.sql.is_empty(), !prepared);
        }
    }
}

#[test]
fn each_script_of_one_kind_says_what_sysbenchs_does() {
    for prepared in [true, false] {
        for (script, expected) in [
            ("oltp_point_select", POINT),
            ("oltp_update_index", WRITES[0]),
            ("oltp_update_non_index", WRITES[1]),
            ("oltp_delete", WRITES[2]),
            ("oltp_insert", WRITES[3]),
            (
                "select_random_points",
                "SELECT id, k, c, pad FROM sbtest1 WHERE k IN (N, N, N, N, N, N, N, N, N, N)",
            ),
            (
                "select_random_ranges",
                "SELECT count(k) FROM sbtest1 WHERE k BETWEEN N AND N OR k BETWEEN N AND N OR \
                 k BETWEEN N AND N OR k BETWEEN N AND N OR k BETWEEN N AND N OR \
                 k BETWEEN N AND N OR k BETWEEN N AND N OR k BETWEEN N AND N OR \
                 k BETWEEN N AND N OR k BETWEEN N AND N",
            ),
        ] {
            let mut ear = ear(script, json!({ "prepared": prepared }));
            assert_eq!(outlines(&ear.op(3)), [expected], "{script}");
            assert!(!ear.script.is_transaction());
        }
    }
}

#[test]
fn text_and_prepared_say_the_same() {
    for script in [
        "oltp_read_write",
        "select_random_points",
        "select_random_ranges",
    ] {
        let keys = |prepared: bool| json!({"prepared": prepared, "tables": 7});
        let (mut text, mut prepared) = (ear(script, keys(false)), ear(script, keys(true)));
        for index in 0..20 {
            assert_eq!(text.op(index), prepared.op(index));
        }
    }
}

#[test]
fn counts_are_those_of_the_options() {
    let change = json!({
        "point_selects": 2, "simple_ranges": 0, "sum_ranges": 2, "order_ranges": 0,
        "distinct_ranges": 0, "index_updates": 0, "non_index_updates": 2, "delete_inserts": 2,
        "skip_trx": true,
    });
    let mut ear = ear("oltp_read_write", change);
    assert!(!ear.script.is_transaction());
    let expected = [
        POINT, POINT, RANGES[1], RANGES[1], WRITES[1], WRITES[1], WRITES[2], WRITES[3], WRITES[2],
        WRITES[3],
    ];
    assert_eq!(outlines(&ear.op(0)), expected);
    assert_eq!(ear.sql.len(), 5, "what is never sent isn't prepared");

    let no_ranges = json!({"range_selects": false, "point_selects": 1});
    let mut ear = self::ear("oltp_read_only", no_ranges);
    assert_eq!(outlines(&ear.op(0)), transaction(&[&[POINT]]));
    let mut ear = self::ear("oltp_update_index", json!({"index_updates": 3}));
    assert_eq!(outlines(&ear.op(0)), [WRITES[0]; 3]);
    let mut ear = self::ear("oltp_point_select", json!({"point_selects": 5}));
    assert_eq!(outlines(&ear.op(0)), [POINT]);
    let mut ear = self::ear("select_random_points", json!({"random_points": 2}));
    let two = "SELECT id, k, c, pad FROM sbtest1 WHERE k IN (N, N)";
    assert_eq!(outlines(&ear.op(0)), [two]);
}

/// The numbers in a statement, starting with its table's.
fn numbers(sql: &str) -> Vec<i64> {
    let sql: String = sql.split('\'').step_by(2).collect();
    let split = sql.split(|char: char| !char.is_ascii_digit() && char != '-');
    split.filter_map(|number| number.parse().ok()).collect()
}

#[test]
fn a_range_covers_range_size_ids() {
    let mut ear = ear(
        "oltp_read_only",
        json!({"range_size": 7, "point_selects": 0}),
    );
    for sql in &ear.op(1)[1..5] {
        let [_, first, last] = numbers(sql)[..] else {
            panic!("{sql}")
        };
        assert_eq!(last - first, 6);
    }
    let random = json!({"delta": 9, "number_of_ranges": 1});
    let sql = self::ear("select_random_ranges", random).op(1).remove(0);
    let [_, first, last] = numbers(&sql)[..] else {
        panic!("{sql}")
    };
    assert_eq!(last - first, 9);
}

#[test]
fn a_kind_stays_on_one_table_in_an_op_and_the_same_row_is_deleted_and_inserted() {
    let change = json!({"tables": 50, "delete_inserts": 3, "distribution": {"kind": "uniform"}});
    let mut ear = ear("oltp_read_write", change);
    let mut of_points = Vec::new();
    for index in 0..30 {
        let sent = ear.op(index);
        let points: Vec<Vec<i64>> = sent[1..=10].iter().map(|sql| numbers(sql)).collect();
        assert!(points.iter().all(|point| point[0] == points[0][0]));
        assert!(points.iter().any(|point| point[1] != points[0][1]));
        of_points.push(points[0][0]);
        let pairs = &sent[17..23];
        for pair in pairs.chunks(2) {
            let (deleted, inserted) = (numbers(&pair[0]), numbers(&pair[1]));
            assert_eq!(deleted[..2], inserted[..2]);
            assert_eq!(deleted[0], numbers(&pairs[0])[0]);
        }
    }
    of_points.sort_unstable();
    of_points.dedup();
    assert!(of_points.len() > 15, "tables are drawn again for each op");
    assert!((1..=50).contains(&of_points[0]) && of_points[of_points.len() - 1] <= 50);
}

#[test]
fn texts_are_new_and_in_sysbenchs_form() {
    let mut ear = ear("oltp_write_only", json!({}));
    let texts = |sent: &[String]| -> Vec<String> {
        let quoted = sent
            .iter()
            .flat_map(|sql| sql.split('\'').skip(1).step_by(2));
        quoted.map(str::to_owned).collect()
    };
    let (first, second) = (texts(&ear.op(0)), texts(&ear.op(1)));
    let lengths: Vec<usize> = first.iter().map(String::len).collect();
    assert_eq!(lengths, [119, 119, 59]);
    for (one, other) in first.iter().zip(&second) {
        assert_ne!(one, other);
        let groups: Vec<&str> = one.split('-').collect();
        assert!(groups
            .iter()
            .all(|group| group.len() == 11 && group.parse::<u64>().is_ok()));
    }
}

proptest! {
    #[test]
    fn an_op_depends_on_seed_and_index_alone_and_can_be_repeated(
        seed: u64, index in 0_u64..1000, before in 0_u64..1000, worker in 0_usize..8
    ) {
        for script in ["oltp_read_write", "oltp_insert", "oltp_delete"] {
            let oltp = oltp(script, json!({"tables": 3}));
            let mut one = Ear::new(oltp.script(seed, 0, 1));
            let mut other = Ear::new(oltp.script(seed, worker, 8));
            other.op(before);
            other.op(index);
            prop_assert_eq!(one.op(index), other.again());
            prop_assert_eq!(one.again(), other.again());
        }
    }

    #[test]
    fn random_values_come_from_the_workers_own_slice(
        seed: u64, size in 1_u32..5000, worker in 0_usize..7
    ) {
        let change = json!({"table_size": size, "distribution": {"kind": "uniform"}});
        let oltp = oltp("select_random_points", change);
        let sent = Ear::new(oltp.script(seed, worker, 7)).op(0);
        let bound = |part: usize| i64::from(size) * part as i64 / 7;
        for value in &numbers(&sent[0])[1..] {
            prop_assert!((bound(worker)..=bound(worker + 1)).contains(value));
        }
    }
}

#[test]
fn changing_one_kind_changes_no_other() {
    let mut all = ear("oltp_read_write", json!({}));
    let mut writes = ear("oltp_write_only", json!({}));
    let mut reads = ear("oltp_read_only", json!({"point_selects": 10}));
    for index in 0..5 {
        let sent = all.op(index);
        assert_eq!(sent[15..19], writes.op(index)[1..5]);
        assert_eq!(sent[1..15], reads.op(index)[1..15]);
    }
}

#[test]
fn an_insert_leaves_the_id_to_the_server_or_makes_its_own() {
    let mut counting = ear("oltp_insert", json!({}));
    assert_eq!(numbers(&counting.op(5)[0])[1], 0);
    let oltp = oltp("oltp_insert", json!({"auto_inc": false}));
    let mut ids = Vec::new();
    for worker in 0..4 {
        let mut own = Ear::new(oltp.script(42, worker, 4));
        // The same indexes twice: ids come only from the count of inserts.
        for index in (0..500).chain(0..500) {
            ids.push(numbers(&own.op(index)[0])[1]);
        }
    }
    assert!(ids.iter().all(|&id| i32::try_from(id).is_ok()));
    assert!(ids.iter().any(|&id| id < 0) && ids.iter().any(|&id| id > 0));
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 4000);
}

#[test]
fn bulk_insert_gathers_rows_and_sends_them_together() {
    let oltp = oltp("bulk_insert", json!({}));
    let mut ear = Ear::new(oltp.script(42, 2, 4));
    let (mut sent, mut next) = (0, 1);
    for index in 0..100_000 {
        let statements = ear.op(index);
        let Some(sql) = statements.first() else {
            continue;
        };
        assert_eq!(ear.again(), statements, "it can be sent again");
        assert!((500_000..=512 * 1024).contains(&sql.len()), "{}", sql.len());
        let rows = sql.strip_prefix("INSERT INTO sbtest3 VALUES ").unwrap();
        for row in rows.split("),(") {
            let row = row.trim_matches(['(', ')']);
            assert_eq!(row, format!("{next},{next}"));
            next += 1;
        }
        assert_eq!(next, index + 2, "the op that fills the buffer is in it");
        sent += 1;
    }
    assert!(sent >= 2);
}

#[test]
fn each_kind_is_prepared_for_each_table() {
    let ear = ear("oltp_write_only", json!({"tables": 2}));
    assert_eq!(ear.sql.len(), 8);
    assert_eq!(ear.sql[0], "UPDATE sbtest1 SET k=k+1 WHERE id=?");
    assert_eq!(ear.sql[3], "UPDATE sbtest2 SET c=? WHERE id=?");
    let insert = "INSERT INTO sbtest2 (id, k, c, pad) VALUES (?, ?, ?, ?)";
    assert_eq!(ear.sql[7], insert);
}

#[test]
fn examples_are_the_selects_of_an_op() {
    let oltp = |script| oltp(script, json!({"distribution": {"kind": "uniform"}}));
    let all = oltp("oltp_read_write").examples(42);
    let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
    let expected = [
        "point_selects",
        "simple_ranges",
        "sum_ranges",
        "order_ranges",
        "distinct_ranges",
    ];
    assert_eq!(names, expected);
    let sent: Vec<String> = all.into_iter().map(|(_, sql)| outline(&sql)).collect();
    assert_eq!(sent[0], POINT);
    assert_eq!(sent[1..], RANGES);
    assert_eq!(oltp("select_random_ranges").examples(42).len(), 1);
    assert!(oltp("oltp_insert").examples(42).is_empty());
    assert!(oltp("oltp_write_only").examples(42).is_empty());
}
