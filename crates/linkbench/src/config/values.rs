//! Values of properties as numbers and words; errors use LinkBench's wording.

use super::Properties;
use crate::failure::{self, Failure};

/// Takes values out of properties.
pub struct Values<'a>(pub &'a Properties);

impl Values<'_> {
    /// The value trimmed of blanks; an empty one counts as missing.
    pub fn text(&self, key: &str) -> Option<&str> {
        let value = self.0.get(key).map(|value| value.trim());
        value.filter(|value| !value.is_empty())
    }

    /// The same for a required key.
    pub fn required(&self, key: &str) -> Result<&str, Failure> {
        self.text(key).ok_or_else(|| {
            failure::config(
                format!("Expected configuration key {key} to be defined"),
                format!("add it to the file, or give -D {key}=…"),
            )
        })
    }

    /// A required integer.
    pub fn number(&self, key: &str) -> Result<i64, Failure> {
        let text = self.required(key)?;
        text.parse().map_err(|_| {
            failure::config(
                format!("Expected configuration key {key} to be long integer, but was '{text}'"),
                "give a whole number",
            )
        })
    }

    /// An integer, or this default.
    pub fn number_or(&self, key: &str, otherwise: i64) -> Result<i64, Failure> {
        match self.text(key) {
            Some(_) => self.number(key),
            None => Ok(otherwise),
        }
    }

    /// A required integer in this range.
    pub fn within(&self, key: &str, min: i64, max: i64) -> Result<i64, Failure> {
        let value = self.number(key)?;
        if (min..=max).contains(&value) {
            return Ok(value);
        }
        Err(failure::config(
            format!("configuration key {key} is {value}"),
            format!("give a number from {min} to {max}"),
        ))
    }

    /// True or false, or this default.
    pub fn flag_or(&self, key: &str, otherwise: bool) -> Result<bool, Failure> {
        match self.text(key).map(str::to_lowercase).as_deref() {
            None => Ok(otherwise),
            Some("true") => Ok(true),
            Some("false") => Ok(false),
            Some(other) => Err(failure::config(
                format!("Expected configuration key {key} to be true or false, but was '{other}'"),
                "write true or false",
            )),
        }
    }
}
