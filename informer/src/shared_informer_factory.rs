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
use crate::resource::GroupVersionResource;
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
    /// Taken when it starts.
    source: Option<ResourceListerWatcher<T>>,
    users: usize,
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
        let mut options = options.normalised();
        // The size of pages is how, not what: it must not cost a second watch.
        let page_size = options.page_size.take().filter(|size| *size > 0);
        let source = ResourceListerWatcher::new(
            Rc::clone(&self.runtime.transport),
            &resource,
            options.namespace.as_deref(),
            options.label_selector.as_deref(),
            options.field_selector.as_deref(),
        )?;
        let key = InformerKey { resource, options };
        let mut informers = self.informers.borrow_mut();
        let entry = informers.entry(key.clone()).or_insert_with(|| {
            let mut reflector = self.reflector.clone();
            reflector.page_size = page_size.unwrap_or(reflector.page_size);
            let informer = SharedInformer::new(Rc::clone(&self.runtime.clock), reflector);
            Entry { informer, source: Some(source), users: 0 }
        });
        entry.users += 1;
        Ok((key, entry.informer.clone()))
    }

    /// Starts the informers that have not been started; may be called again. Nothing starts after a shutdown.
    pub fn start(&self) {
        let keys: Vec<InformerKey> = self.informers.borrow().keys().cloned().collect();
        for key in keys {
            self.start_one(&key);
        }
    }

    /// Starts one informer, if it has not been started.
    pub fn start_one(&self, key: &InformerKey) {
        if self.shut_down.get() {
            return;
        }
        let started = self.informers.borrow_mut().get_mut(key).and_then(|entry| {
            let source = entry.source.take()?;
            Some((entry.informer.clone(), source))
        });
        // With nothing borrowed: what is spawned may run at once and ask for informers itself.
        if let Some((informer, source)) = started {
            (self.runtime.spawn)(async move { informer.run(source).await }.boxed_local());
        }
    }

    /// One user of an informer leaves; the last one stops it.
    pub fn release(&self, key: &InformerKey) {
        let mut informers = self.informers.borrow_mut();
        let Some(entry) = informers.get_mut(key) else { return };
        entry.users = entry.users.saturating_sub(1);
        if entry.users > 0 {
            return;
        }
        let last = informers.remove(key);
        drop(informers);
        if let Some(entry) = last {
            entry.informer.stop();
        }
    }

    /// Of the started informers: which have synced.
    pub fn synced(&self) -> HashMap<InformerKey, bool> {
        let informers = self.informers.borrow();
        let started = informers.iter().filter(|(_, entry)| entry.source.is_none());
        started.map(|(key, entry)| (key.clone(), entry.informer.has_synced())).collect()
    }

    /// Stops all informers, for good. Idempotent.
    pub fn shutdown(&self) {
        self.shut_down.set(true);
        let informers = std::mem::take(&mut *self.informers.borrow_mut());
        for entry in informers.values() {
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
