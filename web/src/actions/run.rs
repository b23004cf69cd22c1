//! Run of an action: one request for each subject, at most [`AT_ONCE`] in flight. An object is done when the watch shows the
//! version of the server's answer or a later one, or that the object is deleted. A deletion or an eviction is done when the
//! watch shows that the object is being deleted, or is gone. It is never done before.

use std::collections::VecDeque;
use std::rc::Rc;

use leptos::prelude::*;
use serde_json::Value;
use wasm_bindgen_futures::spawn_local;

use super::progress::{Awaited, Progress, Tally};
use super::request::Request;
use super::subject::{Subjects, parsed};
use crate::client::failure::Failure;
use crate::client::requests;
use crate::visible::visible;

/// Requests that are in flight at the same time.
const AT_ONCE: usize = 4;

/// Number of replacements of the objects' informer, in the context of their dialog.
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
        let uid = |object: &Value| object["metadata"]["uid"].as_str().map(str::to_owned);
        let uids = StoredValue::new(subjects.objects().iter().map(uid).collect());
        for (at, progress) in all.into_iter().enumerate() {
            let Some(subject) = subjects.get(at) else { continue };
            Effect::new(move || {
                let is_watched = replaced.is_none_or(|(count, begin)| count.get() == begin);
                let is_accepted = progress.with(|progress| matches!(progress, Progress::Accepted(_)));
                let is_confirmed = progress.with(|progress| {
                    let Progress::Accepted(awaited) = progress else { return false };
                    // Another object of the same name is there: the one of the request is gone.
                    let uid = uids.with_value(|uids: &Vec<Option<String>>| uids.get(at).cloned().flatten());
                    let is_shown = |json: &Option<String>| {
                        let now = parsed(json.as_deref());
                        uid.as_deref().is_some_and(|uid| now["metadata"]["uid"] != uid) || awaited.is_shown(&now)
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

    /// The run of requests that each create another object: none is sent again that may have done so.
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

    /// Number of objects whose request can be retried.
    pub(super) fn repeatable(self) -> usize {
        self.count(Progress::may_repeat)
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
        let places: VecDeque<_> =
            self.progress.with_value(|all| (0..all.len()).filter(|at| is_one(&all[*at])).collect());
        for at in &places {
            self.set(*at, Progress::Queued);
        }
        self.queue.set_value(places);
        for _ in 0..AT_ONCE {
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
            (Ok(answer), request) => Progress::Accepted(Awaited::of(&request, &object, &answer)),
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
