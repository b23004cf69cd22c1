//! Progress: the state of the request for one object of a run, and the change that the watch must show to confirm it.

use serde_json::Value;

use super::request::Request;
use crate::client::failure::Failure;

/// State of the request for one object.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Progress {
    Idle,
    Queued,
    /// Not sent, because the user stopped the run.
    Stopped,
    Sending,
    /// Accepted by the server, not yet shown by the watch.
    Accepted(ExpectedChange),
    /// Accepted by the server, and the page no longer watches the object.
    Unwatched,
    /// Shown by the watch.
    Confirmed,
    /// Done, with a message for the user.
    Done(String),
    Failed(Failure),
}

impl Progress {
    /// Whether the request can be sent for the first time or again.
    pub(super) fn is_sendable(&self, creates: bool) -> bool {
        *self == Self::Idle || self.may_retry(creates)
    }

    /// Whether the request can be sent again. A request that creates an object cannot, if it may have created it
    /// already.
    pub(super) fn may_retry(&self, creates: bool) -> bool {
        match self {
            Self::Stopped => true,
            Self::Failed(failure) => !(creates && failure.is_unsure()),
            _ => false,
        }
    }
}

/// Change of an object that the watch must show to confirm a request.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ExpectedChange {
    /// The `version` in the response or a later one. `before` is the version before the request.
    Change { before: Option<String>, version: Option<String> },
    /// A time of deletion other than the one that the object had `before`.
    End { before: Option<String> },
}

impl ExpectedChange {
    /// Returns the change that confirms a request, from the object `before` the request and the server's answer.
    pub(super) fn of(request: &Request, before: &Value, answer: &Value) -> Self {
        match request {
            Request::Delete { .. } | Request::Evict => Self::End { before: ends_at(before) },
            _ => Self::Change { before: version_of(before), version: version_of(answer) },
        }
    }

    /// Whether an object shows the change.
    pub(super) fn is_shown(&self, now: &Value) -> bool {
        match self {
            Self::Change { before, version } => {
                is_shown(version_of(now).as_deref(), before.as_deref(), version.as_deref())
            }
            Self::End { before } => ends_at(now).is_some_and(|at| before.as_ref() != Some(&at)),
        }
    }
}

/// Number of objects in each state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ProgressCounts {
    pub(super) idle: usize,
    /// Queued or sent.
    pub(super) busy: usize,
    /// Accepted, not yet confirmed.
    pub(super) accepted: usize,
    pub(super) done: usize,
    pub(super) failed: usize,
    pub(super) stopped: usize,
    /// Accepted, no longer watched.
    pub(super) unwatched: usize,
}

impl ProgressCounts {
    pub(super) fn add(&mut self, progress: &Progress) {
        *match progress {
            Progress::Idle => &mut self.idle,
            Progress::Queued | Progress::Sending => &mut self.busy,
            Progress::Accepted(_) => &mut self.accepted,
            Progress::Confirmed | Progress::Done(_) => &mut self.done,
            Progress::Failed(_) => &mut self.failed,
            Progress::Stopped => &mut self.stopped,
            Progress::Unwatched => &mut self.unwatched,
        } += 1;
    }
}

/// The version of an object.
fn version_of(object: &Value) -> Option<String> {
    object["metadata"]["resourceVersion"].as_str().map(str::to_owned)
}

/// Time of the deletion of an object, including its grace period.
fn ends_at(object: &Value) -> Option<String> {
    object["metadata"]["deletionTimestamp"].as_str().map(str::to_owned)
}

/// Whether an object at the version `now` shows the change of a request, which was sent at the version `before` and
/// answered with `version`.
fn is_shown(now: Option<&str>, before: Option<&str>, version: Option<&str>) -> bool {
    let Some(version) = version else { return now != before };
    let number = |version: &str| version.parse::<u128>().ok();
    match now.and_then(number).zip(number(version)) {
        Some((now, version)) => now >= version,
        // The versions of some servers have no order.
        None => now == Some(version) || now != before,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn objects_are_counted_by_how_far_they_are() {
        let accepted = Progress::Accepted(ExpectedChange::End { before: None });
        let all = [Progress::Idle, Progress::Sending, accepted, Progress::Confirmed, Progress::Done(String::new())];
        let of = |all: &[Progress]| {
            let mut counts = ProgressCounts::default();
            for progress in all {
                counts.add(progress);
            }
            counts
        };
        assert_eq!(of(&all), ProgressCounts { idle: 1, busy: 1, accepted: 1, done: 2, ..ProgressCounts::default() });
        let over = [Progress::Failed(Failure::default()), Progress::Stopped];
        assert_eq!(of(&over), ProgressCounts { failed: 1, stopped: 1, ..ProgressCounts::default() });
    }

    #[test]
    fn what_may_have_been_created_is_not_created_again() {
        let failed = |code: &str| Progress::Failed(Failure { code: code.to_owned(), ..Failure::default() });
        assert!(!failed("network").may_retry(true));
        assert!(!failed("timeout").may_retry(true));
        assert!(!failed("decode").may_retry(true), "the answer is there, and cannot be read");
        assert!(!failed("timeout").is_sendable(true), "nor by the button of the action");
        assert!(Progress::Idle.is_sendable(true) && failed("forbidden").is_sendable(true));
        assert!(!Progress::Sending.is_sendable(false));
        assert!(failed("network").may_retry(false));
        assert!(failed("forbidden").may_retry(true));
        assert!(Progress::Stopped.may_retry(true));
        assert!(!Progress::Confirmed.may_retry(false));
    }

    #[test]
    fn a_deletion_is_confirmed_only_by_the_end_of_the_object() {
        let object = |version: &str, end: Option<&str>| json!({ "metadata": { "resourceVersion": version, "deletionTimestamp": end } });
        let requests = [Request::Evict, Request::Delete { propagation: "background", grace: None }];
        for request in requests {
            let expected = ExpectedChange::of(&request, &object("7", None), &json!({ "kind": "Status" }));
            assert!(!expected.is_shown(&object("8", None)), "a status update that was in flight");
            assert!(expected.is_shown(&object("8", Some("12:00"))));
            let again = ExpectedChange::of(&request, &object("8", Some("12:00")), &Value::Null);
            assert!(!again.is_shown(&object("9", Some("12:00"))), "it was being deleted before");
            assert!(again.is_shown(&object("9", Some("11:59"))), "with a shorter grace period");
        }
        let patch = ExpectedChange::of(&Request::Scale(3), &object("7", None), &object("9", None));
        assert!(!patch.is_shown(&object("8", None)) && patch.is_shown(&object("9", None)));
    }

    #[test]
    fn a_change_that_is_older_than_the_answer_does_not_confirm_a_request() {
        let of = |now, version| is_shown(Some(now), Some("7"), version);
        assert!(!of("7", Some("10")));
        assert!(!of("9", Some("10")), "a change of another client");
        assert!(of("10", Some("10")));
        assert!(of("11", Some("10")));
        assert!(of("7", Some("7")), "the request changed nothing");
        assert!(!of("7", None));
        assert!(of("8", None));
        assert!(of("b", Some("c")));
    }
}
