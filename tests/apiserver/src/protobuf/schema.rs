//! Protobuf schema: read from a table that `tests/kube/protobuf` prints from the API types.

use std::collections::HashMap;
use std::sync::LazyLock;

/// One field of a message.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) number: u32,
    /// JSON name; empty for an inlined message.
    pub(crate) name: String,
    pub(crate) shape: Shape,
    /// Whether JSON contains it even if it is zero.
    pub(crate) keep_zero: bool,
    pub(crate) of: Type,
}

/// Cardinality of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    One,
    List,
    Map,
}

/// Type of a field.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Text,
    Flag,
    Integer,
    Bytes,
    Message(String),
}

static MESSAGES: LazyLock<HashMap<&str, Vec<Field>>> = LazyLock::new(|| {
    let message = |line: &'static str| {
        let mut words = line.split(' ');
        Some((words.next()?, words.filter_map(Field::parse).collect()))
    };
    include_str!("messages.txt").lines().filter_map(message).collect()
});

/// Returns the fields of a message.
pub(crate) fn message(name: &str) -> Option<&'static [Field]> {
    MESSAGES.get(name).map(Vec::as_slice)
}

impl Field {
    /// Reads `number:name:type`.
    fn parse(word: &str) -> Option<Self> {
        let mut parts = word.splitn(3, ':');
        let (number, name, rest) = (parts.next()?.parse().ok()?, parts.next()?, parts.next()?);
        let (keep_zero, rest) = rest.strip_prefix('*').map_or((false, rest), |rest| (true, rest));
        let (shape, rest) = match (rest.strip_prefix("[]"), rest.strip_prefix("{}")) {
            (Some(of), _) => (Shape::List, of),
            (_, Some(of)) => (Shape::Map, of),
            (None, None) => (Shape::One, rest),
        };
        let of = match rest {
            "s" => Type::Text,
            "b" => Type::Flag,
            "i" => Type::Integer,
            "y" => Type::Bytes,
            message => Type::Message(message.to_owned()),
        };
        Some(Self { number, name: name.to_owned(), shape, keep_zero, of })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_referenced_message_exists() {
        let special = ["Time", "MicroTime", "Quantity", "IntOrString", "FieldsV1", "RawExtension", "Strings"];
        for field in MESSAGES.values().flatten() {
            if let Type::Message(name) = &field.of {
                assert!(special.contains(&name.as_str()) || message(name).is_some(), "{name}");
            }
        }
        assert!(message("core/v1.Pod").is_some_and(|fields| fields.len() == 3));
        // kubectl auth can-i sends it in protobuf.
        assert!(message("authorization/v1.SelfSubjectAccessReview").is_some());
    }
}
