//! Predicate handler: receives only updates that change something relevant to it.

use std::sync::Arc;

use informer_packing::Json;

use super::handler::ResourceEventHandler;
use crate::object::{Keyed, Object};

/// Forwards an update only if the predicate's value for the object has changed, or if it is another object with the
/// same key. Like kube-rs's `predicate_filter` and controller-runtime's `GenerationChangedPredicate`.
///
/// Additions and deletions always pass, and so does an update if the predicate returns `None` for either state. Old and
/// new state are compared, so no state is stored; the old state of an update may be one that the handler never
/// received. A resync changes nothing and does not pass: handlers that need resyncs must not use this.
#[derive(Clone, Debug)]
pub struct PredicateResourceEventHandler<P, H> {
    predicate: P,
    handler: H,
}

impl<P, H> PredicateResourceEventHandler<P, H> {
    /// Creates a handler that forwards additions, deletions, and updates that change the value of `predicate`.
    pub fn new(predicate: P, handler: H) -> Self {
        Self { predicate, handler }
    }
}

impl<H> PredicateResourceEventHandler<fn(&Object) -> Option<i64>, H> {
    /// Creates a handler that forwards updates that change `metadata.generation`. A server raises it when the desired
    /// state of an object changes, but not for changes of status or labels. Kinds without generations always pass.
    /// O(size of both bodies) per update.
    pub fn generation(handler: H) -> Self {
        Self::new(generation, handler)
    }
}

fn generation(object: &Object) -> Option<i64> {
    Json::new(&object.json()).pointer("/metadata/generation")?.text().parse().ok()
}

impl<T, V, P, H> ResourceEventHandler<T> for PredicateResourceEventHandler<P, H>
where
    T: Keyed,
    V: PartialEq,
    P: Fn(&T) -> Option<V>,
    H: ResourceEventHandler<T>,
{
    fn on_add(&mut self, object: &Arc<T>, is_in_initial_list: bool) {
        self.handler.on_add(object, is_in_initial_list);
    }

    fn on_update(&mut self, old: &Arc<T>, new: &Arc<T>) {
        let same = || (self.predicate)(old).is_some_and(|before| Some(before) == (self.predicate)(new));
        if old.uid() != new.uid() || !same() {
            self.handler.on_update(old, new);
        }
    }

    fn on_delete(&mut self, object: &Arc<T>, final_state_unknown: bool) {
        self.handler.on_delete(object, final_state_unknown);
    }

    fn on_synced(&mut self) {
        self.handler.on_synced();
    }
}
