//! Logs of pods.

use std::time::{Duration, SystemTime};

use apiserver::Server;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::client::{Api, TIMEOUT};

const PODS: &str = "/api/v1/namespaces/default/pods";

fn ago(seconds: u64) -> Value {
    json!(humantime::format_rfc3339_seconds(SystemTime::now() - Duration::from_secs(seconds)).to_string())
}

/// A server whose pods write a line every 20 to 40 ms, with a pod `p` that has run for 100 s.
async fn running() -> Api {
    let api = Api::with(Server::builder().log_every(Duration::from_millis(20))).await;
    let pod = json!({
        "metadata": {"name": "p", "namespace": "default"},
        "spec": {"nodeName": "n", "containers": [{"name": "c", "image": "i"}]},
        "status": {"phase": "Running", "containerStatuses": [{
            "name": "c", "restartCount": 1, "state": {"running": {"startedAt": ago(100)}},
            "lastState": {"terminated": {"startedAt": ago(200), "finishedAt": ago(150), "exitCode": 1}},
        }]},
    });
    api.server.create("pods", "default", pod).unwrap();
    api
}

async fn text(api: &Api, path: &str) -> (u16, String) {
    let response = api.http.get(format!("{}{path}", api.server.url())).send().await.unwrap();
    (response.status().as_u16(), response.text().await.unwrap())
}

#[tokio::test]
async fn the_tail_of_a_log_and_the_lines_since_a_time() {
    let api = running().await;
    let response = api.http.get(format!("{}{PODS}/p/log?tailLines=5", api.server.url())).send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "text/plain");
    assert_eq!(response.text().await.unwrap().lines().count(), 5);
    let (_, stamped) = text(&api, &format!("{PODS}/p/log?tailLines=1&timestamps=true")).await;
    let (stamp, rest) = stamped.split_once(' ').unwrap();
    assert!(stamp.len() == 30 && stamp.ends_with('Z') && rest.starts_with("level="), "{stamped}");
    let (_, since) = text(&api, &format!("{PODS}/p/log?sinceSeconds=10")).await;
    let (_, all) = text(&api, &format!("{PODS}/p/log")).await;
    assert!(since.lines().count() > 100 && all.lines().count() > since.lines().count());
    let (_, previous) = text(&api, &format!("{PODS}/p/log?previous=true")).await;
    let (_, again) = text(&api, &format!("{PODS}/p/log?previous=true")).await;
    assert!(!previous.is_empty() && previous == again && !all.contains(&previous));
    assert_eq!(text(&api, &format!("{PODS}/p/log?limitBytes=7")).await.1.len(), 7);
    assert_eq!(text(&api, &format!("{PODS}/p/log?tailLines=0")).await, (200, String::new()));
}

#[tokio::test]
async fn a_follower_gets_each_line_until_the_pod_is_deleted() {
    let api = running().await;
    let url = format!("{}{PODS}/p/log?follow=true&tailLines=2", api.server.url());
    let mut response = api.http.get(url).send().await.unwrap();
    let mut lines = 0;
    while lines < 6 {
        let chunk = timeout(TIMEOUT, response.chunk()).await.unwrap().unwrap().unwrap();
        assert!(chunk.ends_with(b"\n"));
        lines += chunk.split(|byte| *byte == b'\n').count() - 1;
    }
    api.delete(&format!("{PODS}/p?gracePeriodSeconds=0")).await;
    while timeout(TIMEOUT, response.chunk()).await.unwrap().unwrap().is_some() {}
}

#[tokio::test]
async fn unreadable_logs_return_the_real_servers_errors() {
    let api = running().await;
    let two = json!({"metadata": {"name": "two"}, "spec": {"nodeName": "n",
        "initContainers": [{"name": "i", "image": "x"}], "containers": [{"name": "a", "image": "x"}, {"name": "b", "image": "x"}]}});
    assert_eq!(api.post(PODS, &two).await.0, 201);
    let unscheduled = json!({"metadata": {"name": "u"}, "spec": {"containers": [{"name": "a", "image": "x"}]}});
    assert_eq!(api.post(PODS, &unscheduled).await.0, 201);
    assert_eq!(text(&api, &format!("{PODS}/u/log")).await, (204, String::new()));
    let cases = [
        ("none/log", 404, "pods \"none\" not found"),
        ("two/log", 400, "a container name must be specified for pod two, choose one of: [i a b]"),
        ("two/log?container=zz", 400, "container zz is not valid for pod two"),
        ("two/log?container=a", 400, "container \"a\" in pod \"two\" is waiting to start: ContainerCreating"),
        ("p/log?tailLines=abc", 400, "strconv.ParseInt: parsing \"abc\": invalid syntax"),
        (
            "p/log?tailLines=-1&sinceSeconds=0",
            422,
            "PodLogOptions \"p\" is invalid: [tailLines: Invalid value: -1: must be greater than or equal to 0, \
             sinceSeconds: Invalid value: 0: must be greater than 0]",
        ),
        (
            "p/log?sinceTime=x",
            400,
            "parsing time \"x\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"x\" as \"2006\"",
        ),
    ];
    for (path, status, message) in cases {
        let (found, body) = api.get(&format!("{PODS}/{path}")).await;
        assert_eq!((found, body["message"].as_str()), (status, Some(message)), "{path}");
    }
    assert_eq!(api.post(&format!("{PODS}/p/log"), &json!({})).await.0, 405);
}
