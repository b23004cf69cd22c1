//! Label set: the labels of an object, shared by all objects with equal labels.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use informer_packing::{Interner, Json, RecordReader, push_text};

use crate::label_selector::Labels;

/// Labels of an object, sorted by key. A clone shares its memory.
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
    /// Keys and values, each after its length. `None` if there are none.
    Option<Arc<[u8]>>,
);

impl LabelSet {
    /// Returns the value of a label; `None` if it is missing, in contrast to an empty value. O(labels).
    pub fn get(&self, key: &str) -> Option<&str> {
        self.iter().find_map(|(name, value)| (name == key).then_some(value))
    }

    /// Keys and values, by key.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let mut labels = RecordReader::new(self.0.as_deref().unwrap_or_default());
        std::iter::from_fn(move || Some((labels.text()?, labels.text()?)))
    }

    /// Whether there are no labels.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Reads `metadata.labels`. Values that are not strings are ignored; the apiserver sends none.
    pub(crate) fn of_json(labels: Json<'_>) -> Self {
        let mut record = Vec::new();
        write_labels(labels, &mut record);
        Self::of_record(&record, |record| record.into())
    }

    /// As [`LabelSet::of_json`], shared between objects with equal labels.
    pub(crate) fn interned(labels: Json<'_>, interner: &mut Interner, scratch: &mut Vec<u8>) -> Self {
        scratch.clear();
        write_labels(labels, scratch);
        Self::of_record(scratch, |record| interner.intern(record))
    }

    /// Returns its stored bytes; empty if there are no labels.
    pub fn record(&self) -> &[u8] {
        self.0.as_deref().unwrap_or_default()
    }

    /// Restores labels from [`LabelSet::record`]. From other bytes it reads the labels that it can.
    pub fn from_record(record: &[u8]) -> Self {
        Self::of_record(record, |record| record.into())
    }

    fn of_record(record: &[u8], shared: impl FnOnce(&[u8]) -> Arc<[u8]>) -> Self {
        Self((!record.is_empty()).then(|| shared(record)))
    }
}

impl<K: AsRef<str>, V: AsRef<str>> FromIterator<(K, V)> for LabelSet {
    /// Of a duplicate key, the last value counts.
    fn from_iter<I: IntoIterator<Item = (K, V)>>(labels: I) -> Self {
        let mut record = Vec::new();
        write_sorted(labels.into_iter().collect(), &mut record);
        Self::of_record(&record, |record| record.into())
    }
}

fn write_labels(labels: Json<'_>, record: &mut Vec<u8>) {
    // The apiserver sends them sorted, so that they can be written as they are read.
    let mut last: Option<Cow<'_, str>> = None;
    for (key, value) in labels.members() {
        let Some(value) = value.as_str() else { continue };
        if last.is_some_and(|last| last >= key) {
            record.clear();
            let labels = labels.members().filter_map(|(key, value)| Some((key, value.as_str()?)));
            return write_sorted(labels.collect(), record);
        }
        push_text(record, &key);
        push_text(record, &value);
        last = Some(key);
    }
}

fn write_sorted<K: AsRef<str>, V: AsRef<str>>(labels: Vec<(K, V)>, record: &mut Vec<u8>) {
    let mut sorted: Vec<(K, V)> = Vec::with_capacity(labels.len());
    // Insertion sort, because labels are few: a library sort would be 4 KB of wasm.
    for label in labels {
        let place = sorted.partition_point(|(key, _)| key.as_ref() < label.0.as_ref());
        match sorted.get_mut(place) {
            Some(known) if known.0.as_ref() == label.0.as_ref() => *known = label,
            _ => sorted.insert(place, label),
        }
    }
    for (key, value) in &sorted {
        push_text(record, key.as_ref());
        push_text(record, value.as_ref());
    }
}

impl Labels for LabelSet {
    fn lookup(&self, key: &str) -> Option<&str> {
        self.get(key)
    }
}

impl fmt::Debug for LabelSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
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
        let unsorted = LabelSet::of_json(Json::new(r#"{"b":"1","a":"x","c":"","a":"y"}"#));
        assert_eq!(unsorted.iter().collect::<Vec<_>>(), [("a", "y"), ("b", "1"), ("c", "")]);
        assert!(LabelSet::of_json(Json::new("null")).is_empty());
    }
}
