//! client-go's `SharedInformerFactory`: one informer per resource, for all users.

mod tasks;

use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt;

use crate::cache_sync::{CacheSync, wait_for_cache_sync};
use crate::error::{ErrorCode, InformerError, Result};
use crate::field_selector::FieldSelector;
use crate::informer_options::{InformerMode, InformerOptions};
use crate::label_selector::LabelSelector;
use crate::list_watch::ResourceListerWatcher;
use crate::list_watch::fallback::{Fallback, FallbackListerWatcher};
use crate::metrics::FactoryMetrics;
use crate::object::KubeObject;
use crate::resource::GroupVersionResource;
use crate::runtime::Runtime;
use crate::shared_informer::{SharedInformer, SharedInformerOptions};

use tasks::Tasks;

/// client-go's `SharedInformerFactory`: the same resource, scope, selectors, mode and transform return the same informer.
///
/// Uses are counted: balance each [`SharedInformerFactory::for_resource`] with one
/// [`SharedInformerFactory::release`]. The last one closes the watch (client-go keeps an informer forever, k/k
/// 79610). Dropping the factory shuts it down: forgotten informers would occupy connections, of which a browser has
/// six.
pub struct SharedInformerFactory<T: KubeObject> {
    runtime: Runtime,
    options: SharedInformerOptions<T>,
    fallback: Option<MakeFallback<T>>,
    /// One for each informer, so there are few.
    informers: RefCell<Vec<(InformerKey, Entry<T>)>>,
    /// Resources whose lists are not streamed until a time. Detecting that takes half a minute, so it is remembered.
    listed_until: RefCell<Vec<(GroupVersionResource, Duration)>>,
    shut_down: Cell<bool>,
    tasks: Tasks,
}

/// Creates the fallback of a resource.
type MakeFallback<T> = Box<dyn Fn(&GroupVersionResource) -> Fallback<T>>;

/// Key of an informer: equal keys share one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InformerKey {
    /// The resource.
    pub resource: GroupVersionResource,
    /// Scope, selectors, mode and transform.
    pub options: InformerOptions,
}

/// `v1/pods`, with its restrictions in brackets: the name of the informer in messages for users.
impl fmt::Display for InformerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let InformerOptions { namespace, label_selector, field_selector, mode, transform, .. } = &self.options;
        let mut narrowed = Vec::new();
        for (name, value) in [("namespace", namespace), ("labels", label_selector), ("fields", field_selector)] {
            narrowed.extend(value.as_ref().map(|value| format!("{name} {value}")));
        }
        if *mode == InformerMode::Metadata {
            narrowed.push("metadata".to_owned());
        }
        narrowed.extend(Some(transform.description()).filter(|words| !words.is_empty()));
        write!(f, "{}", self.resource)?;
        if narrowed.is_empty() { Ok(()) } else { write!(f, " ({})", narrowed.join(", ")) }
    }
}

/// Returns the resync period, at least a second, as for handlers: passing 30 for 30 seconds must not keep the informer
/// busy.
fn resync_period(milliseconds: u32) -> Duration {
    match Duration::from_millis(milliseconds.into()) {
        Duration::ZERO => Duration::ZERO,
        period => period.max(Duration::from_secs(1)),
    }
}

fn index_of<T: KubeObject>(informers: &[(InformerKey, Entry<T>)], key: &InformerKey) -> Option<usize> {
    informers.iter().position(|(known, _)| known == key)
}

struct Entry<T: KubeObject> {
    informer: SharedInformer<T>,
    /// Taken when it starts.
    source: Option<FallbackListerWatcher<T>>,
    users: usize,
}

impl<T: KubeObject> SharedInformerFactory<T> {
    /// Creates a factory whose informers share a connection to one apiserver.
    pub fn new(runtime: Runtime, options: impl Into<SharedInformerOptions<T>>) -> Self {
        Self {
            runtime,
            options: options.into(),
            fallback: None,
            informers: RefCell::default(),
            listed_until: RefCell::default(),
            shut_down: Cell::new(false),
            tasks: Tasks::default(),
        }
    }

    /// Sets a fallback for informers of all namespaces if they cannot be listed together.
    #[must_use]
    pub fn with_fallback(mut self, fallback: impl Fn(&GroupVersionResource) -> Fallback<T> + 'static) -> Self {
        self.fallback = Some(Box::new(fallback));
        self
    }

    /// Returns the informer for a resource. A new one runs from the next [`SharedInformerFactory::start`].
    ///
    /// Selectors in different notations are equal. Page size and resync are not part of the key: the first caller
    /// decides.
    ///
    /// # Errors
    /// [`ErrorCode::BadRequest`] if the namespace, a selector or a path of the transform is invalid; [`ErrorCode::Closed`] after a shutdown.
    pub fn for_resource(
        &self,
        resource: GroupVersionResource,
        options: InformerOptions,
    ) -> Result<(InformerKey, SharedInformer<T>)> {
        if self.shut_down.get() {
            return Err(InformerError::new(ErrorCode::Closed, "the factory has been shut down"));
        }
        let mut options = options.normalised();
        if let Some(text) = &mut options.label_selector {
            *text = text.parse::<LabelSelector>()?.to_string();
        }
        if let Some(text) = &mut options.field_selector {
            *text = text.parse::<FieldSelector>()?.to_string();
        }
        // Page size and resync do not change the result: they must not cost a second watch.
        let page_size = options.page_size.take().filter(|size| *size > 0);
        let resync_period = options.resync.take().map(resync_period);
        let key = InformerKey { resource, options };
        let mut informers = self.informers.borrow_mut();
        for (known, entry) in &*informers {
            self.learn(known, &entry.informer);
        }
        // An informer that was stopped directly is useless; its users release it as usual.
        let mut left = 0;
        if let Some(index) = index_of(&informers, &key) {
            let (_, entry) = &mut informers[index];
            if !entry.informer.is_stopped() {
                entry.users += 1;
                return Ok((key, entry.informer.clone()));
            }
            let stopped = informers.remove(index).1;
            left = stopped.users;
            // Without a borrow: they contain user values, which may call the factory when dropped.
            drop(informers);
            drop(stopped);
            informers = self.informers.borrow_mut();
        }
        let source = ResourceListerWatcher::new(Rc::clone(&self.runtime.transport), &key.resource, &key.options)?;
        let fallback = self.fallback.as_ref().filter(|_| key.options.namespace.is_none());
        let source = FallbackListerWatcher::new(source, fallback.map(|fallback| fallback(&key.resource)));
        let mut options = self.options.clone();
        options.reflector.page_size = page_size.or(options.reflector.page_size);
        options.resync_period = resync_period.unwrap_or(options.resync_period);
        let informer = SharedInformer::new(Rc::clone(&self.runtime.clock), options);
        informers.push((key.clone(), Entry { informer: informer.clone(), source: Some(source), users: left + 1 }));
        Ok((key, informer))
    }

    fn learn(&self, key: &InformerKey, informer: &SharedInformer<T>) {
        let Some(until) = informer.watch_list_paused_until() else { return };
        let mut listed_until = self.listed_until.borrow_mut();
        match listed_until.iter_mut().find(|(resource, _)| *resource == key.resource) {
            Some((_, known)) => *known = until.max(*known),
            None => listed_until.push((key.resource.clone(), until)),
        }
    }

    /// Starts the informers that have not been started; may be called again. Does nothing after a shutdown.
    pub fn start(&self) {
        let keys: Vec<InformerKey> = {
            let informers = self.informers.borrow();
            informers.iter().for_each(|(key, entry)| self.learn(key, &entry.informer));
            informers.iter().map(|(key, _)| key.clone()).collect()
        };
        for key in keys {
            self.start_one(&key);
        }
    }

    /// Starts one informer, if it has not been started.
    pub fn start_one(&self, key: &InformerKey) {
        if self.shut_down.get() {
            return;
        }
        let started = self.informers.borrow_mut().iter_mut().find(|(known, _)| known == key).and_then(|(_, entry)| {
            let source = entry.source.take()?;
            let listed_until = self.listed_until.borrow();
            if let Some((_, until)) = listed_until.iter().find(|(resource, _)| *resource == key.resource) {
                entry.informer.pause_watch_list(*until);
            }
            Some((entry.informer.clone(), source))
        });
        // Without a borrow: the spawned task may run at once and request informers itself.
        if let Some((informer, source)) = started {
            let running = self.tasks.begin();
            let task = async move {
                informer.run(source).await;
                drop(running);
            };
            (self.runtime.spawn)(task.boxed_local());
        }
    }

    /// Releases one use of an informer. The last release stops it.
    pub fn release(&self, key: &InformerKey) {
        let mut informers = self.informers.borrow_mut();
        let Some(index) = index_of(&informers, key) else { return };
        let (_, entry) = &mut informers[index];
        entry.users = entry.users.saturating_sub(1);
        if entry.users > 0 {
            return;
        }
        let (_, last) = informers.remove(index);
        drop(informers);
        self.learn(key, &last.informer);
        last.informer.stop();
    }

    /// Waits until the started informers have synced or stopped, or `timeout` has passed. The result names those that
    /// have not synced, with the reasons.
    pub async fn wait_for_cache_sync(&self, timeout: Option<Duration>) -> CacheSync {
        // Taken before the first wait: informers may come and go meanwhile.
        let started: Vec<_> = {
            let informers = self.informers.borrow();
            let started = informers.iter().filter(|(_, entry)| entry.source.is_none());
            started.map(|(key, entry)| (key.to_string(), entry.informer.clone())).collect()
        };
        wait_for_cache_sync(&*self.runtime.clock, started, timeout).await
    }

    /// Counters of all informers.
    pub fn metrics(&self) -> FactoryMetrics {
        let informers = self.informers.borrow();
        let mut metrics = FactoryMetrics::default();
        for (key, entry) in &*informers {
            let of_one = entry.informer.metrics();
            metrics.running += u64::from(entry.source.is_none() && !entry.informer.is_stopped());
            metrics.synced += u64::from(entry.informer.has_synced());
            metrics.objects += of_one.objects;
            metrics.bytes += of_one.bytes;
            metrics.informers.push((key.to_string(), of_one));
        }
        metrics.informers.sort_by(|(a, _), (b, _)| a.cmp(b));
        metrics
    }

    /// Resolves when every started informer has ended, including those released before.
    pub async fn ended(&self) {
        self.tasks.ended().await;
    }

    /// Stops all informers permanently; [`SharedInformerFactory::ended`] resolves when they have ended. Idempotent.
    pub fn shutdown(&self) {
        self.shut_down.set(true);
        let informers = std::mem::take(&mut *self.informers.borrow_mut());
        for (_, entry) in &informers {
            entry.informer.stop();
        }
    }

    /// The informers in use.
    pub fn informers(&self) -> Vec<SharedInformer<T>> {
        self.informers.borrow().iter().map(|(_, entry)| entry.informer.clone()).collect()
    }

    /// The informers in use, each with its key and its number of uses.
    pub fn uses(&self) -> Vec<(InformerKey, usize, SharedInformer<T>)> {
        let informers = self.informers.borrow();
        informers.iter().map(|(key, entry)| (key.clone(), entry.users, entry.informer.clone())).collect()
    }

    /// Number of informers in use.
    pub fn len(&self) -> usize {
        self.informers.borrow().len()
    }

    /// Whether there are no informers in use.
    pub fn is_empty(&self) -> bool {
        self.informers.borrow().is_empty()
    }
}

impl<T: KubeObject> Drop for SharedInformerFactory<T> {
    fn drop(&mut self) {
        self.shutdown();
    }
}
