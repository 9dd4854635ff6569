//! Why a script, or a call into it, failed.

use mlua::Value;

/// An error of a script, or of Lua around it.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// What the script raised, with its location.
    #[error("{0}")]
    Raised(String),
    /// The script raised something that has no text.
    #[error("(not a string)")]
    NotText,
    /// Its loop ended before an event.
    #[error("thread_run ended without an event")]
    NoEvents,
    /// The system gives no memory for its stack.
    #[error("there is no memory for its stack: {0}")]
    Stack(std::io::Error),
    /// There is no file or module of its name, or not any more.
    #[error("the script is gone")]
    Missing,
    /// Lua refused a call or a value from this program.
    #[error("{0}")]
    Lua(#[from] mlua::Error),
}

impl ScriptError {
    /// What Lua raised.
    pub fn raised(problem: &Value) -> ScriptError {
        match problem {
            Value::String(message) => ScriptError::Raised(message.to_string_lossy()),
            _ => ScriptError::NotText,
        }
    }
}
