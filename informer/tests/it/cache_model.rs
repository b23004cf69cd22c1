//! Cache and handlers compared with a naive model, from the source through either queue (scenarios KRS-07, CTL-01,
//! CTL-02).

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;

use informer::{
    ErrorCode, HandlerOptions, IndexFunc, Keyed, NAMESPACE_INDEX, QueueKind, Registration, SharedInformer,
    SharedInformerOptions, WatchEvent,
};
use proptest::prelude::*;

use crate::harness::World;
use crate::replica::Replica;
use crate::source::{Source, Thing, cached, empty_source, informer};

#[derive(Clone, Debug)]
enum Op {
    Put(String, String),
    PutAll(Vec<String>),
    Remove(String),
    Bookmark,
    /// The watch ends and is resumed.
    Close,
    /// The watch ends, and only a list helps.
    Expire,
    Refuse(bool),
    /// The server repeats its last event.
    Repeat(String),
    /// Deletion of an object that never existed.
    DeleteUnknown,
    Pass(u8),
    Wake,
    AddHandler,
    RemoveHandler,
    Restart,
    /// The previous and the next event arrive together.
    Hurry,
}

fn op() -> impl Strategy<Value = Op> {
    let key = || "(m|n)/[a-d]";
    prop_oneof![
        12 => (key(), "[xyz]").prop_map(|(key, tag)| Op::Put(key, tag)),
        2 => prop::collection::vec(key(), 0..9).prop_map(Op::PutAll),
        7 => key().prop_map(Op::Remove),
        1 => Just(Op::Bookmark),
        2 => Just(Op::Close),
        2 => Just(Op::Expire),
        1 => any::<bool>().prop_map(Op::Refuse),
        1 => key().prop_map(Op::Repeat),
        1 => Just(Op::DeleteUnknown),
        2 => (0..20_u8).prop_map(Op::Pass),
        2 => Just(Op::Wake),
        2 => Just(Op::AddHandler),
        1 => Just(Op::RemoveHandler),
        1 => Just(Op::Restart),
        8 => Just(Op::Hurry),
    ]
}

struct Fixture {
    world: World,
    source: Source,
    informer: SharedInformer<Thing>,
    queue: QueueKind,
    handlers: Vec<(Replica, Registration<Thing>)>,
    /// Every state that the source was in, by version.
    states: BTreeMap<String, Vec<String>>,
}

impl Fixture {
    fn new(queue: QueueKind) -> Self {
        let (world, source) = (World::new(), empty_source());
        let options =
            SharedInformerOptions { queue, resync_period: Duration::from_secs(3), ..SharedInformerOptions::default() };
        let informer = informer(&world, options);
        let by_tag: IndexFunc<Thing> = Rc::new(|thing: &Thing| Ok(vec![thing.tag.clone()]));
        informer.add_indexers(BTreeMap::from([("tag".to_owned(), by_tag)])).expect("not stopped");
        let mut fixture = Self { world, source, informer, queue, handlers: Vec::new(), states: BTreeMap::new() };
        fixture.states.insert(fixture.source.version(), Vec::new());
        fixture.add_handler();
        fixture.source.run(&fixture.world, &fixture.informer);
        fixture
    }

    fn add_handler(&mut self) {
        let replica = Replica::default();
        // Every second handler is not resynced, and receives batches.
        let registration = if self.handlers.len().is_multiple_of(2) {
            self.informer.add_event_handler(replica.clone())
        } else {
            let options = HandlerOptions { resync_period: Some(Duration::ZERO), ..HandlerOptions::default() };
            self.informer.add_batch_handler(replica.clone(), options)
        };
        self.handlers.push((replica, registration.expect("not stopped")));
    }

    fn apply(&mut self, op: &Op) {
        match op {
            Op::Put(key, tag) => self.source.put(key, tag),
            Op::PutAll(keys) => {
                self.source.put_all(keys.iter().cloned());
            }
            Op::Remove(key) => self.source.remove(key),
            Op::Bookmark => self.source.bookmark(),
            Op::Close => self.source.close(),
            Op::Expire => self.source.expire(),
            Op::Refuse(yes) => self.source.set_error(yes.then_some(ErrorCode::Network)),
            Op::Repeat(key) => {
                let newest = self.source.version();
                if let Some(thing) = self.source.get(key).filter(|thing| thing.version == newest) {
                    self.source.send(WatchEvent::Added(thing));
                }
            }
            Op::DeleteUnknown => {
                let version = self.source.version().parse().expect("a number");
                if version > 0 {
                    self.source.send(WatchEvent::Deleted(Thing::new("n/unknown", version, 0, "")));
                }
            }
            Op::Pass(seconds) => self.world.pass(Duration::from_secs((*seconds).into())),
            Op::Wake => self.informer.wake(),
            Op::AddHandler => self.add_handler(),
            Op::RemoveHandler => {
                if let Some((_, registration)) = self.handlers.pop() {
                    registration.remove();
                }
            }
            Op::Restart => {
                self.informer.stop();
                self.world.settle();
                assert!(self.informer.reopen());
                self.handlers.clear();
                self.add_handler();
                self.source.run(&self.world, &self.informer);
            }
            Op::Hurry => {}
        }
        self.states.insert(self.source.version(), self.source.words());
    }

    fn check(&self) -> Result<(), TestCaseError> {
        let indexer = self.informer.indexer();
        let cached = cached(&self.informer);
        // With an ordered queue the cache is a state that the source had, with its version.
        if self.queue == QueueKind::InOrder && self.informer.has_synced() {
            let version = indexer.resource_version();
            prop_assert_eq!(Some(&cached), self.states.get(version), "at {}", version);
        }
        for (replica, registration) in &self.handlers {
            prop_assert_eq!(replica.violations(), Vec::<String>::new());
            prop_assert_eq!(&replica.words(), &cached, "what it was told is what is cached");
            prop_assert_eq!(registration.has_synced(), self.informer.has_synced());
            prop_assert_eq!(replica.is_synced(), registration.has_synced());
        }
        let scan = |keep: &dyn Fn(&Thing) -> bool| -> Vec<String> {
            let keys: BTreeSet<String> =
                indexer.list().filter(|thing| keep(thing)).map(|thing| thing.key.clone()).collect();
            keys.into_iter().collect()
        };
        for tag in ["", "x", "y", "z"] {
            prop_assert_eq!(indexer.index_keys("tag", tag).expect("added"), scan(&|thing| thing.tag == tag));
        }
        for namespace in ["m", "n"] {
            let found = indexer.index_keys(NAMESPACE_INDEX, namespace).expect("built in");
            prop_assert_eq!(found, scan(&|thing| thing.namespace() == namespace));
        }
        Ok(())
    }
}

proptest! {
    #[test]
    fn krs_07_ctl_01_ctl_02_the_cache_and_the_handlers_follow_the_source(
        in_order in any::<bool>(),
        ops in prop::collection::vec(op(), 0..80),
    ) {
        let mut fixture = Fixture::new(if in_order { QueueKind::InOrder } else { QueueKind::ByKey });
        for (at, op) in ops.iter().enumerate() {
            fixture.apply(op);
            if !matches!(ops.get(at + 1), Some(Op::Hurry)) {
                fixture.world.settle();
                fixture.check()?;
            }
        }
        fixture.source.set_error(None);
        fixture.world.pass(Duration::from_secs(120));
        fixture.check()?;
        prop_assert_eq!(cached(&fixture.informer), fixture.source.words());
        prop_assert!(fixture.informer.has_synced() && fixture.source.is_watched());
        let (cached, remembered) = (fixture.informer.indexer().len(), fixture.source.history_len());
        prop_assert_eq!(Thing::alive(), 2 * cached + remembered, "nothing is kept but by the cache and the source");
    }
}
