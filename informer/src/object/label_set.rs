//! The labels of an object, shared by all that have the same.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use informer_packing::Json;

use crate::label_selector::Labels;

/// The labels of an object, sorted by key. A copy is another pointer to the same.
///
/// ```
/// use informer::{LabelSelector, LabelSet};
///
/// let labels = LabelSet::from_iter([("tier", "front"), ("app", "web")]);
/// assert_eq!(labels.get("app"), Some("web"));
/// assert_eq!(labels.iter().next(), Some(("app", "web")));
/// assert!("app=web,!legacy".parse::<LabelSelector>()?.matches(&labels));
/// # Ok::<(), informer::InformerError>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct LabelSet(
    /// Each label: length of its key, length of its value, key, value. `None` where there are none.
    Option<Arc<[u8]>>,
);

impl LabelSet {
    /// The value of a label; `None` where it is not there, which is not the same as an empty value. O(labels).
    pub fn get(&self, key: &str) -> Option<&str> {
        self.iter().find_map(|(name, value)| (name == key).then_some(value))
    }

    /// Keys and values, by key.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let mut rest = self.0.as_deref().unwrap_or_default();
        std::iter::from_fn(move || {
            let key = length(&mut rest)?;
            let value = length(&mut rest)?;
            Some((text(&mut rest, key)?, text(&mut rest, value)?))
        })
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The labels of `metadata.labels`. What is not a text is no label: the apiserver sends no such thing.
    pub(crate) fn of_json(labels: Json<'_>) -> Self {
        labels.members().filter_map(|(key, value)| Some((key, value.as_str()?))).collect()
    }
}

impl<K: AsRef<str>, V: AsRef<str>> FromIterator<(K, V)> for LabelSet {
    /// Of a key that is there twice, the last counts.
    fn from_iter<I: IntoIterator<Item = (K, V)>>(labels: I) -> Self {
        let mut sorted: Vec<(K, V)> = Vec::new();
        // A server sends them sorted, and few: each goes to the end. A sort would be 4 KB of wasm.
        for label in labels {
            let place = sorted.partition_point(|(key, _)| key.as_ref() < label.0.as_ref());
            match sorted.get_mut(place) {
                Some(known) if known.0.as_ref() == label.0.as_ref() => *known = label,
                _ => sorted.insert(place, label),
            }
        }
        let mut bytes = Vec::new();
        for (key, value) in &sorted {
            let (key, value) = (key.as_ref(), value.as_ref());
            push_length(&mut bytes, key.len());
            push_length(&mut bytes, value.len());
            bytes.extend_from_slice(key.as_bytes());
            bytes.extend_from_slice(value.as_bytes());
        }
        Self((!bytes.is_empty()).then(|| bytes.into()))
    }
}

impl Labels for LabelSet {
    fn lookup(&self, key: &str) -> Option<&str> {
        self.get(key)
    }
}

impl From<&LabelSet> for BTreeMap<String, String> {
    fn from(labels: &LabelSet) -> Self {
        labels.iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
    }
}

impl fmt::Debug for LabelSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// Seven bits a byte, the lowest first.
fn push_length(bytes: &mut Vec<u8>, mut length: usize) {
    loop {
        let low = length.to_le_bytes()[0];
        length >>= 7;
        if length == 0 {
            return bytes.push(low);
        }
        bytes.push(0x80 | low);
    }
}

fn length(rest: &mut &[u8]) -> Option<usize> {
    let mut length = 0;
    for shift in (0..usize::BITS).step_by(7) {
        let (byte, after) = rest.split_first()?;
        *rest = after;
        length |= usize::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            return Some(length);
        }
    }
    None
}

fn text<'a>(rest: &mut &'a [u8], length: usize) -> Option<&'a str> {
    let (text, after) = rest.split_at_checked(length)?;
    *rest = after;
    std::str::from_utf8(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_sorted_and_the_last_of_a_key_counts() {
        let long = "v".repeat(300);
        let labels = LabelSet::from_iter([("b", "1"), ("a", "x"), ("a", "y"), ("a", &long), ("", "")]);
        assert_eq!(labels.iter().collect::<Vec<_>>(), [("", ""), ("a", &*long), ("b", "1")]);
        assert_eq!((labels.get("a"), labels.get("c")), (Some(&*long), None));
    }

    #[test]
    fn labels_come_out_of_json_without_their_escapes() {
        let labels = LabelSet::of_json(Json::new(r#"{"a\u0062":"x\ny","n":1}"#));
        assert_eq!(labels.iter().collect::<Vec<_>>(), [("ab", "x\ny")]);
        assert!(LabelSet::of_json(Json::new("null")).is_empty());
    }
}
