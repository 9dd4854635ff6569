//! Why a plan is refused: where, what was seen, and what to write instead.

use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::{Path, Segment};

use crate::nearest;

/// One mistake in a plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", at(path))]
pub struct PlanError {
    path: String,
    message: String,
    hint: String,
}

fn at(path: &str) -> String {
    if path.is_empty() {
        String::new()
    } else {
        format!("{path}: ")
    }
}

impl PlanError {
    /// A mistake at a path such as `phases[1].rounds`.
    pub fn new(path: &str, message: &str, hint: &str) -> PlanError {
        PlanError {
            path: path.to_owned(),
            message: message.to_owned(),
            hint: hint.to_owned(),
        }
    }

    /// What to write instead, as one sentence.
    pub fn hint(&self) -> &str {
        if self.hint.is_empty() {
            "docs/reference/load-plan.md describes every key"
        } else {
            &self.hint
        }
    }

    /// The text isn't JSON at all.
    pub fn json(error: serde_json::Error) -> PlanError {
        PlanError::new("", &format!("not JSON: {error}"), "write one JSON object")
    }

    /// A required key is missing.
    pub fn missing(path: &str, key: &str) -> PlanError {
        PlanError::new(
            path,
            &format!("key `{key}` is missing"),
            &format!("add `{key}`"),
        )
    }

    /// An unknown key or value (`what`).
    pub fn unknown(path: &str, what: &str, seen: &str, known: &[&str]) -> PlanError {
        let hint = match nearest(seen, known.iter().copied()) {
            Some(name) => format!("did you mean `{name}`?"),
            None => format!("known here: {}", known.join(", ")),
        };
        PlanError::new(path, &format!("unknown {what} `{seen}`"), &hint)
    }

    /// What serde found, in this program's words. Its texts are parsed only to phrase them better:
    /// one that isn't known here is passed on as it is.
    pub(crate) fn serde(
        under: &str,
        error: &serde_path_to_error::Error<serde_json::Error>,
    ) -> PlanError {
        let text = error.inner().to_string();
        let path = join(under, error.path());
        let quoted = quoted(&text);
        let named = quoted.first().copied().unwrap_or_default();
        // serde includes the key itself in the path in some cases and not in others.
        let parent = path.strip_suffix(&format!(".{named}")).unwrap_or(&path);
        let parent = if parent == named { "" } else { parent };
        if text.starts_with("unknown field") {
            PlanError::unknown(parent, "key", named, &quoted[1..])
        } else if text.starts_with("unknown variant") {
            PlanError::unknown(&path, "value", named, &quoted[1..])
        } else if text.starts_with("missing field") {
            PlanError::missing(parent, named)
        } else if let Some(rest) = text.strip_prefix("invalid type: ") {
            PlanError::new(&path, &format!("wrong type: {}", plain(rest)), "")
        } else if let Some(rest) = text.strip_prefix("invalid value: ") {
            PlanError::new(&path, &format!("wrong value: {}", plain(rest)), "")
        } else {
            PlanError::new(&path, &text, "")
        }
    }
}

fn join(under: &str, path: &Path) -> String {
    let mut text = under.to_owned();
    for segment in path.iter() {
        match segment {
            Segment::Seq { index } => text.push_str(&format!("[{index}]")),
            Segment::Map { key } | Segment::Enum { variant: key } => {
                if !text.is_empty() {
                    text.push('.');
                }
                text.push_str(key);
            }
            Segment::Unknown => {}
        }
    }
    text
}

/// Everything between backticks.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// Rust's type names in plain words.
fn plain(text: &str) -> String {
    let Some((seen, expected)) = text.rsplit_once(", expected ") else {
        return text.to_owned();
    };
    let expected = match expected {
        "u8" => "a whole number from 0 to 255",
        "u16" => "a whole number from 0 to 65535",
        "u32" => "a whole number from 0 to 4294967295",
        "u64" => "a whole number from 0 to 2^64 - 1",
        "i64" => "a whole number from -2^63 to 2^63 - 1",
        "f64" => "a number",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        other if other.starts_with("struct ") => "an object",
        other => other,
    };
    format!("{seen}, where {expected} is needed")
}

/// Reads the part of a plan that is under a key.
pub fn typed<T: DeserializeOwned>(value: Value, under: &str) -> Result<T, PlanError> {
    serde_path_to_error::deserialize(value).map_err(|error| PlanError::serde(under, &error))
}
