//! LIST.

use std::io::Read as _;

use apiserver::Server;
use flate2::read::GzDecoder;
use serde_json::{Value, json};

use crate::client::{Api, names, version};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

async fn five() -> Api {
    let api = Api::new().await;
    for name in ["a", "b", "c", "d", "e"] {
        api.config_map(name, json!({"odd": (name < "c").to_string()})).await;
    }
    api
}

fn token(list: &Value) -> String {
    list["metadata"]["continue"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn pages_are_consistent_at_the_version_of_the_first() {
    let api = five().await;
    let (_, first) = api.get("/api/v1/configmaps?limit=2").await;
    assert_eq!(names(&first), ["a", "b"]);
    assert_eq!(first["metadata"]["remainingItemCount"], 3);
    assert_eq!(first["kind"], "ConfigMapList");
    assert!(first["items"][0].get("kind").is_none());
    api.delete(&format!("{MAPS}/c")).await;
    api.merge(&format!("{MAPS}/d"), &json!({"data": {"new": "1"}})).await;
    api.config_map("bb", json!({})).await;
    let (_, second) = api.get(&format!("/api/v1/configmaps?limit=2&continue={}", token(&first))).await;
    assert_eq!(names(&second), ["c", "d"]);
    assert!(second["items"][1].get("data").is_none(), "a later change shows in an older page");
    assert_eq!(version(&second), version(&first));
    let (_, last) = api.get(&format!("/api/v1/configmaps?limit=2&continue={}", token(&second))).await;
    assert_eq!(names(&last), ["e"]);
    assert!(last["metadata"].get("continue").is_none());
    assert!(last["metadata"].get("remainingItemCount").is_none());
}

#[tokio::test]
async fn pages_of_one_namespace_and_with_selectors() {
    let api = five().await;
    api.post("/api/v1/namespaces/kube-public/configmaps", &json!({"metadata": {"name": "z"}})).await;
    let (_, first) = api.get(&format!("{MAPS}?limit=4")).await;
    let (_, second) = api.get(&format!("{MAPS}?limit=4&continue={}", token(&first))).await;
    assert_eq!(names(&second), ["e"]);
    let (_, odd) = api.get(&format!("{MAPS}?limit=1&labelSelector=odd%3Dtrue")).await;
    assert_eq!(names(&odd), ["a"]);
    assert!(odd["metadata"].get("remainingItemCount").is_none());
    assert!(odd["metadata"]["continue"].is_string());
    let (_, none) = api.get("/api/v1/namespaces/nowhere/configmaps").await;
    assert_eq!(names(&none), [""; 0]);
}

#[tokio::test]
async fn an_expired_continue_token_returns_one_that_continues() {
    let api = five().await;
    let (_, first) = api.get("/api/v1/configmaps?limit=2").await;
    api.delete(&format!("{MAPS}/c")).await;
    api.server.compact();
    let (status, gone) = api.get(&format!("/api/v1/configmaps?limit=2&continue={}", token(&first))).await;
    assert_eq!((status, gone["reason"].as_str()), (410, Some("Expired")));
    let (status, rest) = api.get(&format!("/api/v1/configmaps?limit=2&continue={}", token(&gone))).await;
    assert_eq!(status, 200);
    assert_eq!(names(&rest), ["d", "e"]);
}

#[tokio::test]
async fn versions() {
    let api = five().await;
    let (_, all) = api.get("/api/v1/configmaps").await;
    let before = version(&all);
    api.config_map("f", json!({})).await;
    let count = |list: &Value| list["items"].as_array().unwrap().len();
    let (_, any) = api.get("/api/v1/configmaps?resourceVersion=0&limit=2").await;
    assert_eq!(count(&any), 6, "version 0 ignores the limit");
    let (_, exact) = api.get(&format!("/api/v1/configmaps?resourceVersion={before}&resourceVersionMatch=Exact")).await;
    assert_eq!((count(&exact), version(&exact)), (5, before.clone()));
    let (_, newer) = api.get(&format!("/api/v1/configmaps?resourceVersion={before}")).await;
    assert_eq!(count(&newer), 6);
    let (status, future) = api.get("/api/v1/configmaps?resourceVersion=99999999").await;
    assert_eq!((status, future["reason"].as_str()), (504, Some("Timeout")));
    assert_eq!(future["details"]["causes"][0]["reason"], "ResourceVersionTooLarge");
    api.server.compact();
    let (status, gone) =
        api.get(&format!("/api/v1/configmaps?resourceVersion={before}&resourceVersionMatch=Exact")).await;
    assert_eq!(status, 410);
    assert_eq!(gone["message"], "The resourceVersion for the provided list is too old.");
}

#[tokio::test]
async fn malformed_parameters_are_rejected() {
    let api = Api::new().await;
    for bad in [
        "resourceVersion=abc",
        "resourceVersion=-5",
        "limit=abc",
        "continue=junk",
        "labelSelector=team%20in%20(ads",
        "fieldSelector=spec.foo%3Dbar",
        "fieldSelector=junk",
    ] {
        let (status, body) = api.get(&format!("/api/v1/pods?{bad}")).await;
        assert_eq!((status, body["reason"].as_str()), (400, Some("BadRequest")), "{bad}");
    }
    let (_, body) = api.get("/api/v1/pods?fieldSelector=spec.foo%3Dbar").await;
    assert_eq!(body["message"], "field label not supported: spec.foo");
    let (_, body) = api.get("/api/v1/pods?resourceVersion=abc").await;
    assert_eq!(
        body["message"],
        "invalid resource version: resourceVersion: Invalid value: \"abc\": strconv.ParseUint: parsing \"abc\": invalid syntax"
    );
    for bad in ["sendInitialEvents=true", "resourceVersionMatch=Exact", "resourceVersion=0&resourceVersionMatch=Exact"]
    {
        assert_eq!(api.get(&format!("/api/v1/pods?{bad}")).await.0, 422, "{bad}");
    }
    assert_eq!(api.get("/api/v1/pods?limit=-5").await.0, 200);
}

#[tokio::test]
async fn field_selectors() {
    let api = Api::new().await;
    for (name, node, phase) in [("p", "n1", "Running"), ("q", "n2", "Running"), ("r", "n1", "Pending")] {
        let pod = json!({"metadata": {"name": name}, "spec": {"nodeName": node}, "status": {"phase": phase}});
        api.server.create("pods", "default", pod).unwrap();
    }
    for (selector, expected) in [
        ("spec.nodeName%3Dn1", &["p", "r"][..]),
        ("spec.nodeName%3Dn1,status.phase!%3DRunning", &["r"]),
        ("metadata.name%3D%3Dq", &["q"]),
        ("metadata.namespace%3Dother", &[]),
    ] {
        let (_, list) = api.get(&format!("/api/v1/pods?fieldSelector={selector}")).await;
        assert_eq!(names(&list), expected, "{selector}");
    }
}

#[tokio::test]
async fn long_lists_are_gzipped_on_request() {
    let api = Api::with(Server::builder().pods(30)).await;
    let url = format!("{}/api/v1/pods", api.server.url());
    let plain = api.http.get(&url).send().await.unwrap();
    assert!(plain.headers().get("content-encoding").is_none());
    let plain = plain.bytes().await.unwrap();
    assert!(plain.len() > 128 * 1024);
    let zipped = api.http.get(&url).header("accept-encoding", "br, gzip").send().await.unwrap();
    assert_eq!(zipped.headers()["content-encoding"], "gzip");
    let mut text = Vec::new();
    GzDecoder::new(&zipped.bytes().await.unwrap()[..]).read_to_end(&mut text).unwrap();
    let count = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).unwrap()["items"].as_array().unwrap().len();
    assert_eq!((count(&text), count(&plain)), (30, 30));
    let short = api.http.get(format!("{url}?limit=1")).header("accept-encoding", "gzip").send().await.unwrap();
    assert!(short.headers().get("content-encoding").is_none());
}

#[tokio::test]
async fn json_is_indented_for_browsers_by_default() {
    let api = Api::new().await;
    let text = async |agent: &str, query: &str| {
        let url = format!("{}/api/v1/namespaces{query}", api.server.url());
        api.http.get(url).header("user-agent", agent).send().await.unwrap().text().await.unwrap()
    };
    for agent in ["Mozilla/5.0 (X11)", "curl/8", "Wget/1"] {
        assert!(text(agent, "").await.starts_with("{\n  \"kind\": \"NamespaceList\",\n"), "{agent}");
        assert!(text(agent, "?pretty=0").await.starts_with("{\"kind\":\"NamespaceList\","));
        assert!(text(agent, "?pretty=false").await.starts_with("{\"kind\":\"NamespaceList\","));
    }
    assert!(text("probe/1", "").await.starts_with("{\"kind\":\"NamespaceList\","));
}
