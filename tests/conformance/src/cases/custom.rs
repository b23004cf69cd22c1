//! Custom resources.

use reqwest::Method;
use serde_json::{Value, json};

use crate::case::{Case, cases};
use crate::halt::{Halt, Outcome};
use crate::response::WholeResponse;
use crate::scene::{RECORDED, Scene};
use crate::words;

pub(crate) const CASES: &[Case] = cases!["custom resources":
    ; alone: are_listed_and_watched, have_their_columns, have_their_status, have_a_scale_where_their_definition_says, leave_with_their_definition,
];

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

/// A group of the case's own.
pub(super) fn group(scene: &Scene) -> String {
    format!("{}.example.dev", scene.namespace)
}

pub(super) fn things(scene: &Scene) -> String {
    format!("/apis/{}/v1/namespaces/NS/things", group(scene))
}

/// Where their definition is.
pub(super) fn definition(scene: &Scene) -> String {
    format!("{DEFINITIONS}/things.{}", group(scene))
}

/// Defines `things`, with any fields, and waits until they are served.
pub(super) async fn define(scene: &Scene) -> Outcome {
    define_with(scene, &any_fields(), &json!({"status": {}})).await
}

/// A schema that allows any fields.
fn any_fields() -> Value {
    json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true})
}

/// Defines `things` of this schema, with these subresources, and waits until they are served.
pub(super) async fn define_with(scene: &Scene, schema: &Value, subresources: &Value) -> Outcome {
    let column = |name: &str, kind: &str, path: &str| json!({"name": name, "type": kind, "jsonPath": path});
    let definition = json!({
        "metadata": {"name": format!("things.{}", group(scene))},
        "spec": {
            "group": group(scene), "scope": "Namespaced",
            "names": {"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList", "shortNames": ["th"]},
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": subresources,
                "schema": {"openAPIV3Schema": schema},
                "additionalPrinterColumns": [
                    column("Size", "integer", ".spec.size"),
                    column("Ready", "string", ".status.conditions[?(@.type==\"Ready\")].status"),
                    column("Until", "date", ".spec.until"),
                ],
            }],
        },
    });
    scene.create(DEFINITIONS, &definition).await?;
    for _ in 0..200 {
        if scene.get(&things(scene)).await?.status == 200 {
            return Ok(());
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    Err(Halt::broken("the custom resource was never served"))
}

pub(super) async fn remove(scene: &Scene) -> Outcome {
    scene.delete(&definition(scene)).await?.object()?;
    Ok(())
}

pub(super) fn thing(scene: &Scene, name: &str, spec: &Value) -> Value {
    json!({"apiVersion": format!("{}/v1", group(scene)), "kind": "Thing", "metadata": {"name": name}, "spec": spec})
}

async fn are_listed_and_watched(scene: &mut Scene) -> Outcome {
    define(scene).await?;
    let path = things(scene);
    let made = scene.create(&path, &thing(scene, "a", &json!({"size": 1}))).await?;
    scene.check("generation", &made["metadata"]["generation"], 1);
    let list = scene.get(&path).await?;
    scene.check("list", list.summary(), "200 ThingList");
    // Unlike those of a built-in type.
    scene.check("keys of an item", words::keys(&list.json["items"][0]), "apiVersion kind metadata spec");
    let version = words::version(&made);
    let mut watch =
        scene.watch(&format!("{path}?timeoutSeconds=10&allowWatchBookmarks=true&resourceVersion={version}")).await?;
    let changed = scene.merge(&format!("{path}/a"), &json!({"spec": {"size": 2}})).await?.object()?;
    scene.check("next generation", &changed["metadata"]["generation"], 2);
    scene.delete(&format!("{path}/a")).await?.object()?;
    scene.check("events", watch.take(2).await?, "MODIFIED a, DELETED a");
    remove(scene).await
}

async fn have_their_columns(scene: &mut Scene) -> Outcome {
    define(scene).await?;
    let path = things(scene);
    scene.create(&path, &thing(scene, "a", &json!({"size": 1}))).await?;
    scene.create(&path, &thing(scene, "b", &json!({"size": "large"}))).await?;
    let table = scene.get_as(TABLE, &path).await?.object()?;
    scene.check(
        "table",
        words::table(&table),
        "Table [Name,Size,Ready,Until] a:PartialObjectMetadata b:PartialObjectMetadata",
    );
    scene.check("cells", &table["rows"][0]["cells"], r#"["a",1,null,null]"#);
    scene.check("of another type", &table["rows"][1]["cells"], RECORDED);
    remove(scene).await
}

async fn have_their_status(scene: &mut Scene) -> Outcome {
    define(scene).await?;
    let path = things(scene);
    let made = scene.create(&path, &json!({"apiVersion": format!("{}/v1", group(scene)), "kind": "Thing", "metadata": {"name": "a"}, "status": {"ready": true}})).await?;
    scene.check("not at creation", &made["status"], "null");
    let changed = scene
        .merge(&format!("{path}/a/status"), &json!({"status": {"ready": true}, "spec": {"size": 1}}))
        .await?
        .object()?;
    scene.check("by its own path", &changed["status"], json!({"ready": true}));
    scene.check("and nothing else", &changed["spec"], "null");
    scene.check("generation stays", &changed["metadata"]["generation"], 1);
    remove(scene).await
}

/// The numbers of a Scale, or the error.
fn numbers(response: &WholeResponse) -> String {
    match &response.json {
        scale if scale["kind"] == "Scale" => format!("{} {} {}", response.status, scale["spec"], scale["status"]),
        _ => response.summary(),
    }
}

async fn have_a_scale_where_their_definition_says(scene: &mut Scene) -> Outcome {
    let paths = json!({"specReplicasPath": ".spec.pool.size", "statusReplicasPath": ".status.pool.size", "labelSelectorPath": ".status.selector"});
    define_with(scene, &any_fields(), &json!({"status": {}, "scale": paths})).await?;
    let path = things(scene);
    let served = scene.get(&format!("/apis/{}/v1", group(scene))).await?.object()?;
    let served = served["resources"].as_array().into_iter().flatten().filter_map(|found| found["name"].as_str());
    let mut served: Vec<_> = served.collect();
    served.sort_unstable();
    scene.check("served", served.join(" "), "things things/scale things/status");
    let made = scene.create(&path, &thing(scene, "a", &json!({"pool": {"size": 3}}))).await?;
    let status = json!({"status": {"pool": {"size": 2}, "selector": "app=a"}});
    scene.merge(&format!("{path}/a/status"), &status).await?.object()?;
    let scale = format!("{path}/a/scale");
    scene.check("get", numbers(&scene.get(&scale).await?), r#"200 {"replicas":3} {"replicas":2,"selector":"app=a"}"#);
    let same = scene.get(&scale).await?.json["metadata"]["uid"] == made["metadata"]["uid"];
    scene.check("of the object", same, true);
    let patched = scene.merge(&scale, &json!({"spec": {"replicas": 5}})).await?;
    scene.check("merge", numbers(&patched), r#"200 {"replicas":5} {"replicas":2,"selector":"app=a"}"#);
    let other = scene.merge(&scale, &json!({"metadata": {"uid": "other"}, "spec": {"replicas": 6}})).await?;
    scene.check("the uid does not count", numbers(&other), r#"200 {"replicas":6} {"replicas":2,"selector":"app=a"}"#);
    let test = |uid: &Value| json!([{"op": "test", "path": "/metadata/uid", "value": uid}, {"op": "add", "path": "/spec/replicas", "value": 0}]);
    let json_patch = "application/json-patch+json";
    let refused = scene.with_body(Method::PATCH, &scale, json_patch, test(&json!("other"))).await?;
    scene.check("but in a test", refused.status, 422);
    let done = scene.with_body(Method::PATCH, &scale, json_patch, test(&made["metadata"]["uid"])).await?;
    scene.check("to zero", numbers(&done), r#"200 {} {"replicas":2,"selector":"app=a"}"#);
    let now = scene.get(&format!("{path}/a")).await?.object()?;
    scene.check("the object", &now["spec"], json!({"pool": {"size": 0}}));
    scene.check("generation", &now["metadata"]["generation"], 4);
    let mut whole = scene.get(&scale).await?.object()?;
    whole["spec"]["replicas"] = json!(8);
    scene.check(
        "put",
        numbers(&scene.put(&scale, &whole).await?),
        r#"200 {"replicas":8} {"replicas":2,"selector":"app=a"}"#,
    );
    let outdated = scene.put(&scale, &whole).await?;
    scene.check("an old version", outdated.status, 409);
    scene.create(&path, &thing(scene, "none", &json!({}))).await?;
    let scale = format!("{path}/none/scale");
    scene.check("without a number", scene.get(&scale).await?.summary(), RECORDED);
    let set = scene.merge(&scale, &json!({"spec": {"replicas": 1}})).await?;
    scene.check("which is set", numbers(&set), r#"200 {"replicas":1} {"replicas":0}"#);
    let empty = scene.merge(&scale, &json!({"spec": {"replicas": -1}})).await?;
    scene.check("below 0", empty.status, 422);
    remove(scene).await
}

async fn leave_with_their_definition(scene: &mut Scene) -> Outcome {
    define(scene).await?;
    let path = things(scene);
    let mut watch = scene.watch(&format!("{path}?timeoutSeconds=14")).await?;
    remove(scene).await?;
    scene.check("open watch", watch.rest().await?, "END");
    for _ in 0..100 {
        if scene.get(&path).await?.status == 404 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    scene.check("list", scene.get(&path).await?.summary(), "404 text/plain; charset=utf-8: 404 page not found");
    Ok(())
}
