//! Summaries of claims, volumes and storage classes.

use serde_json::Value;

use super::general::{MOST, cut};
use crate::diagnosis::storage_class;
use crate::field::Fields;
use crate::kinds::{CLAIM, STORAGE_CLASS, VOLUME};
use crate::link::Link;
use crate::section::{Cell, Facts, Sections, Tone, scalar};
use crate::subject::Subject;

/// `ReadWriteOnce, ReadOnlyMany`.
pub(super) fn access_modes(object: &Value) -> String {
    cut(&object.list("spec.accessModes").iter().take(5).map(scalar).collect::<Vec<_>>().join(", "))
}

fn phase(object: &Value) -> Cell {
    let phase = object.text("status.phase");
    let tone = match phase {
        "Bound" | "Available" => Some(Tone::Ok),
        "Pending" | "Released" => Some(Tone::Warn),
        "Lost" | "Failed" => Some(Tone::Bad),
        _ => None,
    };
    Cell::text(cut(phase)).with_tone(tone)
}

pub(super) fn claim(subject: &Subject<'_>, sections: &mut Sections) {
    let claim = subject.object;
    let mut facts = Facts::default();
    facts.cell("Phase", phase(claim));
    facts.text("Requested", scalar(claim.at("spec.resources.requests.storage")));
    facts.text("Capacity", scalar(claim.at("status.capacity.storage")));
    let (class, volume) = (storage_class(claim), claim.text("spec.volumeName"));
    if !class.is_empty() {
        facts.cell("Class", Cell::link(Link::to(STORAGE_CLASS, "", class)));
    }
    if !volume.is_empty() {
        facts.cell("Volume", Cell::link(Link::to(VOLUME, "", volume)));
    }
    facts.text("Access", access_modes(claim));
    facts.field("Volume mode", claim, "spec.volumeMode");
    facts.text("Selected node", cut(claim.annotation("volume.kubernetes.io/selected-node")));
    facts.field("Data source", claim, "spec.dataSource.name");
    sections.facts("PersistentVolumeClaim", facts);
}

pub(super) fn volume(subject: &Subject<'_>, sections: &mut Sections) {
    let volume = subject.object;
    let mut facts = Facts::default();
    facts.cell("Phase", phase(volume));
    facts.field("Message", volume, "status.message");
    facts.text("Capacity", scalar(volume.at("spec.capacity.storage")));
    let claim = volume.at("spec.claimRef");
    if claim.is_object() {
        facts.cell("Claim", Cell::link(Link::to(CLAIM, claim.text("namespace"), claim.text("name"))));
    }
    let class = volume.text("spec.storageClassName");
    if !class.is_empty() {
        facts.cell("Class", Cell::link(Link::to(STORAGE_CLASS, "", class)));
    }
    facts.text("Access", access_modes(volume));
    facts.field("When released", volume, "spec.persistentVolumeReclaimPolicy");
    facts.field("Volume mode", volume, "spec.volumeMode");
    facts.field("Driver", volume, "spec.csi.driver");
    facts.field("Handle", volume, "spec.csi.volumeHandle");
    facts.field("Host path", volume, "spec.hostPath.path");
    facts.field("Local path", volume, "spec.local.path");
    facts.field("NFS server", volume, "spec.nfs.server");
    facts.field("NFS path", volume, "spec.nfs.path");
    sections.facts("PersistentVolume", facts);
}

pub(super) fn class(subject: &Subject<'_>, sections: &mut Sections) {
    let class = subject.object;
    let mut facts = Facts::default();
    let is_default = class.annotation("storageclass.kubernetes.io/is-default-class") == "true";
    facts.text("Default", if is_default { "yes" } else { "no" });
    facts.field("Provisioner", class, "provisioner");
    facts.field("When released", class, "reclaimPolicy");
    facts.field("Binding", class, "volumeBindingMode");
    facts.text("Volumes can grow", if class.is("allowVolumeExpansion") { "yes" } else { "no" });
    let parameters = class.members("parameters").take(MOST);
    facts.cells("Parameters", parameters.map(|(key, value)| Cell::text(cut(&format!("{key}={}", scalar(value))))));
    sections.facts("StorageClass", facts);
}
