//! `OpenAPI` v3 of custom kinds: what an editor needs to complete and check objects.

use serde_json::{Value, json};

use super::custom::{define_with, definition, group, remove};
use crate::case::{Case, cases};
use crate::halt::{Halt, Outcome};
use crate::scene::{RECORDED, Scene};
use crate::watch::STEP_TIMEOUT;
use crate::words;

pub(crate) const CASES: &[Case] = cases!["openapi":
    built_in_documents_are_listed; alone: a_custom_kind_has_a_document, a_document_follows_its_definition,
];

const INDEX: &str = "/openapi/v3";

/// Key of the group's document in the index.
fn key(scene: &Scene) -> String {
    format!("apis/{}/v1", group(scene))
}

fn schema() -> Value {
    json!({
        "type": "object", "description": "A thing.",
        "required": ["spec"],
        "properties": {
            "spec": {
                "type": "object", "required": ["size"],
                "properties": {
                    "size": {"type": "integer", "format": "int32", "minimum": 1, "maximum": 9, "description": "How large."},
                    "mode": {"type": "string", "enum": ["fast", "slow"], "default": "slow"},
                    "name": {"type": "string", "pattern": "^[a-z]+$", "maxLength": 8, "nullable": true},
                    "parts": {
                        "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
                        "items": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}},
                    },
                    "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                    "port": {"x-kubernetes-int-or-string": true},
                    "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
                    "template": {"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true},
                },
            },
            "status": {"type": "object", "properties": {"ready": {"type": "boolean"}}},
        },
    })
}

/// Waits until the index satisfies a condition. A real apiserver publishes documents some time after their definition.
async fn index_until(scene: &Scene, what: &str, fits: impl Fn(Option<&str>) -> bool) -> Outcome<String> {
    let key = key(scene);
    let deadline = tokio::time::Instant::now() + STEP_TIMEOUT;
    loop {
        let index = scene.get(INDEX).await?.object()?;
        let address = index["paths"][&key]["serverRelativeURL"].as_str();
        if fits(address) {
            return Ok(address.unwrap_or_default().to_owned());
        }
        if tokio::time::Instant::now() > deadline {
            return Err(Halt::Broken(format!("the index never {what}: {address:?}")));
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
}

/// The schemas of a document.
async fn schemas(scene: &Scene, address: &str) -> Outcome<Value> {
    Ok(scene.get(address).await?.object()?["components"]["schemas"].take())
}

/// Names of the schemas, without the case's group.
fn names(scene: &Scene, schemas: &Value) -> String {
    let mut names: Vec<String> =
        schemas.as_object().into_iter().flatten().map(|(name, _)| name.replace(&scene.namespace, "NS")).collect();
    names.sort_unstable();
    names.join(" ")
}

/// The schema of the kind: the one that its group, version and kind name.
fn of_kind<'a>(scene: &Scene, schemas: &'a Value, kind: &str) -> &'a Value {
    let wanted = json!({"group": group(scene), "version": "v1", "kind": kind});
    let mut all = schemas.as_object().into_iter().flatten().map(|(_, schema)| schema);
    let is = |schema: &&Value| {
        let kinds = schema["x-kubernetes-group-version-kind"].as_array();
        kinds.is_some_and(|kinds| kinds.contains(&wanted))
    };
    all.find(is).unwrap_or(&Value::Null)
}

async fn built_in_documents_are_listed(scene: &mut Scene) -> Outcome {
    let index = scene.get(INDEX).await?.object()?;
    scene.check("keys", words::keys(&index), "paths");
    for key in ["api/v1", "apis/apps/v1", "apis/apiextensions.k8s.io/v1", "apis/none.example.dev/v1"] {
        let url = index["paths"][key]["serverRelativeURL"].as_str().unwrap_or("-");
        let path = url.split('=').next().unwrap_or_default();
        scene.check(key, format!("{path} {}", words::keys(&index["paths"][key])), RECORDED);
    }
    let response = scene.get("/openapi/v3/apis/none.example.dev/v1").await?;
    scene.check("no group", response.summary(), RECORDED);
    Ok(())
}

async fn a_custom_kind_has_a_document(scene: &mut Scene) -> Outcome {
    let absent = scene.get(INDEX).await?.object()?;
    scene.check("before", absent["paths"].get(key(scene)).is_some(), false);
    define_with(
        scene,
        &schema(),
        &json!({"status": {}, "scale": {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"}}),
    )
    .await?;
    let address = index_until(scene, "had the group", |address| address.is_some()).await?;
    scene.check("address", address.split('=').next().unwrap_or_default(), format!("/openapi/v3/{}?hash", key(scene)));
    let response = scene.get(&address).await?;
    let document = response.json.clone();
    scene.check("content type", response.header("content-type"), RECORDED);
    scene.check("caching", response.header("cache-control"), RECORDED);
    scene.check("keys", words::keys(&document), RECORDED);
    scene.check("version", &document["openapi"], RECORDED);
    scene.check("paths", words::keys(&document["paths"]), RECORDED);
    for (path, operations) in document["paths"].as_object().into_iter().flatten() {
        scene.check(
            &format!("operations of {}", path.replace(&scene.namespace.clone(), "NS")),
            words::keys(operations),
            RECORDED,
        );
    }
    let all = &document["components"]["schemas"];
    scene.check("schemas", names(scene, all), RECORDED);
    let kind = of_kind(scene, all, "Thing").clone();
    scene.check("keys of the kind", words::keys(&kind), RECORDED);
    scene.check("description", &kind["description"], RECORDED);
    scene.check("required", &kind["required"], RECORDED);
    scene.check("its names", &kind["x-kubernetes-group-version-kind"], RECORDED);
    scene.check("fields", words::keys(&kind["properties"]), RECORDED);
    for field in ["apiVersion", "kind", "metadata", "status"] {
        scene.check(field, &kind["properties"][field], RECORDED);
    }
    for (field, schema) in kind["properties"]["spec"]["properties"].as_object().into_iter().flatten() {
        scene.check(&format!("spec.{field}"), schema, RECORDED);
    }
    let list = of_kind(scene, all, "ThingList");
    scene.check("list", list, RECORDED);
    let response = scene.get(&format!("/openapi/v3/{}", key(scene))).await?;
    scene.check("without a hash", response.json == document, true);
    scene.check("its caching", response.header("cache-control"), RECORDED);
    let response = scene.get(&format!("/openapi/v3/{}?hash=00", key(scene))).await?;
    scene.check("another hash", response.json == document, true);
    remove(scene).await
}

async fn a_document_follows_its_definition(scene: &mut Scene) -> Outcome {
    define_with(scene, &schema(), &json!({"status": {}})).await?;
    let first = index_until(scene, "had the group", |address| address.is_some()).await?;
    let mut changed = schema();
    changed["properties"]["spec"]["properties"]["colour"] = json!({"type": "string"});
    let patch = json!([{"op": "replace", "path": "/spec/versions/0/schema/openAPIV3Schema", "value": changed}]);
    let kind = "application/json-patch+json";
    scene.with_body(reqwest::Method::PATCH, &definition(scene), kind, patch).await?.object()?;
    let second = index_until(scene, "changed", |address| address.is_some_and(|address| address != first)).await?;
    let all = schemas(scene, &second).await?;
    let thing = of_kind(scene, &all, "Thing");
    scene.check("a new field", &thing["properties"]["spec"]["properties"]["colour"], json!({"type": "string"}));
    let patch = json!([{"op": "add", "path": "/spec/versions/-", "value": {
        "name": "v2", "served": true, "storage": false, "schema": {"openAPIV3Schema": schema()},
    }}]);
    scene.with_body(reqwest::Method::PATCH, &definition(scene), kind, patch).await?.object()?;
    let other = format!("apis/{}/v2", group(scene));
    let deadline = tokio::time::Instant::now() + STEP_TIMEOUT;
    while scene.get(&format!("/openapi/v3/{other}")).await?.status != 200 && tokio::time::Instant::now() < deadline {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let index = scene.get(INDEX).await?.object()?;
    scene.check("another version", index["paths"].get(&other).is_some(), true);
    remove(scene).await?;
    index_until(scene, "lost the group", |address| address.is_none()).await?;
    let response = scene.get(&format!("/openapi/v3/{}", key(scene))).await?;
    scene.check("gone", response.summary(), RECORDED);
    Ok(())
}
