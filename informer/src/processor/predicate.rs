//! Predicate handler: receives only updates that change something relevant to it.

use std::sync::Arc;

use informer_packing::Json;

use super::handler::ResourceEventHandler;
use crate::object::{Keyed, Object};

/// Passes an update on only when what a predicate makes of the object has changed, or when it is another object under
/// the same key: kube-rs's `predicate_filter`, controller-runtime's `GenerationChangedPredicate`.
///
/// Additions and deletions pass always; so does an update where the predicate has nothing to say of either state. Old and
/// new are compared, so nothing is remembered; an update may come with an old state that the handler was never told of.
/// A resync changes nothing, and so does not pass: a handler that wants resyncs must not stand behind this.
#[derive(Clone, Debug)]
pub struct PredicateResourceEventHandler<P, H> {
    predicate: P,
    handler: H,
}

impl<P, H> PredicateResourceEventHandler<P, H> {
    /// Tells `handler` of additions and deletions, and of updates that change what `predicate` returns.
    pub fn new(predicate: P, handler: H) -> Self {
        Self { predicate, handler }
    }
}

impl<H> PredicateResourceEventHandler<fn(&Object) -> Option<i64>, H> {
    /// Tells `handler` of updates that change `metadata.generation`, which a server raises when the wanted state of an
    /// object changes, and not when its status or its labels do. Kinds without generations pass always. O(size of both
    /// bodies) an update.
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
