//! Generated SQL against the text that `mariadb-slap --only-print` gave for the same options.

use super::*;

fn plan(load_type: LoadType, primary: Primary) -> Generate {
    Generate {
        primary,
        secondary: 0,
        ints: Columns::default(),
        chars: Columns::default(),
        load_type,
        unique_queries: 2,
        unique_writes: 2,
        writes: 6,
    }
}

fn columns(count: usize, indexed: bool) -> Columns {
    Columns { count, indexed }
}

/// Strings and numbers replaced by one letter each; keys filled in.
fn masked(statement: &Statement) -> String {
    let mut sql = Vec::new();
    statement.write(&mut sql, b"key");
    let sql = String::from_utf8(sql).unwrap();
    let mut out = String::new();
    for (nth, piece) in sql.split('\'').enumerate() {
        if nth % 2 == 1 && piece != "key" {
            assert_eq!(piece.len(), STRING_CHARS);
            assert!(piece.bytes().all(|letter| LETTERS.contains(&letter)));
            out.push('S');
        } else {
            out.push_str(piece);
        }
    }
    out
}

fn texts(generate: &Generate) -> (Vec<String>, Vec<String>) {
    let (create, run) = generate.statements(42);
    let texts = |list: &[Statement]| list.iter().map(masked).collect();
    (texts(&create), texts(&run))
}

#[test]
fn an_indexed_table_is_written_as_mysqlslap_writes_it() {
    let (create, run) = texts(&Generate {
        ints: columns(2, true),
        chars: columns(2, true),
        ..plan(LoadType::Update, Primary::None)
    });
    assert_eq!(
        create[0],
        "CREATE TABLE `t1` (intcol1 INT(32), INDEX(intcol1),intcol2 INT(32), INDEX(intcol2),\
         charcol1 VARCHAR(128), INDEX(charcol1) ,charcol2 VARCHAR(128), INDEX(charcol2) )"
    );
    assert_eq!(run.len(), 3);
    for update in run {
        assert!(update.starts_with("UPDATE t1 SET intcol1 = "), "{update}");
        assert!(update.ends_with(",charcol1 = S,charcol2 = S"), "{update}");
    }
}

#[test]
fn keys_and_secondary_columns_come_first() {
    let (create, run) = texts(&Generate {
        secondary: 2,
        ..plan(LoadType::Mixed, Primary::Guid)
    });
    assert_eq!(
        create[0],
        "CREATE TABLE `t1` (id varchar(36) primary key,id0 varchar(36) unique key,\
         id1 varchar(36) unique key,intcol1 INT(32) ,charcol1 VARCHAR(128))"
    );
    assert!(create[1].starts_with("INSERT INTO t1 VALUES (uuid(),uuid(),uuid(),"));
    assert!(create[1].ends_with(",S)"));
    assert!(run[0].starts_with("INSERT INTO t1"));
    assert_eq!(run[1], "SELECT intcol1,charcol1 FROM t1 WHERE id =  key");
    assert!(run[2].starts_with("INSERT INTO t1"));
}

#[test]
fn a_counted_key_is_null_in_an_insert() {
    let (create, _) = texts(&plan(LoadType::Read, Primary::AutoIncrement));
    assert!(create[0].starts_with("CREATE TABLE `t1` (id serial,intcol1"));
    assert!(create[1].starts_with("INSERT INTO t1 VALUES (NULL,"));
}

#[test]
fn different_rows_are_cycled_and_the_table_counts_as_one_write() {
    let (create, _) = plan(LoadType::Read, Primary::None).statements(42);
    assert_eq!(create.len(), 6);
    assert_ne!(create[1], create[2]);
    assert_eq!(create[1], create[3]);
    assert_eq!(create[2], create[4]);
    let nothing = Generate {
        writes: 0,
        ..plan(LoadType::Read, Primary::None)
    };
    assert!(nothing.statements(42).0.is_empty());
}

#[test]
fn every_load_type_has_its_statements() {
    let of = |load_type, primary| texts(&plan(load_type, primary)).1;
    let read = of(LoadType::Read, Primary::Guid);
    assert_eq!(read, vec!["SELECT intcol1,charcol1 FROM t1"; 3]);
    let key = of(LoadType::Key, Primary::Guid);
    assert_eq!(
        key,
        vec!["SELECT intcol1,charcol1 FROM t1 WHERE id =  key"; 3]
    );
    let write = of(LoadType::Write, Primary::None);
    assert!(write.iter().all(|sql| sql.starts_with("INSERT INTO t1")));
    let update = of(LoadType::Update, Primary::Guid);
    assert!(update.iter().all(|sql| sql.ends_with(" WHERE id =  key")));
    let mixed = of(LoadType::Mixed, Primary::None);
    assert_eq!(mixed[1], "SELECT intcol1,charcol1 FROM t1");
}

#[test]
fn only_the_first_letter_of_a_load_type_counts() {
    let found = ["read", "key", "write", "update", "mixed", "query", ""].map(LoadType::named);
    use LoadType::{Key, Mixed, Read, Update, Write};
    assert_eq!(found, [Read, Key, Write, Update, Mixed, Mixed, Mixed]);
}

#[test]
fn every_run_has_the_same_text() {
    let plan = plan(LoadType::Mixed, Primary::None);
    assert_eq!(plan.statements(42), plan.statements(42));
}

#[test]
fn a_prepared_statement_takes_its_key_as_a_parameter() {
    let (_, run) = plan(LoadType::Key, Primary::Guid).statements(42);
    assert!(run[0].to_prepare().ends_with(b" WHERE id =  ?"));
}
