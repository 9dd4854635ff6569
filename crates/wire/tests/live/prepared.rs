//! Prepared statements: every type, sent and read back.

use wire::{Connection, DateTime, Discard, Error, Row, Statement, Time, Value};

use crate::{code, connect, on_every_server, run};

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn prepared_statements_carry_every_type() {
    on_every_server("prepared", |options| {
        let mut connection = connect(options);
        run(
            &mut connection,
            "CREATE TABLE t (a TINYINT, b SMALLINT UNSIGNED, c MEDIUMINT, d INT, e BIGINT, \
             f BIGINT UNSIGNED, g FLOAT, h DOUBLE, i DECIMAL(20,5), j DATE, k DATETIME, l TIME, \
             m YEAR, n VARCHAR(20), o BLOB, p CHAR(3), q BIT(9), r INT)",
        );
        let params = a_value_of_each_type();
        let marks = vec!["?"; params.len()].join(",");
        let insert = connection.prepare(&format!("INSERT INTO t VALUES ({marks})"));
        let insert = insert.expect("an insert");
        assert_eq!((insert.params(), insert.columns().len()), (18, 0));
        let done = connection
            .execute(&insert, &params, &mut Discard)
            .expect("a row");
        assert_eq!(done.affected_rows, 1);

        let select = connection
            .prepare("SELECT * FROM t WHERE d < ?")
            .expect("a select");
        assert_eq!((select.params(), select.columns().len()), (1, 18));
        for _ in 0..2 {
            let mut seen = 0;
            let mut compare = |row: Row<'_>| {
                seen += 1;
                for (index, param) in params.iter().enumerate() {
                    assert_eq!(row.value(index), as_read(*param), "column {index}");
                }
            };
            connection
                .execute(&select, &[Value::Int(0)], &mut compare)
                .expect("rows");
            assert_eq!(seen, 1);
        }
        connection.reset_statement(&select).expect("a reset");
        connection.close(select).expect("a close");
        connection.close(insert).expect("a close");
        assert_eq!(code(connection.prepare("SELECT * FROM missing")), 1146);
        let plain = connection
            .prepare("DO 1")
            .expect("neither parameters nor columns");
        connection
            .execute(&plain, &[], &mut Discard)
            .expect("an OK");

        let mut other = connect(options);
        let stranger = other.execute(&plain, &[], &mut Discard);
        assert!(matches!(stranger, Err(Error::Usage { .. })), "{stranger:?}");
    });
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn columns_that_a_server_leaves_out_are_still_the_right_ones() {
    on_every_server("cached", |options| {
        let mut connection = connect(options);
        run(&mut connection, "CREATE TABLE t (a INT, b VARCHAR(20))");
        run(&mut connection, "INSERT INTO t VALUES (7, 'seven')");
        let all = connection.prepare("SELECT * FROM t").expect("a select");
        let last = connection.prepare("SELECT b FROM t").expect("a select");
        let seen = |connection: &mut Connection, statement: &Statement| {
            let mut values = Vec::new();
            let mut rows = |row: Row<'_>| {
                let columns = row.columns().iter().enumerate();
                values.extend(columns.map(|(at, column)| {
                    let value = row.value(at);
                    format!("{} {value:?}", column.name)
                }));
            };
            let done = connection.execute(statement, &[], &mut rows);
            done.expect("rows");
            values
        };
        let seven = format!("b {:?}", Value::Bytes(b"seven"));
        let both = vec!["a Int(7)".to_owned(), seven.clone()];
        let mut sizes = Vec::new();
        for _ in 0..3 {
            let before = connection.bytes_received();
            assert_eq!(seen(&mut connection, &all), both);
            sizes.push(connection.bytes_received() - before);
            assert_eq!(seen(&mut connection, &last), [seven.as_str()]);
            // Nobody looks at these rows or at the columns that come with them.
            let done = connection.execute(&all, &[], &mut Discard);
            done.expect("rows");
        }
        let caches = options.cache_metadata && keeps_columns(connection.server_version());
        assert_eq!(sizes[2] < 60, caches, "{sizes:?} bytes");

        // Other columns under the same number: the server describes them again.
        run(
            &mut connection,
            "ALTER TABLE t MODIFY a BIGINT UNSIGNED, ADD c INT DEFAULT 3",
        );
        connection.execute(&all, &[], &mut Discard).expect("rows");
        let three = ["a UInt(7)".to_owned(), seven, "c Int(3)".to_owned()];
        for _ in 0..2 {
            assert_eq!(seen(&mut connection, &all), three);
        }
    });
}

/// MariaDB since 10.6.
fn keeps_columns(version: &str) -> bool {
    let mut numbers = version
        .split('.')
        .map_while(|part| part.parse::<u32>().ok());
    let release = (numbers.next(), numbers.next());
    version.contains("MariaDB") && release >= (Some(10), Some(6))
}

/// In the order of the table's columns.
fn a_value_of_each_type() -> [Value<'static>; 18] {
    let day = DateTime {
        year: 1999,
        month: 12,
        day: 31,
        ..DateTime::default()
    };
    let when = DateTime {
        hour: 23,
        minute: 59,
        second: 58,
        ..day
    };
    let time = Time {
        negative: true,
        days: 2,
        hours: 3,
        minutes: 4,
        seconds: 5,
        micros: 0,
    };
    [
        Value::Int(-128),
        Value::UInt(65_535),
        Value::Int(-8_388_608),
        Value::Int(-2_147_483_648),
        Value::Int(i64::MIN),
        Value::UInt(u64::MAX),
        Value::Float(-1.5),
        Value::Double(1e300),
        Value::Text("123456789.12345"),
        Value::DateTime(day),
        Value::DateTime(when),
        Value::Time(time),
        Value::UInt(2024),
        Value::Text("tea ä"),
        Value::Bytes(&[0, 255, 1]),
        Value::Text("abc"),
        Value::Bytes(&[1, 3]),
        Value::Null,
    ]
}

/// Texts are read back as bytes.
fn as_read(sent: Value<'_>) -> Value<'_> {
    match sent {
        Value::Text(text) => Value::Bytes(text.as_bytes()),
        other => other,
    }
}
