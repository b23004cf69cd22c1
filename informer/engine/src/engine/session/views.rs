//! Messages of a session about views, aggregates and recordings.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::{Rc, Weak};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{AbortHandle, abortable};

use super::Inner;
use super::subscriptions::{PageView, ViewHandler};
use crate::columns::ViewColumns;
use crate::engine::json_text::text;
use crate::engine::loading::{Deferred, ViewKind, extras, loaded};
use crate::message::{FromEngine, QueryRejection, ToEngine, ViewRequest};
use crate::view::{Rejection, ViewQuery};
use informer::{ErrorCode, HandlerOptions, InformerError, Result};

/// Maximum sleep for a view. Timers of browsers are limited to 24 days, and fire late after the machine has slept.
const MAX_SLEEP_MS: f64 = 3_600_000.0;

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
pub(super) struct PendingView {
    pub(super) informer: u32,
    /// Messages to the view that have arrived meanwhile.
    queued: Vec<ToEngine>,
    task: AbortHandle,
}

impl Drop for PendingView {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Inner {
    /// Opens a view, aggregate or recording in its turn, once its columns are known. Those of a custom resource are
    /// requested with its definition.
    ///
    /// The first computation of a view reads the whole cache, so views are opened one after another, each only after
    /// the messages before its turn. A view that is closed before its turn costs nothing.
    pub(super) fn open_view(self: &Rc<Self>, id: u32, informer: u32, query_id: u32, kind: ViewKind) -> Result<()> {
        let Some(deferred) = loaded() else { return Ok(()) };
        let cluster = self.cluster()?;
        let entry = self.state.borrow().informers.get(&informer).map(|entry| entry.informer_use.key.resource.clone());
        let Some(resource) = entry else { return Ok(()) };
        let (session, engine) = (Rc::downgrade(self), Rc::clone(&self.engine));
        let task = async move {
            let columns = if kind.needs_columns() { deferred.columns(&cluster, &resource).await } else { Vec::new() };
            engine.view_turn().await;
            let Some(session) = session.upgrade() else { return };
            let pending = session.state.borrow_mut().pending_views.remove(&id);
            let queued = pending.map(|mut pending| std::mem::take(&mut pending.queued)).unwrap_or_default();
            session.open_view_with(id, informer, query_id, kind, columns, deferred);
            if let Err(error) = queued.into_iter().try_for_each(|message| session.receive(message)) {
                session.refuse(&error);
            }
        };
        let (task, handle) = abortable(task);
        // This view replaces one of the same id, whose changes are no longer needed.
        let replaced = self.state.borrow_mut().views.remove(&id);
        drop(replaced);
        self.state.borrow_mut().pending_views.insert(id, PendingView { informer, queued: Vec::new(), task: handle });
        (self.engine.spawn)(task.map(drop).boxed_local());
        Ok(())
    }

    /// Returns a message unless it is for a pending view. Such a message is queued.
    pub(super) fn unless_pending(&self, message: ToEngine) -> Option<ToEngine> {
        let mut state = self.state.borrow_mut();
        match &message {
            ToEngine::SetWindow { view, .. }
            | ToEngine::ChangeView { view, .. }
            | ToEngine::Freeze { view, .. }
            | ToEngine::AskView { view, .. } => {
                match state.pending_views.get_mut(view) {
                    Some(pending) => pending.queued.push(message),
                    None => return Some(message),
                }
                None
            }
            ToEngine::OpenView { view, .. }
            | ToEngine::OpenAggregate { view, .. }
            | ToEngine::OpenRecording { view, .. }
            | ToEngine::CloseView { view } => {
                state.pending_views.remove(view);
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
        let Some(entry) = state.informers.get(&informer) else { return };
        let now = self.engine.clock.unix_ms();
        let resource = &entry.informer_use.key.resource;
        let made = match (kind, extras()) {
            (ViewKind::View(options), _) => deferred.new_view(table, resource, options, now),
            (ViewKind::Aggregate(options), Some(extras)) => {
                extras.new_aggregate(table, resource, options).map(|view| (view, None))
            }
            (ViewKind::Recording(options), Some(extras)) => Ok((extras.new_recording(resource, &options), None)),
            // Not reached: the message was queued until the extras were loaded.
            (_, None) => return,
        };
        let (view, rejected) = match made {
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
        let added = entry.informer.add_batch_handler(handler, HandlerOptions::default());
        let replaced = match added {
            Ok(registration) => {
                let query_id = if rejected.is_none() { number } else { 0 };
                state.views.insert(id, PageView { informer, view, query_id, registration })
            }
            Err(error) => {
                drop(state);
                self.reject_view(id, number, &error);
                self.report(informer, &error);
                return;
            }
        };
        // From here on nothing is borrowed, because the page may respond to a message at once. Rows follow with the
        // next flush.
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
            let Some(entry) = state.views.get_mut(&id) else { return };
            let mut view = entry.view.borrow_mut();
            let rejected = view.change(view_query, self.engine.clock.unix_ms()).err();
            if rejected.is_none() {
                entry.query_id = number;
                if let Some(&Range { start, end }) = window {
                    view.set_window(start, end);
                }
            }
            rejected
        };
        if rejected.is_none() {
            // The user is typing: send without waiting for the frame.
            self.flush();
        }
        self.send_result(id, number, rejected);
    }

    /// Responds to a request to a view, an aggregate or a recording.
    pub(super) fn ask_view(self: &Rc<Self>, request: u32, view: u32, ask: &ViewRequest) {
        let gone = || Err(InformerError::new(ErrorCode::Closed, "this view has been closed"));
        let now = self.engine.clock.unix_ms();
        let response = |entry: &PageView| match ask {
            ViewRequest::Rewind { time } => entry.view.borrow_mut().rewind(*time, now).map(|()| text(None)),
            _ => entry.view.borrow().respond(ask, now),
        };
        let response = self.state.borrow().views.get(&view).map_or_else(gone, response);
        if let ViewRequest::Rewind { .. } = ask {
            self.flush();
        }
        self.reply(request, response);
    }

    pub(super) fn close_view(self: &Rc<Self>, view: u32) {
        let closed = self.state.borrow_mut().views.remove(&view);
        drop(closed);
        // Views that were rewound by this recording return to the present.
        self.flush_soon();
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
        let turns = state.views.values().filter_map(|entry| entry.view.borrow().due_at());
        let Some(at) = turns.reduce(f64::min) else {
            state.wake = None;
            return;
        };
        if state.wake.as_ref().is_some_and(|wake| wake.at.total_cmp(&at).is_eq()) {
            return;
        }
        let ms = (at - self.engine.clock.unix_ms()).clamp(1.0, MAX_SLEEP_MS).ceil();
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
