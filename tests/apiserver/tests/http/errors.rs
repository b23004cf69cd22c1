//! What does not work, in the real server's words.

use reqwest::Method;
use serde_json::json;

use crate::client::Api;

#[tokio::test]
async fn unknown_things() {
    let api = Api::new().await;
    for path in ["/apis/foo.example.com/v1/widgets", "/nowhere", "/apis/foo.example.com"] {
        let response = api.http.get(format!("{}{path}", api.server.url())).send().await.unwrap();
        assert_eq!(response.status(), 404, "{path}");
        assert_eq!(response.headers()["content-type"], "text/plain; charset=utf-8");
        assert_eq!(response.text().await.unwrap(), "404 page not found\n");
    }
    // A version that is not served, of a group that is, says so as a Status.
    assert_eq!(api.get("/api/v2/pods").await.1["reason"], "NotFound");
    let (status, body) = api.get("/api/v1/widgets").await;
    assert_eq!(status, 404);
    let text = r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"the server could not find the requested resource","reason":"NotFound","details":{},"code":404}"#;
    assert_eq!(body, serde_json::from_str::<serde_json::Value>(text).unwrap());
    let (_, body) = api.get("/api/v1/namespaces/default/pods/nope").await;
    assert_eq!(body["message"], "pods \"nope\" not found");
    assert_eq!(body["details"], json!({"name": "nope", "kind": "pods"}));
    let (_, body) = api.get("/apis/apps/v1/namespaces/default/deployments/nope").await;
    assert_eq!(body["message"], "deployments.apps \"nope\" not found");
}

#[tokio::test]
async fn methods_and_media_types() {
    let api = Api::new().await;
    for method in [Method::OPTIONS, Method::PUT, Method::POST] {
        let (status, body) = api.send(method.clone(), "/api/v1/pods", "application/json", "{}".to_owned()).await;
        assert_eq!((status, body["reason"].as_str()), (405, Some("MethodNotAllowed")), "{method}");
    }
    assert_eq!(api.send(Method::HEAD, "/api/v1/pods", "", String::new()).await.0, 405);
    let url = format!("{}/api/v1/pods", api.server.url());
    let accept =
        async |accept: &str| api.http.get(&url).header("accept", accept).send().await.unwrap().status().as_u16();
    assert_eq!(accept("application/cbor").await, 406);
    assert_eq!(accept("application/cbor, application/json").await, 200);
    assert_eq!(accept("application/json;as=Table;v=v1;g=meta.k8s.io,application/json").await, 200);
}

#[tokio::test]
async fn bad_bodies() {
    let api = Api::new().await;
    let path = "/api/v1/namespaces/default/configmaps";
    let post = async |body: &str| api.send(Method::POST, path, "application/json", body.to_owned()).await;
    for body in ["", "{", "null", "[]", "7", "{\"kind\":\"Pod\",\"apiVersion\":\"v1\"}"] {
        let (status, answer) = post(body).await;
        assert_eq!((status, answer["reason"].as_str()), (400, Some("BadRequest")), "{body}");
    }
    for body in [r#"{"metadata":[]}"#, r#"{"metadata":{"name":{}}}"#, r#"{"spec":7}"#] {
        assert_eq!(post(body).await.0, 422, "{body}");
    }
    let long = format!("{{\"x\":\"{}\"}}", "y".repeat(4 * 1024 * 1024));
    assert_eq!(post(&long).await.0, 413);
}
