//! Test harness: one informer, a scripted apiserver, and a clock that a test moves.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use futures::channel::mpsc::UnboundedSender;
use futures::executor::LocalPool;
use futures::task::LocalSpawnExt;
use informer::clock::Clock;
use informer::clock::virtual_time::VirtualClock;
use informer::transport::scripted::{Reply, ScriptedTransport};
use informer::{
    InformerError, InformerEvent, InformerOptions, Keyed, Object, Observer, ReflectorOptions, Registration,
    ResourceEventHandler, ResourceListerWatcher, Result, Runtime, SharedInformer, SharedInformerFactory,
    SharedInformerOptions,
};

/// Sender of an open watch; dropping it ends the stream cleanly.
pub(crate) type Feed = UnboundedSender<Result<Vec<u8>>>;

pub(crate) struct World {
    pool: RefCell<LocalPool>,
    pub(crate) clock: VirtualClock,
    pub(crate) transport: ScriptedTransport,
    pub(crate) runtime: Runtime,
    pub(crate) factory: SharedInformerFactory<Object>,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with(ReflectorOptions::default())
    }

    /// Creates a world that syncs with streaming lists.
    pub(crate) fn streaming() -> Self {
        Self::with(ReflectorOptions { watch_list: true, ..ReflectorOptions::default() })
    }

    /// Creates a world with these reflector options.
    pub(crate) fn with(options: ReflectorOptions) -> Self {
        let (pool, clock, transport) = (LocalPool::new(), VirtualClock::new(), ScriptedTransport::new());
        let spawner = pool.spawner();
        let runtime = Runtime {
            transport: Rc::new(transport.clone()),
            clock: Rc::new(clock.clone()),
            // Values that are dropped at the end of a test may spawn more work, while the pool is being dropped, too.
            spawn: Rc::new(move |task| drop(spawner.spawn_local(task))),
        };
        let factory = SharedInformerFactory::new(runtime.clone(), options);
        Self { pool: RefCell::new(pool), clock, transport, runtime, factory }
    }

    /// Starts an informer of the pods of all namespaces.
    pub(crate) fn pods(&self) -> SharedInformer<Object> {
        let (_, pods) =
            self.factory.for_resource("v1/pods".parse().expect("valid"), InformerOptions::default()).expect("valid");
        self.factory.start();
        pods
    }

    /// Starts an informer of the pods of all namespaces, outside of the factory.
    pub(crate) fn pods_with(&self, options: impl Into<SharedInformerOptions<Object>>) -> SharedInformer<Object> {
        let resource = "v1/pods".parse().expect("valid");
        let transport = Rc::clone(&self.runtime.transport);
        let source = ResourceListerWatcher::new(transport, &resource, &InformerOptions::default()).expect("valid");
        let pods = SharedInformer::new(Rc::clone(&self.runtime.clock), options);
        let running = pods.clone();
        (self.runtime.spawn)(Box::pin(async move { running.run(source).await }));
        pods
    }

    /// Returns an informer of pods that has synced at a version with these objects (`namespace/name@version`), and its
    /// watch.
    pub(crate) fn synced(&self, version: u32, objects: &[&str]) -> (SharedInformer<Object>, Feed) {
        self.transport.reply(Reply::json(list(version, objects)));
        let feed = self.watch();
        let pods = self.pods();
        self.settle();
        assert!(pods.has_synced(), "{:?}", pods.status());
        (pods, feed)
    }

    /// Adds a handler that has received all cached objects, and records further changes.
    pub(crate) fn listen(&self, informer: &SharedInformer<Object>) -> (Log, Registration<Object>) {
        let log = Log::default();
        let registration = informer.add_event_handler(log.clone()).expect("not stopped");
        self.settle();
        log.take();
        (log, registration)
    }

    /// Scripts the next response: that of a probe after an outage.
    pub(crate) fn probe(&self, version: u32) {
        self.transport.reply(Reply::json(page(version, &[], "")));
    }

    /// Scripts the next response: an open watch.
    pub(crate) fn watch(&self) -> Feed {
        let (feed, reply) = Reply::stream();
        self.transport.reply(reply);
        feed
    }

    /// Runs all tasks until they wait for time to pass.
    pub(crate) fn settle(&self) {
        self.pool.borrow_mut().run_until_stalled();
    }

    /// Advances the time in small steps.
    pub(crate) fn pass(&self, time: Duration) {
        let step = Duration::from_millis(100);
        let mut left = time;
        while !left.is_zero() {
            let now = left.min(step);
            self.clock.advance(now);
            left -= now;
            self.settle();
        }
    }

    /// Advances the time to the end of an informer's pause, and returns the pause.
    pub(crate) fn retry(&self, informer: &SharedInformer<Object>) -> Duration {
        let due = informer.status().next_retry_at.expect("it waits");
        let wait = Duration::from_secs_f64((due - self.clock.unix_ms()) / 1_000.0);
        let requests = self.transport.paths().len();
        self.clock.advance(wait.saturating_sub(Duration::from_micros(1)));
        self.settle();
        assert_eq!(self.transport.paths().len(), requests, "a request during a wait");
        self.clock.advance(Duration::from_micros(2));
        self.settle();
        wait
    }

    /// Returns the list requests, as in [`World::requests`].
    pub(crate) fn lists(&self) -> Vec<String> {
        let requests = self.requests();
        requests.iter().filter_map(|path| path.strip_prefix("list pods")).map(|rest| rest.trim().to_owned()).collect()
    }

    /// Returns all requests, each as verb, resource and the relevant part of the query.
    pub(crate) fn requests(&self) -> Vec<String> {
        let short = |path: String| {
            let (path, query) = path.split_once('?').unwrap_or((&path, ""));
            let verb = match query {
                stream if stream.contains("sendInitialEvents=true") => "stream",
                watch if watch.contains("watch=true") => "watch",
                _ => "list",
            };
            let wanted = |part: &&str| {
                ["resourceVersion=", "limit=", "continue=", "Selector="].iter().any(|name| part.contains(name))
            };
            let rest: Vec<&str> = query.split('&').filter(wanted).collect();
            format!("{verb} {} {}", path.rsplit('/').next().unwrap_or_default(), rest.join(" ")).trim().to_owned()
        };
        self.transport.paths().into_iter().map(short).collect()
    }
}

/// Returns an object as JSON, from `namespace/name@version`.
pub(crate) fn object(spec: &str) -> String {
    let (key, version) = spec.split_once('@').expect("key@version");
    let (namespace, name) = key.split_once('/').expect("namespace/name");
    format!(
        r#"{{"kind":"Pod","apiVersion":"v1","metadata":{{"name":"{name}","namespace":"{namespace}","uid":"uid-{name}","resourceVersion":"{version}"}}}}"#
    )
}

pub(crate) fn list(version: u32, objects: &[&str]) -> String {
    page(version, objects, "")
}

pub(crate) fn page(version: u32, objects: &[&str], token: &str) -> String {
    let items: Vec<String> = objects.iter().map(|spec| object(spec)).collect();
    format!(
        r#"{{"kind":"PodList","apiVersion":"v1","metadata":{{"resourceVersion":"{version}","continue":"{token}"}},"items":[{}]}}"#,
        items.join(",")
    )
}

/// Returns a response that is a `Status`.
pub(crate) fn status(code: u16, reason: &str, message: &str) -> Reply {
    let body = format!(r#"{{"kind":"Status","code":{code},"reason":"{reason}","message":"{message}"}}"#);
    Reply::status(code, body)
}

/// Records the errors of an informer from now on.
pub(crate) fn errors(informer: &SharedInformer<Object>) -> (Observer, Rc<RefCell<Vec<InformerError>>>) {
    let errors = Rc::<RefCell<Vec<InformerError>>>::default();
    let seen = Rc::clone(&errors);
    let observer = informer.observe(move |event| {
        if let InformerEvent::Error(error) = event {
            seen.borrow_mut().push(error.clone());
        }
    });
    (observer, errors)
}

/// Sends a line of a watch.
pub(crate) fn send_line(feed: &Feed, line: &str) {
    feed.unbounded_send(Ok(format!("{line}\n").into_bytes())).expect("the watch is open");
}

/// Sends events, each a word: `+n/a@1`, `~n/a@2`, `-n/a@3`, `bookmark@4`, `error@410`, and `end@5` for the bookmark
/// that ends a streaming list.
pub(crate) fn send(feed: &Feed, words: &[&str]) {
    for word in words {
        let line = if let Some(version) = word.strip_prefix("bookmark@") {
            format!(r#"{{"type":"BOOKMARK","object":{{"kind":"Pod","metadata":{{"resourceVersion":"{version}"}}}}}}"#)
        } else if let Some(version) = word.strip_prefix("end@") {
            let annotations = r#"{"k8s.io/initial-events-end":"true"}"#;
            format!(
                r#"{{"type":"BOOKMARK","object":{{"kind":"Pod","metadata":{{"resourceVersion":"{version}","annotations":{annotations}}}}}}}"#
            )
        } else if let Some(code) = word.strip_prefix("error@") {
            format!(r#"{{"type":"ERROR","object":{{"kind":"Status","code":{code},"message":"no more"}}}}"#)
        } else {
            let (kind, spec) = word.split_at(1);
            let kind = match kind {
                "+" => "ADDED",
                "~" => "MODIFIED",
                "-" => "DELETED",
                other => panic!("{other:?} is no kind of event"),
            };
            format!(r#"{{"type":"{kind}","object":{}}}"#, object(spec))
        };
        send_line(feed, &line);
    }
}

/// The cache as words: `n/a@1`.
pub(crate) fn cached(informer: &SharedInformer<Object>) -> Vec<String> {
    let mut words: Vec<String> = informer.indexer().list().map(|object| word(object)).collect();
    words.sort();
    words
}

fn word(object: &Object) -> String {
    format!("{}@{}", object.key(), object.resource_version())
}

/// A handler that records its changes: `+n/a@1!` (initial), `~n/a@1>2`, `-n/a@2?` (final state unknown).
#[derive(Clone, Default)]
pub(crate) struct Log(pub(crate) Rc<RefCell<Vec<String>>>);

impl Log {
    pub(crate) fn take(&self) -> Vec<String> {
        self.0.take()
    }
}

impl ResourceEventHandler<Object> for Log {
    fn on_add(&mut self, object: &Arc<Object>, is_in_initial_list: bool) {
        self.0.borrow_mut().push(format!("+{}{}", word(object), if is_in_initial_list { "!" } else { "" }));
    }

    fn on_update(&mut self, old: &Arc<Object>, new: &Arc<Object>) {
        self.0.borrow_mut().push(format!("~{}>{}", word(old), new.resource_version()));
    }

    fn on_delete(&mut self, object: &Arc<Object>, final_state_unknown: bool) {
        self.0.borrow_mut().push(format!("-{}{}", word(object), if final_state_unknown { "?" } else { "" }));
    }

    fn on_synced(&mut self) {
        self.0.borrow_mut().push("synced".into());
    }
}
