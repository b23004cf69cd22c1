//! Engine: the state that all ports of one worker share.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::time::Duration;

use futures::FutureExt;

use informer::clock::Clock;
use informer::list_watch::fallback::Fallback;
use informer::transport::Transport;
use informer::{GroupVersionResource, Object, ReflectorOptions, Runtime, SharedInformerFactory, Spawn};

use super::cluster::Cluster;
use super::deferred;
use super::health_probe::Observed;
use super::loading::load;
use super::server::{HealthProbe, Heartbeat};
use super::snapshot_storage::SnapshotStorage;
use crate::storage::Storage;

/// Number of turns without a message after which a view is opened: a fraction of a millisecond.
const QUIET_TURNS: u32 = 3;

/// Maximum number of turns by which messages delay a view.
const MOST_TURNS: u32 = 50;

/// Makes the transport for a base URL.
pub type Connector = Box<dyn Fn(&str) -> Rc<dyn Transport>>;

/// Everything that the ports of one worker share: one factory for each apiserver.
pub struct Engine {
    connector: Connector,
    pub(super) clock: Rc<dyn Clock>,
    pub(super) spawn: Spawn,
    /// Storage of snapshots.
    storage: SnapshotStorage,
    /// By URL: one for each apiserver in use, or recently in use, so few.
    clusters: RefCell<Vec<(String, Weak<Cluster>)>>,
    /// How many views have been opened, and messages received: see [`Engine::view_turn`].
    views_opened: Cell<u32>,
    pub(super) heard: Cell<u32>,
}

impl Engine {
    /// Creates an engine that reaches apiservers through `connector`.
    pub fn new(connector: Connector, clock: Rc<dyn Clock>, spawn: Spawn) -> Rc<Self> {
        Self::with_snapshots(connector, clock, spawn, SnapshotStorage::None)
    }

    /// Same as [`Engine::new`], with snapshots for the pages that request them ([`ToEngine::Connect`]).
    ///
    /// [`ToEngine::Connect`]: crate::message::ToEngine::Connect
    pub fn with_storage(
        connector: Connector,
        clock: Rc<dyn Clock>,
        spawn: Spawn,
        storage: Rc<dyn Storage>,
    ) -> Rc<Self> {
        Self::with_snapshots(connector, clock, spawn, SnapshotStorage::In(storage))
    }

    /// Same as [`Engine::new`], with the browser's storage.
    #[cfg(target_arch = "wasm32")]
    pub(crate) fn in_browser(connector: Connector, clock: Rc<dyn Clock>, spawn: Spawn) -> Rc<Self> {
        Self::with_snapshots(connector, clock, spawn, SnapshotStorage::Browser)
    }

    fn with_snapshots(connector: Connector, clock: Rc<dyn Clock>, spawn: Spawn, storage: SnapshotStorage) -> Rc<Self> {
        deferred::install();
        let (clusters, views_opened, heard) = Default::default();
        Rc::new(Self { connector, clock, spawn, storage, clusters, views_opened, heard })
    }

    /// Resolves when a view may be opened: after a few turns of the event loop without a new view or a message.
    /// Messages in flight may arrive one per turn, and one of them may close the view.
    pub(super) async fn view_turn(&self) {
        let (mut quiet, mut turns) = (0, 0);
        while quiet < QUIET_TURNS {
            let (opened, heard) = (self.views_opened.get(), self.heard.get());
            self.clock.sleep(Duration::ZERO).await;
            turns += 1;
            let is_quiet = self.heard.get() == heard || turns > MOST_TURNS;
            quiet = if is_quiet && self.views_opened.get() == opened { quiet + 1 } else { 0 };
        }
        self.views_opened.set(self.views_opened.get().wrapping_add(1));
    }

    /// Ends the persistence of running informers.
    pub(super) fn stop_persisting(&self) {
        for cluster in self.clusters.borrow().iter().filter_map(|(_, cluster)| cluster.upgrade()) {
            cluster.snapshots.borrow().iter().for_each(|snapshots| snapshots.stop_persisting());
        }
    }

    /// The apiserver at a URL: the same instance for equal URLs.
    pub(super) fn cluster(&self, url: &str) -> Rc<Cluster> {
        let url = url.trim_end_matches('/');
        let mut clusters = self.clusters.borrow_mut();
        clusters.retain(|(_, cluster)| cluster.strong_count() > 0);
        if let Some(known) = clusters.iter().find(|(known, _)| known == url).and_then(|(_, cluster)| cluster.upgrade())
        {
            return known;
        }
        let cluster = Rc::new_cyclic(|cluster| {
            let way = (self.connector)(url);
            let health_probe = HealthProbe::new(Rc::clone(&way));
            let transport = Rc::new(Observed { transport: way, cluster: cluster.clone() });
            let runtime = Runtime { transport, clock: Rc::clone(&self.clock), spawn: Rc::clone(&self.spawn) };
            // Pages of a list show the first rows sooner than one whole list from the watch cache.
            let options =
                ReflectorOptions { consistent_lists: true, populate_by_page: true, ..ReflectorOptions::default() };
            let factory = SharedInformerFactory::new(runtime.clone(), options).with_fallback(namespaces_of);
            Cluster {
                url: url.to_owned(),
                storage: self.storage.clone(),
                snapshots: RefCell::default(),
                runtime,
                factory,
                indexers: RefCell::default(),
                resources: RefCell::default(),
                printed: RefCell::default(),
                health_probe,
                heartbeat: Heartbeat::default(),
            }
        });
        clusters.push((url.to_owned(), Rc::downgrade(&cluster)));
        cluster
    }
}

/// Returns the fallback of an informer of all namespaces: the namespaces that the user may list.
fn namespaces_of(resource: &GroupVersionResource) -> Fallback<Object> {
    let resource = resource.clone();
    Rc::new(move |whole| {
        let resource = resource.clone();
        async move { load().await?.namespaces(&resource, whole) }.boxed_local()
    })
}
