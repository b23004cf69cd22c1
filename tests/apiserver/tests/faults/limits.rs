//! Limits of the server.

use std::time::Duration;

use apiserver::{Fault, FaultAction, Server};
use serde_json::json;

use crate::raw::{End, MAPS, WATCH, get, server};

#[tokio::test]
async fn more_concurrent_requests_than_allowed_return_429() {
    let server = server(Server::builder().max_in_flight(2), &["a"]).await;
    // Watches count no longer once they have begun.
    let watches = [get(&server, WATCH).await, get(&server, WATCH).await, get(&server, WATCH).await];
    assert!(watches.iter().all(|watch| watch.status == 200));
    server.fault(Fault::new(FaultAction::Stall { bytes: 1 }).times(2));
    let held = [get(&server, MAPS).await, get(&server, MAPS).await];
    assert!(held.iter().all(|response| response.status == 200));
    for path in [MAPS, WATCH] {
        let mut refused = get(&server, path).await;
        assert_eq!((refused.status, refused.end().await), (429, End::Clean));
        assert_eq!(refused.text(), "Too many requests, please try again later.");
        assert!(refused.head.contains("retry-after: 1\r\n"), "{}", refused.head);
    }
    drop(held);
    let mut tries = 0;
    while get(&server, MAPS).await.status == 429 {
        tries += 1;
        assert!(tries < 100, "finished requests still count as in flight");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn a_list_that_is_read_too_slowly_is_cut() {
    let server = server(Server::builder().request_timeout(Duration::from_secs(3)), &["a"]).await;
    // More than sockets buffer.
    let long = "x".repeat(1024 * 1024);
    for name in 0..24 {
        let map = json!({"metadata": {"name": format!("long-{name}")}, "data": {"long": long}});
        server.create("configmaps", "default", map).unwrap();
    }
    let mut prompt = get(&server, "/api/v1/namespaces").await;
    assert_eq!(prompt.end().await, End::Clean);
    let mut slow = get(&server, MAPS).await;
    assert_eq!(slow.status, 200);
    tokio::time::sleep(Duration::from_millis(3_200)).await;
    assert_eq!(slow.end().await, End::Abrupt);
    let mut watch = get(&server, &format!("{WATCH}&resourceVersion={}", server.revision())).await;
    tokio::time::sleep(Duration::from_millis(3_200)).await;
    assert!(watch.is_silent().await, "a watch has a timeout of its own");
}
