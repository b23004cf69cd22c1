//! Bodies of writes: the patches and objects that kubectl sends for the same command.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// `kubectl rollout restart`: a new pod template, because an annotation in it changed.
pub(super) fn restart(now: &str) -> Value {
    json!({ "spec": { "template": { "metadata": { "annotations": { "kubectl.kubernetes.io/restartedAt": now } } } } })
}

/// `kubectl rollout pause`, `kubectl rollout resume`.
pub(super) fn paused(paused: bool) -> Value {
    json!({ "spec": { "paused": paused } })
}

/// Suspends a `CronJob` or Job, or resumes it.
pub(super) fn suspended(suspended: bool) -> Value {
    json!({ "spec": { "suspend": suspended } })
}

/// `kubectl cordon`, `kubectl uncordon`.
pub(super) fn unschedulable(unschedulable: bool) -> Value {
    json!({ "spec": { "unschedulable": unschedulable } })
}

/// `kubectl create job --from=cronjob/…`: the Job of a `CronJob`'s template, owned by it. The server completes the
/// name.
pub(super) fn job(cron_job: &Value) -> Value {
    let template = &cron_job["spec"]["jobTemplate"];
    let metadata = &cron_job["metadata"];
    let name = metadata["name"].as_str().unwrap_or_default();
    let mut annotations = template["metadata"]["annotations"].as_object().cloned().unwrap_or_default();
    annotations.insert("cronjob.kubernetes.io/instantiate".to_owned(), "manual".into());
    json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "generateName": format!("{}-manual-", truncated(name, 48)),
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
fn truncated(name: &str, max: usize) -> &str {
    name.get(..max).unwrap_or(name).trim_end_matches(['-', '.'])
}

/// `kubectl rollout undo --to-revision`: a JSON patch that gives a workload the pod template of a revision, if its
/// template is still the `reviewed` one. The generation cannot be the precondition, because each scaling raises it.
pub(super) fn roll_back(reviewed: &Value, template: &Value) -> Value {
    json!([
        { "op": "test", "path": "/spec/template", "value": reviewed },
        { "op": "replace", "path": "/spec/template", "value": template },
    ])
}

/// Returns the entries common to all maps, and the keys that only some maps have or that differ in value.
pub(super) fn common(maps: &[Map<String, Value>]) -> (Map<String, Value>, Vec<String>) {
    let all = |(key, value): &(&String, &Value)| maps.iter().all(|map| map.get(*key) == Some(*value));
    let first = maps.first().into_iter().flatten();
    let common: Map<_, _> = first.filter(all).map(|(key, value)| (key.clone(), value.clone())).collect();
    let other: BTreeSet<_> = maps.iter().flat_map(Map::keys).filter(|key| !common.contains_key(*key)).collect();
    (common, other.into_iter().cloned().collect())
}

/// Typed labels or annotations.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Entries {
    set: Map<String, Value>,
    /// Keys of lines `key-`, as `kubectl label` removes them.
    removed: BTreeSet<String>,
}

impl Entries {
    /// Reads lines of `key=value` and of `key-`; the value is all that follows. The error names the line.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let mut entries = Self::default();
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let is_new = match line.split_once('=') {
                Some((key, value)) if !key.trim().is_empty() => {
                    let value = serde_json::from_str::<String>(value).unwrap_or_else(|_| value.to_owned());
                    entries.set.insert(key.trim().to_owned(), value.into()).is_none()
                }
                None if line.trim().len() > 1 && line.trim().ends_with('-') => {
                    entries.removed.insert(line.trim().trim_end_matches('-').to_owned())
                }
                _ => return Err(format!("Line {}: expected key=value, or key- to remove a key.", at + 1)),
            };
            let key = line.split('=').next().unwrap_or_default().trim().trim_end_matches('-');
            if !is_new || (entries.set.contains_key(key) && entries.removed.contains(key)) {
                return Err(format!("Line {}: duplicate key {key}.", at + 1));
            }
        }
        Ok(entries)
    }

    /// The merge patch from the entries `before` to these; null deletes a key.
    pub(super) fn patch(&self, before: &Map<String, Value>) -> Map<String, Value> {
        let gone = before.keys().filter(|key| !self.set.contains_key(*key)).chain(&self.removed);
        let gone = gone.map(|key| (key.clone(), Value::Null));
        let new = self.set.iter().filter(|(key, value)| before.get(*key) != Some(value));
        gone.chain(new.map(|(key, value)| (key.clone(), value.clone()))).collect()
    }
}

/// The lines that [`Entries::read`] reads. A value of several lines, or one in quotes, is written as JSON.
pub(super) fn print_entries(entries: &Map<String, Value>) -> String {
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
    fn a_revision_replaces_the_reviewed_template_only() {
        let (reviewed, template) = (json!({ "spec": { "a": 1, "b": null } }), json!({ "spec": { "a": 2 } }));
        let patch = roll_back(&reviewed, &template);
        assert_eq!(patch[0], json!({ "op": "test", "path": "/spec/template", "value": reviewed }));
        assert_eq!(patch[1], json!({ "op": "replace", "path": "/spec/template", "value": template }));
    }

    fn map(value: &Value) -> Map<String, Value> {
        value.as_object().cloned().expect("an object")
    }

    #[test]
    fn entries_are_changed_one_by_one() {
        let before = map(&json!({ "a": "1", "b": "2", "c": "3" }));
        let after = Entries::read("a=1\nb=4\nd=5\nelsewhere-\n").expect("readable");
        assert_eq!(Value::from(after.patch(&before)), json!({ "b": "4", "c": null, "d": "5", "elsewhere": null }));
    }

    #[test]
    fn several_objects_share_what_is_equal() {
        let maps = [map(&json!({ "app": "web", "tier": "1", "a": "x" })), map(&json!({ "app": "web", "tier": "2" }))];
        assert_eq!(common(&maps), (map(&json!({ "app": "web" })), vec!["a".to_owned(), "tier".to_owned()]));
        assert_eq!(common(&[]), (Map::new(), Vec::new()));
    }

    #[test]
    fn entries_are_read_as_they_are_printed() {
        let entries = map(&json!({ "a/b": "c=d", "empty": "", "lines": "x\ny", "quoted": "\"z\"", "end": "-" }));
        assert_eq!(Entries::read(&print_entries(&entries)).expect("readable").set, entries);
        let error = |text| Entries::read(text).expect_err("an error");
        assert_eq!(error("a=1\nb\n"), "Line 2: expected key=value, or key- to remove a key.");
        assert_eq!(error("-"), "Line 1: expected key=value, or key- to remove a key.");
        assert_eq!(error("a=1\n\na=2"), "Line 3: duplicate key a.");
        assert_eq!(error("a=1\na-"), "Line 2: duplicate key a.");
    }
}
