//! Eviction: a deletion of a pod that its `PodDisruptionBudget` must allow, as in the real server's `EvictionREST`.

use serde_json::{Value, json};

use crate::delete::DeleteOptions;
use crate::label_selector::LabelSelector;
use crate::object::{Entry, child_mut};
use crate::status::Status;
use crate::store::Store;
use crate::write::{Part, now};
use crate::write_options::WriteOptions;

const BUDGETS: &str = "poddisruptionbudgets.policy";

/// Maximum number of evictions that a budget records without a controller that confirms them.
const MAX_DISRUPTED: usize = 2000;

/// Evicts a pod, if its budgets allow it.
pub(crate) fn evict(store: &Store, key: &str, options: &DeleteOptions) -> Result<(), Status> {
    let pod = store.state.lock().get("pods", key)?;
    let value = pod.value();
    let mut options = options.clone();
    // A pod that has ended, has not started or is being deleted is no disruption.
    let phase = value["status"]["phase"].as_str().unwrap_or_default();
    if pod.deleting || matches!(phase, "Succeeded" | "Failed" | "Pending") {
        return delete(store, key, &options);
    }
    let budgets = budgets(store, &pod)?;
    match &budgets[..] {
        [] => {}
        [budget] => {
            if guards(&pod, &budget.value()) {
                disrupt(store, &budget.key, &pod.name, options.dry_run)?;
            } else {
                // The pod must still not be ready when it is deleted.
                let version = options.preconditions.get_or_insert_default();
                version.resource_version.get_or_insert_with(|| pod.revision.to_string());
            }
        }
        _ => {
            let why =
                "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
            return Err(Status::unreasoned(why));
        }
    }
    delete(store, key, &options)
}

/// Returns the budgets that select a pod.
fn budgets(store: &Store, pod: &Entry) -> Result<Vec<std::sync::Arc<Entry>>, Status> {
    let (budgets, _) = store.snapshot(BUDGETS, None)?;
    let of_pod = |budget: &std::sync::Arc<Entry>| {
        budget.namespace == pod.namespace
            && LabelSelector::of(&budget.value()["spec"]["selector"])
                .is_some_and(|selector| selector.matches(&pod.labels))
    };
    Ok(budgets.into_values().filter(of_pod).collect())
}

/// Whether a budget counts a pod. A pod that is not ready may be evicted while enough others are ready.
fn guards(pod: &Entry, budget: &Value) -> bool {
    let status = &budget["status"];
    let number = |field: &str| status[field].as_i64().unwrap_or(0);
    let enough = number("currentHealthy") >= number("desiredHealthy") && number("desiredHealthy") > 0;
    pod.ready || !(budget["spec"]["unhealthyPodEvictionPolicy"] == "AlwaysAllow" || enough)
}

/// Takes one disruption from a budget, or returns the reason why none is left.
fn disrupt(store: &Store, key: &str, pod: &str, dry_run: bool) -> Result<(), Status> {
    let options = WriteOptions { dry_run, ..WriteOptions::default() };
    let taken = store.update_with_options(BUDGETS, key, Part::Status, &options, |_, mut budget| {
        let left = allowed(&budget)? - 1;
        let generation = budget["status"]["observedGeneration"].clone();
        let status = child_mut(&mut budget, "status");
        status.insert("disruptionsAllowed".to_owned(), left.into());
        let disrupted = status.entry("disruptedPods").or_insert_with(|| json!({}));
        disrupted[pod] = now().into();
        if left == 0 {
            let condition = json!({
                "type": "DisruptionAllowed", "status": "False", "observedGeneration": generation,
                "lastTransitionTime": now(), "reason": "InsufficientPods", "message": "",
            });
            set_condition(&mut budget, condition);
        }
        Ok(budget)
    });
    taken.map(drop)
}

/// Returns the number of disruptions that a budget allows; an error below one.
fn allowed(budget: &Value) -> Result<i64, Status> {
    let (name, status) = (budget["metadata"]["name"].as_str().unwrap_or_default(), &budget["status"]);
    let number = |field: &str| status[field].as_i64().unwrap_or(0);
    if number("observedGeneration") < budget["metadata"]["generation"].as_i64().unwrap_or(0) {
        let why = format!("The disruption budget {name} is still being processed by the server.");
        return Err(Status::too_many_disruptions(&why, 10));
    }
    let forbidden = |why: &str| Err(Status::forbidden("policy", "poddisruptionbudget", name, why));
    if number("disruptionsAllowed") < 0 {
        return forbidden("pdb disruptions allowed is negative");
    }
    if status["disruptedPods"].as_object().is_some_and(|pods| pods.len() > MAX_DISRUPTED) {
        return forbidden("DisruptedPods map too big - too many evictions not confirmed by PDB controller");
    }
    if number("disruptionsAllowed") > 0 {
        return Ok(number("disruptionsAllowed"));
    }
    let mut conditions = status["conditions"].as_array().into_iter().flatten();
    let condition =
        conditions.find(|condition| condition["type"] == "DisruptionAllowed" && condition["status"] == "False");
    let text = |field: &str| condition.and_then(|condition| condition[field].as_str()).unwrap_or_default();
    let (reason, message) = (text("reason"), text("message"));
    let (healthy, desired) = (number("currentHealthy"), number("desiredHealthy"));
    let why = if reason == "SyncFailed" && !message.is_empty() {
        format!("does not allow evicting pods currently because it failed sync: {message}")
    } else if healthy <= desired {
        format!("needs {desired} healthy pods and has {healthy} currently")
    } else if !message.is_empty() {
        format!("does not allow evicting pods currently ({reason}): {message}")
    } else {
        "does not allow evicting pods currently".to_owned()
    };
    Err(Status::too_many_disruptions(&format!("The disruption budget {name} {why}"), 0))
}

/// Records the eviction in the pod, then deletes it.
fn delete(store: &Store, key: &str, options: &DeleteOptions) -> Result<(), Status> {
    let mut options = options.clone();
    if !options.dry_run {
        let updated = store.update("pods", key, Part::Status, |_, mut pod| {
            options.check_identity("Pod", &pod["metadata"])?;
            let condition = json!({
                "type": "DisruptionTarget", "status": "True", "lastProbeTime": null, "lastTransitionTime": now(),
                "reason": "EvictionByEvictionAPI", "message": "Eviction API: evicting",
            });
            set_condition(&mut pod, condition);
            Ok(pod)
        })?;
        if let Some(version) = options.preconditions.as_mut().and_then(|wanted| wanted.resource_version.as_mut()) {
            *version = updated.revision.to_string();
        }
    }
    store.delete("pods", key, &options).map(drop)
}

/// Sets the condition of its type. An unchanged condition keeps its time.
fn set_condition(object: &mut Value, condition: Value) {
    let status = child_mut(object, "status");
    let conditions = status.entry("conditions").or_insert_with(|| json!([]));
    let Some(conditions) = conditions.as_array_mut() else { return };
    match conditions.iter_mut().find(|known| known["type"] == condition["type"]) {
        Some(known) if known["status"] == condition["status"] => {
            for field in ["reason", "message"] {
                known[field] = condition[field].clone();
            }
        }
        Some(known) => *known = condition,
        None => conditions.push(condition),
    }
}
