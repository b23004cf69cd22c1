//! Halt: the reason why a case could not be completed.

use std::fmt;

/// Reason why a case ended early.
#[derive(Debug)]
pub(crate) enum Halt {
    /// The target lacks something that the case requires.
    Skip(String),
    /// A step that the case depends on failed.
    Broken(String),
}

/// Outcome of a case, or of a step.
pub(crate) type Outcome<T = ()> = Result<T, Halt>;

impl Halt {
    pub(crate) fn broken(why: impl fmt::Display) -> Self {
        Self::Broken(why.to_string())
    }
}

impl From<reqwest::Error> for Halt {
    fn from(error: reqwest::Error) -> Self {
        use std::error::Error as _;
        let mut why = error.to_string();
        let mut source = error.source();
        // reqwest's message is "error sending request"; the cause is at the end of the chain.
        while let Some(cause) = source {
            why = format!("{why}: {cause}");
            source = cause.source();
        }
        Self::Broken(why)
    }
}

impl From<serde_json::Error> for Halt {
    fn from(error: serde_json::Error) -> Self {
        Self::broken(error)
    }
}
