//! Summary of a `ReplicaSet`.

use super::deployment::selector_text;
use super::template;
use crate::field::Fields;
use crate::link::Link;
use crate::section::{Cell, Facts, Sections, Tone};
use crate::subject::Subject;
use crate::workload::{desired, revision};

pub(super) fn add(subject: &Subject<'_>, sections: &mut Sections) {
    let set = subject.object;
    let mut facts = Facts::default();
    let (wanted, ready) = (desired(set), set.count("status.readyReplicas"));
    let tone = if ready >= wanted { Tone::Ok } else { Tone::Warn };
    facts.cell("Ready", Cell::toned(format!("{ready} of {wanted}"), tone));
    facts.field("Pods", set, "status.replicas");
    let controller = set.controller();
    if controller.is_object() {
        facts.cell("Controlled by", Cell::kind_link(Link::of_reference(controller, set.namespace())));
    }
    facts.text("Revision", revision(set));
    facts.text("Selector", selector_text(set));
    sections.facts("ReplicaSet", facts);
    template::add(set.at("spec.template.spec"), set.namespace(), sections);
}
