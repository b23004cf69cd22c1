//! Tests of protobuf bodies.

use serde_json::json;

use super::*;

#[test]
fn all_built_in_kinds_but_definitions_and_metrics_have_messages() {
    let without: Vec<String> = crate::kinds::built_in()
        .iter()
        .filter(|kind| kind.versions.iter().any(|version| !has_kind(&kind.api_version(version), &kind.name)))
        .map(|kind| kind.id())
        .collect();
    let expected = ["customresourcedefinitions.apiextensions.k8s.io", "nodes.metrics.k8s.io", "pods.metrics.k8s.io"];
    assert!(without.iter().all(|id| expected.contains(&id.as_str())), "{without:?}");
    // An object keeps the message of one version.
    assert!(crate::kinds::built_in().iter().all(|kind| kind.versions.len() == 1));
    assert!(has_kind("apps/v1", "DeleteOptions") && has_kind("authorization.k8s.io/v1", "SelfSubjectAccessReview"));
}

#[test]
fn a_body_is_decoded_to_what_was_encoded() {
    for object in [
        json!({"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "a", "labels": {"k": "v"}}, "data": {"x": "1"}}),
        json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "code": 404}),
        json!({"kind": "DeleteOptions", "apiVersion": "meta.k8s.io/v1", "gracePeriodSeconds": 0}),
    ] {
        let body = body(object.to_string().as_bytes()).unwrap();
        assert_eq!(decode(&body), Ok(object));
    }
    assert_eq!(body(br#"{"kind":"Widget","apiVersion":"example.com/v1"}"#), None);
    assert_eq!(message("v1", "ConfigMap", r#"{"data":5}"#), None);
}

#[test]
fn other_bodies_are_rejected() {
    let whole = body(br#"{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"name"}}"#).unwrap();
    assert!(decode(b"{}").is_err_and(|why| why.contains("expected prefix")));
    assert!(decode(&envelope("v1", "Nonsense", b"")).is_err_and(|why| why.starts_with("no kind \"Nonsense\"")));
    for cut in 5..whole.len() {
        drop(decode(&whole[..cut]));
    }
    assert!(decode(&envelope("v1", "ConfigMap", &[0x0a, 200, 1])).is_err());
}
