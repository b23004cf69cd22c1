//! Recorder: records each informer that the page opens, and keeps it for a while after the page has left it.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use leptos::prelude::*;
use wasm_bindgen::prelude::*;

use super::Timeline;
use super::recorded::RecordedInformer;
use crate::client::SharedInformer;
use crate::client::record::Record;
use crate::cluster::{OpenInformer, settle};

/// Maximum size of the recorded changes of an informer, in bytes.
const MAX_BYTES: u32 = 8 << 20;

/// Time for which an informer is kept that the page has left, in milliseconds.
const KEEP_TIME: f64 = 600_000.0;

/// Maximum number of informers that are kept without being used.
const MAX_UNUSED: usize = 4;

/// Interval of the checks for unused informers, in milliseconds.
const CHECK_INTERVAL: f64 = 5_000.0;

/// Minimum interval between two notifications of new changes.
const NOTIFY_INTERVAL: Duration = Duration::from_secs(1);

/// Starts with the open informers, and records each later one.
pub(super) fn start(timeline: Timeline) {
    // Informers whose recording has been requested.
    let requested = StoredValue::new_local(Vec::<SharedInformer>::new());
    let last = StoredValue::new(0_u32);
    Effect::new(move |before: Option<u32>| {
        let restarts = timeline.restarts.get();
        if before.is_some_and(|before| before != restarts) {
            requested.update_value(Vec::clear);
        }
        for open in timeline.cluster.open() {
            if open.scope.metadata_only || requested.with_value(|all| all.contains(&open.shared)) {
                continue;
            }
            requested.update_value(|all| all.push(open.shared.clone()));
            last.update_value(|last| *last += 1);
            start_recording(timeline, last.get_value(), open);
        }
        restarts
    });
    let has_queued = timeline.cluster.has_queued();
    let step = Memo::new(move |_| {
        timeline.now.track();
        (js_sys::Date::now() / CHECK_INTERVAL).floor()
    });
    Effect::new(move || {
        // Read, because a memo that is only tracked is never computed.
        step.get();
        let keep_time = if has_queued.get() { 0.0 } else { KEEP_TIME };
        release(timeline, keep_time);
        timeline.recorded.with_untracked(|all| {
            requested.update_value(|requested| {
                requested.retain(|shared| {
                    timeline.cluster.is_open(shared) || all.iter().any(|recorded| recorded.is_of(shared))
                });
            });
        });
    });
}

fn start_recording(timeline: Timeline, number: u32, open: OpenInformer) {
    let Some(shared) = timeline.cluster.retain(&open) else { return };
    let notify = change_notifier(timeline);
    let requested_at = js_sys::Date::now();
    let options = Record::new().with("maxBytes", MAX_BYTES);
    settle(shared.record_changes(&options), move |answer| {
        let Ok(recording) = answer else {
            // The informer was stopped, or the code of recordings could not be loaded. The page works without the
            // record.
            let _stopped = shared.stop();
            return;
        };
        let recorded = RecordedInformer::new(number, requested_at, open, shared, recording.unchecked_into(), notify);
        timeline.recorded.try_update(|all| {
            // Another record of the informer may have started when the records were deleted.
            all.retain(|known| !known.is_of(recorded.shared()));
            all.push(Rc::new(recorded));
        });
    });
}

/// Returns a function that notifies of new changes, at most once a second.
fn change_notifier(timeline: Timeline) -> impl Fn() + 'static {
    // Not in the store of the effect, which is emptied when the next informer opens.
    let waits = Rc::new(Cell::new(false));
    move || {
        if waits.replace(true) {
            return;
        }
        let waits = Rc::clone(&waits);
        let notify = move || {
            waits.set(false);
            timeline.revision.try_update(|revision| *revision += 1);
        };
        set_timeout(notify, NOTIFY_INTERVAL);
    }
}

/// Releases the informers that have not been used for so long, and all but the last used of too many unused ones. While
/// the page shows the past, none is released.
fn release(timeline: Timeline, keep_time: f64) {
    if timeline.shown_time.get_untracked().is_some() {
        return;
    }
    let now = js_sys::Date::now();
    let unused = |recorded: &Rc<RecordedInformer>| (recorded.unused_for(timeline.cluster, now), recorded.number);
    let expired = expired(timeline.recorded.with_untracked(|all| all.iter().map(unused).collect()), keep_time);
    if !expired.is_empty() {
        timeline.recorded.update(|all| all.retain(|recorded| !expired.contains(&recorded.number)));
    }
}

/// Numbers of the records to release. `unused` has the time since each was used, 0 while it is.
fn expired(mut unused: Vec<(f64, u32)>, keep_time: f64) -> Vec<u32> {
    unused.retain(|(time, _)| *time > 0.0);
    unused.sort_by(|one, other| one.0.total_cmp(&other.0));
    let expired = unused.into_iter().enumerate().filter(|(index, (time, _))| *index >= MAX_UNUSED || *time > keep_time);
    expired.map(|(_, (_, number))| number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn informers_in_use_and_the_last_used_others_are_kept_for_a_while() {
        let used = [(0.0, 1), (0.0, 2), (0.0, 3), (0.0, 4), (0.0, 5), (0.0, 6)];
        let left = [(50.0, 7), (KEEP_TIME, 8), (KEEP_TIME + 1.0, 9)];
        let all: Vec<_> = used.into_iter().chain(left).collect();
        assert_eq!(expired(all.clone(), KEEP_TIME), [9]);
        assert_eq!(expired(all, 0.0), [7, 8, 9], "others need the connections");
        assert_eq!(expired([(5.0, 1), (1.0, 2), (4.0, 3), (2.0, 4), (3.0, 5)].into(), KEEP_TIME), [1], "at most four");
    }
}
