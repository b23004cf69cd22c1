//! Engine: the state that all ports of one worker share. It serves pages by messages. The same code runs in a worker
//! for all tabs, or in a page for itself.
//!
//! Dependencies go one way: a session (one page) uses the engine (state that all pages share), the engine uses its
//! parts, and parts use the state of an apiserver. `deferred` lists the code that is loaded on demand; `loading` loads
//! it.

mod cluster;
mod deferred;
mod definitions;
mod endpoint;
mod entries;
mod extras;
mod header_pages;
mod health_probe;
mod heartbeat;
mod indexers;
mod inspection;
mod json_text;
mod key_queue;
mod leases;
mod linger;
mod loading;
mod missing_namespace;
mod page_budgets;
mod page_handler;
mod page_headers;
mod persistence;
mod request_timeout;
mod resources;
mod server;
mod session;
mod slab;
mod snapshot_storage;
mod start;

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::time::Duration;

use futures::FutureExt;

use informer::clock::Clock;
use informer::list_watch::fallback::Fallback;
use informer::transport::Transport;
use informer::{GroupVersionResource, Object, ReflectorOptions, Runtime, SharedInformerFactory, Spawn};

use crate::message::ServerOptions;
use crate::storage::Storage;
use cluster::Cluster;
use endpoint::EndpointKey;
use health_probe::ObservedTransport;
use loading::{load, loaded};
use page_budgets::PageBudgets;
use server::{HealthProbe, Heartbeat};
use snapshot_storage::{SnapshotBackend, SnapshotStorage};

pub use endpoint::Endpoint;
#[cfg(all(feature = "split", target_arch = "wasm32"))]
pub(crate) use entries::load_protobuf;
pub use linger::LINGER;
#[cfg(target_arch = "wasm32")]
pub(crate) use loading::LazySocketTransport;
pub use session::Session;

/// Number of event-loop turns, without a message or another view opening, after which a view opens: less than a
/// millisecond.
const QUIET_TURNS: u32 = 3;

/// Maximum number of turns for which messages delay a view. Other views that open still do.
const MAX_TURNS: u32 = 50;

/// Makes the transport of an endpoint. It adds the user's headers itself, below its connection budget
/// ([`Endpoint::authenticated`]): a token is asked for when a request is sent, not while it is queued.
pub type Connector = Box<dyn Fn(&Endpoint) -> Rc<dyn Transport>>;

/// State shared by all ports of one worker: one [`Cluster`] for each apiserver and user.
pub struct Engine {
    connector: Connector,
    clock: Rc<dyn Clock>,
    spawn: Spawn,
    /// Storage of snapshots.
    storage: SnapshotStorage,
    page_budgets: PageBudgets,
    /// Apiservers by endpoint. Entries of unused ones are removed at the next lookup. A list, because there are few.
    clusters: RefCell<Vec<(EndpointKey, Weak<Cluster>)>>,
    /// Number of sessions so far.
    sessions: Cell<u32>,
    /// Number of opened views.
    views_opened: Cell<u32>,
    /// Number of received messages: see [`Engine::view_turn`].
    messages_received: Cell<u32>,
}

impl Engine {
    /// Creates an engine that reaches apiservers through `connector`.
    pub fn new(connector: Connector, clock: Rc<dyn Clock>, spawn: Spawn) -> Rc<Self> {
        Self::with_snapshots(connector, clock, spawn, SnapshotBackend::None)
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
        Self::with_snapshots(connector, clock, spawn, SnapshotBackend::Custom(storage))
    }

    /// Same as [`Engine::new`], with the browser's storage.
    #[cfg(target_arch = "wasm32")]
    pub(crate) fn in_browser(connector: Connector, clock: Rc<dyn Clock>, spawn: Spawn) -> Rc<Self> {
        Self::with_snapshots(connector, clock, spawn, SnapshotBackend::Browser)
    }

    fn with_snapshots(connector: Connector, clock: Rc<dyn Clock>, spawn: Spawn, backend: SnapshotBackend) -> Rc<Self> {
        entries::install();
        Rc::new(Self {
            connector,
            clock,
            spawn,
            storage: SnapshotStorage { backend, clears: Rc::default() },
            page_budgets: Rc::default(),
            clusters: RefCell::default(),
            sessions: Cell::new(0),
            views_opened: Cell::new(0),
            messages_received: Cell::new(0),
        })
    }

    /// Resolves when a view may be opened: after a few turns of the event loop without a new view or a message.
    /// Messages in flight may arrive one per turn, and one of them may close the view.
    async fn view_turn(&self) {
        let (mut quiet, mut turns) = (0, 0);
        while quiet < QUIET_TURNS {
            let (opened, received) = (self.views_opened.get(), self.messages_received.get());
            self.clock.sleep(Duration::ZERO).await;
            turns += 1;
            let is_quiet = self.messages_received.get() == received || turns > MAX_TURNS;
            quiet = if is_quiet && self.views_opened.get() == opened { quiet + 1 } else { 0 };
        }
        self.views_opened.set(self.views_opened.get().wrapping_add(1));
    }

    /// Stops all snapshot writers, before the storage is cleared.
    fn stop_persisting(&self) {
        let clears = &self.storage.clears;
        clears.set(clears.get().wrapping_add(1));
    }

    /// Returns the apiserver of a page: the same instance for pages that share informers.
    fn cluster(&self, server: ServerOptions, fetch: Option<u32>, session: u32) -> Rc<Cluster> {
        let key = EndpointKey::new(&server, fetch, session);
        let mut clusters = self.clusters.borrow_mut();
        clusters.retain(|(_, cluster)| cluster.strong_count() > 0);
        let known = clusters.iter().find(|(known, _)| *known == key).and_then(|(_, cluster)| cluster.upgrade());
        if let Some(known) = known {
            return known;
        }
        let url = server.url.trim_end_matches('/').to_owned();
        let backoff = server.backoff.map(Into::into).unwrap_or_default();
        let deferred = loaded().filter(|_| server.asks_headers);
        let header_pages = deferred.map(|deferred| deferred.header_pages(&self.clock));
        let clock = Rc::clone(&self.clock);
        let endpoint = Endpoint { server, fetch, clock, header_pages: header_pages.clone() };
        let snapshot_name = endpoint.snapshot_name();
        let cluster = Rc::new_cyclic(|cluster| {
            let transport = (self.connector)(&endpoint);
            let health_probe = HealthProbe::new(Rc::clone(&transport));
            let transport = Rc::new(ObservedTransport { transport, cluster: cluster.clone() });
            let runtime = Runtime { transport, clock: Rc::clone(&self.clock), spawn: Rc::clone(&self.spawn) };
            // Pages of a list show the first rows sooner than one whole list from the watch cache.
            let options = ReflectorOptions {
                consistent_lists: true,
                populate_by_page: true,
                backoff,
                ..ReflectorOptions::default()
            };
            let factory = SharedInformerFactory::new(runtime.clone(), options).with_fallback(namespace_fallback);
            Cluster {
                url,
                header_pages,
                snapshot_name,
                storage: self.storage.clone(),
                page_budgets: Rc::clone(&self.page_budgets),
                snapshots: RefCell::default(),
                runtime,
                factory,
                indexers: RefCell::default(),
                resources: RefCell::default(),
                printer_columns: RefCell::default(),
                health_probe,
                heartbeat: Heartbeat::new(self.clock.now()),
            }
        });
        clusters.push((key, Rc::downgrade(&cluster)));
        cluster
    }
}

/// Returns the fallback for an informer of all namespaces that the user may not list: each permitted namespace instead.
fn namespace_fallback(resource: &GroupVersionResource) -> Fallback<Object> {
    let resource = resource.clone();
    Rc::new(move |whole| {
        let resource = resource.clone();
        async move { load().await?.namespaces(&resource, whole) }.boxed_local()
    })
}
