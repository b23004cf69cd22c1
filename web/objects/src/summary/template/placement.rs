//! Placement of a pod spec: the rules by which the scheduler chooses a node.

use serde_json::Value;

use super::super::general::{MOST, cut};
use crate::field::Fields;
use crate::section::{Cell, Facts, Sections, scalar};

pub(super) fn add(spec: &Value, sections: &mut Sections) {
    let mut facts = Facts::default();
    let selector = spec.members("nodeSelector").take(MOST);
    facts.cells("Node selector", selector.map(|(key, value)| Cell::text(cut(&format!("{key}={}", scalar(value))))));
    let kinds =
        [("nodeAffinity", "node affinity"), ("podAffinity", "pod affinity"), ("podAntiAffinity", "pod anti-affinity")];
    let affinity =
        kinds.into_iter().filter(|(path, _)| spec.at("affinity").has(path)).map(|(_, name)| Cell::text(name));
    facts.cells("Affinity", affinity);
    let spread = spec.list("topologySpreadConstraints").iter().take(MOST).map(|spread| {
        let (key, skew) = (spread.text("topologyKey"), spread.count("maxSkew"));
        Cell::text(cut(&format!("{key}: max skew {skew}, {}", spread.text("whenUnsatisfiable"))))
    });
    facts.cells("Spread", spread);
    facts.cells("Tolerations", spec.list("tolerations").iter().take(MOST).map(|it| Cell::text(cut(&toleration(it)))));
    sections.facts("Placement", facts);
}

/// `key=value:NoSchedule for 300 s`; `key>value` if the value of the taint must be greater.
fn toleration(toleration: &Value) -> String {
    let key = match toleration.text("key") {
        "" => "any taint",
        key => key,
    };
    let operator = match toleration.text("operator") {
        "Gt" => ">",
        "Lt" => "<",
        _ => "=",
    };
    let value = match toleration.text("value") {
        "" => String::new(),
        value => format!("{operator}{value}"),
    };
    let effect = match toleration.text("effect") {
        "" => String::new(),
        effect => format!(":{effect}"),
    };
    let time = toleration.number("tolerationSeconds").map_or_else(String::new, |seconds| format!(" for {seconds} s"));
    format!("{key}{value}{effect}{time}")
}
