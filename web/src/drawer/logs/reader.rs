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

/// Object whose logs are read.
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

    fn to_record(&self) -> Record {
        logs::target(&self.resource.to_string(), &self.namespace, &self.name)
    }
}

/// Whether several logs may be merged.
pub(super) fn is_merged(targets: &[Target]) -> bool {
    !matches!(targets, [one] if one.resource.resource == "pods" && one.resource.group.is_empty())
}

/// Argument for the package: a single object, or an array of several.
fn targets_argument(targets: &[Target]) -> JsValue {
    match targets {
        [one] => one.to_record().into(),
        all => all.iter().map(|target| JsValue::from(target.to_record())).collect::<Array>().into(),
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
    let options = options_of(choice).with("pastFirst", !is_merged(targets) && !choice.previous);
    let options = options.with("signal", abort.as_ref().map(AbortController::signal));
    let listener_open = Rc::clone(&is_open);
    let spans_namespaces = targets.windows(2).any(|two| two[0].namespace != two[1].namespace);
    // The package may call it once more after the end: the garbage collector frees it.
    let listener = Closure::<dyn Fn(LogState)>::new(move |state: LogState| {
        if listener_open.get() {
            states.try_update(|states| record_state(states, &state, spans_namespaces));
        }
    });
    let options = options.with("onState", listener.into_js_value());
    let batches = Batches::of(&cluster.factory(), &targets_argument(targets), options);
    let reader_open = Rc::clone(&is_open);
    spawn_local(async move {
        let outcome = match batches {
            Ok(batches) => receive(&batches, &reader_open, viewer).await,
            Err(error) => Err(error),
        };
        if reader_open.get() {
            states.try_update(|states| record_end(states, outcome.err().as_ref()));
        }
    });
    Reading { abort, is_open }
}

fn options_of(choice: &Choice) -> Record {
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
async fn receive(batches: &Batches, is_open: &Cell<bool>, viewer: Viewer) -> Result<(), JsValue> {
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

/// Records a state; `spans_namespaces` means that pods are in several namespaces.
fn record_state(states: &mut States, state: &LogState, spans_namespaces: bool) {
    if let Some(waiting) = state.waiting() {
        states.waiting = waiting;
        return;
    }
    let Some(phase) = Phase::named(&state.state()) else { return };
    if phase == Phase::Connecting {
        // A log that was waiting has started.
        states.waiting = states.waiting.saturating_sub(1);
    }
    let name = match state.reference() {
        Some(target) => format!("{}/{}", target.namespace().unwrap_or_default(), target.name().unwrap_or_default()),
        None => format!("{}/{}", state.pod().unwrap_or_default(), state.container().unwrap_or_default()),
    };
    let namespace = state.namespace().filter(|_| spans_namespaces);
    let name = namespace.map_or_else(|| name.clone(), |namespace| format!("{namespace}/{name}"));
    // A state without a pod belongs to a selection: that it cannot be read, or that it is readable again.
    if phase == Phase::Following && state.pod().is_none() {
        return states.remove(&name);
    }
    states.record(State {
        phase,
        name,
        error: state.error().as_ref().map(describe),
        next_retry_at: state.next_retry_at(),
        exit_code: state.exit_code(),
        signal: state.signal(),
        reason: state.reason(),
        previous_end: None,
    });
}

/// Handles the end of the iteration, with or without an error.
fn record_end(states: &mut States, error: Option<&JsValue>) {
    let is_reported = states.all.iter().any(|state| state.phase == Phase::Failed);
    match error {
        Some(error) if !is_reported => {
            let error = Some(describe(error.unchecked_ref()));
            let name = String::new();
            let state = State {
                phase: Phase::Failed,
                name,
                error,
                next_retry_at: None,
                exit_code: None,
                signal: None,
                reason: None,
                previous_end: None,
            };
            states.all.clear();
            states.all.push(state);
        }
        _ => {}
    }
    states.is_over = true;
}

/// Code and message of an error.
fn describe(error: &InformerError) -> String {
    let report = plain::rejection(error);
    format!("{} — {}", freshness::code(report.code), report.message.trim_end_matches('.'))
}
