//! Key-value source: a source that is not an apiserver, with opaque versions.
//!
//! It has no namespaces, no uids, no bookmarks, no pages and no streaming lists; its versions are words without an
//! order; its history is compacted. An informer needs none of these.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use futures::channel::mpsc::{UnboundedSender, unbounded};
use futures::future::{LocalBoxFuture, ready};
use futures::{FutureExt, StreamExt, stream};
use informer::{
    ErrorCode, InformerError, Keyed, ListOptions, ListPage, ListerWatcher, Phase, ReflectorOptions,
    ResourceEventHandler, Result, SharedInformer, WatchEvent, WatchOptions, WatchStream,
};

use crate::harness::World;

/// Value under a key that may contain any characters, also slashes.
#[derive(Clone, Debug, PartialEq)]
struct Entry {
    key: String,
    value: String,
    revision: String,
}

impl Keyed for Entry {
    fn key(&self) -> &str {
        &self.key
    }

    fn resource_version(&self) -> &str {
        &self.revision
    }

    fn namespace(&self) -> &'static str {
        ""
    }

    fn name(&self) -> &str {
        &self.key
    }
}

type Chunk = Result<Vec<Result<WatchEvent<Entry>>>>;

/// Source that records its requests.
#[derive(Clone, Default)]
struct Store(Rc<RefCell<Inner>>);

#[derive(Default)]
struct Inner {
    /// Counts restarts too, so that no revision is reused.
    written: u64,
    entries: BTreeMap<String, Entry>,
    /// The revisions from which a watch can continue, each with the event after it.
    history: Vec<(String, Option<WatchEvent<Entry>>)>,
    watchers: Vec<UnboundedSender<Chunk>>,
    requests: Vec<String>,
}

impl Inner {
    /// Returns the next revision; revisions have no order.
    fn next(&mut self) -> String {
        self.written += 1;
        format!("rev:{:016x}", self.written.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn revision(&self) -> String {
        self.history.last().map(|(revision, _)| revision.clone()).unwrap_or_default()
    }

    fn publish(&mut self, revision: String, event: &WatchEvent<Entry>) {
        if let Some((_, next)) = self.history.last_mut() {
            *next = Some(event.clone());
        }
        self.history.push((revision, None));
        self.watchers.retain(|watcher| watcher.unbounded_send(Ok(vec![Ok(event.clone())])).is_ok());
    }
}

impl Store {
    /// Creates a store that was written once.
    fn new() -> Self {
        let store = Self::default();
        store.restart();
        store
    }

    fn put(&self, key: &str, value: &str) {
        let mut inner = self.0.borrow_mut();
        let entry = Entry { key: key.to_owned(), value: value.to_owned(), revision: inner.next() };
        let known = inner.entries.insert(key.to_owned(), entry.clone()).is_some();
        let revision = entry.revision.clone();
        inner.publish(revision, &if known { WatchEvent::Modified(entry) } else { WatchEvent::Added(entry) });
    }

    fn delete(&self, key: &str) {
        let mut inner = self.0.borrow_mut();
        let revision = inner.next();
        let mut entry = inner.entries.remove(key).expect("it is there");
        entry.revision.clone_from(&revision);
        inner.publish(revision, &WatchEvent::Deleted(entry));
    }

    /// Compacts the history.
    fn compact(&self) {
        let mut inner = self.0.borrow_mut();
        let last = inner.history.pop();
        inner.history = last.into_iter().collect();
    }

    /// Restarts with the entries only: earlier revisions are unknown.
    fn restart(&self) {
        self.disconnect();
        let mut inner = self.0.borrow_mut();
        let revision = inner.next();
        inner.history = vec![(revision, None)];
    }

    /// Ends all watches.
    fn disconnect(&self) {
        self.0.borrow_mut().watchers.clear();
    }

    fn requests(&self) -> Vec<String> {
        std::mem::take(&mut self.0.borrow_mut().requests)
    }
}

impl ListerWatcher for Store {
    type Object = Entry;

    /// Returns all entries, for any version and limit.
    fn list(&self, options: ListOptions) -> LocalBoxFuture<'static, Result<ListPage<Entry>>> {
        assert_eq!(options.continue_token, None, "this source returns no continue token");
        let mut inner = self.0.borrow_mut();
        inner.requests.push("list".to_owned());
        let page = ListPage {
            items: inner.entries.values().cloned().collect(),
            unchanged: Vec::new(),
            resource_version: inner.revision(),
            continue_token: String::new(),
            unreadable: Vec::new(),
        };
        ready(Ok(page)).boxed_local()
    }

    fn supports_watch_list(&self) -> bool {
        false
    }

    fn watch(&self, options: WatchOptions) -> LocalBoxFuture<'static, Result<WatchStream<Entry>>> {
        assert!(!options.initial_events, "`supports_watch_list` is false");
        let mut inner = self.0.borrow_mut();
        let version = options.resource_version.expect("a plain watch names where it begins");
        let Some(at) = inner.history.iter().position(|(revision, _)| *revision == version) else {
            inner.requests.push("watch refused".to_owned());
            return ready(Err(InformerError::new(ErrorCode::Expired, "the revision was compacted"))).boxed_local();
        };
        inner.requests.push("watch".to_owned());
        let missed: Vec<_> = inner.history[at..].iter().filter_map(|(_, next)| next.clone().map(Ok)).collect();
        let (sender, receiver) = unbounded();
        inner.watchers.push(sender);
        ready(Ok(stream::iter([Ok(missed)]).chain(receiver).boxed_local())).boxed_local()
    }
}

/// Records its changes: `+key=value`, `~key=old>new`, `-key` and `-key?` for a deletion that was missed.
#[derive(Clone, Default)]
struct DeliveryLog(Rc<RefCell<Vec<String>>>);

impl ResourceEventHandler<Entry> for DeliveryLog {
    fn on_add(&mut self, entry: &Arc<Entry>, _: bool) {
        self.0.borrow_mut().push(format!("+{}={}", entry.key, entry.value));
    }

    fn on_update(&mut self, old: &Arc<Entry>, new: &Arc<Entry>) {
        self.0.borrow_mut().push(format!("~{}={}>{}", new.key, old.value, new.value));
    }

    fn on_delete(&mut self, entry: &Arc<Entry>, final_state_unknown: bool) {
        self.0.borrow_mut().push(format!("-{}{}", entry.key, if final_state_unknown { "?" } else { "" }));
    }
}

fn start(world: &World, store: &Store, informer: &SharedInformer<Entry>) -> DeliveryLog {
    let deliveries = DeliveryLog::default();
    drop(informer.add_event_handler(deliveries.clone()).expect("not stopped"));
    let (running, source) = (informer.clone(), store.clone());
    (world.runtime.spawn)(Box::pin(async move { running.run(source).await }));
    world.settle();
    deliveries
}

/// An informer on the store, asked to stream lists although the store cannot.
fn started(world: &World, store: &Store) -> (SharedInformer<Entry>, DeliveryLog) {
    let options = ReflectorOptions { watch_list: true, ..ReflectorOptions::default() };
    let informer = SharedInformer::new(Rc::clone(&world.runtime.clock), options);
    let deliveries = start(world, store, &informer);
    assert!(informer.has_synced());
    (informer, deliveries)
}

/// Asserts that the cache equals the store.
fn assert_same(informer: &SharedInformer<Entry>, store: &Store) {
    let mut cached: Vec<Entry> = informer.indexer().list().map(|entry| (**entry).clone()).collect();
    cached.sort_by(|a, b| a.key.cmp(&b.key));
    assert_eq!(cached, store.0.borrow().entries.values().cloned().collect::<Vec<_>>());
    assert_eq!(informer.status().resource_version, store.0.borrow().revision());
}

#[test]
fn wl_12_a_plain_source_is_listed_and_watched() {
    let (world, store) = (World::new(), Store::new());
    store.put("colour", "red");
    store.put("/etc/hosts", "127.0.0.1");
    let (informer, deliveries) = started(&world, &store);
    assert_eq!(store.requests(), ["list", "watch"]);
    store.put("colour", "blue");
    store.put("size", "9");
    store.delete("/etc/hosts");
    world.settle();
    assert_same(&informer, &store);
    let expected = ["+/etc/hosts=127.0.0.1", "+colour=red", "~colour=red>blue", "+size=9", "-/etc/hosts"];
    assert_eq!(deliveries.0.take(), expected);
    assert_eq!(informer.indexer().by_index(informer::NAMESPACE_INDEX, "").expect("there").len(), 2);
    assert_eq!(informer.metrics().watch_lists, 0);
}

#[test]
fn a_lost_watch_is_resumed_and_misses_nothing() {
    let (world, store) = (World::new(), Store::new());
    store.put("a", "1");
    let (informer, deliveries) = started(&world, &store);
    world.pass(Duration::from_secs(5));
    store.disconnect();
    store.put("b", "1");
    store.delete("a");
    world.settle();
    assert_same(&informer, &store);
    assert_eq!(deliveries.0.take(), ["+a=1", "+b=1", "-a"]);
    assert_eq!(store.requests(), ["list", "watch", "watch"]);
}

#[test]
fn compacted_version_triggers_a_relist_that_delivers_missed_deletions() {
    let (world, store) = (World::new(), Store::new());
    for key in ["kept", "changed", "gone", "replaced"] {
        store.put(key, "1");
    }
    let (informer, deliveries) = started(&world, &store);
    deliveries.0.take();
    world.pass(Duration::from_secs(5));
    store.disconnect();
    store.delete("gone");
    store.put("changed", "2");
    // Without a uid a new entry under an old key is a change of it.
    store.delete("replaced");
    store.put("replaced", "2");
    store.put("new", "1");
    store.compact();
    world.settle();
    assert_eq!((informer.status().phase, informer.indexer().len()), (Phase::Reconnecting, 4), "what is known stays");
    world.pass(Duration::from_secs(2));
    assert_same(&informer, &store);
    assert_eq!(deliveries.0.take(), ["-gone?", "~changed=1>2", "+new=1", "~replaced=1>2"]);
    assert_eq!(store.requests(), ["list", "watch", "watch refused", "list", "watch"]);
}

#[test]
fn source_that_restarts_is_listed_and_unchanged_objects_are_not_delivered() {
    let (world, store) = (World::new(), Store::new());
    store.put("a", "1");
    let (informer, deliveries) = started(&world, &store);
    deliveries.0.take();
    world.pass(Duration::from_secs(5));
    store.restart();
    world.pass(Duration::from_secs(2));
    assert_same(&informer, &store);
    assert_eq!(deliveries.0.take(), Vec::<String>::new());
    store.put("a", "2");
    world.settle();
    assert_same(&informer, &store);
}

#[test]
fn an_informer_that_was_stopped_goes_on_where_it_was() {
    let (world, store) = (World::new(), Store::new());
    store.put("a", "1");
    store.put("b", "1");
    let (informer, _told) = started(&world, &store);
    informer.stop();
    world.settle();
    store.put("a", "2");
    store.delete("b");
    world.settle();
    assert_eq!((informer.indexer().len(), store.requests()), (2, vec!["list".to_owned(), "watch".to_owned()]));
    assert!(informer.reopen());
    let deliveries = start(&world, &store, &informer);
    assert_same(&informer, &store);
    let mut deliveries = deliveries.0.take();
    // Cached objects are delivered in no order; then the missed changes.
    deliveries[..2].sort();
    assert_eq!(deliveries, ["+a=1", "+b=1", "-b?", "~a=1>2"]);
}

#[test]
fn a_source_without_bookmarks_is_listed_less_and_less_often() {
    let (world, store) = (World::new(), Store::new());
    store.put("a", "1");
    let (informer, deliveries) = started(&world, &store);
    deliveries.0.take();
    world.pass(Duration::from_secs(3600));
    let requests = store.requests();
    let lists = requests.iter().filter(|request| *request == "list").count();
    assert!((5..=12).contains(&lists), "{requests:?}");
    assert_eq!((deliveries.0.take(), informer.status().phase), (Vec::<String>::new(), Phase::Watching));
}
