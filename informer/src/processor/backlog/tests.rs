//! Backlog: which batches are merged. Delivery is tested in `tests/it/backlog.rs`.

use std::sync::Arc;

use super::*;
use crate::controller::Change;

#[derive(Debug, PartialEq)]
struct Thing(&'static str, &'static str);

impl Keyed for Thing {
    fn key(&self) -> &str {
        self.0
    }

    fn resource_version(&self) -> &str {
        self.1
    }
}

/// A batch that adds an object and changes it at once.
fn batch(key: &'static str) -> Rc<ChangeBatch<Thing>> {
    let [old, new] = ["1", "2"].map(|version| Arc::new(Thing(key, version)));
    let changes =
        vec![Change::Add { object: Arc::clone(&old), is_in_initial_list: false }, Change::Update { old, new }];
    Rc::new(ChangeBatch { changes, resource_version: String::new(), relist: false })
}

#[test]
fn a_single_batch_is_not_merged() {
    for synced in [false, true] {
        let mut backlog = Backlog::new(1);
        if synced {
            backlog.push_synced();
        }
        let only = batch("a");
        backlog.push(Rc::clone(&only));
        assert_eq!((backlog.coalesced, backlog.len()), (0, 2));
        if synced {
            assert!(matches!(backlog.pop(), Some(Notice::Synced)));
        }
        assert!(matches!(backlog.pop(), Some(Notice::Batch(batch)) if Rc::ptr_eq(&batch, &only)));
    }
}

#[test]
fn two_batches_are_merged_with_synced_between_them() {
    let mut backlog = Backlog::new(1);
    backlog.push(batch("a"));
    backlog.push_synced();
    backlog.push(batch("b"));
    assert_eq!((backlog.coalesced, backlog.len()), (2, 2));
    assert!(matches!(backlog.pop(), Some(Notice::Batch(batch)) if batch.changes.len() == 2));
    assert!(matches!(backlog.pop(), Some(Notice::Synced)));
    assert!(backlog.pop().is_none());
}
