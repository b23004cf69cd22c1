//! Confirmation of actions without input: a sentence about the effect, and a button.

use leptos::prelude::*;

use super::body;
use super::outcome::Verb;
use super::request::Request;
use super::run::Run;
use super::subject::Subjects;
use super::table::Action;
use super::typed::Typed;
use crate::dialog::Window;

/// Question of a confirmation, and the requests of its button.
struct Plan {
    verb: &'static str,
    says: &'static str,
    request: Requests,
}

/// Requests: the same for each object, or derived from the object.
enum Requests {
    Same(Request),
    Job,
}

fn plan(action: Action) -> Plan {
    let patch = |verb, says, patch| Plan { verb, says, request: Requests::Same(Request::Patch(patch)) };
    match action {
        Action::Pause => patch(
            "Pause",
            "Changes of the pod template do not reach the pods until the rollout is resumed. Running pods stay.",
            body::paused(true),
        ),
        Action::Resume => {
            patch("Resume", "The rollout continues, with all changes made while it was paused.", body::paused(false))
        }
        Action::Suspend => patch(
            "Suspend",
            "No new Jobs or pods start until it is resumed. Suspending a Job deletes its running pods. Jobs that a CronJob has started continue.",
            body::suspended(true),
        ),
        Action::Unsuspend => patch("Resume", "Jobs and pods start again.", body::suspended(false)),
        Action::Cordon => {
            patch("Cordon", "No new pods are scheduled to the node. Its pods stay.", body::unschedulable(true))
        }
        Action::Uncordon => {
            patch("Uncordon", "New pods may be scheduled to the node again.", body::unschedulable(false))
        }
        Action::Trigger => Plan {
            verb: "Run now",
            says: "Creates a Job from the template now, regardless of the schedule and the concurrency policy.",
            request: Requests::Job,
        },
        Action::Evict => Plan {
            verb: "Evict",
            says: "The pod is deleted if its PodDisruptionBudgets allow it. Its controller creates another one, if it has a controller.",
            request: Requests::Same(Request::Evict),
        },
        _ => {
            let now = js_sys::Date::new_0().to_iso_string().as_string().unwrap_or_default();
            patch(
                "Restart",
                "Replaces all pods, a few at a time, according to the update strategy.",
                body::restart(&now),
            )
        }
    }
}

/// The dialog.
pub(super) fn confirm(subjects: Subjects, action: Action, close: Callback<()>) -> impl IntoView {
    let Plan { verb, says, request } = plan(action);
    let run = Run::new(subjects, close);
    let typed = Typed::new(subjects, move || action.is_destructive());
    let request = StoredValue::new(request);
    let send = move || {
        request.with_value(|request| match request {
            Requests::Same(request) => run.send(request.clone()),
            Requests::Job => run.send_each(|object| Request::Create(body::job(object))),
        });
    };
    view! {
        <Window title=format!("{verb}: {}", subjects.named()) close=close stays=Signal::derive(move || run.is_running())>
            <p>{says}</p>
            {typed.field()}
            {run.outcome()}
            {run.footer(Verb { label: verb, is_danger: false }, move || typed.is_right(), send)}
        </Window>
    }
}
