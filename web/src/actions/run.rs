//! Run of an action: one request for each subject, at most [`AT_ONCE`] in flight. An object is done when the watch shows the
//! version of the server's answer or a later one, or that the object is deleted. After an answer without a version, such as
//! that of an eviction, it is done when the watch shows any change since the request was sent. It is never done before.

use std::collections::VecDeque;
use std::rc::Rc;

use leptos::prelude::*;
use serde_json::Value;
use wasm_bindgen_futures::spawn_local;

use super::request::Request;
use super::subject::{Subjects, parsed};
use crate::client::failure::Failure;
use crate::client::requests;
use crate::visible::visible;

/// Requests that are in flight at the same time.
const AT_ONCE: usize = 4;

/// How far the request for one object is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Progress {
    Idle,
    Queued,
    /// It was not sent, because the user stopped the run.
    Stopped,
    Sending,
    /// The server has accepted it; the watch has not shown it yet. `before` is the version that the request was about,
    /// `version` that of the answer.
    Accepted {
        before: Option<String>,
        version: Option<String>,
    },
    /// The server has accepted it, and the page no longer watches the object.
    Unwatched,
    /// The watch has shown it.
    Confirmed,
    /// It is done, and this is to be read.
    Done(String),
    Failed(Failure),
}

impl Progress {
    /// Whether the request can be sent: it was not yet, or can be sent again.
    fn is_sendable(&self, creates: bool) -> bool {
        *self == Self::Idle || self.may_repeat(creates)
    }

    /// Whether the request can be sent again. One that creates an object is not, if it may have done so already.
    fn may_repeat(&self, creates: bool) -> bool {
        match self {
            Self::Stopped => true,
            Self::Failed(failure) => !(creates && failure.is_unsure()),
            _ => false,
        }
    }
}

/// How often the informer of the objects was replaced. It is in the context of their dialog.
#[derive(Clone, Copy)]
pub(crate) struct Replaced(pub(crate) RwSignal<usize>);

/// Makes the request for an object.
type Make = Rc<dyn Fn(&Value) -> Request>;

/// The requests of one dialog. Copies are the same.
#[derive(Clone, Copy)]
pub(super) struct Run {
    pub(super) subjects: Subjects,
    pub(super) close: Callback<()>,
    progress: StoredValue<Vec<RwSignal<Progress>>>,
    queue: StoredValue<VecDeque<usize>>,
    make: StoredValue<Option<Make>, LocalStorage>,
    /// Uids of the objects when the dialog was opened: a request is for these, not for others of the same names.
    uids: StoredValue<Vec<Option<String>>>,
    /// Whether each request creates another object.
    creates: StoredValue<bool>,
    tally: Memo<Tally>,
}

/// How many objects are how far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
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

impl Tally {
    fn add(&mut self, progress: &Progress) {
        *match progress {
            Progress::Idle => &mut self.idle,
            Progress::Queued | Progress::Sending => &mut self.busy,
            Progress::Accepted { .. } => &mut self.accepted,
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

/// Whether an object that is now at the version `now` shows a request, which was sent when it was at `before` and whose
/// answer had `version`.
fn is_shown(now: Option<&str>, before: Option<&str>, version: Option<&str>) -> bool {
    let Some(version) = version else { return now != before };
    let number = |version: &str| version.parse::<u128>().ok();
    match now.and_then(number).zip(number(version)) {
        Some((now, version)) => now >= version,
        // The versions of some servers have no order.
        None => now == Some(version) || now != before,
    }
}

impl Run {
    /// A run over the subjects. The dialog of a single one closes when the watch confirms the request.
    pub(super) fn new(subjects: Subjects, close: Callback<()>) -> Self {
        let all: Vec<_> = (0..subjects.len()).map(|_| RwSignal::new(Progress::Idle)).collect();
        let progress = StoredValue::new(all.clone());
        let tally = Memo::new(move |_| {
            let mut tally = Tally::default();
            progress.with_value(|all| all.iter().for_each(|progress| progress.with(|progress| tally.add(progress))));
            tally
        });
        let are_many = subjects.are_many();
        let replaced = use_context::<Replaced>().map(|Replaced(count)| (count, count.get_untracked()));
        for (at, progress) in all.into_iter().enumerate() {
            let Some(subject) = subjects.get(at) else { continue };
            Effect::new(move || {
                let is_watched = replaced.is_none_or(|(count, begin)| count.get() == begin);
                let is_accepted = progress.with(|progress| matches!(progress, Progress::Accepted { .. }));
                let is_confirmed = progress.with(|progress| {
                    let Progress::Accepted { before, version } = progress else { return false };
                    let now = subject.json.with(|json| version_of(&parsed(json.as_deref())));
                    subject.deleted.get() || is_shown(now.as_deref(), before.as_deref(), version.as_deref())
                });
                if is_confirmed {
                    progress.set(Progress::Confirmed);
                    if !are_many {
                        close.run(());
                    }
                } else if is_accepted && !is_watched {
                    progress.set(Progress::Unwatched);
                }
            });
        }
        let (queue, make) = (StoredValue::new(VecDeque::new()), StoredValue::new_local(None));
        let uid = |object: &Value| object["metadata"]["uid"].as_str().map(str::to_owned);
        let uids = StoredValue::new(subjects.objects().iter().map(uid).collect());
        Self { subjects, close, progress, queue, make, uids, creates: StoredValue::new(false), tally }
    }

    /// How far all of it is.
    pub(super) fn tally(self) -> Tally {
        self.tally.get()
    }

    /// How far the request for one object is.
    pub(super) fn progress(self, at: usize) -> Option<RwSignal<Progress>> {
        self.progress.try_with_value(|all| all.get(at).copied()).flatten()
    }

    /// Whether requests are in flight or queued.
    pub(super) fn is_running(self) -> bool {
        self.tally().busy > 0
    }

    /// The same for requests that each create another object: none is sent again that may have done so.
    pub(super) fn of_creations(self) -> Self {
        self.creates.set_value(true);
        self
    }

    /// Whether the action must not be sent now: it is on its way, was carried out for some of several, or may have been
    /// carried out and must not be twice.
    pub(super) fn is_busy(self) -> bool {
        let Tally { busy, accepted, done, failed, stopped, unwatched, .. } = self.tally();
        busy + accepted + done + unwatched > 0
            || (self.subjects.are_many() && failed + stopped > 0)
            || self.count(Progress::is_sendable) == 0
    }

    /// Sends the same request for each object, unless they are on their way.
    pub(super) fn send(self, request: Request) {
        self.send_each(move |_| request.clone());
    }

    /// Sends a request for each object, unless they are on their way.
    pub(super) fn send_each(self, make: impl Fn(&Value) -> Request + 'static) {
        if untrack(|| self.is_busy()) {
            return;
        }
        self.make.set_value(Some(Rc::new(make)));
        self.enqueue(Progress::is_sendable);
    }

    /// Tries those again that failed, and those that were not sent.
    pub(super) fn again(self) {
        self.enqueue(Progress::may_repeat);
    }

    /// How many can be tried again.
    pub(super) fn repeatable(self) -> usize {
        self.count(Progress::may_repeat)
    }

    fn count(self, which: impl Fn(&Progress, bool) -> bool) -> usize {
        let creates = self.creates.get_value();
        let is_one = |progress: &&RwSignal<Progress>| progress.with(|progress| which(progress, creates));
        self.progress.with_value(|all| all.iter().filter(is_one).count())
    }

    /// What to do about requests that may have been carried out though they failed.
    pub(super) fn advice(self) -> Option<String> {
        let advice = |progress: &Progress| match progress {
            Progress::Failed(failure) if failure.is_unsure() => Some(failure.advice()),
            _ => None,
        };
        self.progress.with_value(|all| all.iter().find_map(|progress| progress.with(advice)))
    }

    /// Sends no further requests. Those in flight end by themselves.
    pub(super) fn stop(self) {
        for at in self.queue.try_update_value(std::mem::take).unwrap_or_default() {
            self.set(at, Progress::Stopped);
        }
    }

    fn enqueue(self, which: impl Fn(&Progress, bool) -> bool) {
        let creates = self.creates.get_value();
        let is_one = |progress: &RwSignal<Progress>| progress.with_untracked(|progress| which(progress, creates));
        let places: VecDeque<_> =
            self.progress.with_value(|all| (0..all.len()).filter(|at| is_one(&all[*at])).collect());
        for at in &places {
            self.set(*at, Progress::Queued);
        }
        self.queue.set_value(places);
        for _ in 0..AT_ONCE {
            spawn_local(async move {
                // The queue is gone when the dialog is closed.
                while let Some(at) = self.queue.try_update_value(VecDeque::pop_front).flatten() {
                    self.send_one(at).await;
                }
            });
        }
    }

    async fn send_one(self, at: usize) {
        let Some(subject) = self.subjects.get(at) else { return };
        let Some(make) = self.make.try_get_value().flatten() else { return };
        let object = subject.object();
        let before = version_of(&object);
        let uid = self.uids.try_with_value(|uids| uids.get(at).cloned().flatten()).flatten();
        let Some(uid) = uid.filter(|uid| object["metadata"]["uid"] == uid.as_str() && !subject.deleted.get_untracked())
        else {
            return self.set(at, Progress::Failed(replaced()));
        };
        let request = make(&object);
        let (method, arguments) = request.call(&subject.target, &uid);
        self.set(at, Progress::Sending);
        let factory = self.subjects.cluster.factory();
        let progress = match (requests::call(&factory, method, &arguments).await, request) {
            (Err(failure), _) => Progress::Failed(failure),
            (Ok(job), Request::Create(_)) => {
                let text = |value: &Value| visible(value.as_str().unwrap_or_default()).into_owned();
                Progress::Done(format!("{} {} was created.", text(&job["kind"]), text(&job["metadata"]["name"])))
            }
            (Ok(answer), _) => Progress::Accepted { before, version: version_of(&answer) },
        };
        self.set(at, progress);
    }

    fn set(self, at: usize, progress: Progress) {
        if let Some(signal) = self.progress(at) {
            signal.try_set(progress);
        }
    }
}

/// The object that the dialog is about does not exist any more.
fn replaced() -> Failure {
    let message = "The object was deleted, or replaced by another one of the same name, after the dialog was opened.";
    Failure { code: "not-found".to_owned(), message: message.to_owned(), ..Failure::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_counted_by_how_far_they_are() {
        let accepted = Progress::Accepted { before: None, version: None };
        let all = [Progress::Idle, Progress::Sending, accepted, Progress::Confirmed, Progress::Done(String::new())];
        let of = |all: &[Progress]| {
            let mut tally = Tally::default();
            for progress in all {
                tally.add(progress);
            }
            tally
        };
        assert_eq!(of(&all), Tally { idle: 1, busy: 1, accepted: 1, done: 2, ..Tally::default() });
        let over = [Progress::Failed(Failure::default()), Progress::Stopped];
        assert_eq!(of(&over), Tally { failed: 1, stopped: 1, ..Tally::default() });
    }

    #[test]
    fn what_may_have_been_created_is_not_created_again() {
        let failed = |code: &str| Progress::Failed(Failure { code: code.to_owned(), ..Failure::default() });
        assert!(!failed("network").may_repeat(true));
        assert!(!failed("timeout").may_repeat(true));
        assert!(!failed("decode").may_repeat(true), "the answer is there, and cannot be read");
        assert!(!failed("timeout").is_sendable(true), "nor by the button of the action");
        assert!(Progress::Idle.is_sendable(true) && failed("forbidden").is_sendable(true));
        assert!(!Progress::Sending.is_sendable(false));
        assert!(failed("network").may_repeat(false));
        assert!(failed("forbidden").may_repeat(true));
        assert!(Progress::Stopped.may_repeat(true));
        assert!(!Progress::Confirmed.may_repeat(false));
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
