//! Session: one port, its requests and subscriptions.

mod connection;
mod deferred_queue;
mod handlers;
mod leases;
mod read;
mod subscriptions;
mod updates;
mod views;
mod work_queues;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::AbortHandle;

use super::Engine;
use super::cluster::Cluster;
use super::json_text::text;
use super::linger::{InformerUse, linger};
use super::loading::{Deferred, Extras, ViewKind, extras, loaded, when_loaded};
use super::page_handler::RegisteredHandler;
use super::slab::Slab;
use crate::message::{FromEngine, InformerOptions, SearchOptions, TextsByName, ToEngine};
use crate::view::ViewQuery;
use informer::{
    ErrorCode, Freshness, InformerError, InformerEvent, InformerKey, InformerStatus, Object, Phase, Result,
    SharedInformer,
};

use read::read;
use subscriptions::{Errors, Follow, PageInformer, PageView, SentState};
use updates::updates;
use views::{PendingView, Wake};
use work_queues::PageQueue;

/// One frame: the minimum time between two updates of the page.
const FLUSH_EVERY: Duration = Duration::from_millis(16);

/// Session of a page.
pub struct Session(Rc<Inner>);

struct Inner {
    engine: Rc<Engine>,
    /// Its number in the engine.
    number: u32,
    /// Number of the page's own `fetch`, if it has one.
    fetch: Option<u32>,
    send: Rc<dyn Fn(FromEngine)>,
    closed: Cell<bool>,
    flush_due: Cell<bool>,
    flushed_at: Cell<Duration>,
    state: RefCell<State>,
}

#[derive(Default)]
struct State {
    cluster: Option<Rc<Cluster>>,
    /// Whether its informers are persisted.
    persist: bool,
    /// Whether the page is visible, as reported by it.
    visible: bool,
    informers: Slab<PageInformer>,
    views: Slab<PageView>,
    /// Messages that wait for deferred code, and those after them.
    deferred_queue: Option<Vec<ToEngine>>,
    pending_views: Slab<PendingView>,
    follows: Slab<Follow>,
    handlers: Slab<RegisteredHandler>,
    queues: Slab<PageQueue>,
    /// Pending requests for a key, and connection slots, by their ids.
    pending: Slab<AbortHandle>,
    /// Wakes the session when time alone changes a view.
    wake: Option<Wake>,
}

impl Session {
    /// Creates a session that sends through `send`.
    pub fn new(engine: Rc<Engine>, send: impl Fn(FromEngine) + 'static) -> Self {
        Self::with_fetch(engine, None, send)
    }

    /// As [`Session::new`], for a page with a `fetch` of its own: its number selects it in the engine's connector, and
    /// pages with different ones share no informers.
    pub fn with_fetch(engine: Rc<Engine>, fetch: Option<u32>, send: impl Fn(FromEngine) + 'static) -> Self {
        let number = engine.sessions.get();
        engine.sessions.set(number.wrapping_add(1));
        Self(Rc::new(Inner {
            engine,
            number,
            fetch,
            send: Rc::new(send),
            closed: Cell::new(false),
            flush_due: Cell::new(false),
            flushed_at: Cell::new(Duration::ZERO),
            state: RefCell::default(),
        }))
    }

    /// Processes a message. A message with the id of a closed subscription has no effect: the page may have sent it
    /// before it received the end.
    pub fn receive(&self, message: ToEngine) {
        if !self.0.closed.get()
            && let Err(error) = self.0.receive(message)
        {
            self.0.refuse(&error);
        }
    }

    /// Whether the session has ended: messages are neither processed nor sent.
    pub fn is_closed(&self) -> bool {
        self.0.closed.get()
    }

    /// Rejects an invalid message and ends the session, because the page's intention is unknown.
    pub fn refuse(&self, error: &InformerError) {
        self.0.refuse(error);
    }
}

/// A session without a port releases everything.
impl Drop for Session {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl Inner {
    fn receive(self: &Rc<Self>, message: ToEngine) -> Result<()> {
        self.engine.messages_received.set(self.engine.messages_received.get().wrapping_add(1));
        let message = self.unless_deferred(message).and_then(|message| self.unless_pending(message));
        let Some(message) = message else { return Ok(()) };
        match message {
            ToEngine::Connect { version, server, persist } => self.connect(version, server, persist)?,
            ToEngine::Headers { request, headers, error } => self.headers(request, headers, error)?,
            ToEngine::Clear { request } => {
                if let Some(deferred) = loaded() {
                    self.clear_snapshots(request, deferred)?;
                }
            }
            ToEngine::Close => self.close(),
            ToEngine::Resources { request } => self.resources(request)?,
            ToEngine::Informer { informer, resource, options } => self.informer(informer, &resource, options)?,
            ToEngine::Start => self.start(None)?,
            ToEngine::StartOne { informer } => self.start(Some(informer))?,
            ToEngine::Stop { informer } => self.stop(informer),
            ToEngine::Read { request, informer, read: what } => {
                self.reply(request, self.with_informer(informer, |entry| read(entry, &what)));
            }
            ToEngine::Inspect { request, informer } => {
                if let Some(extras) = extras() {
                    self.reply(request, self.with_informer(informer, |entry| Ok(extras.inspect(&entry.informer))));
                }
            }
            ToEngine::InspectAll { request, history } => self.inspect_all(request, history)?,
            ToEngine::Search { request, informer, options } => self.search(request, informer, &options),
            ToEngine::AddIndexers { request, informer, indexers } => {
                if let Some(extras) = extras() {
                    self.add_indexers(request, informer, &indexers, extras);
                }
            }
            ToEngine::AddEventHandler { informer, handler, options } => {
                self.add_event_handler(informer, handler, options);
            }
            ToEngine::Ack { handler } => {
                let entry = self.state.borrow().handlers.get(&handler).cloned();
                entry.iter().for_each(RegisteredHandler::acknowledge);
            }
            ToEngine::RemoveEventHandler { handler } => {
                let removed = self.state.borrow_mut().handlers.remove(&handler);
                if let Some(entry) = removed {
                    entry.registration.remove();
                }
            }
            ToEngine::OpenQueue { queue, informer, options } => {
                if let Some(extras) = extras() {
                    self.open_queue(queue, informer, &options, extras);
                }
            }
            ToEngine::Queue { queue, call } => self.call_queue(queue, call),
            ToEngine::AskQueue { request, queue, ask } => self.ask_queue(request, queue, ask),
            ToEngine::Undecoded { text } => {
                if let Some(deferred) = loaded() {
                    return self.receive(deferred.decode(&text)?);
                }
            }
            ToEngine::Lease { request, stream } => {
                if let Some(deferred) = loaded() {
                    self.lease(request, stream, deferred)?;
                }
            }
            ToEngine::Cancel { request } => self.cancel(request),
            ToEngine::OpenView { view, informer, query_id, options } => {
                self.open_view(view, informer, query_id, ViewKind::View(options))?;
            }
            ToEngine::OpenAggregate { view, informer, query_id, options } => {
                self.open_view(view, informer, query_id, ViewKind::Aggregate(options))?;
            }
            ToEngine::OpenRecording { view, informer, query_id, options } => {
                self.open_view(view, informer, query_id, ViewKind::Recording(options))?;
            }
            ToEngine::SetWindow { view, start, end } => self.set_window(view, start, end),
            ToEngine::ChangeView { view, query_id, filter, order_by, facets, namespaces, window } => {
                self.change_view(view, query_id, &ViewQuery { filter, order_by, facets, namespaces }, window.as_ref());
            }
            ToEngine::Freeze { view, frozen } => {
                if let Some(entry) = self.state.borrow().views.get(&view) {
                    entry.view.borrow_mut().freeze_order(frozen);
                }
                self.flush();
            }
            ToEngine::AskView { request, view, ask } => self.ask_view(request, view, &ask),
            ToEngine::CloseView { view } => self.close_view(view),
            ToEngine::Follow { follow, informer, key } => {
                self.state
                    .borrow_mut()
                    .follows
                    .insert(follow, Follow { informer, key, sent: SentState::default(), shown: None });
                self.flush_soon();
            }
            ToEngine::Unfollow { follow } => drop(self.state.borrow_mut().follows.remove(&follow)),
            ToEngine::Visible { visible } => self.set_visible(visible),
            ToEngine::Wake => self.state.borrow().informers.values().for_each(|entry| entry.informer.wake()),
        }
        Ok(())
    }

    fn inspect_all(&self, request: u32, history: bool) -> Result<()> {
        if let Some(extras) = extras() {
            self.reply(request, Ok(extras.inspect_all(&*self.cluster()?, history)));
        }
        Ok(())
    }

    fn resources(self: &Rc<Self>, request: u32) -> Result<()> {
        let (cluster, session) = (self.cluster()?, Rc::downgrade(self));
        let reply = move |result| {
            if let Some(session) = session.upgrade() {
                session.reply(request, result);
            }
        };
        let discover = move |loaded: Result<&dyn Deferred>| match loaded {
            Ok(deferred) => deferred.resources(cluster, Box::new(reply)),
            Err(error) => reply(Err(error)),
        };
        when_loaded(&self.engine.spawn, Box::new(discover));
        Ok(())
    }

    fn informer(self: &Rc<Self>, id: u32, resource: &str, options: InformerOptions) -> Result<()> {
        let cluster = self.cluster()?;
        self.stop(id);
        let made = resource.parse().and_then(|resource| cluster.factory.for_resource(resource, options));
        let (key, informer) = match made {
            Ok(made) => made,
            // An invalid option, from a URL or a form, is an error of that informer only.
            Err(error) => {
                self.fail(id, &error);
                return Ok(());
            }
        };
        let (session, errors) = (Rc::downgrade(self), Rc::<Errors>::default());
        let unsent = Rc::clone(&errors);
        let observer = informer.observe(move |event| {
            let Some(session) = session.upgrade() else { return };
            if let InformerEvent::Error(error) = event {
                unsent.add(error);
            }
            session.flush_soon();
        });
        let indexers = cluster.indexers(&key);
        let informer_use = InformerUse { cluster, key, indexers };
        let entry = PageInformer { informer_use, informer, sent: None, errors, _observer: observer };
        self.state.borrow_mut().informers.insert(id, entry);
        self.flush_soon();
        Ok(())
    }

    /// Starts one informer, or all.
    fn start(&self, only: Option<u32>) -> Result<()> {
        let cluster = self.cluster()?;
        let state = self.state.borrow();
        let mut selected = Vec::new();
        for (id, entry) in &state.informers {
            if only.is_none_or(|only| only == *id) {
                selected.push((entry.informer_use.key.clone(), entry.informer.clone()));
            }
        }
        let persist = state.persist;
        drop(state);
        for (key, informer) in &selected {
            cluster.start(key, informer, persist);
        }
        Ok(())
    }

    fn clear_snapshots(self: &Rc<Self>, request: u32, deferred: &dyn Deferred) -> Result<()> {
        let (cluster, session) = (self.cluster()?, Rc::downgrade(self));
        self.engine.stop_persisting();
        cluster.snapshots(deferred).clear(Box::new(move |cleared| {
            if let Some(session) = session.upgrade() {
                session.reply(request, cleared.map(|()| text(None)));
            }
        }));
        Ok(())
    }

    /// Releases an informer and everything that depends on it. If none of its requests was sent, it does not linger: it
    /// would only delay later ones that are queued for a connection.
    fn stop(&self, informer: u32) {
        let mut state = self.state.borrow_mut();
        let opening = state.pending_views.take(|opening| opening.informer == informer);
        let views = state.views.take(|entry| entry.informer == informer);
        let handlers = state.handlers.take(|entry| entry.informer == informer);
        let queues = state.queues.take(|entry| entry.informer == informer);
        let follows = state.follows.take(|follow| follow.informer == informer);
        let entry = state.informers.remove(&informer);
        // Nothing is borrowed from here on: released handlers may call back.
        drop(state);
        drop((opening, views, queues, follows));
        for entry in handlers {
            entry.registration.remove();
        }
        if let Some(entry) = entry
            && !entry.informer.has_sent_nothing()
        {
            let runtime = entry.informer_use.cluster.runtime.clone();
            linger(&runtime, entry.informer_use);
        }
    }

    /// Calls a function with an informer of the page, if it exists.
    fn with_informer<T>(&self, informer: u32, ask: impl FnOnce(&PageInformer) -> Result<T>) -> Result<T> {
        let gone = || Err(InformerError::new(ErrorCode::Closed, "this informer has been stopped"));
        self.state.borrow().informers.get(&informer).map_or_else(gone, ask)
    }

    fn add_indexers(&self, request: u32, informer: u32, requested: &TextsByName, extras: &dyn Extras) {
        let entry =
            self.with_informer(informer, |entry| Ok((entry.informer.clone(), Rc::clone(&entry.informer_use.indexers))));
        let added =
            entry.and_then(|(informer, indexers)| indexers.add(&informer, requested, &|text| extras.index_func(text)));
        self.reply(request, added.map(|()| text(None)));
    }

    fn set_window(self: &Rc<Self>, view: u32, start: usize, end: usize) {
        if let Some(entry) = self.state.borrow().views.get(&view) {
            entry.view.borrow_mut().set_window(start, end);
        }
        // The user is scrolling: send without waiting for the frame.
        self.flush();
    }

    fn search(&self, request: u32, informer: u32, options: &SearchOptions) {
        if let Some(extras) = extras() {
            let search = |entry: &PageInformer| Ok(extras.search(&entry.informer, &entry.informer_use.key, options));
            self.reply(request, self.with_informer(informer, search));
        }
    }

    /// Sends the error of an informer that could not be created.
    fn fail(&self, informer: u32, error: &InformerError) {
        self.report(informer, error);
        let last_error = Some(error.into());
        let (phase, freshness) = (Phase::Failed, Freshness::Stale);
        let status = InformerStatus { phase, freshness, last_error, ..InformerStatus::default() };
        self.send(FromEngine::Status { informer, status });
    }

    /// Sends an error of one informer. It does not affect others.
    fn report(&self, informer: u32, error: &InformerError) {
        self.send(FromEngine::Error { informer, error: error.into() });
    }

    /// Schedules at most one flush per frame; after a quiet frame, at once.
    fn flush_soon(self: &Rc<Self>) {
        if self.closed.get() || self.flush_due.replace(true) {
            return;
        }
        let session = Rc::downgrade(self);
        let due = self.flushed_at.get().saturating_add(FLUSH_EVERY);
        // Even a sleep of zero takes one turn of the event loop, in which a whole chunk of a watch is applied.
        let pause = self.engine.clock.sleep(due.saturating_sub(self.engine.clock.now()));
        let task = async move {
            pause.await;
            if let Some(session) = session.upgrade() {
                session.flush_due.set(false);
                session.flush();
            }
        };
        (self.engine.spawn)(task.boxed_local());
    }

    fn flush(self: &Rc<Self>) {
        self.flushed_at.set(self.engine.clock.now());
        let mut later = false;
        let (mut messages, mut empty) = (Vec::new(), Vec::new());
        {
            let state = &mut *self.state.borrow_mut();
            let now = self.engine.clock.now();
            for (id, entry) in &mut state.informers {
                messages.extend(entry.errors.take().map(|error| FromEngine::Error { informer: *id, error }));
                match entry.status_due(now) {
                    Ok(Some(status)) => messages.push(FromEngine::Status { informer: *id, status }),
                    Ok(None) => {}
                    Err(()) => later = true,
                }
                if entry.informer_use.key.options.namespace.is_some() && entry.informer.take_namespace_due() {
                    empty.push((entry.informer_use.key.clone(), entry.informer.clone()));
                }
            }
            messages.extend(updates(state, self.engine.clock.unix_ms()));
        }
        for message in messages {
            self.send(message);
        }
        for (key, informer) in empty {
            self.check_namespace(key, informer);
        }
        if later {
            self.flush_soon();
        }
        self.wake_for_views();
    }

    /// Checks whether the namespace exists, because the server lists a missing one as empty.
    fn check_namespace(&self, key: InformerKey, informer: SharedInformer<Object>) {
        let Some(cluster) = self.state.borrow().cluster.clone() else { return };
        let look = move |loaded: Result<&dyn Deferred>| {
            if let Ok(deferred) = loaded {
                deferred.check_namespace(&cluster, &informer, &key);
            }
        };
        when_loaded(&self.engine.spawn, Box::new(look));
    }

    fn reply(&self, request: u32, result: Result<String>) {
        self.send(match result {
            Ok(json) => FromEngine::Reply { request, json },
            Err(error) => FromEngine::Failed { request, error: (&error).into() },
        });
    }

    fn refuse(&self, error: &InformerError) {
        self.send(FromEngine::Refused { error: error.into() });
        self.close();
    }

    fn send(&self, message: FromEngine) {
        if !self.closed.get() {
            (self.send)(message);
        }
    }

    fn close(&self) {
        self.closed.set(true);
        self.set_visible(false);
        let ids: Vec<u32> = self.state.borrow().informers.keys().copied().collect();
        for id in ids {
            self.stop(id);
        }
        let State { cluster, pending, .. } = std::mem::take(&mut *self.state.borrow_mut());
        // Otherwise their connection slots would be occupied forever.
        pending.values().for_each(AbortHandle::abort);
        if let Some(cluster) = cluster {
            if let Some(pages) = &cluster.header_pages {
                pages.leave(self.number);
            }
            linger(&cluster.runtime.clone(), cluster);
        }
    }
}
