//! Queries as text: results, errors, several results, time limits and kills.

use std::time::{Duration, Instant};

use wire::{ColumnType, Connection, Error, Row, Value};

use crate::{code, connect, on_every_server, one, release, run, version, Names};

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn text_results_counts_and_errors() {
    on_every_server("text", |options| {
        let mut connection = connect(options);
        assert_eq!(
            connection.is_mariadb(),
            version(&connection).contains("MariaDB")
        );
        let id = one(&mut connection, "SELECT CONNECTION_ID()");
        assert_eq!(connection.connection_id().to_string(), id);

        let rows = connection.query_strings("SELECT 1, NULL, 'ä', '' UNION ALL SELECT 2,3,4,5");
        let first = &rows.expect("rows")[0];
        let texts: Vec<_> = first.iter().map(Option::as_deref).collect();
        assert_eq!(texts, [Some("1"), None, Some("ä"), Some("")]);

        run(
            &mut connection,
            "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, v VARCHAR(9))",
        );
        let done = run(
            &mut connection,
            "INSERT INTO t (v) VALUES ('a'), ('b'), ('c')",
        );
        assert_eq!(
            (done.affected_rows, done.last_insert_id, done.result_sets),
            (3, 1, 0)
        );
        assert_eq!(connection.info(), "Records: 3  Duplicates: 0  Warnings: 0");
        let done = run(&mut connection, "SELECT * FROM t");
        // Each row is two cells of one character with their lengths.
        assert_eq!((done.rows, done.bytes, done.result_sets), (3, 12, 1));
        let done = run(&mut connection, "SELECT 1/0, CAST('x' AS SIGNED)");
        assert!(done.warnings >= 1);

        assert_eq!(code(connection.execute_sql("SELEC 1")), 1064);
        assert_eq!(code(connection.execute_sql("SELECT * FROM missing")), 1146);
        connection.ping().expect("usable after errors");
        connection.use_database("mysql").expect("another schema");
        assert_eq!(one(&mut connection, "SELECT DATABASE()"), "mysql");
        assert_eq!(code(connection.use_database("no_such_schema")), 1049);
        reset(&mut connection);
        assert!(connection.bytes_sent() > 100 && connection.bytes_received() > 100);
        connection.quit().expect("a goodbye");
    });
}

/// COM_RESET_CONNECTION, or the error of a server that is too old for it.
fn reset(connection: &mut Connection) {
    run(connection, "SET @x = 1");
    let since = if connection.is_mariadb() {
        (10, 2)
    } else {
        (5, 7)
    };
    if release(connection) < since {
        assert_eq!(code(connection.reset()), 1047, "unknown command");
        return;
    }
    connection.reset().expect("a fresh session");
    let rows = connection.query_strings("SELECT @x").expect("a row");
    assert_eq!(rows, [[None]]);
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn columns_come_before_rows() {
    on_every_server("columns", |options| {
        let mut connection = connect(options);
        run(
            &mut connection,
            "CREATE TABLE t (n INT UNSIGNED NOT NULL, tea TEXT)",
        );
        run(&mut connection, "INSERT INTO t VALUES (1, 'x')");
        let mut names = Names::default();
        connection
            .query(b"SELECT n AS number, tea FROM t", &mut names)
            .expect("rows");
        let expected = [
            ("number".to_owned(), ColumnType::LONG, true),
            ("tea".to_owned(), ColumnType::BLOB, false),
        ];
        assert_eq!(names.0, expected);
        // Fewer columns than before: those of the last result must be gone.
        connection
            .query(b"SELECT 1 AS o", &mut names)
            .expect("rows");
        assert_eq!(names.0.len(), 1);
        assert_eq!(names.1, 2);
    });
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn several_results_of_a_call_and_of_several_statements() {
    on_every_server("multi", |options| {
        let mut options = options.clone();
        let mut single = connect(&options);
        assert_eq!(code(single.execute_sql("SELECT 1; SELECT 2")), 1064);
        options.multi_statements = true;
        let mut connection = connect(&options);
        run(&mut connection, "CREATE TABLE t (a INT)");
        let sql = "SELECT 1; INSERT INTO t VALUES (1), (2); SELECT 2 UNION SELECT 3; DO 1";
        let done = run(&mut connection, sql);
        assert_eq!((done.result_sets, done.rows, done.affected_rows), (2, 3, 2));
        let broken = "SELECT 1; SELECT * FROM missing; SELECT 2";
        assert_eq!(code(connection.execute_sql(broken)), 1146);
        run(
            &mut connection,
            "CREATE PROCEDURE p(n INT) BEGIN SELECT n; SELECT a, n FROM t; END",
        );
        let mut names = Names::default();
        let done = connection
            .query(b"CALL p(7)", &mut names)
            .expect("two results");
        assert_eq!((done.result_sets, done.rows, names.1), (2, 3, 3));
        let call = connection.prepare("CALL p(?)").expect("a call");
        let mut seen = Vec::new();
        let mut keep = |row: Row<'_>| seen.push(format!("{:?}", row.value(row.len() - 1)));
        let done = connection
            .execute(&call, &[Value::Int(9)], &mut keep)
            .expect("two results");
        assert_eq!((done.result_sets, done.rows), (2, 3));
        assert_eq!(seen, ["Int(9)", "Int(9)", "Int(9)"]);
        connection.ping().expect("the reply was read to its end");
    });
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn limits_and_kills() {
    on_every_server("kill", |options| {
        let mut short = options.clone();
        short.read_timeout = Some(Duration::from_millis(300));
        let mut late = connect(&short);
        let begin = Instant::now();
        let result = late.execute_sql("SELECT SLEEP(5)");
        assert!(matches!(result, Err(Error::Timeout { .. })), "{result:?}");
        assert!(
            begin.elapsed() < Duration::from_millis(900),
            "{:?}",
            begin.elapsed()
        );
        assert!(matches!(late.ping(), Err(Error::Lost { .. })));

        for (verb, fatal) in [("KILL QUERY", false), ("KILL", true)] {
            let mut victim = connect(options);
            let mut killer = connect(options);
            let kill = format!("{verb} {}", victim.connection_id());
            let thread = std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(200));
                run(&mut killer, &kill);
            });
            // Something to work on, since a killed SLEEP ends without an error.
            let tables = ["a", "b", "c"].map(|name| format!("information_schema.columns {name}"));
            let sql = format!("SELECT COUNT(*) FROM {}", tables.join(", "));
            let begin = Instant::now();
            let result = victim.execute_sql(&sql);
            assert!(
                begin.elapsed() < Duration::from_secs(4),
                "{:?}",
                begin.elapsed()
            );
            thread.join().expect("a kill");
            if fatal {
                // Either the end of the stream, or the server's own error before it.
                let error = result.expect_err("killed");
                assert!(
                    error.is_fatal() || [1317, 1927, 1053].contains(&error.code().unwrap_or(0))
                );
                assert!(victim.ping().is_err());
            } else {
                assert_eq!(code(result), 1317);
                victim.ping().expect("still usable");
            }
        }
    });
}
