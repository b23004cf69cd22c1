//! Clearing: nothing is left in the storage, whatever is being written at that moment.

use super::*;

/// A life whose storage takes the world's time.
fn life() -> Life {
    let world = World::new();
    let storage = MemoryStorage::new(Rc::new(world.clock.clone()));
    Life::begin(world, storage, true)
}

fn assert_empty(life: &Life) {
    life.storage.tamper(|entries| assert!(entries.is_empty(), "{:?}", entries.keys()));
}

#[test]
fn clearing_removes_everything_permanently() {
    let life = Life::first();
    let feed = life.pods(10, &["n/a@1"]);
    life.send(ToEngine::Clear { request: 9 });
    assert!(life.received().iter().any(|message| matches!(message, FromEngine::Reply { request: 9, .. })));
    send(&feed, &["+n/b@11"]);
    life.world.pass(Duration::from_secs(120));
    life.send(ToEngine::Stop { informer: 1 });
    life.world.pass(LINGER + Duration::from_secs(5));
    life.storage.tamper(|entries| assert!(entries.is_empty()));
}

#[test]
fn clearing_aborts_the_final_write_of_a_snapshot() {
    let life = life();
    let pods: Vec<String> = (0..3_000).map(|n| format!("n/pod-{n}@1")).collect();
    let feed = life.pods(10, &pods.iter().map(String::as_str).collect::<Vec<_>>());
    send(&feed, &["+n/new@11"]);
    life.world.settle();
    life.storage.slow_down(Duration::from_secs(2));
    let before = life.storage.puts();
    life.send(ToEngine::Stop { informer: 1 });
    life.world.pass(LINGER + Duration::from_secs(1));
    assert_eq!(life.storage.puts(), before + 1, "the first of its parts");
    life.send(ToEngine::Clear { request: 9 });
    life.world.pass(Duration::from_secs(60));
    assert_empty(&life);
}

#[test]
fn clearing_discards_a_header_that_waits_for_the_identity() {
    let life = life();
    let feed = life.pods(10, &["n/a@1"]);
    life.world.pass(Duration::from_secs(60));
    // The line is lost, and so is what was known of the server.
    life.world.probe(10);
    let resumed = life.world.watch();
    feed.unbounded_send(Err(InformerError::new(ErrorCode::Network, "reset"))).expect("open");
    life.world.pass(Duration::from_secs(3));
    send(&resumed, &["bookmark@99"]);
    life.server.delay.set(Duration::from_secs(5));
    let before = life.server.user_requests.get();
    let is_asked = || {
        life.world.pass(Duration::from_millis(100));
        life.server.user_requests.get() > before
    };
    assert!((0..1_200).any(|_| is_asked()), "the identity is requested again");
    life.send(ToEngine::Clear { request: 9 });
    life.world.pass(Duration::from_secs(60));
    assert_empty(&life);
}
