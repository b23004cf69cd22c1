//! Queue entries applied to a cache (scenarios CTL, DF, RF).

use super::*;
use crate::delta_fifo::DeltaFifo;
use crate::queue::Queue;
use crate::real_fifo::RealFifo;

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

fn things(of: &[(&'static str, &'static str)]) -> Vec<Arc<Thing>> {
    of.iter().map(|(key, version)| Arc::new(Thing(key, version))).collect()
}

fn process<T: Keyed>(popped: Popped<T>, indexer: &mut Indexer<T>) -> Vec<Change<T>> {
    super::process(popped, Difference::default(), indexer)
}

fn words(changes: &[Change<Thing>]) -> Vec<String> {
    let word = |change: &Change<Thing>| match change {
        Change::Add { object, is_in_initial_list } => {
            format!("+{}{}{}", object.0, object.1, if *is_in_initial_list { "!" } else { "" })
        }
        Change::Update { old, new } => format!("~{}{}>{}", new.0, old.1, new.1),
        Change::Delete { object, final_state_unknown } => {
            format!("-{}{}{}", object.0, object.1, if *final_state_unknown { "?" } else { "" })
        }
    };
    changes.iter().map(word).collect()
}

fn replaced(of: &[(&'static str, &'static str)], initial: bool) -> Popped<Thing> {
    Popped::Replaced { items: things(of), resource_version: "9".into(), unread: vec!["unread".into()], initial }
}

#[test]
fn ctl_07_a_relist_is_the_difference_to_what_is_cached() {
    let mut indexer = Indexer::new();
    let first =
        process(replaced(&[("pod-1", "1"), ("pod-2", "2"), ("pod-3", "3"), ("pod-5", "5")], true), &mut indexer);
    assert_eq!(words(&first), ["+pod-11!", "+pod-22!", "+pod-33!", "+pod-55!"]);
    let kept = Arc::clone(indexer.get_by_key("pod-5").expect("there"));
    let second =
        process(replaced(&[("pod-1", "4"), ("pod-2", "5"), ("pod-4", "6"), ("pod-5", "5")], false), &mut indexer);
    assert_eq!(words(&second), ["-pod-33?", "~pod-11>4", "~pod-22>5", "+pod-46"]);
    assert!(Arc::ptr_eq(&kept, indexer.get_by_key("pod-5").expect("there")), "an unchanged object is reused");
}

#[test]
fn wat_25_the_cache_decides_the_type_of_a_change() {
    let mut indexer = Indexer::new();
    let mut run = |delta| words(&process(Popped::Deltas(vec![delta]), &mut indexer));
    let thing = |version| Arc::new(Thing("a", version));
    assert_eq!(run(Delta::Deleted(thing("1"))), Vec::<String>::new());
    assert_eq!(run(Delta::Updated(thing("2"))), ["+a2"]);
    assert_eq!(run(Delta::Added(thing("3"))), ["~a2>3"]);
    assert_eq!(run(Delta::Deleted(thing("4"))), ["-a4"]);
}

fn thing(key: &'static str, version: &'static str) -> Arc<Thing> {
    Arc::new(Thing(key, version))
}

/// Changes for handlers from all waiting entries.
fn drain(queue: &mut dyn Queue<Thing>, indexer: &mut Indexer<Thing>) -> Vec<String> {
    let mut deliveries = Vec::new();
    while queue.pop(&mut |popped| deliveries.extend(words(&process(popped, indexer)))) {}
    deliveries
}

/// Runs a script on a queue and a cache that holds `known`; all of it waits before anything is popped.
fn deliveries(
    queue: &mut dyn Queue<Thing>,
    known: &[(&'static str, &'static str)],
    script: impl Fn(&mut dyn Queue<Thing>),
) -> Vec<String> {
    let mut indexer = Indexer::new();
    indexer.replace(things(known), "1");
    script(queue);
    drain(queue, &mut indexer)
}

/// Runs a script on each kind of queue: they merge differently, with the same result.
fn by_either(known: &[(&'static str, &'static str)], script: impl Fn(&mut dyn Queue<Thing>), expected: &[&str]) {
    assert_eq!(deliveries(&mut DeltaFifo::new(), known, &script), expected, "DeltaFifo");
    assert_eq!(deliveries(&mut RealFifo::new(), known, &script), expected, "RealFifo");
}

fn list(queue: &mut dyn Queue<Thing>, of: &[(&'static str, &'static str)]) {
    queue.replace(things(of), "9".into());
}

#[test]
fn df_03_df_04_df_06_df_07_rf_04_rf_05_what_a_list_lacks_is_deleted_once() {
    let add = |queue: &mut dyn Queue<Thing>, lists: &[&[(&'static str, &'static str)]]| {
        queue.add(thing("a", "1"));
        for of in lists {
            list(queue, of);
        }
    };
    let there: &[(&str, &str)] = &[("a", "1")];
    for lists in [&[&[] as &[_]] as &[_], &[there, &[]], &[there, there, &[]], &[&[], &[]]] {
        by_either(&[], |queue| add(queue, lists), &["+a1", "-a1?"]);
    }
    by_either(
        &[],
        |queue| {
            queue.add(thing("a", "1"));
            queue.update(thing("a", "2"));
            list(queue, &[]);
        },
        &["+a1", "~a1>2", "-a2?"],
    );
}

#[test]
fn df_05_what_was_deleted_is_not_deleted_by_a_list_again() {
    by_either(
        &[],
        |queue| {
            queue.add(thing("a", "1"));
            queue.delete(thing("a", "2"));
            list(queue, &[]);
        },
        &["+a1", "-a2"],
    );
}

#[test]
fn df_08_a_missed_deletion_carries_the_newest_state() {
    by_either(
        &[],
        |queue| {
            queue.add(thing("a", "1"));
            queue.delete(thing("a", "1"));
            queue.add(thing("a", "2"));
            list(queue, &[]);
        },
        &["+a1", "-a1", "+a2", "-a2?"],
    );
}

#[test]
fn df_11_df_12_rf_07_a_deletion_is_delivered_only_if_the_object_is_cached() {
    by_either(
        &[("known", "1")],
        |queue| {
            queue.add(thing("a", "10"));
            queue.update(thing("a", "15"));
            queue.delete(thing("unknown", "20"));
            queue.delete(thing("known", "21"));
        },
        &["+a10", "~a10>15", "-known21"],
    );
}

#[test]
fn df_13_a_list_follows_the_queued_changes() {
    by_either(
        &[],
        |queue| {
            queue.add(thing("a", "10"));
            list(queue, &[("a", "15")]);
        },
        &["+a10", "~a10>15"],
    );
}

#[test]
fn df_14_rsy_13_a_resync_restores_no_deleted_object() {
    by_either(
        &[("a", "1")],
        |queue| {
            queue.delete(thing("a", "2"));
            queue.resync();
        },
        &["-a2"],
    );
}

#[test]
fn df_15_df_16_known_objects() {
    by_either(&[("a", "1")], |queue| queue.resync(), &["~a1>1"]);
    by_either(
        &[("a", "1")],
        |queue| {
            queue.add(thing("a", "2"));
            queue.delete(thing("a", "3"));
        },
        &["~a1>2", "-a3"],
    );
}

#[test]
fn rsy_12_df_19_rf_20_queued_changes_precede_the_resync_and_by_key_replace_it() {
    let script = |queue: &mut dyn Queue<Thing>| {
        queue.update(thing("a", "5"));
        queue.resync();
    };
    assert_eq!(deliveries(&mut DeltaFifo::new(), &[("a", "1")], script), ["~a1>5"]);
    assert_eq!(deliveries(&mut RealFifo::new(), &[("a", "1")], script), ["~a1>5", "~a5>5"]);
}

#[test]
fn df_17_rf_02_rf_03_list_deletes_first_and_only_what_was_not_deleted() {
    by_either(
        &[("foo", "1"), ("bar", "2"), ("baz", "3")],
        |queue| {
            queue.delete(thing("baz", "4"));
            list(queue, &[("foo", "5")]);
        },
        &["-baz4", "-bar2?", "~foo1>5"],
    );
    by_either(
        &[("foo", "1"), ("bar", "2"), ("baz", "3")],
        |queue| list(queue, &[("foo", "5")]),
        &["-bar2?", "-baz3?", "~foo1>5"],
    );
    by_either(
        &[("foo", "1")],
        |queue| {
            queue.delete(thing("foo", "2"));
            list(queue, &[("foo", "3")]);
        },
        &["-foo2", "+foo3"],
    );
}

#[test]
fn a_key_that_is_twice_in_a_list_is_in_the_cache_once() {
    let mut indexer = Indexer::new();
    let first = process(replaced(&[("a", "1"), ("a", "1"), ("a", "2")], true), &mut indexer);
    assert_eq!((words(&first), indexer.len()), (vec!["+a1!".to_owned(), "~a1>2".to_owned()], 1));
}

#[test]
fn rsy_14_rsy_15_a_resync_tells_the_very_object_again() {
    let mut indexer = Indexer::new();
    process(replaced(&[("a", "1")], true), &mut indexer);
    let changes = process(Popped::SyncAll { except: HashSet::new() }, &mut indexer);
    let [Change::Update { old, new }] = &changes[..] else { panic!("{changes:?}") };
    assert!(Arc::ptr_eq(old, new) && Arc::ptr_eq(new, indexer.get_by_key("a").expect("there")));
    assert_eq!(indexer.resource_version(), "9", "nothing was learned of the source");
}

#[test]
fn an_undecodable_object_is_not_deleted() {
    let mut indexer = Indexer::new();
    process(replaced(&[("pod-1", "1"), ("unread", "1")], true), &mut indexer);
    assert_eq!(words(&process(replaced(&[], false), &mut indexer)), ["-pod-11?"]);
    assert_eq!(indexer.list_keys(), ["unread"]);
}

#[test]
fn a_relist_is_the_same_in_any_number_of_slices() {
    let keys = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..2_000 {
        let mut draw = || -> Vec<_> {
            let some: Vec<_> = keys.iter().filter(|_| random.bool()).collect();
            some.into_iter().map(|key| (*key, if random.bool() { "1" } else { "2" })).collect()
        };
        let (cached, listed) = (draw(), draw());
        let unread: Vec<String> = keys.iter().filter(|_| random.u8(..4) == 0).map(ToString::to_string).collect();
        let fill = || {
            let mut indexer = Indexer::new();
            indexer.replace(things(&cached), "1");
            indexer
        };
        let (mut at_once, mut in_slices, items) = (fill(), fill(), things(&listed));
        let mut difference = Difference::default();
        while random.u8(..6) > 0 && difference.compare(&items, random.usize(..4), &in_slices) {}
        let changes = difference.apply(&items, &unread, false, &mut in_slices);
        assert_eq!(words(&changes), words(&Difference::default().apply(&items, &unread, false, &mut at_once)));
        // As a naive reader would have it.
        let expected = |key: &&str| {
            let find = |list: &[(&'static str, &'static str)]| list.iter().find(|(of, _)| of == key).map(|(_, v)| *v);
            find(&listed).or_else(|| find(&cached).filter(|_| unread.contains(&(*key).to_owned())))
        };
        for key in keys {
            assert_eq!(
                in_slices.get_by_key(key).map(|thing| thing.1),
                expected(&key),
                "{key} of {cached:?} {listed:?}"
            );
        }
        assert_eq!(in_slices.len(), at_once.len());
    }
}

#[test]
fn a_part_of_the_first_population_moves_no_version() {
    let mut indexer = Indexer::new();
    let part = |of: &[(&'static str, &'static str)], last: Option<&str>| Popped::Populated {
        items: things(of),
        resource_version: last.map(str::to_owned),
    };
    assert_eq!(words(&process(part(&[("a", "1"), ("b", "2")], None), &mut indexer)), ["+a1!", "+b2!"]);
    assert_eq!((indexer.len(), indexer.resource_version()), (2, ""));
    assert_eq!(words(&process(part(&[("b", "2"), ("c", "3")], Some("9")), &mut indexer)), ["+c3!"]);
    assert_eq!((indexer.len(), indexer.resource_version()), (3, "9"));
}

#[test]
fn cache_without_a_list_has_no_version() {
    let mut indexer = Indexer::new();
    process(replaced(&[("a", "1")], true), &mut indexer);
    assert_eq!(indexer.resource_version(), "9");
    let gone = Popped::Replaced { items: vec![], resource_version: String::new(), unread: vec![], initial: false };
    assert_eq!(words(&process(gone, &mut indexer)), ["-a1?"]);
    assert_eq!(indexer.resource_version(), "", "not the version of what was there before");
}
