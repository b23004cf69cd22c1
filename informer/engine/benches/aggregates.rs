//! Benchmark: cost per watch event with many pods, with and without aggregates.
//!
//! `cargo bench --profile native -p informer-engine --bench aggregates -- 100000`
//!
//! The engine runs as in a worker, on scripted responses and virtual time. A page lists the pods and opens the
//! aggregates of an overview; each watch event is decoded, cached and counted. The cost of an event without aggregates,
//! measured in the same run, is subtracted. Times are CPU time; each figure is the median of several rounds.

// A program for people, and the harness of tests.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout, clippy::unwrap_used)]

#[expect(dead_code, reason = "the informer's own tests use all of it")]
#[path = "../../tests/it/harness.rs"]
mod harness;

use std::cell::Cell;
use std::fmt::Write;
use std::rc::Rc;
use std::time::Duration;

use futures::future::LocalBoxFuture;
use harness::{Feed, World};
use informer::InformerOptions;
use informer::transport::scripted::{Reply, ScriptedTransport};
use informer::transport::{Request, Response, Transport};
use informer_engine::engine::{Endpoint, Engine, Session};
use informer_engine::message::{AggregateOp, AggregateOptions, AggregateValue, FromEngine, PROTOCOL_VERSION, ToEngine};

/// Number of events in a round. All rounds together last less than the timeout of one watch.
const EVENTS: usize = 4_000;
const ROUNDS: usize = 5;
const FRAME: Duration = Duration::from_millis(17);
/// Number of events that a watch delivers at once.
const BURST: usize = 20;

fn pod(number: usize, version: usize) -> String {
    let (namespace, node) = (number % 200, number * 7 % 1_000);
    let (phase, restarts) = (["Running", "Pending", "Succeeded"][(number + version) % 3], (number + version) % 7);
    format!(
        r#"{{"kind":"Pod","apiVersion":"v1","metadata":{{"name":"pod-{number}","namespace":"ns-{namespace}","uid":"u{number}","resourceVersion":"{}","creationTimestamp":"2026-01-{:02}T00:00:00Z","labels":{{"app":"app-{}"}}}},"spec":{{"nodeName":"node-{node}","containers":[{{"name":"a","resources":{{"requests":{{"cpu":"{}m","memory":"{}Mi"}}}}}},{{"name":"b","resources":{{"requests":{{"cpu":"0.1","memory":"64Mi"}}}}}}]}},"status":{{"phase":"{phase}","podIP":"10.0.{}.{}","containerStatuses":[{{"name":"a","ready":true,"restartCount":{restarts},"state":{{"running":{{"startedAt":"2026-01-01T00:00:00Z"}}}}}}]}}}}"#,
        1_000 + version,
        1 + number % 28,
        number % 300,
        250 + version % 7,
        64 + number % 900,
        number / 250 % 250,
        number % 250,
    )
}

/// Aggregates of an overview, by name.
fn aggregates() -> Vec<(&'static str, AggregateOptions)> {
    let of = |op, column: &str| AggregateValue { op, column: column.to_owned() };
    let count = || of(AggregateOp::Count, "");
    let options = |by: &[&str], of: Vec<AggregateValue>, filter: &str| AggregateOptions {
        by: by.iter().map(|name| (*name).to_owned()).collect(),
        of,
        filter: filter.to_owned(),
        ..AggregateOptions::default()
    };
    let restarts = || vec![count(), of(AggregateOp::Sum, "restarts"), of(AggregateOp::Max, "restarts")];
    let columns = [("node", "{.spec.nodeName}"), ("cpu", "{.spec.containers[*].resources.requests.cpu}")];
    let columns = columns.map(|(name, path)| (name.to_owned(), path.to_owned())).into();
    vec![
        ("number of pods", options(&[], vec![count()], "")),
        ("count, sum and max by status", options(&["status"], restarts(), "")),
        ("count, sum and max by namespace", options(&["namespace"], restarts(), "")),
        (
            "count and min by node and status",
            options(&["node", "status"], vec![count(), of(AggregateOp::Min, "age")], ""),
        ),
        ("count by namespace of restarts>3", options(&["namespace"], vec![count()], "restarts>3")),
        ("count by status of age<30d", options(&["status"], vec![count()], "age<30d")),
        // In the bodies of the objects, which are decompressed for it.
        (
            "sum of a path by a path",
            AggregateOptions { columns, ..options(&["node"], vec![of(AggregateOp::Sum, "cpu")], "") },
        ),
    ]
}

/// Transport that responds to requests for the cluster's identity; the script responds to all others.
struct WithIdentity(ScriptedTransport);

impl Transport for WithIdentity {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, informer::Result<Response>> {
        if !request.path.contains("/kube-system") {
            return self.0.send(request);
        }
        let identity = ScriptedTransport::new();
        identity.reply(Reply::json(r#"{"metadata":{"uid":"c-1"}}"#)).send(request)
    }
}

/// Stage of the benchmark: an engine with one page, which lists pods.
struct Stage {
    world: World,
    session: Session,
    feed: Feed,
    received: Rc<Cell<(usize, usize)>>,
    /// Number of events so far, which gives the version of the next one.
    version: usize,
}

impl Stage {
    fn new(pods: usize) -> Self {
        let world = World::new();
        let transport = Rc::new(WithIdentity(world.transport.clone()));
        let connector = move |_: &Endpoint| -> Rc<dyn Transport> { transport.clone() };
        let engine = Engine::new(Box::new(connector), world.runtime.clock.clone(), world.runtime.spawn.clone());
        let mut list =
            String::from(r#"{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1000"},"items":["#);
        for number in 0..pods {
            let _ = write!(list, "{}{}", if number == 0 { "" } else { "," }, pod(number, 0));
        }
        list.push_str("]}");
        world.transport.reply(Reply::json(list));
        let feed = world.watch();
        let received = Rc::<Cell<(usize, usize)>>::default();
        let count = Rc::clone(&received);
        let session = Session::new(engine, move |message| {
            if let FromEngine::Patch { patch, .. } = message {
                let (patches, bytes) = count.get();
                count.set((patches + 1, bytes + patch.len()));
            }
        });
        session.receive(ToEngine::Connect {
            version: PROTOCOL_VERSION,
            server: "http://localhost".into(),
            persist: false,
        });
        let options = InformerOptions::default();
        session.receive(ToEngine::Informer { informer: 1, resource: "v1/pods".into(), options });
        session.receive(ToEngine::Start);
        world.settle();
        Self { world, session, feed, received, version: 0 }
    }

    /// Opens these aggregates. Returns the CPU time in seconds.
    fn open(&self, aggregates: Vec<AggregateOptions>) -> f64 {
        let start = cpu_time();
        for (view, options) in (10..).zip(aggregates) {
            self.session.receive(ToEngine::OpenAggregate { view, informer: 1, query_id: 1, options });
        }
        self.world.settle();
        self.world.pass(Duration::from_millis(300));
        cpu_time() - start
    }

    fn close(&self, aggregates: usize) {
        for view in (10..).take(aggregates) {
            self.session.receive(ToEngine::CloseView { view });
        }
    }

    /// Delivers a round of events, with a frame for each burst. Returns the CPU time per event in microseconds.
    fn round(&mut self, pods: usize) -> f64 {
        let mut bursts = Vec::new();
        for burst in 0..EVENTS / BURST {
            let mut lines = String::new();
            for event in 0..BURST {
                self.version += 1;
                let object = pod((burst * BURST + event) * 7_919 % pods, self.version);
                let _ = writeln!(lines, r#"{{"type":"MODIFIED","object":{object}}}"#);
            }
            bursts.push(lines.into_bytes());
        }
        let start = cpu_time();
        for burst in bursts {
            self.feed.unbounded_send(Ok(burst)).expect("the watch is open");
            self.world.settle();
            self.world.pass(FRAME);
        }
        (cpu_time() - start) * 1e6 / EVENTS as f64
    }
}

/// Returns the CPU time of this thread in seconds, which excludes other programs of the machine. Linux only.
fn cpu_time() -> f64 {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    let nanoseconds = statistics.split(' ').next().and_then(|number| number.parse::<f64>().ok());
    nanoseconds.expect("a number") / 1e9
}

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}

fn main() {
    let pods = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(100_000);
    let mut stage = Stage::new(pods);
    stage.round(pods);
    println!("{pods} pods; rounds of {EVENTS} events, a frame for {BURST}; medians of {ROUNDS} rounds");
    let all: Vec<AggregateOptions> = aggregates().into_iter().map(|(_, options)| options).take(6).collect();
    let single = aggregates().into_iter().map(|(name, options)| (name, vec![options]));
    for (name, opened) in single.chain([("the first six together", all)]) {
        let count = opened.len();
        let (mut without, mut with, mut opening) = (Vec::new(), Vec::new(), Vec::new());
        stage.received.set((0, 0));
        for _ in 0..ROUNDS {
            without.push(stage.round(pods));
            opening.push(stage.open(opened.clone()) * 1e3);
            with.push(stage.round(pods));
            stage.close(count);
        }
        let (patches, bytes) = stage.received.get();
        assert!(patches >= ROUNDS, "{name}: {patches} patches");
        let (without, with, opening) = (median(without), median(with), median(opening));
        println!(
            "{name}: {:.2} µs an event ({with:.2} µs with, {without:.2} µs without); opened in {opening:.0} ms; \
             {patches} patches of {} bytes",
            with - without,
            bytes / patches,
        );
    }
}
