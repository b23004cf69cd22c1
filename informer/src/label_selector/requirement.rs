//! Requirement of a label selector, with its validation.

use std::fmt;

use super::Labels;
use crate::error::{ErrorCode, InformerError, Result};
use crate::sorted::sorted;

/// Operator of a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operator {
    /// The label has this value.
    Equals,
    /// The label has another value, or is missing.
    NotEquals,
    /// The label has one of these values.
    In,
    /// The label has none of these values, or is missing.
    NotIn,
    /// The label exists.
    Exists,
    /// The label is missing.
    DoesNotExist,
    /// The label is an integer above this one.
    GreaterThan,
    /// The label is an integer below this one.
    LessThan,
}

/// Condition on one label. It is always valid: it can be printed and sent to an apiserver.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Requirement {
    key: String,
    operator: Operator,
    /// Sorted, without duplicates.
    values: Vec<String>,
}

impl Requirement {
    /// Creates a requirement, validated like apimachinery's `NewRequirement`.
    ///
    /// # Errors
    /// [`ErrorCode::BadRequest`], naming the invalid part: the `key` (an optional DNS subdomain of at most 253 bytes
    /// and a slash, then a name of at most 63), a `values[n]` (at most 63 bytes), or the number of values. `In` and
    /// `NotIn` take at least one, `Exists` and `DoesNotExist` none, the others one. For `GreaterThan` and `LessThan` it
    /// is an integer.
    pub fn new<V: Into<String>>(key: &str, operator: Operator, values: impl IntoIterator<Item = V>) -> Result<Self> {
        let values: Vec<String> = values.into_iter().map(Into::into).collect();
        if let Some(reason) = violation(key, operator, &values) {
            return Err(InformerError::new(ErrorCode::BadRequest, format!("invalid label requirement: {reason}")));
        }
        let values = sorted(values.iter().map(String::as_str)).into_iter().map(str::to_owned).collect();
        Ok(Self { key: key.to_owned(), operator, values })
    }

    /// Returns a sort key. Each part ends with a zero byte, which no valid key or value contains.
    pub(super) fn sort_key(&self) -> String {
        let mut key = self.key.clone();
        key.push('\0');
        key.push(char::from(self.operator as u8));
        for value in &self.values {
            key.push_str(value);
            key.push('\0');
        }
        key
    }

    /// Returns the name of the label.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns the operator.
    pub fn operator(&self) -> Operator {
        self.operator
    }

    /// Returns the values, sorted.
    pub fn values(&self) -> &[String] {
        &self.values
    }

    /// Whether these labels satisfy it.
    ///
    /// A missing label satisfies `NotEquals`, `NotIn` and `DoesNotExist`, and no other operator. A value that is not a
    /// 64-bit integer is neither greater nor less than a number.
    pub fn matches(&self, labels: &(impl Labels + ?Sized)) -> bool {
        let found = labels.lookup(&self.key);
        let listed = || found.is_some_and(|value| self.values.iter().any(|v| v == value));
        let compared = || {
            let bound = self.values.first()?.parse::<i64>().ok()?;
            Some(found?.parse::<i64>().ok()?.cmp(&bound))
        };
        match self.operator {
            Operator::Equals | Operator::In => listed(),
            Operator::NotEquals | Operator::NotIn => !listed(),
            Operator::Exists => found.is_some(),
            Operator::DoesNotExist => found.is_none(),
            Operator::GreaterThan => compared().is_some_and(std::cmp::Ordering::is_gt),
            Operator::LessThan => compared().is_some_and(std::cmp::Ordering::is_lt),
        }
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, before, after) = match self.operator {
            Operator::Equals => ("", "=", ""),
            Operator::NotEquals => ("", "!=", ""),
            Operator::In => ("", " in (", ")"),
            Operator::NotIn => ("", " notin (", ")"),
            Operator::Exists => ("", "", ""),
            Operator::DoesNotExist => ("!", "", ""),
            Operator::GreaterThan => ("", ">", ""),
            Operator::LessThan => ("", "<", ""),
        };
        for text in [sign, &self.key, before] {
            f.write_str(text)?;
        }
        for (place, value) in self.values.iter().enumerate() {
            f.write_str(if place > 0 { "," } else { "" })?;
            f.write_str(value)?;
        }
        f.write_str(after)
    }
}

/// Returns the reason why the requirement is invalid, if it is.
pub(super) fn violation(key: &str, operator: Operator, values: &[String]) -> Option<String> {
    if let Some(reason) = key_violation(key) {
        return Some(format!("key: {reason}"));
    }
    let count = match (operator, values) {
        (Operator::In | Operator::NotIn, []) => Some("at least one is required"),
        (Operator::Exists | Operator::DoesNotExist, [_, ..]) => Some("none are allowed"),
        (Operator::Equals | Operator::NotEquals | Operator::GreaterThan | Operator::LessThan, [] | [_, _, ..]) => {
            Some("exactly one is required")
        }
        _ => None,
    };
    if let Some(count) = count {
        return Some(format!("values: {count} for {operator:?}"));
    }
    let numeric = matches!(operator, Operator::GreaterThan | Operator::LessThan);
    values.iter().enumerate().find_map(|(at, value)| {
        let reason = match value_violation(value) {
            None if numeric && value.parse::<i64>().is_err() => "it must be a 64-bit integer",
            reason => reason?,
        };
        Some(format!("values[{at}]: {reason}"))
    })
}

const NAME: &str = "it must consist of letters, digits, '-', '_' and '.', and start and end with a letter or digit";

fn key_violation(key: &str) -> Option<&'static str> {
    let (prefix, name) = match key.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    if prefix.is_some_and(|prefix| prefix.len() > 253) {
        Some("the prefix before the slash must not be longer than 253 bytes")
    } else if prefix.is_some_and(|prefix| !prefix.split('.').all(is_dns_label)) {
        Some("the prefix before the slash must be a lower-case DNS name")
    } else if name.is_empty() {
        Some("it must not be empty")
    } else if name.len() > 63 {
        Some("the name must not be longer than 63 bytes")
    } else {
        (!is_name(name)).then_some(NAME)
    }
}

fn value_violation(value: &str) -> Option<&'static str> {
    if value.len() > 63 {
        Some("it must not be longer than 63 bytes")
    } else {
        (!value.is_empty() && !is_name(value)).then_some(NAME)
    }
}

fn is_dns_label(label: &str) -> bool {
    let ends = [label.bytes().next(), label.bytes().next_back()];
    label.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        && ends.iter().all(|end| end.is_some_and(|b| b != b'-'))
}

fn is_name(name: &str) -> bool {
    let ends = [name.bytes().next(), name.bytes().next_back()];
    name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
        && ends.iter().all(|end| end.is_some_and(|b| b.is_ascii_alphanumeric()))
}
