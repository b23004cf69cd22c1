//! Messages of a session about views, aggregates and recordings.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::{Rc, Weak};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{AbortHandle, abortable};

use super::Inner;
use super::subscriptions::{HeldView, ViewHandler};
use crate::columns::ViewColumns;
use crate::engine::loading::{Deferred, ViewKind, loaded};
use crate::message::{FromEngine, QueryRejection, ToEngine, ViewRequest};
use crate::view::{Rejection, ViewQuery};
use informer::{ErrorCode, HandlerOptions, InformerError, Result};

/// The longest sleep for a view: browsers' timers end at 24 days, and a sleeping machine's end later.
const LONGEST_SLEEP_MS: f64 = 3_600_000.0;

/// Timer for the next time at which a view changes without an event.
pub(super) struct Wake {
    at: f64,
    timer: AbortHandle,
}

impl Drop for Wake {
    fn drop(&mut self) {
        self.timer.abort();
    }
}

/// Pending view: it waits for its columns, then for its turn.
pub(super) struct Opening {
    pub(super) informer: u32,
    /// Messages that arrived meanwhile.
    later: Vec<ToEngine>,
    task: AbortHandle,
}

impl Drop for Opening {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Inner {
    /// Opens a view, aggregate or recording in its turn, once its columns are known; those of a custom resource are requested from its
    /// definition.
    ///
    /// The first computation of a view reads the whole cache, so views are opened one after another, each only after
    /// the messages before its turn. A view that is closed before its turn costs nothing.
    pub(super) fn open_view(self: &Rc<Self>, id: u32, informer: u32, query_id: u32, kind: ViewKind) -> Result<()> {
        let Some(deferred) = loaded() else { return Ok(()) };
        let cluster = self.cluster()?;
        let held = self.state.borrow().informers.get(&informer).map(|held| held.lease.key.resource.clone());
        let Some(resource) = held else { return Ok(()) };
        let (session, engine) = (Rc::downgrade(self), Rc::clone(&self.engine));
        let task = async move {
            let columns = if kind.needs_columns() { deferred.columns(&cluster, &resource).await } else { Vec::new() };
            engine.view_turn().await;
            let Some(session) = session.upgrade() else { return };
            let opening = session.state.borrow_mut().opening.remove(&id);
            let later = opening.map(|mut opening| std::mem::take(&mut opening.later)).unwrap_or_default();
            session.open_view_with(id, informer, query_id, kind, columns, deferred);
            if let Err(error) = later.into_iter().try_for_each(|message| session.receive(message)) {
                session.refuse(&error);
            }
        };
        let (task, handle) = abortable(task);
        // This view replaces one of the same id, whose changes are no longer needed.
        let replaced = self.state.borrow_mut().views.remove(&id);
        drop(replaced);
        self.state.borrow_mut().opening.insert(id, Opening { informer, later: Vec::new(), task: handle });
        (self.engine.spawn)(task.map(drop).boxed_local());
        Ok(())
    }

    /// Queues a message to a pending view; returns all others.
    pub(super) fn unless_opening(&self, message: ToEngine) -> Option<ToEngine> {
        let mut state = self.state.borrow_mut();
        match &message {
            ToEngine::SetWindow { view, .. }
            | ToEngine::ChangeView { view, .. }
            | ToEngine::Freeze { view, .. }
            | ToEngine::AskView { view, .. } => {
                match state.opening.get_mut(view) {
                    Some(opening) => opening.later.push(message),
                    None => return Some(message),
                }
                None
            }
            ToEngine::OpenView { view, .. }
            | ToEngine::OpenAggregate { view, .. }
            | ToEngine::OpenRecording { view, .. }
            | ToEngine::CloseView { view } => {
                state.opening.remove(view);
                Some(message)
            }
            _ => Some(message),
        }
    }

    fn open_view_with(
        self: &Rc<Self>,
        id: u32,
        informer: u32,
        number: u32,
        kind: ViewKind,
        table: ViewColumns,
        deferred: &dyn Deferred,
    ) {
        let mut state = self.state.borrow_mut();
        let Some(held) = state.informers.get(&informer) else { return };
        let now = self.engine.clock.unix_ms();
        let (view, rejected) = match deferred.new_view(table, &held.lease.key.resource, kind, now) {
            Ok(view) => view,
            Err(rejection) => {
                drop(state);
                self.send_result(id, number, Some(rejection));
                return;
            }
        };
        let headers = view.headers();
        let view = Rc::new(RefCell::new(view));
        let session = Rc::downgrade(self);
        let changed = move || {
            if let Some(session) = Weak::upgrade(&session) {
                session.flush_soon();
            }
        };
        let clock = Rc::clone(&self.engine.clock);
        let handler = ViewHandler { view: Rc::clone(&view), clock, changed: Rc::new(changed) };
        let added = held.informer.add_batch_handler(handler, HandlerOptions::default());
        let replaced = match added {
            Ok(registration) => {
                let query_id = if rejected.is_none() { number } else { 0 };
                state.views.insert(id, HeldView { informer, view, query_id, registration })
            }
            Err(error) => {
                drop(state);
                self.reject_view(id, number, &error);
                self.report(informer, &error);
                return;
            }
        };
        // From here on nothing is borrowed, because the page may respond to a message at once. Rows follow with the next
        // flush.
        drop(state);
        drop(replaced);
        self.send(FromEngine::Columns { view: id, columns: headers });
        self.send_result(id, number, rejected);
    }

    /// Applies a view query with its window, or rejects it as a whole.
    pub(super) fn change_view(
        self: &Rc<Self>,
        id: u32,
        number: u32,
        view_query: &ViewQuery,
        window: Option<&Range<usize>>,
    ) {
        let rejected = {
            let mut state = self.state.borrow_mut();
            let Some(held) = state.views.get_mut(&id) else { return };
            let mut view = held.view.borrow_mut();
            let rejected = view.change(view_query, self.engine.clock.unix_ms()).err();
            if rejected.is_none() {
                held.query_id = number;
                if let Some(&Range { start, end }) = window {
                    view.set_window(start, end);
                }
            }
            rejected
        };
        if rejected.is_none() {
            // The user is typing: without a frame of delay.
            self.flush();
        }
        self.send_result(id, number, rejected);
    }

    /// Answers a request to a view, an aggregate or a recording.
    pub(super) fn ask_view(&self, request: u32, view: u32, ask: &ViewRequest) {
        let gone = || Err(InformerError::new(ErrorCode::Closed, "this view has been closed"));
        let now = self.engine.clock.unix_ms();
        let answer = |held: &HeldView| held.view.borrow().answer(ask, now);
        let answer = self.state.borrow().views.get(&view).map_or_else(gone, answer);
        self.reply(request, answer);
    }

    fn send_result(&self, view: u32, query_id: u32, rejected: Option<Rejection>) {
        let rejection = rejected.map(|Rejection { message, start, end }| {
            let error = InformerError::new(ErrorCode::BadRequest, message);
            QueryRejection { error: (&error).into(), start, end }
        });
        self.send(FromEngine::QueryResult { view, query_id, rejection });
    }

    /// Reports that a view cannot be opened.
    pub(super) fn reject_view(&self, view: u32, query_id: u32, error: &InformerError) {
        let rejection = QueryRejection { error: error.into(), start: 0, end: 0 };
        self.send(FromEngine::QueryResult { view, query_id, rejection: Some(rejection) });
    }

    /// Sets the timer for the view that changes next.
    pub(super) fn wake_for_views(self: &Rc<Self>) {
        let mut state = self.state.borrow_mut();
        let turns = state.views.values().filter_map(|held| held.view.borrow().due_at());
        let Some(at) = turns.reduce(f64::min) else {
            state.wake = None;
            return;
        };
        if state.wake.as_ref().is_some_and(|wake| wake.at.total_cmp(&at).is_eq()) {
            return;
        }
        let ms = (at - self.engine.clock.unix_ms()).clamp(1.0, LONGEST_SLEEP_MS).ceil();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from a millisecond to an hour")]
        let ms = ms as u64;
        let session = Rc::downgrade(self);
        let pause = self.engine.clock.sleep(Duration::from_millis(ms));
        let task = async move {
            pause.await;
            if let Some(session) = session.upgrade() {
                session.state.borrow_mut().wake = None;
                session.flush_soon();
            }
        };
        let (task, timer) = abortable(task);
        state.wake = Some(Wake { at, timer });
        drop(state);
        (self.engine.spawn)(task.map(drop).boxed_local());
    }
}
