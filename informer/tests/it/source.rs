//! In-memory source with a history, as an apiserver has, and a record of a handler's changes.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use futures::channel::mpsc;
use futures::future::{LocalBoxFuture, ready};
use futures::{FutureExt, StreamExt};
use informer::{
    ErrorCode, InformerError, Keyed, ListOptions, ListPage, ListerWatcher, ResourceEventHandler, Result,
    SharedInformer, SharedInformerOptions, WatchEvent, WatchOptions, WatchStream,
};

use crate::harness::World;

thread_local! {
    static ALIVE: Cell<usize> = const { Cell::new(0) };
}

/// Object whose instances are counted. Its tag represents its content.
#[derive(Debug, PartialEq)]
pub(crate) struct Thing {
    pub(crate) key: String,
    pub(crate) version: String,
    pub(crate) uid: String,
    pub(crate) tag: String,
}

impl Thing {
    pub(crate) fn new(key: &str, version: u64, uid: u64, tag: &str) -> Self {
        ALIVE.set(ALIVE.get() + 1);
        Self { key: key.to_owned(), version: version.to_string(), uid: uid.to_string(), tag: tag.to_owned() }
    }

    /// Returns the number of things of this thread that have not been dropped.
    pub(crate) fn alive() -> usize {
        ALIVE.get()
    }
}

impl Clone for Thing {
    fn clone(&self) -> Self {
        ALIVE.set(ALIVE.get() + 1);
        Self { key: self.key.clone(), version: self.version.clone(), uid: self.uid.clone(), tag: self.tag.clone() }
    }
}

impl Drop for Thing {
    fn drop(&mut self) {
        ALIVE.set(ALIVE.get() - 1);
    }
}

impl Keyed for Thing {
    fn key(&self) -> &str {
        &self.key
    }
    fn resource_version(&self) -> &str {
        &self.version
    }
    fn uid(&self) -> &str {
        &self.uid
    }
    fn size(&self) -> usize {
        self.tag.len()
    }
}

type Events = Vec<Result<WatchEvent<Thing>>>;

#[derive(Default)]
struct State {
    version: u64,
    uids: u64,
    objects: BTreeMap<String, Thing>,
    /// Events for a watch from an earlier version.
    history: VecDeque<(u64, WatchEvent<Thing>)>,
    /// Watches from earlier versions are rejected.
    compacted: u64,
    watch: Option<mpsc::UnboundedSender<Result<Events>>>,
    requests: Vec<String>,
    error: Option<ErrorCode>,
}

/// In-memory source, which tests change.
#[derive(Clone, Default)]
pub(crate) struct Source(Rc<RefCell<State>>);

/// Returns an empty source.
pub(crate) fn empty_source() -> Source {
    Source::default()
}

/// Creates an informer that does not run yet.
pub(crate) fn informer(world: &World, options: impl Into<SharedInformerOptions<Thing>>) -> SharedInformer<Thing> {
    SharedInformer::new(Rc::new(world.clock.clone()), options)
}

/// Creates an informer that has synced with objects of these keys. Returns also its source.
pub(crate) fn synced(world: &World, keys: &[&str]) -> (SharedInformer<Thing>, Source) {
    let (informer, source) = (informer(world, SharedInformerOptions::default()), empty_source());
    for key in keys {
        source.put(key, "");
    }
    source.run(world, &informer);
    assert!(informer.has_synced(), "{:?}", informer.status());
    (informer, source)
}

impl Source {
    /// Runs an informer on this source, until all tasks wait for time to pass.
    pub(crate) fn run(&self, world: &World, informer: &SharedInformer<Thing>) {
        let (source, informer) = (self.clone(), informer.clone());
        (world.runtime.spawn)(async move { informer.run(source).await }.boxed_local());
        world.settle();
    }

    /// Creates or changes an object.
    pub(crate) fn put(&self, key: &str, tag: &str) {
        self.0.borrow_mut().put(key, tag);
    }

    /// Creates or changes objects; the watch receives them in one chunk.
    pub(crate) fn put_all(&self, keys: impl IntoIterator<Item = String>) {
        let mut state = self.0.borrow_mut();
        let watch = state.watch.take();
        let mut chunk = Events::new();
        for key in keys {
            chunk.push(Ok(state.put(&key, "")));
        }
        if let Some(watch) = &watch {
            drop(watch.unbounded_send(Ok(chunk)));
        }
        state.watch = watch;
    }

    /// Deletes an object, if it exists.
    pub(crate) fn remove(&self, key: &str) {
        let mut state = self.0.borrow_mut();
        let Some(mut thing) = state.objects.remove(key) else { return };
        state.version += 1;
        thing.version = state.version.to_string();
        state.publish(WatchEvent::Deleted(thing));
    }

    /// Sends a bookmark on the open watch.
    pub(crate) fn bookmark(&self) {
        let resource_version = self.version();
        self.send(WatchEvent::Bookmark { resource_version, initial_events_end: false });
    }

    /// Sends an event on the open watch, whether it is true or not.
    pub(crate) fn send(&self, event: WatchEvent<Thing>) {
        if let Some(watch) = &self.0.borrow().watch {
            drop(watch.unbounded_send(Ok(vec![Ok(event)])));
        }
    }

    /// Ends the watch cleanly. The informer resumes it.
    pub(crate) fn close(&self) {
        self.0.borrow_mut().watch = None;
    }

    /// Ends the watch with a 410 and drops the history: the informer has to list.
    pub(crate) fn expire(&self) {
        self.send(WatchEvent::Error(InformerError::new(ErrorCode::Expired, "too old")));
        let mut state = self.0.borrow_mut();
        (state.watch, state.compacted) = (None, state.version);
        state.history.clear();
    }

    /// Makes requests fail with this error from now on; `None` lets them succeed again.
    pub(crate) fn set_error(&self, code: Option<ErrorCode>) {
        self.0.borrow_mut().error = code;
    }

    pub(crate) fn version(&self) -> String {
        self.0.borrow().version_text()
    }

    /// Returns all objects, as `key@version`.
    pub(crate) fn words(&self) -> Vec<String> {
        let mut words: Vec<String> = self.0.borrow().objects.values().map(word).collect();
        words.sort();
        words
    }

    /// Returns a copy of an object, if it exists.
    pub(crate) fn get(&self, key: &str) -> Option<Thing> {
        self.0.borrow().objects.get(key).cloned()
    }

    /// Returns the requests since the last call: `list 0`, `watch 7`.
    pub(crate) fn requests(&self) -> Vec<String> {
        std::mem::take(&mut self.0.borrow_mut().requests)
    }

    /// Returns the number of events in the history.
    pub(crate) fn history_len(&self) -> usize {
        self.0.borrow().history.len()
    }

    /// Whether a watch is open.
    pub(crate) fn is_watched(&self) -> bool {
        self.0.borrow().watch.as_ref().is_some_and(|watch| !watch.is_closed())
    }
}

impl State {
    /// Returns its version as text. Zero would mean any version.
    fn version_text(&self) -> String {
        if self.version == 0 { "00".to_owned() } else { self.version.to_string() }
    }

    fn put(&mut self, key: &str, tag: &str) -> WatchEvent<Thing> {
        self.version += 1;
        let version = self.version;
        let known = self.objects.get(key).map(|known| known.uid.parse().expect("a number"));
        let uid = known.unwrap_or_else(|| {
            self.uids += 1;
            self.uids
        });
        let thing = Thing::new(key, version, uid, tag);
        self.objects.insert(key.to_owned(), thing.clone());
        let event = if known.is_some() { WatchEvent::Modified(thing) } else { WatchEvent::Added(thing) };
        self.publish(event.clone());
        event
    }

    fn publish(&mut self, event: WatchEvent<Thing>) {
        if let Some(watch) = &self.watch {
            drop(watch.unbounded_send(Ok(vec![Ok(event.clone())])));
        }
        self.history.push_back((self.version, event));
        // Limited, because a soak test measures memory.
        if self.history.len() > 500
            && let Some((forgotten, _)) = self.history.pop_front()
        {
            self.compacted = forgotten;
        }
    }

    fn check_error(&self) -> Result<()> {
        self.error.map_or(Ok(()), |code| Err(InformerError::new(code, "refused")))
    }

    fn open(&mut self, from: u64) -> Result<WatchStream<Thing>> {
        self.check_error()?;
        if from < self.compacted {
            return Err(InformerError::new(ErrorCode::Expired, "too old"));
        }
        let (sender, receiver) = mpsc::unbounded();
        let missed: Events =
            self.history.iter().filter(|(at, _)| *at > from).map(|(_, event)| Ok(event.clone())).collect();
        if !missed.is_empty() {
            drop(sender.unbounded_send(Ok(missed)));
        }
        self.watch = Some(sender);
        Ok(receiver.boxed_local())
    }
}

impl ListerWatcher for Source {
    type Object = Thing;

    fn list(&self, options: ListOptions) -> LocalBoxFuture<'static, Result<ListPage<Thing>>> {
        let mut state = self.0.borrow_mut();
        state.requests.push(format!("list {}", options.resource_version.unwrap_or_default()));
        let page = state.check_error().map(|()| ListPage {
            items: state.objects.values().cloned().collect(),
            unchanged: Vec::new(),
            resource_version: state.version_text(),
            continue_token: String::new(),
            unreadable: Vec::new(),
        });
        ready(page).boxed_local()
    }

    fn watch(&self, options: WatchOptions) -> LocalBoxFuture<'static, Result<WatchStream<Thing>>> {
        let mut state = self.0.borrow_mut();
        let from = options.resource_version.unwrap_or_default();
        state.requests.push(format!("watch {from}"));
        let watch = state.open(from.parse().expect("a number"));
        ready(watch).boxed_local()
    }
}

pub(crate) fn word(thing: &Thing) -> String {
    format!("{}@{}", thing.key, thing.version)
}

/// Returns the cached objects in the form of [`Source::words`].
pub(crate) fn cached(informer: &SharedInformer<Thing>) -> Vec<String> {
    let mut words: Vec<String> = informer.indexer().list().map(|thing| word(thing)).collect();
    words.sort();
    words
}

/// Handler that records its changes: `+n/a@1!` (initial), `~n/a@1>2`, `-n/a@2?` (final state unknown), `synced`.
#[derive(Clone, Default)]
pub(crate) struct DeliveryLog(Rc<RefCell<Vec<String>>>);

impl DeliveryLog {
    pub(crate) fn take(&self) -> Vec<String> {
        self.0.take()
    }
}

impl ResourceEventHandler<Thing> for DeliveryLog {
    fn on_add(&mut self, object: &Arc<Thing>, is_in_initial_list: bool) {
        self.0.borrow_mut().push(format!("+{}{}", word(object), if is_in_initial_list { "!" } else { "" }));
    }

    fn on_update(&mut self, old: &Arc<Thing>, new: &Arc<Thing>) {
        self.0.borrow_mut().push(format!("~{}>{}", word(old), new.version));
    }

    fn on_delete(&mut self, object: &Arc<Thing>, final_state_unknown: bool) {
        self.0.borrow_mut().push(format!("-{}{}", word(object), if final_state_unknown { "?" } else { "" }));
    }

    fn on_synced(&mut self) {
        self.0.borrow_mut().push("synced".into());
    }
}
