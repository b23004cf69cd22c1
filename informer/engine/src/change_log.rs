//! Change log: what each change of a cache changed, and when, bounded in bytes. Deferred code.

mod delta;
mod entry;
mod fields;
mod merge_key;
mod moment;
mod named;
mod path;
mod recording;
mod rewind;
mod spans;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use informer::rows::Rows;
use informer::{Change, Keyed, Object};

use entry::{Before, Entry, History};

pub use delta::{DeltaWriter, earlier_text};
pub use entry::ChangeType;
pub use fields::{FieldChange, field_changes, has_field_changes};
pub use path::{Step, json_path};
pub(crate) use recording::Recording;
pub use rewind::{NotKept, RecordedChange, Selection};
pub use spans::Difference;

/// Interval of keyframes: every 16th change of an object stores a whole state. The reconstruction of a state therefore
/// applies fewer deltas than this.
const KEYFRAME_INTERVAL: u8 = 16;

/// Log of the changes of a cache, from which the objects at any recorded time are reconstructed.
///
/// An entry holds the state *before* its change, as a reverse delta to the state after it; every 16th entry of an
/// object, and a deletion, holds the whole packed object. The newest states are the cached objects themselves, which
/// the log shares. So the oldest entries can be dropped at any time. Fields are compared when a change is recorded,
/// only to know whether there are any, and again when it is read.
///
/// Times are whole milliseconds since the Unix epoch. They never decrease: while the clock is behind the last change,
/// changes get the time of that one. Of a secret, only the fact of a change is recorded.
///
/// Measured natively on the simulated pods, of 3.4 KB on average (`benches/changes.rs`): 284 bytes and 9.1 µs a
/// change, additions and deletions included. The packed object of a change has 554 bytes.
///
/// The size counts the entries and the keys of their objects. The list of the cached objects comes on top, 9 to 13
/// bytes for each on wasm32, and the dictionaries of packed objects, 64 KB each and a few for each resource.
pub struct ChangeLog {
    max_bytes: usize,
    is_secret: bool,
    /// The newest states.
    objects: Rows<Object>,
    entries: VecDeque<Entry>,
    /// Number of dropped changes, which is also the number of the oldest remaining one.
    dropped: u64,
    histories: HashMap<Rc<str>, History>,
    bytes: usize,
    /// Time of the last change.
    last_time: f64,
    kept_since: Option<f64>,
    writer: DeltaWriter,
}

impl ChangeLog {
    /// Creates a log that takes at most this many bytes. With `is_secret`, only that objects changed is recorded.
    pub fn new(max_bytes: usize, is_secret: bool) -> Self {
        Self {
            max_bytes,
            is_secret,
            objects: Rows::default(),
            entries: VecDeque::new(),
            dropped: 0,
            histories: HashMap::new(),
            bytes: 0,
            last_time: 0.0,
            kept_since: None,
            writer: DeltaWriter::default(),
        }
    }

    /// Begins: the objects so far are those of the first list, and later changes are recorded. Only the first call has
    /// an effect.
    pub fn begin(&mut self, now: f64) {
        if self.kept_since.is_none() {
            self.last_time = now.floor();
            self.kept_since = Some(self.last_time);
        }
    }

    /// Advances the clock of the log: later changes have at least this time, even if the system clock goes back. Needed
    /// once an earlier time has been read.
    pub fn advance(&mut self, time: f64) {
        self.last_time = self.last_time.max(time);
    }

    /// The time from which on all states are known; `None` before it begins. It increases when entries are dropped.
    pub fn kept_since(&self) -> Option<f64> {
        self.kept_since
    }

    /// Number of kept changes.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether no change is kept.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Size in bytes, at most the maximum.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Records a change. O(the texts of both states).
    ///
    /// The state before it comes from the log, not from the change. A resync is no change.
    pub fn record(&mut self, change: &Change<Object>, now: f64) {
        if self.is_secret {
            let change_type = match change {
                Change::Add { .. } => ChangeType::Added,
                Change::Update { old, new } if Arc::ptr_eq(old, new) => return,
                Change::Update { .. } => ChangeType::Changed,
                Change::Delete { .. } => ChangeType::Deleted,
            };
            return self.push(change.object().key(), change_type, Before::Hidden, false, now);
        }
        let object = change.object();
        if let Change::Delete { .. } = change {
            let known = self.objects.find(object.key()).and_then(|row| self.objects.remove(row));
            if let Some(known) = known {
                self.push(object.key(), ChangeType::Deleted, Before::Whole(known), false, now);
            }
            return;
        }
        match self.objects.put(Arc::clone(object)).1 {
            Some(known) if Arc::ptr_eq(&known, object) => {}
            Some(known) => self.record_update(known, object, now),
            None => self.push(object.key(), ChangeType::Added, Before::Absent, false, now),
        }
    }

    /// Records an update, as a delta or a keyframe.
    fn record_update(&mut self, known: Arc<Object>, object: &Object, now: f64) {
        if self.kept_since.is_none() {
            return;
        }
        let (earlier, later) = (known.json(), object.json());
        if earlier == later {
            return;
        }
        let is_quiet = !has_field_changes(&earlier, &later);
        let history = self.histories.get(object.key());
        let is_keyframe = history.is_some_and(|history| history.deltas + 1 >= KEYFRAME_INTERVAL);
        let delta = self.writer.write(later.as_bytes(), earlier.as_bytes());
        let before =
            if is_keyframe || delta.len() >= known.size() { Before::Whole(known) } else { Before::Delta(delta.into()) };
        self.push(object.key(), ChangeType::Changed, before, is_quiet, now);
    }

    fn push(&mut self, key: &str, change: ChangeType, before: Before, is_quiet: bool, now: f64) {
        if self.kept_since.is_none() {
            return;
        }
        self.last_time = self.last_time.max(now.floor());
        let number = self.dropped + self.entries.len() as u64;
        let is_delta = matches!(before, Before::Delta(_));
        let (key, older) = if let Some((key, history)) = self.histories.get_key_value(key) {
            (Rc::clone(key), distance(history.newest, number))
        } else {
            self.bytes += History::size(key);
            (Rc::from(key), 0)
        };
        if older > 0
            && let Some(entry) = self.entries.get_mut(self.entries.len() - older as usize)
        {
            entry.newer = older;
        }
        let history = self.histories.entry(Rc::clone(&key)).or_insert(History { newest: number, deltas: 0 });
        history.newest = number;
        history.deltas = if is_delta { history.deltas + 1 } else { 0 };
        let entry = Entry { time: self.last_time, key, older, newer: 0, change, is_quiet, before };
        self.bytes += entry.size();
        if self.entries.len() == self.entries.capacity() {
            // Doubling would leave up to half of it unused.
            self.entries.reserve_exact((self.entries.len() / 8).max(8));
        }
        self.entries.push_back(entry);
        while self.bytes > self.max_bytes && self.drop_oldest() {}
    }

    /// Drops the oldest change, if there is one.
    fn drop_oldest(&mut self) -> bool {
        let Some(entry) = self.entries.pop_front() else { return false };
        self.dropped += 1;
        self.bytes = self.bytes.saturating_sub(entry.size());
        self.kept_since = Some(entry.time);
        if entry.newer == 0 {
            self.histories.remove(&entry.key);
            self.bytes = self.bytes.saturating_sub(History::size(&entry.key));
        }
        if self.entries.capacity() > 64 && self.entries.len() < self.entries.capacity() / 4 {
            self.entries.shrink_to(self.entries.len() * 2);
        }
        true
    }
}

/// Distance of two changes by their numbers. A log has fewer entries than 2^32: each takes more than a byte.
fn distance(older: u64, newer: u64) -> u32 {
    u32::try_from(newer - older).unwrap_or_default()
}
