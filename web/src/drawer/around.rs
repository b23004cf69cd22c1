//! Surroundings of the object: the informers for its summary, relations and diagnosis.
//!
//! They are opened when a tab first shows one of these, and released when the drawer closes. Each is restricted by
//! namespace and selectors, or read by an index, so that the page receives only the needed objects.

mod reader;

use std::sync::Arc;

use informer::{ErrorReport, ResourceInfo};
use kube_objects::{Answer, Log, Need, Subject};
use leptos::prelude::*;
use serde_json::Value;

use super::last_lines::LastLines;
use crate::cluster::Cluster;
use reader::Reader;

/// State of a need.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum State {
    /// The first list is not complete.
    Loading,
    /// It cannot be read.
    Failed(ErrorReport),
    /// More objects than the page reads.
    TooMany(u64),
    /// All objects of the need.
    Found(Arc<Vec<Value>>),
}

/// Needs with their states.
pub(super) type States = Vec<(Need, State)>;

/// The needs of an object. Copies are the same.
#[derive(Clone, Copy)]
pub(super) struct Around {
    pub(super) wanted: RwSignal<bool>,
    pub(super) states: RwSignal<States>,
    open: StoredValue<Vec<(Need, Reader)>, LocalStorage>,
}

impl Around {
    /// Follows the needs of an object, once [`Self::want`] is called and until the owner is cleaned up.
    pub(super) fn new(
        cluster: Cluster,
        resources: RwSignal<Vec<ResourceInfo>>,
        object: Memo<Option<Arc<Value>>>,
    ) -> Self {
        let around = Self {
            wanted: RwSignal::new(false),
            states: RwSignal::new(Vec::new()),
            open: StoredValue::new_local(Vec::new()),
        };
        Effect::new(move || {
            if around.wanted.get() && !resources.with(Vec::is_empty) {
                let needs = object.with(|object| {
                    let object = object.as_deref()?;
                    Some(around.states.with(|states| with_subject(object, states, &[], kube_objects::needs)))
                });
                around.follow(cluster, resources, needs.unwrap_or_default());
            }
        });
        on_cleanup(move || drop(around.open.try_update_value(std::mem::take)));
        around
    }

    /// Opens the informers, unless they are open.
    pub(super) fn want(self) {
        if !self.wanted.get_untracked() {
            self.wanted.set(true);
        }
    }

    /// Opens informers for new needs and releases those that are no longer needed.
    fn follow(self, cluster: Cluster, resources: RwSignal<Vec<ResourceInfo>>, needs: Vec<Need>) {
        let is_same = self.open.with_value(|open| open.iter().map(|(need, _)| need).eq(needs.iter()));
        if is_same {
            return;
        }
        let mut before = self.open.try_update_value(std::mem::take).unwrap_or_default();
        let mut states = self.states.get_untracked();
        states.retain(|(need, _)| needs.contains(need));
        let mut open = Vec::with_capacity(needs.len());
        for need in needs {
            if let Some(at) = before.iter().position(|(known, _)| *known == need) {
                open.push(before.swap_remove(at));
                continue;
            }
            // A kind that the server does not have is not reported as missing: no object of it can exist.
            let resource =
                resources.with_untracked(|all| resource_of(all, &need.group, &need.kind).map(ResourceInfo::gvr));
            let state = if resource.is_some() { State::Loading } else { State::Found(Arc::default()) };
            states.push((need.clone(), state));
            open.push((need.clone(), Reader::open(cluster, resource, &need, self.report(need.clone()))));
        }
        self.open.set_value(open);
        self.states.set(states);
    }

    fn report(self, of: Need) -> impl Fn(State) + 'static {
        move |state| {
            let is_known = self
                .states
                .try_with_untracked(|states| states.iter().any(|(need, known)| *need == of && *known == state));
            if is_known == Some(false) {
                self.states.try_update(|states| {
                    if let Some((_, known)) = states.iter_mut().find(|(need, _)| *need == of) {
                        *known = state;
                    }
                });
            }
        }
    }
}

/// The resource of a kind. The first version that discovery lists is the preferred one.
pub(super) fn resource_of<'a>(resources: &'a [ResourceInfo], group: &str, kind: &str) -> Option<&'a ResourceInfo> {
    resources.iter().find(|info| info.group == group && info.kind == kind && info.is_watchable())
}

/// Calls a function of `kube_objects` with an object and the objects of its needs.
pub(super) fn with_subject<T>(
    object: &Value,
    states: &States,
    last_lines: &[LastLines],
    f: impl Fn(&Subject<'_>) -> T,
) -> T {
    let answers: Vec<Answer<'_>> = states
        .iter()
        .filter_map(|(need, state)| match state {
            State::Found(objects) => Some(Answer { need, objects }),
            _ => None,
        })
        .collect();
    let logs: Vec<Log<'_>> =
        last_lines.iter().map(|LastLines { pod, container, lines }| Log { pod, container, lines }).collect();
    f(&Subject { answers: &answers, logs: &logs, ..Subject::new(object, js_sys::Date::now()) })
}
