//! Requests of actions: dry runs, server-side apply, scale, deletion with preconditions.

use reqwest::Method;
use serde_json::{Value, json};

use crate::case::{Case, cases};
use crate::halt::Outcome;
use crate::response::WholeResponse;
use crate::scene::{RECORDED, Scene};

pub(crate) const CASES: &[Case] = cases!["actions":
    a_dry_run_changes_nothing, apply_takes_no_field_of_another, apply_in_yaml_owns_what_it_names, scale_is_an_object,
    scale_takes_every_patch, deletion_keeps_to_its_conditions,
];

const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/NS/deployments";

async fn apply(scene: &Scene, path: &str, body: &str) -> Outcome<WholeResponse> {
    scene.with_body(Method::PATCH, path, "application/apply-patch+yaml", body).await
}

/// `manager operation subresource fields` of each owner.
fn owners(object: &Value) -> String {
    let entries = object["metadata"]["managedFields"].as_array().into_iter().flatten();
    let mut owners: Vec<String> = entries
        .map(|entry| {
            let text = |field: &str| entry[field].as_str().unwrap_or_default().to_owned();
            format!("{} {} {} {}", text("manager"), text("operation"), text("subresource"), entry["fieldsV1"])
        })
        .collect();
    owners.sort_unstable();
    owners.join(", ")
}

async fn a_dry_run_changes_nothing(scene: &mut Scene) -> Outcome {
    let version = scene.config_maps("a").await?;
    let made = scene.post("configmaps?dryRun=All", &json!({"metadata": {"name": "b"}, "data": {"k": "v"}})).await?;
    scene.check("created", format!("{} {}", made.status, made.json["data"]), r#"201 {"k":"v"}"#);
    scene.check("a uid", made.json["metadata"]["uid"].is_string(), true);
    scene.check("no version", &made.json["metadata"]["resourceVersion"], "null");
    let patched = scene.merge("configmaps/a?dryRun=All", &json!({"data": {"k": "w"}})).await?;
    scene.check("patched", format!("{} {}", patched.status, patched.json["data"]), r#"200 {"k":"w"}"#);
    scene.check("the old version", patched.version() == version, true);
    let put = scene.put("configmaps/a?dryRun=All", &json!({"metadata": {"name": "a"}, "data": {"k": "x"}})).await?;
    scene.check("updated", format!("{} {}", put.status, put.json["data"]), r#"200 {"k":"x"}"#);
    for (name, status) in [("a", 200), ("c", 201)] {
        let body = &format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}}}, data: {{k: z}}}}");
        let applied = apply(scene, &format!("configmaps/{name}?dryRun=All&fieldManager=m"), body).await?;
        scene.check(
            &format!("applied {name}"),
            format!("{} {}", applied.status, applied.json["data"]),
            format!(r#"{status} {{"k":"z"}}"#),
        );
    }
    scene.check("deleted", scene.delete("configmaps/a?dryRun=All").await?.status, 200);
    scene.check("left", scene.get("configmaps").await?.names().replace("kube-root-ca.crt", ""), "a");
    scene.check("as it was", scene.get("configmaps/a").await?.version() == version, true);
    let bad = scene.merge("configmaps/a?dryRun=Some", &json!({})).await?;
    scene.check("another word", bad.summary(), RECORDED);
    let invalid = scene.post("configmaps?dryRun=All", &json!({"metadata": {"name": "A"}})).await?;
    scene.check("invalid", invalid.summary(), RECORDED);
    Ok(())
}

async fn apply_takes_no_field_of_another(scene: &mut Scene) -> Outcome {
    let body = |k: &str, l: &str| {
        format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: a}}, data: {{k: '{k}', l: '{l}'}}}}")
    };
    scene.check("first", apply(scene, "configmaps/a?fieldManager=one", &body("1", "1")).await?.status, 201);
    let conflict = apply(scene, "configmaps/a?fieldManager=two", &body("2", "2")).await?;
    scene.check("two fields", conflict.summary(), RECORDED);
    scene.merge("configmaps/a?fieldManager=three", &json!({"data": {"l": "3"}})).await?.object()?;
    let conflict = apply(scene, "configmaps/a?fieldManager=two", &body("2", "2")).await?;
    // The order of the causes varies.
    scene.check("two owners", conflict.json["message"].as_str().unwrap_or_default(), RECORDED);
    scene.check("their causes", conflict.json["details"]["causes"].as_array().map_or(0, Vec::len), 2);
    let conflict = apply(scene, "configmaps/a?fieldManager=two&dryRun=All", &body("1", "2")).await?;
    scene.check("a dry run", conflict.summary(), RECORDED);
    let forced = apply(scene, "configmaps/a?fieldManager=two&force=true", &body("2", "2")).await?;
    scene.check("forced", format!("{} {}", forced.status, owners(&forced.json)), RECORDED);
    let unnamed = apply(scene, "configmaps/a", &body("2", "2")).await?;
    scene.check("no manager", unnamed.summary(), RECORDED);
    let nameless = "{apiVersion: v1, kind: ConfigMap, data: {k: '2'}}";
    let nameless = apply(scene, "configmaps/a?fieldManager=two", nameless).await?;
    scene.check("no name", nameless.summary(), RECORDED);
    let strange = apply(scene, "configmaps/a?fieldManager=two", "{apiVersion: v1, kind: ConfigMap, data: [").await?;
    scene.check("no YAML", strange.status, 400);
    Ok(())
}

async fn apply_in_yaml_owns_what_it_names(scene: &mut Scene) -> Outcome {
    let yaml = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: d\nspec:\n  replicas: 2\n  selector:\n    matchLabels: {a: b}\n  template:\n    metadata:\n      labels: {a: b}\n    spec:\n      containers:\n      - name: c\n        image: i:1\n        env:\n        - {name: X, value: '1'}\n        ports:\n        - containerPort: 80\n";
    let path = format!("{DEPLOYMENTS}/d?fieldManager=me");
    let made = apply(scene, &path, yaml).await?;
    scene.check("owners", format!("{} {}", made.status, owners(&made.json)), RECORDED);
    let conflict =
        apply(scene, &format!("{DEPLOYMENTS}/d?fieldManager=you"), &yaml.replace("i:1", "i:2").replace("'1'", "'2'"))
            .await?;
    scene.check("conflicts", conflict.summary(), RECORDED);
    scene
        .merge(&format!("{DEPLOYMENTS}/d/scale?fieldManager=scaler"), &json!({"spec": {"replicas": 4}}))
        .await?
        .object()?;
    let scaled = apply(scene, &path, yaml).await?;
    scene.check("scaled by another", scaled.summary(), RECORDED);
    let now = scene.get(&format!("{DEPLOYMENTS}/d")).await?.object()?;
    scene.check(
        "owners after scaling",
        owners(&now).contains(r#"scaler Update scale {"f:spec":{"f:replicas":{}}}"#),
        true,
    );
    let yaml = &yaml.replace("replicas: 2", "replicas: 4");
    let fewer = apply(scene, &path, &yaml.replace("        env:\n        - {name: X, value: '1'}\n", "")).await?;
    scene.check("less", &fewer.json["spec"]["template"]["spec"]["containers"][0]["env"], "null");
    Ok(())
}

/// A deployment of two replicas.
async fn deployment(scene: &Scene) -> Outcome {
    let template = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    let spec = json!({"replicas": 2, "selector": {"matchLabels": {"a": "b"}}, "template": template});
    scene.create(DEPLOYMENTS, &json!({"metadata": {"name": "d"}, "spec": spec})).await?;
    Ok(())
}

/// A Scale without the fields that differ between runs.
fn plain(response: &WholeResponse) -> String {
    let mut scale = response.json.clone();
    if scale["kind"] != "Scale" {
        return response.summary();
    }
    if let Some(metadata) = scale["metadata"].as_object_mut() {
        metadata.retain(|name, _| matches!(name.as_str(), "name" | "namespace"));
    }
    format!("{} {scale}", response.status)
}

async fn scale_is_an_object(scene: &mut Scene) -> Outcome {
    deployment(scene).await?;
    let path = format!("{DEPLOYMENTS}/d/scale");
    scene.check("get", plain(&scene.get(&path).await?), RECORDED);
    let mut scale = scene.get(&path).await?.object()?;
    scale["spec"]["replicas"] = json!(5);
    scene.check("put", plain(&scene.put(&path, &scale).await?), RECORDED);
    scene.check("an old version", scene.put(&path, &scale).await?.summary(), RECORDED);
    let dry = scene.merge(&format!("{path}?dryRun=All"), &json!({"spec": {"replicas": 9}})).await?;
    scene.check("a dry run", plain(&dry), RECORDED);
    scene.check("the deployment", &scene.get(&format!("{DEPLOYMENTS}/d")).await?.json["spec"]["replicas"], 5);
    scene.check("none", scene.get(&format!("{DEPLOYMENTS}/none/scale")).await?.summary(), RECORDED);
    let negative = scene.merge(&path, &json!({"spec": {"replicas": -1}})).await?;
    scene.check("below 0", negative.summary(), RECORDED);
    scene.check("configmaps", scene.get("configmaps/a/scale").await?.status, 404);
    Ok(())
}

async fn scale_takes_every_patch(scene: &mut Scene) -> Outcome {
    deployment(scene).await?;
    let path = format!("{DEPLOYMENTS}/d/scale");
    for (kind, body) in [
        ("application/merge-patch+json", r#"{"spec":{"replicas":3}}"#),
        ("application/strategic-merge-patch+json", r#"{"spec":{"replicas":4}}"#),
        ("application/json-patch+json", r#"[{"op":"replace","path":"/spec/replicas","value":6}]"#),
    ] {
        let response = scene.with_body(Method::PATCH, &path, kind, body).await?;
        scene.check(kind, format!("{} {}", response.status, response.json["spec"]), RECORDED);
    }
    Ok(())
}

async fn deletion_keeps_to_its_conditions(scene: &mut Scene) -> Outcome {
    scene.config_maps("a b").await?;
    let a = scene.get("configmaps/a").await?.object()?;
    let delete =
        async |path: &str, options: Value| scene.with_body(Method::DELETE, path, "application/json", options).await;
    let other = delete("configmaps/a", json!({"preconditions": {"uid": "other"}})).await?;
    let uid = a["metadata"]["uid"].as_str().unwrap_or_default();
    let conflict = other.summary().replace(uid, "UID");
    let version = a["metadata"]["resourceVersion"].as_str().unwrap_or_default();
    let stale = delete("configmaps/a", json!({"preconditions": {"resourceVersion": "1"}})).await?;
    let stale = stale.summary().replace(version, "VERSION");
    let gone =
        delete("configmaps/a", json!({"preconditions": {"uid": uid}, "propagationPolicy": "Background"})).await?;
    let bad = delete("configmaps/b", json!({"propagationPolicy": "Sideways"})).await?;
    let negative = delete("configmaps/b", json!({"gracePeriodSeconds": -1})).await?;
    scene.check("another uid", conflict, RECORDED);
    scene.check("another version", stale, RECORDED);
    scene.check("as asked", format!("{} {}", gone.status, gone.json["status"]), r#"200 "Success""#);
    scene.check("no such policy", bad.summary(), RECORDED);
    scene.check("less than no grace", negative.status, RECORDED);
    Ok(())
}
