//! Bodies as kubectl 1.32 sent them: `create namespace`, `create deployment` and `create configmap`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Method;
use serde_json::{Value, json};

use crate::client::Api;

const NAMESPACE: &str = "azhzAAoPCgJ2MRIJTmFtZXNwYWNlEhoKEgoCeDESABoAIgAqADIAOABCABIAGgIKABoAIgA=";
const DEPLOYMENT: &str = "azhzAAoVCgdhcHBzL3YxEgpEZXBsb3ltZW50ErIBChsKAWQSABoAIgAqADIAOABCAFoICgNhcHASAWQShAEIABIKCggKA2FwcBIBZBpsChoKABIAGgAiACoAMgA4AEIAWggKA2FwcBIBZBJOEjAKBW5naW54EgduZ2lueDoxKgAyCgoAEAAYUCIAKgBCAGoAcgCAAQCIAQCQAQCiAQAaADIAQgBKAFIAWABgAGgAggEAigEAmgEAwgEAIgIKACgAOAAaDAgAEAAYACAAKAA4ABoAIgA=";
const CONFIG_MAP: &str = "azhzAAoPCgJ2MRIJQ29uZmlnTWFwEhsKEQoBYxIAGgAiACoAMgA4AEIAEgYKAWESAWIaACIA";

async fn post(api: &Api, path: &str, body: Vec<u8>) -> (u16, Value) {
    let url = format!("{}{path}?fieldManager=kubectl-create&fieldValidation=Strict", api.server.url());
    let request = api.http.request(Method::POST, url).body(body);
    let request = request
        .header("content-type", "application/vnd.kubernetes.protobuf")
        .header("accept", "application/vnd.kubernetes.protobuf,application/json");
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
