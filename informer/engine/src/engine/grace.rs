//! What nobody uses any more is kept for a while: a reload, or a way to another page and back, finds it running.

use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt;

use super::cluster::Cluster;
use super::indexers::PathIndexers;
use super::shared::Engine;
use informer::InformerKey;

/// For how long. A reload takes a second or two, a wrong turn some more; a watch that nobody wants for longer than this
/// is a connection that somebody else could have.
pub const GRACE: Duration = Duration::from_secs(10);

/// A page's part in an informer. Dropping it releases the informer, and the last of its users stops it.
pub(super) struct Lease {
    pub(super) cluster: Rc<Cluster>,
    pub(super) key: InformerKey,
    /// They are the informer's as long as it runs: whoever takes it over finds them under their names.
    pub(super) indexers: Rc<PathIndexers>,
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.cluster.release(&self.key);
    }
}

impl Engine {
    /// Drops `left` when its time is over. Whoever wants the same meanwhile is one more user of it, and it stays.
    pub(super) fn linger(&self, left: impl Sized + 'static) {
        let pause = self.clock.sleep(GRACE);
        let task = async move {
            pause.await;
            drop(left);
        };
        (self.spawn)(task.boxed_local());
    }
}
