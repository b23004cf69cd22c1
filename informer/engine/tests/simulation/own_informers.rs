//! Informers that the application runs without a factory: stopped ones are reopened, and run again with their cache.

use std::collections::BTreeMap;
use std::rc::Rc;

use futures::FutureExt;
use informer::{Object, ResourceListerWatcher, SharedInformer, SharedInformerOptions};

use crate::actors::index;
use crate::handlers::Subject;
use crate::pod_history::State;
use crate::quiet::cached;
use crate::requests::Client;
use crate::scope::{SCOPES, Scope};
use crate::store::Key;
use crate::world::World;

/// Client names of these informers.
const NAMES: [&str; 2] = ["own-0", "own-1"];

/// Number of the first of these informers among the users of informers.
pub(crate) const FIRST_OWN: u8 = 4;

/// Informer that the application runs without a factory.
pub(crate) struct OwnInformer {
    pub(crate) subject: Subject,
    /// Cache when it was stopped.
    cache_at_stop: Option<BTreeMap<Key, State>>,
}

impl World {
    /// Creates an informer, or reopens its stopped one; it usually runs at once.
    pub(crate) fn run_own(&mut self, own: u8, scope: u8, at_once: bool) {
        let at_once = match self.owns.get_mut(&own) {
            None => {
                let created = self.create_own(NAMES[usize::from(own)], SCOPES[usize::from(scope)]);
                self.owns.insert(own, created);
                at_once
            }
            Some(known) if known.subject.informer.is_stopped() => {
                if !known.subject.informer.reopen() {
                    return;
                }
                // Earlier observers of the informer receive no further events.
                (known.subject.started, known.subject.stopped, known.cache_at_stop) =
                    (Rc::default(), Rc::default(), None);
                let source = known.subject.source;
                self.server.note(|| format!("   {} {} is reopened", source.0, source.1));
                at_once
            }
            Some(_) => true,
        };
        let Some(own) = self.owns.get(&own).filter(|own| at_once && !own.subject.started.replace(true)) else { return };
        let (source, informer) = (own.subject.source, own.subject.informer.clone());
        self.excuse(source.0, source.1);
        self.server.state.borrow_mut().traffic.entry(source).or_default().start_informer(self.now());
        let client = Rc::new(Client { name: source.0, server: Rc::clone(&self.server) });
        let pods = "v1/pods".parse().expect("a resource");
        let list_watch = ResourceListerWatcher::<Object>::new(client, &pods, &source.1.options(self.page_size));
        let list_watch = list_watch.expect("well-formed");
        (self.runtime.spawn)(async move { informer.run(list_watch).await }.boxed_local());
    }

    fn create_own(&self, name: &'static str, scope: Scope) -> OwnInformer {
        let mut reflector = self.options.reflector.clone();
        reflector.page_size = Some(self.page_size);
        let options = SharedInformerOptions { reflector, ..self.options.clone() };
        let informer = SharedInformer::new(Rc::clone(&self.runtime.clock), options);
        index(&informer, &self.registry.token);
        let subject = Subject { source: (name, scope), informer, started: Rc::default(), stopped: Rc::default() };
        OwnInformer { subject, cache_at_stop: None }
    }

    /// Stops it permanently. If it were only dropped, a handler that owns it would keep it alive.
    pub(crate) fn drop_own(&mut self, own: u8) {
        if let Some(own) = self.owns.remove(&own) {
            own.subject.stopped.set(true);
            own.subject.informer.stop();
        }
    }

    /// Checks that the cache of a stopped informer does not change.
    pub(crate) fn check_owns(&mut self) {
        for own in self.owns.values_mut().filter(|own| own.subject.informer.is_stopped()) {
            let cached = cached(&own.subject);
            if own.cache_at_stop.get_or_insert_with(|| cached.clone()) != &cached {
                let source = own.subject.source;
                self.server.fail(|| format!("{} {} is stopped, and has {cached:?}", source.0, source.1));
            }
        }
    }
}
