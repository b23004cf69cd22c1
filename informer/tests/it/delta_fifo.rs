//! The queue that gathers what happened to one object (scenarios DF).

use std::sync::Arc;

use informer::{Delta, DeltaFifo, Keyed, Popped, Queue};

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

/// What the next pop gives, as text: `a: +1 ~2 -2`, `= a1 b2 @9`.
fn pop(queue: &mut DeltaFifo<Thing>) -> String {
    let mut text = "empty".to_owned();
    queue.pop(&mut |popped| text = described(popped));
    text
}

fn described(popped: Popped<Thing>) -> String {
    match popped {
        Popped::Deltas(deltas) => {
            let words: Vec<String> = deltas
                .iter()
                .map(|delta| match delta {
                    Delta::Added(o) => format!("+{}", o.1),
                    Delta::Updated(o) => format!("~{}", o.1),
                    Delta::Deleted(o) => format!("-{}", o.1),
                })
                .collect();
            format!("{}: {}", deltas[0].object().key(), words.join(" "))
        }
        Popped::Replaced { items, resource_version, .. } => {
            let words: Vec<String> = items.iter().map(|o| format!("{}{}", o.0, o.1)).collect();
            format!("= {} @{resource_version}", words.join(" "))
        }
        Popped::SyncAll { except } => format!("sync all but {except:?}"),
        Popped::Bookmark(version) => format!("bookmark {version}"),
    }
}

#[test]
fn df_21_a_key_keeps_its_place_and_goes_to_the_tail_after_its_pop() {
    let mut queue = DeltaFifo::new();
    for (key, version) in [("foo", 10), ("bar", 1), ("foo", 11), ("foo", 13), ("zab", 30)] {
        queue.update(thing(key, version));
    }
    assert_eq!(pop(&mut queue), "foo: ~10 ~11 ~13");
    queue.update(thing("foo", 14));
    assert_eq!([pop(&mut queue), pop(&mut queue), pop(&mut queue)], ["bar: ~1", "zab: ~30", "foo: ~14"]);
    assert_eq!(pop(&mut queue), "empty");
}

#[test]
fn df_25_two_deletions_are_one_and_a_recreation_is_kept() {
    let mut queue = DeltaFifo::new();
    queue.add(thing("a", 1));
    queue.delete(thing("a", 2));
    queue.delete(thing("a", 3));
    queue.add(thing("a", 4));
    assert_eq!(pop(&mut queue), "a: +1 -2 +4");
}

#[test]
fn changes_stay_on_their_side_of_a_relist() {
    let mut queue = DeltaFifo::new();
    queue.add(thing("a", 1));
    queue.replace(vec![thing("b", 2)], "9".into());
    queue.update(thing("a", 3));
    assert_eq!(queue.len(), 3);
    assert_eq!([pop(&mut queue), pop(&mut queue), pop(&mut queue)], ["a: +1", "= b2 @9", "a: ~3"]);
}

#[test]
fn a_relist_outdoes_the_one_before_it() {
    let mut queue = DeltaFifo::new();
    queue.replace(vec![thing("a", 1)], "1".into());
    queue.replace(vec![thing("a", 2)], "2".into());
    assert_eq!(pop(&mut queue), "= a2 @2");
    assert!(queue.is_empty() && queue.has_synced());
}

#[test]
fn df_23_synced_means_the_first_population_was_processed() {
    let mut queue: DeltaFifo<Thing> = DeltaFifo::new();
    assert!(!queue.has_synced());
    queue.replace(Vec::new(), "1".into());
    assert!(!queue.has_synced());
    let mut initial = false;
    queue.pop(&mut |popped| initial = matches!(popped, Popped::Replaced { initial: true, .. }));
    assert!(initial && queue.has_synced());
    queue.replace(Vec::new(), "2".into());
    assert!(queue.has_synced(), "a relist does not unsync");
}
