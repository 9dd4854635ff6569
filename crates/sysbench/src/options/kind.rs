//! The types of options, and how a value is read from text.
//!
//! Exactly as lenient as sysbench: an integer must be one, but a float may be followed by any text.

use doors::Encryption;

/// The type of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// On or off.
    Bool,
    /// A 32-bit integer.
    Int,
    /// A number of bytes with a suffix K, M, G or T.
    Size,
    /// A float.
    Double,
    /// Any text.
    Text,
    /// Texts separated by commas.
    List,
    /// Path of a file; has no value of its own.
    File,
    /// On, off, or one of the words of newer versions.
    Tls,
    /// One percentile, or several separated by commas.
    Percents,
}

/// The value of an option.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// None.
    Unset,
    /// On or off.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A number.
    Double(f64),
    /// A text, empty when unset.
    Text(String),
    /// A list, empty when unset.
    List(Vec<String>),
    /// Percentiles, at least one.
    Percents(Vec<f64>),
}

impl Value {
    /// True for an option that is on.
    pub fn is_on(&self) -> bool {
        matches!(self, Value::Bool(true))
    }

    /// As an integer, 0 for anything else.
    pub fn int(&self) -> i64 {
        match self {
            Value::Int(number) => *number,
            Value::Double(number) => *number as i64,
            _ => 0,
        }
    }

    /// As a float, 0 for anything else.
    pub fn double(&self) -> f64 {
        match self {
            Value::Int(number) => *number as f64,
            Value::Double(number) => *number,
            _ => 0.0,
        }
    }

    /// As text, empty for anything else.
    pub fn text(&self) -> &str {
        match self {
            Value::Text(text) => text,
            _ => "",
        }
    }

    /// As a list, empty for anything else.
    pub fn list(&self) -> &[String] {
        match self {
            Value::List(list) => list,
            _ => &[],
        }
    }
}

impl Kind {
    /// The value of an option that wasn't given.
    pub fn default(self, default: Option<&str>) -> Value {
        match (self, default) {
            (Kind::File, _) => Value::Unset,
            (Kind::Text, None) => Value::Text(String::new()),
            (Kind::List, None) => Value::List(Vec::new()),
            // As in sysbench; this program's own options all have a default.
            (Kind::Bool, None) => Value::Bool(true),
            (Kind::Int | Kind::Size, None) => Value::Int(0),
            (Kind::Double, None) => Value::Double(0.0),
            (_, default) => self.parse(default).unwrap_or(Value::Unset),
        }
    }

    /// The value of an option given as `text`, or without a value.
    pub fn parse(self, text: Option<&str>) -> Option<Value> {
        let given = text.unwrap_or_default();
        Some(match self {
            Kind::Bool => Value::Bool(is_on(text)?),
            Kind::Tls => match is_on(text) {
                Some(on) => Value::Bool(on),
                None => Value::Text(tls_word(given)?),
            },
            Kind::Int if given.is_empty() => Value::Int(0),
            Kind::Int => Value::Int(given.parse::<i32>().ok()?.into()),
            Kind::Size => Value::Int(size(given)?),
            Kind::Double => Value::Double(leading_number(given)),
            Kind::Text => Value::Text(given.to_owned()),
            Kind::List if given.is_empty() => Value::List(Vec::new()),
            Kind::List => Value::List(given.split(',').map(str::to_owned).collect()),
            Kind::File => Value::Unset,
            Kind::Percents => {
                let percents = given.split(',').map(|one| one.parse().ok());
                Value::Percents(percents.collect::<Option<Vec<f64>>>()?)
            }
        })
    }
}

fn is_on(text: Option<&str>) -> Option<bool> {
    match text {
        None | Some("on" | "true" | "1") => Some(true),
        Some("off" | "false" | "0") => Some(false),
        Some(_) => None,
    }
}

fn tls_word(given: &str) -> Option<String> {
    let mode = Encryption::named(given);
    mode.map(|_| given.to_ascii_lowercase())
}

fn size(text: &str) -> Option<i64> {
    let (digits, power) = match text.char_indices().last()? {
        (at, 'k' | 'K') => (&text[..at], 1),
        (at, 'm' | 'M') => (&text[..at], 2),
        (at, 'g' | 'G') => (&text[..at], 3),
        (at, 't' | 'T') => (&text[..at], 4),
        _ => (text, 0),
    };
    let number: i64 = digits.parse().ok()?;
    number.checked_mul(1024_i64.pow(power))
}

/// The number at the start of a text, or 0.
fn leading_number(text: &str) -> f64 {
    let text = text.trim_start();
    (1..=text.len())
        .rev()
        .filter(|&end| text.is_char_boundary(end))
        .find_map(|end| text[..end].parse().ok())
        .unwrap_or(0.0)
}
