//! Computed cells of the Pod table.

use super::Cell;
use super::pod_summary::{Restarts, is_sidecar};
use super::read::{get_members, is_present, items, minute, ratio, string, text};
use super::subject::{Subject, condition};

pub(super) fn ready(pod: &Subject<'_, '_>, _: &str) -> Cell {
    let [_, spec, _] = *pod.sections();
    let [prepare, run] = get_members(spec, ["initContainers", "containers"]);
    let total = items(run).count() + items(prepare).filter(|container| is_sidecar(*container)).count();
    ratio(pod.pod().ready, i64::try_from(total).unwrap_or(i64::MAX))
}

pub(super) fn restarts(pod: &Subject<'_, '_>, _: &str) -> Cell {
    let Restarts { sum, last } = pod.pod().restarts;
    Cell::Restarts(sum as f64, if sum > 0 { last } else { None })
}

/// End time of the most recently terminated container, if any container has restarted.
fn restarted(pod: &Subject<'_, '_>) -> Option<f64> {
    let Restarts { sum, last } = pod.pod().restarts;
    last.filter(|_| sum > 0)
}

pub(super) fn last_restart(pod: &Subject<'_, '_>, _: &str) -> Cell {
    restarted(pod).map_or(Cell::None, Cell::Time)
}

pub(super) fn restart_minute(pod: &Subject<'_, '_>, _: &str) -> Cell {
    minute(restarted(pod))
}

pub(super) fn status(pod: &Subject<'_, '_>, _: &str) -> Cell {
    if is_present(pod.pointer("/metadata/deletionTimestamp")) {
        // The kubelet of a lost node cannot confirm that the pod has ended.
        if string(pod.pointer("/status/reason")) == "NodeLost" {
            return Cell::Text("Unknown".to_owned());
        }
        if !matches!(&*string(pod.pointer("/status/phase")), "Succeeded" | "Failed") {
            return Cell::Text("Terminating".to_owned());
        }
    }
    text(pod.pod().status.clone())
}

pub(super) fn readiness_gates(pod: &Subject<'_, '_>, _: &str) -> Cell {
    let (mut ready, mut total) = (0, 0);
    for gate in items(pod.pointer("/spec/readinessGates")) {
        total += 1;
        ready += i64::from(condition(pod, &string(gate.get("conditionType"))) == "True");
    }
    if total == 0 { Cell::None } else { ratio(ready, total) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use informer_packing::{Json, Outline};
    use serde_json::{Value, json};

    fn check(pod: &Value, expected: &str) {
        let text = pod.to_string();
        assert_eq!(status(&Subject::of(&Outline::of(Json::new(&text))), ""), super::text(expected.into()), "{pod}");
    }

    #[test]
    fn status_is_what_kubectl_prints() {
        check(&json!({"status": {"phase": "Running"}}), "Running");
        check(&json!({"status": {"phase": "Failed", "reason": "Evicted"}}), "Evicted");
        check(&json!({}), "");
        check(
            &json!({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}, "status": {"phase": "Running"}}),
            "Terminating",
        );
        let waiting = |reason| json!({"state": {"waiting": {"reason": reason}}});
        check(
            &json!({"status": {"phase": "Running", "containerStatuses": [waiting("CrashLoopBackOff")]}}),
            "CrashLoopBackOff",
        );
        let done = json!({"state": {"terminated": {"exitCode": 0, "reason": "Completed"}}});
        let running = json!({"ready": true, "state": {"running": {}}});
        check(&json!({"status": {"phase": "Succeeded", "containerStatuses": [done]}}), "Completed");
        check(&json!({"status": {"phase": "Running", "containerStatuses": [done, running]}}), "NotReady");
        check(
            &json!({"spec": {"initContainers": [{"name": "a"}, {"name": "b"}]},
                "status": {"phase": "Pending", "initContainerStatuses": [{"name": "a", "state": {"terminated": {"exitCode": 0}}}, {"name": "b", "state": {"running": {}}}]}}),
            "Init:1/2",
        );
        check(
            &json!({"status": {"phase": "Pending", "initContainerStatuses": [{"state": {"terminated": {"exitCode": 2}}}]}}),
            "Init:ExitCode:2",
        );
    }

    #[test]
    fn restarts_carry_the_last_one() {
        let pod = json!({"status": {"containerStatuses": [
            {"restartCount": 2, "lastState": {"terminated": {"finishedAt": "1970-01-01T00:00:01Z"}}},
            {"restartCount": 1, "lastState": {"terminated": {"finishedAt": "1970-01-01T00:00:02Z"}}}]}});
        let pod = pod.to_string();
        assert_eq!(restarts(&Subject::of(&Outline::of(Json::new(&pod))), ""), Cell::Restarts(3.0, Some(2000.0)));
    }

    #[test]
    fn restart_sum_saturates() {
        let pod =
            format!(r#"{{"status":{{"containerStatuses":[{0},{0}]}}}}"#, r#"{"restartCount":9223372036854775807}"#);
        assert_eq!(restarts(&Subject::of(&Outline::of(Json::new(&pod))), ""), Cell::Restarts(i64::MAX as f64, None));
    }

    #[test]
    fn ready_counts_sidecars() {
        let pod = json!({"spec": {"containers": [{}], "initContainers": [{"name": "s", "restartPolicy": "Always"}, {"name": "i"}]},
            "status": {"containerStatuses": [{"ready": true, "state": {"running": {}}}], "initContainerStatuses": [
                {"name": "i", "ready": true, "state": {"terminated": {"exitCode": 0}}},
                {"name": "s", "ready": true, "started": true, "state": {"running": {}}}]}});
        let pod = pod.to_string();
        assert_eq!(ready(&Subject::of(&Outline::of(Json::new(&pod))), ""), Cell::Text("2/2".into()));
    }
}
