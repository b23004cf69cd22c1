//! Watches whose response heads are held back until the first byte of the body.

use super::*;

#[test]
fn watches_with_delayed_headers_prefer_sockets() {
    let http = Rc::new(RefCell::new(None));
    let made = Rc::clone(&http);
    let scene = Scene::new(|server| {
        let transport = CountingTransport::to(server);
        transport.withholds_heads.set(true);
        *made.borrow_mut() = Some(Rc::clone(&transport));
        (transport, Some(CountingTransport::to(server)))
    });
    let http = http.borrow().clone().expect("made");
    let mut informers = scene.informers(1);
    assert_eq!(count(&informers, Freshness::CatchingUp), 1);
    scene.pass(Duration::from_secs(1));
    assert_eq!((count(&informers, Freshness::Live), http.watches.get()), (1, 1));
    assert_eq!(count_on(&informers, Carrier::WebSocket), 1);
    informers.push(scene.informer("later", InformerMode::Object));
    scene.factory.start();
    scene.pass(Duration::from_millis(100));
    assert_eq!((count(&informers, Freshness::Live), http.watches.get()), (2, 1), "no watch waits for it again");
}

/// A server behind a proxy that holds response heads back; WebSockets are rejected, or never opened.
fn with_withheld_heads(opens_sockets: bool) -> (Scene, Rc<CountingTransport>, Rc<CountingTransport>) {
    let ways = Rc::new(RefCell::new(None));
    let made = Rc::clone(&ways);
    let scene = Scene::new(|server| {
        let (http, sockets) = (CountingTransport::to(server), CountingTransport::to(server));
        http.withholds_heads.set(true);
        sockets.withholds_heads.set(opens_sockets);
        sockets.rejects.set(!opens_sockets);
        *made.borrow_mut() = Some((Rc::clone(&http), Rc::clone(&sockets)));
        (http, Some(sockets))
    });
    let (http, sockets) = ways.borrow().clone().expect("made");
    (scene, http, sockets)
}

#[test]
fn delayed_headers_without_sockets_lead_to_remembered_polling() {
    for opens_sockets in [false, true] {
        let (scene, http, sockets) = with_withheld_heads(opens_sockets);
        let informers = scene.informers(8);
        scene.pass(Duration::from_secs(20));
        assert_eq!(count(&informers, Freshness::Polling), 8, "{:?}", informers[7].1.status());
        let why = informers[0].1.status().last_error.expect("said why");
        assert!(why.message.contains("holds back") && why.message.contains("ws: true"), "{}", why.message);
        assert!(http.watches.get() <= 4, "{} fetches: one for each connection finds out", http.watches.get());

        // Another one on the same server is polled at once.
        let (fetches, opened) = (http.watches.get(), sockets.watches.get());
        let later = [scene.informer("later", InformerMode::Object)];
        scene.factory.start();
        scene.pass(Duration::from_secs(5));
        assert_eq!(count(&later, Freshness::Polling), 1);
        assert_eq!((http.watches.get(), sockets.watches.get()), (fetches, opened), "nothing is tried again so soon");

        // A polled resource is listed again, and is live once streams work.
        scene.server.create("n3");
        scene.pass(Duration::from_secs(40));
        assert_eq!(informers[3].1.status().resource_version, "2");
        http.withholds_heads.set(false);
        informers[3].1.wake();
        scene.pass(Duration::from_secs(60));
        informers[3].1.wake();
        scene.pass(Duration::from_secs(1));
        assert_eq!(count(&informers[3..4], Freshness::Live), 1, "{:?}", informers[3].1.status());
    }
}

#[test]
fn unresponsive_server_is_not_taken_for_delayed_headers() {
    let (scene, http, _) = with_withheld_heads(false);
    let informers = scene.informers(1);
    scene.server.responds_to_lists.set(false);
    scene.pass(Duration::from_secs(14));
    assert_eq!(count(&informers, Freshness::CatchingUp), 1);
    http.withholds_heads.set(false);
    scene.server.responds_to_lists.set(true);
    scene.pass(Duration::from_secs(10));
    assert_eq!(count(&informers, Freshness::Live), 1, "{:?}", informers[0].1.status());
}
