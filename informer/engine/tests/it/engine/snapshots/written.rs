//! Writing of snapshots: when, under which identity, and not twice.

use super::*;

/// One more user of the pods, under this number.
fn also(life: &Life, informer: u32) {
    let options = InformerOptions::default();
    life.send(ToEngine::Informer { informer, resource: "v1/pods".into(), options });
    life.send(ToEngine::Start);
    life.world.settle();
}

#[test]
fn informer_with_a_remaining_user_is_still_written() {
    let life = Life::first();
    let feed = life.pods(10, &["n/a@1"]);
    also(&life, 2);
    life.send(ToEngine::Stop { informer: 2 });
    life.world.pass(LINGER + Duration::from_secs(1));
    send(&feed, &["+n/b@11"]);
    life.world.pass(Duration::from_secs(60));
    let next = life.reload();
    next.world.probe(11);
    next.start("v1/pods");
    assert_eq!(deliveries(next.received()), ["Add n/a", "Add n/b"]);
}

#[test]
fn the_user_is_requested_once_and_restored_objects_have_their_kind() {
    let first = Life::first();
    first.pods(10, &["n/a@1"]);
    first.storage.tamper(|entries| {
        assert!(entries.keys().any(|name| name.ends_with("\nobject")), "{:?}", entries.keys());
    });
    let second = first.reload();
    second.world.probe(10);
    let _feed = second.world.watch();
    second.start("v1/pods");
    second.world.pass(Duration::from_secs(5));
    assert_eq!((deliveries(second.received()), second.server.user_requests.get()), (vec!["Add n/a".to_owned()], 1));
}

#[test]
fn restored_snapshot_is_not_written_before_a_change() {
    let first = Life::first();
    first.pods(10, &["n/a@1"]);
    let written = first.storage.puts();
    let second = first.reload();
    second.world.probe(10);
    let feed = second.world.watch();
    second.start("v1/pods");
    second.world.pass(Duration::from_secs(5));
    assert_eq!(second.requests().last().map(String::as_str), Some("watch pods resourceVersion=10"));
    send(&feed, &["bookmark@10"]);
    second.world.pass(Duration::from_secs(40));
    send(&feed, &["bookmark@10"]);
    let before = second.storage.puts();
    assert_eq!(before, written, "what was read is there");
    for _ in 0..3 {
        second.world.pass(Duration::from_secs(40));
        send(&feed, &["bookmark@10"]);
    }
    assert_eq!(second.storage.puts(), before, "nothing is new");
    send(&feed, &["bookmark@12"]);
    second.world.pass(Duration::from_secs(60));
    assert_eq!(second.storage.puts(), before + 1, "its header alone");
}

#[test]
fn snapshot_under_the_name_of_another_informer_is_ignored() {
    let first = Life::first();
    first.pods(10, &["n/a@1"]);
    first.storage.tamper(|entries| {
        *entries = std::mem::take(entries)
            .into_iter()
            .map(|(name, bytes)| (name.replace("pods", "services"), bytes))
            .collect();
    });
    let second = first.reload();
    second.world.transport.reply(Reply::json(list(20, &["n/s@5"])));
    let _feed = second.world.watch();
    second.start("v1/services");
    second.world.pass(Duration::from_secs(2));
    assert_eq!(deliveries(second.received()), ["Add n/s"]);
    assert_eq!(second.requests()[0], "list services limit=500");
}

#[test]
fn nothing_is_written_before_the_list_is_complete() {
    let life = Life::first();
    life.start("v1/pods");
    life.world.pass(Duration::from_secs(10));
    assert_eq!(life.storage.puts(), 0);
}

#[test]
fn outdated_and_week_old_parts_are_deleted() {
    const DAY: u64 = 24 * 3_600;
    let (world, storage) = (World::new(), MemoryStorage::new(Rc::new(VirtualClock::new())));
    world.clock.advance(Duration::from_secs(8 * DAY));
    let others = [format!("old#{}.0", DAY * 500), format!("young#{}.0", DAY * 1_500), "no part".to_owned()];
    storage.tamper(|entries| entries.extend(others.map(|name| (name, Vec::new()))));
    let life = Life::begin(world, storage, true);
    let feed = life.pods(10, &["n/a@1"]);
    let parts = || {
        let mut names = Vec::new();
        life.storage.tamper(|entries| names.extend(entries.keys().filter(|name| name.contains('#')).cloned()));
        names
    };
    let first = parts();
    assert_eq!(first.len(), 2, "{first:?}");
    assert!(first.iter().any(|name| name.starts_with("young#")), "{first:?}");
    send(&feed, &["+n/b@11"]);
    life.world.pass(Duration::from_secs(60));
    let second = parts();
    assert_eq!(second.len(), 2, "{second:?}");
    assert!(first != second && second.iter().any(|name| name.starts_with("young#")), "{second:?}");
}

#[test]
fn header_of_a_snapshot_records_the_time_of_its_version() {
    let first = Life::first();
    let feed = first.pods(10, &["n/a@1"]);
    first.world.pass(Duration::from_secs(40));
    send(&feed, &["bookmark@12"]);
    first.world.pass(Duration::from_secs(60));
    let second = first.reload();
    second.world.probe(12);
    second.start("v1/pods");
    let at = last_status(&second.received()).last_contact_at.expect("from its header");
    assert!(at >= 40_000.0, "of when the bookmark came: {at}");
}

const DAY: Duration = Duration::from_secs(86_400);

#[test]
fn snapshot_in_use_is_rewritten_before_it_is_a_week_old() {
    for (days, is_rewritten) in [(3, false), (4, true)] {
        let first = Life::first();
        first.pods(10, &["n/a@1"]);
        let before = first.storage.puts();
        let second = first.reload_after(DAY * days);
        second.world.probe(10);
        let feed = second.world.watch();
        second.start("v1/pods");
        second.world.settle();
        send(&feed, &["bookmark@10"]);
        second.world.pass(Duration::from_secs(5));
        assert_eq!(second.storage.puts() > before, is_rewritten, "after {days} days");
    }
}

#[test]
fn an_unused_snapshot_of_more_than_a_week_is_deleted_with_its_header() {
    let first = Life::first();
    first.world.clock.advance(DAY * 30);
    let now = first.world.runtime.clock.unix_ms();
    let part = |name: &str, age: Duration| format!("{name}#{:.0}.0", now - age.as_secs_f64() * 1_000.0);
    let (old, young) = (part("old", DAY * 8), part("young", DAY * 6));
    first.storage.tamper(|entries| {
        for key in ["old", &old, "young", &young] {
            entries.insert(key.to_owned(), Vec::new());
        }
    });
    first.pods(10, &["n/a@1"]);
    first.storage.tamper(|entries| {
        let is_there = ["old", &old, "young", &young].map(|key| entries.contains_key(key));
        assert_eq!(is_there, [false, false, true, true]);
    });
}
