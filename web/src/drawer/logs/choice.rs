//! Selection of logs: containers, the current or previous run, start time, number of lines.

use informer::GroupVersionResource;
use kube_objects::{Edge, Relation};
use serde_json::Value;

/// Selection of an object's logs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Choice {
    /// Name of a container, `*` for all, or empty for the default one of each pod.
    pub(super) container: String,
    pub(super) previous: bool,
    pub(super) since: Since,
    /// Last lines of each container, or 0 for all.
    pub(super) tail: u32,
}

/// Time of the oldest line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Since {
    Any,
    /// Seconds before now.
    Seconds(u32),
    /// A point in time, in milliseconds since 1970.
    Time(f64),
}

impl Since {
    /// A choice of [`SINCE`].
    pub(super) fn of_seconds(seconds: u32) -> Self {
        if seconds == 0 { Self::Any } else { Self::Seconds(seconds) }
    }
}

impl Default for Choice {
    fn default() -> Self {
        Self { container: String::new(), previous: false, since: Since::Any, tail: 1000 }
    }
}

/// Choices of `since` in seconds, besides a time that the user enters; 0 is any time.
pub(super) const SINCE: [(u32, &str); 6] = [
    (0, "Any time"),
    (60, "Last minute"),
    (300, "Last 5 minutes"),
    (900, "Last 15 minutes"),
    (3600, "Last hour"),
    (86_400, "Last day"),
];

/// Choices of `tail`.
pub(super) const TAIL: [(u32, &str); 5] =
    [(100, "100 lines"), (1000, "1,000 lines"), (10_000, "10,000 lines"), (100_000, "100,000 lines"), (0, "All lines")];

const WITH_PODS: [(&str, &[&str]); 3] = [
    ("", &["pods", "services", "replicationcontrollers"]),
    ("apps", &["deployments", "replicasets", "statefulsets", "daemonsets"]),
    ("batch", &["jobs", "cronjobs"]),
];

/// Whether objects of a built-in kind have logs: pods, kinds that select pods, and cron jobs.
pub(crate) fn has_logs(resource: &GroupVersionResource) -> bool {
    WITH_PODS.iter().any(|(group, names)| *group == resource.group && names.contains(&resource.resource.as_str()))
}

/// Whether an object of another kind has logs: a workload, with a selector and a template of pods.
pub(in crate::drawer) fn is_workload(object: &Value) -> bool {
    let has = |path: &str| object.pointer(path).and_then(Value::as_object).is_some_and(|fields| !fields.is_empty());
    has("/spec/selector") && has("/spec/template/spec")
}

/// Whether objects of a resource may own pods without a selector for them. The rule is that of `isCustom` in the
/// package's `log-targets.js`: objects of Kubernetes's own API groups do not.
pub(in crate::drawer) fn may_own_pods(resource: &GroupVersionResource) -> bool {
    resource.group.contains('.') && !resource.group.ends_with(".k8s.io")
}

/// Whether the relations of an object contain a pod that it owns directly.
pub(in crate::drawer) fn own_pods(edges: &[Edge]) -> bool {
    let is_own = |edge: &Edge| (edge.relation, edge.depth) == (Relation::Owned, 1);
    edges.iter().any(|edge| is_own(edge) && edge.to.group.is_empty() && edge.to.kind == "Pod")
}

#[derive(serde::Deserialize)]
struct Object {
    spec: Option<Spec>,
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Spec {
    template: Option<Template>,
    job_template: Option<JobTemplate>,
    #[serde(flatten)]
    pod: PodSpec,
}

#[derive(serde::Deserialize)]
struct JobTemplate {
    spec: Option<JobSpec>,
}

#[derive(serde::Deserialize)]
struct JobSpec {
    template: Option<Template>,
}

#[derive(serde::Deserialize)]
struct Template {
    spec: Option<PodSpec>,
}

#[derive(Default, serde::Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct PodSpec {
    init_containers: Vec<Container>,
    containers: Vec<Container>,
    ephemeral_containers: Vec<Container>,
}

#[derive(serde::Deserialize)]
struct Container {
    name: String,
}

/// Names of the containers of a pod, or of a pod template. Empty for a Service.
pub(in crate::drawer) fn containers(json: &str) -> Vec<String> {
    let spec = serde_json::from_str::<Object>(json).ok().and_then(|object| object.spec);
    let Some(spec) = spec else { return Vec::new() };
    let of_job = spec.job_template.and_then(|job| job.spec).and_then(|spec| spec.template);
    let pod = spec.template.or(of_job).and_then(|template| template.spec).unwrap_or(spec.pod);
    let all = [pod.containers, pod.init_containers, pod.ephemeral_containers];
    all.into_iter().flatten().map(|container| container.name).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn containers_are_those_of_the_pod_or_its_template() {
        let pod = r#"{"spec":{"containers":[{"name":"app"}],"initContainers":[{"name":"init"}]}}"#;
        assert_eq!(containers(pod), ["app", "init"]);
        let deployment = r#"{"spec":{"replicas":2,"template":{"spec":{"containers":[{"name":"a"},{"name":"b"}]}}}}"#;
        assert_eq!(containers(deployment), ["a", "b"]);
        let cron_job = r#"{"spec":{"jobTemplate":{"spec":{"template":{"spec":{"containers":[{"name":"a"}]}}}}}}"#;
        assert_eq!(containers(cron_job), ["a"]);
        for other in [r#"{"spec":{"selector":{"a":"b"}}}"#, "{}", "x"] {
            assert!(containers(other).is_empty());
        }
    }

    #[test]
    fn kinds_with_pods_have_logs() {
        let of = |resource: &str| has_logs(&resource.parse().expect("a resource"));
        assert!(of("v1/pods") && of("apps/v1/deployments") && of("batch/v1/jobs") && of("v1/services"));
        assert!(of("batch/v1/cronjobs") && !of("v1/configmaps") && !of("example.com/v1/pods"));
    }

    #[test]
    fn custom_workloads_have_logs() {
        let of = |spec: Value| is_workload(&json!({ "spec": spec }));
        let template = json!({"spec": {"containers": []}});
        assert!(of(json!({"selector": {"matchLabels": {"app": "web"}}, "template": template})));
        // A ServiceMonitor selects services.
        assert!(!of(json!({"selector": {"matchLabels": {"app": "web"}}})));
        assert!(
            !of(json!({"selector": {}, "template": template}))
                && !of(json!({"selector": "app=web", "template": template}))
        );
        assert!(!of(Value::Null));
    }

    #[test]
    fn no_seconds_are_any_time() {
        assert_eq!((Since::of_seconds(0), Since::of_seconds(60)), (Since::Any, Since::Seconds(60)));
    }
}
