//! `dynoload linkbench`: runs the plans that LinkBench's command line results in, first the load
//! and then the requests, and passes it their events.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;

use linkbench::{Asked, Bench, Failure, Heard, Part};

use crate::exit::Exit;
use crate::run::{self, Asked as Run};
use crate::writer::{report, Reaction};

/// The whole program; `arguments` are those after its name.
pub fn main(arguments: Vec<OsString>) -> ExitCode {
    let code = match linkbench::read(arguments) {
        Ok(Asked::Text(text)) => match io::stdout().write_all(text.as_bytes()) {
            Ok(()) => Exit::Done.code(),
            Err(error) => {
                let message = format!("can't write standard output: {error}");
                report(
                    "error",
                    &message,
                    "keep the reader of it running, and room on its disk",
                );
                Exit::Events.code()
            }
        },
        Ok(Asked::Bench(bench)) => {
            let bench = Arc::new(*bench);
            [Part::Load, Part::Request]
                .into_iter()
                .map(|part| run_part(&bench, part))
                .find(|&code| code != Exit::Done.code())
                .unwrap_or(Exit::Done.code())
        }
        Err(failure) => {
            failure.print(linkbench::NAME);
            failure.code
        }
    };
    ExitCode::from(code)
}

/// Runs a part, if it is asked for, and returns how it ended.
fn run_part(bench: &Arc<Bench>, part: Part) -> u8 {
    let plan = match bench.plan(part) {
        Ok(Some(plan)) => plan,
        Ok(None) => return Exit::Done.code(),
        Err(failure) => return failed(bench, &failure),
    };
    let listening = Arc::clone(bench);
    let exit = run::run(Run {
        plan: Ok(plan),
        events: bench.events().filter(|_| part == Part::Request),
        listener: Some(Box::new(move |event| {
            Ok(match listening.hear(event)? {
                Heard::GoOn => Reaction::GoOn,
                Heard::Stop => Reaction::Stop,
            })
        })),
        end_with: None,
    });
    match bench.gave_up() {
        true => linkbench::TOO_MANY_FAILED,
        false => exit.code(),
    }
}

fn failed(bench: &Bench, failure: &Failure) -> u8 {
    bench.fail(failure);
    failure.code
}
