//! Related-object informers: the sources of the objects that the summary, relations and diagnosis need.
//!
//! They are opened when a tab first shows one of these, and released when the drawer closes; those of the relations
//! alone live as long as the tab that shows them. Each is restricted by namespace and selectors, or read by an index,
//! so that the page receives only the needed objects.

mod reader;

use std::sync::Arc;

use informer::{ErrorReport, ResourceInfo};
use kube_objects::{Answer, Log, Need, Subject, needs_of_relations};
use leptos::prelude::*;
use serde_json::Value;

use crate::cluster::Cluster;
use crate::discovery::resource_of;
use reader::Reader;

/// State of a need.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum NeedState {
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
pub(crate) type NeedStates = Vec<(Need, NeedState)>;

/// A need, and the resource of its kind. `None` while discovery does not list the kind.
type Source = (Need, Option<ResourceInfo>);

/// Informers for the needs of an object. Clones share their state.
#[derive(Clone, Copy)]
pub(super) struct RelatedObjects {
    pub(super) needed: RwSignal<bool>,
    /// Whether the relations are shown, which need more objects.
    relations_needed: RwSignal<bool>,
    pub(super) states: RwSignal<NeedStates>,
    readers: StoredValue<Vec<(Source, Reader)>, LocalStorage>,
}

impl RelatedObjects {
    /// Follows the needs of an object, once [`Self::open_informers`] is called and until the owner is cleaned up.
    pub(super) fn new(
        cluster: Cluster,
        resources: RwSignal<Vec<ResourceInfo>>,
        object: Memo<Option<Arc<Value>>>,
    ) -> Self {
        let related = Self {
            needed: RwSignal::new(false),
            relations_needed: RwSignal::new(false),
            states: RwSignal::new(Vec::new()),
            readers: StoredValue::new_local(Vec::new()),
        };
        Effect::new(move || {
            if related.needed.get() && !resources.with(Vec::is_empty) {
                let needs = object.with(|object| {
                    let object = object.as_deref()?;
                    let needs = |subject: &Subject<'_>| {
                        if related.relations_needed.get() {
                            resources.with(|all| needs_of_relations(subject, &siblings(all, subject.object)))
                        } else {
                            kube_objects::needs(subject)
                        }
                    };
                    Some(related.states.with(|states| with_subject(object, states, &[], needs)))
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
    pub(super) fn open_informers(self) {
        if !self.needed.get_untracked() {
            self.needed.set(true);
        }
    }

    /// Opens the informers of the relations, too, until the caller's owner is cleaned up.
    pub(super) fn open_relations(self) {
        self.open_informers();
        self.relations_needed.set(true);
        // The drawer may have been closed.
        on_cleanup(move || {
            self.relations_needed.try_set(false);
        });
    }

    /// Opens informers for new sources and releases those that are no longer needed.
    fn update(self, cluster: Cluster, sources: Vec<Source>) {
        let mut readers = self.readers.try_update_value(std::mem::take).unwrap_or_default();
        let mut states = self.states.get_untracked();
        let open = |(need, info): &Source| Reader::open(cluster, info.as_ref(), need, self.reporter(need.clone()));
        let is_changed = update(&mut readers, &mut states, sources, open, Reader::change);
        self.readers.set_value(readers);
        if is_changed {
            self.states.set(states);
        }
    }

    /// Returns the function by which a reader reports the state of a need, and the need with the uids that it has read.
    fn reporter(self, requested: Need) -> impl Fn(&Need, NeedState) + 'static {
        move |read, state| {
            let is_known = self.states.try_with_untracked(|states| {
                states.iter().any(|(need, known)| need == read && *known == state)
                    || states.iter().all(|(need, _)| !need.has_source_of(&requested))
            });
            if is_known == Some(false) {
                self.states.try_update(|states| {
                    if let Some(known) = states.iter_mut().find(|(need, _)| need.has_source_of(&requested)) {
                        *known = (read.clone(), state);
                    }
                });
            }
        }
    }
}

/// Kinds of the API group of an object, which may own each other's objects.
fn siblings<'a>(resources: &'a [ResourceInfo], object: &Value) -> Vec<&'a str> {
    let group =
        object["apiVersion"].as_str().and_then(|version| version.split_once('/')).map_or("", |(group, _)| group);
    let mut kinds: Vec<&str> = Vec::new();
    for info in resources.iter().filter(|info| info.group == group) {
        if !kinds.contains(&info.kind.as_str()) {
            kinds.push(&info.kind);
        }
    }
    kinds
}

/// Replaces the readers and states of the sources before by those of `sources`, without reopening a reader of the same
/// source: if only its uids differ, the reader is changed, and its state stays until it has read those. Returns whether
/// anything changed.
fn update<R>(
    readers: &mut Vec<(Source, R)>,
    states: &mut NeedStates,
    sources: Vec<Source>,
    open: impl Fn(&Source) -> R,
    change: impl Fn(&R, &Need),
) -> bool {
    if readers.iter().map(|(source, _)| source).eq(&sources) {
        return false;
    }
    let is_same = |(need, info): &Source, (other, known): &Source| need.has_source_of(other) && info == known;
    let mut before = std::mem::take(readers);
    before.retain(|(source, _)| sources.iter().any(|other| is_same(source, other)));
    states.retain(|(need, _)| before.iter().any(|((known, _), _)| known.has_source_of(need)));
    for source in sources {
        let reader = if let Some(at) = before.iter().position(|(known, _)| is_same(known, &source)) {
            let (known, reader) = before.swap_remove(at);
            if known != source {
                change(&reader, &source.0);
            }
            reader
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

/// Calls a function of `kube_objects` with an object, the objects of its needs, and ends of logs.
pub(super) fn with_subject<T>(
    object: &Value,
    states: &NeedStates,
    logs: &[Log<'_>],
    f: impl Fn(&Subject<'_>) -> T,
) -> T {
    let answers: Vec<Answer<'_>> = states
        .iter()
        .filter_map(|(need, state)| match state {
            NeedState::Found(objects) => Some(Answer { need, objects }),
            _ => None,
        })
        .collect();
    f(&Subject { answers: &answers, logs, ..Subject::new(object, js_sys::Date::now()) })
}

/// Kinds whose objects are loading, and kinds that failed, with their state.
pub(super) fn loading_and_failed(states: &NeedStates) -> (Vec<String>, Vec<(String, NeedState)>) {
    let (mut loading, mut failed) = (Vec::new(), Vec::new());
    for (need, state) in states {
        match state {
            NeedState::Loading if !loading.contains(&need.kind) => loading.push(need.kind.clone()),
            NeedState::Failed(_) | NeedState::TooMany(_) if failed.iter().all(|(kind, _)| *kind != need.kind) => {
                failed.push((need.kind.clone(), state.clone()));
            }
            _ => {}
        }
    }
    (loading, failed)
}

#[cfg(test)]
mod tests {
    use kube_objects::By;
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
            let is_changed = update(&mut readers, &mut states, sources, |_| reader, |_, _| ());
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

    #[test]
    fn set_of_uids_grows_in_its_reader_which_keeps_its_state() {
        let set = |uids: &[&str]| {
            let by = By::Owners(uids.iter().map(ToString::to_string).collect());
            Need { group: String::new(), kind: "Pod".to_owned(), namespace: "shop".to_owned(), by }
        };
        let info: ResourceInfo = serde_json::from_value(json!({"group": "", "version": "v1", "resource": "pods",
            "kind": "Pod", "namespaced": true, "verbs": ["list", "watch"]}))
        .expect("a resource");
        let (mut readers, mut states) = (Vec::new(), Vec::new());
        let changed = std::cell::RefCell::new(Vec::new());
        let mut open = |need: Need, reader: u32, states: &mut NeedStates| {
            let change = |reader: &u32, need: &Need| changed.borrow_mut().push((*reader, need.clone()));
            update(&mut readers, states, vec![(need, Some(info.clone()))], |_| reader, change)
        };
        assert!(open(set(&["a"]), 1, &mut states));
        states[0].1 = NeedState::Found(Arc::default());
        assert!(open(set(&["a", "b"]), 2, &mut states));
        assert_eq!(changed.take(), [(1, set(&["a", "b"]))]);
        assert_eq!(states, [(set(&["a"]), NeedState::Found(Arc::default()))], "what is known is of the first uid");
        assert!(!open(set(&["a", "b"]), 3, &mut states));
    }

    #[test]
    fn siblings_are_the_kinds_of_the_group() {
        let info = |group: &str, kind: &str| {
            serde_json::from_value::<ResourceInfo>(
                json!({"group": group, "version": "v1", "resource": "x", "kind": kind,
                "namespaced": true, "verbs": ["list", "watch"]}),
            )
            .expect("a resource")
        };
        let all =
            [info("", "Pod"), info("example.com", "Shop"), info("example.com", "Branch"), info("example.com", "Shop")];
        let of = |version: &str| siblings(&all, &json!({"apiVersion": version, "kind": "Shop"}));
        assert_eq!((of("example.com/v1"), of("v1")), (vec!["Shop", "Branch"], vec!["Pod"]));
    }
}
