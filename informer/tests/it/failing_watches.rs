//! Failing watches while lists succeed, for an hour each: requests stay bounded and the cache stays fresh.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use futures::future::LocalBoxFuture;
use futures::{FutureExt, StreamExt, stream};
use informer::clock::Clock;
use informer::clock::virtual_time::VirtualClock;
use informer::transport::scripted::{Reply, ScriptedTransport};
use informer::transport::{Request, Response, Transport};
use informer::{ErrorCode, Freshness, InformerError, Keyed, Object, ReflectorOptions, Result, SharedInformer};

use crate::harness::{World, list, object, status};

const HOUR: Duration = Duration::from_secs(3_600);

/// Response to a watch.
#[derive(Clone, Copy)]
enum Watch {
    /// An HTTP status with a Status as its body.
    Status(u16, &'static str),
    /// An HTTP status with plain text, as from a gateway.
    Plain(u16),
    Refused,
    /// No response.
    Silence,
    /// A stream with these lines, `NEWS` for an event that brings something new. It ends cleanly.
    Ends(&'static [&'static str]),
    /// A stream with these lines that breaks off.
    Breaks(&'static [&'static str]),
    /// A stream with these lines that stays open, with an event and a bookmark each second.
    Lives(&'static [&'static str]),
}

const NEWS: &str = "news";
const BOOKMARK: &str = "bookmark";
const GONE: &str = r#"{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}}"#;
const FAILED: &str = r#"{"type":"ERROR","object":{"kind":"Status","code":500,"reason":"InternalError"}}"#;
const BUSY: &str = r#"{"type":"ERROR","object":{"kind":"Status","code":429,"reason":"TooManyRequests"}}"#;
const GARBAGE: &str = "\u{0}garbage";
const INITIAL: &str = "initial";
const END: &str = "end";

/// Server that changes all the time, whose lists work and whose watches fail.
#[derive(Clone)]
struct Server {
    clock: VirtualClock,
    watch: Rc<Cell<Watch>>,
    stream: Rc<Cell<Watch>>,
    requests: Rc<RefCell<Vec<(&'static str, Duration)>>>,
}

impl Server {
    /// Returns the version, which increases each tenth of a second.
    fn version(&self) -> u32 {
        10 + u32::try_from(self.clock.now().as_millis() / 100).expect("an hour")
    }

    fn lines(&self, lines: &[&str]) -> Vec<u8> {
        let version = self.version();
        let line = |line: &&str| match *line {
            NEWS => format!("{{\"type\":\"MODIFIED\",\"object\":{}}}\n", object(&format!("n/a@{}", version + 1))),
            INITIAL => format!("{{\"type\":\"ADDED\",\"object\":{}}}\n", object(&format!("n/a@{version}"))),
            BOOKMARK => {
                let version = version + 1;
                format!("{{\"type\":\"BOOKMARK\",\"object\":{{\"metadata\":{{\"resourceVersion\":\"{version}\"}}}}}}\n")
            }
            END => {
                let annotations = r#"{"k8s.io/initial-events-end":"true"}"#;
                let metadata = format!(r#"{{"resourceVersion":"{version}","annotations":{annotations}}}"#);
                format!("{{\"type\":\"BOOKMARK\",\"object\":{{\"kind\":\"Pod\",\"metadata\":{metadata}}}}}\n")
            }
            line => format!("{line}\n"),
        };
        lines.iter().map(line).collect::<String>().into_bytes()
    }

    fn count(&self, verb: &str) -> usize {
        self.requests.borrow().iter().filter(|(verb_of_request, _)| *verb_of_request == verb).count()
    }

    /// Returns the maximum number of requests in any minute from a time on.
    fn busiest_minute(&self, from: Duration) -> usize {
        let requests = self.requests.borrow();
        let within = |at: Duration| requests.iter().filter(|(_, other)| (at..at + HOUR / 60).contains(other)).count();
        requests.iter().filter(|(_, at)| *at >= from).map(|(_, at)| within(*at)).max().unwrap_or(0)
    }
}

impl Transport for Server {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response>> {
        let (verb, watch) = match &request.path {
            path if path.contains("sendInitialEvents=true") => ("stream", self.stream.get()),
            path if path.contains("watch=true") => ("watch", self.watch.get()),
            path if path.ends_with("limit=1") => ("probe", Watch::Silence),
            _ => ("list", Watch::Silence),
        };
        self.requests.borrow_mut().push((verb, self.clock.now()));
        let respond = |body| {
            let response = Response {
                status: 200,
                content_type: Some("application/json".to_owned()),
                content_encoding: None,
                retry_after: None,
                body,
            };
            futures::future::ready(Ok(response)).boxed_local()
        };
        let reply = match watch {
            _ if !request.stream => Reply::json(list(self.version(), &[&format!("n/a@{}", self.version())])),
            Watch::Status(code, reason) => status(code, reason, "no watch now"),
            Watch::Plain(code) => Reply::Whole(code, "text/plain", b"upstream request timeout".to_vec()),
            Watch::Refused => Reply::Refused,
            Watch::Silence => Reply::Silence,
            Watch::Ends(lines) => return respond(stream::iter([Ok(self.lines(lines))]).boxed_local()),
            Watch::Breaks(lines) => {
                let reset = InformerError::new(ErrorCode::Network, "reset");
                return respond(stream::iter([Ok(self.lines(lines)), Err(reset)]).boxed_local());
            }
            Watch::Lives(lines) => {
                let first = stream::iter([Ok(self.lines(lines))]);
                let server = self.clone();
                let rest = stream::unfold(server, |server| async move {
                    server.clock.sleep(Duration::from_secs(1)).await;
                    let lines = server.lines(&[NEWS, BOOKMARK]);
                    Some((Ok(lines), server))
                });
                return respond(first.chain(rest).boxed_local());
            }
        };
        ScriptedTransport::new().reply(reply).send(request)
    }
}

/// Creates a world whose server responds to watches with `watch`, and to streaming lists with `stream`, if given.
fn world(watch: Watch, stream: Option<Watch>) -> (World, Server, SharedInformer<Object>) {
    let mut world = World::new();
    let server = Server {
        clock: world.clock.clone(),
        watch: Rc::new(Cell::new(watch)),
        stream: Rc::new(Cell::new(stream.unwrap_or(Watch::Silence))),
        requests: Rc::default(),
    };
    world.runtime.transport = Rc::new(server.clone());
    let pods = world.pods_with(ReflectorOptions { watch_list: stream.is_some(), ..ReflectorOptions::default() });
    (world, server, pods)
}

/// Returns the age of the cache relative to the server.
fn age(server: &Server, pods: &SharedInformer<Object>) -> Duration {
    let indexer = pods.indexer();
    let cached = indexer.get_by_key("n/a").map_or(0, |object| object.resource_version().parse().expect("a number"));
    Duration::from_millis(100) * server.version().saturating_sub(cached)
}

/// Advances the time and returns the maximum age of the cache.
fn oldest(world: &World, server: &Server, pods: &SharedInformer<Object>, time: Duration) -> Duration {
    let mut oldest = Duration::ZERO;
    let end = world.clock.now() + time;
    while world.clock.now() < end {
        world.pass(Duration::from_millis(100));
        oldest = oldest.max(age(server, pods));
    }
    oldest
}

/// Runs an hour with a server whose watches fail: prints the requests, and checks the common requirements.
fn an_hour(what: &str, watch: Watch, stream: Option<Watch>) -> (World, Server, SharedInformer<Object>) {
    let (world, server, pods) = world(watch, stream);
    let oldest = oldest(&world, &server, &pods, HOUR);
    let requests = server.requests.borrow().len();
    let counts: Vec<String> =
        ["list", "probe", "watch", "stream"].map(|verb| format!("{} {verb}", server.count(verb))).into();
    println!("{what}: {}, at most {} s old", counts.join(", "), oldest.as_secs());
    assert!(pods.has_synced(), "{what}");
    // A busy server is spared lists for longer.
    let patience = if what.contains("throttled") { 120 } else { 80 };
    assert!(oldest <= Duration::from_secs(patience), "{what}: {oldest:?} old, {counts:?}");
    assert!(requests <= 320, "{what}: {counts:?}");
    // At the cap, which is reached within the first minutes.
    let busiest = server.busiest_minute(HOUR / 12);
    assert!(busiest <= 8, "{what}: {busiest} requests in a minute");
    (world, server, pods)
}

#[test]
fn a_watch_that_does_not_open_is_polled_and_the_status_says_so() {
    for (what, watch, code) in [
        ("500", Watch::Status(500, "InternalError"), ErrorCode::Internal),
        ("501", Watch::Status(501, ""), ErrorCode::Internal),
        ("503", Watch::Status(503, "ServiceUnavailable"), ErrorCode::Internal),
        ("504", Watch::Status(504, "Timeout"), ErrorCode::Timeout),
        ("429", Watch::Status(429, "TooManyRequests"), ErrorCode::Throttled),
        ("503 of a gateway", Watch::Plain(503), ErrorCode::Network),
        ("no connection", Watch::Refused, ErrorCode::Network),
        ("no answer", Watch::Silence, ErrorCode::Timeout),
        ("410", Watch::Status(410, "Expired"), ErrorCode::Expired),
    ] {
        let (_world, server, pods) = an_hour(what, watch, None);
        let status = pods.status();
        assert_eq!(
            (status.freshness, status.last_error.map(|error| error.code)),
            (Freshness::Polling, Some(code)),
            "{what}"
        );
        let watches = server.count("watch");
        assert!((8..=30).contains(&watches), "{what}: the watch is tried now and then, not {watches} times");
    }
}

#[test]
fn a_watch_that_opens_and_fails_before_it_said_anything_is_polled_too() {
    for (what, watch, code) in [
        ("broken off at once", Watch::Breaks(&[]), ErrorCode::Network),
        ("ended at once", Watch::Ends(&[]), ErrorCode::Internal),
        ("ERROR 410", Watch::Ends(&[GONE]), ErrorCode::Expired),
        ("ERROR 500", Watch::Ends(&[FAILED]), ErrorCode::Internal),
        ("ERROR 429", Watch::Ends(&[BUSY]), ErrorCode::Throttled),
        ("garbage", Watch::Ends(&[GARBAGE]), ErrorCode::Decode),
    ] {
        let (_world, _server, pods) = an_hour(what, watch, None);
        let status = pods.status();
        assert_eq!(
            (status.freshness, status.last_error.map(|error| error.code)),
            (Freshness::Polling, Some(code)),
            "{what}"
        );
    }
}

#[test]
fn progress_inside_a_failing_cycle_does_not_reset_backoff() {
    for (what, watch) in [
        ("an event and ERROR 410", Watch::Ends(&[NEWS, GONE])),
        ("an event and ERROR 500", Watch::Ends(&[NEWS, FAILED])),
        ("an event and ERROR 429", Watch::Ends(&[NEWS, BUSY])),
        ("an event and garbage", Watch::Ends(&[NEWS, GARBAGE])),
        ("an event and the end", Watch::Ends(&[NEWS])),
        ("an event and a break", Watch::Breaks(&[NEWS])),
    ] {
        an_hour(what, watch, None);
    }
}

#[test]
fn streaming_lists_that_fail_repeatedly_send_a_bounded_number_of_requests() {
    for (what, stream, watch) in [
        ("streamed, and ERROR 500", Watch::Ends(&[INITIAL, END, FAILED]), Watch::Ends(&[FAILED])),
        ("streamed, an event and ERROR 410", Watch::Ends(&[INITIAL, END, NEWS, GONE]), Watch::Ends(&[GONE])),
        ("the stream always ends before its end bookmark", Watch::Ends(&[INITIAL]), Watch::Ends(&[GONE])),
        ("the stream always breaks off", Watch::Breaks(&[INITIAL]), Watch::Ends(&[NEWS, GONE])),
        ("a gateway refuses streams", Watch::Plain(503), Watch::Plain(503)),
        ("streams are throttled", Watch::Status(429, "TooManyRequests"), Watch::Status(429, "TooManyRequests")),
        ("streams are not answered", Watch::Silence, Watch::Silence),
    ] {
        an_hour(what, watch, Some(stream));
    }
}

#[test]
fn a_watch_that_works_again_ends_the_polling_by_itself() {
    for watch in [Watch::Status(503, "ServiceUnavailable"), Watch::Plain(503), Watch::Breaks(&[]), Watch::Silence] {
        let (world, server, pods) = world(watch, None);
        oldest(&world, &server, &pods, HOUR / 2);
        assert_eq!(pods.status().freshness, Freshness::Polling);
        server.watch.set(Watch::Lives(&[]));
        let mut waited = Duration::ZERO;
        while pods.status().freshness != Freshness::Live {
            world.pass(Duration::from_secs(1));
            waited += Duration::from_secs(1);
            assert!(waited <= Duration::from_secs(660), "{:?}", pods.status());
        }
        let lists = pods.status().lists;
        assert!(oldest(&world, &server, &pods, HOUR / 6) <= Duration::from_secs(2));
        assert_eq!((pods.status().lists, pods.status().last_error), (lists, None));
    }
}

#[test]
fn one_refused_watch_costs_seconds_and_no_polling() {
    for (what, refusals) in [("one", 1), ("two", 2)] {
        for watch in
            [Watch::Status(503, "ServiceUnavailable"), Watch::Plain(503), Watch::Status(429, "TooManyRequests")]
        {
            let (world, server, pods) = world(watch, None);
            while server.count("watch") < refusals {
                world.pass(Duration::from_millis(100));
            }
            server.watch.set(Watch::Lives(&[]));
            world.pass(Duration::from_secs(4));
            assert_eq!(pods.status().freshness, Freshness::Live, "{what}: {:?}", server.requests.borrow());
            assert!(pods.status().lists <= 2, "{what}: {:?}", server.requests.borrow());
        }
    }
}
