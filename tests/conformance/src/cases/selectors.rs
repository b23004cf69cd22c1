//! Selectors, on lists and on watches.

use serde_json::{Value, json};

use crate::case::{Case, cases};
use crate::halt::Outcome;
use crate::scene::Scene;
use crate::words;

pub(crate) const CASES: &[Case] = cases!["selectors":
    labels_select, fields_select, types_of_secrets_select, leaving_is_deletion, leaving_by_field_is_deletion,
    deletion_outside_is_silent,
];

async fn labelled(scene: &Scene, name: &str, labels: Value) -> Outcome<Value> {
    scene.create("configmaps", &json!({"metadata": {"name": name, "labels": labels}})).await
}

async fn labels_select(scene: &mut Scene) -> Outcome {
    labelled(scene, "a", json!({"app": "x", "tier": "front"})).await?;
    labelled(scene, "b", json!({"app": "y"})).await?;
    labelled(scene, "c", json!({"tier": "", "size": "10"})).await?;
    for (selector, expected) in [
        ("app%3Dx", "a"),
        ("app%3D%3Dx", "a"),
        ("app!%3Dx", "b c"),
        ("app", "a b"),
        ("!app", "c"),
        ("app in (x, y)", "a b"),
        ("app notin (x)", "b c"),
        ("app in (x),tier", "a"),
        ("tier%3D", "c"),
        ("size>9", "c"),
        ("size<9", ""),
        ("", "a b c"),
        ("app in ()", ""),
        ("app,!app", ""),
    ] {
        let list = scene.get(&format!("configmaps?labelSelector={selector}")).await?;
        scene.check(selector, list.names(), expected);
    }
    Ok(())
}

async fn fields_select(scene: &mut Scene) -> Outcome {
    scene.config_maps("a b c").await?;
    for (selector, expected) in [
        ("metadata.name%3Da", "a"),
        ("metadata.name%3D%3Da", "a"),
        ("metadata.name!%3Da", "b c"),
        ("metadata.name!%3Da,metadata.name!%3Db", "c"),
        ("metadata.name%3Da,metadata.name%3Db", ""),
        ("metadata.namespace%3DNS", "a b c"),
        ("metadata.namespace%3Dother", ""),
    ] {
        let asked = selector.replace("NS", &scene.namespace);
        let list = scene.get(&format!("configmaps?fieldSelector={asked}")).await?;
        scene.check(selector, list.names(), expected);
    }
    Ok(())
}

async fn types_of_secrets_select(scene: &mut Scene) -> Outcome {
    scene.create("secrets", &json!({"metadata": {"name": "a"}})).await?;
    scene.create("secrets", &json!({"metadata": {"name": "b"}, "type": "example.dev/mine"})).await?;
    scene.check("Opaque", scene.get("secrets?fieldSelector=type%3DOpaque").await?.names(), "a");
    scene.check("mine", scene.get("secrets?fieldSelector=type%3Dexample.dev/mine").await?.names(), "b");
    Ok(())
}

async fn leaving_is_deletion(scene: &mut Scene) -> Outcome {
    let version = words::version(&labelled(scene, "a", json!({"in": "yes"})).await?);
    let path = format!("configmaps?timeoutSeconds=10&labelSelector=in%3Dyes&resourceVersion={version}");
    let mut watch = scene.watch(&path).await?;
    let label = |value: &str| json!({"metadata": {"labels": {"in": value}}, "data": {"value": value}});
    let left = scene.merge("configmaps/a", &label("no")).await?.object()?;
    let event = watch.event().await?;
    scene.check("leaves", words::event(&event), "DELETED a");
    scene.check("its last matching state", &event["object"]["metadata"]["labels"], json!({"in": "yes"}));
    scene.check("the new version", words::version(&event["object"]) == words::version(&left), true);
    scene.merge("configmaps/a", &json!({"data": {"value": "unseen"}})).await?.object()?;
    scene.merge("configmaps/a", &label("yes")).await?.object()?;
    scene.check("comes back", watch.take(1).await?, "ADDED a");
    scene.touch("a", "inside").await?;
    scene.check("changes inside", watch.take(1).await?, "MODIFIED a");
    Ok(())
}

async fn leaving_by_field_is_deletion(scene: &mut Scene) -> Outcome {
    let pod = json!({"metadata": {"name": "a"}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    let version = words::version(&scene.create("pods", &pod).await?);
    let path = format!("pods?timeoutSeconds=10&fieldSelector=status.phase%3DPending&resourceVersion={version}");
    let mut watch = scene.watch(&path).await?;
    let running = scene.merge("pods/a/status", &json!({"status": {"phase": "Running"}})).await?.object()?;
    let event = watch.event().await?;
    scene.check("leaves", words::event(&event), "DELETED a");
    scene.check("its last matching state", &event["object"]["status"]["phase"], json!("Pending"));
    scene.check("the new version", words::version(&event["object"]) == words::version(&running), true);
    scene.check("running", scene.get("pods?fieldSelector=status.phase%3DRunning").await?.names(), "a");
    scene.check("on no node", scene.get("pods?fieldSelector=spec.nodeName%3D").await?.names(), "a");
    Ok(())
}

async fn deletion_outside_is_silent(scene: &mut Scene) -> Outcome {
    let version = words::version(&labelled(scene, "a", json!({"in": "no"})).await?);
    let path = format!("configmaps?timeoutSeconds=2&labelSelector=in%3Dyes&resourceVersion={version}");
    let mut watch = scene.watch(&path).await?;
    scene.delete("configmaps/a").await?.object()?;
    labelled(scene, "b", json!({"in": "yes"})).await?;
    scene.check("events", watch.rest().await?, "ADDED b, END");
    Ok(())
}
