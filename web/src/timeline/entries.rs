//! Entries of the list: recorded changes of several informers, merged by time.

use std::sync::Arc;

use kube_objects::{Category, ChangedField, describe_change};

/// Type of a change of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ChangeType {
    Added,
    Changed,
    Deleted,
}

/// Recorded change, as the package returns it.
#[derive(Clone, Debug, PartialEq, serde::Deserialize)]
pub(super) struct Change {
    pub(super) id: u64,
    pub(super) time: f64,
    pub(super) key: String,
    #[serde(rename = "type")]
    pub(super) kind: ChangeType,
    /// Uid of the object; empty unless fields changed.
    #[serde(default)]
    pub(super) uid: String,
    pub(super) fields: Vec<ChangedField>,
}

/// Difference of an object between two times, as the package returns it.
#[derive(Clone, Debug, PartialEq, serde::Deserialize)]
pub(super) struct Difference {
    pub(super) key: String,
    #[serde(rename = "type")]
    pub(super) kind: ChangeType,
    pub(super) fields: Vec<ChangedField>,
}

/// Identity of an entry: its informer, and its number there.
pub(super) type Id = (u32, u64);

/// Kind of an entry: a recorded change or a Kubernetes Event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryKind {
    /// A change of this category.
    Change(Category),
    /// An Event, which is a Warning or not.
    Event { is_warning: bool },
}

/// Entry of the list.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    pub(super) id: Id,
    /// Milliseconds since the Unix epoch; `None` for a difference between two times.
    pub(super) time: Option<f64>,
    /// As `v1/pods`; `v1/events` of an Event.
    pub(super) resource: String,
    pub(super) key: String,
    /// Object of an Event, as `pod/web-0`; otherwise the key.
    pub(super) name: String,
    pub(super) kind: EntryKind,
    pub(super) line: String,
    /// Uid of the object, if it is known.
    pub(super) uid: String,
    pub(super) fields: Vec<ChangedField>,
}

impl Entry {
    /// Entry of a change of an informer.
    pub(super) fn of_change(informer: u32, resource: &str, change: Change) -> Self {
        let Change { id, time, key, kind, uid, fields } = change;
        Self { time: Some(time), uid, ..Self::of(informer, id, resource, key, kind, fields) }
    }

    /// Entry of a difference; `index` is its index among those of its informer.
    pub(super) fn of_difference(informer: u32, index: u64, resource: &str, difference: Difference) -> Self {
        let Difference { key, kind, fields } = difference;
        Self::of(informer, index, resource, key, kind, fields)
    }

    fn of(informer: u32, id: u64, resource: &str, key: String, kind: ChangeType, fields: Vec<ChangedField>) -> Self {
        let (category, line) = match kind {
            ChangeType::Added => (Category::Created, "created".to_owned()),
            ChangeType::Deleted => (Category::Deleted, "deleted".to_owned()),
            ChangeType::Changed if fields.is_empty() => {
                (Category::Config, "changed; its values are not recorded".to_owned())
            }
            ChangeType::Changed => describe_change(&fields),
        };
        let (resource, name, kind) = (resource.to_owned(), key.clone(), EntryKind::Change(category));
        Self { id: (informer, id), time: None, resource, key, name, kind, line, uid: String::new(), fields }
    }

    /// Whether the entry is in one of these namespaces; cluster-scoped objects are in each.
    fn is_in<'n>(&self, mut namespaces: impl Iterator<Item = &'n str>) -> bool {
        self.key.split_once('/').is_none_or(|(own, _)| namespaces.any(|name| name == own))
    }

    /// Whether each word is in the object or the line of the entry. Words are in lower case.
    fn matches(&self, words: &[String]) -> bool {
        let text = format!("{} {} {} {}", self.resource, self.key, self.name, self.line).to_lowercase();
        words.iter().all(|word| text.contains(word.as_str()))
    }
}

/// Filter of the entries.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct EntryFilter {
    /// Namespaces; none for all.
    pub(super) namespaces: Vec<String>,
    pub(super) text: String,
    /// Categories that are hidden.
    pub(super) hidden: Vec<Category>,
    pub(super) hides_events: bool,
}

impl EntryFilter {
    fn matches(&self, entry: &Entry, words: &[String]) -> bool {
        let is_shown = match entry.kind {
            EntryKind::Change(category) => !self.hidden.contains(&category),
            EntryKind::Event { .. } => !self.hides_events,
        };
        is_shown
            && (self.namespaces.is_empty() || entry.is_in(self.namespaces.iter().map(String::as_str)))
            && entry.matches(words)
    }
}

/// Merges entries by time, the newest first; those without a time stay in their order.
pub(super) fn merged(lists: impl IntoIterator<Item = Arc<Vec<Arc<Entry>>>>, filter: &EntryFilter) -> Vec<Arc<Entry>> {
    let words: Vec<String> = filter.text.to_lowercase().split_whitespace().map(str::to_owned).collect();
    let mut all: Vec<Arc<Entry>> = lists
        .into_iter()
        .flat_map(|list| list.iter().filter(|entry| filter.matches(entry, &words)).cloned().collect::<Vec<_>>())
        .collect();
    all.sort_by(|one, other| {
        let time = |entry: &Entry| entry.time.unwrap_or_default();
        time(other).total_cmp(&time(one)).then_with(|| {
            let is_same = one.id.0 == other.id.0 && one.time.is_some();
            if is_same { other.id.1.cmp(&one.id.1) } else { one.id.0.cmp(&other.id.0) }
        })
    });
    all
}

/// Adds newer changes to those of an informer, each once, the newest first; keeps at most `limit`.
pub(super) fn with_newer(known: &[Arc<Entry>], newer: Vec<Entry>, limit: usize) -> Vec<Arc<Entry>> {
    let last = known.first().map(|entry| entry.id.1);
    let fresh = newer.into_iter().filter(|entry| last.is_none_or(|last| entry.id.1 > last)).map(Arc::new);
    fresh.chain(known.iter().cloned()).take(limit).collect()
}

#[cfg(test)]
mod tests;
