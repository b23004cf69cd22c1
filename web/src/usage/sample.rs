//! Sample: what a pod or node used when it was measured, and the amounts that it is a share of. Pure.

use informer::parse_rfc3339;
use kube_objects::quantity;
use serde_json::Value;

use crate::layout::Usage;

/// Measured usage, from an object of metrics.k8s.io.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sample {
    cpu: Option<f64>,
    memory: Option<f64>,
    /// Time of the measurement, in milliseconds since the Unix epoch.
    pub(super) at: Option<f64>,
    /// The period that it is the average of, as the server writes it: `15s`.
    pub(super) window: String,
}

impl Sample {
    /// Reads the metrics of a pod or node.
    pub(super) fn read(json: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(json).ok()?;
        let used = |usage: Usage| match value["containers"].as_array() {
            Some(containers) => sum(containers.iter().map(|container| &container["usage"][usage.name()])),
            None => quantity(&value["usage"][usage.name()]),
        };
        let window = value["window"].as_str().unwrap_or_default().to_owned();
        let at = value["timestamp"].as_str().and_then(parse_rfc3339);
        Some(Self { cpu: used(Usage::Cpu), memory: used(Usage::Memory), at, window })
    }

    /// Amount of a resource in its base unit.
    pub(super) fn used(&self, usage: Usage) -> Option<f64> {
        match usage {
            Usage::Cpu => self.cpu,
            Usage::Memory => self.memory,
        }
    }
}

/// Amounts that a usage is a share of.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Bound {
    /// Sum of the requests of the containers.
    pub(super) request: Option<f64>,
    /// Sum of the limits of the containers; `None` if one has no limit.
    pub(super) limit: Option<f64>,
    /// Capacity of a node.
    pub(super) capacity: Option<f64>,
}

/// Bounds of a pod or node.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bounds {
    cpu: Bound,
    memory: Bound,
    /// Time of the object's creation: an earlier sample is of another object of this name.
    pub(super) created: Option<f64>,
}

impl Bounds {
    /// Reads a pod or node.
    pub(super) fn read(json: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(json).ok()?;
        let created = value["metadata"]["creationTimestamp"].as_str().and_then(parse_rfc3339);
        Some(Self { cpu: bound(&value, Usage::Cpu), memory: bound(&value, Usage::Memory), created })
    }

    /// Bound of a resource.
    pub(super) fn of(&self, usage: Usage) -> Bound {
        match usage {
            Usage::Cpu => self.cpu,
            Usage::Memory => self.memory,
        }
    }
}

fn bound(object: &Value, usage: Usage) -> Bound {
    let name = usage.name();
    let capacity = quantity(&object["status"]["capacity"][name]);
    let spec = &object["spec"];
    let of_pod = |kind: &str| quantity(&spec["resources"][kind][name]);
    // Those that run as long as the pod: also sidecars, which are init containers that restart.
    let list = |field: &str| spec[field].as_array().map(Vec::as_slice).unwrap_or_default();
    let sidecars = list("initContainers").iter().filter(|container| container["restartPolicy"] == "Always");
    let containers: Vec<&Value> = list("containers").iter().chain(sidecars).collect();
    let amounts = |kind: &str| {
        containers.iter().map(|container| quantity(&container["resources"][kind][name])).collect::<Vec<_>>()
    };
    let requests = amounts("requests");
    let request = of_pod("requests").or_else(|| requests.iter().flatten().copied().reduce(|a, b| a + b));
    let limits = amounts("limits").into_iter().collect::<Option<Vec<f64>>>().filter(|limits| !limits.is_empty());
    let limit = of_pod("limits").or_else(|| limits.map(|limits| limits.iter().sum()));
    Bound { request, limit, capacity }
}

fn sum<'v>(values: impl Iterator<Item = &'v Value>) -> Option<f64> {
    values.map(quantity).collect::<Option<Vec<f64>>>().filter(|all| !all.is_empty()).map(|all| all.iter().sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pod_uses_what_its_containers_use() {
        let sample = Sample::read(
            r#"{"timestamp":"2026-01-01T00:00:00Z","window":"15s","containers":[
                {"usage":{"cpu":"100m","memory":"1Ki"}},{"usage":{"cpu":"25000000n","memory":"1Ki"}}]}"#,
        )
        .expect("metrics");
        assert!((sample.used(Usage::Cpu).expect("cores") - 0.125).abs() < 1e-9);
        assert_eq!(sample.used(Usage::Memory), Some(2048.0));
        assert_eq!((sample.at, &*sample.window), (Some(1_767_225_600_000.0), "15s"));
        let node = Sample::read(r#"{"usage":{"cpu":"1500m","memory":"2Gi"}}"#).expect("metrics");
        assert_eq!((node.used(Usage::Cpu), node.at), (Some(1.5), None));
    }

    #[test]
    fn other_json_has_no_usage() {
        for json in ["{}", "[]", "3", r#"{"containers":[]}"#, r#"{"containers":[{"usage":{"cpu":"a lot"}},3]}"#] {
            assert_eq!(Sample::read(json).and_then(|sample| sample.used(Usage::Cpu)), None, "{json}");
        }
        assert!(Sample::read("{").is_none() && Bounds::read("").is_none());
    }

    #[test]
    fn a_pod_has_a_limit_if_each_container_has_one() {
        let of = |spec: &str| Bounds::read(&[r#"{"spec":"#, spec, "}"].concat()).expect("a pod").of(Usage::Cpu);
        let both = r#"{"resources":{"requests":{"cpu":"100m"},"limits":{"cpu":"1"}}}"#;
        let bound = of(&format!(r#"{{"containers":[{both},{both}]}}"#));
        assert_eq!((bound.request, bound.limit, bound.capacity), (Some(0.2), Some(2.0), None));
        let bound = of(&format!(r#"{{"containers":[{both},{{}}]}}"#));
        assert_eq!((bound.request, bound.limit), (Some(0.1), None));
        let sidecar = both.replacen('{', r#"{"restartPolicy":"Always","#, 1);
        let bound = of(&format!(r#"{{"containers":[{both}],"initContainers":[{sidecar},{both}]}}"#));
        assert_eq!(bound.request, Some(0.2), "an init container that ends does not count");
        let bound = of(&format!(r#"{{"containers":[{both}],"resources":{{"requests":{{"cpu":"3"}}}}}}"#));
        assert_eq!((bound.request, bound.limit), (Some(3.0), Some(1.0)), "resources of the whole pod");
        assert_eq!(of("[]"), Bound::default());
        let node = Bounds::read(r#"{"status":{"capacity":{"cpu":"4","memory":"8Gi"}}}"#).expect("a node");
        assert_eq!(node.of(Usage::Memory).capacity, Some(8_589_934_592.0));
    }
}
