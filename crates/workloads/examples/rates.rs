//! How fast rows are generated and answers are checksummed on this machine, without a server.
//!
//! `cargo run --release -p dyno-workloads --example rates` prints both. Not a benchmark of servers.

use std::hint::black_box;
use std::io::{self, Write};
use std::time::Instant;

use workloads::fill::Source;
use workloads::statements::{Checksum, Columns, Compare, Generator, Layout, Table, TableRows};

const ROWS: u64 = 2_097_152;

fn main() -> io::Result<()> {
    let table = Table {
        name: "t1".to_owned(),
        create: String::new(),
        rows: ROWS,
        columns: Columns::Each(vec![
            Generator::Int {
                min: 0,
                max: 200_000_000,
            },
            Generator::RepeatDecimal { times_max: 64 },
        ]),
        after: Vec::new(),
    };
    let rows = TableRows::new(42, &table);
    let mut piece = Vec::with_capacity(512 * 1024);
    let mut bytes = 0;
    let since = Instant::now();
    for index in 0..ROWS {
        rows.write(index, Layout::Lines, &mut piece);
        if piece.len() > 256 * 1024 {
            bytes += black_box(&piece).len();
            piece.clear();
        }
    }
    let seconds = since.elapsed().as_secs_f64();
    let out = &mut io::stdout();
    writeln!(
        out,
        "rows: {:.2} M rows/s, {:.0} MB/s",
        ROWS as f64 / seconds / 1e6,
        bytes as f64 / seconds / 1e6
    )?;
    for (name, value) in [("3 bytes", vec![b'x'; 3]), ("586 bytes", vec![b'x'; 586])] {
        for ordered in [false, true] {
            let mut checksum = Checksum::new(Compare::All, ordered);
            let since = Instant::now();
            for index in 0..ROWS {
                let number = index.to_le_bytes();
                checksum.add([Some(&number[..]), Some(&value[..])].into_iter());
            }
            let ns = since.elapsed().as_secs_f64() * 1e9 / ROWS as f64;
            black_box(checksum.value(ROWS));
            let order = if ordered { "ordered" } else { "unordered" };
            writeln!(out, "checksum of 8 + {name}, {order}: {ns:.1} ns a row")?;
        }
    }
    Ok(())
}
