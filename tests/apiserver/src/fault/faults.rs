//! Active faults: added by the admin interface, queried by requests and streams.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use serde::Serialize;
use tokio::sync::watch;

use super::cluster;
use super::event_kind::EventKind;
use super::open::OpenStreams;
use super::request_target::RequestTarget;
use super::{Fault, FaultAction, Scope};
use crate::clock::{self, Instant};
use crate::store::Store;
use crate::tasks::Tasks;

/// Maximum delay or duration of a fault; clocks must not overflow.
const MAX_MS: u64 = 24 * 3600 * 1000;

/// Active fault.
#[derive(Debug, Clone, Serialize)]
pub struct ActiveFault {
    /// Id, by which it can be cleared.
    pub id: u64,
    /// Number of affected requests or events.
    pub struck: u32,
    #[serde(skip)]
    passed: u32,
    /// The fault as received.
    #[serde(flatten)]
    pub fault: Fault,
    #[serde(skip)]
    from: Instant,
    #[serde(skip)]
    until: Option<Instant>,
}

/// All faults of a server.
#[derive(Debug)]
pub(crate) struct Faults {
    pub(crate) open: OpenStreams,
    store: Arc<Store>,
    tasks: Tasks,
    active: Mutex<Vec<ActiveFault>>,
    /// Whether any fault is active. Read for each event, to avoid the lock.
    has_any: AtomicBool,
    next: AtomicU64,
    /// Time until which the proxy cannot reach the apiserver.
    unreachable_until: Mutex<Option<Instant>>,
    /// Number of clearings.
    cleared: watch::Sender<u64>,
}

impl Faults {
    /// Creates the registry of faults. Must be called inside the runtime that performs delayed faults.
    pub(crate) fn new(store: Arc<Store>) -> Self {
        Self {
            open: OpenStreams::default(),
            store,
            tasks: Tasks::current(),
            active: Mutex::default(),
            has_any: AtomicBool::new(false),
            next: AtomicU64::new(1),
            unreachable_until: Mutex::new(None),
            cleared: watch::Sender::default(),
        }
    }

    pub(crate) fn store(&self) -> &Arc<Store> {
        &self.store
    }

    pub(crate) fn tasks(&self) -> &Tasks {
        &self.tasks
    }

    /// Activates a fault, or performs it if it concerns the whole server.
    pub(crate) fn add(self: &Arc<Self>, fault: Fault) -> u64 {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let wait = Duration::from_millis(fault.after_ms.min(MAX_MS));
        if fault.action.scope() == Scope::Server {
            if wait.is_zero() {
                cluster::perform(self, &fault);
            } else {
                let faults = Arc::clone(self);
                self.tasks.spawn(async move {
                    clock::sleep(wait).await;
                    cluster::perform(&faults, &fault);
                });
            }
            return id;
        }
        let from = Instant::now() + wait;
        let until = fault.for_ms.map(|ms| from + Duration::from_millis(ms.min(MAX_MS)));
        let mut active = self.active.lock();
        active.push(ActiveFault { id, struck: 0, passed: 0, fault, from, until });
        self.has_any.store(true, Ordering::Release);
        id
    }

    /// Returns the active faults, the oldest first.
    pub(crate) fn list(&self) -> Vec<ActiveFault> {
        self.with_active(|active| active.clone())
    }

    /// Clears one fault, or all. Effects on open streams stay.
    pub(crate) fn clear(&self, id: Option<u64>) -> usize {
        if id.is_none() {
            *self.unreachable_until.lock() = None;
        }
        let count = self.with_active(|active| {
            let before = active.len();
            active.retain(|fault| id.is_some_and(|id| id != fault.id));
            before - active.len()
        });
        self.cleared.send_modify(|times| *times += 1);
        count
    }

    /// Resolves when no fault holds this request any more.
    pub(crate) async fn released(&self, target: &RequestTarget) {
        let mut cleared = self.cleared.subscribe();
        let holds = |active: &ActiveFault| active.fault.action == FaultAction::Hold && target.matches(&active.fault);
        while self.with_active(|active| active.iter().any(holds)) && cleared.changed().await.is_ok() {}
    }

    /// Returns the actions for a new request. After an action that responds itself, later faults are kept for the next
    /// request.
    pub(crate) fn on_request(&self, target: &RequestTarget) -> Vec<FaultAction> {
        let mut final_one = false;
        self.apply(|fault| {
            let strikes = !final_one
                && fault.action.scope() == Scope::Request
                && target.matches(fault)
                && (target.compressible || fault.action != FaultAction::GzipMembers);
            final_one |= strikes && matches!(fault.action, FaultAction::Error { .. } | FaultAction::Html);
            strikes
        })
    }

    /// Returns the actions for an event of an open watch.
    pub(super) fn on_event(&self, target: &RequestTarget, event: EventKind) -> Vec<FaultAction> {
        self.apply(|fault| {
            let strikes = match fault.action {
                FaultAction::DropBookmarks => event == EventKind::Bookmark,
                FaultAction::NoEndBookmark => event == EventKind::InitialEnd,
                _ => fault.action.scope() == Scope::Event && event == EventKind::Object,
            };
            strikes && target.matches(fault)
        })
    }

    /// Whether any fault is active.
    pub(crate) fn has_active(&self) -> bool {
        self.has_any.load(Ordering::Acquire)
    }

    /// Counts an application of each due fault that `strikes` selects. Returns their actions.
    fn apply(&self, mut strikes: impl FnMut(&Fault) -> bool) -> Vec<FaultAction> {
        if !self.has_active() {
            return Vec::new();
        }
        let now = Instant::now();
        self.with_active(|active| {
            let due = active.iter_mut().filter(|active| active.from <= now);
            let struck = due.filter_map(|active| {
                if !strikes(&active.fault) {
                    return None;
                }
                if active.passed < active.fault.skip {
                    active.passed += 1;
                    return None;
                }
                active.struck += 1;
                Some(active.fault.action.clone())
            });
            struck.collect()
        })
    }

    /// Calls `work` with the active faults; expired ones are removed before and after.
    fn with_active<T>(&self, work: impl FnOnce(&mut Vec<ActiveFault>) -> T) -> T {
        let mut active = self.active.lock();
        let now = Instant::now();
        let lasts = |active: &ActiveFault| {
            active.until.is_none_or(|until| until > now) && active.fault.times.is_none_or(|times| active.struck < times)
        };
        active.retain(lasts);
        let result = work(&mut active);
        active.retain(lasts);
        self.has_any.store(!active.is_empty(), Ordering::Release);
        result
    }

    /// Makes the apiserver unreachable for the proxy, for a while.
    pub(crate) fn make_unreachable(&self, period: Duration) {
        *self.unreachable_until.lock() = Some(Instant::now() + period);
    }

    /// Whether the proxy cannot reach the apiserver.
    pub(crate) fn is_unreachable(&self) -> bool {
        self.unreachable_until.lock().is_some_and(|until| until > Instant::now())
    }
}
