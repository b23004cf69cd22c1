//! Cluster without a port: requests of the same process, as the demo in WebAssembly sends them.
// The functions beside the tests are not inside a #[test], where clippy.toml allows these.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use std::time::Duration;

use apiserver::Cluster;
use apiserver::axum::body::{Body, BodyDataStream, to_bytes};
use apiserver::axum::http::Request;
use futures::StreamExt as _;
use serde_json::{Value, json};
use tokio::time::timeout;

/// Timeout of a condition: long, so that no test depends on the machine's speed.
const PATIENCE: Duration = Duration::from_secs(120);

async fn get(cluster: &Cluster, target: &str) -> (u16, BodyDataStream) {
    let response = cluster.respond(Request::get(target).body(Body::empty()).unwrap()).await;
    (response.status().as_u16(), response.into_body().into_data_stream())
}

async fn list(cluster: &Cluster, target: &str) -> Value {
    let response = cluster.respond(Request::get(target).body(Body::empty()).unwrap()).await;
    serde_json::from_slice(&to_bytes(response.into_body(), usize::MAX).await.unwrap()).unwrap()
}

async fn event(body: &mut BodyDataStream) -> Value {
    let event = timeout(PATIENCE, body.next()).await.expect("no event");
    serde_json::from_slice(&event.unwrap().unwrap()).unwrap()
}

#[tokio::test]
async fn a_watch_follows_a_list_and_gets_the_writes_of_other_requests() {
    let cluster = Cluster::builder().build();
    let version = list(&cluster, "/api/v1/configmaps").await["metadata"]["resourceVersion"].clone();
    let target = format!("/api/v1/configmaps?watch=true&resourceVersion={}", version.as_str().unwrap());
    let (status, mut watch) = get(&cluster, &target).await;
    assert_eq!(status, 200);
    let body = json!({"metadata": {"name": "settings"}}).to_string();
    let request = Request::post("/api/v1/namespaces/default/configmaps").header("content-type", "application/json");
    assert_eq!(cluster.respond(request.body(Body::from(body)).unwrap()).await.status(), 201);
    let event = event(&mut watch).await;
    assert_eq!((&event["type"], &event["object"]["metadata"]["name"]), (&json!("ADDED"), &json!("settings")));
}

#[tokio::test]
async fn the_simulator_changes_pods() {
    let cluster = Cluster::builder().pods(50).churn(100).build();
    let pods = list(&cluster, "/api/v1/pods").await;
    assert!(pods["items"].as_array().unwrap().len() >= 40);
    let version = pods["metadata"]["resourceVersion"].as_str().unwrap().to_owned();
    let (_, mut watch) = get(&cluster, &format!("/api/v1/pods?watch=true&resourceVersion={version}")).await;
    assert!(event(&mut watch).await["object"]["metadata"]["name"].is_string());
}

#[tokio::test]
async fn a_dropped_body_closes_its_watch() {
    let cluster = Cluster::builder().build();
    let (_, watch) = get(&cluster, "/api/v1/pods?watch=true").await;
    assert_eq!(cluster.open_watches(), 1);
    drop(watch);
    assert_eq!(cluster.open_watches(), 0);
}

#[tokio::test]
async fn the_end_ends_watches() {
    let mut cluster = Cluster::builder().pods(10).build();
    let (_, mut watch) = get(&cluster, "/api/v1/nodes?watch=true&resourceVersion=0").await;
    cluster.end();
    let ends = async { while watch.next().await.is_some() {} };
    timeout(PATIENCE, ends).await.expect("the watch goes on");
}

#[tokio::test]
async fn invalid_paths_are_answered_like_those_of_a_port() {
    let cluster = Cluster::builder().build();
    assert_eq!(get(&cluster, "/api/v1/unicorns").await.0, 404);
    assert_eq!(get(&cluster, "/ui/").await.0, 404);
}
