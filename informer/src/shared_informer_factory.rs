//! One informer for one resource, however many ask for it.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use futures::FutureExt;

use crate::error::Result;
use crate::list_watch::ResourceListerWatcher;
use crate::message::InformerOptions;
use crate::object::KubeObject;
use crate::reflector::ReflectorOptions;
use crate::resource::{GroupVersionResource, check_namespace};
use crate::runtime::Runtime;
use crate::shared_informer::SharedInformer;

/// client-go's `SharedInformerFactory`: the same resource, scope and selectors give the same informer.
///
/// Informers are counted: each [`SharedInformerFactory::for_resource`] wants one [`SharedInformerFactory::release`],
/// and the last one closes the watch (client-go keeps an informer for ever, k/k 79610).
pub struct SharedInformerFactory<T> {
    runtime: Runtime,
    reflector: ReflectorOptions,
    informers: RefCell<HashMap<InformerKey, Entry<T>>>,
    shut_down: Cell<bool>,
}

/// What makes two requests for an informer the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InformerKey {
    /// The resource.
    pub resource: GroupVersionResource,
    /// Scope and selectors.
    pub options: InformerOptions,
}

struct Entry<T> {
    informer: SharedInformer<T>,
    users: usize,
    started: bool,
}

impl<T: KubeObject> SharedInformerFactory<T> {
    /// A factory whose informers share a connection to one apiserver.
    pub fn new(runtime: Runtime, reflector: ReflectorOptions) -> Self {
        Self { runtime, reflector, informers: RefCell::default(), shut_down: Cell::new(false) }
    }

    /// The informer for a resource. It runs from the next [`SharedInformerFactory::start`] on.
    ///
    /// # Errors
    /// [`crate::ErrorCode::BadRequest`] when the namespace cannot be one.
    pub fn for_resource(
        &self,
        resource: GroupVersionResource,
        options: InformerOptions,
    ) -> Result<(InformerKey, SharedInformer<T>)> {
        options.namespace.as_deref().map_or(Ok(()), check_namespace)?;
        let key = InformerKey { resource, options };
        let mut informers = self.informers.borrow_mut();
        let entry = informers.entry(key.clone()).or_insert_with(|| {
            let mut reflector = self.reflector.clone();
            reflector.page_size = key.options.page_size.filter(|size| *size > 0).unwrap_or(reflector.page_size);
            Entry { informer: SharedInformer::new(Rc::clone(&self.runtime.clock), reflector), users: 0, started: false }
        });
        entry.users += 1;
        Ok((key, entry.informer.clone()))
    }

    /// Starts the informers that have not been started; may be called again. Nothing starts after a shutdown.
    pub fn start(&self) {
        if self.shut_down.get() {
            return;
        }
        for (key, entry) in self.informers.borrow_mut().iter_mut().filter(|(_, entry)| !entry.started) {
            entry.started = true;
            let informer = entry.informer.clone();
            let lister_watcher = ResourceListerWatcher::new(
                Rc::clone(&self.runtime.transport),
                &key.resource,
                key.options.namespace.as_deref(),
                key.options.label_selector.as_deref(),
                key.options.field_selector.as_deref(),
            );
            (self.runtime.spawn)(async move { informer.run(lister_watcher).await }.boxed_local());
        }
    }

    /// One user of an informer leaves; the last one stops it.
    pub fn release(&self, key: &InformerKey) {
        let mut informers = self.informers.borrow_mut();
        let Some(entry) = informers.get_mut(key) else { return };
        entry.users = entry.users.saturating_sub(1);
        if entry.users == 0 {
            entry.informer.stop();
            informers.remove(key);
        }
    }

    /// Of the started informers: which have synced.
    pub fn synced(&self) -> HashMap<InformerKey, bool> {
        let informers = self.informers.borrow();
        let started = informers.iter().filter(|(_, entry)| entry.started);
        started.map(|(key, entry)| (key.clone(), entry.informer.has_synced())).collect()
    }

    /// Stops all informers, for good. Idempotent.
    pub fn shutdown(&self) {
        self.shut_down.set(true);
        for (_, entry) in self.informers.borrow_mut().drain() {
            entry.informer.stop();
        }
    }

    /// Informers that somebody uses.
    pub fn len(&self) -> usize {
        self.informers.borrow().len()
    }

    /// Whether nobody uses any.
    pub fn is_empty(&self) -> bool {
        self.informers.borrow().is_empty()
    }
}
