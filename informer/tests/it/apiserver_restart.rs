//! Restart of an apiserver, as of the real one: refused connections, then a server without history.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use futures::future::LocalBoxFuture;
use informer::clock::Clock;
use informer::clock::virtual_time::VirtualClock;
use informer::transport::scripted::{Reply, ScriptedTransport};
use informer::transport::{Request, Response, Transport};
use informer::{ErrorCode, Freshness, InformerError, ProtocolStep, ReflectorOptions, Result};

use crate::harness::{Feed, World, list, page, send};

/// Apiserver that is unreachable for a while, and then has the newest state and no history.
#[derive(Clone)]
struct RestartingServer {
    clock: VirtualClock,
    /// Time at which it is reachable again.
    returns_at: Rc<Cell<Duration>>,
    version: Rc<Cell<u32>>,
    feeds: Rc<RefCell<Vec<Feed>>>,
    requests: Rc<RefCell<Vec<(Duration, &'static str)>>>,
}

impl RestartingServer {
    fn new(clock: VirtualClock) -> Self {
        let (returns_at, version, feeds, requests) =
            (Rc::default(), Rc::new(Cell::new(10)), Rc::default(), Rc::default());
        Self { clock, returns_at, version, feeds, requests }
    }

    fn bookmark(&self) {
        let feeds = self.feeds.borrow();
        send(feeds.last().expect("watched"), &[&format!("bookmark@{}", self.version.get())]);
    }

    /// Stops the server; it returns after this time with a history that begins at a higher version.
    fn restart(&self, away: Duration) {
        self.returns_at.set(self.clock.now() + away);
        self.version.set(self.version.get() + 1_000);
        let feed = self.feeds.borrow_mut().pop().expect("watched");
        drop(feed.unbounded_send(Err(InformerError::new(ErrorCode::Network, "reset"))));
    }

    fn times(&self, verb: &str) -> Vec<Duration> {
        self.requests.borrow().iter().filter(|(_, request)| *request == verb).map(|(at, _)| *at).collect()
    }
}

impl Transport for RestartingServer {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response>> {
        let version = self.version.get();
        let old = !request.path.contains(&format!("resourceVersion={version}"));
        let (verb, reply) = match (request.stream, request.probe) {
            _ if self.clock.now() < self.returns_at.get() => ("refused", Reply::Refused),
            (true, _) => {
                let (feed, reply) = Reply::stream();
                if old {
                    send(&feed, &["error@410"]);
                }
                self.feeds.borrow_mut().push(feed);
                ("watch", reply)
            }
            (false, true) => ("probe", Reply::json(page(version, &[], ""))),
            (false, false) => ("list", Reply::json(list(version, &["n/a@1"]))),
        };
        self.requests.borrow_mut().push((self.clock.now(), verb));
        ScriptedTransport::new().reply(reply).send(request)
    }
}

/// Returns an informer that was live for this time, and its server.
fn live_for(minutes: u32) -> (World, RestartingServer, informer::SharedInformer<informer::Object>) {
    let mut world = World::new();
    let server = RestartingServer::new(world.clock.clone());
    world.runtime.transport = Rc::new(server.clone());
    let pods = world.pods_with(ReflectorOptions { consistent_lists: true, ..ReflectorOptions::default() });
    for _ in 0..minutes * 2 {
        world.pass(Duration::from_secs(30));
        server.bookmark();
    }
    world.settle();
    assert_eq!(pods.status().freshness, Freshness::Live);
    (world, server, pods)
}

#[test]
fn the_list_that_a_restart_makes_necessary_waits_no_longer_than_the_first_wait_whatever_the_outage_was() {
    for away in [1, 4, 8, 30, 120] {
        let (world, server, pods) = live_for(5);
        server.restart(Duration::from_secs(away));
        let returns_at = server.returns_at.get();
        world.settle();
        let mut seconds = 0;
        while pods.status().freshness != Freshness::Live {
            world.pass(Duration::from_secs(1));
            seconds += 1;
            assert!(seconds < away + 65, "{:?}", pods.status());
        }
        let (probe, lists) = (server.times("probe"), server.times("list"));
        assert_eq!((probe.len(), lists.len()), (1, 2), "away for {away} s");
        let wait = lists[1].saturating_sub(probe[0]);
        let first = Duration::from_millis(800)..Duration::from_millis(1_800);
        assert!(first.contains(&wait), "away for {away} s, back at {returns_at:?}: {wait:?}");
        let pause = pods.history().into_iter().rfind(|entry| entry.what == ProtocolStep::Pause);
        assert_eq!(pause.and_then(|pause| pause.code), Some(ErrorCode::Expired), "the inspector says what it was for");
    }
}

#[test]
fn a_second_and_a_third_restart_soon_after_the_first_are_over_as_fast() {
    let (world, server, pods) = live_for(5);
    for restart in 1..=4 {
        server.restart(Duration::from_secs(5));
        world.settle();
        while pods.status().freshness != Freshness::Live {
            world.pass(Duration::from_secs(1));
        }
        let wait = server.times("list")[restart].saturating_sub(server.times("probe")[restart - 1]);
        assert!(wait < Duration::from_millis(1_800), "restart {restart}: {wait:?}");
        world.pass(Duration::from_secs(20));
        server.bookmark();
        world.settle();
    }
}

#[test]
fn a_server_that_says_410_again_and_again_is_asked_ever_more_seldom() {
    let (world, server, _pods) = live_for(5);
    // Each watch is from an expired version.
    let lists = server.times("list").len();
    for _ in 0..3_600 {
        world.pass(Duration::from_secs(1));
        server.version.set(server.version.get() + 1);
        let feed = server.feeds.borrow_mut().pop();
        if let Some(feed) = feed.filter(|feed| !feed.is_closed()) {
            send(&feed, &["error@410"]);
        }
    }
    let lists = server.times("list").len() - lists;
    assert!((60..=130).contains(&lists), "{lists} lists in an hour");
}
