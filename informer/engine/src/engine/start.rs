//! Start of informers, with their snapshots.

use std::rc::Rc;

use futures::FutureExt;
use informer::{InformerKey, Object, SharedInformer};

use super::cluster::Cluster;
use super::loading::{Deferred, load};
use super::persistence::Snapshots;
use super::snapshot_storage::SnapshotBackend;

impl Cluster {
    /// Starts an informer that is not running, from its snapshot if requested.
    pub(super) fn start(self: &Rc<Self>, key: &InformerKey, informer: &SharedInformer<Object>, persist: bool) {
        if persist && self.snapshot_name.is_some() && !matches!(self.storage.backend, SnapshotBackend::None) {
            let (cluster, key, warmed) = (Rc::clone(self), key.clone(), informer.clone());
            let warm_up = async move { cluster.snapshots(load().await.ok()?).attach(&key, &warmed).await };
            informer.warm_up(warm_up.boxed_local());
        }
        self.factory.start_one(key);
    }

    pub(super) fn snapshots(&self, deferred: &dyn Deferred) -> Rc<dyn Snapshots> {
        let mut snapshots = self.snapshots.borrow_mut();
        // Without a name, only to clear all of them.
        let name = self.snapshot_name.as_deref().unwrap_or_default();
        Rc::clone(snapshots.get_or_insert_with(|| deferred.snapshots(&self.runtime, &self.storage, name)))
    }
}
