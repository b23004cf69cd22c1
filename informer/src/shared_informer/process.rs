//! Task of an informer: moves changes from the reflector to the queue, the cache and the handlers.

use std::cell::{Cell, RefCell};
use std::future::pending;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use super::contact::{ChunkContents, Contact};
use super::observers::{InformerEvent, Observers};
use super::options::SharedInformerOptions;
use super::requests::Requests;
use super::warm_up::WarmUp;
use super::work::Work;
use crate::clock::{Clock, SLICE};
use crate::controller::{self, Change, ChangeBatch, Difference};
#[cfg(feature = "delta-fifo")]
use crate::delta_fifo::DeltaFifo;
use crate::error::{InformerError, Result};
use crate::indexer::Indexer;
use crate::object::Keyed;
use crate::processor::Processor;
use crate::queue::{Popped, Queue, QueueKind};
use crate::real_fifo::RealFifo;
use crate::reflector::driver::Control;
use crate::reflector::{Input, Reflector, Step, StoreCall};

/// Number of items of a relist that are compared between two checks of the clock.
const COMPARED_ITEMS: usize = 256;

pub(super) struct Inner<T> {
    pub(super) clock: Rc<dyn Clock>,
    pub(super) options: SharedInformerOptions<T>,
    pub(super) reflector: Rc<RefCell<Reflector<T>>>,
    pub(super) queue: RefCell<Box<dyn Queue<T>>>,
    /// Shared with listers.
    pub(super) indexer: Rc<RefCell<Indexer<T>>>,
    pub(super) processor: RefCell<Processor<T>>,
    pub(super) control: Control,
    pub(super) work: Rc<Work>,
    pub(super) observers: Observers,
    pub(super) contact: Cell<Contact>,
    /// Contents of the current chunk, so far.
    chunk: Cell<ChunkContents>,
    pub(super) counts: Cell<Counts>,
    pub(super) requests: RefCell<Requests>,
    pub(super) run: Cell<Run>,
    /// Persisted objects to start with, if any.
    pub(super) warm_up: Cell<Option<WarmUp<T>>>,
    /// Name of the lister-watcher's source; empty before the start.
    pub(super) source: RefCell<String>,
    /// Namespaces that the lister-watcher reads.
    pub(super) namespaces: RefCell<Vec<String>>,
    pub(super) namespace: Cell<Namespace>,
}

/// Run state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Run {
    #[default]
    NotStarted,
    Running,
    /// Stop requested.
    Stopped,
    /// Stopped, and its task has ended.
    Ended,
}

/// Guard of a run, which ends when it is dropped, also after a cancelled future or a panic in its source.
pub(super) struct Running<'a, T: Keyed>(&'a Inner<T>);

impl<'a, T: Keyed> Running<'a, T> {
    pub(super) fn begin(inner: &'a Inner<T>) -> Self {
        inner.run.set(Run::Running);
        Self(inner)
    }
}

impl<T: Keyed> Drop for Running<'_, T> {
    fn drop(&mut self) {
        let inner = self.0;
        inner.run.set(Run::Ended);
        if let Ok(mut reflector) = inner.reflector.try_borrow_mut() {
            reflector.step(Input::Stop, inner.clock.now());
        }
        Processor::clear(&inner.processor);
        inner.observers.notify(&InformerEvent::Status);
    }
}

/// State of the namespace check of an empty informer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Namespace {
    #[default]
    NotChecked,
    /// A task checks it at intervals, until the namespace exists or has objects.
    Checking {
        missing: bool,
    },
    Exists,
}

/// Counters of this task; the reflector counts the rest.
#[derive(Clone, Copy, Default)]
pub(super) struct Counts {
    pub(super) dropped: u64,
    pub(super) index_failures: u64,
    pub(super) resyncs: u64,
    pub(super) errors: u64,
}

/// Kind of a batch, which determines its receivers.
#[derive(PartialEq, Eq)]
enum Kind {
    Changes,
    /// A page of the first list, before its last.
    Page,
    Relist,
    Resync,
}

impl<T: Keyed> Inner<T> {
    pub(super) fn new(clock: Rc<dyn Clock>, options: SharedInformerOptions<T>) -> Self {
        let queue: Box<dyn Queue<T>> = match options.queue {
            QueueKind::InOrder => Box::new(RealFifo::new()),
            #[cfg(feature = "delta-fifo")]
            QueueKind::ByKey => Box::new(DeltaFifo::new()),
        };
        Self {
            reflector: Rc::new(RefCell::new(Reflector::new(options.reflector.clone(), clock.seed()))),
            queue: RefCell::new(queue),
            indexer: Rc::default(),
            processor: RefCell::new(Processor::new(options.resync_period)),
            control: Control::default(),
            work: Rc::default(),
            observers: Observers::default(),
            contact: Cell::default(),
            chunk: Cell::default(),
            counts: Cell::default(),
            requests: RefCell::new(Requests::new()),
            run: Cell::default(),
            warm_up: Cell::default(),
            source: RefCell::default(),
            namespaces: RefCell::default(),
            namespace: Cell::default(),
            clock,
            options,
        }
    }

    /// Takes the outcome of a step: queues it, and notifies observers after the last step of a chunk.
    pub(super) fn take(&self, step: Step<T>, is_last: bool) {
        let chunk = self.chunk.get().add_step(&step);
        self.chunk.set(if is_last { ChunkContents::default() } else { chunk });
        if is_last {
            let now = (self.clock.now(), self.clock.unix_ms());
            let reflector = self.reflector.borrow();
            self.contact.set(self.contact.get().with_chunk(chunk, &reflector, now));
            self.requests.borrow_mut().record(now.0, reflector.metrics().events);
        }
        if let Some(call) = step.call {
            self.enqueue(call);
            self.work.notify();
        }
        if let Some(error) = step.report {
            self.report(error);
        }
        // For queued changes, the controller notifies them when the changes are applied.
        if is_last && !chunk.any {
            self.observers.notify(&InformerEvent::Status);
        }
    }

    fn enqueue(&self, call: StoreCall<T>) {
        // Without a borrow: a transform is user code.
        let mut rejections = Vec::new();
        let mut transformed = |mut object: T| match self.transform(&mut object) {
            Ok(()) => Some(Arc::new(object)),
            Err(error) => {
                rejections.push(error);
                None
            }
        };
        match call {
            StoreCall::Add(object) => {
                if let Some(object) = transformed(object) {
                    self.queue.borrow_mut().add(object);
                }
            }
            StoreCall::Update(object) => {
                if let Some(object) = transformed(object) {
                    self.queue.borrow_mut().update(object);
                }
            }
            // The object is deleted, regardless of the transform's result.
            StoreCall::Delete(mut object) => {
                if let Err(error) = self.transform(&mut object) {
                    rejections.push(error);
                }
                self.queue.borrow_mut().delete(Arc::new(object));
            }
            StoreCall::Populate { items, resource_version } => {
                let items = items.into_iter().filter_map(&mut transformed).collect();
                self.queue.borrow_mut().populate(items, resource_version);
            }
            // Cached objects are already transformed.
            StoreCall::Replace { items, unchanged: mut kept, resource_version, mut unread } => {
                kept.reserve(items.len());
                for item in items {
                    let key = item.key().to_owned();
                    match transformed(item) {
                        Some(object) => kept.push(object),
                        None => unread.push(key),
                    }
                }
                self.queue.borrow_mut().replace_but(kept, resource_version, unread);
            }
            StoreCall::Bookmark(version) => self.queue.borrow_mut().bookmark(version),
        }
        self.count(|counts| counts.dropped += rejections.len() as u64);
        for error in rejections {
            self.report(error);
        }
    }

    fn transform(&self, object: &mut T) -> Result<()> {
        let Some(transform) = &self.options.transform else { return Ok(()) };
        transform(object).map_err(|error| {
            let message = format!("the transform rejected {}: {}", object.key(), error.message());
            InformerError::new(error.code(), message)
        })
    }

    pub(super) fn report(&self, error: InformerError) {
        self.count(|counts| counts.errors += 1);
        self.observers.notify(&InformerEvent::Error(error));
    }

    /// The controller's loop: from queue to cache to handlers, one time slice after another.
    pub(super) async fn process(&self) {
        let mut difference = Difference::default();
        while self.work.wait().await {
            let began = self.clock.now();
            while let Some((kind, batch)) = self.next_batch(began, &mut difference) {
                let mut processor = self.processor.borrow_mut();
                match kind {
                    Kind::Resync => processor.distribute_resync(batch),
                    Kind::Changes | Kind::Page => processor.distribute(batch),
                    Kind::Relist => {
                        processor.distribute(batch);
                        processor.distribute_synced();
                    }
                }
            }
            if self.indexer.borrow().bytes() as u64 > self.options.reflector.max_bytes {
                self.control.full();
            }
            let mut failures = self.indexer.borrow_mut().take_failures();
            self.count(|counts| counts.index_failures += failures.len() as u64);
            failures.extend(Processor::deliver(&self.processor));
            for error in failures {
                self.report(error);
            }
            self.observers.notify(&InformerEvent::Status);
            if !self.queue.borrow().is_empty() {
                self.work.notify();
                // A timer, not a microtask, so that messages and bytes are processed in between.
                self.clock.sleep(Duration::ZERO).await;
            }
        }
    }

    /// Merges single changes into one batch, within the time slice; a relist or a resync is a batch of its own.
    /// `difference` is the progress of comparing the next relist.
    fn next_batch(&self, began: Duration, difference: &mut Difference<T>) -> Option<(Kind, ChangeBatch<T>)> {
        let mut changes = Vec::new();
        let mut popped_any = false;
        let mut queue = self.queue.borrow_mut();
        loop {
            let is_over = || self.clock.now().saturating_sub(began) >= SLICE;
            if let Some(relist) = queue.peek_relist() {
                while !is_over() && difference.compare(relist, COMPARED_ITEMS, &self.indexer.borrow()) {}
            }
            if queue.is_empty() || is_over() || (popped_any && !queue.next_is_deltas()) {
                break;
            }
            popped_any = true;
            let mut kind = Kind::Changes;
            queue.pop(&mut |popped| {
                kind = match &popped {
                    Popped::Replaced { .. } | Popped::Populated { resource_version: Some(_), .. } => Kind::Relist,
                    Popped::Populated { resource_version: None, .. } => Kind::Page,
                    Popped::SyncAll { .. } => Kind::Resync,
                    _ => Kind::Changes,
                };
                // The comparison belongs to this entry, if it is a relist.
                let difference = std::mem::take(difference);
                changes.extend(controller::process(popped, difference, &mut self.indexer.borrow_mut()));
            });
            if kind != Kind::Changes {
                let batch = self.batch(changes, kind != Kind::Resync);
                return Some((kind, batch));
            }
        }
        popped_any.then(|| (Kind::Changes, self.batch(changes, false)))
    }

    pub(super) fn batch(&self, changes: Vec<Change<T>>, relist: bool) -> ChangeBatch<T> {
        let resource_version = self.indexer.borrow().resource_version().to_owned();
        ChangeBatch { changes, resource_version, relist }
    }

    /// Schedules resyncs of handlers, at the shortest interval that one of them needs (client-go: `startResync`). Never
    /// ends by itself.
    pub(super) async fn resync(&self) {
        let check = self.processor.borrow().resync_check();
        if check.is_zero() {
            return pending().await;
        }
        loop {
            self.clock.sleep(check).await;
            let due = self.processor.borrow().should_resync(self.clock.now());
            if due && self.queue.borrow().has_synced() {
                self.count(|counts| counts.resyncs += 1);
                self.queue.borrow_mut().resync();
                self.work.notify();
            }
        }
    }

    fn count(&self, count: impl FnOnce(&mut Counts)) {
        let mut counts = self.counts.get();
        count(&mut counts);
        self.counts.set(counts);
    }
}
