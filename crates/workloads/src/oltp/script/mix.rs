//! The scripts that are a mix of kinds: read_write, read_only, write_only, point_select, the two
//! updates, and delete.
//!
//! The steps of an op are always the same and are laid out once; drawing fills in their inputs.

use load::{Purpose, Stream, Turn};

use super::kinds::{is_transaction, kinds};
use super::template::{template, Hole, Template, Templates};
use crate::oltp::distribution::Sampler;
use crate::oltp::spec::Oltp;
use crate::oltp::strings::{write_groups, C_BYTES, PAD_BYTES};
use crate::script::{Input, Part, Say, Script};

/// A script mixed from kinds.
#[derive(Debug)]
pub struct Mix {
    kinds: Vec<Group>,
    /// Those of all kinds, in order.
    steps: Vec<Step>,
    templates: Templates,
    tables: u64,
    ids: Sampler,
    range_size: i64,
    is_transaction: bool,
}

/// All repetitions of a kind in an op.
#[derive(Debug)]
struct Group {
    name: &'static str,
    draws: Purpose,
    times: u32,
    /// Number of steps of one repetition.
    steps: usize,
}

/// One statement of an op.
#[derive(Debug)]
struct Step {
    template: usize,
    table: usize,
    inputs: Inputs,
}

/// Inputs of a statement; those that its template doesn't need are left as they are.
#[derive(Debug, Clone)]
struct Inputs {
    id: i64,
    last: i64,
    k: i64,
    c: [u8; C_BYTES],
    pad: [u8; PAD_BYTES],
}

impl Inputs {
    fn get(&self, hole: Hole) -> Input<'_> {
        match hole {
            Hole::Id => Input::Int(self.id),
            Hole::Last => Input::Int(self.last),
            Hole::K => Input::Int(self.k),
            Hole::C => Input::Text(&self.c),
            Hole::Pad => Input::Text(&self.pad),
            Hole::Table | Hole::Nth(_) => unreachable!("no kind has such a hole"),
        }
    }

    fn draw(&mut self, template: &Template, ids: &Sampler, stream: &mut Stream) {
        if template.has(Hole::K) {
            self.k = ids.draw(stream);
        }
        if template.has(Hole::C) {
            write_groups(stream, &mut self.c);
        }
        if template.has(Hole::Pad) {
            write_groups(stream, &mut self.pad);
        }
    }
}

impl Mix {
    /// The script of this workload.
    pub fn new(oltp: &Oltp, seed: u64) -> Mix {
        let (mut groups, mut steps, mut templates) = (Vec::new(), Vec::new(), Vec::new());
        for (kind, times) in kinds(oltp) {
            let first = templates.len();
            templates.extend(kind.says.iter().map(|sql| template(sql)));
            for _ in 0..times {
                steps.extend((first..templates.len()).map(Step::new));
            }
            groups.push(Group {
                name: kind.name,
                draws: Purpose::new(seed, &format!("ops/{}", kind.name)),
                times,
                steps: kind.says.len(),
            });
        }
        Mix {
            kinds: groups,
            steps,
            templates: Templates::new(templates, oltp.tables as usize, oltp.prepared),
            tables: u64::from(oltp.tables),
            ids: Sampler::new(&oltp.distribution, 1, i64::from(oltp.table_size)),
            range_size: i64::from(oltp.range_size),
            is_transaction: is_transaction(oltp),
        }
    }

    /// The SELECTs, one per kind, with the inputs of the op drawn last.
    pub fn examples(&self) -> Vec<(String, String)> {
        let mut examples = Vec::new();
        let mut steps = &self.steps[..];
        for kind in &self.kinds {
            let Step {
                template,
                table,
                inputs,
            } = &steps[0];
            let sql = self
                .templates
                .text(*template, *table, |hole| inputs.get(hole));
            if sql.starts_with("SELECT") {
                examples.push((kind.name.to_owned(), sql));
            }
            steps = &steps[kind.times as usize * kind.steps..];
        }
        examples
    }
}

impl Step {
    fn new(template: usize) -> Step {
        Step {
            template,
            table: 0,
            inputs: Inputs {
                id: 0,
                last: 0,
                k: 0,
                c: [0; C_BYTES],
                pad: [0; PAD_BYTES],
            },
        }
    }
}

impl Script for Mix {
    fn prepared(&self) -> Vec<String> {
        self.templates.prepared()
    }

    fn draw(&mut self, turn: Turn) -> u16 {
        let mut steps = self.steps.iter_mut();
        for kind in &self.kinds {
            let mut stream = kind.draws.stream(turn.index);
            let table = stream.below(self.tables) as usize;
            for _ in 0..kind.times {
                let id = self.ids.draw(&mut stream);
                for step in steps.by_ref().take(kind.steps) {
                    step.table = table;
                    step.inputs.id = id;
                    step.inputs.last = id + self.range_size - 1;
                    let template = self.templates.get(step.template);
                    step.inputs.draw(template, &self.ids, &mut stream);
                }
            }
        }
        0
    }

    fn step(&mut self, step: usize, say: Say<'_>) -> bool {
        let nth = match Part::at(step, self.steps.len(), self.is_transaction) {
            Part::Bracket(sql) => {
                say.query(sql);
                return true;
            }
            Part::Statement(nth) => nth,
        };
        let Some(Step {
            template,
            table,
            inputs,
        }) = self.steps.get(nth)
        else {
            return false;
        };
        self.templates
            .say(*template, *table, |hole| inputs.get(hole), say);
        true
    }

    fn is_transaction(&self) -> bool {
        self.is_transaction
    }
}
