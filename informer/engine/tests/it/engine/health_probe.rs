//! Server health probe: servers that shut down, that were unreachable, and other clusters in their place.

mod stalled_thread;
mod timing;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use futures::future::LocalBoxFuture;
use informer::clock::Clock;
use informer::clock::virtual_time::VirtualClock;
use informer::transport::scripted::{Reply, ScriptedTransport};
use informer::transport::{Request, Response, Transport};
use informer::{ErrorCode, Freshness, InformerError, Result};
use informer_engine::engine::{Endpoint, Engine, Session};
use informer_engine::message::{FromEngine, InformerOptions, PROTOCOL_VERSION, ToEngine};

use super::{add_event_handler, deliveries};
use crate::harness::{Feed, World, list, page, send, status};

/// Resources of the informers of a stage, by number.
const RESOURCES: [&str; 4] = ["pods", "services", "nodes", "events"];

/// Apiserver that accepts a watch from any version, as if no version had expired.
pub(super) struct Server {
    clock: VirtualClock,
    /// Uid of the cluster, or the status of a rejection; 0 is silence.
    uid: std::result::Result<&'static str, u16>,
    version: u32,
    /// New requests are rejected, and open watches stay open.
    pub(super) draining: bool,
    /// Requests get no response, and open watches are silent.
    pub(super) stopped: bool,
    /// Resource whose requests alone are rejected.
    down: Option<&'static str>,
    /// Resource whose requests get no response.
    pub(super) silent: Option<&'static str>,
    /// Whether it rejects connections.
    closed: bool,
    /// Path whose requests are rejected with 429.
    pub(super) busy: Option<&'static str>,
    /// Path whose responses are streams: a head, and a body that the test sends.
    streamed: Option<&'static str>,
    feeds: BTreeMap<String, Feed>,
    requests: Vec<(Duration, String)>,
}

impl Server {
    fn respond(&mut self, request: &Request) -> Reply {
        let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
        let resource = path.rsplit('/').next().unwrap_or_default().to_owned();
        let verb = match query {
            _ if ["kube-system", "version"].contains(&&*resource) => "get",
            watch if watch.contains("watch=true") => "watch",
            probe if probe.ends_with("&limit=1") && request.probe => "probe",
            _ => "list",
        };
        self.requests.push((self.clock.now(), format!("{verb} {resource}")));
        if self.closed {
            return Reply::Refused;
        }
        if self.stopped || self.silent == Some(&*resource) {
            return Reply::Silence;
        }
        if self.busy == Some(&*resource) {
            return status(429, "TooManyRequests", "later");
        }
        if self.draining || self.down == Some(&*resource) {
            return status(503, "ServiceUnavailable", "no");
        }
        match (verb, self.uid) {
            ("get", _) if self.streamed == Some(&*resource) => {
                let (feed, reply) = Reply::stream();
                self.feeds.insert(resource, feed);
                reply
            }
            ("get", Ok(uid)) => Reply::json(format!(r#"{{"metadata":{{"uid":"{uid}"}}}}"#)),
            ("get", _) if resource == "version" => Reply::json("{}"),
            ("get", Err(0)) => Reply::Silence,
            ("get", Err(code)) => status(code, "Forbidden", "no"),
            ("probe", _) => Reply::json(page(self.version, &[], "")),
            ("watch", _) => {
                let (feed, reply) = Reply::stream();
                self.feeds.insert(resource, feed);
                reply
            }
            _ => {
                let of = self.uid.unwrap_or("c-1");
                Reply::json(list(self.version, &["n/a@1"]).replace("uid-a", &format!("a-of-{of}")))
            }
        }
    }
}

#[derive(Clone)]
struct ServerTransport(Rc<RefCell<Server>>);

impl Transport for ServerTransport {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response>> {
        let response = self.0.borrow_mut().respond(&request);
        ScriptedTransport::new().reply(response).send(request)
    }
}

/// Page with informers of the first resources, each with a handler of the same number.
pub(super) struct Stage {
    pub(super) session: Session,
    pub(super) engine: Rc<Engine>,
    world: World,
    server: ServerTransport,
    inbox: Rc<RefCell<Vec<FromEngine>>>,
    freshness: RefCell<BTreeMap<u32, Freshness>>,
    errors: RefCell<BTreeMap<u32, Option<ErrorCode>>>,
    changes: RefCell<Vec<FromEngine>>,
}

impl Stage {
    pub(super) fn new(informers: u32) -> Self {
        Self::with(Ok("c-1"), informers)
    }

    fn with(uid: std::result::Result<&'static str, u16>, informers: u32) -> Self {
        Self::with_transport(uid, informers, |transport, _| transport)
    }

    /// Creates a stage whose transport is wrapped by `make`.
    pub(super) fn with_transport(
        uid: std::result::Result<&'static str, u16>,
        informers: u32,
        make: impl Fn(Rc<dyn Transport>, Rc<dyn Clock>) -> Rc<dyn Transport> + 'static,
    ) -> Self {
        let world = World::new();
        let clock = world.clock.clone();
        let (down, silent, closed, feeds, requests) = (None, None, false, BTreeMap::new(), Vec::new());
        let server = ServerTransport(Rc::new(RefCell::new(Server {
            clock,
            uid,
            version: 10,
            draining: false,
            stopped: false,
            down,
            silent,
            closed,
            busy: None,
            streamed: None,
            feeds,
            requests,
        })));
        let transport = server.clone();
        let time = world.runtime.clock.clone();
        let connector = Box::new(move |_: &Endpoint| make(Rc::new(transport.clone()), time.clone()));
        let engine = Engine::new(connector, world.runtime.clock.clone(), world.runtime.spawn.clone());
        let inbox = Rc::<RefCell<Vec<FromEngine>>>::default();
        let sent = Rc::clone(&inbox);
        let session = Session::new(Rc::clone(&engine), move |message| sent.borrow_mut().push(message));
        let (freshness, errors, changes) = Default::default();
        let stage = Self { session, engine, world, server, inbox, freshness, errors, changes };
        let (version, server) = (PROTOCOL_VERSION, "http://localhost".into());
        stage.session.receive(ToEngine::Connect { version, server, persist: false });
        (0..informers).for_each(|informer| stage.start(informer));
        stage.pass(1);
        assert!((0..informers).all(|informer| stage.freshness(informer) == Freshness::Live));
        stage
    }

    pub(super) fn start(&self, informer: u32) {
        let resource = format!("v1/{}", RESOURCES[informer as usize]);
        self.session.receive(ToEngine::Informer { informer, resource, options: InformerOptions::default() });
        self.session.receive(add_event_handler(informer, informer));
        self.session.receive(ToEngine::Start);
    }

    /// Advances the time.
    pub(super) fn pass(&self, seconds: u64) {
        for _ in 0..seconds * 10 {
            self.world.pass(Duration::from_millis(100));
            self.receive();
        }
    }

    /// Advances the time, with only a bookmark each twenty seconds.
    pub(super) fn quiet(&self, seconds: u64) {
        for second in 0..seconds {
            self.pass(1);
            if second % 20 == 10 {
                self.bookmarks();
            }
        }
    }

    pub(super) fn bookmarks(&self) {
        self.server(|server| {
            server.feeds.retain(|_, feed| !feed.is_closed());
            server.version = server.version.max(11);
            server.feeds.values().for_each(|feed| send(feed, &["bookmark@11"]));
        });
    }

    /// Processes the received messages by kind.
    fn receive(&self) {
        self.world.settle();
        for message in self.inbox.take() {
            match message {
                FromEngine::Status { informer, status } => {
                    self.freshness.borrow_mut().insert(informer, status.freshness);
                    self.errors.borrow_mut().insert(informer, status.last_error.map(|error| error.code));
                }
                FromEngine::Changes { handler, .. } => {
                    self.changes.borrow_mut().push(message);
                    self.session.receive(ToEngine::Ack { handler });
                }
                _ => {}
            }
        }
    }

    /// Returns the last error of an informer.
    pub(super) fn error(&self, informer: u32) -> Option<ErrorCode> {
        self.errors.borrow().get(&informer).copied().flatten()
    }

    pub(super) fn freshness(&self, informer: u32) -> Freshness {
        self.freshness.borrow().get(&informer).copied().unwrap_or_default()
    }

    /// Returns the changes that a handler has received since the last call.
    fn deliveries(&self, handler: u32) -> Vec<String> {
        deliveries(self.changes.take(), handler)
    }

    pub(super) fn server<R>(&self, read: impl FnOnce(&mut Server) -> R) -> R {
        read(&mut self.server.0.borrow_mut())
    }

    /// Returns the requests since the last call.
    pub(super) fn requests(&self) -> Vec<String> {
        self.server(|server| std::mem::take(&mut server.requests)).into_iter().map(|(_, request)| request).collect()
    }

    /// Breaks all watches.
    fn cut(&self) {
        for feed in self.server(|server| std::mem::take(&mut server.feeds)).into_values() {
            // A closed receiver does not matter.
            drop(feed.unbounded_send(Err(InformerError::new(ErrorCode::Network, "reset"))));
        }
    }

    pub(super) fn send(&self, resource: &str, words: &[&str]) {
        self.server(|server| send(&server.feeds[resource], words));
        self.world.settle();
    }
}

/// Returns how often a request occurs.
pub(super) fn count(requests: &[String], what: &str) -> usize {
    requests.iter().filter(|request| *request == what).count()
}

#[test]
fn server_that_rejects_an_informer_and_the_probe_is_suspect_to_all_within_ten_seconds() {
    let stage = Stage::new(2);
    stage.pass(40);
    let before = stage.requests();
    assert_eq!(count(&before, "get kube-system"), 1, "learned once: {before:?}");
    // The server shuts down: open watches stay open and silent.
    stage.server(|server| server.draining = true);
    stage.start(2);
    // A second for the suspicion to be refuted.
    stage.pass(2);
    assert_eq!(
        [0, 1, 2].map(|informer| stage.freshness(informer)),
        [Freshness::CatchingUp, Freshness::CatchingUp, Freshness::Stale]
    );
    stage.pass(10);
    assert_eq!([0, 1].map(|informer| stage.freshness(informer)), [Freshness::Stale; 2]);
    stage.pass(60);
    let requests = stage.requests();
    assert!((1..=8).contains(&count(&requests, "get kube-system")), "each ten seconds at most: {requests:?}");
    // It comes back with the same state: no resource is listed again.
    stage.server(|server| server.draining = false);
    stage.pass(60);
    assert_eq!([0, 1, 2].map(|informer| stage.freshness(informer)), [Freshness::Live; 3]);
    let requests = stage.requests();
    assert_eq!((count(&requests, "list pods"), count(&requests, "watch pods")), (0, 1), "{requests:?}");
    assert_eq!(stage.deliveries(0), ["Add n/a"]);
}

#[test]
fn active_watch_stays_live_during_the_suspicion_without_requests() {
    let stage = Stage::new(2);
    let mut version = 10;
    let mut live_for = |seconds: u64| {
        for _ in 0..seconds {
            stage.pass(1);
            version += 1;
            stage.send("pods", &[&format!("~n/a@{version}")]);
            stage.receive();
            stage.world.pass(Duration::from_millis(20));
            stage.receive();
            assert_eq!(stage.freshness(0), Freshness::Live, "at version {version}");
        }
    };
    live_for(40);
    stage.requests();
    stage.server(|server| server.draining = true);
    stage.start(2);
    live_for(40);
    let requests = stage.requests();
    assert!(requests.contains(&"probe services".to_owned()), "the other one was doubted: {requests:?}");
    assert!(!requests.iter().any(|request| request.ends_with(" pods")), "{requests:?}");
}

#[test]
fn unavailable_api_does_not_affect_others() {
    let stage = Stage::new(2);
    stage.server(|server| server.down = Some("nodes"));
    stage.start(2);
    for minute in 0..10 {
        for _ in 0..60 {
            stage.pass(1);
            assert_eq!([0, 1].map(|informer| stage.freshness(informer)), [Freshness::Live; 2], "minute {minute}");
        }
        stage.bookmarks();
    }
    let times = |server: &mut Server| {
        let requests = server.requests.iter().filter(|(_, request)| request == "get kube-system");
        requests.map(|(at, _)| *at).collect::<Vec<_>>()
    };
    let questions = stage.server(times);
    assert!(questions.windows(2).all(|two| two[1].saturating_sub(two[0]) >= Duration::from_secs(10)), "{questions:?}");
    let requests = stage.requests();
    assert!(questions.len() <= 1 + count(&requests, "list nodes"), "one for a refusal at most");
    assert_eq!((count(&requests, "list pods"), count(&requests, "probe pods")), (1, 0), "{requests:?}");
}

#[test]
fn replaced_cluster_is_relisted_even_if_it_accepts_the_watches() {
    let stage = Stage::new(2);
    stage.pass(40);
    assert_eq!(stage.deliveries(1), ["Add n/a"]);
    stage.requests();
    // Its versions are higher, so no version shows it; and no request is refused.
    stage.server(|server| (server.uid, server.version) = (Ok("c-2"), 5_000));
    stage.cut();
    stage.pass(2);
    assert_eq!([0, 1].map(|informer| stage.freshness(informer)), [Freshness::Live; 2]);
    let requests = stage.requests();
    assert_eq!(count(&requests, "get kube-system"), 1, "once for all: {requests:?}");
    assert_eq!((count(&requests, "list pods"), count(&requests, "list services")), (1, 1), "{requests:?}");
    let changes = stage.changes.take();
    for handler in 0..2 {
        assert_eq!(deliveries(changes.clone(), handler), ["Delete n/a", "Add n/a"], "another object of the same name");
    }
    // And it is known from now on.
    stage.cut();
    stage.pass(20);
    let requests = stage.requests();
    assert_eq!((count(&requests, "get kube-system"), count(&requests, "list pods")), (1, 0), "{requests:?}");
}

#[test]
fn outage_of_the_same_cluster_costs_one_probe_and_no_list() {
    let stage = Stage::new(3);
    stage.pass(40);
    stage.requests();
    stage.server(|server| server.draining = true);
    stage.cut();
    stage.pass(5);
    stage.server(|server| server.draining = false);
    stage.requests();
    stage.pass(30);
    let requests = stage.requests();
    assert!((1..=2).contains(&count(&requests, "get kube-system")), "{requests:?}");
    assert!(!requests.iter().any(|request| request.starts_with("list")), "{requests:?}");
    assert_eq!([0, 1, 2].map(|informer| stage.freshness(informer)), [Freshness::Live; 3]);
}

#[test]
fn list_in_pages_of_one_sends_no_probe() {
    let stage = Stage::new(1);
    let options = InformerOptions { page_size: Some(1), ..InformerOptions::default() };
    stage.session.receive(ToEngine::Informer { informer: 1, resource: "v1/services".into(), options });
    stage.session.receive(add_event_handler(1, 1));
    stage.session.receive(ToEngine::Start);
    stage.quiet(40);
    stage.requests();
    for _ in 0..2 {
        stage.send("services", &["error@410"]);
        stage.pass(5);
        stage.quiet(20);
    }
    let requests = stage.requests();
    assert_eq!((count(&requests, "list services"), count(&requests, "get kube-system")), (2, 0), "{requests:?}");
}

#[test]
fn cluster_that_hides_its_identity_is_relisted() {
    let stage = Stage::new(2);
    stage.quiet(40);
    stage.requests();
    stage.server(|server| server.draining = true);
    stage.cut();
    stage.pass(15);
    stage.server(|server| (server.draining, server.uid) = (false, Err(403)));
    stage.quiet(60);
    let requests = stage.requests();
    assert_eq!((count(&requests, "list pods"), count(&requests, "list services")), (1, 1), "{requests:?}");
    assert_eq!([0, 1].map(|informer| stage.freshness(informer)), [Freshness::Live; 2]);
}

#[test]
fn user_without_access_to_the_identity_probes_once() {
    for refusal in [403, 404] {
        let stage = Stage::with(Err(refusal), 2);
        for _ in 0..3 {
            stage.quiet(40);
            stage.server(|server| server.draining = true);
            stage.cut();
            stage.pass(15);
            stage.server(|server| server.draining = false);
            stage.quiet(60);
            assert_eq!([0, 1].map(|informer| stage.freshness(informer)), [Freshness::Live; 2]);
        }
        let requests = stage.requests();
        assert_eq!(count(&requests, "get kube-system"), 1, "{requests:?}");
        assert!(count(&requests, "get version") > 0, "that the server is away is found out all the same");
        assert_eq!(count(&requests, "list pods"), 1, "{requests:?}");
    }
}

#[test]
fn unanswered_probe_delays_no_informer() {
    let stage = Stage::with(Err(0), 2);
    for _ in 0..100 {
        stage.pass(1);
        assert_eq!([0, 1].map(|informer| stage.freshness(informer)), [Freshness::Live; 2]);
        stage.bookmarks();
    }
    let requests = stage.requests();
    assert!(count(&requests, "get kube-system") <= 3, "{requests:?}");
    assert_eq!(count(&requests, "list pods") + count(&requests, "probe pods"), 1, "{requests:?}");
}

#[test]
fn recovered_server_is_probed_at_once_after_an_unanswered_probe() {
    let stage = Stage::new(2);
    stage.quiet(40);
    stage.server(|server| server.draining = true);
    stage.cut();
    stage.pass(2);
    assert!(stage.requests().contains(&"get kube-system".to_owned()), "asked, and refused");
    stage.server(|server| server.draining = false);
    // Each ten seconds at most, except for a server that is back, as the response to this list shows.
    stage.start(2);
    stage.pass(2);
    let requests = stage.requests();
    assert_eq!(count(&requests, "get kube-system"), 1, "{requests:?}");
    // A server that has responded to the probe is not probed again because of another response.
    stage.pass(20);
    stage.requests();
    stage.start(3);
    stage.pass(2);
    let requests = stage.requests();
    assert_eq!((count(&requests, "list events"), count(&requests, "get kube-system")), (1, 0), "{requests:?}");
}

#[test]
fn objects_listed_since_the_first_error_stay_despite_later_errors() {
    let stage = Stage::new(1);
    stage.quiet(40);
    // It is another cluster from now on, but does not respond to the probe.
    stage.server(|server| server.uid = Err(0));
    stage.cut();
    stage.pass(3);
    stage.start(1);
    stage.pass(3);
    assert_eq!(stage.deliveries(1), ["Add n/a"]);
    // More trouble, before the question that the first one led to has timed out.
    stage.cut();
    stage.pass(3);
    stage.server(|server| server.uid = Ok("c-2"));
    stage.requests();
    stage.quiet(30);
    let requests = stage.requests();
    assert_eq!((count(&requests, "list pods"), count(&requests, "list services")), (1, 1), "{requests:?}");
    let changes = stage.changes.take();
    assert_eq!(deliveries(changes.clone(), 0), ["Delete n/a", "Add n/a"], "listed before: the old cluster's");
    assert_eq!(deliveries(changes, 1), ["Update n/a"], "listed since: compared with the next list");
}
