//! Values that types allow but plans don't: times, numbers and names out of range.

use super::PlanError;

/// The longest time that a plan may ask for: a year. Keeps nanoseconds far from overflowing.
const SECONDS_MAX: f64 = 31_536_000.0;

/// The most connections that may load rows: more don't help.
pub const LOADERS_MAX: u32 = 256;

/// Refuses a time that is too short or too long.
pub fn seconds(path: &str, value: f64, min: f64) -> Result<(), PlanError> {
    // Written this way round so that NaN is refused too.
    if value >= min && value <= SECONDS_MAX {
        return Ok(());
    }
    let hint = format!("give seconds from {min} to {SECONDS_MAX}");
    Err(PlanError::new(path, &format!("{value} seconds"), &hint))
}

/// Refuses a number of the workload that types allow but is too small or too large.
pub fn in_range(key: &str, value: u32, min: u32, max: u32) -> Result<(), PlanError> {
    if (min..=max).contains(&value) {
        return Ok(());
    }
    let hint = format!("give a number from {min} to {max}");
    let path = format!("workload.{key}");
    Err(PlanError::new(&path, &value.to_string(), &hint))
}

/// An engine's name goes into CREATE TABLE as it is, so it must be one word.
pub(crate) fn engine_name(name: &str) -> Result<(), PlanError> {
    let is_of_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if name.is_empty() || !name.bytes().all(is_of_word) {
        let message = format!("`{name}` isn't an engine's name");
        let hint = "give a name as SHOW ENGINES does";
        return Err(PlanError::new("workload.engine", &message, hint));
    }
    Ok(())
}
