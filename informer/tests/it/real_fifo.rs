//! The queue that keeps the order of its source (scenarios RF).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use informer::{Delta, Keyed, Popped, Queue, RealFifo};

#[derive(Debug, PartialEq)]
struct Thing(&'static str, u32);

impl Keyed for Thing {
    fn key(&self) -> &str {
        self.0
    }
    fn resource_version(&self) -> &'static str {
        ""
    }
}

fn thing(key: &'static str, version: u32) -> Arc<Thing> {
    Arc::new(Thing(key, version))
}

/// `+foo1 ~bar2 -foo3` for a batch, `= foo1 bar2 @9` for a list, `sync`, `bookmark 9`.
fn described(popped: Popped<Thing>) -> String {
    let word = |o: &Arc<Thing>| format!("{}{}", o.0, o.1);
    match popped {
        Popped::Deltas(deltas) => {
            let words: Vec<String> = deltas
                .iter()
                .map(|delta| match delta {
                    Delta::Added(o) => format!("+{}", word(o)),
                    Delta::Updated(o) => format!("~{}", word(o)),
                    Delta::Deleted(o) => format!("-{}", word(o)),
                })
                .collect();
            words.join(" ")
        }
        Popped::Replaced { items, resource_version, .. } => {
            let words: Vec<String> = items.iter().map(word).collect();
            format!("= {} @{resource_version}", words.join(" "))
        }
        Popped::Populated { items, resource_version } => {
            let words: Vec<String> = items.iter().map(word).collect();
            format!("part {} @{}", words.join(" "), resource_version.unwrap_or_default())
        }
        Popped::SyncAll { except } => {
            assert!(except.is_empty(), "what waited was popped before");
            "sync".to_owned()
        }
        Popped::Bookmark(version) => format!("bookmark {version}"),
    }
}

/// Pops all entries, in batches of at most `max`; one word per pop.
fn drain(queue: &mut RealFifo<Thing>, max: usize) -> Vec<String> {
    let mut popped = Vec::new();
    while queue.pop_batch(max, &mut |next| popped.push(described(next))) {}
    assert!(queue.is_empty());
    popped
}

const ALL: usize = 100;

#[test]
fn rf_01_rf_13_nothing_is_merged_and_a_key_is_once_in_a_batch() {
    let mut queue = RealFifo::new();
    queue.add(thing("foo", 10));
    queue.update(thing("foo", 12));
    queue.update(thing("foo", 15));
    assert_eq!(queue.len(), 3);
    assert_eq!(drain(&mut queue, ALL), ["+foo10", "~foo12", "~foo15"]);
}

#[test]
fn rf_06_strictly_in_the_order_of_arrival() {
    let mut queue = RealFifo::new();
    for (key, version) in [("foo", 10), ("bar", 1), ("foo", 11), ("foo", 13), ("zab", 30)] {
        queue.update(thing(key, version));
    }
    let mut first = String::new();
    queue.pop_batch(1, &mut |popped| first = described(popped));
    queue.update(thing("foo", 14));
    assert_eq!(first, "~foo10");
    assert_eq!(drain(&mut queue, 1), ["~bar1", "~foo11", "~foo13", "~zab30", "~foo14"]);
}

#[test]
fn rf_07_deletion_of_an_unknown_object_is_passed_on() {
    let mut queue = RealFifo::new();
    queue.delete(thing("foo", 1));
    queue.delete(thing("foo", 2));
    assert_eq!(drain(&mut queue, ALL), ["-foo1", "-foo2"]);
}

#[test]
fn rf_11_rf_14_a_batch_ends_where_a_key_comes_again() {
    let mut queue = RealFifo::new();
    for key in ["a", "b", "c"] {
        queue.add(thing(key, 1));
    }
    assert_eq!(drain(&mut queue, ALL), ["+a1 +b1 +c1"]);
    queue.add(thing("o1", 1));
    queue.add(thing("o2", 1));
    queue.update(thing("o2", 2));
    queue.update(thing("o3", 2));
    assert_eq!(drain(&mut queue, ALL), ["+o11 +o21", "~o22 ~o32"]);
}

#[test]
fn rf_15_no_batch_is_larger_than_asked_for() {
    let mut queue = RealFifo::new();
    let fill = |queue: &mut RealFifo<Thing>| {
        for key in ["a", "b", "c"] {
            queue.update(thing(key, 1));
        }
    };
    fill(&mut queue);
    assert_eq!(drain(&mut queue, 2), ["~a1 ~b1", "~c1"]);
    fill(&mut queue);
    assert_eq!(drain(&mut queue, 0), ["~a1", "~b1", "~c1"], "one at least, or it would never end");
    queue.replace(vec![thing("a", 1), thing("b", 1), thing("c", 1)], "9".into());
    queue.update(thing("a", 2));
    assert_eq!(drain(&mut queue, 2), ["= a1 b1 c1 @9", "~a2"], "a list is one entry, whatever its size");
}

#[test]
fn rf_17_rf_18_lists_stay_where_they_came_and_none_is_merged() {
    let mut queue = RealFifo::new();
    queue.add(thing("foo", 10));
    queue.replace(vec![thing("foo", 15)], "20".into());
    assert_eq!(drain(&mut queue, ALL), ["+foo10", "= foo15 @20"]);
    queue.add(thing("foo", 1));
    queue.replace(vec![thing("foo", 2)], "10".into());
    queue.replace(vec![thing("foo", 3)], "20".into());
    queue.replace(Vec::new(), "56".into());
    assert_eq!(queue.len(), 4);
    assert_eq!(drain(&mut queue, ALL), ["+foo1", "= foo2 @10", "= foo3 @20", "=  @56"]);
}

#[test]
fn rf_19_bookmarks_stay_where_they_came() {
    let mut queue = RealFifo::new();
    queue.bookmark("123".into());
    queue.replace(Vec::new(), "1234".into());
    queue.bookmark("1235".into());
    queue.bookmark("1236".into());
    assert_eq!(drain(&mut queue, ALL), ["bookmark 123", "=  @1234", "bookmark 1235", "bookmark 1236"]);
}

#[test]
fn rf_20_a_resync_is_one_entry_after_what_waited() {
    let mut queue = RealFifo::new();
    queue.resync();
    assert_eq!(drain(&mut queue, ALL), ["sync"]);
    queue.add(thing("foo", 1));
    queue.resync();
    queue.resync();
    queue.update(thing("foo", 2));
    queue.resync();
    assert_eq!(drain(&mut queue, ALL), ["+foo1", "sync", "~foo2", "sync"]);
}

#[test]
fn rf_09_synced_means_that_the_first_list_was_processed() {
    let mut queue: RealFifo<Thing> = RealFifo::new();
    queue.bookmark("1".into());
    queue.resync();
    drain(&mut queue, ALL);
    assert!(!queue.has_synced(), "neither is a population");
    // A key twice in one list is one entry still.
    queue.replace(vec![thing("a", 1), thing("a", 1)], "2".into());
    queue.update(thing("a", 2));
    queue.replace(Vec::new(), "3".into());
    let mut seen = Vec::new();
    for _ in 0..3 {
        assert_eq!(queue.has_synced(), !seen.is_empty(), "not before the pop has returned");
        queue.pop(&mut |popped| seen.push(matches!(popped, Popped::Replaced { initial: true, .. })));
    }
    assert_eq!(seen, [true, false, false], "only the first is the beginning");
    let mut changed: RealFifo<Thing> = RealFifo::new();
    changed.add(thing("a", 1));
    assert!(changed.has_synced(), "a change without a list before it counts, as in client-go");
}

#[test]
fn rf_26_what_the_consumer_fails_at_is_not_queued_again() {
    let mut queue = RealFifo::new();
    queue.add(thing("a", 1));
    queue.replace(vec![thing("b", 2)], "9".into());
    queue.add(thing("c", 3));
    for _ in 0..2 {
        let failed = catch_unwind(AssertUnwindSafe(|| queue.pop(&mut |_| panic!("the consumer fails"))));
        assert!(failed.is_err());
    }
    assert_eq!(drain(&mut queue, ALL), ["+c3"]);
}
