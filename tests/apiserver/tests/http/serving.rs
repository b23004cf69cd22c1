//! Discovery, static files, CORS, admin commands, stopping.

use std::time::{Duration, Instant};

use apiserver::Server;
use reqwest::Method;
use serde_json::Value;

use crate::client::{Api, End, TIMEOUT};

const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

#[tokio::test]
async fn discovery_in_both_forms() {
    let api = Api::new().await;
    let (_, versions) = api.get("/api").await;
    assert_eq!((versions["kind"].as_str(), versions["versions"][0].as_str()), (Some("APIVersions"), Some("v1")));
    let (_, core) = api.get("/api/v1").await;
    let resources = core["resources"].as_array().unwrap();
    let pods = resources.iter().find(|resource| resource["name"] == "pods").unwrap();
    assert_eq!((pods["shortNames"][0].as_str(), pods["namespaced"].as_bool()), (Some("po"), Some(true)));
    assert!(resources.iter().any(|resource| resource["name"] == "pods/status"));
    let (_, apps) = api.get("/apis/apps").await;
    assert_eq!(
        (apps["kind"].as_str(), apps["preferredVersion"]["groupVersion"].as_str()),
        (Some("APIGroup"), Some("apps/v1"))
    );
    let url = format!("{}/apis", api.server.url());
    let request = || api.http.get(&url).header("accept", format!("{AGGREGATED},application/json"));
    let response = request().send().await.unwrap();
    assert_eq!(response.headers()["content-type"], AGGREGATED);
    let etag = response.headers()["etag"].clone();
    let list: Value = response.json().await.unwrap();
    assert_eq!(list["kind"], "APIGroupDiscoveryList");
    let apps = list["items"].as_array().unwrap().iter().find(|group| group["metadata"]["name"] == "apps").unwrap();
    assert_eq!(apps["versions"][0]["freshness"], "Current");
    assert_eq!(request().header("if-none-match", etag).send().await.unwrap().status(), 304);
    assert_eq!(api.get("/version").await.1["major"], "1");
    let health = api.http.get(format!("{}/readyz", api.server.url())).send().await.unwrap();
    assert_eq!(health.text().await.unwrap(), "ok");
}

#[tokio::test]
async fn static_files_with_their_types() {
    let directory = std::env::temp_dir().join(format!("apiserver-www-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    for name in ["index.html", "app.js", "app_bg.wasm", "app.css", "icon.svg"] {
        std::fs::write(directory.join(name), name).unwrap();
    }
    let api = Api::with(Server::builder().www(&directory, "/ui/")).await;
    let get = async |path: &str| api.http.get(format!("{}{path}", api.server.url())).send().await.unwrap();
    for (path, content_type) in [
        ("/ui/", "text/html"),
        ("/ui", "text/html"),
        ("/ui/app.js", "text/javascript"),
        ("/ui/app_bg.wasm", "application/wasm"),
        ("/ui/app.css", "text/css"),
        ("/ui/icon.svg", "image/svg+xml"),
    ] {
        let response = get(path).await;
        assert_eq!(response.status(), 200, "{path}");
        assert!(response.headers()["content-type"].to_str().unwrap().starts_with(content_type), "{path}");
    }
    assert_eq!(get("/ui/none.js").await.status(), 404);
    assert_eq!(get("/ui/..%2f..%2fetc/passwd").await.status(), 404);
    assert_eq!(get("/api/v1/namespaces").await.status(), 200);
    std::fs::remove_dir_all(&directory).unwrap();
}

#[tokio::test]
async fn cors_headers_are_sent_only_if_enabled() {
    for on in [true, false] {
        let api = Api::with(Server::builder().cors(on)).await;
        let url = format!("{}/api/v1/pods", api.server.url());
        let response = api.http.get(&url).header("origin", "http://localhost:1").send().await.unwrap();
        assert_eq!(response.headers().contains_key("access-control-allow-origin"), on);
        let preflight = api.http.request(Method::OPTIONS, &url).header("origin", "http://localhost:1");
        let preflight = preflight.header("access-control-request-method", "PATCH").send().await.unwrap();
        assert_eq!(preflight.status(), if on { 200 } else { 405 });
    }
}

#[tokio::test]
async fn commands_over_http() {
    let api = Api::new().await;
    let command = async |command: &str| {
        let url = format!("{}/admin/{command}", api.server.url());
        api.http.post(url).send().await.unwrap().status().as_u16()
    };
    let mut watch = api.watch("/api/v1/pods?watch=1").await;
    assert_eq!(command("stall-watches").await, 200);
    assert!(watch.is_silent(Duration::from_millis(50)).await);
    assert_eq!(command("cut-watches").await, 200);
    assert_eq!(watch.step().await, Err(End::Abrupt));
    assert_eq!(command("compact").await, 200);
    let mut late = api.watch("/api/v1/pods?watch=1&resourceVersion=1").await;
    assert_eq!(late.step().await.unwrap()["object"]["code"], 410);
    assert_eq!(command("nonsense").await, 404);
}

#[tokio::test]
async fn stops_at_once_with_open_watches_and_frees_its_port() {
    let api = Api::new().await;
    let mut watch = api.watch("/api/v1/pods?watch=1").await;
    let mut stalled = api.watch("/api/v1/pods?watch=1").await;
    api.server.stall_watches();
    let (start, address) = (Instant::now(), api.server.address());
    api.server.stop().await;
    assert!(start.elapsed() < TIMEOUT, "stopping waits for open watches");
    assert_eq!(watch.step().await, Err(End::Clean));
    assert_eq!(stalled.step().await, Err(End::Clean));
    Server::builder().port(address.port()).start().await.unwrap();
}
