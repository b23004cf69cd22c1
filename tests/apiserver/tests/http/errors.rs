//! Error responses, with the real server's messages.

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
    // An unknown version of a known group gets a Status.
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
    let unrecognized = "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: ";
    let odd = |kind: &str, hex: &str| {
        format!(
            "{unrecognized}json: cannot unmarshal {kind} into Go value of type struct {{ APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }} ({hex})"
        )
    };
    let field = "cannot be handled as a ConfigMap: json: cannot unmarshal";
    for (body, message) in [
        ("", format!("{unrecognized}unexpected end of JSON input (<empty>)")),
        ("{", format!("{unrecognized}unexpected end of JSON input ({{)")),
        ("[]", odd("array", "5b5d")),
        ("7", odd("number", "37")),
        (
            r#"{"kind":"Pod","apiVersion":"v1"}"#,
            "Pod in version \"v1\" cannot be handled as a ConfigMap: converting (v1.Pod) to (core.ConfigMap): unknown conversion".to_owned(),
        ),
        (
            r#"{"kind":"ConfigMap","apiVersion":"v2"}"#,
            "ConfigMap in version \"v2\" cannot be handled as a ConfigMap: no kind \"ConfigMap\" is registered for version \"v2\" in scheme \"pkg/runtime/scheme.go:111\"".to_owned(),
        ),
        (
            r#"{"metadata":{"name":{}}}"#,
            format!("ConfigMap in version \"v1\" {field} object into Go struct field ObjectMeta.metadata.name of type string"),
        ),
        (
            r#"{"metadata":{"name":"a"},"data":7}"#,
            format!("ConfigMap in version \"v1\" {field} number into Go struct field ConfigMap.data of type map[string]string"),
        ),
    ] {
        let (status, response) = post(body).await;
        assert_eq!((status, response["reason"].as_str()), (400, Some("BadRequest")), "{body}");
        assert_eq!(response["message"], message);
    }
    let upper = format!("/{}/", "x".repeat(254));
    for metadata in [
        json!({}),
        json!({"name": "Upper"}),
        json!({"name": "a/b"}),
        json!({"name": upper}),
        json!({"name": "a", "labels": {"-": "x"}}),
        json!({"name": "a", "labels": {"x": "\u{e9}"}}),
        json!({"name": "a", "finalizers": ["x"]}),
        json!({"name": "a", "ownerReferences": [{}]}),
    ] {
        let (status, response) = post(&json!({"metadata": metadata}).to_string()).await;
        assert_eq!((status, response["reason"].as_str()), (422, Some("Invalid")), "{metadata}");
    }
    assert_eq!(post("null").await.0, 422);
    let (status, response) = post(r#"{"metadata":{"name":"a","resourceVersion":"5"}}"#).await;
    assert_eq!((status, response["reason"].as_str()), (500, None));
    let strict =
        api.post(&format!("{path}?fieldValidation=Strict"), &json!({"metadata": {"name": "s"}, "bogus": 1})).await;
    assert_eq!(strict.0, 400);
    let (_, loose) = api.post(path, &json!({"metadata": {"name": "s"}, "bogus": 1})).await;
    assert_eq!(loose["bogus"], json!(null));
    let plain = api.send(Method::POST, path, "text/plain", "{}".to_owned()).await;
    assert_eq!((plain.0, plain.1["reason"].as_str()), (415, Some("UnsupportedMediaType")));
    let long = format!("{{\"x\":\"{}\"}}", "y".repeat(4 * 1024 * 1024));
    assert_eq!(post(&long).await.0, 413);
}

#[tokio::test]
async fn malformed_selectors_return_the_real_servers_messages() {
    let api = Api::new().await;
    for (selector, message) in [
        ("labelSelector=a%20in%20b", "unable to parse requirement: found 'b' expected: '('"),
        ("labelSelector=%3D%3D", "found '==', expected: !, identifier, or 'end of string'"),
        ("labelSelector=a,,b", "found ',', expected: identifier after ','"),
        ("labelSelector=a%20notin%20(x,", "unable to parse requirement: found '', expected: ',', or identifier"),
        (
            "labelSelector=%2Fa",
            "unable to parse requirement: <nil>: Invalid value: \"/a\": prefix part must be non-empty",
        ),
        (
            "labelSelector=a%3Ex",
            "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
        ),
        ("fieldSelector=metadata.name%3Da%3Db", "invalid field selector: unescaped character in value: 61"),
        ("fieldSelector=metadata.name%3Da%5Cx", "invalid field selector: invalid escape sequence: \\x"),
        ("fieldSelector=spec.foo%3D1", "field label not supported: spec.foo"),
    ] {
        let (status, response) = api.get(&format!("/api/v1/pods?{selector}")).await;
        assert_eq!((status, response["message"].as_str()), (400, Some(message)), "{selector}");
    }
}

#[tokio::test]
async fn bad_patches_and_options() {
    let api = Api::new().await;
    api.config_map("a", json!({})).await;
    let map = "/api/v1/namespaces/default/configmaps/a";
    let patched = async |kind: &str, body: &str| {
        let (status, response) = api.send(Method::PATCH, map, kind, body.to_owned()).await;
        (status, response["message"].as_str().unwrap_or_default().to_owned())
    };
    let (json_patch, merge, strategic) =
        ("application/json-patch+json", "application/merge-patch+json", "application/strategic-merge-patch+json");
    let rejected = "the server rejected our request due to an error in our request";
    for (kind, body, status, message) in [
        ("application/json", "{}", 415, "415: Unsupported Media Type"),
        (json_patch, "{", 400, "error decoding patch: unexpected end of JSON input"),
        (
            json_patch,
            "7",
            400,
            "error decoding patch: json: cannot unmarshal number into Go value of type []handlers.jsonPatchOp",
        ),
        (json_patch, r#"[{"op":"nope","path":"/x"}]"#, 422, rejected),
        (json_patch, r#"[{"op":"remove","path":"/data/none"}]"#, 422, rejected),
        (
            merge,
            "[]",
            400,
            "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
        ),
        (strategic, "{", 400, "unexpected end of JSON input"),
    ] {
        assert_eq!(patched(kind, body).await, (status, message.to_owned()), "{kind} {body}");
    }
    assert_eq!(patched(merge, r#"{"data":7}"#).await.0, 422);
    assert_eq!(patched(merge, r#"{"kind":"Pod"}"#).await.0, 422);
    for (method, path, body, status) in [
        (Method::DELETE, format!("{map}?propagationPolicy=Foo"), "", 422),
        (Method::DELETE, map.to_owned(), r#"{"orphanDependents":true,"propagationPolicy":"Orphan"}"#, 422),
        (Method::DELETE, map.to_owned(), r#"{"preconditions":{"uid":"x"}}"#, 409),
        (Method::DELETE, "/api/v1/configmaps".to_owned(), "", 405),
        (Method::PUT, map.to_owned(), "{}", 400),
        (Method::PUT, format!("{map}?fieldValidation=Foo"), "{}", 422),
        (Method::PUT, format!("{map}?fieldManager={}", "x".repeat(200)), "{}", 422),
    ] {
        let (found, response) = api.send(method, &path, "application/json", body.to_owned()).await;
        assert_eq!(found, status, "{path} {body}: {response}");
    }
    assert_eq!(api.get(map).await.0, 200);
}
