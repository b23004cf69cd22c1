//! Secret values: which ones are masked, and what a masked and a revealed one look like.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::value::RawValue;

use super::emitter::Text;
use crate::visible::is_hidden;

/// What stands in the place of a value. Its length is that of no value.
const MASK: &str = "••••••••";

/// The annotation in which `kubectl apply` keeps the whole object, secret values and all.
pub(super) const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The ids of the values that are revealed.
pub(crate) type Revealed = Vec<String>;

/// What the lines are for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Form {
    /// To be read: a revealed value is decoded where it is text.
    #[default]
    Screen,
    /// To be copied: a revealed value is as the server has it, so that the YAML can be applied.
    Copy,
}

/// How an object is printed. By default nothing is revealed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Printing {
    /// Whether the object is a Secret even if it does not say so itself.
    pub(crate) is_secret: bool,
    /// The values that are revealed.
    pub(crate) revealed: Revealed,
    /// What the lines are for.
    pub(crate) form: Form,
}

/// A secret value, named at the line where it begins.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Secret {
    /// Where it is: `data/password`.
    pub(crate) id: String,
    /// Its key: `password`.
    pub(crate) name: String,
    /// The value, decoded where it is text; only while it is revealed.
    pub(crate) content: Option<String>,
}

/// How a secret value is printed.
pub(super) enum Printed {
    /// On one line, as it is here.
    Line(String),
    /// As any string is.
    Text(String),
    /// As the JSON says.
    Raw,
}

/// How the value of `key` is printed in `parent`, the comment behind it, and what the page can do with it.
pub(super) fn printed(printing: &Printing, parent: &str, key: &str, raw: &RawValue) -> (Printed, String, Secret) {
    let id = if key.is_empty() { parent.to_owned() } else { format!("{parent}/{key}") };
    let name = if key.is_empty() { parent.to_owned() } else { key.to_owned() };
    let text = serde_json::from_str::<Text<'_>>(raw.get()).ok().map(|text| text.0);
    let decoded = text.as_deref().filter(|_| parent == "data").and_then(|text| STANDARD.decode(text).ok());
    if !printing.revealed.contains(&id) {
        let bytes = decoded.map_or_else(|| text.as_deref().unwrap_or(raw.get()).len(), |bytes| bytes.len());
        return (Printed::Line(MASK.to_owned()), size("hidden", bytes), Secret { id, name, content: None });
    }
    let secret = |content: &str| Secret { id, name, content: Some(content.to_owned()) };
    let Some(text) = text else { return (Printed::Raw, String::new(), secret(raw.get())) };
    let Some(bytes) = decoded else { return (Printed::Text(text.to_string()), String::new(), secret(&text)) };
    match (String::from_utf8(bytes).map(|decoded| (is_text(&decoded), decoded)), printing.form) {
        (Ok((true, decoded)), Form::Screen) => {
            let secret = secret(&decoded);
            (Printed::Text(decoded), "decoded".to_owned(), secret)
        }
        (Ok((true, decoded)), Form::Copy) => {
            // One line of it fits behind the value.
            let note = if decoded.contains(|c: char| c == '\n' || c == '\t' || is_hidden(c)) { "" } else { &decoded };
            (Printed::Text(text.to_string()), note.to_owned(), secret(&decoded))
        }
        (Ok((false, decoded)), _) => (Printed::Text(text.to_string()), size("binary", decoded.len()), secret(&text)),
        (Err(error), _) => (Printed::Text(text.to_string()), size("binary", error.as_bytes().len()), secret(&text)),
    }
}

/// Whether a person can read it. Bytes that happen to be UTF-8 are not all text.
fn is_text(decoded: &str) -> bool {
    !decoded.contains(|c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t'))
}

fn size(what: &str, bytes: usize) -> String {
    if bytes == 1 { format!("{what}, 1 byte") } else { format!("{what}, {bytes} bytes") }
}

#[cfg(test)]
mod tests;
