//! Recording: a change log that a page has asked for, fed by its informer.

use informer::{ChangeBatch, ErrorCode, InformerError, Object, Result};
use informer_packing::{ArrayWriter, ObjectWriter, write_number};

use super::path::json_path;
use super::{ChangeLog, ChangeType, Difference, FieldChange, NotKept, RecordedChange, Selection};
use crate::message::{ChangesOptions, FromEngine, RecordingOptions, ViewRequest};
use crate::report_timer::ReportTimer;
use crate::view::{LiveView, Past, unsupported_request};

/// Default of [`RecordingOptions::max_bytes`].
const MAX_BYTES: usize = 32 << 20;

/// Maximum number of changes, counts or differences in a response.
const MAX_CHANGES: usize = 1_000;

/// Recording of the changes of an informer. It begins when the first list is complete.
pub(crate) struct Recording {
    log: ChangeLog,
    /// Whether the state of the log has changed since it was last sent.
    has_update: bool,
    /// A page receives a message in a frame. One for each batch of changes would take the frames that its rows need.
    timer: ReportTimer,
    /// Time that it is rewound to.
    rewound: Option<f64>,
}

impl Recording {
    pub(crate) fn new(options: &RecordingOptions, is_secret: bool) -> Self {
        let max_bytes = if options.max_bytes == 0 { MAX_BYTES } else { options.max_bytes };
        Self {
            log: ChangeLog::new(max_bytes, is_secret),
            has_update: false,
            timer: ReportTimer::default(),
            rewound: None,
        }
    }

    fn changes(&self, wanted: &ChangesOptions) -> String {
        let ChangesOptions { key, since, until, before, limit } = wanted;
        let selection = Selection { key: key.as_deref(), since: *since, until: *until, before: *before };
        let mut json = String::new();
        let mut list = ArrayWriter::new(&mut json);
        for change in self.log.changes(&selection).take((*limit).min(MAX_CHANGES)) {
            write_change(&mut list.object(), &change);
        }
        drop(list);
        json
    }

    fn counts(&self, since: f64, until: f64, parts: usize) -> String {
        let mut json = String::new();
        let mut list = ArrayWriter::new(&mut json);
        for count in self.log.counts(since, until, parts.min(MAX_CHANGES)) {
            write_number(list.element(), count.into());
        }
        drop(list);
        json
    }

    fn differences(&self, since: f64, until: f64, limit: usize) -> Result<String> {
        let mut json = String::new();
        let mut list = ArrayWriter::new(&mut json);
        let mut left = limit.min(MAX_CHANGES);
        let read = |Difference { key, change, fields }: Difference<'_>| {
            let mut out = list.object();
            out.text("key", key).word("type", change_name(change));
            write_fields(&mut out, fields);
            left -= 1;
            left > 0
        };
        self.log.differences(since, until, read).map_err(|reason| not_kept_error(since, reason))?;
        drop(list);
        Ok(json)
    }

    fn object_at(&self, key: &str, time: f64) -> Result<String> {
        let found = self.log.object_at(key, time).map_err(|reason| not_kept_error(time, reason));
        Ok(found?.unwrap_or_else(|| "null".to_owned()))
    }
}

/// Error of a request for a state that is not known.
fn not_kept_error(time: f64, reason: NotKept) -> InformerError {
    match reason {
        NotKept::NotBegun => InformerError::new(
            ErrorCode::Expired,
            "the recording has not begun: it begins when the first list is complete",
        ),
        NotKept::Dropped(since) => {
            let (time, since) = (whole_ms(time), whole_ms(since));
            let message =
                format!("no state is recorded at {time}: the recording starts at {since} (milliseconds since 1970)");
            InformerError::new(ErrorCode::Expired, message)
        }
        NotKept::Secret => InformerError::new(
            ErrorCode::BadRequest,
            "contents of Secrets are not recorded, only the times of their changes",
        ),
    }
}

/// Rounds a time for an error message, in milliseconds. Formatting a float is 18 KB of wasm.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast of a float saturates")]
fn whole_ms(time: f64) -> u64 {
    time as u64
}

impl LiveView for Recording {
    fn apply(&mut self, batch: &ChangeBatch<Object>, now: f64) {
        for change in &batch.changes {
            self.log.record(change, now);
        }
        self.has_update = true;
    }

    fn updates(&mut self, view: u32, _query_id: u32, synced: bool, now: f64) -> Vec<FromEngine> {
        if synced && self.log.kept_since().is_none() {
            self.log.begin(now);
            self.has_update = true;
            self.timer.end();
        }
        let Some(since) = self.log.kept_since().filter(|_| self.has_update && self.timer.is_due(now)) else {
            return Vec::new();
        };
        self.has_update = false;
        self.timer.restart(now);
        let mut patch = String::new();
        let mut out = ObjectWriter::new(&mut patch);
        out.float("keptSince", since).number("count", self.log.len() as u64).number("bytes", self.log.bytes() as u64);
        if let Some(time) = self.rewound {
            out.float("time", time);
        }
        drop(out);
        vec![FromEngine::Patch { view, patch }]
    }

    fn due_at(&self) -> Option<f64> {
        self.log.kept_since().filter(|_| self.has_update).map(|_| self.timer.due_at())
    }

    fn past(&self) -> Option<Box<dyn Past + '_>> {
        self.rewound.map(|time| Box::new(self.log.moment(time)) as _)
    }

    fn rewind(&mut self, time: Option<f64>, now: f64) -> Result<()> {
        // Times of changes are whole milliseconds. The current one is excluded, because later changes may have the same
        // time.
        let time = time.map(|time| time.min(now - 1.0).floor());
        if let Some(time) = time {
            self.log.check(time).map_err(|reason| not_kept_error(time, reason))?;
            self.log.advance(time + 1.0);
        }
        self.rewound = time;
        self.has_update = true;
        self.timer.end();
        Ok(())
    }

    fn respond(&self, request: &ViewRequest, _now: f64) -> Result<String> {
        match request {
            ViewRequest::Changes(wanted) => Ok(self.changes(wanted)),
            ViewRequest::ObjectAt { key, time } => self.object_at(key, *time),
            ViewRequest::CountChanges { since, until, parts } => Ok(self.counts(*since, *until, *parts)),
            ViewRequest::Differences { since, until, limit } => self.differences(*since, *until, (*limit).max(1)),
            ViewRequest::Values(_) | ViewRequest::Rewind { .. } => Err(unsupported_request()),
        }
    }
}

fn write_change(out: &mut ObjectWriter<'_>, change: &RecordedChange<'_>) {
    out.number("id", change.number).float("time", change.time).text("key", change.key);
    out.word("type", change_name(change.change));
    change.with_fields(|uid, fields| {
        if !uid.is_empty() {
            out.text("uid", uid);
        }
        write_fields(out, fields);
    });
}

/// Name of a change type in messages.
fn change_name(change: ChangeType) -> &'static str {
    match change {
        ChangeType::Added => "added",
        ChangeType::Changed => "changed",
        ChangeType::Deleted => "deleted",
    }
}

fn write_fields(out: &mut ObjectWriter<'_>, fields: &[FieldChange<'_>]) {
    let mut list = out.array("fields");
    for field in fields {
        let mut entry = list.object();
        entry.text("path", &json_path(&field.path));
        for (name, value) in [("before", field.before), ("after", field.after)] {
            if let Some(value) = value {
                entry.raw(name, value.text());
            }
        }
    }
}
