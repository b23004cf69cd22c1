//! Confirmation of actions without input: a sentence about the effect, and a button.

use leptos::prelude::*;
use serde_json::Value;

use super::body;
use super::outcome::SubmitButton;
use super::request::Request;
use super::run::Run;
use super::subject::Subjects;
use super::table::Action;
use super::typed::TypedConfirmation;
use crate::dialog::Window;

/// Text of the dialog, and the request that its button sends.
pub(super) struct Plan {
    verb: &'static str,
    text: &'static str,
    request: Requests,
}

/// Request of a plan: the same for each object, or a Job made from the object.
enum Requests {
    Same(Request),
    Job,
}

impl Plan {
    fn patch(verb: &'static str, text: &'static str, patch: Value) -> Self {
        Self { verb, text, request: Requests::Same(Request::Patch(patch)) }
    }

    pub(super) fn pause() -> Self {
        let text = "Changes of the pod template do not reach the pods until the rollout is resumed. Running pods stay.";
        Self::patch("Pause", text, body::paused(true))
    }

    pub(super) fn resume() -> Self {
        Self::patch("Resume", "The rollout continues, with all changes made while it was paused.", body::paused(false))
    }

    pub(super) fn suspend() -> Self {
        let text = "No new Jobs or pods start until it is resumed. Suspending a Job deletes its running pods. Jobs that a CronJob has started continue.";
        Self::patch("Suspend", text, body::suspended(true))
    }

    pub(super) fn unsuspend() -> Self {
        Self::patch("Resume", "Jobs and pods start again.", body::suspended(false))
    }

    pub(super) fn cordon() -> Self {
        Self::patch("Cordon", "No new pods are scheduled to the node. Its pods stay.", body::unschedulable(true))
    }

    pub(super) fn uncordon() -> Self {
        Self::patch("Uncordon", "New pods may be scheduled to the node again.", body::unschedulable(false))
    }

    pub(super) fn restart() -> Self {
        let now = js_sys::Date::new_0().to_iso_string().as_string().unwrap_or_default();
        let text = "Replaces all pods, a few at a time, according to the update strategy.";
        Self::patch("Restart", text, body::restart(&now))
    }

    pub(super) fn trigger() -> Self {
        let text = "Creates a Job from the template now, regardless of the schedule and the concurrency policy.";
        Self { verb: "Run now", text, request: Requests::Job }
    }

    pub(super) fn evict() -> Self {
        let text = "The pod is deleted if its PodDisruptionBudgets allow it. Its controller creates another one, if it has a controller.";
        Self { verb: "Evict", text, request: Requests::Same(Request::Evict) }
    }
}

/// Dialog of an action that needs no input.
pub(super) fn confirm(subjects: Subjects, action: Action, plan: Plan, close: Callback<()>) -> impl IntoView {
    let Plan { verb, text, request } = plan;
    let run = Run::new(subjects, close);
    let run = if matches!(request, Requests::Job) { run.for_creations() } else { run };
    let confirmation = TypedConfirmation::new(subjects, move || action.is_destructive());
    let request = StoredValue::new(request);
    let send = move || {
        request.with_value(|request| match request {
            Requests::Same(request) => run.send(request.clone()),
            Requests::Job => run.send_each(|object| Request::Create(body::job(object))),
        });
    };
    view! {
        <Window
            title=format!("{verb}: {}", subjects.description())
            close=close
            stays=Signal::derive(move || run.is_running())
        >
            <p>{text}</p>
            {confirmation.field()}
            {run.outcome()}
            {run.footer(SubmitButton { label: verb, is_danger: false }, move || confirmation.is_confirmed(), send)}
        </Window>
    }
}
