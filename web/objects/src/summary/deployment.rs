//! Summary of a deployment: the progress of its rollout, by `ReplicaSet`.

use serde_json::Value;

use super::general::{MOST, cut};
use super::template;
use crate::field::Fields;
use crate::link::Link;
use crate::section::{Cell, Facts, Sections, Tone, scalar};
use crate::subject::Subject;
use crate::workload::{desired, need_for_replica_sets, new_replica_set, revision};

pub(super) fn add(subject: &Subject<'_>, sections: &mut Sections) {
    let deployment = subject.object;
    let mut facts = Facts::default();
    let (wanted, of) = (desired(deployment), |path: &str| deployment.count(path));
    let part =
        |count: i64| Cell::toned(format!("{count} of {wanted}"), if count >= wanted { Tone::Ok } else { Tone::Warn });
    facts.cell("Available", part(of("status.availableReplicas")));
    facts.cell("Ready", part(of("status.readyReplicas")));
    facts.cell("Up to date", part(of("status.updatedReplicas")));
    facts.field("Pods", deployment, "status.replicas");
    if deployment.is("spec.paused") {
        facts.cell("Rollout", Cell::toned("paused", Tone::Idle));
    }
    facts.text("Revision", revision(deployment));
    facts.text("Change cause", cut(deployment.annotation("kubernetes.io/change-cause")));
    facts.text("Strategy", strategy(deployment));
    facts.field("Progress deadline (s)", deployment, "spec.progressDeadlineSeconds");
    facts.field("Minimum ready time (s)", deployment, "spec.minReadySeconds");
    facts.text("Selector", selector_text(deployment));
    sections.facts("Deployment", facts);
    replica_sets(deployment, subject.found(&need_for_replica_sets(deployment)), sections);
    template::add(deployment.at("spec.template.spec"), deployment.namespace(), sections);
}

/// The label selector in the syntax of kubectl.
pub(super) fn selector_text(object: &Value) -> String {
    crate::selector::selector(object.at("spec.selector"))
        .map_or_else(String::new, |selector| cut(&selector.to_string()))
}

fn strategy(deployment: &Value) -> String {
    let kind = deployment.text("spec.strategy.type");
    let rolling = deployment.at("spec.strategy.rollingUpdate");
    if rolling.is_object() {
        let (surge, unavailable) = (scalar(rolling.at("maxSurge")), scalar(rolling.at("maxUnavailable")));
        format!("{kind}: at most {surge} more and {unavailable} unavailable")
    } else {
        kind.to_owned()
    }
}

/// The new `ReplicaSet`, the old ones that still have pods, then the history.
fn replica_sets(deployment: &Value, sets: &[Value], sections: &mut Sections) {
    let new = new_replica_set(deployment, sets).map(Fields::uid);
    let mut sets: Vec<&Value> = sets.iter().collect();
    sets.sort_by_key(|set| std::cmp::Reverse(revision(set).parse::<u64>().unwrap_or_default()));
    let row = |set: &&Value| {
        let wanted = set.number("spec.replicas").unwrap_or(1);
        let role = match (new == Some(set.uid()), wanted.max(set.count("status.replicas"))) {
            (true, _) => "new",
            (false, 0) => "previous",
            (false, _) => "old, being replaced",
        };
        let images = set.list("spec.template.spec.containers").iter().take(5).map(|container| container.text("image"));
        vec![
            Cell::text(revision(set)),
            Cell::link(Link::of(set)),
            Cell::text(role),
            Cell::text(format!("{} of {wanted}", set.count("status.readyReplicas"))),
            Cell::text(cut(&images.collect::<Vec<_>>().join(", "))),
            Cell::time(set.moment("metadata.creationTimestamp")),
        ]
    };
    let rows = sets.iter().take(MOST).map(row).collect();
    sections.table("ReplicaSets", &["Revision", "ReplicaSet", "Role", "Ready", "Images", "Created"], rows);
}
