//! Evictions and the budgets that forbid them.

use serde_json::{Value, json};

use crate::answer::Answer;
use crate::case::{Case, cases};
use crate::halt::Outcome;
use crate::scene::{RECORDED, Scene};

pub(crate) const CASES: &[Case] = cases!["evictions":
    budgets_are_kept, pods_without_a_budget_go, other_bodies_are_refused,
];

const BUDGETS: &str = "/apis/policy/v1/namespaces/NS/poddisruptionbudgets";

/// A ready pod on a node that is not there.
async fn pod(scene: &Scene, name: &str) -> Outcome {
    let spec = json!({"nodeName": "nowhere", "containers": [{"name": "c", "image": "i"}]});
    scene.make("pods", &json!({"metadata": {"name": name, "labels": {"a": "b"}}, "spec": spec})).await?;
    let status = json!({"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]});
    scene.merge(&format!("pods/{name}/status"), &json!({"status": status})).await?.object()?;
    Ok(())
}

async fn budget(scene: &Scene, name: &str) -> Outcome {
    let spec = json!({"minAvailable": 2, "selector": {"matchLabels": {"a": "b"}}});
    scene.make(BUDGETS, &json!({"metadata": {"name": name}, "spec": spec})).await?;
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

async fn evict(scene: &Scene, name: &str, query: &str) -> Outcome<Answer> {
    scene.post(&format!("pods/{name}/eviction{query}"), &json!({"metadata": {"name": name}})).await
}

async fn clean(scene: &Scene) -> Outcome {
    for name in ["a", "b", "c"] {
        scene.delete(&format!("pods/{name}?gracePeriodSeconds=0")).await?;
    }
    Ok(())
}

fn said(answer: &Answer) -> String {
    if answer.json["status"] == "Success" { format!("{} {}", answer.status, answer.json) } else { answer.verdict() }
}

async fn budgets_are_kept(scene: &mut Scene) -> Outcome {
    for name in ["a", "b", "c"] {
        pod(scene, name).await?;
    }
    budget(scene, "p").await?;
    let early = evict(scene, "a", "").await?;
    scene.see("not looked at", said(&early), RECORDED);
    scene.see("try again after", early.header("retry-after"), 10);
    allow(scene, 0, 2).await?;
    let answer = evict(scene, "a", "").await?;
    scene.see("needed", said(&answer), RECORDED);
    scene.see("try again", answer.header("retry-after"), "-");
    allow(scene, 1, 3).await?;
    scene.see("a dry run", said(&evict(scene, "a", "?dryRun=All").await?), RECORDED);
    scene.see("evicted", said(&evict(scene, "a", "").await?), RECORDED);
    let pod = scene.get("pods/a").await?.json;
    scene.see("going", pod["metadata"]["deletionTimestamp"].is_string(), true);
    let conditions = pod["status"]["conditions"].as_array().cloned().unwrap_or_default();
    let noted = conditions.iter().find(|one| one["type"] == "DisruptionTarget").cloned().unwrap_or_default();
    scene.see("noted", format!("{} {}", noted["reason"], noted["message"]), RECORDED);
    let left = scene.get(&format!("{BUDGETS}/p")).await?.json["status"].clone();
    scene.see("left", format!("{} {}", left["disruptionsAllowed"], left["disruptedPods"]["a"].is_string()), "0 true");
    scene.see("condition", &left["conditions"][0]["reason"], json!("InsufficientPods"));
    scene.see("no more", said(&evict(scene, "b", "").await?), RECORDED);
    budget(scene, "q").await?;
    scene.see("two budgets", said(&evict(scene, "b", "").await?), RECORDED);
    clean(scene).await
}

async fn pods_without_a_budget_go(scene: &mut Scene) -> Outcome {
    pod(scene, "a").await?;
    scene.see("no budget", said(&evict(scene, "a", "").await?), RECORDED);
    budget(scene, "p").await?;
    let waiting =
        json!({"metadata": {"name": "b", "labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    scene.make("pods", &waiting).await?;
    scene.see("pending", said(&evict(scene, "b", "").await?), RECORDED);
    scene.see("gone", scene.get("pods/b").await?.status, 404);
    pod(scene, "c").await?;
    let unready: Value = json!({"status": {"conditions": [{"type": "Ready", "status": "False"}]}});
    scene.merge("pods/c/status", &unready).await?.object()?;
    allow(scene, 0, 2).await?;
    scene.see("not ready, others are", said(&evict(scene, "c", "").await?), RECORDED);
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
        scene.see(what, scene.post(&format!("pods/a/eviction{query}"), &body).await?.verdict(), RECORDED);
    }
    scene.see("no pod", evict(scene, "none", "").await?.verdict(), RECORDED);
    scene.see("get", scene.get("pods/a/eviction").await?.verdict(), RECORDED);
    let old = json!({"kind": "Eviction", "apiVersion": "policy/v1beta1", "metadata": {"name": "a"}});
    scene.see("the older version", scene.post("pods/a/eviction", &old).await?.status, 201);
    clean(scene).await
}
