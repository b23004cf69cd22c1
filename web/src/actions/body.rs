//! Bodies of writes: the patches and objects that kubectl sends for the same command.

use serde_json::{Map, Value, json};

/// `kubectl rollout restart`: a new pod template, because an annotation in it changed.
pub(crate) fn restart(now: &str) -> Value {
    json!({ "spec": { "template": { "metadata": { "annotations": { "kubectl.kubernetes.io/restartedAt": now } } } } })
}

/// `kubectl rollout pause`, `kubectl rollout resume`.
pub(crate) fn paused(paused: bool) -> Value {
    json!({ "spec": { "paused": paused } })
}

/// Suspends a `CronJob` or Job, or resumes it.
pub(crate) fn suspended(suspended: bool) -> Value {
    json!({ "spec": { "suspend": suspended } })
}

/// `kubectl cordon`, `kubectl uncordon`.
pub(crate) fn unschedulable(unschedulable: bool) -> Value {
    json!({ "spec": { "unschedulable": unschedulable } })
}

/// `kubectl create job --from=cronjob/…`: the Job of a `CronJob`'s template, owned by it. The server completes the name.
pub(crate) fn job(cron_job: &Value) -> Value {
    let template = &cron_job["spec"]["jobTemplate"];
    let metadata = &cron_job["metadata"];
    let name = metadata["name"].as_str().unwrap_or_default();
    let mut annotations = template["metadata"]["annotations"].as_object().cloned().unwrap_or_default();
    annotations.insert("cronjob.kubernetes.io/instantiate".to_owned(), "manual".into());
    json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "generateName": format!("{}-manual-", cut(name, 48)),
            "namespace": metadata["namespace"],
            "labels": template["metadata"]["labels"].as_object().cloned().unwrap_or_default(),
            "annotations": annotations,
            "ownerReferences": [{
                "apiVersion": "batch/v1",
                "kind": "CronJob",
                "name": name,
                "uid": metadata["uid"],
                "controller": true,
            }],
        },
        "spec": template["spec"],
    })
}

/// The name of a Job is a label, too, which has at most 63 characters. The server adds five.
fn cut(name: &str, most: usize) -> &str {
    name.get(..most).unwrap_or(name).trim_end_matches(['-', '.'])
}

/// `kubectl rollout undo --to-revision`: a JSON patch that gives a Deployment the pod template of one of its `ReplicaSets`,
/// if it is still the version that was reviewed.
pub(crate) fn roll_back(deployment: &Value, replica_set: &Value) -> Value {
    json!([
        { "op": "test", "path": "/metadata/resourceVersion", "value": deployment["metadata"]["resourceVersion"] },
        { "op": "replace", "path": "/spec/template", "value": template(replica_set) },
    ])
}

/// The pod template of a revision, without the label that only its `ReplicaSet` has.
pub(crate) fn template(of: &Value) -> Value {
    let mut template = of["spec"]["template"].clone();
    if let Some(labels) = template.pointer_mut("/metadata/labels").and_then(Value::as_object_mut) {
        labels.remove("pod-template-hash");
    }
    template
}

/// The revision of a Deployment or of one of its `ReplicaSets`.
pub(crate) fn revision(of: &Value) -> Option<u64> {
    of["metadata"]["annotations"]["deployment.kubernetes.io/revision"].as_str()?.parse().ok()
}

/// The patch from one set of labels or annotations to another: null deletes a key.
pub(crate) fn entries(before: &Map<String, Value>, after: &Map<String, Value>) -> Map<String, Value> {
    let gone = before.keys().filter(|key| !after.contains_key(*key)).map(|key| (key.clone(), Value::Null));
    let new = after.iter().filter(|(key, value)| before.get(*key) != Some(value));
    gone.chain(new.map(|(key, value)| (key.clone(), value.clone()))).collect()
}

/// Reads lines of `key=value`; the key may be quoted by nothing, and the value is all that follows. The error names the line.
pub(crate) fn read_entries(text: &str) -> Result<Map<String, Value>, String> {
    let mut entries = Map::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let Some((key, value)) = line.split_once('=').filter(|(key, _)| !key.trim().is_empty()) else {
            return Err(format!("Line {}: expected key=value.", at + 1));
        };
        let value = serde_json::from_str::<String>(value).unwrap_or_else(|_| value.to_owned());
        if entries.insert(key.trim().to_owned(), value.into()).is_some() {
            return Err(format!("Line {}: the key {} is there twice.", at + 1, key.trim()));
        }
    }
    Ok(entries)
}

/// The lines that [`read_entries`] reads. A value of several lines, or one in quotes, is written as JSON.
pub(crate) fn print_entries(entries: &Map<String, Value>) -> String {
    let line = |(key, value): (&String, &Value)| {
        let value = value.as_str().unwrap_or_default();
        let is_plain = !value.starts_with('"') && !value.contains(['\n', '\r']);
        let value = if is_plain { value.to_owned() } else { Value::from(value).to_string() };
        format!("{key}={value}\n")
    };
    entries.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_made_as_kubectl_makes_it() {
        let cron_job = json!({
            "metadata": { "name": "backup", "namespace": "shop", "uid": "u-1" },
            "spec": { "schedule": "* * * * *", "jobTemplate": {
                "metadata": { "labels": { "app": "backup" }, "annotations": { "a": "b" } },
                "spec": { "template": { "spec": {} } },
            } },
        });
        let job = job(&cron_job);
        assert_eq!(job["metadata"]["generateName"], "backup-manual-");
        assert_eq!(job["metadata"]["annotations"], json!({ "a": "b", "cronjob.kubernetes.io/instantiate": "manual" }));
        assert_eq!(job["metadata"]["ownerReferences"][0]["uid"], "u-1");
        assert_eq!(job["spec"], cron_job["spec"]["jobTemplate"]["spec"]);
    }

    #[test]
    fn the_name_of_a_job_fits_into_a_label() {
        let job = job(&json!({ "metadata": { "name": "x".repeat(52) } }));
        assert!(job["metadata"]["generateName"].as_str().is_some_and(|name| name.len() + 5 <= 63));
    }

    #[test]
    fn a_revision_comes_back_without_its_hash() {
        let set = json!({ "spec": { "template": { "metadata": { "labels": { "app": "web", "pod-template-hash": "5f" } } } } });
        let patch = roll_back(&json!({ "metadata": { "resourceVersion": "7" } }), &set);
        assert_eq!(patch[0]["value"], "7");
        assert_eq!(patch[1]["value"], json!({ "metadata": { "labels": { "app": "web" } } }));
    }

    #[test]
    fn entries_are_changed_one_by_one() {
        let map = |value: Value| value.as_object().cloned().expect("an object");
        let patch =
            entries(&map(json!({ "a": "1", "b": "2", "c": "3" })), &map(json!({ "a": "1", "b": "4", "d": "5" })));
        assert_eq!(Value::from(patch), json!({ "b": "4", "c": null, "d": "5" }));
    }

    #[test]
    fn entries_are_read_as_they_are_printed() {
        let text = json!({ "a/b": "c=d", "empty": "", "lines": "x\ny", "quoted": "\"z\"" });
        let entries = text.as_object().expect("an object");
        assert_eq!(read_entries(&print_entries(entries)).as_ref(), Ok(entries));
        assert_eq!(read_entries("a=1\nb\n"), Err("Line 2: expected key=value.".to_owned()));
        assert_eq!(read_entries("a=1\n\na=2"), Err("Line 3: the key a is there twice.".to_owned()));
    }
}
