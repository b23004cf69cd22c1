//! The indexes of the cache (scenarios IDX).

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use informer::{ErrorCode, IndexFunc, Indexer, Indexers, Keyed, NAMESPACE_INDEX};
use proptest::prelude::*;

#[derive(Clone, Debug, PartialEq)]
struct Thing {
    key: String,
    tags: Vec<String>,
}

impl Keyed for Thing {
    fn key(&self) -> &str {
        &self.key
    }
    fn resource_version(&self) -> &'static str {
        ""
    }
    fn size(&self) -> usize {
        self.tags.len()
    }
}

fn by_tag() -> Indexers<Thing> {
    let func: IndexFunc<Thing> = Rc::new(|thing: &Thing| Ok(thing.tags.clone()));
    BTreeMap::from([("tag".to_owned(), func)])
}

#[test]
fn idx_08_idx_09_an_unknown_index_and_a_taken_name_are_errors() {
    let mut indexer = Indexer::<Thing>::new();
    assert_eq!(indexer.by_index("tag", "x").expect_err("unknown").code(), ErrorCode::BadRequest);
    assert_eq!(indexer.index_keys("tag", "x").expect_err("unknown").code(), ErrorCode::BadRequest);
    assert_eq!(indexer.list_index_func_values("tag").expect_err("unknown").code(), ErrorCode::BadRequest);
    assert_eq!(indexer.index("tag", &tagged("n/a", &[])).expect_err("unknown").code(), ErrorCode::BadRequest);
    let mut two = by_tag();
    two.insert(NAMESPACE_INDEX.to_owned(), Rc::new(|_| Ok(Vec::new())));
    assert!(indexer.add_indexers(two).is_err());
    assert!(indexer.index_keys("tag", "x").is_err(), "nothing was added");
    assert_eq!(indexer.get_indexers().into_keys().collect::<Vec<_>>(), [NAMESPACE_INDEX]);
}

fn tagged(key: &str, tags: &[&str]) -> Arc<Thing> {
    Arc::new(Thing { key: key.to_owned(), tags: tags.iter().map(ToString::to_string).collect() })
}

fn with_tags(things: &[(&str, &[&str])]) -> Indexer<Thing> {
    let mut indexer = Indexer::new();
    indexer.add_indexers(by_tag()).expect("a new name");
    for (key, tags) in things {
        indexer.update(tagged(key, tags));
    }
    indexer
}

#[test]
fn idx_01_idx_02_idx_05_a_value_lives_as_long_as_an_object_has_it() {
    let mut indexer = with_tags(&[("n/a", &["x"]), ("n/b", &["x"]), ("n/c", &["y"])]);
    assert_eq!(indexer.list_index_func_values("tag").expect("added"), ["x", "y"]);
    indexer.delete_by_key("n/a");
    assert_eq!(indexer.index_keys("tag", "x").expect("added"), ["n/b"]);
    indexer.delete_by_key("n/b");
    assert_eq!(indexer.list_index_func_values("tag").expect("added"), ["y"]);
    assert!(indexer.by_index("tag", "x").expect("added").is_empty());
}

#[test]
fn idx_04_idx_06_an_update_moves_an_object_from_value_to_value() {
    let mut indexer = with_tags(&[("n/one", &["bert", "ernie"]), ("n/tre", &["ernie", "elmo"])]);
    let found = |indexer: &Indexer<Thing>| -> Vec<String> {
        let of = |tag: &str| indexer.index_keys("tag", tag).expect("added").join("+");
        ["bert", "ernie", "elmo", "oscar"].map(of).to_vec()
    };
    assert_eq!(found(&indexer), ["n/one", "n/one+n/tre", "n/tre", ""]);
    indexer.update(tagged("n/two", &["bert", "oscar"]));
    assert_eq!(found(&indexer), ["n/one+n/two", "n/one+n/tre", "n/tre", "n/two"]);
    indexer.update(tagged("n/one", &["elmo"]));
    assert_eq!(found(&indexer), ["n/two", "n/tre", "n/one+n/tre", "n/two"]);
    indexer.delete(&tagged("n/tre", &[]));
    assert_eq!(found(&indexer), ["n/two", "", "n/one", "n/two"], "the cached object counts, not the one deleted by");
}

#[test]
fn idx_07_objects_that_share_a_value_each_once() {
    let indexer = with_tags(&[("n/a", &["x", "y"]), ("n/b", &["y"]), ("n/c", &["z"])]);
    let like = |tags: &[&str]| -> Vec<String> {
        let found = indexer.index("tag", &tagged("sample", tags)).expect("added");
        found.iter().map(|thing| thing.key.clone()).collect()
    };
    assert_eq!(like(&["x", "y"]), ["n/a", "n/b"]);
    assert_eq!(like(&["z", "nowhere"]), ["n/c"]);
    assert_eq!(like(&[]), Vec::<String>::new());
}

#[test]
fn idx_10_a_new_index_is_complete_at_once() {
    let mut indexer = Indexer::new();
    for n in 0..1_000 {
        indexer.update(tagged(&format!("n/{n}"), &[["x", "y"][n % 2]]));
    }
    indexer.add_indexers(by_tag()).expect("a new name");
    assert_eq!(indexer.by_index("tag", "x").expect("added").len(), 500);
    assert_eq!(indexer.list_index_func_values("tag").expect("added"), ["x", "y"]);
}

#[test]
fn idx_11_a_replace_makes_the_indexes_anew() {
    let mut indexer = with_tags(&[("n/a", &["x"]), ("m/b", &["y"])]);
    indexer.replace(vec![tagged("n/a", &["z"])], "9");
    assert_eq!(indexer.list_index_func_values("tag").expect("added"), ["z"]);
    assert_eq!(indexer.list_index_func_values(NAMESPACE_INDEX).expect("built in"), ["n"]);
    assert_eq!(indexer.bytes(), 1);
}

#[test]
fn idx_12_a_value_twice_is_once_and_none_is_nowhere() {
    let mut indexer = with_tags(&[("n/a", &["x", "x"]), ("n/b", &[])]);
    assert_eq!(indexer.index_keys("tag", "x").expect("added"), ["n/a"]);
    indexer.update(tagged("n/a", &["x"]));
    assert_eq!(indexer.index_keys("tag", "x").expect("added"), ["n/a"]);
    indexer.delete_by_key("n/a");
    assert!(indexer.list_index_func_values("tag").expect("added").is_empty());
}

#[derive(Clone, Debug)]
enum Op {
    Update(Thing),
    Delete(String),
    AddIndexers,
}

fn op() -> impl Strategy<Value = Op> {
    let key = "(n1/|n2/|)[a-d]";
    prop_oneof![
        6 => (key, prop::collection::vec("[x-z]", 0..3)).prop_map(|(key, tags)| Op::Update(Thing { key, tags })),
        2 => key.prop_map(Op::Delete),
        1 => Just(Op::AddIndexers),
    ]
}

proptest! {
    #[test]
    fn the_indexes_are_what_a_scan_would_find(ops in prop::collection::vec(op(), 0..60)) {
        let mut indexer = Indexer::new();
        let mut model: BTreeMap<String, Thing> = BTreeMap::new();
        let mut has_tags = false;
        for op in ops {
            match op {
                Op::Update(thing) => {
                    let old = indexer.update(Arc::new(thing.clone()));
                    prop_assert_eq!(old.as_deref().cloned(), model.insert(thing.key.clone(), thing));
                }
                Op::Delete(key) => {
                    prop_assert_eq!(indexer.delete_by_key(&key).as_deref().cloned(), model.remove(&key));
                }
                Op::AddIndexers => {
                    prop_assert_eq!(indexer.add_indexers(by_tag()).is_ok(), !has_tags);
                    has_tags = true;
                }
            }
            prop_assert_eq!(indexer.list_keys(), model.keys().cloned().collect::<Vec<_>>());
            prop_assert_eq!(indexer.bytes(), model.values().map(Keyed::size).sum::<usize>());
            let scan = |keep: &dyn Fn(&Thing) -> bool| -> Vec<String> {
                model.values().filter(|thing| keep(thing)).map(|thing| thing.key.clone()).collect()
            };
            for namespace in ["n1", "n2", ""] {
                let found = indexer.index_keys(NAMESPACE_INDEX, namespace).expect("built in");
                prop_assert_eq!(found, scan(&|thing| thing.namespace() == namespace));
            }
            if has_tags {
                let values: BTreeSet<String> = model.values().flat_map(|thing| thing.tags.clone()).collect();
                prop_assert_eq!(indexer.list_index_func_values("tag").expect("added"), values.iter().cloned().collect::<Vec<_>>());
                for value in values {
                    let found = indexer.index_keys("tag", &value).expect("added");
                    prop_assert_eq!(found, scan(&|thing| thing.tags.contains(&value)));
                }
            }
        }
    }
}

#[test]
fn an_index_is_found_by_its_name_in_whatever_order_they_came() {
    let mut indexer = Indexer::new();
    assert!(indexer.is_empty());
    indexer.update(tagged("n/a", &["x"]));
    assert_eq!((indexer.is_empty(), indexer.len()), (false, 1));
    let names = ["zone", "app", "node", "b", "tier", "a", "owner"];
    for name in names {
        let value = name.to_owned();
        let func: IndexFunc<Thing> = Rc::new(move |_| Ok(vec![value.clone()]));
        indexer.add_indexers([(name.to_owned(), func)].into()).expect("a new name");
    }
    for name in names {
        assert_eq!(indexer.index_keys(name, name), Ok(vec!["n/a".to_owned()]), "{name}");
    }
}

#[test]
fn a_list_says_how_many_are_left_of_it() {
    let mut indexer = with_tags(&[("n/a", &[]), ("n/b", &[]), ("n/c", &[]), ("n/d", &[])]);
    indexer.delete_by_key("n/b");
    let mut list = indexer.list();
    assert_eq!(list.len(), 3);
    for left in [2, 1, 0] {
        assert!(list.next().is_some());
        assert_eq!((list.len(), list.size_hint()), (left, (left, Some(left))));
    }
    assert!(list.next().is_none());
}
