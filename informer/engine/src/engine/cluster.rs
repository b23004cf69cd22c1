//! One apiserver, as seen from the engine: what its pages share, and what is known of it.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use informer::{
    GroupVersionResource, InformerKey, Object, ResourceInfo, Runtime, SharedInformer, SharedInformerFactory,
};

use super::indexers::PathIndexers;
use super::kept::Kept;
use super::persistence::Snapshots;
use super::server::{HealthProbe, Heartbeat};
use crate::columns::ViewColumns;

/// One apiserver, as seen from the engine.
pub(super) struct Cluster {
    pub(super) runtime: Runtime,
    pub(super) factory: SharedInformerFactory<Object>,
    pub(super) url: String,
    pub(super) storage: Kept,
    /// Empty until a page requests them.
    pub(super) snapshots: RefCell<Option<Rc<dyn Snapshots>>>,
    /// Those of the informers in use.
    pub(super) indexers: RefCell<Vec<(InformerKey, Weak<PathIndexers>)>>,
    /// What discovery said last.
    pub(super) resources: RefCell<Vec<ResourceInfo>>,
    /// What the definitions of custom resources said is to be printed of them.
    pub(super) printed: RefCell<Vec<(GroupVersionResource, ViewColumns)>>,
    pub(super) health_probe: HealthProbe,
    pub(super) heartbeat: Heartbeat,
}

impl Cluster {
    /// One user of an informer leaves.
    pub(super) fn release(&self, key: &InformerKey) {
        self.factory.release(key);
        let snapshots = self.snapshots.borrow().clone();
        if let Some(snapshots) = snapshots {
            snapshots.left(key);
        }
    }

    /// The indexes of an informer, for one more of its users.
    pub(super) fn indexers(&self, key: &InformerKey) -> Rc<PathIndexers> {
        let mut held = self.indexers.borrow_mut();
        held.retain(|(_, indexers)| indexers.strong_count() > 0);
        let known = held.iter().find(|(known, _)| known == key).and_then(|(_, indexers)| indexers.upgrade());
        known.unwrap_or_else(|| {
            let indexers = Rc::default();
            held.push((key.clone(), Rc::downgrade(&indexers)));
            indexers
        })
    }

    /// One that discovery has not told of is taken to live in namespaces: a column that stays empty is better than one
    /// that is missing.
    pub(super) fn is_namespaced(&self, resource: &GroupVersionResource) -> bool {
        self.resources.borrow().iter().find(|info| info.gvr() == *resource).is_none_or(|info| info.namespaced)
    }

    /// The server has answered. What waits since a heartbeat failed need not wait any longer.
    pub(super) fn revive(&self) {
        self.heartbeat.heard.set(self.runtime.clock.now());
        if self.heartbeat.failed.take().is_some() {
            self.factory.informers().iter().for_each(SharedInformer::reachable);
        }
    }

    /// The server may be another one, or take the page for another user: what it said of itself is void.
    pub(super) fn forget_identity(&self) {
        let snapshots = self.snapshots.borrow().clone();
        if let Some(snapshots) = snapshots {
            snapshots.forget_identity();
        }
    }
}
