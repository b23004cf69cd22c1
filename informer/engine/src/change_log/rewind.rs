//! Rewind: changes and states of the past, reconstructed from the newest states.

use std::borrow::Cow;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use informer::{KubeObject, Object};
use informer_packing::Json;

use super::ChangeLog;
use super::delta::earlier_text;
use super::entry::{Before, ChangeType, Entry};
use super::fields::{FieldChange, field_changes};

/// State that is not known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NotKept {
    /// The first list is not complete.
    NotBegun,
    /// It is older than the oldest known state, which is of this time.
    Dropped(f64),
    /// Secrets are not recorded.
    Secret,
}

/// Selection of changes by object, time and number.
#[derive(Clone, Copy, Debug, Default)]
pub struct Selection<'s> {
    /// Key of their object; by default all objects.
    pub key: Option<&'s str>,
    /// Earliest time.
    pub since: Option<f64>,
    /// Latest time.
    pub until: Option<f64>,
    /// Only changes before the one with this number.
    pub before: Option<u64>,
}

/// Recorded change of an object.
#[derive(Clone, Copy)]
pub struct RecordedChange<'l> {
    /// Its number: that of the first recorded change is 0.
    pub number: u64,
    /// Milliseconds since the Unix epoch.
    pub time: f64,
    /// Key of the object.
    pub key: &'l str,
    /// Type of the change.
    pub change: ChangeType,
    log: &'l ChangeLog,
}

impl RecordedChange<'_> {
    /// Calls a function with the uid of the object and the changed fields: none unless the object changed, and none of a secret.
    /// O(16 · text).
    pub fn with_fields<T>(&self, read: impl FnOnce(&str, &[FieldChange<'_>]) -> T) -> T {
        match self.log.states(self.number) {
            (Some(before), Some(after)) if self.change == ChangeType::Changed => {
                let after = after.text();
                let uid = Json::new(&after).get("metadata").and_then(|metadata| metadata.get("uid")?.as_str());
                read(uid.as_deref().unwrap_or_default(), &field_changes(&before.text(), &after))
            }
            _ => read("", &[]),
        }
    }
}

/// State of an object.
#[derive(Clone)]
pub(super) enum State {
    Object(Arc<Object>),
    Text(Vec<u8>),
}

impl State {
    pub(super) fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Object(object) => object.json(),
            // It was UTF-8 before it was split.
            Self::Text(text) => String::from_utf8_lossy(text),
        }
    }

    pub(super) fn into_object(self) -> Option<Arc<Object>> {
        match self {
            Self::Object(object) => Some(object),
            Self::Text(_) => Object::from_json(&self.text(), None).ok().map(Arc::new),
        }
    }
}

impl ChangeLog {
    /// Iterates over the changes of fields, additions and deletions, the newest first. O(kept changes) for all objects,
    /// and O(changes of the object) for one.
    pub fn changes<'l>(&'l self, selection: &Selection<'_>) -> impl Iterator<Item = RecordedChange<'l>> + use<'l> {
        let range = self.range(selection);
        let (mut next, is_one) = match selection.key {
            Some(key) => (self.histories.get(key).map(|history| history.newest), true),
            None => (range.end.checked_sub(1), false),
        };
        std::iter::from_fn(move || {
            loop {
                let number = next.filter(|number| *number >= range.start)?;
                let entry = self.entry(number)?;
                next = match entry.older {
                    _ if !is_one => number.checked_sub(1),
                    0 => None,
                    older => number.checked_sub(older.into()),
                };
                if number < range.end && !entry.is_quiet {
                    let Entry { time, key, change, .. } = entry;
                    return Some(RecordedChange { number, time: *time, key, change: *change, log: self });
                }
            }
        })
    }

    /// Returns an object at a time, as JSON text; `None` if it did not exist. O(changes of the object since then).
    ///
    /// # Errors
    /// If its state at that time is not known.
    pub fn object_at(&self, key: &str, time: f64) -> Result<Option<String>, NotKept> {
        self.check(time)?;
        Ok(self.state_at(key, time).map(|state| state.text().into_owned()))
    }

    /// Returns the keys of objects with a change after a time and up to another one, each once. O(changes between them).
    pub(super) fn changed_between(&self, after: f64, until: f64) -> Vec<Rc<str>> {
        let first = self.entries.partition_point(|entry| entry.time <= after);
        let changes = self.entries.range(first..).take_while(|entry| entry.time <= until).enumerate();
        // The first change of each object in the span: its earlier change is before the span, or there is none.
        let firsts = changes.filter(|(at, entry)| entry.older == 0 || entry.older as usize > *at);
        firsts.map(|(_, entry)| Rc::clone(&entry.key)).collect()
    }

    /// Whether the states at a time are known.
    ///
    /// # Errors
    /// If they are not.
    pub(super) fn check(&self, time: f64) -> Result<(), NotKept> {
        match self.kept_since() {
            _ if self.is_secret => Err(NotKept::Secret),
            None => Err(NotKept::NotBegun),
            Some(since) if time >= since => Ok(()),
            Some(since) => Err(NotKept::Dropped(since)),
        }
    }

    fn entry(&self, number: u64) -> Option<&Entry> {
        self.entries.get(usize::try_from(number.checked_sub(self.dropped)?).ok()?)
    }

    /// The numbers of the changes in a span of time.
    fn range(&self, selection: &Selection<'_>) -> Range<u64> {
        let first = |is_before: &dyn Fn(f64) -> bool| {
            self.dropped + self.entries.partition_point(|entry| is_before(entry.time)) as u64
        };
        let start = selection.since.map_or(self.dropped, |since| first(&|time| time < since));
        let end = selection.until.map_or(u64::MAX, |until| first(&|time| time <= until));
        let all = self.dropped + self.entries.len() as u64;
        start..end.min(all).min(selection.before.unwrap_or(u64::MAX))
    }

    pub(super) fn newest(&self, key: &str) -> Option<State> {
        self.objects.get(self.objects.find(key)?).map(|object| State::Object(Arc::clone(object)))
    }

    pub(super) fn state_at(&self, key: &str, time: f64) -> Option<State> {
        // Finds the oldest change after the time: the state before that change is the result.
        let mut next = self.histories.get(key).map(|history| history.newest);
        let mut first = None;
        while let Some((number, entry)) = next.and_then(|number| Some((number, self.entry(number)?)))
            && entry.time > time
        {
            first = Some(number);
            next = if entry.older == 0 { None } else { number.checked_sub(entry.older.into()) };
        }
        match first {
            Some(number) => self.before(number),
            None => self.newest(key),
        }
    }

    /// The state before the last change of an object.
    pub(super) fn before_last(&self, key: &str) -> Option<State> {
        self.before(self.histories.get(key)?.newest)
    }

    /// The state before a change.
    fn before(&self, number: u64) -> Option<State> {
        let mut deltas = Vec::new();
        let mut entry = self.entry(number)?;
        let mut number = number;
        let mut state = loop {
            match &entry.before {
                Before::Absent | Before::Hidden => break None,
                Before::Whole(object) => break Some(State::Object(Arc::clone(object))),
                Before::Delta(delta) => deltas.push(delta),
            }
            if entry.newer == 0 {
                break self.newest(&entry.key);
            }
            number += u64::from(entry.newer);
            entry = self.entry(number)?;
        };
        while let Some(delta) = deltas.pop() {
            let text = earlier_text(delta, state?.text().as_bytes())?;
            state = Some(State::Text(text));
        }
        state
    }

    /// The states before and after a change.
    fn states(&self, number: u64) -> (Option<State>, Option<State>) {
        let Some(entry) = self.entry(number) else { return (None, None) };
        let after = match entry.newer {
            0 => self.newest(&entry.key),
            newer => self.before(number + u64::from(newer)),
        };
        let before = match (&entry.before, &after) {
            (Before::Whole(object), _) => Some(State::Object(Arc::clone(object))),
            (Before::Delta(delta), Some(after)) => earlier_text(delta, after.text().as_bytes()).map(State::Text),
            _ => None,
        };
        (before, after)
    }
}
