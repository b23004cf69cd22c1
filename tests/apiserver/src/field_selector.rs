//! Field selectors: `metadata.name=x,spec.nodeName!=y`, over the fields each kind declares.

use crate::kinds::Kind;
use crate::object::Entry;
use crate::status::Status;

/// A parsed field selector; matches everything when empty.
#[derive(Debug, Clone, Default)]
pub(crate) struct FieldSelector {
    requirements: Vec<Requirement>,
}

#[derive(Debug, Clone)]
struct Requirement {
    field: Field,
    value: String,
    equal: bool,
}

#[derive(Debug, Clone, Copy)]
enum Field {
    Name,
    Namespace,
    /// Index in `Kind::fields`.
    Declared(usize),
}

impl FieldSelector {
    pub(crate) fn parse(kind: &Kind, text: &str) -> Result<Self, Status> {
        let mut requirements = Vec::new();
        for term in split_terms(text).iter().filter(|term| !term.is_empty()) {
            let (path, value, equal) = split_operator(term)
                .ok_or_else(|| Status::bad_request(format!("invalid selector: '{text}'; can't understand '{term}'")))?;
            let field = match path {
                "metadata.name" => Field::Name,
                "metadata.namespace" => Field::Namespace,
                _ => kind
                    .fields
                    .iter()
                    .position(|known| *known == path)
                    .map(Field::Declared)
                    .ok_or_else(|| unsupported(kind, path))?,
            };
            requirements.push(Requirement { field, value: unescape(value)?, equal });
        }
        Ok(Self { requirements })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.requirements.is_empty()
    }

    pub(crate) fn matches(&self, entry: &Entry) -> bool {
        self.requirements.iter().all(|requirement| {
            let found = match requirement.field {
                Field::Name => Some(&entry.name),
                Field::Namespace => Some(&entry.namespace),
                Field::Declared(place) => entry.fields.get(place),
            };
            (found == Some(&requirement.value)) == requirement.equal
        })
    }
}

/// Returns the error of an unsupported field. The real server has two messages: for kinds with fields of their own, and
/// for all others.
fn unsupported(kind: &Kind, path: &str) -> Status {
    if kind.fields.is_empty() && !kind.custom {
        Status::bad_request(format!(
            "\"{path}\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
        ))
    } else {
        Status::bad_request(format!("field label not supported: {path}"))
    }
}

/// Splits at commas that are not escaped.
fn split_terms(text: &str) -> Vec<&str> {
    let (mut terms, mut start, mut escaped) = (Vec::new(), 0, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            ',' => {
                terms.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    terms.push(&text[start..]);
    terms
}

fn split_operator(term: &str) -> Option<(&str, &str, bool)> {
    let at = term.find(['!', '='])?;
    let (path, rest) = term.split_at(at);
    for (operator, equal) in [("!=", false), ("==", true), ("=", true)] {
        if let Some(value) = rest.strip_prefix(operator) {
            return Some((path, value, equal));
        }
    }
    None
}

fn unescape(value: &str) -> Result<String, Status> {
    let invalid = |why: String| Status::bad_request(format!("invalid field selector: {why}"));
    let mut out = String::with_capacity(value.len());
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(escaped @ ('\\' | ',' | '=')) => out.push(escaped),
                Some(other) => return Err(invalid(format!("invalid escape sequence: \\{other}"))),
                None => return Err(invalid("invalid escape sequence: \\".to_owned())),
            },
            '=' => return Err(invalid(format!("unescaped character in value: {}", u32::from(c)))),
            _ => out.push(c),
        }
    }
    Ok(out)
}
