//! Reflector, queue, cache and handlers under one handle.

use std::cell::{Cell, Ref, RefCell};
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::task::{Poll, Waker};
use std::time::Duration;

use futures::future::join;

use crate::clock::Clock;
use crate::controller::{self, Change, ChangeBatch};
use crate::delta_fifo::DeltaFifo;
use crate::error::InformerError;
use crate::indexer::{Indexer, Indexers};
use crate::list_watch::ListerWatcher;
use crate::lister::Lister;
use crate::object::Keyed;
use crate::processor::{Processor, Registration, ResourceEventHandler};
use crate::reflector::driver::{self, Control};
use crate::reflector::{Reflector, ReflectorOptions, Step, StoreCall};
use crate::status::{Freshness, InformerStatus, Phase};

/// How long changes are applied before others get a turn. Half a frame: a window change is answered within one.
const SLICE: Duration = Duration::from_millis(8);

/// Something an informer's owner may want to know at once.
#[derive(Clone, Debug, PartialEq)]
pub enum InformerEvent {
    /// [`SharedInformer::status`] has changed.
    Status,
    /// Something went wrong; the informer goes on. client-go's watch-error handler.
    Error(InformerError),
}

/// client-go's `SharedIndexInformer`: one list/watch of one resource, one cache, any number of handlers.
///
/// What it promises:
/// - An object is identified by its key, not by its uid: deleted and recreated may be told as one update.
/// - The cache shows, for each object, a subsequence of its real states, in order. Nothing is promised between objects.
/// - A read sees one state of the cache; a relist is seen whole or not at all.
/// - A handler is told after the cache has changed, in the order of the changes of each object. A late handler is first
///   told of everything that is cached, as additions.
/// - Whatever goes wrong is retried, but for what no retry mends ([`Phase::Failed`]); what is cached stays.
///
/// A clone is another handle to the same informer.
pub struct SharedInformer<T>(Rc<Inner<T>>);

impl<T> Clone for SharedInformer<T> {
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }
}

struct Inner<T> {
    clock: Rc<dyn Clock>,
    reflector: Rc<RefCell<Reflector<T>>>,
    queue: RefCell<DeltaFifo<T>>,
    indexer: RefCell<Indexer<T>>,
    processor: RefCell<Processor<T>>,
    control: Control,
    work: Work,
    observers: RefCell<Observers>,
    contact: Cell<Contact>,
    /// The version that the queue's end is at, and the one that the cache is at.
    versions: RefCell<Versions>,
}

#[derive(Default)]
struct Versions {
    queued: String,
    applied: String,
}

/// Moments that only people read, as Unix milliseconds.
#[derive(Clone, Copy, Default)]
struct Contact {
    event: Option<f64>,
    bookmark: Option<f64>,
    bookmarks: u64,
    last: Option<f64>,
    watching: bool,
    /// When the next attempt is due, on the clock of the reflector and on the wall.
    retry: Option<(Duration, f64)>,
}

type Observe = Rc<dyn Fn(&InformerEvent)>;

#[derive(Default)]
struct Observers {
    next: u64,
    by_id: BTreeMap<u64, Observe>,
}

/// Keeps an observer; dropping it removes the observer.
#[must_use = "dropping it removes the observer"]
pub struct Observer(Option<Box<dyn FnOnce()>>);

impl Drop for Observer {
    fn drop(&mut self) {
        if let Some(remove) = self.0.take() {
            remove();
        }
    }
}

/// Wakes the controller's task.
#[derive(Default)]
struct Work {
    due: Cell<bool>,
    ended: Cell<bool>,
    waker: RefCell<Option<Waker>>,
}

impl Work {
    fn notify(&self) {
        self.due.set(true);
        if let Some(waker) = self.waker.borrow_mut().take() {
            waker.wake();
        }
    }

    /// True when there is work, false when there will be none any more.
    async fn wait(&self) -> bool {
        poll_fn(|context| {
            if self.due.take() {
                return Poll::Ready(true);
            }
            if self.ended.get() {
                return Poll::Ready(false);
            }
            *self.waker.borrow_mut() = Some(context.waker().clone());
            Poll::Pending
        })
        .await
    }
}

impl<T: Keyed> SharedInformer<T> {
    /// An informer that does nothing yet: give it a source with [`SharedInformer::run`].
    pub fn new(clock: Rc<dyn Clock>, options: ReflectorOptions) -> Self {
        let reflector = Reflector::new(options, clock.seed());
        Self(Rc::new(Inner {
            clock,
            reflector: Rc::new(RefCell::new(reflector)),
            queue: RefCell::default(),
            indexer: RefCell::default(),
            processor: RefCell::default(),
            control: Control::default(),
            work: Work::default(),
            observers: RefCell::default(),
            contact: Cell::default(),
            versions: RefCell::default(),
        }))
    }

    /// Lists, watches and tells, until [`SharedInformer::stop`]. A second call returns at once.
    pub async fn run<L: ListerWatcher<Object = T>>(&self, lister_watcher: L) {
        let inner = &self.0;
        if inner.reflector.borrow().phase() != Phase::Idle {
            return;
        }
        let sink = |step| inner.take(step);
        let reflector = async {
            let (reflector, clock) = (Rc::clone(&inner.reflector), Rc::clone(&inner.clock));
            driver::run(reflector, lister_watcher, clock, inner.control.clone(), sink).await;
            inner.work.ended.set(true);
            inner.work.notify();
        };
        join(reflector, inner.process()).await;
        Processor::clear(&inner.processor);
        inner.tell(&InformerEvent::Status);
    }

    /// Ends it: what is in flight is aborted, what is cached stays readable. Idempotent; it does not run again.
    pub fn stop(&self) {
        self.0.control.stop();
        if self.0.reflector.borrow().phase() == Phase::Idle {
            self.0.reflector.borrow_mut().step(crate::reflector::Input::Stop, self.0.clock.now());
        }
    }

    /// Skips a wait between attempts: the network is back, somebody looks.
    pub fn wake(&self) {
        self.0.control.wake();
    }

    /// Adds a handler, at any time. It is told of everything that is cached first.
    pub fn add_event_handler(&self, handler: impl ResourceEventHandler<T> + 'static) -> Registration<T> {
        // What waits in the queue is applied after this moment, and so reaches the handler as changes.
        let cached = self.0.indexer.borrow().list().cloned().collect();
        let version = self.0.versions.borrow().applied.clone();
        let registration = self.0.processor.borrow_mut().add(Box::new(handler), cached, version, self.has_synced());
        self.0.work.notify();
        registration
    }

    /// Adds index functions, also while it runs.
    ///
    /// # Errors
    /// When a name is taken; nothing is added then.
    pub fn add_indexers(&self, indexers: Indexers<T>) -> crate::Result<()> {
        self.0.indexer.borrow_mut().add_indexers(indexers)
    }

    /// Whether the first list is in the cache.
    pub fn has_synced(&self) -> bool {
        self.0.queue.borrow().has_synced()
    }

    /// The cache. Do not hold it across an `await`.
    pub fn indexer(&self) -> Ref<'_, Indexer<T>> {
        self.0.indexer.borrow()
    }

    /// Reads by name and namespace.
    pub fn lister(&self) -> Lister<T> {
        Lister::new(self.clone())
    }

    /// Calls `observer` on each [`InformerEvent`], from inside the informer: it may note what happened, no more.
    pub fn observe(&self, observer: impl Fn(&InformerEvent) + 'static) -> Observer
    where
        T: 'static,
    {
        let mut observers = self.0.observers.borrow_mut();
        observers.next += 1;
        let id = observers.next;
        observers.by_id.insert(id, Rc::new(observer));
        let inner: Weak<Inner<T>> = Rc::downgrade(&self.0);
        Observer(Some(Box::new(move || {
            if let Some(inner) = inner.upgrade() {
                let removed = inner.observers.borrow_mut().by_id.remove(&id);
                // With nothing borrowed: what it holds may be an observer too.
                drop(removed);
            }
        })))
    }

    /// What it says about itself.
    pub fn status(&self) -> InformerStatus {
        let inner = &self.0;
        let reflector = inner.reflector.borrow();
        let (metrics, contact) = (reflector.metrics(), inner.contact.get());
        let indexer = inner.indexer.borrow();
        InformerStatus {
            phase: reflector.phase(),
            freshness: Freshness::of(reflector.phase(), reflector.last_error()),
            has_synced: self.has_synced(),
            resource_version: reflector.last_sync_resource_version().to_owned(),
            objects: indexer.len() as u64,
            bytes: indexer.bytes() as u64,
            listed: reflector.staged() as u64,
            last_event_at: contact.event,
            last_bookmark_at: contact.bookmark,
            last_contact_at: contact.last,
            next_retry_at: contact.retry.map(|(_, at)| at),
            lists: metrics.lists,
            watches: metrics.watches,
            relists: metrics.relists,
            events: metrics.events,
            dropped_events: metrics.dropped,
            queue_depth: inner.queue.borrow().len() as u64,
            last_error: reflector.last_error().map(Into::into),
        }
    }
}

impl<T: Keyed> Inner<T> {
    /// Takes the outcome of a step: into the queue, to the observers.
    fn take(&self, step: Step<T>) {
        let mut contact = self.contact.get();
        let now = self.clock.unix_ms();
        let (watching, bookmarks, retry) = {
            let reflector = self.reflector.borrow();
            (reflector.phase() == Phase::Watching, reflector.metrics().bookmarks, reflector.next_attempt())
        };
        // What came from the server: an accepted watch, a bookmark, objects. Not what came from a timer or a page.
        let opened = watching && !contact.watching;
        if opened || step.call.is_some() || bookmarks > contact.bookmarks {
            contact.last = Some(now);
        }
        contact.watching = watching;
        if bookmarks > contact.bookmarks {
            (contact.bookmark, contact.bookmarks) = (Some(now), bookmarks);
        }
        if contact.retry.map(|(at, _)| at) != retry {
            let wait = |at: Duration| at.saturating_sub(self.clock.now()).as_secs_f64() * 1_000.0;
            contact.retry = retry.map(|at| (at, now + wait(at)));
        }
        if matches!(step.call, Some(StoreCall::Add(_) | StoreCall::Update(_) | StoreCall::Delete(_))) {
            contact.event = Some(now);
        }
        self.contact.set(contact);
        if let Some(call) = step.call {
            let mut queue = self.queue.borrow_mut();
            self.reflector.borrow().last_sync_resource_version().clone_into(&mut self.versions.borrow_mut().queued);
            match call {
                StoreCall::Add(object) => queue.add(Arc::new(object)),
                StoreCall::Update(object) => queue.update(Arc::new(object)),
                StoreCall::Delete(object) => queue.delete(Arc::new(object)),
                StoreCall::Replace(items, version) => queue.replace(items.into_iter().map(Arc::new).collect(), version),
            }
            drop(queue);
            self.work.notify();
        }
        if let Some(error) = step.report {
            self.tell(&InformerEvent::Error(error));
        }
        self.tell(&InformerEvent::Status);
    }

    /// The controller's loop: queue to cache to handlers, a slice at a time.
    async fn process(&self) {
        while self.work.wait().await {
            let began = self.clock.now();
            while let Some(batch) = self.next_batch(began) {
                let synced = batch.relist && !std::mem::replace(&mut self.processor.borrow_mut().synced, true);
                let processor = self.processor.borrow();
                processor.distribute(batch);
                if synced {
                    processor.distribute_synced();
                }
            }
            Processor::deliver(&self.processor);
            self.tell(&InformerEvent::Status);
            if !self.queue.borrow().is_empty() {
                self.work.notify();
                // A timer, not a microtask: messages and bytes get their turn.
                self.clock.sleep(Duration::ZERO).await;
            }
        }
    }

    /// The changes of many keys as one batch, as long as the slice lasts; a relist is a batch of its own.
    fn next_batch(&self, began: Duration) -> Option<ChangeBatch<T>> {
        let mut changes = Vec::new();
        let mut popped_any = false;
        let mut queue = self.queue.borrow_mut();
        loop {
            let late = self.clock.now().saturating_sub(began) >= SLICE;
            if queue.is_empty() || late || (popped_any && queue.is_relist_next()) {
                break;
            }
            let relist = queue.is_relist_next();
            let applied = queue.pop(|popped| controller::process(popped, &mut self.indexer.borrow_mut()));
            popped_any = true;
            changes.extend(applied.into_iter().flatten());
            if relist {
                return Some(self.batch(changes, true, queue.is_empty()));
            }
        }
        popped_any.then(|| self.batch(changes, false, queue.is_empty()))
    }

    /// Only when nothing waits any more has the cache reached the version of the queue's end: changes of one key may
    /// overtake those of another.
    fn batch(&self, changes: Vec<Change<T>>, relist: bool, drained: bool) -> ChangeBatch<T> {
        let versions = &mut *self.versions.borrow_mut();
        if drained {
            versions.applied.clone_from(&versions.queued);
        }
        ChangeBatch { changes, resource_version: versions.applied.clone(), relist }
    }

    fn tell(&self, event: &InformerEvent) {
        let observers: Vec<_> = self.observers.borrow().by_id.values().cloned().collect();
        for observer in observers {
            observer(event);
        }
    }
}
