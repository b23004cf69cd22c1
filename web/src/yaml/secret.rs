//! Secret values: which ones are masked, and the masked and revealed forms.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use informer::GroupVersionResource;
use serde_json::value::RawValue;

use super::text::Text;
use crate::visible::is_hidden;

/// Mask in place of a value. Its length is independent of the value.
pub(super) const MASK: &str = "••••••••";

/// Annotation in which `kubectl apply` stores the whole object, secret values included.
pub(super) const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Whether the objects of a resource are Secrets.
pub(crate) fn is_secret(resource: &GroupVersionResource) -> bool {
    resource.group.is_empty() && resource.resource == "secrets"
}

/// Ids of the revealed values.
pub(crate) type Revealed = Vec<String>;

/// Purpose of the lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Form {
    /// Lines for reading: a revealed value is decoded if it is text.
    #[default]
    Screen,
    /// Lines for copying: a revealed value is unchanged, so that the YAML can be applied.
    Copy,
}

/// Printing options. By default nothing is revealed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Printing {
    /// Whether the object is a Secret even if its kind is missing.
    pub(crate) is_secret: bool,
    /// Revealed values.
    pub(crate) revealed: Revealed,
    /// Purpose of the lines.
    pub(crate) form: Form,
}

/// Secret value, attached to its first line.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Secret {
    /// Its path: `data/password`.
    pub(crate) id: String,
    /// Its key: `password`.
    pub(crate) name: String,
    /// Value, decoded if it is text; only while it is revealed.
    pub(crate) content: Option<String>,
}

/// Printed form of a secret value.
pub(super) enum Printed {
    /// Printed on one line, unchanged.
    Line(String),
    /// Printed as any string.
    Text(String),
    /// Printed as JSON.
    Raw,
}

/// Returns the printed form of `key` in `parent`, the comment after it, and the actions that the page offers.
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
            // A single line fits after the value.
            let note = if decoded.contains(|c: char| c == '\n' || c == '\t' || is_hidden(c)) { "" } else { &decoded };
            (Printed::Text(text.to_string()), note.to_owned(), secret(&decoded))
        }
        (Ok((false, decoded)), _) => (Printed::Text(text.to_string()), size("binary", decoded.len()), secret(&text)),
        (Err(error), _) => (Printed::Text(text.to_string()), size("binary", error.as_bytes().len()), secret(&text)),
    }
}

/// Whether a value is readable. Bytes that happen to be valid UTF-8 are not always text.
fn is_text(decoded: &str) -> bool {
    !decoded.contains(|c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t'))
}

fn size(what: &str, bytes: usize) -> String {
    if bytes == 1 { format!("{what}, 1 byte") } else { format!("{what}, {bytes} bytes") }
}

#[cfg(test)]
mod tests;
