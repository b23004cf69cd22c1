//! Many informers over the few connections of a browser.

mod delayed_headers;
mod own_limit;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use futures::channel::mpsc::{UnboundedSender, unbounded};
use futures::executor::LocalPool;
use futures::future::{LocalBoxFuture, ready};
use futures::task::LocalSpawnExt;
use futures::{FutureExt, StreamExt};
use informer::clock::virtual_time::VirtualClock;
use informer::transport::budget::{Budget, BudgetOptions, host};
use informer::transport::connection_slot::Carrier;
use informer::transport::connections::ConnectionUse;
use informer::transport::{Request, Response, Transport};
use informer::{
    ErrorCode, Freshness, InformerError, InformerKey, InformerMode, InformerOptions, Object, ReflectorOptions, Result,
    Runtime, SharedInformer, SharedInformerFactory,
};

const TURN: Duration = Duration::from_secs(5);

type Feed = UnboundedSender<Result<Vec<u8>>>;

/// Apiserver with empty lists, whose watches deliver later objects.
#[derive(Default)]
struct Server {
    /// Namespaces in which a pod was created, one per version from 2 on, because 0 is not a version.
    created: RefCell<Vec<String>>,
    /// Watched namespaces, with their watchers.
    watches: RefCell<Vec<(String, Feed)>>,
    responds_to_lists: Cell<bool>,
    lists: Cell<usize>,
}

fn line(namespace: &str, version: usize) -> Vec<u8> {
    let meta = format!(r#"{{"name":"pod-{version}","namespace":"{namespace}","resourceVersion":"{version}"}}"#);
    format!("{{\"type\":\"ADDED\",\"object\":{{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{meta}}}}}\n").into()
}

impl Server {
    fn create(&self, namespace: &str) {
        self.created.borrow_mut().push(namespace.to_owned());
        let version = self.created.borrow().len() + 1;
        for (_, feed) in self.watches.borrow().iter().filter(|(watched, _)| watched == namespace) {
            // A closed watch does not receive it.
            let _ = feed.unbounded_send(Ok(line(namespace, version)));
        }
    }

    fn watch(&self, namespace: &str, from: usize) -> Response {
        let (feed, body) = unbounded();
        for (at, created) in self.created.borrow().iter().enumerate().skip(from - 1) {
            if created == namespace {
                feed.unbounded_send(Ok(line(namespace, at + 2))).expect("it is open");
            }
        }
        self.watches.borrow_mut().push((namespace.to_owned(), feed));
        response(body.boxed_local())
    }

    /// Returns the number of open watches.
    fn open(&self) -> usize {
        self.watches.borrow_mut().retain(|(_, feed)| !feed.is_closed());
        self.watches.borrow().len()
    }
}

fn response(body: futures::stream::LocalBoxStream<'static, Result<Vec<u8>>>) -> Response {
    let content_type = Some("application/json".to_owned());
    Response { status: 200, content_type, content_encoding: None, retry_after: None, body }
}

/// Transport to the server that counts its requests.
struct CountingTransport {
    server: Rc<Server>,
    watches: Rc<Cell<usize>>,
    rejects: Cell<bool>,
    withholds_heads: Cell<bool>,
    compresses: Cell<bool>,
    multiplexed: bool,
    /// Number of calls of `is_multiplexed`.
    multiplex_checks: Cell<usize>,
}

impl CountingTransport {
    fn to(server: &Rc<Server>) -> Rc<Self> {
        let (server, watches) = (Rc::clone(server), Rc::default());
        Rc::new(Self {
            server,
            watches,
            rejects: Cell::new(false),
            withholds_heads: Cell::default(),
            compresses: Cell::default(),
            multiplexed: false,
            multiplex_checks: Cell::default(),
        })
    }
}

impl Transport for CountingTransport {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response>> {
        let namespace = request.path.split('/').nth(4).unwrap_or_default().to_owned();
        if request.stream {
            self.watches.set(self.watches.get() + 1);
        }
        if self.rejects.get() {
            return ready(Err(InformerError::new(ErrorCode::Network, "refused"))).boxed_local();
        }
        if request.stream && self.withholds_heads.get() {
            return futures::future::pending().boxed_local();
        }
        if let Some((_, version)) = request.path.split_once("&resourceVersion=").filter(|_| request.stream) {
            let watch = self.server.watch(&namespace, version.parse().expect("a number"));
            let content_encoding = self.compresses.get().then(|| "gzip".to_owned());
            return ready(Ok(Response { content_encoding, ..watch })).boxed_local();
        }
        self.server.lists.set(self.server.lists.get() + 1);
        if !self.server.responds_to_lists.get() {
            return futures::future::pending().boxed_local();
        }
        let version = self.server.created.borrow().len() + 1;
        let body = format!(
            r#"{{"kind":"PodList","apiVersion":"v1","metadata":{{"resourceVersion":"{version}"}},"items":[]}}"#
        );
        ready(Ok(response(futures::stream::iter([Ok(body.into_bytes())]).boxed_local()))).boxed_local()
    }

    fn is_multiplexed(&self) -> bool {
        self.multiplex_checks.set(self.multiplex_checks.get() + 1);
        self.multiplexed
    }

    /// As of a browser's `fetch`. The server answers in JSON, as over a WebSocket.
    fn accepts_protobuf(&self) -> bool {
        true
    }
}

struct Scene {
    pool: RefCell<LocalPool>,
    clock: VirtualClock,
    server: Rc<Server>,
    transport: Rc<dyn Transport>,
    factory: SharedInformerFactory<Object>,
}

impl Scene {
    fn new(make: impl FnOnce(&Rc<Server>) -> (Rc<CountingTransport>, Option<Rc<CountingTransport>>)) -> Self {
        let (pool, clock, server) = (LocalPool::new(), VirtualClock::new(), Rc::new(Server::default()));
        server.responds_to_lists.set(true);
        let (http, sockets) = make(&server);
        let sockets = sockets.map(|sockets| sockets as Rc<dyn Transport>);
        let options = BudgetOptions { turn: TURN, ..BudgetOptions::default() };
        let transport: Rc<dyn Transport> = Rc::new(Budget::new(http, sockets, Rc::new(clock.clone()), options));
        let spawner = pool.spawner();
        let runtime = Runtime {
            transport: Rc::clone(&transport),
            clock: Rc::new(clock.clone()),
            spawn: Rc::new(move |task| spawner.spawn_local(task).expect("the pool lives")),
        };
        let options = ReflectorOptions { consistent_lists: true, ..ReflectorOptions::default() };
        Self {
            pool: RefCell::new(pool),
            clock,
            server,
            transport,
            factory: SharedInformerFactory::new(runtime, options),
        }
    }

    fn informer(&self, namespace: &str, mode: InformerMode) -> (InformerKey, SharedInformer<Object>) {
        let options = InformerOptions { namespace: Some(namespace.into()), mode, ..InformerOptions::default() };
        self.factory.for_resource("v1/pods".parse().expect("valid"), options).expect("valid")
    }

    fn informers(&self, count: usize) -> Vec<(InformerKey, SharedInformer<Object>)> {
        let informers = (0..count).map(|n| self.informer(&format!("n{n}"), InformerMode::Object)).collect();
        self.factory.start();
        self.pass(Duration::from_millis(100));
        informers
    }

    fn pass(&self, time: Duration) {
        let mut left = time;
        while !left.is_zero() {
            self.pool.borrow_mut().run_until_stalled();
            let step = left.min(Duration::from_millis(100));
            self.clock.advance(step);
            left -= step;
        }
        self.pool.borrow_mut().run_until_stalled();
    }
}

fn count(informers: &[(InformerKey, SharedInformer<Object>)], freshness: Freshness) -> usize {
    informers.iter().filter(|(_, informer)| informer.status().freshness == freshness).count()
}

/// Returns the number of informers whose watch uses this carrier.
fn count_on(informers: &[(InformerKey, SharedInformer<Object>)], carrier: Carrier) -> usize {
    informers.iter().filter(|(_, informer)| informer.traffic().carrier == Some(carrier)).count()
}

fn all_have(informers: &[(InformerKey, SharedInformer<Object>)], objects: u64) -> bool {
    informers.iter().all(|(_, informer)| informer.status().objects == objects)
}

#[test]
fn forty_informers_over_four_connections_and_sockets_are_all_live() {
    let scene = Scene::new(|server| (CountingTransport::to(server), Some(CountingTransport::to(server))));
    let informers = scene.informers(40);
    assert_eq!(count(&informers, Freshness::Live), 40);
    assert_eq!(scene.server.open(), 40);
    assert_eq!((count_on(&informers, Carrier::Fetch), count_on(&informers, Carrier::WebSocket)), (4, 36));
    (0..40).for_each(|n| scene.server.create(&format!("n{n}")));
    scene.pass(Duration::from_millis(100));
    assert!(all_have(&informers, 1));
}

#[test]
fn without_sockets_watches_time_share_visibly_without_loss() {
    let scene = Scene::new(|server| (CountingTransport::to(server), None));
    let informers = scene.informers(40);
    let errors = Rc::new(Cell::new(0));
    let counter = Rc::clone(&errors);
    let count_error = move |event: &informer::InformerEvent| {
        counter.set(counter.get() + usize::from(matches!(event, informer::InformerEvent::Error(_))));
    };
    let _observers: Vec<_> = informers.iter().map(|(_, informer)| informer.observe(count_error.clone())).collect();
    // Each turn changes four of them, so each has had one after ten; for a quarter of an hour.
    for round in 1..=15 {
        (0..40).for_each(|n| scene.server.create(&format!("n{n}")));
        for _ in 0..60 {
            scene.pass(Duration::from_secs(1));
            assert!(scene.server.open() <= 4);
            assert_eq!(count(&informers, Freshness::Live), 4);
            assert_eq!(count(&informers, Freshness::Queued), 36);
            assert_eq!((count_on(&informers, Carrier::Fetch), count_on(&informers, Carrier::WebSocket)), (4, 0));
            let connections = scene.transport.connections().expect("they are counted");
            assert_eq!(connections.streams, ConnectionUse { used: 4, limit: 4, queued: 36 });
            assert_eq!((connections.requests.used, connections.multiplexed), (0, false));
        }
        assert!(all_have(&informers, round), "round {round}");
    }
    assert_eq!(errors.get(), 0);
    assert!(informers.iter().all(|(_, informer)| informer.status().relists == 0), "turns are no reason to list again");
}

#[test]
fn four_watches_are_never_revoked() {
    let scene = Scene::new(|server| (CountingTransport::to(server), None));
    let informers = scene.informers(4);
    scene.pass(Duration::from_secs(60));
    assert!(informers.iter().all(|(_, informer)| informer.status().watches == 1));
}

#[test]
fn lists_wait_for_two_connections_without_being_late() {
    let scene = Scene::new(|server| (CountingTransport::to(server), None));
    scene.server.responds_to_lists.set(false);
    let informers = scene.informers(5);
    // Two lists hang; those that were not sent are not late, however long it takes.
    assert_eq!((scene.server.lists.get(), count(&informers, Freshness::Queued)), (2, 3));
    scene.pass(Duration::from_secs(59));
    assert_eq!((scene.server.lists.get(), count(&informers, Freshness::Queued)), (2, 3));
    scene.server.responds_to_lists.set(true);
    scene.pass(Duration::from_secs(10));
    assert!(informers.iter().all(|(_, informer)| informer.has_synced()));
}

#[test]
fn cancelled_request_in_the_queue_leaks_no_connection() {
    let scene = Scene::new(|server| (CountingTransport::to(server), None));
    let mut informers = scene.informers(12);
    for (key, _) in informers.drain(2..10) {
        scene.factory.release(&key);
    }
    scene.pass(Duration::from_secs(30));
    assert_eq!((count(&informers, Freshness::Live), scene.server.open()), (4, 4));
}

#[test]
fn a_refused_socket_is_not_tried_again_for_ten_minutes() {
    let sockets = Rc::new(RefCell::new(None));
    let made = Rc::clone(&sockets);
    let scene = Scene::new(|server| {
        let transport = CountingTransport::to(server);
        transport.rejects.set(true);
        *made.borrow_mut() = Some(Rc::clone(&transport));
        (CountingTransport::to(server), Some(transport))
    });
    let sockets = sockets.borrow().clone().expect("made");
    let informers = scene.informers(8);
    // Four find no connection and try one each, and the four whose turn is over, before the cause is known.
    scene.pass(Duration::from_secs(30));
    assert_eq!((sockets.watches.get(), count(&informers, Freshness::Queued)), (8, 4));
    scene.pass(Duration::from_secs(540));
    assert_eq!(sockets.watches.get(), 8);
    sockets.rejects.set(false);
    scene.pass(Duration::from_secs(60));
    assert_eq!(count(&informers, Freshness::Live), 8);
}

#[test]
fn a_socket_that_never_opens_is_as_good_as_refused() {
    let scene = Scene::new(|server| {
        let transport = CountingTransport::to(server);
        transport.withholds_heads.set(true);
        (CountingTransport::to(server), Some(transport))
    });
    let informers = scene.informers(8);
    scene.pass(Duration::from_secs(30));
    assert_eq!((count(&informers, Freshness::Live), count(&informers, Freshness::Queued)), (4, 4));
    (0..8).for_each(|n| scene.server.create(&format!("n{n}")));
    scene.pass(TURN * 4);
    assert!(all_have(&informers, 1), "they take turns");
}

#[test]
fn waiting_for_a_list_does_not_poll() {
    let http = Rc::new(RefCell::new(None));
    let made = Rc::clone(&http);
    let scene = Scene::new(|server| {
        let transport = CountingTransport::to(server);
        *made.borrow_mut() = Some(Rc::clone(&transport));
        (transport, None)
    });
    let http = http.borrow().clone().expect("made");
    scene.server.responds_to_lists.set(false);
    let informers = scene.informers(5);
    let before = http.multiplex_checks.get();
    scene.pass(Duration::from_secs(50));
    assert_eq!(count(&informers, Freshness::Queued), 3);
    assert!(http.multiplex_checks.get() - before <= 3 * 11, "{} checks", http.multiplex_checks.get() - before);
}

#[test]
fn two_servers_behind_one_host_share_its_connections() {
    let (clock, server) = (VirtualClock::new(), Rc::new(Server::default()));
    let transport = || CountingTransport::to(&server) as Rc<dyn Transport>;
    let one = Budget::new(transport(), None, Rc::new(clock.clone()), BudgetOptions::default());
    let other = one.beside(transport(), None, BudgetOptions::default());
    let watch = |namespace: usize| {
        Request::get(format!("/api/v1/namespaces/n{namespace}/pods?watch=true&resourceVersion=1")).streaming()
    };
    let mut open: Vec<_> = (0..3).map(|n| one.send(watch(n)).now_or_never().expect("answered")).collect();
    open.push(other.send(watch(3)).now_or_never().expect("answered"));
    assert!(other.send(watch(4)).now_or_never().is_none() && one.send(watch(5)).now_or_never().is_none());
    open.clear();
    assert!(other.send(watch(4)).now_or_never().is_some());
}

#[test]
fn a_server_that_compresses_watches_is_watched_over_sockets() {
    let http = Rc::new(RefCell::new(None));
    let made = Rc::clone(&http);
    let scene = Scene::new(|server| {
        let transport = CountingTransport::to(server);
        transport.compresses.set(true);
        *made.borrow_mut() = Some(Rc::clone(&transport));
        (transport, Some(CountingTransport::to(server)))
    });
    let http = http.borrow().clone().expect("made");
    let informers = scene.informers(2);
    assert_eq!((count(&informers, Freshness::Live), scene.server.open()), (2, 2));
    let requests = http.watches.get();
    let later = [scene.informer("later", InformerMode::Object)];
    scene.factory.start();
    scene.pass(Duration::from_millis(100));
    assert_eq!((count(&later, Freshness::Live), http.watches.get()), (1, requests), "it is remembered");
}

#[test]
fn metadata_takes_the_connection_of_a_watch_that_continues_over_a_socket() {
    let scene = Scene::new(|server| (CountingTransport::to(server), Some(CountingTransport::to(server))));
    let plain = scene.informers(4);
    assert_eq!(count_on(&plain, Carrier::Fetch), 4);
    let metadata: Vec<_> = ["m", "n"].map(|namespace| scene.informer(namespace, InformerMode::Metadata)).into();
    scene.factory.start();
    // At once, before any turn is over.
    scene.pass(Duration::from_millis(500));
    assert_eq!((count(&metadata, Freshness::Live), count_on(&metadata, Carrier::Fetch)), (2, 2));
    assert_eq!(count(&plain, Freshness::Live), 4);
    assert_eq!((count_on(&plain, Carrier::Fetch), count_on(&plain, Carrier::WebSocket)), (2, 2));
    (0..4).for_each(|n| scene.server.create(&format!("n{n}")));
    scene.pass(Duration::from_millis(100));
    assert!(all_have(&plain, 1));
    scene.pass(Duration::from_secs(60));
    assert_eq!((count(&plain, Freshness::Live), count(&metadata, Freshness::Live)), (4, 2), "none is revoked again");
    assert!(plain.iter().all(|(_, informer)| informer.status().watches <= 2 && informer.status().relists == 0));
}

#[test]
fn metadata_takes_turns_with_itself() {
    let scene = Scene::new(|server| (CountingTransport::to(server), Some(CountingTransport::to(server))));
    let metadata: Vec<_> = (0..5).map(|n| scene.informer(&format!("m{n}"), InformerMode::Metadata)).collect();
    scene.factory.start();
    scene.pass(Duration::from_secs(1));
    assert_eq!((count(&metadata, Freshness::Live), count(&metadata, Freshness::Queued)), (4, 1));
    let queued = || metadata.iter().position(|(_, informer)| informer.status().freshness == Freshness::Queued);
    let before = queued();
    scene.pass(TURN);
    assert_ne!(queued(), before);
    assert_eq!(count(&metadata, Freshness::Live), 4);
}

#[test]
fn requests_over_a_multiplexed_connection_are_not_queued() {
    let scene = Scene::new(|server| {
        let transport = CountingTransport {
            multiplexed: true,
            ..Rc::try_unwrap(CountingTransport::to(server)).ok().expect("the only owner")
        };
        (Rc::new(transport), None)
    });
    let informers = scene.informers(40);
    assert_eq!((count(&informers, Freshness::Live), scene.server.open()), (40, 40), "{:?}", informers[0].1.status());
}

#[test]
fn hosts_are_identified_by_scheme_and_host() {
    for (url, expected) in [
        ("http://localhost:8001", "http://localhost:8001"),
        ("https://gateway.example/clusters/a", "https://gateway.example"),
        ("https://gateway.example/clusters/b", "https://gateway.example"),
        ("http://[::1]:8001/", "http://[::1]:8001"),
    ] {
        assert_eq!(host(url), expected);
    }
}
