//! Active faults: added by the admin interface, queried by requests and streams.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use serde::Serialize;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::Instant;

use super::asked::Asked;
use super::cluster;
use super::event::Line;
use super::open::OpenStreams;
use super::{Fault, FaultAction, Scope};
use crate::store::Store;

/// Longest time a fault may be put off or last; far from where clocks overflow.
const LONGEST: u64 = 24 * 3600 * 1000;

/// A fault in force.
#[derive(Debug, Clone, Serialize)]
pub struct ActiveFault {
    /// By which it can be cleared.
    pub id: u64,
    /// Requests or events it has struck.
    pub struck: u32,
    #[serde(skip)]
    passed: u32,
    /// The fault as it was given.
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
    runtime: Handle,
    active: Mutex<Vec<ActiveFault>>,
    /// Whether any fault is in force; spares every event the lock.
    any: AtomicBool,
    next: AtomicU64,
    /// Until when the proxy cannot reach the apiserver.
    away: Mutex<Option<Instant>>,
    /// Counts how often faults were cleared.
    cleared: watch::Sender<u64>,
}

impl Faults {
    /// To be called inside the runtime that later carries out what is put off.
    pub(crate) fn new(store: Arc<Store>) -> Self {
        Self {
            open: OpenStreams::default(),
            store,
            runtime: Handle::current(),
            active: Mutex::default(),
            any: AtomicBool::new(false),
            next: AtomicU64::new(1),
            away: Mutex::new(None),
            cleared: watch::Sender::default(),
        }
    }

    pub(crate) fn store(&self) -> &Arc<Store> {
        &self.store
    }

    pub(crate) fn runtime(&self) -> &Handle {
        &self.runtime
    }

    /// Puts a fault in force, or, when it is one of the whole server, carries it out.
    pub(crate) fn add(self: &Arc<Self>, fault: Fault) -> u64 {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let wait = Duration::from_millis(fault.after_ms.min(LONGEST));
        if fault.action.scope() == Scope::Server {
            if wait.is_zero() {
                cluster::strike(self, &fault);
            } else {
                let faults = Arc::clone(self);
                self.runtime.spawn(async move {
                    tokio::time::sleep(wait).await;
                    cluster::strike(&faults, &fault);
                });
            }
            return id;
        }
        let from = Instant::now() + wait;
        let until = fault.for_ms.map(|ms| from + Duration::from_millis(ms.min(LONGEST)));
        let mut active = self.active.lock();
        active.push(ActiveFault { id, struck: 0, passed: 0, fault, from, until });
        self.any.store(true, Ordering::Release);
        id
    }

    /// The faults in force, the oldest first.
    pub(crate) fn list(&self) -> Vec<ActiveFault> {
        self.with_active(|active| active.clone())
    }

    /// Lifts one fault, or all. What they have done to open streams stays done.
    pub(crate) fn clear(&self, id: Option<u64>) -> usize {
        if id.is_none() {
            *self.away.lock() = None;
        }
        let count = self.with_active(|active| {
            let before = active.len();
            active.retain(|fault| id.is_some_and(|id| id != fault.id));
            before - active.len()
        });
        self.cleared.send_modify(|times| *times += 1);
        count
    }

    /// Resolves when no fault holds this request.
    pub(crate) async fn released(&self, asked: &Asked) {
        let mut cleared = self.cleared.subscribe();
        let holds = |active: &ActiveFault| active.fault.action == FaultAction::Hold && asked.is_meant_by(&active.fault);
        while self.with_active(|active| active.iter().any(holds)) && cleared.changed().await.is_ok() {}
    }

    /// What strikes a request that comes now. An answer of its own keeps the faults after it for the next request.
    pub(crate) fn on_request(&self, asked: &Asked) -> Vec<FaultAction> {
        let mut final_one = false;
        self.strike(|fault| {
            let strikes = !final_one
                && fault.action.scope() == Scope::Request
                && asked.is_meant_by(fault)
                && (asked.compressible || fault.action != FaultAction::GzipMembers);
            final_one |= strikes && matches!(fault.action, FaultAction::Error { .. } | FaultAction::Html);
            strikes
        })
    }

    /// What strikes an event of an open watch.
    pub(crate) fn on_event(&self, asked: &Asked, line: Line) -> Vec<FaultAction> {
        self.strike(|fault| {
            let strikes = match fault.action {
                FaultAction::DropBookmarks => line == Line::Bookmark,
                FaultAction::NoEndBookmark => line == Line::InitialEnd,
                _ => fault.action.scope() == Scope::Event && line == Line::Object,
            };
            strikes && asked.is_meant_by(fault)
        })
    }

    /// Whether any fault is in force.
    pub(crate) fn any(&self) -> bool {
        self.any.load(Ordering::Acquire)
    }

    fn strike(&self, mut strikes: impl FnMut(&Fault) -> bool) -> Vec<FaultAction> {
        if !self.any() {
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

    /// Works on the faults in force; those that are over are not among them, before and after.
    fn with_active<T>(&self, work: impl FnOnce(&mut Vec<ActiveFault>) -> T) -> T {
        let mut active = self.active.lock();
        let now = Instant::now();
        let lasts = |active: &ActiveFault| {
            active.until.is_none_or(|until| until > now) && active.fault.times.is_none_or(|times| active.struck < times)
        };
        active.retain(lasts);
        let result = work(&mut active);
        active.retain(lasts);
        self.any.store(!active.is_empty(), Ordering::Release);
        result
    }

    /// Leaves the proxy alone for a while.
    pub(crate) fn go_away(&self, period: Duration) {
        *self.away.lock() = Some(Instant::now() + period);
    }

    /// Whether the proxy cannot reach the apiserver.
    pub(crate) fn is_away(&self) -> bool {
        self.away.lock().is_some_and(|until| until > Instant::now())
    }
}
