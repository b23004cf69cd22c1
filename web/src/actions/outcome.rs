//! Outcome of a run: its requests' progress and results, and the buttons below them.

use leptos::prelude::*;

use super::progress::{Progress, ProgressCounts};
use super::run::Run;
use crate::client::failure::Failure;
use crate::dialog::DialogLock;
use crate::focus;
use crate::visible::visible;

/// Submit button: its label, and whether it is destructive. A destructive button is never focused by default.
#[derive(Clone, Copy)]
pub(super) struct SubmitButton {
    pub(super) label: &'static str,
    pub(super) is_danger: bool,
}

impl Run {
    /// Result of the run: one sentence for one object, a line for each of several.
    pub(super) fn outcome(self) -> AnyView {
        if self.subjects.are_many() {
            return self.list().into_any();
        }
        let progress = self.progress(0);
        let message = move || {
            let sentence = |message: &'static str| view! { <p class="outcome" role="status">{message}</p> }.into_any();
            match progress.map_or(Progress::Idle, |progress| progress.get()) {
                Progress::Idle | Progress::Stopped | Progress::Confirmed => ().into_any(),
                Progress::Queued | Progress::Sending => sentence("Sending …"),
                Progress::Accepted(_) => sentence("Accepted by the server. Waiting until the watch shows it …"),
                Progress::Unwatched => sentence("Accepted by the server, but not confirmed by the watch."),
                Progress::Done(text) => view! { <p class="outcome done" role="status">{text}</p> }.into_any(),
                Progress::Failed(failure) => failed(&failure).into_any(),
            }
        };
        message.into_any()
    }

    /// The objects, each with its progress.
    fn list(self) -> impl IntoView {
        let titles: Vec<_> = self.subjects.with(|list| list.iter().map(super::Subject::title).collect());
        let line = move |(at, title): (usize, String)| {
            let progress = self.progress(at);
            let state = move || progress.map_or((String::new(), ""), |progress| progress.with(state));
            let key = title.clone();
            view! {
                <tr data-subject=key data-tone=move || state().1>
                    <td>{title}</td>
                    <td>{move || state().0}</td>
                </tr>
            }
        };
        let advice = Memo::new(move |_| self.advice());
        let summary = move || sentence(self.counts(), self.subjects.len());
        view! {
            <p
                class="outcome"
                role="status"
                class:failed=move || self.counts().failed != 0
                hidden=move || summary().is_none()
            >
                {summary}
            </p>
            {move || advice.get().map(|message| view! { <p class="note" role="status">{message}</p> })}
            <div class="scrolled" tabindex="0" role="region" aria-label="Objects">
                <table class="progress">
                    <thead>
                        <tr>
                            <th scope="col">{"Object"}</th>
                            <th scope="col">{"State"}</th>
                        </tr>
                    </thead>
                    <tbody>{titles.into_iter().enumerate().map(line).collect_view()}</tbody>
                </table>
            </div>
        }
    }

    /// Footer: Cancel or Close, Stop, Try again, and the action.
    pub(super) fn footer(
        self,
        submit: SubmitButton,
        is_ready: impl Fn() -> bool + Send + Sync + 'static,
        send: impl Fn() + Send + 'static,
    ) -> impl IntoView {
        let SubmitButton { label, is_danger } = submit;
        let are_many = self.subjects.are_many();
        let is_over = move || are_many && self.is_busy() && !self.is_running();
        let retryable = Memo::new(move |_| is_over().then(|| self.retryable_count()).filter(|count| *count > 0));
        // Closing the dialog drops the queue, so a running batch must be stopped first.
        let is_locked = move || are_many && self.is_running();
        let lock = use_context::<DialogLock>();
        Effect::new(move || lock.into_iter().for_each(|DialogLock(lock)| lock.set(is_locked())));
        Effect::new(move || {
            // The button that was pressed is hidden now.
            if are_many && (self.is_running() || is_over()) {
                request_animation_frame(|| {
                    if !focus::is_in("dialog.action button:not([hidden])") {
                        let _is_taken =
                            focus::to("dialog.action footer .stop") || focus::to("dialog.action footer button");
                    }
                });
            }
            // It was disabled while the request was in flight, and lost the focus.
            let ProgressCounts { done, failed, unwatched, .. } = self.counts();
            if !are_many && done + failed + unwatched > 0 {
                request_animation_frame(move || {
                    if focus::current().is_none() {
                        // Enter repeats no dangerous action by accident.
                        let _is_taken = (!is_danger && focus::to("dialog.action footer button:last-child"))
                            || focus::to("dialog.action footer button");
                    }
                });
            }
        });
        let retry_label = move || retryable.get().map(|count| format!("Try again ({count})"));
        view! {
            <footer role="none">
                // Enter closes a dangerous dialog: this button has the focus.
                <button
                    class="button"
                    type="button"
                    autofocus=is_danger
                    hidden=is_locked
                    on:click=move |_| self.close.run(())
                >
                    {move || if is_danger && !is_over() { "Cancel" } else { "Close" }}
                </button>
                <button
                    class="button danger stop"
                    type="button"
                    hidden=move || !is_locked()
                    on:click=move |_| self.stop()
                >
                    {"Stop"}
                </button>
                <button
                    class="button primary"
                    type="button"
                    hidden=move || retryable.get().is_none()
                    on:click=move |_| self.retry()
                >
                    {retry_label}
                </button>
                <button
                    class="button"
                    class:primary=!is_danger
                    class:danger=is_danger
                    type="button"
                    hidden=move || are_many && self.is_busy()
                    disabled=move || self.is_busy() || !is_ready()
                    on:click=move |_| send()
                >
                    {label}
                </button>
            </footer>
        }
    }
}

/// The state of one of several objects, and its tone.
fn state(progress: &Progress) -> (String, &'static str) {
    let (message, tone) = match progress {
        Progress::Idle => ("", ""),
        Progress::Queued => ("queued", ""),
        Progress::Stopped => ("not sent: stopped", "warn"),
        Progress::Sending => ("sending …", ""),
        Progress::Accepted(_) => ("accepted, waiting for the watch …", ""),
        Progress::Unwatched => ("accepted, but not confirmed by the watch", "warn"),
        Progress::Confirmed => ("done", "ok"),
        Progress::Done(text) => (text.as_str(), "ok"),
        Progress::Failed(failure) => {
            let causes: Vec<_> =
                failure.causes.iter().map(|cause| format!("{} {}", cause.field, cause.message)).collect();
            let message = format!("{}: {} {}", failure.title(), failure.message, causes.join("; "));
            return (visible(message.trim_end()).into_owned(), "bad");
        }
    };
    (message.to_owned(), tone)
}

/// Summary of the states of several objects; `None` before the first request.
fn sentence(counts: ProgressCounts, total: usize) -> Option<String> {
    let ProgressCounts { idle, busy, accepted, done, failed, stopped, unwatched } = counts;
    if idle == total {
        return None;
    }
    let begin = match (busy, accepted) {
        (1.., _) => "Running",
        (0, 1..) => "Waiting for the watch",
        _ if stopped > 0 => "Stopped",
        _ if failed > 0 => "Not complete",
        _ if unwatched > 0 => "Accepted",
        _ => "Complete",
    };
    let part = |count: usize, what: &str| if count > 0 { format!(", {count} {what}") } else { String::new() };
    let parts = [(failed, "failed"), (stopped, "not sent"), (unwatched, "not confirmed by the watch")];
    let parts: String = parts.into_iter().map(|(count, what)| part(count, what)).collect();
    Some(format!("{begin}: {done} of {total} done{parts}."))
}

/// A failure: what happened, the server's words, each field, and what to do.
pub(super) fn failed(failure: &Failure) -> impl IntoView + use<> {
    let shown = |text: &str| visible(text).into_owned();
    let pair = |field: &str, message: String| {
        view! { <li><code>{shown(field)}</code>" "<span>{message}</span></li> }
    };
    let owners = failure.conflicts.iter();
    // The server lists a conflict as a cause, too; its owner is what helps.
    let is_conflict = |field: &str| failure.conflicts.iter().any(|conflict| conflict.field == field);
    let causes = failure.causes.iter().filter(|cause| !is_conflict(&cause.field));
    let causes = causes.map(|cause| pair(&cause.field, shown(&cause.message)));
    let owners = owners.map(|conflict| pair(&conflict.field, format!("managed by {}", shown(&conflict.manager))));
    let fields: Vec<_> = causes.chain(owners).collect();
    let webhook = failure.webhook.as_deref().map(|webhook| view! { <p>{"Webhook: "}<code>{shown(webhook)}</code></p> });
    view! {
        <div class="outcome failed" role="alert">
            <strong>{failure.title()}</strong>
            <p>{shown(&failure.message)}</p>
            {webhook}
            {(!fields.is_empty()).then(|| view! { <ul>{fields}</ul> })}
            <p>{failure.advice()}</p>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_says_what_is_left() {
        let of = |counts| sentence(counts, 5).expect("a sentence");
        assert_eq!(sentence(ProgressCounts { idle: 5, ..ProgressCounts::default() }, 5), None);
        assert_eq!(
            of(ProgressCounts { busy: 3, done: 1, failed: 1, ..ProgressCounts::default() }),
            "Running: 1 of 5 done, 1 failed."
        );
        assert_eq!(
            of(ProgressCounts { accepted: 1, done: 4, ..ProgressCounts::default() }),
            "Waiting for the watch: 4 of 5 done."
        );
        assert_eq!(
            of(ProgressCounts { done: 3, stopped: 2, ..ProgressCounts::default() }),
            "Stopped: 3 of 5 done, 2 not sent."
        );
        assert_eq!(
            of(ProgressCounts { done: 4, failed: 1, ..ProgressCounts::default() }),
            "Not complete: 4 of 5 done, 1 failed."
        );
        let left = ProgressCounts { done: 4, unwatched: 1, ..ProgressCounts::default() };
        assert_eq!(of(left), "Accepted: 4 of 5 done, 1 not confirmed by the watch.");
        assert_eq!(of(ProgressCounts { done: 5, ..ProgressCounts::default() }), "Complete: 5 of 5 done.");
    }

    #[test]
    fn a_failed_object_shows_the_reason() {
        let failure = Failure {
            code: "throttled".to_owned(),
            status: Some(429),
            message: "Cannot evict pod".to_owned(),
            ..Failure::default()
        };
        assert_eq!(state(&Progress::Failed(failure)), ("Too many requests (429): Cannot evict pod".to_owned(), "bad"));
    }
}
