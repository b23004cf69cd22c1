//! Run of an action: one request for each subject, at most [`MAX_IN_FLIGHT`] in flight. An object is done when the
//! watch shows the version of the server's answer or a later one, or that the object is deleted. A deletion or an
//! eviction is done when the watch shows that the object is being deleted, or is gone. It is never done before.

use std::collections::VecDeque;
use std::rc::Rc;

use leptos::prelude::*;
use serde_json::Value;
use wasm_bindgen_futures::spawn_local;

use super::progress::{ExpectedChange, Progress, ProgressCounts};
use super::request::Request;
use super::subject::{Subjects, parsed};
use crate::client::failure::Failure;
use crate::client::requests;
use crate::visible::visible;

/// Requests that are in flight at the same time.
const MAX_IN_FLIGHT: usize = 4;

/// Number of replacements of the objects' informer, in the context of their dialog.
#[derive(Clone, Copy)]
pub(crate) struct Replacements(pub(crate) RwSignal<usize>);

/// Makes the request for an object.
type Make = Rc<dyn Fn(&Value) -> Request>;

/// The requests of one dialog. Copies share their state.
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
    counts: Memo<ProgressCounts>,
}

impl Run {
    /// A run over the subjects. The dialog of a single one closes when the watch confirms the request.
    pub(super) fn new(subjects: Subjects, close: Callback<()>) -> Self {
        let all: Vec<_> = (0..subjects.len()).map(|_| RwSignal::new(Progress::Idle)).collect();
        let progress = StoredValue::new(all.clone());
        let counts = Memo::new(move |_| {
            let mut counts = ProgressCounts::default();
            progress.with_value(|all| all.iter().for_each(|progress| progress.with(|progress| counts.add(progress))));
            counts
        });
        let are_many = subjects.are_many();
        let replaced = use_context::<Replacements>().map(|Replacements(count)| (count, count.get_untracked()));
        let uid = |object: &Value| object["metadata"]["uid"].as_str().map(str::to_owned);
        let uids = StoredValue::new(subjects.objects().iter().map(uid).collect());
        for (at, progress) in all.into_iter().enumerate() {
            let Some(subject) = subjects.get(at) else { continue };
            Effect::new(move || {
                let is_watched = replaced.is_none_or(|(count, begin)| count.get() == begin);
                let is_accepted = progress.with(|progress| matches!(progress, Progress::Accepted(_)));
                let is_confirmed = progress.with(|progress| {
                    let Progress::Accepted(expected) = progress else { return false };
                    // Another object of the same name is there: the one of the request is gone.
                    let uid = uids.with_value(|uids: &Vec<Option<String>>| uids.get(at).cloned().flatten());
                    let is_shown = |json: &Option<String>| {
                        let now = parsed(json.as_deref());
                        uid.as_deref().is_some_and(|uid| now["metadata"]["uid"] != uid) || expected.is_shown(&now)
                    };
                    subject.deleted.get() || subject.json.with(is_shown)
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
        Self { subjects, close, progress, queue, make, uids, creates: StoredValue::new(false), counts }
    }

    /// Number of objects in each state.
    pub(super) fn counts(self) -> ProgressCounts {
        self.counts.get()
    }

    /// State of the request for one object.
    pub(super) fn progress(self, at: usize) -> Option<RwSignal<Progress>> {
        self.progress.try_with_value(|all| all.get(at).copied()).flatten()
    }

    /// Whether requests are in flight or queued.
    pub(super) fn is_running(self) -> bool {
        self.counts().busy > 0
    }

    /// Turns the run into one of creating requests: none that may have created its object is sent again.
    pub(super) fn for_creations(self) -> Self {
        self.creates.set_value(true);
        self
    }

    /// Whether the action must not be sent now: it is in flight, was carried out for some of several objects, or may
    /// have been carried out and must not be repeated.
    pub(super) fn is_busy(self) -> bool {
        let ProgressCounts { busy, accepted, done, failed, stopped, unwatched, .. } = self.counts();
        busy + accepted + done + unwatched > 0
            || (self.subjects.are_many() && failed + stopped > 0)
            || self.count(Progress::is_sendable) == 0
    }

    /// Sends the same request for each object, unless requests are in flight.
    pub(super) fn send(self, request: Request) {
        self.send_each(move |_| request.clone());
    }

    /// Sends a request for each object, unless requests are in flight.
    pub(super) fn send_each(self, make: impl Fn(&Value) -> Request + 'static) {
        if untrack(|| self.is_busy()) {
            return;
        }
        self.make.set_value(Some(Rc::new(make)));
        self.enqueue(Progress::is_sendable);
    }

    /// Sends the failed requests again, and those that were not sent.
    pub(super) fn retry(self) {
        self.enqueue(Progress::may_retry);
    }

    /// Number of objects whose request can be retried.
    pub(super) fn retryable_count(self) -> usize {
        self.count(Progress::may_retry)
    }

    fn count(self, which: impl Fn(&Progress, bool) -> bool) -> usize {
        let creates = self.creates.get_value();
        let is_one = |progress: &&RwSignal<Progress>| progress.with(|progress| which(progress, creates));
        self.progress.with_value(|all| all.iter().filter(is_one).count())
    }

    /// Advice for failed requests that may have taken effect.
    pub(super) fn advice(self) -> Option<String> {
        let advice = |progress: &Progress| match progress {
            Progress::Failed(failure) if failure.is_unsure() => Some(failure.advice()),
            _ => None,
        };
        self.progress.with_value(|all| all.iter().find_map(|progress| progress.with(advice)))
    }

    /// Stops sending requests. Those in flight complete.
    pub(super) fn stop(self) {
        for at in self.queue.try_update_value(std::mem::take).unwrap_or_default() {
            self.set(at, Progress::Stopped);
        }
    }

    fn enqueue(self, which: impl Fn(&Progress, bool) -> bool) {
        let creates = self.creates.get_value();
        let is_one = |progress: &RwSignal<Progress>| progress.with_untracked(|progress| which(progress, creates));
        let indexes: VecDeque<_> =
            self.progress.with_value(|all| (0..all.len()).filter(|at| is_one(&all[*at])).collect());
        for at in &indexes {
            self.set(*at, Progress::Queued);
        }
        self.queue.set_value(indexes);
        for _ in 0..MAX_IN_FLIGHT {
            spawn_local(async move {
                // Closing the dialog disposes the queue.
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
        let uid = self.uids.try_with_value(|uids| uids.get(at).cloned().flatten()).flatten();
        let Some(uid) = uid.filter(|uid| object["metadata"]["uid"] == uid.as_str() && !subject.deleted.get_untracked())
        else {
            return self.set(at, Progress::Failed(replaced_failure()));
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
            (Ok(answer), request) => Progress::Accepted(ExpectedChange::of(&request, &object, &answer)),
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
fn replaced_failure() -> Failure {
    let message = "The object was deleted, or replaced by another one of the same name, after the dialog was opened.";
    Failure { code: "not-found".to_owned(), message: message.to_owned(), ..Failure::default() }
}
