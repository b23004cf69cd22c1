//! Linger: an unused informer keeps running for a while, so that a reload, or leaving a page and returning, finds it
//! running.

use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt;

use super::cluster::Cluster;
use super::indexers::PathIndexers;
use informer::{InformerKey, Runtime};

/// Duration of the linger. A reload takes a second or two, a short visit to another page a little longer; after that an
/// unused watch only occupies a connection.
pub const LINGER: Duration = Duration::from_secs(10);

/// A page's use of an informer. Dropping it releases the informer, and the last release stops it.
pub(super) struct InformerUse {
    pub(super) cluster: Rc<Cluster>,
    pub(super) key: InformerKey,
    /// Indexes, which live as long as the informer, so its next user finds them by name.
    pub(super) indexers: Rc<PathIndexers>,
}

impl Drop for InformerUse {
    fn drop(&mut self) {
        self.cluster.release(&self.key);
    }
}

/// Drops `left` after the linger. A page that requests the same informer meanwhile keeps it alive.
pub(super) fn linger(runtime: &Runtime, left: impl Sized + 'static) {
    let pause = runtime.clock.sleep(LINGER);
    let task = async move {
        pause.await;
        drop(left);
    };
    (runtime.spawn)(task.boxed_local());
}
