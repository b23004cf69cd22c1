//! Faults of the whole server.

use std::time::Duration;

use apiserver::{FaultAction, Server};
use serde_json::{Value, json};

use crate::raw::{End, MAPS, RawResponse, create, get, send, server};

async fn body(server: &Server, path: &str) -> Value {
    let mut response = get(server, path).await;
    assert_eq!((response.status, response.end().await), (200, End::Clean), "{path}");
    serde_json::from_slice(&response.body().0).unwrap()
}

async fn from(server: &Server, version: u64) -> RawResponse {
    get(server, &format!("{MAPS}?watch=1&allowWatchBookmarks=true&resourceVersion={version}")).await
}

async fn assert_too_old(server: &Server, version: u64) {
    let mut response = from(server, version).await;
    assert_eq!(response.end().await, End::Clean);
    assert!(response.text().contains("\"code\":410"), "{}", response.text());
}

#[tokio::test]
async fn compaction_leaves_open_watches() {
    let server = server(Server::builder(), &["a"]).await;
    let version = server.revision();
    let mut open = from(&server, version).await;
    server.fault(FaultAction::Compact);
    assert_too_old(&server, version).await;
    create(&server, "b");
    assert_eq!(open.events(1).await, ["ADDED b"]);
}

#[tokio::test]
async fn a_restart_makes_even_the_newest_version_too_old() {
    let server = server(Server::builder(), &["a", "b"]).await;
    let version = server.revision();
    let mut open = from(&server, version).await;
    let token = body(&server, &format!("{MAPS}?limit=1")).await["metadata"]["continue"].as_str().unwrap().to_owned();
    server.fault(FaultAction::Restart { away_ms: 0 });
    assert_eq!(open.end().await, End::Abrupt);
    assert_too_old(&server, version).await;
    assert_eq!(get(&server, &format!("{MAPS}?limit=1&continue={token}")).await.status, 410);
    let list = body(&server, MAPS).await;
    assert_eq!(list["items"].as_array().unwrap().len(), 2);
    let now = list["metadata"]["resourceVersion"].as_str().unwrap().parse().unwrap();
    let mut open = from(&server, now).await;
    create(&server, "c");
    assert_eq!(open.events(1).await, ["ADDED c"]);
}

#[tokio::test]
async fn the_proxy_responds_while_the_server_is_unreachable() {
    let server = server(Server::builder(), &["a"]).await;
    server.fault(FaultAction::Restart { away_ms: 60_000 });
    for path in ["/version", "/api", MAPS, &format!("{MAPS}?watch=1")] {
        let mut response = get(&server, path).await;
        assert_eq!((response.status, response.end().await), (500, End::Clean));
        assert!(response.head.contains("content-type: text/plain; charset=utf-8\r\n"), "{}", response.head);
        assert_eq!(response.text(), "dial tcp 127.0.0.1:16443: connect: connection refused");
    }
    server.clear_faults();
    assert_eq!(get(&server, MAPS).await.status, 200);
    server.fault(FaultAction::Restart { away_ms: 50 });
    while get(&server, MAPS).await.status != 200 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn another_cluster_has_new_uids_and_a_new_revision_space() {
    let server = server(Server::builder(), &["a", "b"]).await;
    for round in 0..20 {
        let patch = json!({"data": {"round": round.to_string()}}).to_string();
        let patch_type = ["Content-Type: application/merge-patch+json"];
        assert_eq!(send(&server, "PATCH", &format!("{MAPS}/a"), &patch_type, &patch).await.status, 200);
    }
    let uid = |object: &Value| object["metadata"]["uid"].as_str().unwrap().to_owned();
    let cluster = "/api/v1/namespaces/kube-system";
    let (old_cluster, old_a) = (body(&server, cluster).await, body(&server, &format!("{MAPS}/a")).await);
    let old_version = server.revision();
    let mut open = from(&server, old_version).await;
    server.fault(FaultAction::Replace { revision: 1, away_ms: 0 });
    assert_eq!(open.end().await, End::Abrupt);
    let (new_cluster, new_a) = (body(&server, cluster).await, body(&server, &format!("{MAPS}/a")).await);
    assert_ne!(uid(&old_cluster), uid(&new_cluster));
    assert_ne!(uid(&old_a), uid(&new_a));
    assert_eq!(old_a["data"], new_a["data"]);
    let version = server.revision();
    assert!(version < old_version, "{version} is not below {old_version}");
    // To the new cluster the old version is a future one: a list fails, a watch is silent.
    let list = format!("{MAPS}?resourceVersion={old_version}&resourceVersionMatch=NotOlderThan");
    assert_eq!(get(&server, &list).await.status, 504);
    let mut stray = from(&server, old_version).await;
    let mut live = from(&server, version).await;
    create(&server, "c");
    assert_eq!(live.events(1).await, ["ADDED c"]);
    assert!(stray.is_silent().await);
    assert_too_old(&server, version - 1).await;
    // A cluster with higher versions makes the old version expired instead.
    server.fault(FaultAction::Replace { revision: 1_000_000, away_ms: 0 });
    assert_too_old(&server, old_version).await;
}

#[tokio::test]
async fn another_cluster_under_a_running_simulator() {
    let server = server(Server::builder().pods(60).churn(200), &[]).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    server.fault(FaultAction::Replace { revision: 1, away_ms: 0 });
    let from = server.revision();
    tokio::time::timeout(Duration::from_secs(60), async {
        while server.revision() < from + 20 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await
    .unwrap();
    let pods = body(&server, "/api/v1/pods").await;
    let sets = body(&server, "/apis/apps/v1/replicasets").await;
    let uids: Vec<&Value> = sets["items"].as_array().unwrap().iter().map(|set| &set["metadata"]["uid"]).collect();
    let owners = pods["items"].as_array().unwrap().iter().map(|pod| &pod["metadata"]["ownerReferences"][0]);
    let mut of_sets = owners.filter(|owner| owner["kind"] == "ReplicaSet").peekable();
    assert!(of_sets.peek().is_some());
    assert!(of_sets.all(|owner| uids.contains(&&owner["uid"])), "an owner of the old cluster");
}

#[tokio::test]
async fn a_drain_keeps_watches_open_without_events() {
    let server = server(Server::builder().bookmark_every(Duration::from_millis(20)), &["a"]).await;
    let version = server.revision();
    let mut open = from(&server, version).await;
    server.fault(FaultAction::Drain { ms: 400 });
    // Another apiserver accepts the write; this one neither sends its event nor a bookmark beyond it.
    create(&server, "b");
    assert_eq!(get(&server, MAPS).await.text(), "dial tcp 127.0.0.1:16443: connect: connection refused");
    assert_eq!(open.end().await, End::Clean);
    let text = open.text();
    let bookmark = format!("BOOKMARK {version}");
    let events: Vec<String> = text.lines().map(|line| crate::raw::summary(line.as_bytes())).collect();
    assert!(events.len() > 3 && events.iter().all(|event| *event == bookmark), "{events:?}");
    assert_too_old(&server, version).await;
    assert_eq!(body(&server, MAPS).await["items"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_watch_ends_when_its_definition_is_removed() {
    let server = server(Server::builder(), &[]).await;
    let version = json!({"name": "v1", "served": true, "storage": true,
        "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}});
    let definition = json!({
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced", "versions": [version],
            "names": {"plural": "widgets", "kind": "Widget"},
        },
    });
    server.create("customresourcedefinitions.apiextensions.k8s.io", "", definition).unwrap();
    server.create("widgets.example.com", "default", json!({"metadata": {"name": "w"}})).unwrap();
    let path = "/apis/example.com/v1/widgets";
    let mut open = get(&server, &format!("{path}?watch=1")).await;
    assert_eq!(open.events(1).await, ["ADDED w"]);
    server.fault(FaultAction::RemoveCrd { name: "widgets.example.com".to_owned() });
    assert_eq!(open.end().await, End::Clean);
    assert_eq!(open.events(2).await, ["ADDED w", "DELETED w"]);
    for query in ["", "?watch=1"] {
        assert_eq!(get(&server, &format!("{path}{query}")).await.status, 404);
    }
}
