//! DeltaFIFO: the queue that merges the changes of one object (scenarios DF).

use std::sync::Arc;

use informer::transport::scripted::Reply;
use informer::{Delta, DeltaFifo, Keyed, Popped, Queue, QueueKind, ReflectorOptions, SharedInformerOptions};

use crate::harness::{World, cached, page, send};

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

/// The next pop as text: `a: +1 ~2 -2`, `= a1 b2 @9`.
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
        Popped::Populated { items, resource_version } => {
            let words: Vec<String> = items.iter().map(|o| format!("{}{}", o.0, o.1)).collect();
            format!("part {} @{}", words.join(" "), resource_version.unwrap_or_default())
        }
        Popped::SyncAll { except } => format!("sync all but {except:?}"),
        Popped::Bookmark(version) => format!("bookmark {version}"),
    }
}

#[test]
fn df_01_what_happens_to_one_object_stays_in_order_and_nothing_is_lost() {
    let mut queue = DeltaFifo::new();
    let keys = ["a", "b", "c", "d", "e", "f", "g"];
    // Two alternating producers, each with its own keys.
    for version in 0..500 {
        queue.add(thing(keys[version as usize % 4], version));
        queue.add(thing(keys[4 + version as usize % 3], version));
    }
    let (mut popped, mut pops) = (0, 0);
    while queue.pop(&mut |next| {
        let Popped::Deltas(deltas) = next else { panic!("{next:?}") };
        assert!(
            deltas
                .windows(2)
                .all(|two| two[0].object().1 < two[1].object().1 && two[0].object().0 == two[1].object().0)
        );
        popped += deltas.len();
    }) {
        pops += 1;
    }
    assert_eq!((popped, pops), (1_000, 7));
}

#[test]
fn df_09_all_changes_of_a_key_are_one_pop() {
    let mut queue = DeltaFifo::new();
    queue.add(thing("a", 10));
    queue.update(thing("a", 15));
    assert_eq!(queue.len(), 1);
    assert_eq!([pop(&mut queue), pop(&mut queue)], ["a: +10 ~15", "empty"]);
    queue.add(thing("a", 16));
    queue.delete(thing("a", 17));
    assert_eq!([pop(&mut queue), pop(&mut queue)], ["a: +16 -17", "empty"]);
}

#[test]
fn df_20_a_deletion_after_the_list_comes_after_all_of_it() {
    let mut queue = DeltaFifo::new();
    queue.replace(vec![thing("foo", 1), thing("bar", 2), thing("baz", 3)], "9".into());
    queue.delete(thing("bar", 4));
    assert!(!queue.has_synced());
    assert_eq!(pop(&mut queue), "= foo1 bar2 baz3 @9");
    assert!(queue.has_synced());
    assert_eq!(pop(&mut queue), "bar: -4");
}

#[test]
fn rsy_12_rsy_13_df_14_df_19_a_resync_omits_queued_keys() {
    let mut queue = DeltaFifo::new();
    queue.update(thing("a", 5));
    queue.bookmark("6".into());
    queue.delete(thing("b", 7));
    queue.resync();
    queue.update(thing("c", 8));
    assert_eq!(pop(&mut queue), "a: ~5");
    assert_eq!(pop(&mut queue), "bookmark 6");
    assert_eq!(pop(&mut queue), "b: -7");
    queue.pop(&mut |popped| {
        let Popped::SyncAll { except } = popped else { panic!("{popped:?}") };
        let mut except: Vec<_> = except.into_iter().collect();
        except.sort();
        assert_eq!(except, ["a", "b"], "what comes after the resync is no part of it");
    });
    assert_eq!(pop(&mut queue), "c: ~8");
}

#[test]
fn a_resync_that_waits_is_enough() {
    let mut queue: DeltaFifo<Thing> = DeltaFifo::new();
    queue.update(thing("a", 1));
    queue.resync();
    queue.resync();
    assert_eq!(queue.len(), 2);
    assert_eq!([pop(&mut queue), pop(&mut queue), pop(&mut queue)], ["a: ~1", "sync all but {\"a\"}", "empty"]);
}

#[test]
fn bookmarks_stay_where_they_came_and_the_last_of_them_counts() {
    let mut queue = DeltaFifo::new();
    queue.bookmark("1".into());
    queue.bookmark("2".into());
    queue.add(thing("a", 3));
    queue.bookmark("4".into());
    assert_eq!([pop(&mut queue), pop(&mut queue), pop(&mut queue)], ["bookmark 2", "a: +3", "bookmark 4"]);
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
fn a_relist_replaces_the_queued_one_before_it() {
    let mut queue = DeltaFifo::new();
    queue.replace(vec![thing("a", 1)], "1".into());
    queue.replace(vec![thing("a", 2)], "2".into());
    assert_eq!(pop(&mut queue), "= a2 @2");
    assert!(queue.is_empty() && queue.has_synced());
}

#[test]
fn a_relist_that_could_not_read_all_keeps_the_one_before_it() {
    let mut queue = DeltaFifo::new();
    queue.replace(vec![thing("a", 1), thing("b", 1)], "1".into());
    queue.replace_but(vec![thing("a", 2)], "2".into(), vec!["b".into()]);
    assert_eq!([pop(&mut queue), pop(&mut queue), pop(&mut queue)], ["= a1 b1 @1", "= a2 @2", "empty"]);
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
    let mut twice = DeltaFifo::new();
    twice.replace(vec![thing("a", 1), thing("a", 1)], "1".into());
    pop(&mut twice);
    assert!(twice.has_synced(), "a key twice in one list counts once");
    let mut changed = DeltaFifo::new();
    changed.add(thing("a", 1));
    assert!(changed.has_synced(), "a change without a list before it counts, as in client-go");
}

#[test]
fn a_first_list_that_comes_page_by_page_is_synced_with_its_last() {
    let mut queue = DeltaFifo::new();
    queue.populate(vec![thing("a", 1)], None);
    queue.populate(vec![thing("b", 1)], Some("9".into()));
    queue.add(thing("c", 10));
    assert_eq!((queue.len(), pop(&mut queue).as_str(), queue.has_synced()), (3, "part a1 @", false));
    assert_eq!((pop(&mut queue).as_str(), queue.has_synced()), ("part b1 @9", true));
    assert_eq!(pop(&mut queue), "c: +10");
}

#[test]
fn an_informer_that_gathers_by_key_fills_its_cache_page_by_page() {
    let world = World::new();
    let reflector = ReflectorOptions { populate_by_page: true, consistent_lists: true, ..ReflectorOptions::default() };
    let (second, reply) = Reply::stream();
    world.transport.reply(Reply::json(page(10, &["n/a@1"], "more"))).reply(reply);
    let feed = world.watch();
    let options = SharedInformerOptions { queue: QueueKind::ByKey, reflector, ..SharedInformerOptions::default() };
    let pods = world.pods_with(options);
    world.settle();
    assert_eq!((cached(&pods), pods.has_synced()), (vec!["n/a@1".to_owned()], false));
    second.unbounded_send(Ok(page(10, &["n/b@2"], "").into_bytes())).expect("it is read");
    drop(second);
    world.settle();
    assert_eq!((cached(&pods), pods.has_synced()), (vec!["n/a@1".to_owned(), "n/b@2".to_owned()], true));
    send(&feed, &["~n/b@11", "-n/a@12", "~n/b@13"]);
    world.settle();
    assert_eq!(cached(&pods), ["n/b@13"]);
}

#[test]
fn the_next_item_is_no_relist_that_a_newer_one_may_replace() {
    let mut queue = DeltaFifo::new();
    assert!(!queue.next_is_deltas());
    queue.replace(vec![thing("a", 1)], "1".into());
    assert!(!queue.next_is_deltas() && queue.peek_relist().is_none());
    queue.add(thing("b", 2));
    pop(&mut queue);
    assert!(queue.next_is_deltas());
}
