//! An object as lines of YAML, as `kubectl get -o yaml` would print it, with the values of Secrets masked.
//!
//! Only this module converts JSON to lines ([`Yaml::of`]); the modules that show lines do not handle JSON.

mod emitter;
mod masked;
mod outline;
mod scalar;
mod secret;
mod text;

use std::fmt;
use std::sync::Arc;

use serde_json::value::RawValue;

use emitter::Emitter;
pub(crate) use masked::masked;
pub(crate) use outline::{NodeId, Outline, Segment};
pub(crate) use secret::{Form, Printing, Revealed, Secret, is_secret};

/// One line, split where the colours change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Line {
    /// Indentation and dashes.
    pub(crate) lead: String,
    /// The key with its colon; empty without a key.
    pub(crate) key: String,
    /// Text after the key, or the text of a block scalar.
    pub(crate) value: String,
    /// Comment after the value, without its `#`; empty without a comment.
    pub(crate) note: String,
    /// The secret value that begins on this line.
    pub(crate) secret: Option<Secret>,
}

impl Line {
    /// Whether its value is a number, a boolean or null, and not a string or a line of a block.
    pub(crate) fn is_literal(&self) -> bool {
        let is_scalar = !self.key.is_empty() || self.lead.trim_end().ends_with('-');
        is_scalar && scalar::is_literal(&self.value)
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let space = if self.key.is_empty() || self.value.is_empty() { "" } else { " " };
        write!(f, "{}{}{space}{}", self.lead, self.key, self.value)?;
        if self.note.is_empty() { Ok(()) } else { write!(f, " # {}", self.note) }
    }
}

/// Lines with their outline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Document {
    pub(crate) lines: Vec<Line>,
    pub(crate) outline: Outline,
}

/// Object as YAML. `metadata.managedFields`, which is rarely of interest, is separate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Yaml {
    /// Everything else.
    pub(crate) body: Arc<Document>,
    /// Managed fields, if the object has any.
    pub(crate) managed_fields: Arc<Document>,
}

impl Yaml {
    /// Converts an object. The error is serde's message.
    pub(crate) fn of(json: &str, printing: &Printing) -> Result<Self, String> {
        let root: &RawValue = serde_json::from_str(json).map_err(|error| error.to_string())?;
        let (body, managed_fields) = Emitter::new(printing).object(root).map_err(|error| error.to_string())?;
        Ok(Self { body: body.into(), managed_fields: managed_fields.into() })
    }
}

/// Joins the lines into one text.
pub(crate) fn to_text(document: &Document) -> String {
    let mut text = String::new();
    for line in &document.lines {
        text.push_str(&line.to_string());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests;
