//! WATCH.

use std::time::Duration;

use apiserver::Server;
use serde_json::json;

use crate::client::{Api, End, version};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const QUICK: Duration = Duration::from_millis(150);

#[tokio::test]
async fn a_watch_resumes_from_a_version_then_sends_live_events() {
    let api = Api::new().await;
    let from = api.config_map("a", json!({})).await;
    api.config_map("b", json!({})).await;
    api.merge(&format!("{MAPS}/a"), &json!({"data": {"k": "v"}})).await;
    let mut watch = api.watch(&format!("{MAPS}?watch=1&resourceVersion={from}")).await;
    assert_eq!(watch.event().await, "ADDED b");
    assert_eq!(watch.event().await, "MODIFIED a");
    api.delete(&format!("{MAPS}/b")).await;
    assert_eq!(watch.event().await, "DELETED b");
    api.post("/api/v1/namespaces/kube-public/configmaps", &json!({"metadata": {"name": "elsewhere"}})).await;
    api.config_map("c", json!({})).await;
    assert_eq!(watch.event().await, "ADDED c");
}

#[tokio::test]
async fn a_watch_without_a_version_begins_with_all_objects() {
    let api = Api::new().await;
    api.config_map("a", json!({})).await;
    api.config_map("b", json!({})).await;
    for query in ["watch=true", "watch=1&resourceVersion=0"] {
        let mut watch = api.watch(&format!("{MAPS}?{query}")).await;
        assert_eq!(watch.event().await, "ADDED a");
        assert_eq!(watch.event().await, "ADDED b");
        assert!(watch.is_silent(QUICK).await, "an end bookmark that was not requested");
    }
}

#[tokio::test]
async fn a_watch_list_ends_its_initial_events_with_a_bookmark() {
    let api = Api::new().await;
    let newest = api.config_map("a", json!({})).await;
    let query = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    let mut watch = api.watch(&format!("{MAPS}?{query}")).await;
    let first = watch.step().await.unwrap();
    assert_eq!((first["type"].as_str(), first["object"]["kind"].as_str()), (Some("ADDED"), Some("ConfigMap")));
    let end = watch.step().await.unwrap();
    assert_eq!(end["type"], "BOOKMARK");
    assert_eq!(version(&end["object"]), newest);
    assert_eq!(end["object"]["metadata"]["annotations"]["k8s.io/initial-events-end"], "true");
    api.config_map("b", json!({})).await;
    assert_eq!(watch.event().await, "ADDED b");
    let mut future = api.watch(&format!("{MAPS}?{query}&resourceVersion=99999999")).await;
    let error = future.step().await.unwrap();
    assert_eq!((error["type"].as_str(), error["object"]["code"].as_u64()), (Some("ERROR"), Some(504)));
    assert_eq!(future.step().await, Err(End::Clean));
}

#[tokio::test]
async fn a_version_that_is_too_old_is_an_error_inside_the_stream() {
    let api = Api::with(Server::builder().history(3)).await;
    let from = api.config_map("a", json!({})).await;
    for name in ["b", "c", "d", "e"] {
        api.config_map(name, json!({})).await;
    }
    let mut watch = api.watch(&format!("{MAPS}?watch=1&resourceVersion={from}")).await;
    let error = watch.step().await.unwrap();
    assert_eq!(error["type"], "ERROR");
    assert_eq!((error["object"]["code"].as_u64(), error["object"]["reason"].as_str()), (Some(410), Some("Expired")));
    assert!(error["object"]["message"].as_str().unwrap().starts_with(&format!("too old resource version: {from} (")));
    assert_eq!(watch.step().await, Err(End::Clean));
}

#[tokio::test]
async fn compaction_makes_every_version_too_old_but_leaves_open_watches() {
    let api = Api::new().await;
    let from = api.config_map("a", json!({})).await;
    let path = format!("{MAPS}?watch=1&resourceVersion={from}");
    let mut open = api.watch(&path).await;
    api.server.compact();
    let mut late = api.watch(&path).await;
    assert_eq!(late.step().await.unwrap()["object"]["code"], 410);
    let from = api.config_map("b", json!({})).await;
    assert_eq!(open.event().await, "ADDED b");
    api.config_map("c", json!({})).await;
    let mut fresh = api.watch(&format!("{MAPS}?watch=1&resourceVersion={from}")).await;
    assert_eq!(fresh.event().await, "ADDED c");
}

#[tokio::test]
async fn bookmarks_are_periodic_and_only_sent_if_allowed() {
    let api = Api::with(Server::builder().bookmark_every(Duration::from_millis(100))).await;
    let from = api.config_map("a", json!({})).await;
    let mut plain = api.watch(&format!("{MAPS}?watch=1&resourceVersion={from}")).await;
    let mut watch = api.watch(&format!("{MAPS}?watch=1&resourceVersion={from}&allowWatchBookmarks=true")).await;
    assert_eq!(watch.event().await, format!("BOOKMARK {from}"));
    // A change elsewhere moves the bookmark on, too.
    api.post("/api/v1/namespaces", &json!({"metadata": {"name": "new"}})).await;
    let moved = loop {
        let event = watch.event().await;
        if event != format!("BOOKMARK {from}") {
            break event;
        }
    };
    assert_eq!(moved, format!("BOOKMARK {}", api.server.revision()));
    assert!(plain.is_silent(QUICK).await);
}

#[tokio::test]
async fn a_timeout_ends_cleanly_after_a_last_bookmark() {
    let api = Api::new().await;
    let from = api.config_map("a", json!({})).await;
    let query = format!("{MAPS}?watch=1&resourceVersion={from}&timeoutSeconds=2&allowWatchBookmarks=true");
    let mut watch = api.watch(&query).await;
    assert_eq!(watch.event().await, format!("BOOKMARK {from}"));
    assert_eq!(watch.step().await, Err(End::Clean));
}

#[tokio::test]
async fn an_object_that_leaves_a_selector_is_deleted_in_its_last_matching_state() {
    let api = Api::new().await;
    api.config_map("a", json!({"team": "x"})).await;
    let from = api.config_map("other", json!({"team": "y"})).await;
    let mut watch = api.watch(&format!("{MAPS}?watch=1&resourceVersion={from}&labelSelector=team%3Dx")).await;
    let (_, left) = api.merge(&format!("{MAPS}/a"), &json!({"metadata": {"labels": {"team": "y"}}})).await;
    let event = watch.step().await.unwrap();
    assert_eq!(event["type"], "DELETED");
    assert_eq!(event["object"]["metadata"]["labels"]["team"], "x");
    assert_eq!(version(&event["object"]), version(&left));
    api.delete(&format!("{MAPS}/other")).await;
    api.merge(&format!("{MAPS}/a"), &json!({"metadata": {"labels": {"team": "x"}}})).await;
    assert_eq!(watch.event().await, "ADDED a");
    api.merge(&format!("{MAPS}/a"), &json!({"data": {"k": "v"}})).await;
    assert_eq!(watch.event().await, "MODIFIED a");
}

#[tokio::test]
async fn field_selectors_and_single_objects() {
    let api = Api::new().await;
    let from = api.config_map("a", json!({})).await;
    let mut by_field =
        api.watch(&format!("{MAPS}?watch=1&resourceVersion={from}&fieldSelector=metadata.name%3Db")).await;
    let mut by_path = api.watch(&format!("{MAPS}/b?watch=1&resourceVersion={from}")).await;
    for name in ["c", "b"] {
        api.config_map(name, json!({})).await;
    }
    assert_eq!(by_field.event().await, "ADDED b");
    assert_eq!(by_path.event().await, "ADDED b");
}

#[tokio::test]
async fn a_watch_from_a_future_version_sends_nothing() {
    let api = Api::with(Server::builder().bookmark_every(Duration::from_millis(20))).await;
    let mut watch = api.watch(&format!("{MAPS}?watch=1&resourceVersion=99999&allowWatchBookmarks=true")).await;
    api.config_map("a", json!({})).await;
    assert!(watch.is_silent(QUICK).await);
}

#[tokio::test]
async fn malformed_requests_fail_before_the_stream() {
    let api = Api::new().await;
    let (status, body) = api.get("/api/v1/pods?watch=1&resourceVersion=abc").await;
    assert_eq!((status, body.get("reason")), (500, None));
    assert_eq!(api.get("/api/v1/pods?watch=1&timeoutSeconds=abc").await.0, 400);
    assert_eq!(api.get("/api/v1/pods?watch=1&labelSelector=(").await.0, 400);
    let (status, body) = api.get("/api/v1/pods?watch=1&resourceVersionMatch=NotOlderThan").await;
    assert_eq!(status, 422);
    assert_eq!(
        body["message"],
        "ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden \
         for watch unless sendInitialEvents is provided"
    );
}

#[tokio::test]
async fn slow_reader_is_cut_off_cleanly_and_delays_no_other() {
    let api = Api::with(Server::builder().history(4)).await;
    let from = api.config_map("big", json!({})).await;
    let mut watch = api.watch(&format!("{MAPS}?watch=1&resourceVersion={from}")).await;
    let filler = "x".repeat(1024 * 1024);
    for round in 0..20 {
        let (status, _) = api.merge(&format!("{MAPS}/big"), &json!({"data": {"k": format!("{round}{filler}")}})).await;
        assert_eq!(status, 200);
    }
    let mut events = 0;
    let end = loop {
        match watch.step().await {
            Ok(_) => events += 1,
            Err(end) => break end,
        }
    };
    assert_eq!(end, End::Clean);
    assert!(events < 20, "all {events} events arrived");
}

#[tokio::test]
async fn cut_watches_end_without_a_last_chunk() {
    let api = Api::new().await;
    let mut watch = api.watch(&format!("{MAPS}?watch=1")).await;
    api.server.cut_watches();
    assert_eq!(watch.step().await, Err(End::Abrupt));
    let mut next = api.watch(&format!("{MAPS}?watch=1")).await;
    api.config_map("a", json!({})).await;
    assert_eq!(next.event().await, "ADDED a");
}

#[tokio::test]
async fn stalled_watches_stay_open_and_silent() {
    let api = Api::with(Server::builder().bookmark_every(Duration::from_millis(20))).await;
    let mut watch = api.watch(&format!("{MAPS}?watch=1&timeoutSeconds=3")).await;
    assert_eq!(api.server.open_watches(), 1);
    api.server.stall_watches();
    api.config_map("a", json!({})).await;
    assert!(watch.is_silent(Duration::from_millis(3300)).await, "a stalled watch sent data or ended");
    api.server.cut_watches();
    assert_eq!(watch.step().await, Err(End::Abrupt));
}

#[tokio::test]
async fn faults_lose_no_change() {
    let api = Api::with(Server::builder().seed(3)).await;
    let mut random = fastrand::Rng::with_seed(3);
    let (mut known, mut from) = (std::collections::BTreeMap::new(), api.config_map("start", json!({})).await);
    known.insert("start".to_owned(), from.clone());
    for _ in 0..60 {
        let mut watch = api.watch(&format!("{MAPS}?watch=1&resourceVersion={from}")).await;
        for _ in 0..random.u8(1..12) {
            let name = format!("m{}", random.u8(..6));
            match random.u8(..3) {
                0 => drop(api.delete(&format!("{MAPS}/{name}")).await),
                1 => drop(api.post(MAPS, &json!({"metadata": {"name": name}})).await),
                _ => drop(
                    api.merge(&format!("{MAPS}/{name}"), &json!({"data": {"n": random.u32(..).to_string()}})).await,
                ),
            }
        }
        api.server.cut_watches();
        while let Ok(event) = watch.step().await {
            from = version(&event["object"]);
            let name = event["object"]["metadata"]["name"].as_str().unwrap().to_owned();
            match event["type"].as_str().unwrap() {
                "DELETED" => assert!(known.remove(&name).is_some(), "{name} was deleted twice"),
                "ADDED" => assert!(known.insert(name, from.clone()).is_none(), "added twice"),
                _ => assert!(known.insert(name, from.clone()).is_some(), "modified before it was added"),
            }
        }
    }
    let mut watch = api.watch(&format!("{MAPS}?watch=1&resourceVersion={from}&timeoutSeconds=1")).await;
    while let Ok(event) = watch.step().await {
        let name = event["object"]["metadata"]["name"].as_str().unwrap().to_owned();
        match event["type"].as_str().unwrap() {
            "DELETED" => drop(known.remove(&name)),
            _ => drop(known.insert(name, version(&event["object"]))),
        }
    }
    let (_, list) = api.get(MAPS).await;
    let items = list["items"].as_array().unwrap();
    let served = items.iter().map(|item| (item["metadata"]["name"].as_str().unwrap().to_owned(), version(item)));
    assert_eq!(known, served.collect());
}

#[tokio::test]
async fn a_watch_without_initial_events_begins_with_the_next_change() {
    let api = Api::new().await;
    api.config_map("a", json!({})).await;
    let maps = "/api/v1/namespaces/default/configmaps";
    let options = "watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    let mut watch = api.watch(&format!("{maps}?{options}")).await;
    api.config_map("b", json!({})).await;
    assert_eq!(watch.event().await, "ADDED b");
    let mut over = api.watch(&format!("{maps}?watch=1&timeoutSeconds=-5&resourceVersion=1")).await;
    while over.step().await.is_ok() {}
}
