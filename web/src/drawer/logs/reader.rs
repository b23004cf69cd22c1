//! Reader: one call of the package's `logs()`, which ends when it is dropped.

use std::cell::Cell;
use std::rc::Rc;

use informer::GroupVersionResource;
use js_sys::{Array, Date, JSON};
use leptos::prelude::*;
use log_lines::Batch;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::AbortController;

use super::choice::{Choice, Since};
use super::states::{Phase, State, States};
use super::viewer::Viewer;
use crate::client::logs::{self, Batches};
use crate::client::record::Record;
use crate::client::{InformerError, LogState};
use crate::cluster::Cluster;
use crate::{freshness, plain};

/// Objects whose logs are read.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::drawer) struct Target {
    pub(in crate::drawer) resource: GroupVersionResource,
    pub(in crate::drawer) namespace: String,
    pub(in crate::drawer) name: String,
}

impl Target {
    /// The object of a key: `namespace/name`, or `name`.
    pub(in crate::drawer) fn of(resource: &GroupVersionResource, key: &str) -> Self {
        let (namespace, name) = key.split_once('/').unwrap_or(("", key));
        Self { resource: resource.clone(), namespace: namespace.to_owned(), name: name.to_owned() }
    }

    fn written(&self) -> Record {
        logs::target(&self.resource.to_string(), &self.namespace, &self.name)
    }
}

/// Whether several logs may be merged.
pub(super) fn is_merged(targets: &[Target]) -> bool {
    !matches!(targets, [one] if one.resource.resource == "pods" && one.resource.group.is_empty())
}

/// Argument for the package: a single object, or an array of several.
fn all_written(targets: &[Target]) -> JsValue {
    match targets {
        [one] => one.written().into(),
        all => all.iter().map(|target| JsValue::from(target.written())).collect::<Array>().into(),
    }
}

/// A running read; dropping it ends the read.
pub(super) struct Reading {
    abort: Option<AbortController>,
    is_open: Rc<Cell<bool>>,
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.is_open.set(false);
        if let Some(abort) = &self.abort {
            abort.abort();
        }
    }
}

/// Starts reading. Lines go to the viewer, states to `states`.
pub(super) fn read(
    cluster: Cluster,
    targets: &[Target],
    choice: &Choice,
    viewer: Viewer,
    states: RwSignal<States>,
) -> Reading {
    let abort = AbortController::new().ok();
    let is_open = Rc::new(Cell::new(true));
    // Several logs would wait for each other's connection.
    let options = written(choice).with("pastFirst", !is_merged(targets) && !choice.previous);
    let options = options.with("signal", abort.as_ref().map(AbortController::signal));
    let heard = Rc::clone(&is_open);
    let are_apart = targets.windows(2).any(|two| two[0].namespace != two[1].namespace);
    // The package may call it once more after the end: the garbage collector frees it.
    let listener = Closure::<dyn Fn(LogState)>::new(move |state: LogState| {
        if heard.get() {
            states.try_update(|states| note(states, &state, are_apart));
        }
    });
    let options = options.with("onState", listener.into_js_value());
    let begun = Batches::of(&cluster.factory(), &all_written(targets), options);
    let going = Rc::clone(&is_open);
    spawn_local(async move {
        let outcome = match begun {
            Ok(batches) => take(&batches, &going, viewer).await,
            Err(error) => Err(error),
        };
        if going.get() {
            states.try_update(|states| close(states, outcome.err().as_ref()));
        }
    });
    Reading { abort, is_open }
}

fn written(choice: &Choice) -> Record {
    let since = match choice.since {
        Since::Any => JsValue::UNDEFINED,
        Since::Seconds(seconds) => seconds.into(),
        Since::Time(at) => Date::new(&at.into()).into(),
    };
    Record::new()
        .with_text("container", &choice.container)
        .with(if choice.previous { "previous" } else { "follow" }, true)
        .with("since", since)
        .with("tail", (choice.tail > 0).then_some(choice.tail))
}

/// Receives batches until the end.
async fn take(batches: &Batches, is_open: &Cell<bool>, viewer: Viewer) -> Result<(), JsValue> {
    while let Some(batch) = batches.next().await? {
        if !is_open.get() {
            break;
        }
        let rest = Array::of3(&batch.lines().into(), &batch.cuts(), &batch.origins());
        let rest: String = JSON::stringify(&rest)?.into();
        viewer.append(Batch::new(&batch.texts(), &batch.times(), &rest).as_ref());
    }
    Ok(())
}

/// Records a state; `are_apart` means that pods are in several namespaces.
fn note(states: &mut States, state: &LogState, are_apart: bool) {
    if let Some(waiting) = state.waiting() {
        states.waiting = waiting;
        return;
    }
    let Some(phase) = Phase::named(&state.state()) else { return };
    if phase == Phase::Connecting {
        // One of those that waited has begun.
        states.waiting = states.waiting.saturating_sub(1);
    }
    let of = match state.reference() {
        Some(target) => format!("{}/{}", target.namespace().unwrap_or_default(), target.name().unwrap_or_default()),
        None => format!("{}/{}", state.pod().unwrap_or_default(), state.container().unwrap_or_default()),
    };
    let namespace = state.namespace().filter(|_| are_apart);
    let of = namespace.map_or_else(|| of.clone(), |namespace| format!("{namespace}/{of}"));
    // A selection has no pod: it tells that it cannot be read, and that it is read again.
    if phase == Phase::Following && state.pod().is_none() {
        return states.forget(&of);
    }
    states.note(State {
        phase,
        of,
        error: state.error().as_ref().map(describe),
        next_retry_at: state.next_retry_at(),
        exit_code: state.exit_code(),
        signal: state.signal(),
        reason: state.reason(),
        before: None,
    });
}

/// Handles the end of the iteration, with or without an error.
fn close(states: &mut States, error: Option<&JsValue>) {
    let told = states.all.iter().any(|state| state.phase == Phase::Failed);
    match error {
        Some(error) if !told => {
            let error = Some(describe(error.unchecked_ref()));
            let of = String::new();
            let state = State {
                phase: Phase::Failed,
                of,
                error,
                next_retry_at: None,
                exit_code: None,
                signal: None,
                reason: None,
                before: None,
            };
            states.all.clear();
            states.all.push(state);
        }
        _ => {}
    }
    states.is_over = true;
}

/// Code and message.
fn describe(error: &InformerError) -> String {
    let report = plain::rejection(error);
    format!("{} — {}", freshness::code(report.code), report.message.trim_end_matches('.'))
}
