//! The cache and its indexes (scenarios STO, IDX).

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
fn an_unknown_index_and_a_taken_name_are_errors() {
    let mut indexer = Indexer::<Thing>::new();
    assert_eq!(indexer.by_index("tag", "x").expect_err("unknown").code(), ErrorCode::BadRequest);
    let mut two = by_tag();
    two.insert(NAMESPACE_INDEX.to_owned(), Rc::new(|_| Ok(Vec::new())));
    assert!(indexer.add_indexers(two).is_err());
    assert!(indexer.index_keys("tag", "x").is_err(), "nothing was added");
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
