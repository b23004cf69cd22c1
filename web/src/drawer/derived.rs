//! Derived data of the open object: parsed JSON, summary, diagnosis and relations, recomputed when their inputs change.

use std::sync::Arc;

use kube_objects::{Edge, Finding, Section, Subject};
use leptos::prelude::*;
use serde_json::Value;

use super::last_lines::{self, LastLines};
use super::related_objects::{NeedState, RelatedObjects, loading_and_failed, with_subject};
use super::zone;
use crate::cluster::Cluster;

/// Interval of the diagnosis without changes, in milliseconds: some rules depend on the time.
const DIAGNOSIS_INTERVAL: f64 = 10_000.0;

/// Derived values of the open object. Clones share their state.
#[derive(Clone, Copy)]
pub(super) struct Derived {
    pub(super) object: Memo<Option<Arc<Value>>>,
    pub(super) related: RelatedObjects,
    pub(super) sections: Memo<Vec<Section>>,
    pub(super) findings: Memo<Vec<Finding>>,
    pub(super) edges: Memo<Vec<Edge>>,
}

impl Derived {
    pub(super) fn new(
        cluster: Cluster,
        object: Memo<Option<Arc<Value>>>,
        related: RelatedObjects,
        columns: RwSignal<Option<Section>>,
        now: RwSignal<f64>,
    ) -> Self {
        let first_seen = first_seen(object);
        let last_lines = last_lines::follow(cluster, object, related.states, related.needed);
        let step = Memo::new(move |_| (now.get() / DIAGNOSIS_INTERVAL).floor());
        let states = related.states;
        Self {
            object,
            related,
            sections: Memo::new(move |_| {
                step.get();
                object
                    .with(|object| {
                        let object = object.as_deref()?;
                        let summary = |subject: &Subject<'_>| {
                            kube_objects::summary(&Subject { zone_offset: zone::offset, ..*subject })
                        };
                        let sections = states.with(|states| with_subject(object, states, &[], summary));
                        Some(columns.get().into_iter().chain(sections).collect())
                    })
                    .unwrap_or_default()
            }),
            findings: Memo::new(move |_| {
                step.get();
                object
                    .with(|object| {
                        let object = object.as_deref()?;
                        let generation_seen =
                            first_seen.with(|first_seen| first_seen.as_ref().map(|first_seen| first_seen.at));
                        let diagnose =
                            |subject: &Subject<'_>| kube_objects::diagnose(&Subject { generation_seen, ..*subject });
                        last_lines.with(|lines| {
                            let logs: Vec<_> = lines.iter().map(LastLines::as_log).collect();
                            Some(states.with(|states| with_subject(object, states, &logs, diagnose)))
                        })
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

    /// Kinds whose objects are loading, and kinds that failed, with their state.
    pub(super) fn loading_and_failed(self) -> (Vec<String>, Vec<(String, NeedState)>) {
        self.related.states.with(loading_and_failed)
    }
}

/// Time at which the page first received the current generation of an object.
#[derive(Clone, Debug, PartialEq)]
struct FirstSeen {
    uid: Value,
    generation: i64,
    at: f64,
}

impl FirstSeen {
    /// Value of an object received at the time `now`, after the value `before`.
    fn of(object: &Value, before: Option<&Self>, now: f64) -> Option<Self> {
        let (uid, generation) = (object["metadata"]["uid"].clone(), object["metadata"]["generation"].as_i64()?);
        let known = before.filter(|before| (&before.uid, before.generation) == (&uid, generation));
        let at = known.map_or(now, |known| known.at);
        Some(Self { uid, generation, at })
    }
}

fn first_seen(object: Memo<Option<Arc<Value>>>) -> Memo<Option<FirstSeen>> {
    Memo::new(move |before: Option<&Option<FirstSeen>>| {
        let before = before.and_then(Option::as_ref);
        object.with(|object| FirstSeen::of(object.as_deref()?, before, js_sys::Date::now()))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_generation_is_seen_from_its_first_state_on() {
        let of = |uid: &str, generation: i64, before: Option<&FirstSeen>, now| {
            FirstSeen::of(&json!({ "metadata": { "uid": uid, "generation": generation } }), before, now)
                .expect("a generation")
        };
        let first = of("a", 3, None, 10.0);
        let later = |first: &FirstSeen| FirstSeen { at: 20.0, ..first.clone() };
        assert_eq!(of("a", 3, Some(&first), 20.0), first, "its status has changed");
        assert_eq!(of("a", 4, Some(&first), 20.0), FirstSeen { generation: 4, ..later(&first) });
        assert_eq!(of("b", 3, Some(&first), 20.0), FirstSeen { uid: "b".into(), ..later(&first) }, "another object");
        assert_eq!(FirstSeen::of(&json!({}), Some(&first), 20.0), None);
    }
}
