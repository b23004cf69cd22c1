//! client-go's `SharedInformer`: reflector, queue, cache and handlers under one handle.

mod contact;
mod observers;
mod options;
mod process;
mod requests;
mod warm_start;
mod warm_up;
mod work;

use std::cell::Ref;
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use futures::future::{join, select};

use crate::clock::Clock;
use crate::error::{ErrorCode, InformerError, Result};
use crate::freshness::{Freshness, FreshnessInputs};
use crate::indexer::{IndexFunc, Indexer, Indexers};
use crate::list_watch::ListerWatcher;
use crate::lister::Lister;
use crate::metrics::{InformerMetrics, Traffic};
use crate::object::Keyed;
use crate::phase::Phase;
use crate::processor::{
    ChangeBatchHandler, Handler, HandlerOptions, Processor, Registration, Replay, ResourceEventHandler,
};
use crate::reflector::driver;
use crate::reflector::{HistoryEntry, Input, Step, StoreCall};
use crate::status::InformerStatus;
use crate::trace::warn;

use process::{Inner, Namespace, Run, Running};

pub use observers::{InformerEvent, Observer};
pub use options::{SharedInformerOptions, TransformFunc};
pub use warm_up::{Verdict, WarmStart, WarmUp};

/// client-go's `SharedIndexInformer`: lists and watches one resource, with one cache and any number of handlers.
///
/// Guarantees:
/// - An object is identified by its key, not by its uid: a deletion and recreation may be delivered as one update.
/// - For each object, the cache shows a subsequence of its real states, in order. Between objects there is no order.
/// - A read sees one state of the cache. A relist is visible completely or not at all.
/// - A handler is called after the cache has changed, in the order of the changes of each object. A late handler
///   first receives all cached objects as additions.
/// - Errors are retried, unless a retry cannot correct them ([`crate::Phase::Failed`]). The cache is kept.
/// - A handler that reports that it is not ready delays no other, and receives merged changes rather than late ones
///   ([`HandlerOptions`]). Calls are not interrupted: a slow call delays everything on the thread.
///
/// A clone is another handle to the same informer.
pub struct SharedInformer<T>(Rc<Inner<T>>);

impl<T> Clone for SharedInformer<T> {
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }
}

impl<T: Keyed> SharedInformer<T> {
    /// Creates an inactive informer; [`SharedInformer::run`] gives it a source.
    pub fn new(clock: Rc<dyn Clock>, options: impl Into<SharedInformerOptions<T>>) -> Self {
        Self(Rc::new(Inner::new(clock, options.into())))
    }

    /// Lists, watches and calls handlers, until [`SharedInformer::stop`]; dropping the future stops it too. Returns
    /// at once while another call runs, and after a stop, unless [`SharedInformer::reopen`] was called since.
    pub async fn run<L: ListerWatcher<Object = T>>(&self, lister_watcher: L) {
        let inner = &self.0;
        if inner.run.get() != Run::NotStarted {
            warn!(source = %lister_watcher.description(), "the informer is already running or has been stopped");
            return;
        }
        let _running = Running::begin(inner);
        *inner.source.borrow_mut() = lister_watcher.description();
        if let Some(connection) = lister_watcher.connection() {
            inner.requests.borrow_mut().continue_with(connection);
        }
        inner.processor.borrow().start(inner.clock.now());
        if !lister_watcher.supports_watch_list() {
            inner.reflector.borrow_mut().decline_watch_list();
        }
        let cache = Rc::downgrade(inner);
        lister_watcher.see_cache(Rc::new(move |key| {
            let inner = cache.upgrade()?;
            inner.indexer.try_borrow().ok()?.get_by_key(key).cloned()
        }));
        let reflector = async {
            inner.start_warm().await;
            let (reflector, clock) = (Rc::clone(&inner.reflector), Rc::clone(&inner.clock));
            if inner.run.get() == Run::Running {
                let sink = |step: Step<T>, is_last: bool| {
                    if matches!(step.call, Some(StoreCall::Replace { .. } | StoreCall::Populate { .. })) {
                        *inner.namespaces.borrow_mut() = lister_watcher.namespaces();
                    }
                    inner.take(step, is_last);
                };
                driver::run(reflector, &lister_watcher, clock, inner.control.clone(), sink).await;
            }
            inner.work.end();
        };
        // The resync never ends by itself; it is dropped with the reflector.
        join(select(pin!(reflector), pin!(inner.resync())), inner.process()).await;
    }

    /// Stops the informer: aborts requests in flight and releases handlers without further calls. The cache stays
    /// readable. Idempotent; may be called from a handler.
    pub fn stop(&self) {
        let inner = &self.0;
        let never_ran = inner.run.get() == Run::NotStarted;
        if never_ran {
            inner.run.set(Run::Ended);
            inner.reflector.borrow_mut().step(Input::Stop, inner.clock.now());
        } else if inner.run.get() == Run::Running {
            inner.run.set(Run::Stopped);
        }
        inner.control.stop();
        inner.warm_up.set(None);
        Processor::clear(&inner.processor);
        // A running informer reports its end later.
        if never_ran {
            inner.observers.notify(&InformerEvent::Status);
        }
    }

    /// Allows a stopped informer to run again, with its cache: the next [`SharedInformer::run`] lists from the cached
    /// version and delivers what was missed. Handlers were released by the stop; new ones can be added from now on.
    /// Returns false while the previous run has not returned, or if it was never stopped. (client-go's informers
    /// cannot run again.)
    pub fn reopen(&self) -> bool {
        let inner = &self.0;
        let ended = inner.run.get() == Run::Ended;
        if ended {
            inner.run.set(Run::NotStarted);
            inner.control.reset();
            inner.work.begin();
        }
        ended
    }

    /// Whether the informer is stopped or stopping.
    pub fn is_stopped(&self) -> bool {
        matches!(self.0.run.get(), Run::Stopped | Run::Ended)
    }

    /// Skips the delay before the next attempt, because the network returned or a page became visible. A watch that
    /// has been silent for half a minute must deliver data or is resumed, and a polled resource is watched again.
    pub fn wake(&self) {
        self.0.control.wake();
    }

    /// Reports that the server refused another request in a way that suggests a shutdown (500, or no connection): it
    /// may keep its watches open for another minute. An open watch must deliver data or is resumed, unless it was
    /// accepted within the last half a minute. Until then the informer is [`Freshness::CatchingUp`].
    pub fn others_refused(&self) {
        self.0.control.others_refused();
    }

    /// Reports that a heartbeat of the server failed.
    pub fn unreachable(&self, error: InformerError) {
        self.0.control.heartbeat(Err(error));
    }

    /// Reports that a heartbeat succeeded after one that failed.
    pub fn reachable(&self) {
        self.0.control.heartbeat(Ok(()));
    }

    /// Reports that another cluster has, or may have, the same address, since this time of the clock at the earliest:
    /// see [`Input::Replaced`].
    pub fn replaced(&self, since: Duration, certain: bool) {
        if self.0.run.get() == Run::Running {
            self.0.control.replaced(since, certain);
        }
    }

    /// The last 200 protocol steps, oldest first. Consecutive events and bookmarks are one step with a count.
    pub fn history(&self) -> Vec<HistoryEntry> {
        self.0.reflector.borrow().history()
    }

    /// Sets the persisted objects that the next run begins with, in place of a first list.
    pub fn warm_up(&self, warm_up: WarmUp<T>) {
        if self.0.run.get() == Run::NotStarted {
            self.0.warm_up.set(Some(warm_up));
        }
    }

    /// Reports an error from outside the informer to its observers.
    pub fn report(&self, error: InformerError) {
        self.0.report(error);
    }

    /// Adds a handler, at any time. It first receives all cached objects.
    ///
    /// # Errors
    /// [`ErrorCode::Closed`] if the informer has been stopped.
    pub fn add_event_handler(&self, handler: impl ResourceEventHandler<T> + 'static) -> Result<Registration<T>> {
        self.add_event_handler_with_options(handler, HandlerOptions::default())
    }

    /// Like [`SharedInformer::add_event_handler`], with a resync period for this handler.
    ///
    /// # Errors
    /// The same.
    pub fn add_event_handler_with_options(
        &self,
        handler: impl ResourceEventHandler<T> + 'static,
        options: HandlerOptions,
    ) -> Result<Registration<T>> {
        self.add(Handler::Each(Box::new(handler)), options)
    }

    /// Adds a handler that receives batches and can request pauses.
    ///
    /// # Errors
    /// As for [`SharedInformer::add_event_handler`].
    pub fn add_batch_handler(
        &self,
        handler: impl ChangeBatchHandler<T> + 'static,
        options: HandlerOptions,
    ) -> Result<Registration<T>> {
        self.add(Handler::Batch(Box::new(handler)), options)
    }

    fn add(&self, handler: Handler<T>, options: HandlerOptions) -> Result<Registration<T>> {
        let inner = &self.0;
        if self.is_stopped() {
            let message = "cannot add the handler: the informer has been stopped";
            return Err(InformerError::new(ErrorCode::Closed, message));
        }
        // Queued changes are applied after this moment, so the handler receives them as changes.
        let replay = {
            let indexer = inner.indexer.borrow();
            Replay {
                cached: indexer.list().cloned().collect(),
                resource_version: indexer.resource_version().to_owned(),
                synced: self.has_synced(),
            }
        };
        let work = Rc::clone(&inner.work);
        let resume = Rc::new(move || work.notify());
        let running_since = (inner.run.get() == Run::Running).then(|| inner.clock.now());
        let requested = options.resync_period;
        let registration = inner.processor.borrow_mut().add(handler, options, replay, resume, running_since);
        if requested.is_some_and(|requested| requested != registration.resync_period()) {
            warn!(?requested, given = ?registration.resync_period(), "the handler's resync period was changed");
        }
        inner.work.notify();
        Ok(registration)
    }

    /// Adds index functions, also while the informer runs.
    ///
    /// # Errors
    /// [`ErrorCode::BadRequest`] if a name is taken (nothing is added), or while a caller on the stack holds
    /// [`SharedInformer::indexer`]. [`ErrorCode::Closed`] if the informer has been stopped.
    pub fn add_indexers(&self, indexers: Indexers<T>) -> Result<()> {
        self.add_index_funcs(indexers.into_iter().collect())
    }

    /// Like [`SharedInformer::add_indexers`], for names that are all different.
    pub fn add_index_funcs(&self, indexers: Vec<(String, IndexFunc<T>)>) -> Result<()> {
        if self.is_stopped() {
            let message = "cannot add indexers: the informer has been stopped";
            return Err(InformerError::new(ErrorCode::Closed, message));
        }
        let Ok(mut indexer) = self.0.indexer.try_borrow_mut() else {
            let message = "cannot add indexers while the cache is being read: release it first";
            return Err(InformerError::new(ErrorCode::BadRequest, message));
        };
        indexer.add_index_funcs(indexers)?;
        drop(indexer);
        // The informer's task reports objects that could not be indexed.
        self.0.work.notify();
        Ok(())
    }

    pub(crate) fn pause_watch_list(&self, until: Duration) {
        self.0.reflector.borrow_mut().pause_watch_list(until);
    }

    pub(crate) fn watch_list_paused_until(&self) -> Option<Duration> {
        self.0.reflector.borrow().watch_list_paused_until()
    }

    /// Whether the first list is in the cache.
    pub fn has_synced(&self) -> bool {
        self.0.queue.borrow().has_synced()
    }

    /// Whether no request has been sent yet: it has not run, or its first request is queued for a connection.
    pub fn has_sent_nothing(&self) -> bool {
        let reflector = self.0.reflector.borrow();
        let queued = reflector.is_queued_for_connection() || reflector.phase() == Phase::Idle;
        queued && self.0.indexer.borrow().is_empty() && !self.has_synced()
    }

    /// Whether it has synced and the cache is empty.
    pub fn is_synced_and_empty(&self) -> bool {
        self.0.run.get() == Run::Running && self.has_synced() && self.0.indexer.borrow().is_empty()
    }

    /// Whether to begin a check of its namespace: the cache is empty, and no check runs or has found the namespace.
    pub fn take_namespace_due(&self) -> bool {
        let is_empty = self.is_synced_and_empty();
        let known = self.0.namespace.get();
        self.0.namespace.set(match known {
            Namespace::NotChecked if is_empty => Namespace::Checking { missing: false },
            Namespace::Exists if !is_empty => Namespace::NotChecked,
            known => known,
        });
        is_empty && known == Namespace::NotChecked
    }

    /// Sets whether its namespace is known to be missing. The check continues.
    pub fn set_namespace_missing(&self, missing: bool) {
        self.0.namespace.set(Namespace::Checking { missing });
        self.0.observers.notify(&InformerEvent::Status);
    }

    /// Ends the check of its namespace, which was found or has objects.
    pub fn end_namespace_check(&self, exists: bool) {
        self.0.namespace.set(if exists { Namespace::Exists } else { Namespace::NotChecked });
        self.0.observers.notify(&InformerEvent::Status);
    }

    /// The cache. Do not hold it across an `await`, or while calling any other method: the informer could not write
    /// to it, and would panic.
    pub fn indexer(&self) -> Ref<'_, Indexer<T>> {
        self.0.indexer.borrow()
    }

    /// Reads by name and namespace.
    pub fn lister(&self) -> Lister<T> {
        Lister::new(Rc::clone(&self.0.indexer), self.0.source.borrow().clone())
    }

    /// Calls `observer` on each [`InformerEvent`], from inside the informer: it must only record the event.
    pub fn observe(&self, observer: impl Fn(&InformerEvent) + 'static) -> Observer {
        self.0.observers.add(observer)
    }

    /// The current status.
    pub fn status(&self) -> InformerStatus {
        let inner = &self.0;
        let reflector = inner.reflector.borrow();
        let (metrics, contact) = (reflector.metrics(), inner.contact.get());
        let indexer = inner.indexer.borrow();
        InformerStatus {
            phase: reflector.phase(),
            freshness: Freshness::of(FreshnessInputs {
                phase: reflector.phase(),
                has_synced: self.has_synced(),
                current_error: reflector.current_error(),
                trust: reflector.trust(),
                queued: reflector.is_queued_for_connection(),
                polling: reflector.is_polling(),
            }),
            has_synced: self.has_synced(),
            namespaces: inner.namespaces.borrow().clone(),
            namespace_missing: inner.namespace.get() == Namespace::Checking { missing: true } && indexer.is_empty(),
            resource_version: reflector.last_sync_resource_version().to_owned(),
            objects: indexer.len() as u64,
            bytes: indexer.bytes() as u64,
            listed: reflector.staged() as u64,
            last_event_at: contact.event,
            last_bookmark_at: contact.bookmark,
            last_contact_at: contact.last,
            next_retry_at: contact.next_retry(),
            lists: metrics.lists + metrics.watch_lists,
            watches: metrics.watches,
            relists: metrics.relists,
            events: metrics.events,
            dropped_events: metrics.dropped + inner.counts.get().dropped,
            queue_depth: inner.queue.borrow().len() as u64,
            last_error: reflector.last_error().map(Into::into),
        }
    }

    /// The last error, until an opened watch is verified. While polling, the reason why there is no watch.
    pub fn last_error(&self) -> Option<InformerError> {
        self.0.reflector.borrow().last_error().cloned()
    }

    /// Network traffic so far.
    pub fn traffic(&self) -> Traffic {
        let (now, events) = (self.0.clock.now(), self.0.reflector.borrow().metrics().events);
        let mut requests = self.0.requests.borrow_mut();
        requests.record(now, events);
        requests.traffic(now)
    }

    /// Counters, including those of the handlers.
    pub fn metrics(&self) -> InformerMetrics {
        let inner = &self.0;
        let (reflector, counts) = (inner.reflector.borrow().metrics(), inner.counts.get());
        let indexer = inner.indexer.borrow();
        InformerMetrics {
            lists: reflector.lists,
            watch_lists: reflector.watch_lists,
            relists: reflector.relists,
            watches: reflector.watches,
            events: reflector.events,
            bookmarks: reflector.bookmarks,
            early_ends: reflector.early_ends,
            suspicions: reflector.suspicions,
            false_suspicions: reflector.false_suspicions,
            dropped: reflector.dropped + counts.dropped,
            index_failures: counts.index_failures,
            resyncs: counts.resyncs,
            errors: counts.errors,
            queue_depth: inner.queue.borrow().len() as u64,
            objects: indexer.len() as u64,
            bytes: indexer.bytes() as u64,
            resource_version: indexer.resource_version().to_owned(),
            handlers: inner.processor.borrow().metrics(),
        }
    }
}
