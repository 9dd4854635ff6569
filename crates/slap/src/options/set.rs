//! How single options are set, if that is more than storing the value in a field.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::time::Duration;

use doors::{seconds, Encryption};
use wire::Compression;

use super::number;
use super::parse::Value;
use super::settings::{Engine, Settings, Sink};
use super::table::Given;
use crate::failure::Failure;
use crate::split::Rule;

type Done = Result<(), Failure>;
type Text<'a> = Given<'a, &'a OsStr>;

/// A text option's value. Names, numbers and words are UTF-8.
fn words(given: &Text<'_>) -> String {
    given.value.to_string_lossy().into_owned()
}

fn unsupported(name: &str) -> Failure {
    Failure::refused(
        format!("--{name} can't be done here"),
        "what it asks for would change what is measured, so it isn't left out silently: \
         see docs/reference/slap.md",
    )
}

pub fn refused_text(_: &mut Settings, given: Text<'_>) -> Done {
    match given.value.is_empty() {
        true => Ok(()),
        false => Err(unsupported(given.name)),
    }
}

pub fn refused_always(_: &mut Settings, given: Given<'_, &Value>) -> Done {
    Err(unsupported(given.name))
}

pub fn compress(settings: &mut Settings, given: Given<'_, bool>) -> Done {
    settings.login.compression = match given.value {
        true => Compression::Zlib,
        false => Compression::Off,
    };
    Ok(())
}

/// The first of the list is what is asked for; an empty list says nothing.
pub fn compression(settings: &mut Settings, given: Text<'_>) -> Done {
    let text = words(&given);
    settings.login.compression = match text.split(',').next().unwrap_or_default().trim() {
        "" => return Ok(()),
        "uncompressed" => Compression::Off,
        "zlib" => Compression::Zlib,
        "zstd" => Compression::Zstd,
        _ => {
            return Err(Failure::refused(
                format!("--{}: there is no {text}", given.name),
                "give zlib, zstd or uncompressed",
            ))
        }
    };
    Ok(())
}

pub fn schema(settings: &mut Settings, given: Text<'_>) -> Done {
    settings.schema = words(&given);
    Ok(())
}

pub fn load_type(settings: &mut Settings, given: Text<'_>) -> Done {
    settings.load_type = words(&given);
    Ok(())
}

pub fn sql_mode(settings: &mut Settings, given: Text<'_>) -> Done {
    settings.sql_mode = Some(words(&given));
    Ok(())
}

pub fn delimiter(settings: &mut Settings, given: Text<'_>) -> Done {
    settings.delimiter = given.value.as_bytes().to_vec();
    Ok(())
}

pub fn chars(settings: &mut Settings, given: Text<'_>) -> Done {
    settings.draft.chars = number::columns(given.name, &words(&given))?;
    Ok(())
}

pub fn ints(settings: &mut Settings, given: Text<'_>) -> Done {
    settings.draft.ints = number::columns(given.name, &words(&given))?;
    Ok(())
}

pub fn split(settings: &mut Settings, given: Text<'_>) -> Done {
    settings.split = match words(&given).as_str() {
        "slap" => Rule::Slap,
        "legacy" => Rule::Legacy,
        "sql" => Rule::Sql,
        text => {
            return Err(Failure::refused(
                format!("--split={text} isn't known"),
                "give slap, legacy or sql",
            ))
        }
    };
    Ok(())
}

/// `a:options,b`; one space after a comma is ignored.
pub fn engine(settings: &mut Settings, given: Text<'_>) -> Done {
    let text = words(&given);
    let engine = |piece: &str| {
        let piece = piece.strip_prefix(' ').unwrap_or(piece);
        let (name, options) = piece.split_once(':').unwrap_or((piece, ""));
        Engine {
            name: name.to_owned(),
            options: options.to_owned(),
        }
    };
    settings.engines = match text.as_str() {
        "" => Vec::new(),
        text => text.split(',').map(engine).collect(),
    };
    Ok(())
}

pub fn concurrency(settings: &mut Settings, given: Text<'_>) -> Done {
    let text = words(&given);
    let (found, ended) = number::concurrency(&text)?;
    if ended {
        let note = format!("Warning: --concurrency={text} ends at its 0");
        settings.draft.notes.push(note);
    }
    settings.concurrency = found;
    Ok(())
}

/// Any time above zero.
const LEAST: Duration = Duration::from_nanos(1);

pub fn time(settings: &mut Settings, given: Text<'_>) -> Done {
    settings.draft.time = Some(seconds(given.name, &words(&given), LEAST)?);
    Ok(())
}

pub fn answer(settings: &mut Settings, given: Text<'_>) -> Done {
    settings.answer = seconds(given.name, &words(&given), LEAST)?;
    Ok(())
}

fn sink(value: &Value) -> Option<Sink> {
    match value {
        Value::Switch(false) => None,
        Value::Switch(true) => Some(Sink::Out),
        Value::Text(path) if path.is_empty() || path == "-" => Some(Sink::Out),
        Value::Text(path) => Some(Sink::File(path.into())),
    }
}

pub fn csv(settings: &mut Settings, given: Given<'_, &Value>) -> Done {
    settings.csv = sink(given.value);
    Ok(())
}

pub fn json(settings: &mut Settings, given: Given<'_, &Value>) -> Done {
    settings.json = sink(given.value);
    Ok(())
}

pub fn host(settings: &mut Settings, given: Text<'_>) -> Done {
    settings.login.host = Some(words(&given));
    Ok(())
}

pub fn user(settings: &mut Settings, given: Text<'_>) -> Done {
    settings.login.user = Some(words(&given));
    Ok(())
}

/// A port on the command line selects TCP.
pub fn port(settings: &mut Settings, given: Given<'_, u64>) -> Done {
    let number = given.value;
    let port = u16::try_from(number).map_err(|_| {
        Failure::refused(
            format!("--port={number} isn't a TCP port"),
            "give 0 to 65535",
        )
    })?;
    // In mysqlslap, 0 means the default.
    settings.login.port = Some(port).filter(|&port| port != 0);
    if given.typed {
        settings.login.tcp = Some(true);
    }
    Ok(())
}

/// A socket on the command line selects the socket, not TCP.
pub fn socket(settings: &mut Settings, given: Text<'_>) -> Done {
    let login = &mut settings.login;
    login.socket = Some(given.value.into()).filter(|_| !given.value.is_empty());
    if given.typed && login.socket.is_some() {
        login.tcp = Some(false);
    }
    Ok(())
}

pub fn password(settings: &mut Settings, given: Given<'_, &Value>) -> Done {
    let login = &mut settings.login;
    login.password = match given.value {
        Value::Text(text) => Some(text.to_string_lossy().into_owned()),
        Value::Switch(_) => None,
    };
    login.asks_password = *given.value == Value::Switch(true);
    Ok(())
}

pub fn protocol(settings: &mut Settings, given: Text<'_>) -> Done {
    settings.login.protocol(&words(&given))
}

pub fn ssl(settings: &mut Settings, given: Given<'_, bool>) -> Done {
    let encryption = &mut settings.login.encryption;
    match (given.value, *encryption) {
        (true, Encryption::Off) => *encryption = Encryption::Required,
        (true, _) => {}
        (false, _) => *encryption = Encryption::Off,
    }
    Ok(())
}

pub fn ssl_mode(settings: &mut Settings, given: Text<'_>) -> Done {
    settings.login.ssl_mode(&words(&given))
}

pub fn ssl_ca(settings: &mut Settings, given: Text<'_>) -> Done {
    if !given.value.is_empty() {
        settings.login.ca_file = Some(given.value.into());
        // --ssl-mode may have asked for less, in any order.
        if !settings.login.encryption.verifies() {
            settings.login.encryption = Encryption::VerifyIdentity;
        }
    }
    Ok(())
}
