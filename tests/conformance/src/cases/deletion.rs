//! Deletion: in steps for pods and for objects with finalizers.

use reqwest::Method;
use serde_json::json;

use crate::case::{Case, cases};
use crate::halt::Outcome;
use crate::scene::Scene;
use crate::words;

pub(crate) const CASES: &[Case] = cases!["deletion":
    of_a_config_map_is_a_status, of_a_pod_on_a_node_has_grace, of_a_pod_without_a_node_is_immediate,
    waits_for_finalizers, keeps_to_its_preconditions, of_a_collection_selects,
];

async fn of_a_config_map_is_a_status(scene: &mut Scene) -> Outcome {
    scene.config_maps("a").await?;
    let deleted = scene.delete("configmaps/a").await?;
    scene.check("code", deleted.status, 200);
    scene.check("answer", format!("{} {}", deleted.json["kind"], deleted.json["status"]), r#""Status" "Success""#);
    scene.check("details", words::keys(&deleted.json["details"]), "kind name uid");
    scene.check(
        "again",
        scene.delete("configmaps/a").await?.summary(),
        r#"404 NotFound: configmaps "a" not found {kind="configmaps" name="a"}"#,
    );
    Ok(())
}

async fn of_a_pod_on_a_node_has_grace(scene: &mut Scene) -> Outcome {
    let pod = json!({"metadata": {"name": "a"}, "spec": {"nodeName": "no-such-node", "containers": [{"name": "c", "image": "i"}]}});
    let version = words::version(&scene.create("pods", &pod).await?);
    let mut watch = scene.watch(&format!("pods?timeoutSeconds=10&resourceVersion={version}")).await?;
    let response = scene.delete("pods/a").await?;
    scene.check("answer", response.summary(), "200 Pod");
    let marked = watch.event().await?;
    scene.check("first", words::event(&marked), "MODIFIED a");
    scene.check("a time", marked["object"]["metadata"]["deletionTimestamp"].is_string(), true);
    scene.check("grace", &marked["object"]["metadata"]["deletionGracePeriodSeconds"], 30);
    scene.send(scene.request(Method::DELETE, "pods/a?gracePeriodSeconds=0")).await?.object()?;
    scene.check("what a kubelet does at last", watch.take(1).await?, "MODIFIED a");
    let gone = watch.event().await?;
    scene.check("then", words::event(&gone), "DELETED a");
    let (marked, gone) = (words::version(&marked["object"]), words::version(&gone["object"]));
    scene.check("a higher version", gone.parse::<u64>().ok() > marked.parse::<u64>().ok(), true);
    Ok(())
}

async fn of_a_pod_without_a_node_is_immediate(scene: &mut Scene) -> Outcome {
    let pod = json!({"metadata": {"name": "a"}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    let version = words::version(&scene.create("pods", &pod).await?);
    scene.check("answer", scene.delete("pods/a").await?.summary(), "200 Pod");
    let mut watch = scene.watch(&format!("pods?timeoutSeconds=1&resourceVersion={version}")).await?;
    scene.check("events", watch.rest().await?, "MODIFIED a, DELETED a, END");
    Ok(())
}

async fn waits_for_finalizers(scene: &mut Scene) -> Outcome {
    let object = json!({"metadata": {"name": "a", "finalizers": ["example.dev/hold"]}});
    let version = words::version(&scene.create("configmaps", &object).await?);
    let response = scene.delete("configmaps/a").await?;
    scene.check("answer", response.summary(), "200 ConfigMap");
    scene.check("still there", scene.get("configmaps").await?.names(), "a");
    scene.merge("configmaps/a", &json!({"metadata": {"finalizers": null}})).await?.object()?;
    scene.check("gone", scene.get("configmaps").await?.names(), "");
    let mut watch = scene.watch(&format!("configmaps?timeoutSeconds=1&resourceVersion={version}")).await?;
    scene.check("events", watch.rest().await?, "MODIFIED a, DELETED a, END");
    Ok(())
}

async fn keeps_to_its_preconditions(scene: &mut Scene) -> Outcome {
    scene.config_maps("a").await?;
    let options = json!({"preconditions": {"uid": "another"}});
    let refused = scene.with_body(Method::DELETE, "configmaps/a", "application/json", options).await?;
    scene.check("code and reason", format!("{} {}", refused.status, refused.json["reason"]), r#"409 "Conflict""#);
    Ok(())
}

async fn of_a_collection_selects(scene: &mut Scene) -> Outcome {
    scene.config_maps("a b c").await?;
    let response = scene.delete("configmaps?fieldSelector=metadata.name!%3Db").await?;
    scene.check("answer", response.summary(), "200 ConfigMapList");
    scene.check("what is left", scene.get("configmaps").await?.names(), "b");
    Ok(())
}
