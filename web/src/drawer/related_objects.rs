//! Related-object informers: the sources of the objects that the summary, relations and diagnosis need.
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
use crate::discovery::resource_of;
use reader::Reader;

/// State of a need.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum NeedState {
    /// The first list is not complete.
    Loading,
    /// The list or watch failed.
    Failed(ErrorReport),
    /// More objects than the page reads.
    TooMany(u64),
    /// All objects of the need.
    Found(Arc<Vec<Value>>),
}

/// Needs with their states.
pub(super) type NeedStates = Vec<(Need, NeedState)>;

/// A need, and the resource of its kind. `None` while discovery does not list the kind.
type Source = (Need, Option<ResourceInfo>);

/// Informers for the needs of an object. Clones share state.
#[derive(Clone, Copy)]
pub(super) struct RelatedObjects {
    pub(super) wanted: RwSignal<bool>,
    pub(super) states: RwSignal<NeedStates>,
    readers: StoredValue<Vec<(Source, Reader)>, LocalStorage>,
}

impl RelatedObjects {
    /// Follows the needs of an object, once [`Self::want`] is called and until the owner is cleaned up.
    pub(super) fn new(
        cluster: Cluster,
        resources: RwSignal<Vec<ResourceInfo>>,
        object: Memo<Option<Arc<Value>>>,
    ) -> Self {
        let related = Self {
            wanted: RwSignal::new(false),
            states: RwSignal::new(Vec::new()),
            readers: StoredValue::new_local(Vec::new()),
        };
        Effect::new(move || {
            if related.wanted.get() && !resources.with(Vec::is_empty) {
                let needs = object.with(|object| {
                    let object = object.as_deref()?;
                    Some(related.states.with(|states| with_subject(object, states, &[], kube_objects::needs)))
                });
                let source = |need: Need| {
                    let info = resources.with(|all| resource_of(all, &need.group, &need.kind).cloned());
                    (need, info)
                };
                related.update(cluster, needs.unwrap_or_default().into_iter().map(source).collect());
            }
        });
        on_cleanup(move || drop(related.readers.try_update_value(std::mem::take)));
        related
    }

    /// Opens the informers, unless they are open.
    pub(super) fn want(self) {
        if !self.wanted.get_untracked() {
            self.wanted.set(true);
        }
    }

    /// Opens informers for new sources and releases those that are no longer needed.
    fn update(self, cluster: Cluster, sources: Vec<Source>) {
        let mut readers = self.readers.try_update_value(std::mem::take).unwrap_or_default();
        let mut states = self.states.get_untracked();
        let open = |(need, info): &Source| Reader::open(cluster, info.as_ref(), need, self.reporter(need.clone()));
        let is_changed = update(&mut readers, &mut states, sources, open);
        self.readers.set_value(readers);
        if is_changed {
            self.states.set(states);
        }
    }

    /// Returns the function by which a reader reports the state of a need.
    fn reporter(self, of: Need) -> impl Fn(NeedState) + 'static {
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

/// Replaces the readers and states of the sources before by those of `sources`, without reopening a reader of the same
/// source. Returns whether anything changed.
fn update<R>(
    readers: &mut Vec<(Source, R)>,
    states: &mut NeedStates,
    sources: Vec<Source>,
    open: impl Fn(&Source) -> R,
) -> bool {
    if readers.iter().map(|(source, _)| source).eq(&sources) {
        return false;
    }
    let mut before = std::mem::take(readers);
    before.retain(|(source, _)| sources.contains(source));
    states.retain(|(need, _)| before.iter().any(|((known, _), _)| known == need));
    for source in sources {
        let reader = if let Some(at) = before.iter().position(|(known, _)| *known == source) {
            before.swap_remove(at).1
        } else {
            // A kind missing from discovery yields an empty list, not an error.
            let state = if source.1.is_some() { NeedState::Loading } else { NeedState::Found(Arc::default()) };
            states.push((source.0.clone(), state));
            open(&source)
        };
        readers.push((source, reader));
    }
    true
}

/// Calls a function of `kube_objects` with an object and the objects of its needs.
pub(super) fn with_subject<T>(
    object: &Value,
    states: &NeedStates,
    last_lines: &[LastLines],
    f: impl Fn(&Subject<'_>) -> T,
) -> T {
    let answers: Vec<Answer<'_>> = states
        .iter()
        .filter_map(|(need, state)| match state {
            NeedState::Found(objects) => Some(Answer { need, objects }),
            _ => None,
        })
        .collect();
    let logs: Vec<Log<'_>> =
        last_lines.iter().map(|LastLines { pod, container, lines }| Log { pod, container, lines }).collect();
    f(&Subject { answers: &answers, logs: &logs, ..Subject::new(object, js_sys::Date::now()) })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Needs of an object with an owner of a custom kind, with the resource of that kind.
    fn sources(info: Option<&ResourceInfo>) -> Vec<Source> {
        let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "n",
            "ownerReferences": [{"apiVersion": "example.com/v1", "kind": "Backup", "name": "b", "uid": "u"}]}});
        let needs = kube_objects::needs(&Subject::new(&object, 0.0)).into_iter();
        needs.filter(|need| need.kind == "Backup").map(|need| (need, info.cloned())).collect()
    }

    #[test]
    fn need_is_read_again_when_discovery_lists_its_kind() {
        let (mut readers, mut states) = (Vec::new(), Vec::new());
        let mut open = |sources: Vec<Source>, reader: u32| {
            let is_changed = update(&mut readers, &mut states, sources, |_| reader);
            let readers: Vec<u32> = readers.iter().map(|(_, reader)| *reader).collect();
            let states: Vec<NeedState> = states.iter().map(|(_, state)| state.clone()).collect();
            (is_changed, readers, states)
        };
        let none = NeedState::Found(Arc::default());
        assert_eq!(open(sources(None), 1), (true, vec![1], vec![none]), "the kind is unknown");
        assert!(!open(sources(None), 2).0);
        let info = json!({"group": "example.com", "version": "v1", "resource": "backups", "kind": "Backup",
            "namespaced": true, "verbs": ["list", "watch"]});
        let info: ResourceInfo = serde_json::from_value(info).expect("a resource");
        let listed = || sources(Some(&info));
        assert_eq!(open(listed(), 3), (true, vec![3], vec![NeedState::Loading]));
        assert!(!open(listed(), 4).0, "an open reader is kept");
        assert_eq!(open(Vec::new(), 5), (true, vec![], vec![]));
    }
}
