//! Pages: each has a session of the engine, sends a page's messages, and applies the received ones.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use informer::{Freshness, InformerStatus, KubeObject, Object};
use informer_engine::engine::{Engine, Session};
use informer_engine::message::{
    ChangeKind, ChangeMessage, EventHandlerOptions, FromEngine, InformerOptions, PROTOCOL_VERSION, ToEngine,
};

use crate::delivered::{Delivered, Delivery, Kind, state_of};
use crate::pod_history::State;
use crate::quiet::needs_wake;
use crate::resync::Resync;
use crate::scope::{SCOPES, Scope};
use crate::server::Server;
use crate::store::Key;
use crate::story::Action;
use crate::view_model::ViewModel;

/// Client name of the engine.
pub(crate) const ENGINE: &str = "page";

struct FollowedObject {
    informer: u8,
    key: Key,
    /// Version last received; empty after the report that the object does not exist.
    version: Option<String>,
}

pub(crate) struct Page {
    session: Option<Session>,
    inbox: Rc<RefCell<Vec<FromEngine>>>,
    server: Rc<Server>,
    informers: BTreeMap<u8, (Scope, Option<InformerStatus>)>,
    views: BTreeMap<u8, ViewModel>,
    follows: BTreeMap<u8, FollowedObject>,
    handlers: BTreeMap<u8, (u8, Delivered)>,
    /// Resync period of its informers.
    resync: Duration,
    /// Handlers with unacknowledged messages, while it is busy.
    unacknowledged: Option<Vec<u32>>,
    /// Time at which it last processed its messages.
    processed_at: Duration,
}

impl Page {
    pub(crate) fn open(engine: &Rc<Engine>, server: &Rc<Server>, token: &Rc<()>, resync: Duration) -> Self {
        let inbox = Rc::new(RefCell::new(Vec::new()));
        let (messages, token) = (Rc::clone(&inbox), Rc::clone(token));
        let send = move |message| {
            let _ = &token;
            messages.borrow_mut().push(message);
        };
        let processed_at = server.now();
        let page = Self {
            session: Some(Session::new(Rc::clone(engine), send)),
            inbox,
            server: Rc::clone(server),
            informers: BTreeMap::new(),
            views: BTreeMap::new(),
            follows: BTreeMap::new(),
            handlers: BTreeMap::new(),
            resync,
            unacknowledged: None,
            processed_at,
        };
        page.send(ToEngine::Connect { version: PROTOCOL_VERSION, server: "http://simulated".into(), persist: false });
        page
    }

    /// Makes the page visible, or hidden.
    pub(crate) fn show(&self, visible: bool) {
        self.send(ToEngine::Visible { visible });
    }

    fn send(&self, message: ToEngine) {
        if let Some(session) = &self.session {
            session.receive(message);
        }
    }

    /// Returns the scopes of the informers of this page.
    pub(crate) fn scopes(&self) -> impl Iterator<Item = Scope> {
        self.informers.values().map(|(scope, _)| *scope)
    }

    pub(crate) fn close(mut self, politely: bool) {
        if politely {
            self.send(ToEngine::Close);
        }
        self.process_messages();
        self.session = None;
        let late = self.inbox.borrow().len();
        if late > 0 {
            self.server.fail(|| format!("{late} messages while a page was dropped"));
        }
    }

    /// Performs an action of a page; the engine receives its messages at once.
    pub(crate) fn perform(&mut self, action: &Action, page_size: u32) {
        self.process_messages();
        match action {
            Action::PageInformer { informer, scope, .. } => {
                let scope = SCOPES[usize::from(*scope)];
                self.remove_informer(*informer);
                self.informers.insert(*informer, (scope, None));
                let (id, resource) = (u32::from(*informer), "v1/pods".to_owned());
                let resync = u32::try_from(self.resync.as_millis()).ok();
                let options = InformerOptions { resync, ..scope.options(page_size) };
                self.send(ToEngine::Informer { informer: id, resource, options });
                self.send(ToEngine::Start);
            }
            Action::PageStop { informer, .. } => {
                self.send(ToEngine::Stop { informer: u32::from(*informer) });
                self.remove_informer(*informer);
            }
            Action::PageWake { .. } => self.send(ToEngine::Wake),
            Action::View { view, informer, options, .. } if self.informers.contains_key(informer) => {
                self.views.insert(*view, ViewModel::new(*informer, options.clone()));
                let (view, informer) = (u32::from(*view), u32::from(*informer));
                self.send(ToEngine::OpenView { view, informer, query_id: 1, options: options.clone() });
            }
            Action::Window { view, start, end, .. } => {
                if let Some(model) = self.views.get_mut(view) {
                    (model.options.start, model.options.end) = (*start, *end);
                }
                self.send(ToEngine::SetWindow { view: u32::from(*view), start: *start, end: *end });
            }
            Action::CloseView { view, .. } => {
                self.views.remove(view);
                self.send(ToEngine::CloseView { view: u32::from(*view) });
            }
            Action::Follow { follow, informer, key, .. } if self.informers.contains_key(informer) => {
                self.follows.insert(*follow, FollowedObject { informer: *informer, key: *key, version: None });
                let (follow, informer, key) = (u32::from(*follow), u32::from(*informer), key.to_string());
                self.send(ToEngine::Follow { follow, informer, key });
            }
            Action::Unfollow { follow, .. } => {
                self.follows.remove(follow);
                self.send(ToEngine::Unfollow { follow: u32::from(*follow) });
            }
            Action::PageHandler { handler, informer, .. } => {
                if let Some((scope, _)) = self.informers.get(informer) {
                    let mut delivered = Delivered::new((ENGINE, *scope));
                    delivered.resync = Resync::new(self.resync, self.server.now());
                    delivered.lossy = self.unacknowledged.is_some() && !self.resync.is_zero();
                    self.handlers.insert(*handler, (*informer, delivered));
                    let (informer, handler) = (u32::from(*informer), u32::from(*handler));
                    self.send(ToEngine::AddEventHandler { informer, handler, options: EventHandlerOptions::default() });
                }
            }
            Action::RemovePageHandler { handler, .. } => {
                self.handlers.remove(handler);
                self.send(ToEngine::RemoveEventHandler { handler: u32::from(*handler) });
            }
            Action::PageHold { .. } => {
                self.unacknowledged.get_or_insert_default();
                // Resyncs alone exceed a backlog.
                let lossy = !self.resync.is_zero();
                self.handlers.values_mut().for_each(|(_, delivered)| delivered.lossy |= lossy);
            }
            Action::PageTake { .. } => self.acknowledge_all(),
            _ => {}
        }
        self.process_messages();
    }

    /// Removes an informer with its handlers and views.
    fn remove_informer(&mut self, informer: u8) {
        self.informers.remove(&informer);
        self.views.retain(|_, view| view.informer != informer);
        self.follows.retain(|_, follow| follow.informer != informer);
        self.handlers.retain(|_, (of, _)| *of != informer);
    }

    /// Acknowledges every message.
    pub(crate) fn acknowledge_all(&mut self) {
        for handler in self.unacknowledged.take().unwrap_or_default() {
            self.send(ToEngine::Ack { handler });
        }
    }

    /// Processes the received messages.
    pub(crate) fn process_messages(&mut self) {
        let now = self.server.now();
        // Resyncs alone exceed a backlog that is emptied so rarely.
        if !self.resync.is_zero() && now.saturating_sub(self.processed_at) > 2 * self.resync {
            self.handlers.values_mut().for_each(|(_, delivered)| delivered.lossy = true);
        }
        self.processed_at = now;
        let messages = self.inbox.take();
        for message in messages {
            let what = format!("{message:?}");
            if let Err(why) = self.process(message) {
                let what = what.chars().take(300).collect::<String>();
                self.server.fail(|| format!("a page received an unrequested message: {why}: {what}"));
            }
        }
    }

    fn process(&mut self, message: FromEngine) -> Result<(), String> {
        let slot = |id: u32| u8::try_from(id).unwrap_or(u8::MAX);
        match message {
            FromEngine::Connected { .. } => Ok(()),
            FromEngine::Error { informer, .. } if self.informers.contains_key(&slot(informer)) => Ok(()),
            FromEngine::Status { informer, status } => {
                let known = self.informers.get_mut(&slot(informer)).ok_or("no such informer")?;
                known.1 = Some(status);
                Ok(())
            }
            FromEngine::Columns { view, .. } | FromEngine::View { view, .. } | FromEngine::QueryResult { view, .. } => {
                self.views.get_mut(&slot(view)).ok_or("no such view")?.apply(message)
            }
            FromEngine::Object { follow, json } => {
                let followed = self.follows.get_mut(&slot(follow)).ok_or("no such follow")?;
                let version =
                    |json: String| json.split("\"resourceVersion\":\"").nth(1)?.split('"').next().map(str::to_owned);
                followed.version = Some(json.and_then(version).unwrap_or_default());
                Ok(())
            }
            FromEngine::Changes { handler, changes, resource_version, relist } => {
                let (_, delivered) = self.handlers.get_mut(&slot(handler)).ok_or("no such handler")?;
                let changes: Vec<Delivery> = changes.iter().map(delivery).collect::<Option<_>>().ok_or("unreadable")?;
                changes.iter().try_for_each(|delivery| delivered.check_change(delivery, relist, &self.server))?;
                delivered.check_batch(&changes, true, self.server.now())?;
                delivered.check_version(&resource_version, &self.server)?;
                match &mut self.unacknowledged {
                    Some(unacknowledged) => unacknowledged.push(handler),
                    None => self.send(ToEngine::Ack { handler }),
                }
                Ok(())
            }
            FromEngine::HandlerSynced { handler } => {
                self.handlers.get_mut(&slot(handler)).ok_or("no such handler")?.1.check_synced(self.server.now())
            }
            _ => Err("unexpected".to_owned()),
        }
    }

    /// Returns the rows that are shown as live.
    pub(crate) fn live_rows(&self) -> impl Iterator<Item = (Scope, Key, State)> {
        let live = |informer: &u8| {
            let (scope, status) = self.informers.get(informer)?;
            status.as_ref().filter(|status| status.freshness == Freshness::Live).map(|_| *scope)
        };
        let views = self.views.values().filter_map(move |view| live(&view.informer).map(|scope| (scope, view)));
        views.flat_map(|(scope, view)| view.rows().map(move |(key, state)| (scope, key, state)))
    }

    /// Retries informers that failed or poll, as a user does with the button. Returns those that may send further
    /// requests now.
    pub(crate) fn wake_failed(&mut self) -> Vec<Scope> {
        self.process_messages();
        if self.informers.values().any(|(_, status)| status.as_ref().is_some_and(needs_wake)) {
            self.send(ToEngine::Wake);
            return self.scopes().collect();
        }
        Vec::new()
    }

    /// Returns a difference between this page and the server.
    pub(crate) fn diverged(&self) -> Option<String> {
        let state = self.server.state.borrow();
        for (informer, (scope, status)) in &self.informers {
            let Some(status) = status else { return Some(format!("no status of informer {informer}")) };
            if status.freshness != Freshness::Live || !status.has_synced || status.last_error.is_some() {
                return Some(format!("informer {informer} ({scope}) has the status {status:?}"));
            }
            let pods = || state.store.pods().values().filter(|pod| scope.matches(pod));
            let views = self.views.iter().filter(|(_, view)| view.informer == *informer);
            for (id, view) in views {
                if let Some(why) = view.diverged(pods()) {
                    return Some(format!("view {id} of {scope} {why}"));
                }
            }
            for (id, follow) in self.follows.iter().filter(|(_, follow)| follow.informer == *informer) {
                let there = pods().find(|pod| pod.key == follow.key).map(|pod| pod.version.to_string());
                if follow.version.as_ref() != Some(&there.clone().unwrap_or_default()) {
                    return Some(format!("follow {id} of {} received {:?}, not {there:?}", follow.key, follow.version));
                }
            }
            for (id, (_, delivered)) in self.handlers.iter().filter(|(_, (of, _))| of == informer) {
                if let Some(why) = crate::quiet::differs(&delivered.states(), pods()) {
                    return Some(format!("page handler {id} of {scope} {why}"));
                }
                if !delivered.synced {
                    return Some(format!("page handler {id} of {scope} never received synced"));
                }
            }
        }
        None
    }
}

/// Decodes a change of a message.
fn delivery(change: &ChangeMessage) -> Option<Delivery> {
    let read = |json: &str| Object::from_json(json, None).ok().as_ref().and_then(state_of);
    let (key, state) = read(&change.object)?;
    let kind = match change.kind {
        ChangeKind::Add => Kind::Add { initial: change.is_in_initial_list },
        ChangeKind::Update => match change.previous.as_deref() {
            Some(previous) => Kind::Update { old: read(previous)?.1, same: false },
            None => Kind::Update { old: state.clone(), same: true },
        },
        ChangeKind::Delete => Kind::Delete { unknown: change.final_state_unknown },
    };
    (key.to_string() == change.key).then_some(Delivery { key, state, kind })
}
