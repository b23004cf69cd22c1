//! Snapshots: persistence and restoration of caches.

mod cleared;
mod identity;
mod written;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use informer::clock::Clock;
use informer::clock::virtual_time::VirtualClock;
use informer::transport::scripted::{Reply, ScriptedTransport};
use informer::transport::user_headers::UserHeaders;
use informer::transport::{Request, Response, Transport};
use informer::{ErrorCode, Freshness, InformerError, InformerStatus, Result};
use informer_engine::engine::{Endpoint, Engine, LINGER, Session};
use informer_engine::message::{FromEngine, InformerOptions, PROTOCOL_VERSION, Read, ServerOptions, ToEngine};
use informer_engine::storage::memory::MemoryStorage;

use super::add_event_handler;
use crate::harness::{Feed, World, list, page, send, status};

/// Server that responds to requests for its identity; the script responds to all others.
#[derive(Clone)]
struct Server {
    script: ScriptedTransport,
    /// Uid of the cluster and name of the user; `None` while it is unreachable.
    identity: Rc<RefCell<Option<(&'static str, &'static str)>>>,
    clock: VirtualClock,
    /// Delay of the responses with an identity.
    delay: Rc<Cell<Duration>>,
    identity_requests: Rc<Cell<usize>>,
    /// Number of responses with the user.
    user_requests: Rc<Cell<usize>>,
}

impl Transport for Server {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response>> {
        let script = ScriptedTransport::new();
        let identity = *self.identity.borrow();
        match (&*request.path, identity) {
            (path, Some((uid, _))) if path.contains("/kube-system") => {
                script.reply(Reply::json(format!(r#"{{"metadata":{{"uid":"{uid}"}}}}"#)));
            }
            (path, Some((_, user))) if path.contains("selfsubjectreviews") => {
                self.user_requests.set(self.user_requests.get() + 1);
                script.reply(Reply::json(format!(r#"{{"status":{{"userInfo":{{"username":"{user}"}}}}}}"#)));
            }
            (path, None) if path.contains("/kube-system") => {
                self.identity_requests.set(self.identity_requests.get() + 1);
                script.reply(Reply::Refused);
            }
            _ => return self.script.send(request).boxed_local(),
        }
        let (pause, answer) = (self.clock.sleep(self.delay.get()), script.send(request));
        async move {
            pause.await;
            answer.await
        }
        .boxed_local()
    }
}

/// Life of a worker with a page. The next one begins with the persisted state.
struct Life {
    // Dropped before the world, because its tasks need the pool.
    session: Session,
    world: World,
    storage: MemoryStorage,
    server: Server,
    inbox: Rc<RefCell<Vec<FromEngine>>>,
}

impl Life {
    fn first() -> Self {
        Self::begin(World::new(), MemoryStorage::new(Rc::new(VirtualClock::new())), true)
    }

    /// Ends the worker without a message, and starts another one.
    fn reload(self) -> Self {
        self.reload_after(Duration::from_secs(1))
    }

    fn reload_after(self, pause: Duration) -> Self {
        let Self { session, world, storage, .. } = self;
        // It has no time to stop anything.
        std::mem::forget(session);
        let (now, world) = (world.clock.now(), World::new());
        world.clock.advance(now + pause);
        Self::begin(world, storage, true)
    }

    fn begin(world: World, storage: MemoryStorage, persist: bool) -> Self {
        Self::begin_at("http://localhost".into(), world, storage, persist)
    }

    fn begin_at(options: ServerOptions, world: World, storage: MemoryStorage, persist: bool) -> Self {
        let identity = Rc::new(RefCell::new(Some(("c-1", "jane"))));
        let (clock, delay) = (world.clock.clone(), Rc::default());
        let (identity_requests, user_requests) = Default::default();
        let server =
            Server { script: world.transport.clone(), identity, clock, delay, identity_requests, user_requests };
        let transport: Rc<dyn Transport> = Rc::new(server.clone());
        let (clock, spawn) = (world.runtime.clock.clone(), world.runtime.spawn.clone());
        let connector = Box::new(move |_: &Endpoint| transport.clone());
        let engine = Engine::with_storage(connector, clock, spawn, Rc::new(storage.clone()));
        let inbox = Rc::<RefCell<Vec<FromEngine>>>::default();
        let sent = Rc::clone(&inbox);
        let session = Session::new(engine, move |message| sent.borrow_mut().push(message));
        let life = Self { session, world, storage, server, inbox };
        life.send(ToEngine::Connect { version: PROTOCOL_VERSION, server: options, persist });
        life
    }

    /// The next life, of a page with other options.
    fn reload_as(self, options: ServerOptions) -> Self {
        let Self { session, storage, .. } = self;
        std::mem::forget(session);
        Self::begin_at(options, World::new(), storage, true)
    }

    fn send(&self, message: ToEngine) {
        self.session.receive(message);
    }

    /// Starts informer 1 with handler 4.
    fn start(&self, resource: &str) {
        let options = InformerOptions::default();
        self.send(ToEngine::Informer { informer: 1, resource: resource.into(), options });
        self.send(add_event_handler(1, 4));
        self.send(ToEngine::Start);
    }

    /// Starts an informer of pods, and waits until its snapshot is written.
    fn pods(&self, version: u32, objects: &[&str]) -> Feed {
        self.world.transport.reply(Reply::json(list(version, objects)));
        let feed = self.world.watch();
        self.start("v1/pods");
        self.world.pass(Duration::from_secs(3));
        assert!(self.storage.puts() >= 2, "a part and a header");
        self.inbox.take();
        feed
    }

    fn received(&self) -> Vec<FromEngine> {
        self.world.settle();
        self.world.pass(Duration::from_millis(300));
        self.inbox.take()
    }

    fn requests(&self) -> Vec<String> {
        self.world.requests()
    }
}

/// Returns the changes that the handler received, sorted: the objects of a cache are unordered.
fn deliveries(messages: Vec<FromEngine>) -> Vec<String> {
    let mut deliveries = super::deliveries(messages, 4);
    deliveries.sort();
    deliveries
}

fn last_status(messages: &[FromEngine]) -> InformerStatus {
    let status = |message: &FromEngine| match message {
        FromEngine::Status { status, .. } => Some(status.clone()),
        _ => None,
    };
    messages.iter().rev().find_map(status).expect("a status")
}

#[test]
fn no_user_is_shown_what_was_stored_for_another_one_or_for_an_unknown_one() {
    let headers = |token: &str| UserHeaders(vec![("Authorization".to_owned(), token.to_owned())]);
    let named = |user: &str| ServerOptions {
        user: Some(user.to_owned()),
        headers: headers("x"),
        ..ServerOptions::from("http://localhost")
    };
    let unnamed = || ServerOptions { headers: headers("x"), ..ServerOptions::from("http://localhost") };
    let asked = || ServerOptions { asks_headers: true, ..ServerOptions::from("http://localhost") };
    let begin = |options| Life::begin_at(options, World::new(), MemoryStorage::new(Rc::new(VirtualClock::new())), true);

    for (then, shown) in
        [(named("zoe"), 1), (named("jane"), 0), (unnamed(), 0), (asked(), 0), ("http://localhost".into(), 0)]
    {
        let first = begin(named("zoe"));
        first.pods(10, &["n/a@1"]);
        let case = format!("{then:?}");
        let second = first.reload_as(then);
        second.start("v1/pods");
        assert_eq!(deliveries(second.received()).len(), shown, "{case}");
    }
    let life = begin(unnamed());
    life.world.transport.reply(Reply::json(list(10, &["n/a@1"])));
    let _feed = life.world.watch();
    life.start("v1/pods");
    life.world.pass(Duration::from_secs(60));
    assert_eq!(life.storage.puts(), 0, "nothing is stored for constant headers without a name");
}

#[test]
fn reload_shows_the_snapshot_and_resumes_without_a_list() {
    let first = Life::first();
    let feed = first.pods(10, &["n/a@1", "n/b@2"]);
    send(&feed, &["+n/c@11", "-n/a@12"]);
    first.world.pass(Duration::from_secs(40));
    let written = first.world.clock.unix_ms();

    let second = first.reload();
    *second.server.identity.borrow_mut() = Some(("c-1", "jane"));
    second.world.probe(12);
    // The watch is not answered yet.
    second.start("v1/pods");
    let received = second.received();
    let status = last_status(&received);
    assert_eq!(deliveries(received), ["Add n/b", "Add n/c"], "rows before anything was answered");
    assert_eq!((status.has_synced, status.freshness), (false, Freshness::CatchingUp));
    assert!(status.last_contact_at.is_some_and(|at| at < written), "from when they were known");
    assert_eq!(second.requests(), ["list pods limit=1", "watch pods resourceVersion=12"], "no list");

    let third = second.reload();
    third.world.probe(12);
    let feed = third.world.watch();
    third.start("v1/pods");
    let status = last_status(&third.received());
    assert_eq!((status.has_synced, status.freshness), (true, Freshness::Live));
    assert_eq!((status.lists, status.objects, &*status.resource_version), (0, 2, "12"));
    send(&feed, &["-n/b@13"]);
    assert_eq!(deliveries(third.received()), ["Delete n/b"], "and goes on from there");
    third.world.pass(Duration::from_secs(40));

    let fourth = third.reload();
    fourth.world.probe(13);
    fourth.start("v1/pods");
    assert_eq!(deliveries(fourth.received()), ["Add n/c"]);
    assert_eq!(fourth.requests(), ["list pods limit=1", "watch pods resourceVersion=13"]);
}

#[test]
fn expired_version_of_a_snapshot_leads_to_a_list_with_missed_deletions() {
    let first = Life::first();
    first.pods(10, &["n/a@1", "n/b@2"]);
    let second = first.reload();
    second.world.probe(20);
    let feed = second.world.watch();
    send(&feed, &["error@410"]);
    second.world.transport.reply(Reply::json(list(20, &["n/b@2", "n/c@15"])));
    let _feed = second.world.watch();
    second.start("v1/pods");
    second.world.settle();
    second.world.pass(Duration::from_secs(2));
    let received = second.inbox.take();
    let unknown = |message: &FromEngine| matches!(message, FromEngine::Changes { changes, .. } if changes.iter().any(|change| change.final_state_unknown));
    assert!(received.iter().any(unknown));
    assert_eq!(deliveries(received), ["Add n/a", "Add n/b", "Add n/c", "Delete n/a"]);
    assert_eq!(second.requests()[..3], ["list pods limit=1", "watch pods resourceVersion=10", "list pods limit=500"]);
}

#[test]
fn incomplete_write_keeps_the_previous_snapshot() {
    let first = Life::first();
    let feed = first.pods(10, &["n/a@1"]);
    send(&feed, &["+n/b@11"]);
    // A part, and no header.
    first.storage.tear_after(1);
    first.world.pass(Duration::from_secs(60));
    let second = first.reload();
    second.storage.tear_after(usize::MAX);
    second.world.probe(10);
    second.start("v1/pods");
    assert_eq!(deliveries(second.received()), ["Add n/a"]);
    assert_eq!(second.requests(), ["list pods limit=1", "watch pods resourceVersion=10"]);
}

#[test]
fn damaged_snapshot_is_ignored_entirely() {
    let spoil: [fn(&str, &mut Vec<u8>) -> bool; 3] = [
        |key, bytes| !key.contains('#') || bytes.pop().is_none(),
        |key, bytes| key.contains('#') || bytes.iter_mut().rev().take(1).map(|byte| *byte ^= 4).count() == 1,
        |key, _| !key.contains('#'),
    ];
    for spoil in spoil {
        let first = Life::first();
        first.pods(10, &["n/a@1"]);
        first.storage.tamper(|entries| entries.retain(|key, bytes| spoil(key, bytes)));
        let second = first.reload();
        second.start("v1/pods");
        assert_eq!(deliveries(second.received()), Vec::<String>::new());
        assert_eq!(second.requests(), ["list pods limit=500"]);
    }
}

#[test]
fn slow_storage_delays_no_informer() {
    let first = Life::first();
    first.pods(10, &["n/a@1"]);
    let second = first.reload();
    let storage = MemoryStorage::new(Rc::new(second.world.clock.clone()));
    second.storage.tamper(|from| storage.tamper(|to| to.append(from)));
    let slow = Life::begin(second.world, storage, true);
    slow.storage.slow_down(Duration::from_secs(3));
    slow.world.transport.reply(Reply::json(list(20, &["n/b@15"])));
    let _feed = slow.world.watch();
    slow.start("v1/pods");
    slow.world.pass(Duration::from_secs(1));
    assert_eq!(slow.requests()[0], "list pods limit=500");
    slow.world.pass(Duration::from_secs(8));
    assert_eq!(deliveries(slow.inbox.take()), ["Add n/b"], "the snapshot comes too late to count");
}

#[test]
fn next_part_is_read_while_one_is_unpacked() {
    let first = Life::first();
    let pods: Vec<String> = (0..3_000).map(|n| format!("n/pod-{n}@1")).collect();
    first.pods(10, &pods.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(first.storage.puts() > 2, "two parts and a header");
    let second = first.reload();
    let storage = MemoryStorage::new(Rc::new(second.world.clock.clone()));
    second.storage.tamper(|from| storage.tamper(|to| to.append(from)));
    let slow = Life::begin(second.world, storage, true);
    slow.storage.slow_down(Duration::from_millis(100));
    slow.start("v1/pods");
    slow.world.settle();
    // One for the header, one for both parts; the first part is alone at first.
    slow.world.pass(Duration::from_millis(280));
    slow.inbox.take();
    slow.send(ToEngine::Read { request: 9, informer: 1, read: Read::ListKeys });
    let keys = slow.inbox.take().into_iter().find_map(|message| match message {
        FromEngine::Reply { request: 9, json } => Some(json.matches("n/pod-").count()),
        _ => None,
    });
    assert_eq!(keys, Some(3_000));
}

#[test]
fn sensitive_resources_are_never_written() {
    let sensitive = ["v1/secrets", "v1/configmaps", "bitnami.com/v1/sealedsecrets", "management.cattle.io/v3/tokens"];
    for resource in sensitive {
        let life = Life::first();
        life.world.transport.reply(Reply::json(list(10, &["n/a@1"])));
        let _feed = life.world.watch();
        life.start(resource);
        life.world.pass(Duration::from_secs(60));
        assert!(last_status(&life.received()).has_synced);
        assert_eq!(life.storage.puts(), 0, "{resource}");
    }
    let unasked = Life::begin(World::new(), MemoryStorage::new(Rc::new(VirtualClock::new())), false);
    unasked.world.transport.reply(Reply::json(list(10, &["n/a@1"])));
    let _feed = unasked.world.watch();
    unasked.start("v1/pods");
    unasked.world.pass(Duration::from_secs(60));
    assert_eq!(unasked.storage.puts(), 0, "nor without persistence");
}

#[test]
fn full_storage_is_reported_once_without_other_effects() {
    let life = Life::first();
    life.storage.limit(100);
    life.world.transport.reply(Reply::json(list(10, &["n/a@1"])));
    let feed = life.world.watch();
    life.start("v1/pods");
    life.world.pass(Duration::from_secs(3));
    send(&feed, &["+n/b@11"]);
    life.world.pass(Duration::from_secs(70));
    let received = life.inbox.take();
    let says = |message: &&FromEngine| matches!(message, FromEngine::Error { error, .. } if error.message.contains("storage is full"));
    let errors = received.iter().filter(says).count();
    assert_eq!((errors, life.storage.puts()), (1, 1), "one attempt");
    assert_eq!(last_status(&received).freshness, Freshness::Live);
    assert_eq!(deliveries(received), ["Add n/a", "Add n/b"]);
    life.storage.tamper(|entries| assert!(entries.is_empty(), "it makes room"));
}

#[test]
fn snapshot_is_written_rarely_and_without_objects_if_only_the_version_changed() {
    let life = Life::first();
    let feed = life.pods(10, &["n/a@1"]);
    let before = life.storage.puts();
    for version in 11..61 {
        send(&feed, &[&format!("~n/a@{version}")]);
        life.world.pass(Duration::from_secs(1));
    }
    let all = life.storage.puts() - before;
    assert!((2..=4).contains(&all), "once or twice in fifty seconds: {all}");
    // It was busy, and is seen to be quiet.
    life.world.probe(61);
    let feed = life.world.watch();
    life.world.pass(Duration::from_secs(5));
    send(&feed, &["bookmark@61"]);
    life.world.pass(Duration::from_secs(40));
    let before = life.storage.puts();
    life.world.pass(Duration::from_secs(40));
    assert_eq!(life.storage.puts(), before, "nothing new");
    send(&feed, &["bookmark@99"]);
    life.world.pass(Duration::from_secs(40));
    assert_eq!(life.storage.puts(), before + 1, "a header");
    let next = life.reload();
    next.world.probe(99);
    next.start("v1/pods");
    next.world.settle();
    assert_eq!(next.requests(), ["list pods limit=1", "watch pods resourceVersion=99"]);
    assert_eq!(deliveries(next.received()), ["Add n/a"]);
}

#[test]
fn stopped_informer_is_restored_as_it_was() {
    let life = Life::first();
    let feed = life.pods(10, &["n/a@1"]);
    send(&feed, &["+n/b@11"]);
    life.world.settle();
    life.send(ToEngine::Stop { informer: 1 });
    life.world.pass(LINGER + Duration::from_secs(1));
    life.inbox.take();
    life.world.probe(11);
    life.start("v1/pods");
    assert_eq!(deliveries(life.received()), ["Add n/a", "Add n/b"]);
    assert_eq!(life.requests().last().expect("asked"), "watch pods resourceVersion=11");
}

#[test]
fn shown_objects_disappear_when_a_later_part_is_damaged() {
    let first = Life::first();
    // Texts that do not compress, of more than a part altogether.
    let mut random = fastrand::Rng::with_seed(7);
    let mut object = |n: u32| {
        let text: String = std::iter::repeat_with(|| random.alphanumeric()).take(60_000).collect();
        format!(
            r#"{{"metadata":{{"name":"p{n}","namespace":"n","uid":"u{n}","resourceVersion":"1"}},"text":"{text}"}}"#
        )
    };
    let items: Vec<String> = (0..40).map(&mut object).collect();
    let pods = format!(
        r#"{{"kind":"PodList","apiVersion":"v1","metadata":{{"resourceVersion":"10"}},"items":[{}]}}"#,
        items.join(",")
    );
    first.world.transport.reply(Reply::json(pods));
    let _feed = first.world.watch();
    first.start("v1/pods");
    first.world.pass(Duration::from_secs(10));
    let status = last_status(&first.received());
    assert!(status.has_synced, "{status:?}");
    first.storage.tamper(|entries| {
        let last = entries.iter_mut().rfind(|(key, _)| key.contains('#')).expect("a part");
        assert!(!last.0.ends_with(".0"), "there are several");
        last.1.pop();
    });
    let second = first.reload();
    second.start("v1/pods");
    let received = deliveries(second.received());
    let count = |kind: &str| received.iter().filter(|delivery| delivery.starts_with(kind)).count();
    assert_eq!(count("Add"), count("Delete"), "{received:?}");
    assert_eq!(second.requests(), ["list pods limit=500"]);
}

#[test]
fn cache_of_permitted_namespaces_is_not_written() {
    let life = Life::first();
    life.world.transport.reply(status(403, "Forbidden", "not in all namespaces"));
    life.world.transport.reply(Reply::json(
        r#"{"kind":"NamespaceList","metadata":{"resourceVersion":"9"},"items":[{"metadata":{"name":"n"}}]}"#,
    ));
    life.world.transport.reply(Reply::json(list(10, &["n/a@1"])));
    let _feed = life.world.watch();
    life.start("v1/pods");
    life.world.pass(Duration::from_secs(60));
    life.send(ToEngine::Wake);
    let status = last_status(&life.received());
    assert_eq!(status.namespaces, ["n"], "{status:?} {:?}", life.requests());
    assert_eq!(life.storage.puts(), 0, "one day the user may list all of them");
}
