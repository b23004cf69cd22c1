//! A world of one informer, a script for its apiserver, and a clock that a test moves.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use futures::channel::mpsc::UnboundedSender;
use futures::executor::LocalPool;
use futures::task::LocalSpawnExt;
use informer::clock::virtual_time::VirtualClock;
use informer::message::InformerOptions;
use informer::transport::scripted::{Reply, ScriptedTransport};
use informer::{
    Keyed, Object, ReflectorOptions, ResourceEventHandler, Result, Runtime, SharedInformer, SharedInformerFactory,
};

/// The hand that feeds an open watch; dropping it ends the stream cleanly.
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
        let (pool, clock, transport) = (LocalPool::new(), VirtualClock::new(), ScriptedTransport::new());
        let spawner = pool.spawner();
        let runtime = Runtime {
            transport: Rc::new(transport.clone()),
            clock: Rc::new(clock.clone()),
            spawn: Rc::new(move |task| spawner.spawn_local(task).expect("the pool lives")),
        };
        let factory = SharedInformerFactory::new(runtime.clone(), ReflectorOptions::default());
        Self { pool: RefCell::new(pool), clock, transport, runtime, factory }
    }

    /// The pods of all namespaces, started.
    pub(crate) fn pods(&self) -> SharedInformer<Object> {
        let (_, pods) =
            self.factory.for_resource("v1/pods".parse().expect("valid"), InformerOptions::default()).expect("valid");
        self.factory.start();
        pods
    }

    /// Pods that have synced at a version with these objects (`namespace/name@version`), and their watch.
    pub(crate) fn synced(&self, version: u32, objects: &[&str]) -> (SharedInformer<Object>, Feed) {
        self.transport.reply(Reply::json(list(version, objects)));
        let feed = self.watch();
        let pods = self.pods();
        self.settle();
        assert!(pods.has_synced(), "{:?}", pods.status());
        (pods, feed)
    }

    /// The next answer is an open watch.
    pub(crate) fn watch(&self) -> Feed {
        let (feed, reply) = Reply::stream();
        self.transport.reply(reply);
        feed
    }

    /// Lets everything happen that can happen without time passing.
    pub(crate) fn settle(&self) {
        self.pool.borrow_mut().run_until_stalled();
    }

    /// Lets time pass, in small steps, as it does.
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

    /// The last part of each path asked for, from the resource on, with the query's noise left out.
    pub(crate) fn asked(&self) -> Vec<String> {
        let short = |path: String| {
            let (path, query) = path.split_once('?').unwrap_or((&path, ""));
            let verb = if query.contains("watch=true") { "watch" } else { "list" };
            let wanted = |part: &&str| {
                ["resourceVersion=", "limit=", "continue=", "Selector="].iter().any(|name| part.contains(name))
            };
            let rest: Vec<&str> = query.split('&').filter(wanted).collect();
            format!("{verb} {} {}", path.rsplit('/').next().unwrap_or_default(), rest.join(" ")).trim().to_owned()
        };
        self.transport.paths().into_iter().map(short).collect()
    }
}

/// `namespace/name@version` as an object, with a text field that says where it comes from.
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

/// Sends events, each a word: `+n/a@1`, `~n/a@2`, `-n/a@3`, `bookmark@4`, `error@410`.
pub(crate) fn send(feed: &Feed, words: &[&str]) {
    for word in words {
        let line = if let Some(version) = word.strip_prefix("bookmark@") {
            format!(r#"{{"type":"BOOKMARK","object":{{"kind":"Pod","metadata":{{"resourceVersion":"{version}"}}}}}}"#)
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
        feed.unbounded_send(Ok(format!("{line}\n").into_bytes())).expect("the watch is open");
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

/// A handler that writes down what it is told: `+n/a@1!` (initial), `~n/a@1>2`, `-n/a@2?` (final state unknown).
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
