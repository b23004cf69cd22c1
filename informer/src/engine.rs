//! Serves pages: messages in, messages out. The same code runs in a worker for all tabs and in a page for one.

mod indexers;
mod numbered;
mod page_handler;
mod read;
mod session;
mod subscriptions;

use std::cell::RefCell;
use std::pin::pin;
use std::rc::{Rc, Weak};
use std::time::Duration;

use futures::future::{Either, select};

use crate::clock::Clock;
use crate::columns::{Column, columns_of};
use crate::discovery::discover;
use crate::error::{ErrorCode, InformerError, Result};
use crate::object::Object;
use crate::reflector::ReflectorOptions;
use crate::resource::{GroupVersionResource, ResourceInfo};
use crate::runtime::{Runtime, Spawn};
use crate::shared_informer_factory::{InformerKey, SharedInformerFactory};
use crate::transport::Transport;

use indexers::PathIndexers;
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
    /// By URL: one for each apiserver that a page has named, so few.
    clusters: RefCell<Vec<(String, Rc<Cluster>)>>,
}

impl Engine {
    /// An engine that reaches apiservers through `connector`.
    pub fn new(connector: Connector, clock: Rc<dyn Clock>, spawn: Spawn) -> Rc<Self> {
        Rc::new(Self { connector, clock, spawn, clusters: RefCell::default() })
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
            Rc::new(Cluster { runtime, factory, indexers: RefCell::default(), resources: RefCell::default() })
        };
        clusters.push((url.to_owned(), Rc::clone(&cluster)));
        cluster
    }
}

/// One apiserver, as seen from the engine.
struct Cluster {
    runtime: Runtime,
    factory: SharedInformerFactory<Object>,
    /// Those of the informers that somebody holds.
    indexers: RefCell<Vec<(InformerKey, Weak<PathIndexers>)>>,
    /// What discovery said last.
    resources: RefCell<Vec<ResourceInfo>>,
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

    /// The columns of a resource. One that discovery has not told of is taken to live in namespaces: a column that
    /// stays empty is better than one that is missing.
    fn columns(&self, resource: &GroupVersionResource) -> Vec<Rc<Column>> {
        let namespaced =
            self.resources.borrow().iter().find(|info| info.gvr() == *resource).is_none_or(|i| i.namespaced);
        columns_of(resource, namespaced)
    }
}
