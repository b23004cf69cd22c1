//! Resources of a pod: its total request and its limit, as the scheduler and `kubectl describe node` count them.

use informer_packing::Json;

use super::Cell;
use super::pod_summary::is_sidecar;
use super::read::{get_members, items, member, scalar};
use super::subject::Subject;
use crate::value::Amount;

/// Requested amount or limit of a resource. The arguments are `requests` or `limits`, and the name of the resource.
/// Empty if neither the pod nor a container has one.
///
/// It is the larger of the sum of the containers and sidecars, and of the maximum of the init containers, each with the
/// sidecars that start before it. Resources of the whole pod replace it. The overhead is added, except to a missing
/// limit.
/// Source: `PodRequests` and `PodLimits` of k8s.io/component-helpers/resource.
pub(super) fn amount(pod: &Subject<'_, '_>, arguments: &str) -> Cell {
    let (list, name) = arguments.split_once(' ').unwrap_or((arguments, ""));
    let [_, spec, _] = *pod.sections();
    let [prepare, run, whole, overhead] = get_members(spec, ["initContainers", "containers", "resources", "overhead"]);
    let of_container = |container: Json<'_>| quantity(member(member(Some(container), "resources"), list), name);

    let mut running = items(run).fold(None, |sum, container| added(sum, of_container(container)));
    let (mut sidecars, mut starting) = (None, None);
    for container in items(prepare) {
        let own = of_container(container);
        let at_start = added(sidecars, own);
        if is_sidecar(container) {
            running = added(running, own);
            sidecars = at_start;
        }
        starting = starting.max(at_start);
    }
    let sum = quantity(member(whole, list), name).or(running.max(starting));
    let sum = if list == "requests" || sum.is_some() { added(sum, quantity(overhead, name)) } else { sum };
    sum.map_or(Cell::None, |sum| {
        let mut text = String::new();
        sum.write(&mut text);
        Cell::Text(text)
    })
}

fn quantity(list: Option<Json<'_>>, name: &str) -> Option<Amount> {
    Amount::parse(&scalar(member(list, name)?)?)
}

/// Sum of amounts; an unknown one adds nothing.
fn added(a: Option<Amount>, b: Option<Amount>) -> Option<Amount> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.plus(b)),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests {
    use informer_packing::Outline;
    use serde_json::{Value, json};

    use super::*;

    fn check(spec: &Value, expected: [&str; 2]) {
        let text = json!({ "spec": spec }).to_string();
        let outline = Outline::of(Json::new(&text));
        let pod = Subject::of(&outline);
        let read = |arguments| match amount(&pod, arguments) {
            Cell::Text(text) => text,
            cell => {
                assert_eq!(cell, Cell::None);
                String::new()
            }
        };
        assert_eq!([read("requests cpu"), read("limits cpu")], expected, "{spec}");
    }

    fn container(request: &str, limit: &str) -> Value {
        json!({"resources": {"requests": {"cpu": request, "memory": "1Gi"}, "limits": {"cpu": limit}}})
    }

    fn sidecar(request: &str) -> Value {
        json!({"restartPolicy": "Always", "resources": {"requests": {"cpu": request}}})
    }

    #[test]
    fn containers_and_sidecars_are_summed() {
        check(&json!({"containers": [container("500m", "1"), container("0.25", "2")]}), ["0.75", "3"]);
        check(&json!({"containers": [container("500m", "1")], "initContainers": [sidecar("100m")]}), ["0.6", "1"]);
        check(&json!({"containers": [{}, {"resources": {}}]}), ["", ""]);
        check(&json!({}), ["", ""]);
        check(&json!({"containers": [{"resources": {"requests": {"cpu": 2}}}]}), ["2", ""]);
    }

    #[test]
    fn the_largest_init_container_counts_if_it_needs_more_than_the_containers() {
        let run = json!([container("2", "2")]);
        check(&json!({"containers": run, "initContainers": [container("1", "9"), container("3", "4")]}), ["3", "9"]);
        check(&json!({"containers": run, "initContainers": [container("1", "1")]}), ["2", "2"]);
        // Beside an init container run the sidecars that started before it, not those after it.
        let before = json!([sidecar("1"), container("4", "4")]);
        check(&json!({"containers": run, "initContainers": before}), ["5", "4"]);
        let after = json!([container("4", "4"), sidecar("1")]);
        check(&json!({"containers": run, "initContainers": after}), ["4", "4"]);
    }

    #[test]
    fn resources_of_the_pod_replace_those_of_its_containers() {
        let spec = json!({
            "containers": [container("1", "2")], "initContainers": [container("9", "9")],
            "resources": {"requests": {"cpu": "4"}},
        });
        check(&spec, ["4", "9"]);
    }

    #[test]
    fn overhead_is_added_to_requests_and_to_limits_that_exist() {
        let overhead = json!({"cpu": "250m"});
        check(&json!({"containers": [container("1", "2")], "overhead": overhead}), ["1.25", "2.25"]);
        check(&json!({"containers": [{}], "overhead": overhead}), ["0.25", ""]);
    }

    #[test]
    fn a_value_that_is_no_quantity_adds_nothing() {
        check(&json!({"containers": [container("many", "[]"), container("1", "1")]}), ["1", "1"]);
        check(&json!({"containers": {"resources": []}, "initContainers": "x", "overhead": [1]}), ["", ""]);
    }
}
