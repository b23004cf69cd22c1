//! Field validation: unknown fields and values of another type, in each kind of write.

use reqwest::Method;
use serde_json::{Value, json};

use super::custom;
use crate::answer::Answer;
use crate::case::{Case, cases};
use crate::halt::Outcome;
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

/// The verdict, and the warnings.
fn warned(answer: &Answer) -> String {
    let warnings: Vec<_> = answer
        .headers
        .get_all("warning")
        .iter()
        .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
        .collect();
    format!("{} [{}]", answer.verdict(), warnings.join(" | "))
}

/// The verdict, and the warnings. The error of a patch contains the whole object, with its uid and times; `is_short` omits it.
fn outcome(answer: &Answer, is_short: bool) -> String {
    let message = answer.json["message"].as_str().unwrap_or_default();
    match message.find("strict decoding error").filter(|_| is_short) {
        Some(at) => format!("{} … {}", answer.status, &message[at..]),
        None => warned(answer),
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
            let answer = scene.with_body(Method::PATCH, path, APPLY, &body).await?;
            scene.see(&format!("{what}{mode}"), warned(&answer), RECORDED);
        }
    }
    let two = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"k": 7, "l": true}});
    let answer = scene.with_body(Method::PATCH, "configmaps/a?fieldManager=m", APPLY, &two).await?;
    // The order of several defects varies.
    let message = answer.json["message"].as_str().unwrap_or_default();
    let lines: std::collections::BTreeSet<_> = message.lines().collect();
    scene.see("two defects", format!("{} {lines:?}", answer.status), RECORDED);
    scene.config_maps("b").await?;
    let bogus = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "b"}, "bogus": 1});
    let answer = scene.with_body(Method::PATCH, "configmaps/b?fieldManager=m&dryRun=All", APPLY, &bogus).await?;
    scene.see("of an object that is there", answer.verdict(), RECORDED);
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
            let answer = scene.with_body(Method::PATCH, &path, kind, &body).await?;
            scene.see(&format!("{what}, {mode}"), outcome(&answer, kind != STRATEGIC), RECORDED);
            let now = scene.get(&format!("configmaps/{name}")).await?.object()?;
            scene.see(&format!("{what}, {mode}: the field"), &now["bogus"], "null");
        }
    }
    Ok(())
}

async fn a_create_is_strict_if_asked(scene: &mut Scene) -> Outcome {
    let object = |name: &str| json!({"metadata": {"name": name, "bogus": 1}, "bogus": 2});
    for mode in ["Strict", "Warn", "Ignore"] {
        let name = mode.to_lowercase();
        let answer = scene.post(&format!("configmaps?fieldValidation={mode}"), &object(&name)).await?;
        scene.see(&format!("POST, {mode}"), warned(&answer), RECORDED);
    }
    scene.config_maps("a").await?;
    for mode in ["Strict", "Warn", "Ignore"] {
        let answer = scene.put(&format!("configmaps/a?fieldValidation={mode}"), &object("a")).await?;
        scene.see(&format!("PUT, {mode}"), warned(&answer), RECORDED);
    }
    Ok(())
}

async fn unknown_fields_are_warned_of_by_default(scene: &mut Scene) -> Outcome {
    let answer = scene.post("configmaps", &json!({"metadata": {"name": "a"}, "bogus": 1, "odd \"one\"": 2})).await?;
    scene.see("POST", warned(&answer), RECORDED);
    let answer = scene.merge("configmaps/a", &json!({"bogus": 1})).await?;
    scene.see("PATCH", warned(&answer), RECORDED);
    let answer = scene.post("configmaps?dryRun=All", &json!({"metadata": {"name": "b"}, "bogus": 1})).await?;
    scene.see("a dry run", warned(&answer), RECORDED);
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
        let answer = scene.post(&format!("{path}?fieldValidation={mode}"), &thing).await?;
        scene.see(&format!("POST, {mode}"), warned(&answer), RECORDED);
        scene.see(&format!("POST, {mode}: the spec"), &answer.json["spec"], RECORDED);
    }
    let change = json!({"spec": {"bogus": 1, "free": {"c": 1}}});
    for mode in ["Strict", "Warn", "Ignore"] {
        let answer =
            scene.with_body(Method::PATCH, &format!("{path}/warn?fieldValidation={mode}"), MERGE, &change).await?;
        scene.see(&format!("PATCH, {mode}"), outcome(&answer, true), RECORDED);
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
        let answer = scene.with_body(Method::PATCH, &format!("{path}/applied?fieldManager=m"), APPLY, &thing).await?;
        scene.see(&format!("apply of {what}"), answer.verdict(), RECORDED);
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
        let answer = scene.post(&path, &thing).await?;
        scene.see(&format!("POST of {what}"), answer.verdict(), RECORDED);
        let answer = scene.merge(&format!("{path}/warn"), &json!({"spec": spec})).await?;
        scene.see(&format!("PATCH to {what}"), answer.verdict(), RECORDED);
    }
    let mode = custom::thing(scene, "warn", &json!({"mode": "half"}));
    let answer = scene.with_body(Method::PATCH, &format!("{path}/warn?fieldManager=m"), APPLY, &mode).await?;
    scene.see("apply of another value", answer.verdict(), RECORDED);
    custom::remove(scene).await
}
