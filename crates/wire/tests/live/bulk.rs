//! Large transfers: packets of 16 MiB and more, and LOAD DATA LOCAL.

use wire::{Error, Row, Value};

use crate::{code, connect, on_every_server, one, run};

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn packets_around_16_mib_both_ways() {
    on_every_server("big", |options| {
        let mut connection = connect(options);
        let before = one(&mut connection, "SELECT @@GLOBAL.max_allowed_packet");
        run(&mut connection, "SET GLOBAL max_allowed_packet = 1048576");
        let mut small = connect(options);
        let sql = format!("SELECT LENGTH('{}')", "x".repeat(3 << 20));
        let error = small.execute_sql(&sql).expect_err("a packet too big");
        // The server reports it, or closed before that could be read.
        assert!(error.code() == Some(1153) || error.is_fatal(), "{error:?}");

        run(&mut connection, "SET GLOBAL max_allowed_packet = 67108864");
        let mut connection = connect(options);
        const FULL: usize = 0xFF_FFFF;
        for payload in [FULL - 1, FULL, FULL + 1, 2 * FULL] {
            // The payload of this query is 18 bytes longer than the text in it.
            let text = "x".repeat(payload - 18);
            let sql = format!("SELECT LENGTH('{text}')");
            assert_eq!(sql.len() + 1, payload);
            let length = one(&mut connection, &sql);
            assert_eq!(length, text.len().to_string());

            // The payload of a row is longer by the bytes of the text's length.
            let expected = vec![b'y'; payload - if payload - 4 <= FULL { 4 } else { 9 }];
            let mut seen = 0;
            let mut look = |row: Row<'_>| {
                assert!(row.get(0) == Some(&expected), "{} bytes", row.size_bytes());
                seen += 1;
            };
            // Two rows without a UNION of the texts, which some servers cut at 16 MiB.
            let two = "(SELECT 1 UNION ALL SELECT 2) two";
            let sql = format!("SELECT REPEAT('y', {}) FROM {two}", expected.len());
            let done = connection.query(sql.as_bytes(), &mut look).expect("rows");
            assert_eq!((done.rows, done.bytes), (2, 2 * payload as u64));
            let statement = connection.prepare(&sql).expect("a statement");
            connection
                .execute(&statement, &[], &mut look)
                .expect("rows");
            assert_eq!(seen, 4);

            let statement = connection.prepare("SELECT LENGTH(?)").expect("a statement");
            let mut length = 0;
            let mut keep = |row: Row<'_>| match row.value(0) {
                Value::Int(value) => length = value,
                other => panic!("{other:?}"),
            };
            let param = [Value::Bytes(text.as_bytes())];
            connection
                .execute(&statement, &param, &mut keep)
                .expect("a row");
            assert_eq!(length, text.len() as i64);
        }
        run(
            &mut connection,
            &format!("SET GLOBAL max_allowed_packet = {before}"),
        );
    });
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn load_data_from_a_stream() {
    on_every_server("load", |options| {
        let mut connection = connect(options);
        run(&mut connection, "SET GLOBAL local_infile = 1");
        run(
            &mut connection,
            "CREATE TABLE t (a INT, b VARCHAR(50)) ENGINE=InnoDB",
        );
        let sql = "LOAD DATA LOCAL INFILE 'rows' INTO TABLE t";
        let mut next = 0;
        let mut source = |piece: &mut Vec<u8>| {
            let end = (next + 7_000).min(100_000);
            for row in next..end {
                piece.extend_from_slice(format!("{row}\tname of row {row}\n").as_bytes());
            }
            next = end;
            Ok(next < 100_000)
        };
        let done = connection.load_data(sql, &mut source).expect("rows");
        assert_eq!((done.affected_rows, done.warnings), (100_000, 0));
        assert!(
            connection.info().starts_with("Records: 100000"),
            "{}",
            connection.info()
        );
        let sum = "SELECT CONCAT(COUNT(*), ' ', SUM(a)) FROM t WHERE b = CONCAT('name of row ', a)";
        assert_eq!(one(&mut connection, sum), "100000 4999950000");

        // No rows at all, and a query that has no file to serve.
        let done = connection
            .load_data(sql, &mut |_| Ok(false))
            .expect("nothing");
        assert_eq!(done.affected_rows, 0);
        let refused = connect(options).query(sql.as_bytes(), &mut wire::Discard);
        assert!(matches!(refused, Err(Error::Infile)), "{refused:?}");
        // A source that fails: the server rolls back, the connection is gone.
        let mut failing = connect(options);
        let mut calls = 0;
        let result = failing.load_data(sql, &mut |piece| {
            calls += 1;
            piece.extend_from_slice(&b"1\tpart\n".repeat(10_000));
            if calls < 3 {
                Ok(true)
            } else {
                Err(std::io::Error::other("broken off"))
            }
        });
        assert!(matches!(result, Err(Error::Source(_))), "{result:?}");
        assert_eq!(
            one(&mut connection, "SELECT COUNT(*) FROM t WHERE b = 'part'"),
            "0"
        );
        // A missing table: the server reports it and takes no rows.
        let missing = "LOAD DATA LOCAL INFILE 'rows' INTO TABLE missing";
        assert_eq!(
            code(connection.load_data(missing, &mut |_| Ok(false))),
            1146
        );
        let mut refusing = options.clone();
        refusing.local_infile = false;
        let refused = connect(&refusing).load_data(sql, &mut |_| Ok(false));
        assert!([1148, 3948, 4166].contains(&code(refused)));
        connection.ping().expect("usable");
    });
}
