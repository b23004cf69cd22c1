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
mod ports;
mod printer_columns;
mod reads;
mod recordings;
mod resync;
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
use informer_engine::engine::{Engine, Session};
use informer_engine::message::{
    ChangeKind, ChangeMessage, EventHandlerOptions, FromEngine, InformerOptions, PROTOCOL_VERSION, Read, Row, ToEngine,
    ViewOptions,
};
use serde_json::Value;

use crate::harness::{Feed, World, list};

struct Page {
    /// Dropped first, because its remaining tasks need the pool.
    session: Option<Session>,
    world: World,
    engine: Rc<Engine>,
    inbox: Rc<RefCell<Vec<FromEngine>>>,
    /// Number of transports that the engine created.
    connected: Rc<Cell<usize>>,
}

/// Responds to requests for the cluster's identity; the script responds to all others.
struct Named(ScriptedTransport);

impl Transport for Named {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, informer::Result<Response>> {
        if !request.path.contains("/kube-system") {
            return self.0.send(request);
        }
        let who = ScriptedTransport::new();
        who.reply(Reply::json(r#"{"metadata":{"uid":"c-1"}}"#)).send(request)
    }
}

impl Page {
    fn new() -> Self {
        Self::over(|http, _| http)
    }

    /// Creates a page whose transport is wrapped by `way`.
    fn over(way: impl FnOnce(Rc<dyn Transport>, Rc<dyn Clock>) -> Rc<dyn Transport>) -> Self {
        Self::with_clock(way, |clock| clock)
    }

    /// The same, with the engine's clock wrapped by `made`.
    fn with_clock(
        way: impl FnOnce(Rc<dyn Transport>, Rc<dyn Clock>) -> Rc<dyn Transport>,
        made: impl FnOnce(Rc<dyn Clock>) -> Rc<dyn Clock>,
    ) -> Self {
        let world = World::new();
        let transport = way(Rc::new(Named(world.transport.clone())), world.runtime.clock.clone());
        let connected = Rc::<Cell<usize>>::default();
        let count = Rc::clone(&connected);
        let connector = move |_: &str| {
            count.set(count.get() + 1);
            transport.clone()
        };
        let clock = made(world.runtime.clock.clone());
        let engine = Engine::new(Box::new(connector), clock, world.runtime.spawn.clone());
        let mut page = Self { session: None, world, engine, inbox: Rc::default(), connected };
        page.reload();
        page.say(ToEngine::Connect { version: PROTOCOL_VERSION, url: "http://localhost".into(), persist: false });
        assert_eq!(page.heard(), [FromEngine::Connected { version: PROTOCOL_VERSION }]);
        page
    }

    /// Another port of the same engine.
    fn reload(&mut self) {
        let inbox = Rc::clone(&self.inbox);
        self.session = Some(Session::new(Rc::clone(&self.engine), move |message| inbox.borrow_mut().push(message)));
    }

    fn say(&self, message: ToEngine) {
        self.session.as_ref().expect("open").receive(message);
    }

    /// Returns the received messages, a frame later.
    fn heard(&self) -> Vec<FromEngine> {
        self.world.settle();
        self.world.pass(Duration::from_millis(300));
        self.inbox.take()
    }

    /// Returns the received messages, without advancing the time.
    fn heard_now(&self) -> Vec<FromEngine> {
        self.world.settle();
        self.inbox.take()
    }

    /// Informer 1: pods that are watched, started.
    fn pods(&self, objects: &[&str]) -> Feed {
        self.pods_with(InformerOptions::default(), objects)
    }

    fn pods_with(&self, options: InformerOptions, objects: &[&str]) -> Feed {
        self.world.transport.reply(Reply::json(list(10, objects)));
        let feed = self.world.watch();
        self.say(ToEngine::Informer { informer: 1, resource: "v1/pods".into(), options });
        self.say(ToEngine::Start);
        feed
    }

    /// Sends `message`, which is request 9, and returns its reply.
    fn ask(&self, message: ToEngine) -> Result<Value, ErrorReport> {
        self.say(message);
        self.answers().remove(&9).expect("answered")
    }

    fn read(&self, read: Read) -> Result<Value, ErrorReport> {
        self.ask(ToEngine::Read { request: 9, informer: 1, read })
    }

    /// Returns the received replies, a frame later.
    fn answers(&self) -> BTreeMap<u32, Result<Value, ErrorReport>> {
        let answer = |message| match message {
            FromEngine::Reply { request, json } => Some((request, Ok(serde_json::from_str(&json).expect("JSON")))),
            FromEngine::Failed { request, error } => Some((request, Err(error))),
            _ => None,
        };
        self.heard().into_iter().filter_map(answer).collect()
    }

    fn open_view(&self, options: ViewOptions) {
        self.say(ToEngine::OpenView { view: 5, informer: 1, query_id: 1, options });
    }
}

/// View query with another filter, and value counts of the namespaces.
fn change(query_id: u32, filter: &str) -> ToEngine {
    let (filter, facets) = (filter.to_owned(), vec!["Namespace".to_owned()]);
    let (order_by, namespaces) = (Vec::new(), Vec::new());
    ToEngine::ChangeView { view: 5, query_id, filter, order_by, facets, namespaces, window: None }
}

/// The view's patches: total and rows as `index key`.
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

/// The changes for a handler, as `kind key`, with `=` for an update without a change.
fn told(messages: Vec<FromEngine>, of: u32) -> Vec<String> {
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
