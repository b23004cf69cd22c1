//! Serves pages: messages in, messages out. The same code runs in a worker for all tabs and in a page for one.

pub(crate) mod deferred;
mod definitions;
mod indexers;
mod key_queue;
mod numbered;
mod page_handler;
mod persistence;
mod read;
mod session;
mod subscriptions;

use std::cell::{OnceCell, RefCell};
use std::pin::pin;
use std::rc::{Rc, Weak};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{Either, select};

use crate::clock::Clock;
use crate::discovery::discover;
use crate::error::{ErrorCode, InformerError, Result};
use crate::object::Object;
use crate::reflector::ReflectorOptions;
use crate::resource::{GroupVersionResource, ResourceInfo};
use crate::runtime::{Runtime, Spawn};
use crate::shared_informer::{SharedInformer, WarmStart};
use crate::shared_informer_factory::{InformerKey, SharedInformerFactory};
use crate::storage::{Storage, StorageError};
use crate::transport::Transport;

use deferred::{Columns, Deferred, load, loaded};
use indexers::PathIndexers;
use persistence::{PATIENCE, Snapshots};
pub use session::Session;

/// How long discovery may take, all of its requests together.
const DISCOVERY_TIMEOUT: Duration = Duration::from_secs(30);

/// Makes the transport for a base URL.
pub type Connector = Box<dyn Fn(&str) -> Rc<dyn Transport>>;

/// Everything that the ports of one worker share: one factory for each apiserver.
pub struct Engine {
    connector: Connector,
    clock: Rc<dyn Clock>,
    spawn: Spawn,
    /// Where snapshots are kept, if they are; a browser's storage is made when it is first wanted.
    storage: Option<Rc<StorageCell>>,
    /// By URL: one for each apiserver that a page has named, so few.
    clusters: RefCell<Vec<(String, Rc<Cluster>)>>,
}

impl Engine {
    /// An engine that reaches apiservers through `connector`.
    pub fn new(connector: Connector, clock: Rc<dyn Clock>, spawn: Spawn) -> Rc<Self> {
        Rc::new(Self { connector, clock, spawn, storage: None, clusters: RefCell::default() })
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
        let storage = Some(Rc::new(OnceCell::from(storage)));
        Rc::new(Self { connector, clock, spawn, storage, clusters: RefCell::default() })
    }

    /// The same, with the storage of this browser.
    #[cfg(target_arch = "wasm32")]
    pub(crate) fn in_browser(connector: Connector, clock: Rc<dyn Clock>, spawn: Spawn) -> Rc<Self> {
        Rc::new(Self { connector, clock, spawn, storage: Some(Rc::default()), clusters: RefCell::default() })
    }

    /// Removes all snapshots of this origin. What runs now is not written again before it is started anew.
    ///
    /// # Errors
    /// [`ErrorCode::Internal`] when the storage cannot be cleared.
    pub async fn forget(&self) -> Result<()> {
        let Some(storage) = &self.storage else { return Ok(()) };
        let Some(storage) = storage_of(storage, load().await?) else { return Ok(()) };
        for (_, cluster) in &*self.clusters.borrow() {
            if let Some(snapshots) = cluster.snapshots.get() {
                snapshots.let_go();
            }
        }
        match storage.clear().await {
            // Where nothing can be, nothing is.
            Ok(()) | Err(StorageError::Unavailable) => Ok(()),
            Err(error) => {
                let message =
                    format!("the snapshots could not be removed: {error}. Clear the site's data in the browser");
                Err(InformerError::new(ErrorCode::Internal, message))
            }
        }
    }

    /// The apiserver at a URL: the same one for everybody who names it in the same words.
    fn cluster(&self, url: &str) -> Rc<Cluster> {
        let url = url.trim_end_matches('/');
        let mut clusters = self.clusters.borrow_mut();
        if let Some((_, known)) = clusters.iter().find(|(known, _)| known == url) {
            return Rc::clone(known);
        }
        let cluster = {
            let (transport, clock, spawn) = ((self.connector)(url), Rc::clone(&self.clock), Rc::clone(&self.spawn));
            let runtime = Runtime { transport, clock, spawn };
            // People wait for the first rows: pages as they come, not one whole list out of the watch cache.
            let options =
                ReflectorOptions { consistent_lists: true, populate_by_page: true, ..ReflectorOptions::default() };
            let factory = SharedInformerFactory::new(runtime.clone(), options);
            Rc::new(Cluster {
                url: url.to_owned(),
                storage: self.storage.clone(),
                snapshots: OnceCell::new(),
                runtime,
                factory,
                indexers: RefCell::default(),
                resources: RefCell::default(),
                printed: RefCell::default(),
            })
        };
        clusters.push((url.to_owned(), Rc::clone(&cluster)));
        cluster
    }
}

type StorageCell = OnceCell<Rc<dyn Storage>>;

#[cfg_attr(not(target_arch = "wasm32"), expect(unused_variables, reason = "only browsers have one of their own"))]
fn storage_of(storage: &StorageCell, deferred: &dyn Deferred) -> Option<Rc<dyn Storage>> {
    #[cfg(target_arch = "wasm32")]
    storage.get_or_init(|| deferred.storage());
    storage.get().cloned()
}

/// One apiserver, as seen from the engine.
struct Cluster {
    runtime: Runtime,
    factory: SharedInformerFactory<Object>,
    url: String,
    storage: Option<Rc<StorageCell>>,
    /// There are some when somebody wants them.
    snapshots: OnceCell<Rc<dyn Snapshots>>,
    /// Those of the informers that somebody holds.
    indexers: RefCell<Vec<(InformerKey, Weak<PathIndexers>)>>,
    /// What discovery said last.
    resources: RefCell<Vec<ResourceInfo>>,
    /// What the definitions of custom resources said is to be printed of them.
    printed: RefCell<Vec<(GroupVersionResource, Columns)>>,
}

impl Cluster {
    async fn discover(&self) -> Result<Vec<ResourceInfo>> {
        // A server that accepts and says nothing would hold a connection, and the page's answer, for ever.
        let deadline = self.runtime.clock.sleep(DISCOVERY_TIMEOUT);
        let resources = match select(pin!(discover(&self.runtime.transport)), deadline).await {
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
        if persist && self.storage.is_some() {
            informer.warm_up(Rc::clone(self).warm_up(key.clone(), informer.clone()).boxed_local());
        }
        self.factory.start_one(key);
    }

    /// What an informer begins with; it is kept from then on. A list does not wait for code that takes long to load.
    async fn warm_up(self: Rc<Self>, key: InformerKey, informer: SharedInformer<Object>) -> Option<WarmStart<Object>> {
        if loaded().is_none()
            && let Either::Right(_) = select(pin!(load()), self.runtime.clock.sleep(PATIENCE)).await
        {
            let spawn = Rc::clone(&self.runtime.spawn);
            let later = async move {
                if let Ok(deferred) = load().await {
                    drop(self.snapshots(deferred).map(|snapshots| snapshots.attach(&key, &informer)));
                }
            };
            spawn(later.boxed_local());
            return None;
        }
        self.snapshots(loaded()?)?.attach(&key, &informer).await
    }

    fn snapshots(&self, deferred: &dyn Deferred) -> Option<Rc<dyn Snapshots>> {
        let storage = storage_of(self.storage.as_ref()?, deferred)?;
        Some(Rc::clone(self.snapshots.get_or_init(|| deferred.snapshots(&self.runtime, storage, &self.url))))
    }

    /// One user of an informer leaves.
    fn release(&self, key: &InformerKey) {
        self.factory.release(key);
        if let Some(snapshots) = self.snapshots.get() {
            Rc::clone(snapshots).left(key);
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
    fn known_columns(&self, resource: &GroupVersionResource, deferred: &dyn Deferred) -> Option<Columns> {
        let known = deferred.well_known(resource, self.is_namespaced(resource));
        let printed =
            || self.printed.borrow().iter().find(|(of, _)| of == resource).map(|(_, columns)| columns.clone());
        let known = known.or_else(printed);
        known.or_else(|| {
            (!resource.group.contains('.')).then(|| deferred.columns_of(resource, self.is_namespaced(resource)))
        })
    }

    /// The columns of a resource: of a custom one what its definition says. Only an answer is remembered.
    async fn columns(&self, resource: &GroupVersionResource, deferred: &dyn Deferred) -> Columns {
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
