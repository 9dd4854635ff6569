//! --only-print: prints the statements of a run in mysqlslap's order, and runs nothing.
//!
//! It doesn't connect, and it doesn't run --pre-system or --post-system either.

use std::io::{self, BufWriter, Write};

use crate::failure::{self, Failure};
use crate::lists::Lists;
use crate::options::Settings;
use crate::order::{groups, Cell};
use crate::server::{quoted, shown_key};
use workloads::slap::Statement;

/// Prints everything.
pub fn run(settings: &Settings, lists: &Lists) -> Result<(), Failure> {
    let out = BufWriter::new(io::stdout().lock());
    let mut print = Print {
        settings,
        lists,
        out,
    };
    print
        .run()
        .and_then(|()| print.out.flush())
        .map_err(|error| failure::writing(&error))
}

struct Print<'a, W> {
    settings: &'a Settings,
    lists: &'a Lists,
    out: W,
}

impl<W: Write> Print<'_, W> {
    fn run(&mut self) -> io::Result<()> {
        for group in groups(self.settings) {
            for _ in 0..self.settings.iterations {
                for cell in &group.cells {
                    self.iteration(cell)?;
                }
            }
            if group.ends {
                self.drop_schema()?;
            }
        }
        Ok(())
    }

    fn line(&mut self, sql: &[u8]) -> io::Result<()> {
        self.out.write_all(sql)?;
        self.out.write_all(b";\n")
    }

    fn drop_schema(&mut self) -> io::Result<()> {
        if !self.lists.makes_schema || self.settings.no_drop {
            return Ok(());
        }
        let schema = quoted(&self.settings.schema);
        self.line(format!("DROP SCHEMA IF EXISTS {schema}").as_bytes())
    }

    fn iteration(&mut self, cell: &Cell) -> io::Result<()> {
        let (settings, lists) = (self.settings, self.lists);
        self.drop_schema()?;
        if lists.makes_schema {
            let schema = quoted(&settings.schema);
            self.line(format!("CREATE SCHEMA {schema}").as_bytes())?;
            self.line(format!("use {}", settings.schema).as_bytes())?;
            for nth in 0..lists.create.len() {
                self.line(&lists.create_sql(nth, cell.engine.as_ref()))?;
            }
        }
        if settings.commit > 0 {
            self.line(b"SET AUTOCOMMIT=0")?;
        }
        self.all(&lists.pre)?;
        for _ in 0..cell.clients {
            self.client(cell)?;
        }
        self.all(&lists.post)
    }

    fn all(&mut self, statements: &[Statement]) -> io::Result<()> {
        statements
            .iter()
            .try_for_each(|statement| self.line(&statement.sql))
    }

    /// With a time limit the number of passes isn't known; the list is printed once.
    fn client(&mut self, cell: &Cell) -> io::Result<()> {
        let (commit, list) = (self.settings.commit, &self.lists.query);
        if commit > 0 {
            self.line(b"SET AUTOCOMMIT=0")?;
        }
        let share = self.lists.share(self.settings.limit, cell.clients);
        let count = share.done.unwrap_or(list.len() as u64);
        let mut sql = Vec::new();
        for nth in 1..=count {
            sql.clear();
            list[((nth - 1) % list.len() as u64) as usize].write(&mut sql, shown_key());
            self.line(&sql)?;
            if commit > 0 && nth % commit == 0 {
                self.line(b"COMMIT")?;
            }
        }
        if commit > 0 {
            self.line(b"COMMIT")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{Engine, Limit};
    use crate::report::Progress;

    fn printed(change: impl Fn(&mut Settings)) -> String {
        let mut settings = Settings {
            create: Some("CREATE TABLE x(a int);CREATE TABLE y(a int)".into()),
            query: Some("SELECT 1;SELECT 2".into()),
            delimiter: b";".to_vec(),
            schema: "mysqlslap".into(),
            concurrency: vec![1],
            iterations: 1,
            ..Settings::default()
        };
        change(&mut settings);
        let lists = Lists::build(&settings, Progress::new(0)).unwrap();
        let mut print = Print {
            settings: &settings,
            lists: &lists,
            out: Vec::new(),
        };
        print.run().unwrap();
        String::from_utf8(print.out).unwrap()
    }

    #[test]
    fn engines_stand_behind_the_first_statement_and_schemas_come_and_go() {
        let text = printed(|settings| {
            settings.engines = ["innodb:", "memory:max_rows=5"]
                .map(|text| text.split_once(':').unwrap())
                .map(|(name, options)| Engine {
                    name: name.into(),
                    options: options.into(),
                })
                .to_vec();
        });
        let part = |engine: &str| {
            format!(
                "DROP SCHEMA IF EXISTS `mysqlslap`;\nCREATE SCHEMA `mysqlslap`;\nuse mysqlslap;\n\
                 CREATE TABLE x(a int) Engine = {engine};\nCREATE TABLE y(a int);\nSELECT 1;\n\
                 SELECT 2;\nDROP SCHEMA IF EXISTS `mysqlslap`;\n"
            )
        };
        assert_eq!(text, part("innodb") + &part("memory max_rows=5"));
    }

    #[test]
    fn each_client_commits_in_between_and_at_its_end() {
        let text = printed(|settings| {
            settings.create = None;
            settings.pre_query = Some("SELECT 3".into());
            settings.commit = 2;
            settings.concurrency = vec![2];
            settings.limit = Limit::Total(6);
        });
        let client = "SET AUTOCOMMIT=0;\nSELECT 1;\nSELECT 2;\nCOMMIT;\nSELECT 1;\nCOMMIT;\n";
        assert_eq!(
            text,
            format!("SET AUTOCOMMIT=0;\nSELECT 3;\n{client}{client}")
        );
    }

    #[test]
    fn a_schema_that_is_left_is_made_and_not_dropped() {
        let text = printed(|settings| settings.no_drop = true);
        assert!(text.starts_with("CREATE SCHEMA") && !text.contains("DROP"));
    }
}
