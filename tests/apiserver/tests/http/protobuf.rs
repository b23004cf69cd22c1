//! Protobuf in requests, as kubectl 1.32 sent it (`create namespace`, `create deployment`, `create configmap`), and in responses.

use std::ops::ControlFlow;

use apiserver::Server;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use informer_protobuf::{
    FrameDecoder, JsonWriter, KUBERNETES, ListCutter, ListPiece, Schema, TypeMeta, Unknown, WatchEvent,
};
use reqwest::{Method, Response};
use serde_json::{Value, json};

use crate::client::Api;

const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";
const MAPS: &str = "/api/v1/namespaces/default/configmaps";

const NAMESPACE: &str = "azhzAAoPCgJ2MRIJTmFtZXNwYWNlEhoKEgoCeDESABoAIgAqADIAOABCABIAGgIKABoAIgA=";
const DEPLOYMENT: &str = "azhzAAoVCgdhcHBzL3YxEgpEZXBsb3ltZW50ErIBChsKAWQSABoAIgAqADIAOABCAFoICgNhcHASAWQShAEIABIKCggKA2FwcBIBZBpsChoKABIAGgAiACoAMgA4AEIAWggKA2FwcBIBZBJOEjAKBW5naW54EgduZ2lueDoxKgAyCgoAEAAYUCIAKgBCAGoAcgCAAQCIAQCQAQCiAQAaADIAQgBKAFIAWABgAGgAggEAigEAmgEAwgEAIgIKACgAOAAaDAgAEAAYACAAKAA4ABoAIgA=";
const CONFIG_MAP: &str = "azhzAAoPCgJ2MRIJQ29uZmlnTWFwEhsKEQoBYxIAGgAiACoAMgA4AEIAEgYKAWESAWIaACIA";

async fn post(api: &Api, path: &str, body: Vec<u8>) -> (u16, Value) {
    let url = format!("{}{path}?fieldManager=kubectl-create&fieldValidation=Strict", api.server.url());
    let request = api.http.request(Method::POST, url).body(body);
    let request = request
        .header("content-type", "application/vnd.kubernetes.protobuf")
        .header("accept", "application/json,application/vnd.kubernetes.protobuf");
    let response = request.send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "application/json");
    (response.status().as_u16(), response.json().await.unwrap())
}

#[tokio::test]
async fn bodies_of_kubectl_are_decoded() {
    let api = Api::new().await;
    let (status, made) = post(&api, "/api/v1/namespaces", STANDARD.decode(NAMESPACE).unwrap()).await;
    assert_eq!((status, &made["metadata"]["name"]), (201, &json!("x1")), "{made}");
    let maps = "/api/v1/namespaces/x1/configmaps";
    let (status, made) = post(&api, maps, STANDARD.decode(CONFIG_MAP).unwrap()).await;
    assert_eq!((status, &made["data"]), (201, &json!({"a": "b"})), "{made}");
    assert_eq!(made["metadata"]["managedFields"][0]["manager"], "kubectl-create");
    let deployments = "/apis/apps/v1/namespaces/x1/deployments";
    let (status, made) = post(&api, deployments, STANDARD.decode(DEPLOYMENT).unwrap()).await;
    assert_eq!(status, 201, "{made}");
    // Zero replicas were requested, in contrast to no value; the other fields are the server's defaults.
    let spec = &made["spec"];
    assert_eq!((&spec["replicas"], &spec["strategy"]["type"]), (&json!(0), &json!("RollingUpdate")));
    let container = &spec["template"]["spec"]["containers"][0];
    assert_eq!((&container["name"], &container["image"]), (&json!("nginx"), &json!("nginx:1")));
    assert_eq!(container["ports"], json!([{"containerPort": 80, "protocol": "TCP"}]));
}

#[tokio::test]
async fn invalid_messages_are_rejected() {
    let api = Api::new().await;
    let maps = "/api/v1/namespaces/default/configmaps";
    let mut cut = STANDARD.decode(CONFIG_MAP).unwrap();
    cut.truncate(40);
    for body in [b"{}".to_vec(), cut, STANDARD.decode(NAMESPACE).unwrap()] {
        let (status, response) = post(&api, maps, body).await;
        assert_eq!((status, response["reason"].as_str()), (400, Some("BadRequest")), "{response}");
    }
}

async fn get(api: &Api, path: &str, accept: &str) -> Response {
    api.http.get(format!("{}{path}", api.server.url())).header("accept", accept).send().await.unwrap()
}

/// JSON of a message.
fn json_of(type_meta: TypeMeta<'_>, raw: &[u8]) -> Value {
    let schema = Schema::parse(KUBERNETES).unwrap();
    let message = schema.message(type_meta.api_version, type_meta.item_kind()).unwrap();
    let mut out = Vec::new();
    JsonWriter::new(&schema).write(message, Some(type_meta), raw, &mut out).unwrap();
    serde_json::from_slice(&out).unwrap()
}

/// JSON of an object in its envelope.
fn object(body: &[u8]) -> Value {
    let unknown = Unknown::parse(body).unwrap();
    json_of(unknown.type_meta, unknown.raw)
}

/// Kind of a list, its continue token, and the JSON of its items.
fn list(body: &[u8]) -> (String, String, Vec<Value>) {
    let (mut cutter, mut kind, mut token, mut items) = (ListCutter::new(1 << 24), None, String::new(), Vec::new());
    cutter
        .push(body, &mut |piece| {
            match piece {
                ListPiece::Type(list) => kind = Some((list.api_version.to_owned(), list.kind.to_owned())),
                ListPiece::Metadata(metadata) => metadata.continue_token.clone_into(&mut token),
                ListPiece::Item(item) => {
                    let (api_version, kind) = kind.as_ref().unwrap();
                    let mut item = json_of(TypeMeta { api_version, kind }, item);
                    for name in ["kind", "apiVersion"] {
                        item.as_object_mut().unwrap().remove(name);
                    }
                    items.push(item);
                }
            }
            ControlFlow::Continue(())
        })
        .unwrap();
    assert!(cutter.is_complete());
    (kind.unwrap().1, token, items)
}

#[tokio::test]
async fn lists_whole_and_in_pages() {
    let api = Api::with(Server::builder().pods(200)).await;
    for (path, kind) in
        [("/api/v1/pods", "PodList"), ("/apis/apps/v1/deployments", "DeploymentList"), ("/api/v1/nodes", "NodeList")]
    {
        let response = get(&api, path, PROTOBUF).await;
        assert_eq!(response.headers()["content-type"], PROTOBUF);
        let (found, token, items) = list(&response.bytes().await.unwrap());
        assert_eq!((found.as_str(), token.as_str()), (kind, ""));
        let (_, expected) = api.get(path).await;
        let names = |items: &[Value]| items.iter().map(|item| item["metadata"]["name"].clone()).collect::<Vec<_>>();
        assert_eq!(names(&items), names(expected["items"].as_array().unwrap()));
    }
    let (mut path, mut count) = ("/api/v1/pods?limit=70".to_owned(), 0);
    loop {
        let (_, token, items) = list(&get(&api, &path, PROTOBUF).await.bytes().await.unwrap());
        count += items.len();
        if token.is_empty() {
            break;
        }
        path = format!("/api/v1/pods?limit=70&continue={token}");
    }
    assert_eq!(count, 200);
}

#[tokio::test]
async fn objects_metadata_and_errors() {
    let api = Api::new().await;
    api.config_map("a", json!({"x": "y"})).await;
    let (_, mut expected) = api.get(&format!("{MAPS}/a")).await;
    let response = get(&api, &format!("{MAPS}/a?pretty=1"), &format!("{PROTOBUF},application/json;q=0.9")).await;
    assert_eq!(response.headers()["content-type"], PROTOBUF);
    assert_eq!(object(&response.bytes().await.unwrap()), expected);
    expected["kind"] = "PartialObjectMetadata".into();
    expected["apiVersion"] = "meta.k8s.io/v1".into();
    let metadata = format!("{PROTOBUF};as=PartialObjectMetadata;v=v1;g=meta.k8s.io");
    assert_eq!(object(&get(&api, &format!("{MAPS}/a"), &metadata).await.bytes().await.unwrap()), expected);
    let metadata = format!("{PROTOBUF};as=PartialObjectMetadataList;v=v1;g=meta.k8s.io");
    let (kind, _, items) = list(&get(&api, MAPS, &metadata).await.bytes().await.unwrap());
    assert_eq!((kind.as_str(), &items[0]["metadata"]), ("PartialObjectMetadataList", &expected["metadata"]));
    let missing = get(&api, &format!("{MAPS}/b"), PROTOBUF).await;
    assert_eq!((missing.status().as_u16(), &missing.headers()["content-type"]), (404, &PROTOBUF.parse().unwrap()));
    assert_eq!(object(&missing.bytes().await.unwrap())["message"], "configmaps \"b\" not found");
    let html = get(&api, MAPS, "text/html").await;
    assert_eq!((html.status().as_u16(), &html.headers()["content-type"]), (406, &"application/json".parse().unwrap()));
}

#[tokio::test]
async fn long_responses_are_compressed() {
    let api = Api::new().await;
    let data = json!({"metadata": {"name": "large"}, "data": {"value": "all work and no play ".repeat(10_000)}});
    api.post(MAPS, &data).await;
    for path in [MAPS, "/api/v1/namespaces/default/configmaps/large"] {
        let request = api.http.get(format!("{}{path}", api.server.url())).header("accept", PROTOBUF);
        let response = request.header("accept-encoding", "gzip").send().await.unwrap();
        assert_eq!(response.headers()["content-encoding"], "gzip");
        assert_eq!(response.headers()["content-type"], PROTOBUF);
    }
}

#[tokio::test]
async fn a_watch_has_frames() {
    let api = Api::new().await;
    let version = api.config_map("a", json!({})).await;
    let query =
        "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=1";
    let response = get(&api, &format!("{MAPS}?{query}"), PROTOBUF).await;
    assert_eq!(response.headers()["content-type"], "application/vnd.kubernetes.protobuf;stream=watch");
    let (mut decoder, mut events) = (FrameDecoder::new(1 << 20), Vec::new());
    decoder
        .push(&response.bytes().await.unwrap(), &mut |frame| {
            let event = WatchEvent::parse(frame).unwrap();
            let object = json_of(event.object.type_meta, event.object.raw);
            events.push((event.event_type.to_owned(), object["metadata"].clone()));
        })
        .unwrap();
    assert_eq!((decoder.unfinished(), events[0].0.as_str(), &events[0].1["name"]), (0, "ADDED", &json!("a")));
    let mark = json!({"resourceVersion": version, "annotations": {"k8s.io/initial-events-end": "true"}});
    assert_eq!(events[1], ("BOOKMARK".to_owned(), mark));
}

#[tokio::test]
async fn an_object_of_other_types_does_not_prevent_its_list() {
    let api = Api::new().await;
    api.config_map("a", json!({})).await;
    // Only a test can store it: a client gets an error.
    api.server.create("configmaps", "default", json!({"metadata": {"name": "odd"}, "data": {"a": 5}})).unwrap();
    api.server.create("configmaps", "default", json!({"metadata": {"name": "odder", "annotations": 7}})).unwrap();
    let (_, _, items) = list(&get(&api, MAPS, PROTOBUF).await.bytes().await.unwrap());
    let seen: Vec<_> = items.iter().map(|item| (item["metadata"]["name"].as_str().unwrap(), &item["data"])).collect();
    assert_eq!(seen, [("a", &Value::Null), ("odd", &Value::Null), ("odder", &Value::Null)]);
    assert!(items.iter().all(|item| item["metadata"]["uid"].is_string()));
}
