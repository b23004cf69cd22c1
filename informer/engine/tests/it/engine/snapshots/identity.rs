//! Identity of a snapshot: cluster, user, and state of the cluster.

use super::*;

#[test]
fn snapshot_of_another_cluster_or_user_is_dropped_before_its_version_is_used() {
    for stranger in [("c-2", "jane"), ("c-1", "joe")] {
        let first = Life::first();
        first.pods(10, &["n/a@1"]);
        let second = first.reload();
        *second.server.identity.borrow_mut() = Some(stranger);
        second.server.delay.set(Duration::from_millis(500));
        second.start("v1/pods");
        assert_eq!(deliveries(second.received()), ["Add n/a"]);
        assert_eq!(second.requests(), Vec::<String>::new());
        second.world.pass(Duration::from_secs(1));
        let received = second.received();
        let status = last_status(&received);
        assert_eq!((status.objects, status.last_contact_at), (0, None));
        assert_eq!(deliveries(received), ["Delete n/a"]);
        assert_eq!(second.requests(), ["list pods limit=500"]);

        // And the next list belongs to the new user.
        second.world.pass(Duration::from_secs(3));
        let third = second.reload();
        *third.server.identity.borrow_mut() = Some(stranger);
        third.pods(30, &["n/z@25"]);
        let fourth = third.reload();
        *fourth.server.identity.borrow_mut() = Some(stranger);
        fourth.world.probe(30);
        fourth.start("v1/pods");
        fourth.world.settle();
        assert_eq!(fourth.requests(), ["list pods limit=1", "watch pods resourceVersion=30"]);
    }
}

#[test]
fn without_a_server_identity_the_snapshot_is_shown_until_a_list() {
    let first = Life::first();
    first.pods(10, &["n/a@1", "n/b@2"]);
    let second = first.reload();
    *second.server.identity.borrow_mut() = None;
    second.start("v1/pods");
    let received = second.received();
    assert_eq!((deliveries(received.clone()).len(), last_status(&received).objects), (2, 2));
    assert_eq!(second.requests(), ["list pods limit=500"]);

    let third = second.reload();
    *third.server.identity.borrow_mut() = None;
    third.world.transport.reply(Reply::json(page(20, &["n/b@2"], "more")));
    third.world.transport.reply(Reply::json(page(20, &["n/c@3"], "")));
    let _feed = third.world.watch();
    third.start("v1/pods");
    assert_eq!(
        deliveries(third.received()),
        ["Add n/a", "Add n/b", "Add n/c", "Delete n/a"],
        "compared with the list, not added to it"
    );
}

#[test]
fn without_permission_to_read_the_identity_nothing_is_written() {
    let life = Life::first();
    *life.server.identity.borrow_mut() = Some(("", "jane"));
    life.world.transport.reply(Reply::json(list(10, &["n/a@1"])));
    let _feed = life.world.watch();
    life.start("v1/pods");
    life.world.pass(Duration::from_secs(60));
    assert_eq!(life.storage.puts(), 0);
}

#[test]
fn replaced_cluster_is_not_written_under_the_old_identity() {
    let first = Life::first();
    let feed = first.pods(10, &["n/a@1"]);
    *first.server.identity.borrow_mut() = Some(("c-2", "jane"));
    first.world.transport.reply(Reply::json(list(5, &["n/new@3"])));
    let _feed = first.world.watch();
    send(&feed, &["error@410"]);
    first.world.pass(Duration::from_secs(60));
    let second = first.reload();
    second.start("v1/pods");
    second.world.settle();
    assert_eq!(second.requests(), ["list pods limit=500"], "it says c-1 again");
}

#[test]
fn objects_of_one_user_are_not_written_under_another_user() {
    let first = Life::first();
    let feed = first.pods(10, &["n/a@1"]);
    *first.server.identity.borrow_mut() = Some(("c-1", "bob"));
    for _ in 0..9 {
        first.world.transport.reply(status(403, "Forbidden", "bob may not"));
    }
    send(&feed, &["error@410"]);
    first.world.pass(Duration::from_secs(120));
    let second = first.reload();
    *second.server.identity.borrow_mut() = Some(("c-1", "bob"));
    second.start("v1/pods");
    let received = deliveries(second.received());
    assert!(received.is_empty() || received == ["Add n/a", "Delete n/a"], "{received:?}");
    assert_eq!(second.requests(), ["list pods limit=500"]);
}

#[test]
fn failed_request_of_the_identity_backs_off() {
    let life = Life::first();
    *life.server.identity.borrow_mut() = None;
    life.world.transport.reply(Reply::json(list(10, &["n/a@1"])));
    let feed = life.world.watch();
    life.start("v1/pods");
    let before = life.server.identity_requests.get();
    for second in 0..120 {
        send(&feed, &[&format!("~n/a@{}", 11 + second)]);
        life.world.pass(Duration::from_secs(1));
    }
    let requests = life.server.identity_requests.get() - before;
    assert!((2..=16).contains(&requests), "{requests} times in two minutes");
}

#[test]
fn restored_cluster_is_live_only_after_a_list() {
    let first = Life::first();
    first.pods(50, &["n/a@1", "n/gone@40"]);
    let second = first.reload();
    second.world.probe(20);
    second.world.transport.reply(Reply::json(list(20, &["n/a@1"])));
    let _feed = second.world.watch();
    second.start("v1/pods");
    let received = second.received();
    assert_eq!(last_status(&received).freshness, Freshness::Live);
    assert_eq!(deliveries(received), ["Add n/a", "Add n/gone", "Delete n/gone"]);
    assert_eq!(second.requests(), ["list pods limit=1", "list pods limit=500", "watch pods resourceVersion=20"]);
}

#[test]
fn stop_during_the_request_of_the_identity_ends_with_the_linger() {
    let first = Life::first();
    first.pods(10, &["n/a@1"]);
    let second = first.reload();
    second.server.delay.set(Duration::from_secs(1));
    second.world.probe(10);
    second.start("v1/pods");
    assert_eq!(deliveries(second.received()), ["Add n/a"]);
    second.send(ToEngine::Stop { informer: 1 });
    second.world.pass(Duration::from_secs(600));
    assert_eq!(second.requests(), ["list pods limit=1", "watch pods resourceVersion=10"]);
}

#[test]
fn snapshot_of_a_replaced_cluster_is_not_resumed() {
    let services = |life: &Life| {
        let options = InformerOptions::default();
        life.send(ToEngine::Informer { informer: 2, resource: "v1/services".into(), options });
        life.send(ToEngine::Start);
    };
    let first = Life::first();
    let _pods = first.pods(10, &["n/a@1"]);
    first.world.transport.reply(Reply::json(list(10, &["n/s@1"])));
    let _feed = first.world.watch();
    services(&first);
    first.world.pass(Duration::from_secs(3));
    first.storage.tamper(|entries| assert!(entries.keys().any(|name| name.contains("services"))));
    let second = first.reload();
    let feed = second.world.watch();
    second.start("v1/pods");
    second.received();
    // After the request for the identity another server replaces it, with higher versions.
    *second.server.identity.borrow_mut() = Some(("c-2", "jane"));
    second.world.probe(5_000);
    let _resumed = second.world.watch();
    second.world.transport.reply(Reply::json(list(5_000, &["n/z@4000"])));
    let _feed = second.world.watch();
    feed.unbounded_send(Err(InformerError::new(ErrorCode::Network, "reset"))).expect("open");
    // At once, before a snapshot is written, which requires the new identity.
    let listed = || second.requests().contains(&"list pods limit=500".to_owned());
    assert!((0..120).any(|_| {
        second.world.pass(Duration::from_millis(100));
        listed()
    }));
    services(&second);
    assert_eq!(deliveries(second.received()), ["Add n/z", "Delete n/a"]);
    second.world.pass(Duration::from_secs(1));
    assert_eq!(second.requests().last().expect("asked"), "list services limit=500");
}
