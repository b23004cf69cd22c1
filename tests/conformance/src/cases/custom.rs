//! Custom resources.

use serde_json::{Value, json};

use crate::case::{Case, cases};
use crate::halt::{Halt, Outcome};
use crate::scene::{RECORDED, Scene};
use crate::words;

pub(crate) const CASES: &[Case] = cases!["custom resources":
    ; alone: are_listed_and_watched, have_their_columns, have_their_status, leave_with_their_definition,
];

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

/// A group of the case's own.
fn group(scene: &Scene) -> String {
    format!("{}.example.dev", scene.namespace)
}

pub(super) fn things(scene: &Scene) -> String {
    format!("/apis/{}/v1/namespaces/NS/things", group(scene))
}

/// Where their definition is.
pub(super) fn definition(scene: &Scene) -> String {
    format!("{DEFINITIONS}/things.{}", group(scene))
}

/// Defines `things` and waits until they are served.
pub(super) async fn define(scene: &Scene) -> Outcome {
    let column = |name: &str, kind: &str, path: &str| json!({"name": name, "type": kind, "jsonPath": path});
    let definition = json!({
        "metadata": {"name": format!("things.{}", group(scene))},
        "spec": {
            "group": group(scene), "scope": "Namespaced",
            "names": {"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList", "shortNames": ["th"]},
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
                "additionalPrinterColumns": [
                    column("Size", "integer", ".spec.size"),
                    column("Ready", "string", ".status.conditions[?(@.type==\"Ready\")].status"),
                    column("Until", "date", ".spec.until"),
                ],
            }],
        },
    });
    scene.make(DEFINITIONS, &definition).await?;
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
    let made = scene.make(&path, &thing(scene, "a", &json!({"size": 1}))).await?;
    scene.see("generation", &made["metadata"]["generation"], 1);
    let list = scene.get(&path).await?;
    scene.see("list", list.verdict(), "200 ThingList");
    // Unlike those of a built-in type.
    scene.see("keys of an item", words::keys(&list.json["items"][0]), "apiVersion kind metadata spec");
    let version = words::version(&made);
    let mut watch =
        scene.watch(&format!("{path}?timeoutSeconds=10&allowWatchBookmarks=true&resourceVersion={version}")).await?;
    let changed = scene.merge(&format!("{path}/a"), &json!({"spec": {"size": 2}})).await?.object()?;
    scene.see("next generation", &changed["metadata"]["generation"], 2);
    scene.delete(&format!("{path}/a")).await?.object()?;
    scene.see("events", watch.take(2).await?, "MODIFIED a, DELETED a");
    remove(scene).await
}

async fn have_their_columns(scene: &mut Scene) -> Outcome {
    define(scene).await?;
    let path = things(scene);
    scene.make(&path, &thing(scene, "a", &json!({"size": 1}))).await?;
    scene.make(&path, &thing(scene, "b", &json!({"size": "large"}))).await?;
    let table = scene.get_as(TABLE, &path).await?.object()?;
    scene.see(
        "table",
        words::table(&table),
        "Table [Name,Size,Ready,Until] a:PartialObjectMetadata b:PartialObjectMetadata",
    );
    scene.see("cells", &table["rows"][0]["cells"], r#"["a",1,null,null]"#);
    scene.see("of another type", &table["rows"][1]["cells"], RECORDED);
    remove(scene).await
}

async fn have_their_status(scene: &mut Scene) -> Outcome {
    define(scene).await?;
    let path = things(scene);
    let made = scene.make(&path, &json!({"apiVersion": format!("{}/v1", group(scene)), "kind": "Thing", "metadata": {"name": "a"}, "status": {"ready": true}})).await?;
    scene.see("not at creation", &made["status"], "null");
    let changed = scene
        .merge(&format!("{path}/a/status"), &json!({"status": {"ready": true}, "spec": {"size": 1}}))
        .await?
        .object()?;
    scene.see("by its own path", &changed["status"], json!({"ready": true}));
    scene.see("and nothing else", &changed["spec"], "null");
    scene.see("generation stays", &changed["metadata"]["generation"], 1);
    remove(scene).await
}

async fn leave_with_their_definition(scene: &mut Scene) -> Outcome {
    define(scene).await?;
    let path = things(scene);
    let mut watch = scene.watch(&format!("{path}?timeoutSeconds=14")).await?;
    remove(scene).await?;
    scene.see("open watch", watch.rest().await?, "END");
    for _ in 0..100 {
        if scene.get(&path).await?.status == 404 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    scene.see("list", scene.get(&path).await?.verdict(), "404 text/plain; charset=utf-8: 404 page not found");
    Ok(())
}
