//! Engine, as a page uses it: messages in, messages out.

mod aggregates;
mod delivered;
mod handlers;
mod health_probe;
mod heartbeat;
mod indexers;
mod inspection;
mod large_batches;
mod leases;
mod linger;
mod missing_namespace;
mod namespaces;
mod page_headers;
mod ports;
mod printer_columns;
mod protobuf;
mod reads;
mod recordings;
mod resync;
mod rewind;
mod search;
mod shared;
mod snapshots;
mod timers;
mod view_queries;
mod view_turns;
mod views;
mod work_queue;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use futures::future::LocalBoxFuture;
use informer::ErrorReport;
use informer::clock::Clock;
use informer::transport::scripted::{Reply, ScriptedTransport};
use informer::transport::{Request, Response, Transport};
use informer_engine::engine::{Endpoint, Engine, Session};
use informer_engine::message::{
    ChangeKind, ChangeMessage, EventHandlerOptions, FromEngine, InformerOptions, PROTOCOL_VERSION, Read, Row, ToEngine,
    ViewOptions,
};
use serde_json::Value;

use crate::harness::{Feed, World, list};

/// Page of an engine, on virtual time.
struct Page {
    /// Dropped first, because its remaining tasks need the pool.
    session: Option<Session>,
    world: World,
    engine: Rc<Engine>,
    inbox: Rc<RefCell<Vec<FromEngine>>>,
    /// Number of transports that the engine created.
    connected: Rc<Cell<usize>>,
}

/// Transport that responds to requests for the cluster's identity; the script responds to all others.
struct WithIdentity(ScriptedTransport);

impl Transport for WithIdentity {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, informer::Result<Response>> {
        if !request.path.contains("/kube-system") {
            return self.0.send(request);
        }
        let who = ScriptedTransport::new();
        who.reply(Reply::json(r#"{"metadata":{"uid":"c-1"}}"#)).send(request)
    }

    fn accepts_protobuf(&self) -> bool {
        self.0.accepts_protobuf()
    }
}

impl Page {
    fn new() -> Self {
        Self::with_transport(|http, _| http)
    }

    /// Creates a page whose transport is wrapped by `wrap_transport`.
    fn with_transport(wrap_transport: impl FnOnce(Rc<dyn Transport>, Rc<dyn Clock>) -> Rc<dyn Transport>) -> Self {
        Self::with_clock(wrap_transport, |clock| clock)
    }

    /// Creates a page whose transport and clock are wrapped.
    fn with_clock(
        wrap_transport: impl FnOnce(Rc<dyn Transport>, Rc<dyn Clock>) -> Rc<dyn Transport>,
        wrap_clock: impl FnOnce(Rc<dyn Clock>) -> Rc<dyn Clock>,
    ) -> Self {
        let world = World::new();
        let transport = wrap_transport(Rc::new(WithIdentity(world.transport.clone())), world.runtime.clock.clone());
        let connected = Rc::<Cell<usize>>::default();
        let count = Rc::clone(&connected);
        let connector = move |endpoint: &Endpoint| {
            count.set(count.get() + 1);
            endpoint.authenticated(transport.clone())
        };
        let clock = wrap_clock(world.runtime.clock.clone());
        let engine = Engine::new(Box::new(connector), clock, world.runtime.spawn.clone());
        let mut page = Self { session: None, world, engine, inbox: Rc::default(), connected };
        page.reload();
        page.send(ToEngine::Connect { version: PROTOCOL_VERSION, server: "http://localhost".into(), persist: false });
        assert_eq!(page.received(), [FromEngine::Connected { version: PROTOCOL_VERSION }]);
        page
    }

    /// Opens another port of the same engine.
    fn reload(&mut self) {
        let inbox = Rc::clone(&self.inbox);
        self.session = Some(Session::new(Rc::clone(&self.engine), move |message| inbox.borrow_mut().push(message)));
    }

    fn send(&self, message: ToEngine) {
        self.session.as_ref().expect("open").receive(message);
    }

    /// Returns the received messages, a frame later.
    fn received(&self) -> Vec<FromEngine> {
        self.world.settle();
        self.world.pass(Duration::from_millis(300));
        self.inbox.take()
    }

    /// Returns the received messages, without advancing the time.
    fn received_now(&self) -> Vec<FromEngine> {
        self.world.settle();
        self.inbox.take()
    }

    /// Starts informer 1, of pods. Returns the feed of its watch.
    fn pods(&self, objects: &[&str]) -> Feed {
        self.pods_with(InformerOptions::default(), objects)
    }

    fn pods_with(&self, options: InformerOptions, objects: &[&str]) -> Feed {
        self.world.transport.reply(Reply::json(list(10, objects)));
        let feed = self.world.watch();
        self.send(ToEngine::Informer { informer: 1, resource: "v1/pods".into(), options });
        self.send(ToEngine::Start);
        feed
    }

    /// Sends `message`, which is request 9, and returns its reply.
    fn request(&self, message: ToEngine) -> Result<Value, ErrorReport> {
        self.send(message);
        self.responses().remove(&9).expect("answered")
    }

    fn read(&self, read: Read) -> Result<Value, ErrorReport> {
        self.request(ToEngine::Read { request: 9, informer: 1, read })
    }

    /// Returns the received replies, a frame later.
    fn responses(&self) -> BTreeMap<u32, Result<Value, ErrorReport>> {
        let response = |message| match message {
            FromEngine::Reply { request, json } => Some((request, Ok(serde_json::from_str(&json).expect("JSON")))),
            FromEngine::Failed { request, error } => Some((request, Err(error))),
            _ => None,
        };
        self.received().into_iter().filter_map(response).collect()
    }

    fn open_view(&self, options: ViewOptions) {
        self.send(ToEngine::OpenView { view: 5, informer: 1, query_id: 1, options });
    }
}

/// Returns a view query with another filter, and value counts of the namespaces.
fn change(query_id: u32, filter: &str) -> ToEngine {
    let (filter, facets) = (filter.to_owned(), vec!["Namespace".to_owned()]);
    let (order_by, namespaces) = (Vec::new(), Vec::new());
    ToEngine::ChangeView { view: 5, query_id, filter, order_by, facets, namespaces, window: None }
}

/// Returns the patches of view 5: total, and rows as `index key`.
fn patches(messages: Vec<FromEngine>) -> Vec<(usize, Vec<String>)> {
    let row = |row: Row| format!("{} {}", row.index, row.key);
    let patch = |message| match message {
        FromEngine::View { view: 5, total, rows, .. } => Some((total, rows.into_iter().map(row).collect())),
        _ => None,
    };
    messages.into_iter().filter_map(patch).collect()
}

fn add_event_handler(informer: u32, handler: u32) -> ToEngine {
    ToEngine::AddEventHandler { informer, handler, options: EventHandlerOptions::default() }
}

/// Returns the changes for a handler, as `kind key`, with `=` for an update without a change.
fn deliveries(messages: Vec<FromEngine>, of: u32) -> Vec<String> {
    let word = |change: ChangeMessage| {
        let same = change.kind == ChangeKind::Update && change.previous.is_none();
        format!("{:?} {}{}", change.kind, change.key, if same { " =" } else { "" })
    };
    let changes = |message| match message {
        FromEngine::Changes { handler, changes, .. } if handler == of => Some(changes),
        _ => None,
    };
    messages.into_iter().filter_map(changes).flatten().map(word).collect()
}
