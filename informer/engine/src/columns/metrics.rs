//! Computed cell of the HorizontalPodAutoscaler table: the metrics, as kubectl prints them.

use informer_packing::Json;

use super::Cell;
use super::read::{TruncatedList, items, member, string};
use super::subject::Subject;

/// Maximum number of metrics shown.
const MAX_SHOWN: usize = 2;

/// Current and target value of each metric: `cpu: 42%/80%, 7/10 (avg)`.
pub(super) fn targets(autoscaler: &Subject<'_, '_>, _: &str) -> Cell {
    let mut statuses = items(autoscaler.pointer("/status/currentMetrics"));
    let mut list = TruncatedList::new(MAX_SHOWN, ", ");
    for metric in items(autoscaler.pointer("/spec/metrics")) {
        list.push(&target(metric, statuses.next()));
    }
    list.cell()
}

fn target(metric: Json<'_>, status: Option<Json<'_>>) -> String {
    let source = match &*string(metric.get("type")) {
        "External" => "external",
        "Pods" => "pods",
        "Object" => "object",
        "Resource" => "resource",
        "ContainerResource" => "containerResource",
        _ => return "<unknown type>".to_owned(),
    };
    let spec = member(Some(metric), source);
    let is_of_a_resource = matches!(source, "resource" | "containerResource");
    let target = member(spec, "target");
    // The status belongs to the same metric; for another source this member is missing.
    let current = member(member(status, source), "current");
    let percentage = |of| member(of, "averageUtilization").map(|value| format!("{}%", value.text()));
    let average = quantity(target, "averageValue");
    let (now, aim) = if let Some(average) = average {
        let aim = if matches!(source, "external" | "object") { format!("{average} (avg)") } else { average };
        (quantity(current, "averageValue"), aim)
    } else if is_of_a_resource {
        (percentage(current), percentage(target).unwrap_or_else(|| "<auto>".to_owned()))
    } else {
        (quantity(current, "value"), quantity(target, "value").unwrap_or_default())
    };
    let now = now.unwrap_or_else(|| "<unknown>".to_owned());
    if is_of_a_resource { format!("{}: {now}/{aim}", string(member(spec, "name"))) } else { format!("{now}/{aim}") }
}

fn quantity(of: Option<Json<'_>>, name: &str) -> Option<String> {
    member(of, name).map(|value| string(Some(value)).into_owned())
}
