//! Cluster: one apiserver as one user reaches it, with the state that its pages share.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use informer::{
    GroupVersionResource, InformerKey, Object, ResourceInfo, Runtime, SharedInformer, SharedInformerFactory,
};

use super::header_pages::HeaderPages;
use super::indexers::PathIndexers;
use super::page_budgets::PageBudgets;
use super::persistence::Snapshots;
use super::server::{HealthProbe, Heartbeat};
use super::snapshot_storage::SnapshotStorage;
use crate::columns::ViewColumns;

/// Cluster: one apiserver as one user reaches it, with the state that its pages share.
pub(super) struct Cluster {
    pub(super) runtime: Runtime,
    pub(super) factory: SharedInformerFactory<Object>,
    pub(super) url: String,
    /// Name of its snapshots. `None` if nothing is persisted.
    pub(super) snapshot_name: Option<String>,
    /// Pages that provide the headers of the user, if they do.
    pub(super) header_pages: Option<Rc<dyn HeaderPages>>,
    pub(super) storage: SnapshotStorage,
    /// Budgets of the pages' own requests, shared by all clusters.
    pub(super) page_budgets: PageBudgets,
    /// Snapshots. `None` until a page requests them.
    pub(super) snapshots: RefCell<Option<Rc<dyn Snapshots>>>,
    /// Indexes of the informers in use.
    pub(super) indexers: RefCell<Vec<(InformerKey, Weak<PathIndexers>)>>,
    /// Result of the last discovery.
    pub(super) resources: RefCell<Vec<ResourceInfo>>,
    /// Columns of custom resources, from their definitions.
    pub(super) printer_columns: RefCell<Vec<(GroupVersionResource, ViewColumns)>>,
    pub(super) health_probe: HealthProbe,
    pub(super) heartbeat: Heartbeat,
}

impl Cluster {
    /// Releases one use of an informer.
    pub(super) fn release(&self, key: &InformerKey) {
        self.factory.release(key);
        let snapshots = self.snapshots.borrow().clone();
        if let Some(snapshots) = snapshots {
            snapshots.released(key);
        }
    }

    /// Returns the indexes of an informer, for one more use of it.
    pub(super) fn indexers(&self, key: &InformerKey) -> Rc<PathIndexers> {
        let mut indexers_by_key = self.indexers.borrow_mut();
        indexers_by_key.retain(|(_, indexers)| indexers.strong_count() > 0);
        let known = indexers_by_key.iter().find(|(known, _)| known == key).and_then(|(_, indexers)| indexers.upgrade());
        known.unwrap_or_else(|| {
            let indexers = Rc::default();
            indexers_by_key.push((key.clone(), Rc::downgrade(&indexers)));
            indexers
        })
    }

    /// Whether a resource has namespaces. Defaults to true before discovery: an empty column is better than a missing
    /// one.
    pub(super) fn is_namespaced(&self, resource: &GroupVersionResource) -> bool {
        self.resources.borrow().iter().find(|info| info.gvr() == *resource).is_none_or(|info| info.namespaced)
    }

    /// Records that the server responded: retries that have been waiting since a failed heartbeat start now.
    pub(super) fn server_responded(&self) {
        self.heartbeat.last_data_at.set(self.runtime.clock.now());
        if self.heartbeat.failed_at.take().is_some() {
            self.factory.informers().iter().for_each(SharedInformer::reachable);
        }
    }

    /// Clears the identity: the server or the user may be another one.
    pub(super) fn clear_identity(&self) {
        let snapshots = self.snapshots.borrow().clone();
        if let Some(snapshots) = snapshots {
            snapshots.clear_identity();
        }
    }
}
