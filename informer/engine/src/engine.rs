//! Serves pages: messages in, messages out. The same code runs in a worker for all tabs and in a page for one.

pub(crate) mod deferred;
mod definitions;
mod grace;
mod health_probe;
mod heartbeat;
mod indexers;
mod inspection;
mod key_queue;
mod missing_namespace;
mod numbered;
mod page_handler;
mod persistence;
mod read;
mod session;
mod subscriptions;

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{Either, select};

use crate::storage::Storage;
use informer::clock::Clock;
use informer::list_watch::fallback::Fallback;
use informer::transport::Transport;
use informer::{
    ErrorCode, GroupVersionResource, InformerError, InformerKey, Object, ReflectorOptions, ResourceInfo, Result,
    Runtime, SharedInformer, SharedInformerFactory, Spawn,
};

use deferred::{Deferred, ViewColumns, load};
pub use grace::GRACE;
use health_probe::{HealthProbe, Observed};
use heartbeat::Heartbeat;
use indexers::PathIndexers;
use persistence::Snapshots;
pub use session::Session;

/// How long discovery may take, all of its requests together.
const DISCOVERY_TIMEOUT: Duration = Duration::from_secs(30);

/// After so many turns without a message a view is opened: a fraction of a millisecond.
const QUIET_TURNS: u32 = 3;

/// From so many turns on messages hold up no view.
const MOST_TURNS: u32 = 50;

/// Makes the transport for a base URL.
pub type Connector = Box<dyn Fn(&str) -> Rc<dyn Transport>>;

/// Everything that the ports of one worker share: one factory for each apiserver.
pub struct Engine {
    connector: Connector,
    clock: Rc<dyn Clock>,
    spawn: Spawn,
    /// Where snapshots are kept.
    storage: Kept,
    /// By URL: one for each apiserver that somebody uses, or did a moment ago, so few.
    clusters: RefCell<Vec<(String, Weak<Cluster>)>>,
    /// How many views have been opened, and messages received: see [`Engine::view_turn`].
    views_opened: Cell<u32>,
    heard: Cell<u32>,
}

impl Engine {
    /// An engine that reaches apiservers through `connector`.
    pub fn new(connector: Connector, clock: Rc<dyn Clock>, spawn: Spawn) -> Rc<Self> {
        Self::keeping(connector, clock, spawn, Kept::Nowhere)
    }

    /// The same, which keeps snapshots of the caches of those pages that ask for it ([`ToEngine::Connect`]), and begins with
    /// them.
    ///
    /// [`ToEngine::Connect`]: crate::message::ToEngine::Connect
    pub fn with_storage(
        connector: Connector,
        clock: Rc<dyn Clock>,
        spawn: Spawn,
        storage: Rc<dyn Storage>,
    ) -> Rc<Self> {
        Self::keeping(connector, clock, spawn, Kept::In(storage))
    }

    /// The same, with the storage of this browser.
    #[cfg(target_arch = "wasm32")]
    pub(crate) fn in_browser(connector: Connector, clock: Rc<dyn Clock>, spawn: Spawn) -> Rc<Self> {
        Self::keeping(connector, clock, spawn, Kept::InBrowser)
    }

    fn keeping(connector: Connector, clock: Rc<dyn Clock>, spawn: Spawn, storage: Kept) -> Rc<Self> {
        deferred::carry_what_is_there();
        let (clusters, views_opened, heard) = Default::default();
        Rc::new(Self { connector, clock, spawn, storage, clusters, views_opened, heard })
    }

    /// Resolves when a view may be opened: after a few turns of the event loop in which no other view was opened and no
    /// message came. Messages that are on their way may arrive one a turn, and one of them may close the view.
    async fn view_turn(&self) {
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

    /// What runs now is not written any more.
    fn let_go_of_snapshots(&self) {
        for cluster in self.clusters.borrow().iter().filter_map(|(_, cluster)| cluster.upgrade()) {
            cluster.snapshots.borrow().iter().for_each(|snapshots| snapshots.let_go());
        }
    }

    /// The apiserver at a URL: the same one for everybody who names it in the same words.
    fn cluster(&self, url: &str) -> Rc<Cluster> {
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
            // People wait for the first rows: pages as they come, not one whole list out of the watch cache.
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

/// What an informer of all namespaces falls back to: those that the user may list.
fn namespaces_of(resource: &GroupVersionResource) -> Fallback<Object> {
    let resource = resource.clone();
    Rc::new(move |whole| {
        let resource = resource.clone();
        async move { load().await?.namespaces(&resource, whole) }.boxed_local()
    })
}

/// Where snapshots are kept.
#[derive(Clone)]
enum Kept {
    Nowhere,
    In(Rc<dyn Storage>),
    #[cfg(target_arch = "wasm32")]
    InBrowser,
}

/// One apiserver, as seen from the engine.
struct Cluster {
    runtime: Runtime,
    factory: SharedInformerFactory<Object>,
    url: String,
    storage: Kept,
    /// There are some when somebody wants them.
    snapshots: RefCell<Option<Rc<dyn Snapshots>>>,
    /// Those of the informers that somebody holds.
    indexers: RefCell<Vec<(InformerKey, Weak<PathIndexers>)>>,
    /// What discovery said last.
    resources: RefCell<Vec<ResourceInfo>>,
    /// What the definitions of custom resources said is to be printed of them.
    printed: RefCell<Vec<(GroupVersionResource, ViewColumns)>>,
    health_probe: HealthProbe,
    heartbeat: Heartbeat,
}

impl Cluster {
    async fn discover(&self, deferred: &dyn Deferred) -> Result<Vec<ResourceInfo>> {
        // A server that accepts and says nothing would hold a connection, and the page's answer, for ever.
        let deadline = self.runtime.clock.sleep(DISCOVERY_TIMEOUT);
        let resources = match select(deferred.discover(&self.runtime.transport), deadline).await {
            Either::Left((resources, _)) => resources?,
            Either::Right(_) => {
                return Err(InformerError::new(ErrorCode::Timeout, "discovery was not answered in time"));
            }
        };
        self.resources.borrow_mut().clone_from(&resources);
        Ok(resources)
    }

    /// Starts an informer, if it has not been started, with its snapshot if that is wanted.
    fn start(self: &Rc<Self>, key: &InformerKey, informer: &SharedInformer<Object>, persist: bool) {
        if persist && !matches!(self.storage, Kept::Nowhere) {
            let (cluster, key, warmed) = (Rc::clone(self), key.clone(), informer.clone());
            let warm_up = async move { cluster.snapshots(load().await.ok()?).attach(&key, &warmed).await };
            informer.warm_up(warm_up.boxed_local());
        }
        self.factory.start_one(key);
    }

    fn snapshots(&self, deferred: &dyn Deferred) -> Rc<dyn Snapshots> {
        let mut snapshots = self.snapshots.borrow_mut();
        Rc::clone(snapshots.get_or_insert_with(|| deferred.snapshots(&self.runtime, &self.storage, &self.url)))
    }

    /// One user of an informer leaves.
    fn release(&self, key: &InformerKey) {
        self.factory.release(key);
        let snapshots = self.snapshots.borrow().clone();
        if let Some(snapshots) = snapshots {
            snapshots.left(key);
        }
    }

    /// The indexes of an informer, for one more of its users.
    fn indexers(&self, key: &InformerKey) -> Rc<PathIndexers> {
        let mut held = self.indexers.borrow_mut();
        held.retain(|(_, indexers)| indexers.strong_count() > 0);
        let known = held.iter().find(|(known, _)| known == key).and_then(|(_, indexers)| indexers.upgrade());
        known.unwrap_or_else(|| {
            let indexers = Rc::default();
            held.push((key.clone(), Rc::downgrade(&indexers)));
            indexers
        })
    }

    /// The columns of a resource, if nobody need be asked for them: of the kinds that kubectl knows, of groups that no
    /// custom resource may be in, and of custom ones that were asked for before.
    fn known_columns(&self, resource: &GroupVersionResource, deferred: &dyn Deferred) -> Option<ViewColumns> {
        let known = deferred.well_known(resource, self.is_namespaced(resource));
        let printed =
            || self.printed.borrow().iter().find(|(of, _)| of == resource).map(|(_, columns)| columns.clone());
        let known = known.or_else(printed);
        known.or_else(|| {
            (!resource.group.contains('.')).then(|| deferred.columns_of(resource, self.is_namespaced(resource)))
        })
    }

    /// The columns of a resource: of a custom one what its definition says. Only an answer is remembered.
    async fn columns(&self, resource: &GroupVersionResource, deferred: &dyn Deferred) -> ViewColumns {
        if let Some(known) = self.known_columns(resource, deferred) {
            return known;
        }
        let Some(columns) = definitions::columns(&self.runtime, resource, deferred).await else {
            return deferred.columns_of(resource, self.is_namespaced(resource));
        };
        // Somebody else may have asked at the same time.
        let mut printed = self.printed.borrow_mut();
        printed.retain(|(of, _)| of != resource);
        printed.push((resource.clone(), columns.clone()));
        columns
    }

    /// One that discovery has not told of is taken to live in namespaces: a column that stays empty is better than one
    /// that is missing.
    fn is_namespaced(&self, resource: &GroupVersionResource) -> bool {
        self.resources.borrow().iter().find(|info| info.gvr() == *resource).is_none_or(|info| info.namespaced)
    }
}
