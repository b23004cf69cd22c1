//! Last log lines of containers that crashed, as evidence for the diagnosis of their pod or of its workload.

use std::sync::Arc;

use kube_objects::Log;
use leptos::prelude::*;
use serde_json::Value;
use wasm_bindgen_futures::spawn_local;

use super::related_objects::{NeedState, NeedStates};
use crate::client::Factory;
use crate::client::logs::{self, Batches};
use crate::client::record::Record;
use crate::cluster::Cluster;

/// Number of lines requested per container.
const TAIL_LINES: u32 = 10;

/// Workloads whose diagnosis includes that of their pods.
const WORKLOADS: &[(&str, &str)] = &[
    ("apps/", "Deployment"),
    ("apps/", "ReplicaSet"),
    ("apps/", "StatefulSet"),
    ("apps/", "DaemonSet"),
    ("batch/", "Job"),
];

/// Maximum number of containers whose lines are requested.
const MAX_CONTAINERS: usize = 3;

/// The end of a container's log.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::drawer) struct LastLines {
    /// Uid of the pod.
    pub(in crate::drawer) pod: String,
    pub(in crate::drawer) container: String,
    pub(in crate::drawer) lines: String,
}

impl LastLines {
    /// Converts the lines for the rules of the diagnosis.
    pub(in crate::drawer) fn as_log(&self) -> Log<'_> {
        Log { pod: &self.pod, container: &self.container, lines: &self.lines }
    }
}

/// A container whose last run failed.
#[derive(Clone, Debug, PartialEq)]
struct Crash {
    namespace: String,
    pod: String,
    uid: String,
    container: String,
    /// Whether the run that failed is the one before the current one.
    previous: bool,
    /// Number of restarts, which identifies a crash.
    restarts: i64,
}

impl Crash {
    /// Whether these lines belong to the container of the crash.
    fn matches(&self, lines: &LastLines) -> bool {
        (&self.uid, &self.container) == (&lines.pod, &lines.container)
    }
}

/// Current crashes, and reads of their lines: one per crash.
#[derive(Default)]
struct Reads(Vec<Crash>);

impl Reads {
    /// Sets the current crashes, and returns those whose lines must be read.
    fn update(&mut self, current_crashes: &[Crash]) -> Vec<Crash> {
        let before = std::mem::replace(&mut self.0, current_crashes.to_vec());
        current_crashes.iter().filter(|crash| !before.contains(crash)).cloned().collect()
    }

    /// Whether a crash is still current: its container may have crashed again, or recovered.
    fn is_current(&self, crash: &Crash) -> bool {
        self.0.contains(crash)
    }

    /// Records a failed read, which is repeated after the next change.
    fn fail(&mut self, crash: &Crash) {
        self.0.retain(|other| other != crash);
    }
}

/// Requests the lines when a container has crashed, once `needed`. Unreadable logs are omitted.
pub(super) fn follow(
    cluster: Cluster,
    object: Memo<Option<Arc<Value>>>,
    states: RwSignal<NeedStates>,
    needed: RwSignal<bool>,
) -> RwSignal<Vec<LastLines>> {
    let found = RwSignal::new(Vec::<LastLines>::new());
    let reads = StoredValue::new(Reads::default());
    let crashes = Memo::new(move |_| {
        object.with(|object| {
            let Some(object) = object.as_deref() else { return Vec::new() };
            states.with(|states| crashes_around(object, states))
        })
    });
    Effect::new(move || {
        if !needed.get() {
            return;
        }
        let current_crashes = crashes.get();
        let is_over = |lines: &LastLines| !current_crashes.iter().any(|crash| crash.matches(lines));
        if found.with_untracked(|found| found.iter().any(is_over)) {
            found.update(|found| found.retain(|lines| !is_over(lines)));
        }
        for crash in reads.try_update_value(|reads| reads.update(&current_crashes)).unwrap_or_default() {
            spawn_local(async move {
                let Some(lines) = read(&cluster.factory(), &crash).await else {
                    reads.try_update_value(|reads| reads.fail(&crash));
                    return;
                };
                let is_current = reads.try_with_value(|reads| reads.is_current(&crash)).unwrap_or(false);
                if lines.is_empty() || !is_current {
                    return;
                }
                found.try_update(|found| {
                    found.retain(|other| !crash.matches(other));
                    found.push(LastLines { pod: crash.uid, container: crash.container, lines });
                });
            });
        }
    });
    found
}

/// The crashes of a pod, or of the pods of a workload.
fn crashes_around(object: &Value, states: &NeedStates) -> Vec<Crash> {
    let text = |path: &str| object.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let (version, kind) = (text("/apiVersion"), text("/kind"));
    if (version, kind) == ("v1", "Pod") {
        return crashes(object).take(MAX_CONTAINERS).collect();
    }
    if !WORKLOADS.iter().any(|(group, other)| version.starts_with(group) && kind == *other) {
        return Vec::new();
    }
    let pods = states.iter().filter_map(|(need, state)| match state {
        NeedState::Found(objects) if need.group.is_empty() && need.kind == "Pod" => Some(objects),
        _ => None,
    });
    pods.flat_map(|pods| pods.iter()).flat_map(crashes).take(MAX_CONTAINERS).collect()
}

fn crashes(pod: &Value) -> impl Iterator<Item = Crash> {
    let text = |path: &str| pod.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
    let statuses = |list: &str| pod.pointer(list).and_then(Value::as_array).cloned().unwrap_or_default();
    let crash = |status: &Value| {
        let failed = |path: &str| status.pointer(path)?.get("exitCode")?.as_i64().filter(|code| *code != 0);
        let previous = status.pointer("/state/waiting").is_some() && failed("/lastState/terminated").is_some();
        (previous || failed("/state/terminated").is_some()).then(|| Crash {
            namespace: text("/metadata/namespace"),
            pod: text("/metadata/name"),
            uid: text("/metadata/uid"),
            container: status.get("name").and_then(Value::as_str).unwrap_or_default().to_owned(),
            previous,
            restarts: status.get("restartCount").and_then(Value::as_i64).unwrap_or(0),
        })
    };
    let all = [statuses("/status/initContainerStatuses"), statuses("/status/containerStatuses")];
    let found: Vec<Crash> = all.iter().flatten().filter_map(crash).collect();
    found.into_iter()
}

async fn read(factory: &Factory, crash: &Crash) -> Option<String> {
    let pod = logs::target("v1/pods", &crash.namespace, &crash.pod);
    let options =
        Record::new().with("container", &crash.container).with("previous", crash.previous).with("tail", TAIL_LINES);
    let batches = Batches::of(factory, &pod, options).ok()?;
    let mut lines = Vec::new();
    while let Some(batch) = batches.next().await.ok()? {
        if batch.lines() > 0 {
            lines.push(batch.texts());
        }
    }
    Some(lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_crash_is_read_once_and_an_older_one_does_not_count() {
        let crash = |uid: &str, restarts| Crash {
            namespace: "n".to_owned(),
            pod: uid.to_owned(),
            uid: uid.to_owned(),
            container: "main".to_owned(),
            previous: true,
            restarts,
        };
        let mut reads = Reads::default();
        assert_eq!(reads.update(&[crash("a", 1)]), [crash("a", 1)]);
        assert_eq!(reads.update(&[crash("a", 1), crash("b", 1)]), [crash("b", 1)], "a is read, or being read");
        assert_eq!(reads.update(&[crash("a", 2)]), [crash("a", 2)]);
        assert!(!reads.is_current(&crash("a", 1)), "a slow answer of the crash before");
        assert!(reads.is_current(&crash("a", 2)) && !reads.is_current(&crash("b", 1)));
        reads.fail(&crash("a", 2));
        assert_eq!(reads.update(&[crash("a", 2)]), [crash("a", 2)], "it could not be read");
    }

    #[test]
    fn a_container_that_crashed_has_last_lines() {
        let of = |status: Value| {
            let pod = json!({"apiVersion": "v1", "kind": "Pod", "status": {"containerStatuses": [status]}});
            crashes_around(&pod, &Vec::new()).iter().map(|crash| crash.previous).collect::<Vec<_>>()
        };
        let ended = |code: i64| json!({"terminated": {"exitCode": code}});
        let waits = json!({"waiting": {"reason": "CrashLoopBackOff"}});
        assert_eq!(of(json!({"name": "a", "state": waits, "lastState": ended(1)})), [true]);
        assert_eq!(of(json!({"name": "a", "state": ended(2)})), [false]);
        assert!(of(json!({"name": "a", "state": ended(0)})).is_empty());
        assert!(of(json!({"name": "a", "state": {"running": {}}, "lastState": ended(1)})).is_empty());
        assert!(crashes_around(&json!({"kind": 1, "status": []}), &Vec::new()).is_empty());
    }

    #[test]
    fn a_workload_has_the_last_lines_of_a_few_of_its_pods() {
        let pod = |uid: usize, code: i64| {
            let status = json!({"name": "a", "state": {"terminated": {"exitCode": code}}});
            json!({"metadata": {"uid": uid.to_string()}, "status": {"containerStatuses": [status]}})
        };
        let pods = NeedState::Found(Arc::new(vec![pod(0, 0), pod(1, 1), pod(2, 1), pod(3, 1), pod(4, 1)]));
        let deployment = json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"namespace": "n", "uid": "d"},
            "spec": {"selector": {"matchLabels": {"app": "a"}}},
        });
        let subject = kube_objects::Subject::new(&deployment, 0.0);
        let states: NeedStates = kube_objects::needs(&subject).into_iter().map(|need| (need, pods.clone())).collect();
        let uids =
            |object: &Value| crashes_around(object, &states).into_iter().map(|crash| crash.uid).collect::<Vec<_>>();
        assert_eq!(uids(&deployment), ["1", "2", "3"]);
        assert!(uids(&json!({"apiVersion": "v1", "kind": "Node"})).is_empty());
    }
}
