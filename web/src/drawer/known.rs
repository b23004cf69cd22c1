//! Derived data of the open object: parsed JSON, summary, diagnosis and relations, recomputed when their inputs change.

use std::sync::Arc;

use kube_objects::{Edge, Finding, Section};
use leptos::prelude::*;
use serde_json::Value;

use super::around::{Around, State, with_subject};
use super::last_lines;
use crate::cluster::Cluster;

/// Interval of the diagnosis without changes, in milliseconds: some rules depend on the time.
const STEP: f64 = 10_000.0;

/// Values about the open object. Copies are the same.
#[derive(Clone, Copy)]
pub(super) struct Known {
    pub(super) object: Memo<Option<Arc<Value>>>,
    pub(super) around: Around,
    pub(super) sections: Memo<Vec<Section>>,
    pub(super) findings: Memo<Vec<Finding>>,
    pub(super) edges: Memo<Vec<Edge>>,
}

impl Known {
    pub(super) fn new(cluster: Cluster, object: Memo<Option<Arc<Value>>>, around: Around, now: RwSignal<f64>) -> Self {
        let last_lines = last_lines::follow(cluster, object, around.states, around.wanted);
        let step = Memo::new(move |_| (now.get() / STEP).floor());
        let states = around.states;
        Self {
            object,
            around,
            sections: Memo::new(move |_| {
                step.track();
                object
                    .with(|object| {
                        let object = object.as_deref()?;
                        Some(states.with(|states| with_subject(object, states, &[], kube_objects::summary)))
                    })
                    .unwrap_or_default()
            }),
            findings: Memo::new(move |_| {
                step.track();
                object
                    .with(|object| {
                        let object = object.as_deref()?;
                        Some(last_lines.with(|lines| {
                            states.with(|states| with_subject(object, states, lines, kube_objects::diagnose))
                        }))
                    })
                    .unwrap_or_default()
            }),
            edges: Memo::new(move |_| {
                object
                    .with(|object| {
                        let object = object.as_deref()?;
                        Some(states.with(|states| with_subject(object, states, &[], kube_objects::edges)))
                    })
                    .unwrap_or_default()
            }),
        }
    }

    /// Whether something is being read, and why something cannot be read, by kind.
    pub(super) fn reading(self) -> (Vec<String>, Vec<(String, State)>) {
        self.around.states.with(|states| {
            let (mut loading, mut failed) = (Vec::new(), Vec::new());
            for (need, state) in states {
                match state {
                    State::Loading if !loading.contains(&need.kind) => loading.push(need.kind.clone()),
                    State::Failed(_) | State::TooMany(_) if failed.iter().all(|(kind, _)| *kind != need.kind) => {
                        failed.push((need.kind.clone(), state.clone()));
                    }
                    _ => {}
                }
            }
            (loading, failed)
        })
    }
}
