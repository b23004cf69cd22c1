//! Evictions and the budgets that forbid them.

use serde_json::{Value, json};

use crate::case::{Case, cases};
use crate::halt::Outcome;
use crate::response::WholeResponse;
use crate::scene::{RECORDED, Scene};

pub(crate) const CASES: &[Case] = cases!["evictions":
    budgets_are_kept, pods_without_a_budget_go, other_bodies_are_refused,
];

const BUDGETS: &str = "/apis/policy/v1/namespaces/NS/poddisruptionbudgets";

/// A ready pod on a node that is not there.
async fn pod(scene: &Scene, name: &str) -> Outcome {
    let spec = json!({"nodeName": "nowhere", "containers": [{"name": "c", "image": "i"}]});
    scene.create("pods", &json!({"metadata": {"name": name, "labels": {"a": "b"}}, "spec": spec})).await?;
    let status = json!({"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]});
    scene.merge(&format!("pods/{name}/status"), &json!({"status": status})).await?.object()?;
    Ok(())
}

async fn budget(scene: &Scene, name: &str) -> Outcome {
    let spec = json!({"minAvailable": 2, "selector": {"matchLabels": {"a": "b"}}});
    scene.create(BUDGETS, &json!({"metadata": {"name": name}, "spec": spec})).await?;
    Ok(())
}

async fn allow(scene: &Scene, disruptions: i64, healthy: i64) -> Outcome {
    let status = json!({
        "observedGeneration": 1, "disruptionsAllowed": disruptions, "currentHealthy": healthy, "desiredHealthy": 2,
        "expectedPods": 3,
    });
    scene.merge(&format!("{BUDGETS}/p/status"), &json!({"status": status})).await?.object()?;
    Ok(())
}

async fn evict(scene: &Scene, name: &str, query: &str) -> Outcome<WholeResponse> {
    scene.post(&format!("pods/{name}/eviction{query}"), &json!({"metadata": {"name": name}})).await
}

async fn clean(scene: &Scene) -> Outcome {
    for name in ["a", "b", "c"] {
        scene.delete(&format!("pods/{name}?gracePeriodSeconds=0")).await?;
    }
    Ok(())
}

fn outcome(response: &WholeResponse) -> String {
    if response.json["status"] == "Success" {
        format!("{} {}", response.status, response.json)
    } else {
        response.summary()
    }
}

async fn budgets_are_kept(scene: &mut Scene) -> Outcome {
    for name in ["a", "b", "c"] {
        pod(scene, name).await?;
    }
    budget(scene, "p").await?;
    let early = evict(scene, "a", "").await?;
    scene.check("not looked at", outcome(&early), RECORDED);
    scene.check("try again after", early.header("retry-after"), 10);
    allow(scene, 0, 2).await?;
    let response = evict(scene, "a", "").await?;
    scene.check("needed", outcome(&response), RECORDED);
    scene.check("try again", response.header("retry-after"), "-");
    allow(scene, 1, 3).await?;
    scene.check("a dry run", outcome(&evict(scene, "a", "?dryRun=All").await?), RECORDED);
    scene.check("evicted", outcome(&evict(scene, "a", "").await?), RECORDED);
    let pod = scene.get("pods/a").await?.json;
    scene.check("going", pod["metadata"]["deletionTimestamp"].is_string(), true);
    let conditions = pod["status"]["conditions"].as_array().cloned().unwrap_or_default();
    let noted = conditions.iter().find(|one| one["type"] == "DisruptionTarget").cloned().unwrap_or_default();
    scene.check("noted", format!("{} {}", noted["reason"], noted["message"]), RECORDED);
    let left = scene.get(&format!("{BUDGETS}/p")).await?.json["status"].clone();
    scene.check("left", format!("{} {}", left["disruptionsAllowed"], left["disruptedPods"]["a"].is_string()), "0 true");
    scene.check("condition", &left["conditions"][0]["reason"], json!("InsufficientPods"));
    scene.check("no more", outcome(&evict(scene, "b", "").await?), RECORDED);
    budget(scene, "q").await?;
    scene.check("two budgets", outcome(&evict(scene, "b", "").await?), RECORDED);
    clean(scene).await
}

async fn pods_without_a_budget_go(scene: &mut Scene) -> Outcome {
    pod(scene, "a").await?;
    scene.check("no budget", outcome(&evict(scene, "a", "").await?), RECORDED);
    budget(scene, "p").await?;
    let waiting =
        json!({"metadata": {"name": "b", "labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    scene.create("pods", &waiting).await?;
    scene.check("pending", outcome(&evict(scene, "b", "").await?), RECORDED);
    scene.check("gone", scene.get("pods/b").await?.status, 404);
    pod(scene, "c").await?;
    let unready: Value = json!({"status": {"conditions": [{"type": "Ready", "status": "False"}]}});
    scene.merge("pods/c/status", &unready).await?.object()?;
    allow(scene, 0, 2).await?;
    scene.check("not ready, others are", outcome(&evict(scene, "c", "").await?), RECORDED);
    clean(scene).await
}

async fn other_bodies_are_refused(scene: &mut Scene) -> Outcome {
    pod(scene, "a").await?;
    for (what, body) in [
        ("another name", json!({"metadata": {"name": "b"}})),
        ("no name", json!({})),
        ("another kind", json!({"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "a"}})),
        ("another dry run", json!({"metadata": {"name": "a"}, "deleteOptions": {"dryRun": ["x"]}})),
    ] {
        let query = if what == "another dry run" { "?dryRun=All" } else { "" };
        scene.check(what, scene.post(&format!("pods/a/eviction{query}"), &body).await?.summary(), RECORDED);
    }
    scene.check("no pod", evict(scene, "none", "").await?.summary(), RECORDED);
    scene.check("get", scene.get("pods/a/eviction").await?.summary(), RECORDED);
    let old = json!({"kind": "Eviction", "apiVersion": "policy/v1beta1", "metadata": {"name": "a"}});
    scene.check("the older version", scene.post("pods/a/eviction", &old).await?.status, 201);
    clean(scene).await
}
