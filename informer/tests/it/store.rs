//! The cache as a store, and reads of it (scenarios STO, LIS).

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use informer::rows::Rows;
use informer::{
    ErrorCode, IndexFunc, Indexer, Keyed, KubeObject, LabelSelector, Object, Phase, QueueKind, ReflectorOptions,
    ResourceEventHandler, SharedInformer, SharedInformerOptions,
};

use crate::harness::World;
use crate::source::{Thing, cached, empty_source, informer, synced};

fn thing(key: &str, version: u64) -> Arc<Thing> {
    Arc::new(Thing::new(key, version, 1, ""))
}

fn keys(found: &[Arc<Thing>]) -> Vec<&str> {
    found.iter().map(|thing| thing.key.as_str()).collect()
}

#[test]
fn sto_01_it_is_a_map() {
    let mut store = Indexer::new();
    assert!(store.is_empty() && store.get_by_key("n/a").is_none() && store.list_keys().is_empty());
    assert!(store.update(thing("n/a", 1)).is_none() && store.update(thing("n/b", 2)).is_none());
    assert_eq!(store.update(thing("n/a", 3)).map(|old| old.version.clone()).as_deref(), Some("1"));
    assert_eq!((store.len(), store.list().len(), store.list_keys()), (2, 2, vec!["n/a".into(), "n/b".into()]));
    assert_eq!(store.get(&thing("n/a", 9)).map(|a| a.version.clone()).as_deref(), Some("3"), "found by its key");
    assert!(store.delete(&thing("n/a", 4)).is_some() && store.delete(&thing("n/a", 4)).is_none());
    store.replace(vec![thing("n/c", 5), thing("n/d", 6), thing("n/c", 7)], "9");
    assert_eq!(store.list_keys(), ["n/c", "n/d"], "nothing else stays, and nothing is there twice");
    assert_eq!(store.get_by_key("n/c").map(|c| c.version.clone()).as_deref(), Some("7"));
}

/// Records the received tags.
#[derive(Clone, Default)]
struct Tags(Rc<RefCell<Vec<String>>>);

impl ResourceEventHandler<Thing> for Tags {
    fn on_add(&mut self, object: &Arc<Thing>, _: bool) {
        self.0.borrow_mut().push(object.tag.clone());
    }
    fn on_update(&mut self, _: &Arc<Thing>, new: &Arc<Thing>) {
        self.0.borrow_mut().push(new.tag.clone());
    }
    fn on_delete(&mut self, object: &Arc<Thing>, _: bool) {
        self.0.borrow_mut().push(object.tag.clone());
    }
}

#[test]
fn sto_02_shi_05_ctl_04_cache_and_handlers_receive_transformed_objects() {
    for queue in [QueueKind::InOrder, QueueKind::ByKey] {
        let world = World::new();
        let source = empty_source();
        let transform = Rc::new(|thing: &mut Thing| {
            thing.tag.make_ascii_uppercase();
            Ok(())
        });
        let options = SharedInformerOptions { queue, transform: Some(transform), ..SharedInformerOptions::default() };
        let informer = informer(&world, options);
        let tags = Tags::default();
        let _registration = informer.add_event_handler(tags.clone()).expect("not stopped");
        source.put("n/a", "listed");
        source.run(&world, &informer);
        source.put("n/b", "added");
        source.put("n/a", "updated");
        source.put("n/c", "deleted");
        source.remove("n/c");
        world.settle();
        assert_eq!(tags.0.take(), ["LISTED", "ADDED", "UPDATED", "DELETED", "DELETED"], "{queue:?}");
        let tag = |key| informer.indexer().get_by_key(key).map(|thing| thing.tag.clone());
        assert_eq!((tag("n/a").as_deref(), tag("n/b").as_deref()), (Some("UPDATED"), Some("ADDED")));
    }
}

type Write<'a> = &'a dyn Fn(&mut Indexer<Thing>);

#[test]
fn sto_04_its_version_is_that_of_the_last_write() {
    let mut store = Indexer::<Thing>::new();
    let mut versions = vec![store.resource_version().to_owned()];
    let unversioned = || {
        let mut thing = Thing::new("n/x", 0, 1, "");
        thing.version.clear();
        Arc::new(thing)
    };
    let writes: [Write<'_>; 9] = [
        &|store| drop(store.update(thing("n/a", 10))),
        &|store| drop(store.update(thing("n/b", 10))),
        &|store| drop(store.update(thing("n/a", 20))),
        &|store| drop(store.delete(&thing("n/a", 30))),
        &|store| drop(store.update(unversioned())),
        &|store| drop(store.update(thing("n/c", 40))),
        &|store| drop(store.delete_by_key("n/c")),
        &|store| store.bookmark("45"),
        &|store| store.replace(vec![thing("n/a", 30), thing("n/b", 40)], "50"),
    ];
    for write in writes {
        write(&mut store);
        versions.push(store.resource_version().to_owned());
    }
    assert_eq!(versions, ["", "10", "10", "20", "30", "30", "40", "40", "45", "50"]);
}

#[test]
fn sto_07_a_reader_keeps_what_it_has_read() {
    let world = World::new();
    let (informer, source) = synced(&world, &["n/a", "n/b"]);
    let mut before = informer.lister().list(&LabelSelector::everything());
    before.sort_by(|a, b| a.key.cmp(&b.key));
    source.put("n/a", "changed");
    source.remove("n/b");
    source.put("n/c", "");
    world.settle();
    assert_eq!(cached(&informer), ["n/a@3", "n/c@5"]);
    let kept: Vec<_> = before.iter().map(|thing| (thing.key.as_str(), thing.version.as_str())).collect();
    assert_eq!(kept, [("n/a", "1"), ("n/b", "2")]);
}

#[test]
fn sto_08_sto_09_a_key_is_namespace_and_name() {
    for (key, namespace, name) in [("ns/name", "ns", "name"), ("name", "", "name"), ("", "", "")] {
        let thing = thing(key, 1);
        assert_eq!((thing.namespace(), thing.name()), (namespace, name), "{key:?}");
    }
    for (metadata, key) in [(r#""name":"a","namespace":"n""#, "n/a"), (r#""name":"a""#, "a")] {
        let object = Object::from_json(&format!(r#"{{"metadata":{{{metadata}}}}}"#), None).expect("valid");
        assert_eq!(object.key(), key);
    }
}

#[test]
fn sto_11_a_relist_costs_what_changed_and_keeps_the_instances_of_the_rest() {
    let world = World::new();
    let source = empty_source();
    let informer = informer(&world, SharedInformerOptions::default());
    let index_calls = Rc::new(Cell::new(0));
    let count = Rc::clone(&index_calls);
    let by_tag: IndexFunc<Thing> = Rc::new(move |thing: &Thing| {
        count.set(count.get() + 1);
        Ok(vec![thing.tag.clone()])
    });
    informer.add_indexers(BTreeMap::from([("tag".to_owned(), by_tag)])).expect("not stopped");
    source.put_all((0..10_000).map(|n| format!("n/{n}")));
    source.run(&world, &informer);
    let before: BTreeMap<String, Arc<Thing>> = informer
        .lister()
        .list(&LabelSelector::everything())
        .into_iter()
        .map(|thing| (thing.key.clone(), thing))
        .collect();
    assert_eq!((before.len(), index_calls.take()), (10_000, 10_000));
    source.expire();
    world.settle();
    for n in 0..10 {
        source.put(&format!("n/{n}"), "changed");
    }
    world.pass(Duration::from_secs(2));
    assert!(index_calls.get() <= 20, "the index was asked {} times about 10 objects", index_calls.get());
    let kept = informer
        .lister()
        .list(&LabelSelector::everything())
        .iter()
        .filter(|thing| Arc::ptr_eq(thing, &before[&thing.key]))
        .count();
    assert_eq!(kept, 9_990);
    assert_eq!(informer.indexer().by_index("tag", "changed").map(|found| found.len()), Ok(10));
}

fn shops(world: &World) -> SharedInformer<Thing> {
    synced(world, &["shop/b", "shop/a", "other/a", "node"]).0
}

#[test]
fn lis_01_a_list_is_everything_there_is() {
    let world = World::new();
    let mut all = shops(&world).lister().list(&LabelSelector::everything());
    all.sort_by(|a, b| a.key.cmp(&b.key));
    assert_eq!(keys(&all), ["node", "other/a", "shop/a", "shop/b"]);
    assert!(synced(&world, &[]).0.lister().list(&LabelSelector::everything()).is_empty());
}

#[test]
fn lis_04_a_list_of_a_namespace_is_what_a_scan_would_find() {
    let world = World::new();
    let informer = shops(&world);
    for (namespace, expected) in
        [("shop", &["shop/a", "shop/b"] as &[_]), ("other", &["other/a"]), ("nowhere", &[]), ("sho", &[])]
    {
        assert_eq!(
            keys(&informer.lister().namespace(namespace).list(&LabelSelector::everything())),
            expected,
            "{namespace}"
        );
    }
}

#[test]
fn lis_06_a_missing_object_is_an_error_that_names_it() {
    let world = World::new();
    let lister = shops(&world).lister();
    assert_eq!(lister.namespace("shop").get("a").map(|a| a.key.clone()).as_deref(), Ok("shop/a"));
    assert_eq!(lister.get("node").map(|a| a.key.clone()).as_deref(), Ok("node"));
    for (error, name) in [
        (lister.namespace("shop").get("gone").expect_err("not there"), "\"shop/gone\""),
        (lister.get("gone").expect_err("not there"), "\"gone\""),
        (lister.get("a").expect_err("in a namespace"), "\"a\""),
    ] {
        assert_eq!(error.code(), ErrorCode::NotFound);
        assert!(error.message().contains(name), "{error}");
    }
}

#[test]
fn rows_are_counted_as_they_come_and_go() {
    let mut rows = Rows::default();
    assert!(rows.is_empty());
    let (row, _) = rows.put(thing("n/a", 1));
    rows.put(thing("n/b", 2));
    assert_eq!((rows.len(), rows.is_empty()), (2, false));
    rows.remove(row);
    assert_eq!((rows.len(), rows.is_empty(), rows.row_bound()), (1, false, 2));
    assert_eq!(rows.put(thing("n/c", 3)).0, row, "its number is used again");
    rows.remove(row);
    rows.remove(1);
    assert_eq!((rows.len(), rows.is_empty()), (0, true));
}

#[test]
fn a_cache_may_be_as_large_as_its_limit_and_no_larger() {
    let world = World::new();
    let options = ReflectorOptions { max_bytes: 10, ..ReflectorOptions::default() };
    let (informer, source) = (informer(&world, options), empty_source());
    source.put("n/a", "12345");
    source.run(&world, &informer);
    source.put("n/b", "67890");
    world.settle();
    assert_eq!((informer.status().bytes, informer.status().phase), (10, Phase::Watching));
    source.put("n/c", "1");
    world.settle();
    assert_eq!(informer.status().phase, Phase::Failed);
}
