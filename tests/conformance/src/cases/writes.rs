//! Writes, as far as they affect lists and watches.

use reqwest::Method;
use serde_json::json;

use crate::case::{Case, cases};
use crate::halt::Outcome;
use crate::scene::{RECORDED, Scene};
use crate::words;

pub(crate) const CASES: &[Case] = cases!["writes":
    creation_is_201, patches_of_each_kind_apply, status_is_apart, generation_counts_changes_of_the_spec, dry_run_changes_nothing,
    apply_creates_and_owns, managed_fields_are_kept, scale_is_a_part,
];

async fn creation_is_201(scene: &mut Scene) -> Outcome {
    let response = scene.post("configmaps", &json!({"metadata": {"name": "a"}, "data": {"k": "v"}})).await?;
    scene.check("verdict", response.summary(), "201 ConfigMap");
    scene.check("keys", words::keys(&response.json), "apiVersion data kind metadata");
    Ok(())
}

async fn patches_of_each_kind_apply(scene: &mut Scene) -> Outcome {
    scene.create("configmaps", &json!({"metadata": {"name": "a"}, "data": {"one": "1", "two": "2"}})).await?;
    let merged = scene.merge("configmaps/a", &json!({"data": {"one": null, "three": "3"}})).await?.object()?;
    scene.check("merge", &merged["data"], json!({"three": "3", "two": "2"}));
    let patch = r#"[{"op": "replace", "path": "/data/two", "value": "II"}, {"op": "remove", "path": "/data/three"}]"#;
    let patched =
        scene.with_body(Method::PATCH, "configmaps/a", "application/json-patch+json", patch).await?.object()?;
    scene.check("JSON patch", &patched["data"], json!({"two": "II"}));
    let pod = json!({"metadata": {"name": "a"}, "spec": {"containers": [{"name": "c", "image": "i:1"}, {"name": "d", "image": "i:1"}]}});
    scene.create("pods", &pod).await?;
    let patch = json!({"spec": {"containers": [{"name": "d", "image": "i:2"}]}});
    let patched =
        scene.with_body(Method::PATCH, "pods/a", "application/strategic-merge-patch+json", patch).await?.object()?;
    let containers = patched["spec"]["containers"].as_array().cloned().unwrap_or_default();
    let images: Vec<String> =
        containers.iter().map(|container| format!("{}={}", container["name"], container["image"])).collect();
    scene.check("strategic merge", images.join(" "), r#""c"="i:1" "d"="i:2""#);
    Ok(())
}

async fn status_is_apart(scene: &mut Scene) -> Outcome {
    let pod = json!({"metadata": {"name": "a"}, "spec": {"containers": [{"name": "c", "image": "i"}]}, "status": {"phase": "Running"}});
    let made = scene.create("pods", &pod).await?;
    scene.check("not at creation", &made["status"]["phase"], json!("Pending"));
    let changed = scene.merge("pods/a", &json!({"status": {"phase": "Running"}})).await?.object()?;
    scene.check("not by the object", &changed["status"]["phase"], json!("Pending"));
    let changed = scene
        .merge("pods/a/status", &json!({"status": {"phase": "Running"}, "metadata": {"labels": {"x": "y"}}}))
        .await?
        .object()?;
    scene.check("by its own path", &changed["status"]["phase"], json!("Running"));
    let read = scene.get("pods/a/status").await?;
    scene.check("read", read.summary(), "200 Pod");
    Ok(())
}

async fn generation_counts_changes_of_the_spec(scene: &mut Scene) -> Outcome {
    let path = "/apis/apps/v1/namespaces/NS/deployments";
    let template =
        json!({"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [{"name": "c", "image": "i:1"}]}});
    let deployment = json!({"metadata": {"name": "a"}, "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "a"}}, "template": template}});
    let made = scene.create(path, &deployment).await?;
    scene.check("new", &made["metadata"]["generation"], 1);
    let labelled = scene.merge(&format!("{path}/a"), &json!({"metadata": {"labels": {"x": "y"}}})).await?.object()?;
    scene.check("a label", &labelled["metadata"]["generation"], 1);
    let scaled = scene.merge(&format!("{path}/a"), &json!({"spec": {"replicas": 2}})).await?.object()?;
    scene.check("the spec", &scaled["metadata"]["generation"], 2);
    Ok(())
}

async fn scale_is_a_part(scene: &mut Scene) -> Outcome {
    let path = "/apis/apps/v1/namespaces/NS/deployments";
    let template =
        json!({"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [{"name": "c", "image": "i:1"}]}});
    let deployment = json!({"metadata": {"name": "a"}, "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "a"}}, "template": template}});
    scene.create(path, &deployment).await?;
    let scale = scene.merge(&format!("{path}/a/scale"), &json!({"spec": {"replicas": 3}})).await?;
    scene.check("verdict", scale.summary(), "200 Scale");
    scene.check("deployment", &scene.get(&format!("{path}/a")).await?.json["spec"]["replicas"], 3);
    Ok(())
}

async fn dry_run_changes_nothing(scene: &mut Scene) -> Outcome {
    scene.config_maps("a").await?;
    let response = scene.send(scene.request(Method::DELETE, "configmaps/a?dryRun=Some")).await?;
    scene.check("nonsense", format!("{} {}", response.status, response.json["reason"]), r#"422 "Invalid""#);
    let response = scene.post("configmaps?dryRun=All", &json!({"metadata": {"name": "b"}})).await?;
    scene.check("answer", response.summary(), "201 ConfigMap");
    scene.check("what is there", scene.get("configmaps").await?.names(), "a");
    Ok(())
}

async fn apply_creates_and_owns(scene: &mut Scene) -> Outcome {
    let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"k": "v"}});
    let kind = "application/apply-patch+yaml";
    let response = scene.with_body(Method::PATCH, "configmaps/a", kind, &object).await?;
    scene.check(
        "without a manager",
        format!("{} {}", response.status, response.json["reason"].as_str().unwrap_or("-")),
        RECORDED,
    );
    let response = scene.with_body(Method::PATCH, "configmaps/a?fieldManager=mine", kind, &object).await?;
    scene.check("creates", response.summary(), "201 ConfigMap");
    let fields = &response.json["metadata"]["managedFields"][0];
    scene.check("owns", format!("{} {}", fields["manager"], fields["operation"]), r#""mine" "Apply""#);
    let response = scene.with_body(Method::PATCH, "configmaps/a?fieldManager=mine", kind, &object).await?;
    scene.check("again", response.summary(), "200 ConfigMap");
    Ok(())
}

async fn managed_fields_are_kept(scene: &mut Scene) -> Outcome {
    scene.create("configmaps?fieldManager=maker", &json!({"metadata": {"name": "a"}, "data": {"k": "v"}})).await?;
    let object = scene.get("configmaps/a").await?.object()?;
    let mut fields = object["metadata"]["managedFields"][0].clone();
    fields["time"] = json!("T");
    scene.check("fields", fields, RECORDED);
    Ok(())
}
