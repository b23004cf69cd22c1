//! Run of an action: one request, its progress and its outcome. The dialog closes when the watch confirms it.

use leptos::prelude::*;
use serde_json::Value;
use wasm_bindgen_futures::spawn_local;

use super::super::opened::Opened;
use crate::actions::failure::Failure;
use crate::actions::request::{Request, Target};
use crate::client::requests;
use crate::visible::visible;

/// The open object, as requests name it.
pub(super) fn target(opened: Opened) -> Target {
    Target { resource: opened.resource().to_string(), namespace: opened.namespace(), name: opened.name() }
}

/// An object of its JSON; null if there is none.
pub(super) fn object(json: Option<&str>) -> Value {
    json.and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default()
}

/// `Deployment web`, with what hides made visible.
pub(super) fn named(object: &Value, opened: Opened) -> String {
    let kind = object["kind"].as_str().unwrap_or("object");
    visible(&format!("{kind} {}", opened.name())).into_owned()
}

/// How far a request is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Progress {
    Idle,
    Sending,
    /// The server has accepted it; the watch has not shown it yet.
    Accepted {
        before: Option<String>,
        version: Option<String>,
    },
    /// It is done, and this is to be read.
    Done(String),
    Failed(Failure),
}

/// One request at a time, of one dialog. Copies are the same.
#[derive(Clone, Copy)]
pub(super) struct Run {
    opened: Opened,
    progress: RwSignal<Progress>,
}

impl Run {
    /// A run that closes its dialog when the watch confirms the request.
    pub(super) fn new(opened: Opened, close: Callback<()>) -> Self {
        let run = Self { opened, progress: RwSignal::new(Progress::Idle) };
        Effect::new(move || {
            let is_confirmed = run.progress.with(|progress| {
                let Progress::Accepted { before, version } = progress else { return false };
                opened.followed.json.with(|now| {
                    let is_version = || {
                        version.is_some()
                            && version.as_deref() == object(now.as_deref())["metadata"]["resourceVersion"].as_str()
                    };
                    now != before || opened.followed.deleted.get() || is_version()
                })
            });
            if is_confirmed {
                close.run(());
            }
        });
        run
    }

    /// Whether nothing must be sent now.
    pub(super) fn is_busy(self) -> bool {
        self.progress
            .with(|progress| matches!(progress, Progress::Sending | Progress::Accepted { .. } | Progress::Done(_)))
    }

    /// Sends a request, unless one is on its way.
    pub(super) fn send(self, request: Request) {
        if untrack(|| self.is_busy()) {
            return;
        }
        let before = self.opened.followed.json.get_untracked();
        let (factory, target) = (self.opened.cluster.factory(), target(self.opened));
        self.progress.set(Progress::Sending);
        spawn_local(async move {
            let (method, arguments) = request.call(&target);
            let progress = match (requests::call(&factory, method, &arguments).await, request) {
                (Err(failure), _) => Progress::Failed(failure),
                (Ok(made), Request::Create(_)) => {
                    let text = |value: &Value| visible(value.as_str().unwrap_or_default()).into_owned();
                    Progress::Done(format!("{} {} was created.", text(&made["kind"]), text(&made["metadata"]["name"])))
                }
                (Ok(answer), _) => {
                    let version = answer["metadata"]["resourceVersion"].as_str().map(str::to_owned);
                    Progress::Accepted { before, version }
                }
            };
            self.progress.try_set(progress);
        });
    }

    /// What is said of it.
    pub(super) fn outcome(self) -> impl IntoView {
        move || {
            match self.progress.get() {
            Progress::Idle => ().into_any(),
            Progress::Sending => view! { <p class="outcome" role="status">{"Sending …"}</p> }.into_any(),
            Progress::Accepted { .. } => {
                view! { <p class="outcome" role="status">{"Accepted by the server. Waiting until the watch shows it …"}</p> }.into_any()
            }
            Progress::Done(text) => view! { <p class="outcome done" role="status">{text}</p> }.into_any(),
            Progress::Failed(failure) => failed(&failure).into_any(),
        }
        }
    }
}

/// A failure: what happened, the server's words, each field, and what to do.
pub(super) fn failed(failure: &Failure) -> impl IntoView + use<> {
    let shown = |text: &str| visible(text).into_owned();
    let pair = |field: &str, says: String| {
        view! { <li><code>{shown(field)}</code>" "<span>{says}</span></li> }
    };
    let owners = failure.conflicts.iter();
    // The server lists a conflict as a cause, too; its owner is what helps.
    let is_conflict = |field: &str| failure.conflicts.iter().any(|conflict| conflict.field == field);
    let causes = failure.causes.iter().filter(|cause| !is_conflict(&cause.field));
    let causes = causes.map(|cause| pair(&cause.field, shown(&cause.message)));
    let owners = owners.map(|conflict| pair(&conflict.field, format!("belongs to {}", shown(&conflict.manager))));
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
