//! Field validation: unknown fields and values of another type, in each kind of write.

use reqwest::Method;
use serde_json::{Value, json};

use super::custom;
use crate::case::{Case, cases};
use crate::halt::Outcome;
use crate::response::WholeResponse;
use crate::scene::{RECORDED, Scene};

pub(crate) const CASES: &[Case] = cases!["field validation":
    an_apply_refuses_what_the_schema_does_not_declare, a_patch_is_strict_if_asked, a_create_is_strict_if_asked,
    unknown_fields_are_warned_of_by_default;
    alone: of_a_custom_kind,
];

const APPLY: &str = "application/apply-patch+yaml";
const MERGE: &str = "application/merge-patch+json";
const STRATEGIC: &str = "application/strategic-merge-patch+json";
const JSON: &str = "application/json-patch+json";

/// Returns the summary and the warnings.
fn warned(response: &WholeResponse) -> String {
    let warnings: Vec<_> = response
        .headers
        .get_all("warning")
        .iter()
        .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
        .collect();
    format!("{} [{}]", response.summary(), warnings.join(" | "))
}

/// Returns the summary and the warnings. The error of a patch contains the whole object, with its uid and times;
/// `is_short` omits it.
fn outcome(response: &WholeResponse, is_short: bool) -> String {
    let message = response.json["message"].as_str().unwrap_or_default();
    match message.find("strict decoding error").filter(|_| is_short) {
        Some(at) => format!("{} … {}", response.status, &message[at..]),
        None => warned(response),
    }
}

/// Spec of a pod with one container, which has these further fields.
fn spec(more: &Value) -> Value {
    let mut container = json!({"name": "c", "image": "i"});
    if let (Some(container), Some(more)) = (container.as_object_mut(), more.as_object()) {
        container.extend(more.clone());
    }
    json!({"containers": [container]})
}

async fn an_apply_refuses_what_the_schema_does_not_declare(scene: &mut Scene) -> Outcome {
    let pod = |name: &str, spec: Value| json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": scene.namespace}, "spec": spec});
    let mut bogus = spec(&json!({}));
    bogus["bogus"] = json!(1);
    let cases = [
        ("an unknown field", bogus),
        ("an unknown field of an item", spec(&json!({"bogus": 1}))),
        ("a number for a text", spec(&json!({"image": 7}))),
        ("a list for a text", spec(&json!({"image": [7, "a"]}))),
        ("a map for a text", spec(&json!({"image": {"a": true}}))),
        ("a text for a number", spec(&json!({"ports": [{"containerPort": "http"}]}))),
        ("a text for a flag", spec(&json!({"tty": "yes"}))),
        ("a map for a list", spec(&json!({"args": {"a": 1}}))),
        ("a text for a map", spec(&json!({"resources": "a"}))),
        ("an item twice", json!({"containers": [{"name": "c", "image": "i"}, {"name": "c", "image": "j"}]})),
        ("a list for a scalar of any type", spec(&json!({"resources": {"limits": {"cpu": []}}}))),
    ];
    let requests: Vec<_> = cases.map(|(what, spec)| (what, pod("a", spec))).into();
    for (what, body) in requests {
        for (mode, path) in
            [("", "pods/a?fieldManager=m"), (", strictly", "pods/a?fieldManager=m&fieldValidation=Strict")]
        {
            let response = scene.with_body(Method::PATCH, path, APPLY, &body).await?;
            scene.check(&format!("{what}{mode}"), warned(&response), RECORDED);
        }
    }
    let two = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"k": 7, "l": true}});
    let response = scene.with_body(Method::PATCH, "configmaps/a?fieldManager=m", APPLY, &two).await?;
    // The order of several defects varies.
    let message = response.json["message"].as_str().unwrap_or_default();
    let lines: std::collections::BTreeSet<_> = message.lines().collect();
    scene.check("two defects", format!("{} {lines:?}", response.status), RECORDED);
    scene.config_maps("b").await?;
    let bogus = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "b"}, "bogus": 1});
    let response = scene.with_body(Method::PATCH, "configmaps/b?fieldManager=m&dryRun=All", APPLY, &bogus).await?;
    scene.check("of an object that is there", response.summary(), RECORDED);
    Ok(())
}

async fn a_patch_is_strict_if_asked(scene: &mut Scene) -> Outcome {
    for (what, kind, body) in [
        ("merge", MERGE, json!({"bogus": 1, "data": {"k": "v"}})),
        ("strategic", STRATEGIC, json!({"bogus": {"a": [1, "b"]}, "data": {"k": "v"}})),
        ("JSON", JSON, json!([{"op": "add", "path": "/bogus", "value": 1}])),
    ] {
        for mode in ["Strict", "Warn", "Ignore"] {
            let name = format!("{}-{}", what.to_lowercase(), mode.to_lowercase());
            scene.config_maps(&name).await?;
            let path = format!("configmaps/{name}?fieldValidation={mode}");
            let response = scene.with_body(Method::PATCH, &path, kind, &body).await?;
            scene.check(&format!("{what}, {mode}"), outcome(&response, kind != STRATEGIC), RECORDED);
            let now = scene.get(&format!("configmaps/{name}")).await?.object()?;
            scene.check(&format!("{what}, {mode}: the field"), &now["bogus"], "null");
        }
    }
    Ok(())
}

async fn a_create_is_strict_if_asked(scene: &mut Scene) -> Outcome {
    let object = |name: &str| json!({"metadata": {"name": name, "bogus": 1}, "bogus": 2});
    for mode in ["Strict", "Warn", "Ignore"] {
        let name = mode.to_lowercase();
        let response = scene.post(&format!("configmaps?fieldValidation={mode}"), &object(&name)).await?;
        scene.check(&format!("POST, {mode}"), warned(&response), RECORDED);
    }
    scene.config_maps("a").await?;
    for mode in ["Strict", "Warn", "Ignore"] {
        let response = scene.put(&format!("configmaps/a?fieldValidation={mode}"), &object("a")).await?;
        scene.check(&format!("PUT, {mode}"), warned(&response), RECORDED);
    }
    Ok(())
}

async fn unknown_fields_are_warned_of_by_default(scene: &mut Scene) -> Outcome {
    let response = scene.post("configmaps", &json!({"metadata": {"name": "a"}, "bogus": 1, "odd \"one\"": 2})).await?;
    scene.check("POST", warned(&response), RECORDED);
    let response = scene.merge("configmaps/a", &json!({"bogus": 1})).await?;
    scene.check("PATCH", warned(&response), RECORDED);
    let response = scene.post("configmaps?dryRun=All", &json!({"metadata": {"name": "b"}, "bogus": 1})).await?;
    scene.check("a dry run", warned(&response), RECORDED);
    Ok(())
}

async fn of_a_custom_kind(scene: &mut Scene) -> Outcome {
    custom::define_with(
        scene,
        &json!({"type": "object", "properties": {
            "spec": {"type": "object", "properties": {
                "size": {"type": "integer", "minimum": 1, "maximum": 9},
                "mode": {"type": "string", "enum": ["on", "off"]},
                "parts": {"type": "array", "items": {
                    "type": "object", "required": ["name"], "properties": {"name": {"type": "string"}},
                }},
                "named": {
                    "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
                    "items": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}},
                },
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
            }},
            "status": {"type": "object", "properties": {"ready": {"type": "boolean"}}},
        }}),
        &json!({"status": {}}),
    )
    .await?;
    let path = custom::things(scene);
    let odd = json!({"size": 1, "bogus": 1, "parts": [{"name": "a", "colour": "red"}], "labels": {"a": "b"}, "free": {"a": [{"b": 1}]}});
    for mode in ["Strict", "Warn", "Ignore"] {
        let mut thing = custom::thing(scene, &mode.to_lowercase(), &odd);
        thing["metadata"]["bogus"] = json!(1);
        thing["top"] = json!(1);
        let response = scene.post(&format!("{path}?fieldValidation={mode}"), &thing).await?;
        scene.check(&format!("POST, {mode}"), warned(&response), RECORDED);
        scene.check(&format!("POST, {mode}: the spec"), &response.json["spec"], RECORDED);
    }
    let change = json!({"spec": {"bogus": 1, "free": {"c": 1}}});
    for mode in ["Strict", "Warn", "Ignore"] {
        let response =
            scene.with_body(Method::PATCH, &format!("{path}/warn?fieldValidation={mode}"), MERGE, &change).await?;
        scene.check(&format!("PATCH, {mode}"), outcome(&response, true), RECORDED);
    }
    for (what, spec) in [
        ("an unknown field", json!({"bogus": 1})),
        ("a text for a number", json!({"size": "large"})),
        ("an unknown field of an item", json!({"parts": [{"colour": "red"}]})),
        ("a number for a text of a map", json!({"labels": {"a": 1}})),
        ("an item without its key", json!({"named": [{}]})),
        ("an item twice", json!({"named": [{"name": "a"}, {"name": "a"}]})),
        ("what may be anything", json!({"free": {"a": {"b": []}}})),
    ] {
        let thing = custom::thing(scene, "applied", &spec);
        let response = scene.with_body(Method::PATCH, &format!("{path}/applied?fieldManager=m"), APPLY, &thing).await?;
        scene.check(&format!("apply of {what}"), response.summary(), RECORDED);
    }
    for (what, spec) in [
        ("another type", json!({"size": "large"})),
        ("another type in a map", json!({"labels": {"a": 1}})),
        ("another value", json!({"mode": "half"})),
        ("a value that is too small", json!({"size": 0})),
        ("a missing field", json!({"parts": [{}]})),
        ("a value that is too large", json!({"size": 10})),
    ] {
        let thing = custom::thing(scene, "warn", &spec);
        let response = scene.post(&path, &thing).await?;
        scene.check(&format!("POST of {what}"), response.summary(), RECORDED);
        let response = scene.merge(&format!("{path}/warn"), &json!({"spec": spec})).await?;
        scene.check(&format!("PATCH to {what}"), response.summary(), RECORDED);
    }
    let mode = custom::thing(scene, "warn", &json!({"mode": "half"}));
    let response = scene.with_body(Method::PATCH, &format!("{path}/warn?fieldManager=m"), APPLY, &mode).await?;
    scene.check("apply of another value", response.summary(), RECORDED);
    custom::remove(scene).await
}
