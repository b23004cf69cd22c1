//! Recording: a change log that a page has asked for, fed by its informer.

use informer::{ChangeBatch, ErrorCode, InformerError, Object, Result};
use informer_packing::{ArrayWriter, ObjectWriter};

use super::path::json_path;
use super::{ChangeLog, ChangeType, NotKept, RecordedChange, Selection};
use crate::message::{ChangesOptions, FromEngine, RecordingOptions, ViewRequest};
use crate::view::{LiveView, other_kind};

/// Default of [`RecordingOptions::max_bytes`].
const MAX_BYTES: usize = 32 << 20;

/// Most changes in a response.
const MOST: usize = 1_000;

/// Recording of the changes of an informer. It begins when the first list is complete.
pub(crate) struct Recording {
    log: ChangeLog,
    /// Whether the page does not know the state of the log.
    has_news: bool,
}

impl Recording {
    pub(crate) fn new(options: &RecordingOptions, is_secret: bool) -> Self {
        let max_bytes = if options.max_bytes == 0 { MAX_BYTES } else { options.max_bytes };
        Self { log: ChangeLog::new(max_bytes, is_secret), has_news: false }
    }

    fn changes(&self, wanted: &ChangesOptions) -> String {
        let ChangesOptions { key, since, until, before, limit } = wanted;
        let selection = Selection { key: key.as_deref(), since: *since, until: *until, before: *before };
        let mut json = String::new();
        let mut list = ArrayWriter::new(&mut json);
        for change in self.log.changes(&selection).take((*limit).min(MOST)) {
            write_change(&mut list.object(), &change);
        }
        drop(list);
        json
    }

    fn object_at(&self, key: &str, time: f64) -> Result<String> {
        let found = self.log.object_at(key, time).map_err(|reason| match reason {
            NotKept::NotBegun => {
                InformerError::new(ErrorCode::Expired, "nothing is recorded before the first list is complete")
            }
            NotKept::Dropped(since) => {
                let (time, since) = (whole(time), whole(since));
                let message = format!("the state of {key} at {time} is not recorded: changes are kept since {since}");
                InformerError::new(ErrorCode::Expired, message)
            }
            NotKept::Secret => {
                InformerError::new(ErrorCode::BadRequest, "states of secrets are not recorded, only that they changed")
            }
        });
        Ok(found?.unwrap_or_else(|| "null".to_owned()))
    }
}

/// A time for a message, in milliseconds. Formatting a float is 18 KB of wasm.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast of a float saturates")]
fn whole(time: f64) -> u64 {
    time as u64
}

impl LiveView for Recording {
    fn apply(&mut self, batch: &ChangeBatch<Object>, now: f64) {
        for change in &batch.changes {
            self.log.record(change, now);
        }
        self.has_news = true;
    }

    fn news(&mut self, view: u32, _query_id: u32, synced: bool, now: f64) -> Vec<FromEngine> {
        if synced && self.log.kept_since().is_none() {
            self.log.begin(now);
            self.has_news = true;
        }
        let Some(since) = self.log.kept_since().filter(|_| std::mem::take(&mut self.has_news)) else {
            return Vec::new();
        };
        let mut patch = String::new();
        let mut out = ObjectWriter::new(&mut patch);
        out.float("keptSince", since).number("count", self.log.len() as u64).number("bytes", self.log.bytes() as u64);
        drop(out);
        vec![FromEngine::Patch { view, patch }]
    }

    fn due_at(&self) -> Option<f64> {
        None
    }

    fn answer(&self, request: &ViewRequest, _now: f64) -> Result<String> {
        match request {
            ViewRequest::Changes(wanted) => Ok(self.changes(wanted)),
            ViewRequest::ObjectAt { key, time } => self.object_at(key, *time),
            ViewRequest::Values(_) => Err(other_kind()),
        }
    }
}

fn write_change(out: &mut ObjectWriter<'_>, change: &RecordedChange<'_>) {
    out.number("id", change.number).float("time", change.time).text("key", change.key);
    out.word(
        "type",
        match change.change {
            ChangeType::Added => "added",
            ChangeType::Changed => "changed",
            ChangeType::Deleted => "deleted",
        },
    );
    let mut list = out.array("fields");
    change.with_fields(|fields| {
        for field in fields {
            let mut entry = list.object();
            entry.text("path", &json_path(&field.path));
            for (name, value) in [("before", field.before), ("after", field.after)] {
                if let Some(value) = value {
                    entry.raw(name, value.text());
                }
            }
        }
    });
}
