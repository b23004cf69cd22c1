//! Actions that need no input: what will happen, in a sentence, and a button.

use leptos::prelude::*;
use serde_json::Value;

use super::super::opened::Opened;
use super::run::{Run, named, object};
use crate::actions::body;
use crate::actions::request::Request;
use crate::actions::table::Action;
use crate::dialog::Window;

/// What is asked, and what is sent for a yes.
struct Plan {
    verb: &'static str,
    says: &'static str,
    request: Request,
}

fn plan(action: Action, object: &Value) -> Plan {
    let patch = |verb, says, patch| Plan { verb, says, request: Request::Patch(patch) };
    match action {
        Action::Pause => patch(
            "Pause",
            "Changes of the pod template do not reach the pods until the rollout is resumed. Running pods stay.",
            body::paused(true),
        ),
        Action::Resume => patch("Resume", "The rollout goes on, with all changes made meanwhile.", body::paused(false)),
        Action::Suspend => patch(
            "Suspend",
            "Nothing new is started until it is resumed. A suspended Job's running pods are deleted; Jobs that a CronJob has started go on.",
            body::suspended(true),
        ),
        Action::Unsuspend => patch("Resume", "It starts again.", body::suspended(false)),
        Action::Cordon => {
            patch("Cordon", "No new pods are scheduled to the node. Its pods stay.", body::unschedulable(true))
        }
        Action::Uncordon => {
            patch("Uncordon", "New pods may be scheduled to the node again.", body::unschedulable(false))
        }
        Action::Trigger => Plan {
            verb: "Run now",
            says: "Creates a Job from the template, whatever the schedule and the concurrency policy say.",
            request: Request::Create(body::job(object)),
        },
        Action::Evict => Plan {
            verb: "Evict",
            says: "The pod is deleted if its PodDisruptionBudgets allow it. Its controller creates another one, if it has a controller.",
            request: Request::Evict,
        },
        _ => {
            let now = js_sys::Date::new_0().to_iso_string().as_string().unwrap_or_default();
            patch(
                "Restart",
                "All pods are replaced, a few at a time, as the update strategy says.",
                body::restart(&now),
            )
        }
    }
}

/// The dialog.
pub(super) fn confirm(opened: Opened, action: Action, close: Callback<()>) -> impl IntoView {
    let object = object(opened.followed.json.get_untracked().as_deref());
    let Plan { verb, says, request } = plan(action, &object);
    let run = Run::new(opened, close);
    view! {
        <Window title=format!("{verb}: {}", named(&object, opened)) close=close>
            <p>{says}</p>
            {run.outcome()}
            <footer>
                <button class="button" type="button" on:click=move |_| close.run(())>
                    {"Close"}
                </button>
                <button
                    class="button primary"
                    type="button"
                    disabled=move || run.is_busy()
                    on:click=move |_| run.send(request.clone())
                >
                    {verb}
                </button>
            </footer>
        </Window>
    }
}
