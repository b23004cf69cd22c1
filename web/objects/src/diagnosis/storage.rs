//! Rules for claims and volumes.

use super::Rule;
use crate::condition::condition_is;
use crate::event;
use crate::field::Fields;
use crate::finding::{Finding, Severity};
use crate::kinds::{CLAIM, STORAGE_CLASS, VOLUME};
use crate::link::Link;
use crate::need::Need;
use crate::subject::Subject;
use crate::words::{duration, quoted};

pub(super) const RULES: &[Rule] = &[
    Rule { code: "ClaimLost", severity: Severity::Error, kinds: &[CLAIM], check: lost },
    Rule { code: "ClaimClassMissing", severity: Severity::Error, kinds: &[CLAIM], check: class_missing },
    Rule { code: "ClaimNoClass", severity: Severity::Error, kinds: &[CLAIM], check: no_class },
    Rule { code: "ClaimProvisioningFails", severity: Severity::Error, kinds: &[CLAIM], check: provisioning },
    Rule { code: "ClaimProvisionerSilent", severity: Severity::Warning, kinds: &[CLAIM], check: silent },
    Rule { code: "ClaimWaitsForPod", severity: Severity::Info, kinds: &[CLAIM], check: first_consumer },
    Rule { code: "ClaimResizePending", severity: Severity::Info, kinds: &[CLAIM], check: resize },
    Rule { code: "VolumeFailed", severity: Severity::Error, kinds: &[VOLUME], check: volume_failed },
    Rule { code: "VolumeReleased", severity: Severity::Info, kinds: &[VOLUME], check: released },
];

/// The class of a claim; empty if it has none.
pub(crate) fn class(claim: &serde_json::Value) -> &str {
    match claim.text("spec.storageClassName") {
        "" => claim.annotation("volume.beta.kubernetes.io/storage-class"),
        class => class,
    }
}

/// Whether the claim waits for a volume.
fn waits(subject: &Subject<'_>) -> bool {
    subject.object.text("status.phase") == "Pending" && !subject.object.has("metadata.deletionTimestamp")
}

/// The class itself, if it is known and exists.
fn known_class<'a>(subject: &Subject<'a>) -> Option<&'a serde_json::Value> {
    subject.one(&Need::named(STORAGE_CLASS, "", class(subject.object)))
}

fn lost(subject: &Subject<'_>) -> Vec<Finding> {
    let claim = subject.object;
    if claim.text("status.phase") != "Lost" {
        return Vec::new();
    }
    let volume = claim.text("spec.volumeName");
    vec![
        Finding::new(
            format!("The claim has lost PersistentVolume {volume}, to which it was bound."),
            "Find out why the volume was deleted or is bound to another claim; restore the data from a backup.",
        )
        .field(claim, "status.phase")
        .field(claim, "spec.volumeName")
        .event(event::last(subject, claim, &["ClaimLost", "ClaimMisbound"], |_| true))
        .related(Link::to(VOLUME, "", volume)),
    ]
}

fn class_missing(subject: &Subject<'_>) -> Vec<Finding> {
    let claim = subject.object;
    let class = class(claim);
    let missing = subject.is_absent(&Need::named(STORAGE_CLASS, "", class));
    if !waits(subject) || class.is_empty() || !missing || !claim.text("spec.volumeName").is_empty() {
        return Vec::new();
    }
    vec![
        Finding::new(
            format!("StorageClass {class}, which the claim names, does not exist."),
            "Create the class, or recreate the claim with one that exists: kubectl get storageclass.",
        )
        .field(claim, "spec.storageClassName")
        .absent(format!("StorageClass {class}"))
        .event(event::last(subject, claim, &["ProvisioningFailed"], |_| true))
        .related(Link::to(STORAGE_CLASS, "", class)),
    ]
}

fn no_class(subject: &Subject<'_>) -> Vec<Finding> {
    let claim = subject.object;
    let event = event::last(subject, claim, &["FailedBinding"], |_| true);
    let Some(event) = event.filter(|_| waits(subject) && class(claim).is_empty()) else { return Vec::new() };
    vec![
        Finding::new(
            format!("The claim names no StorageClass, and no existing volume fits it: {}", quoted(event::message(event))),
            "Recreate the claim with a storageClassName, mark a class as the default, or create a fitting PersistentVolume.",
        )
        .event(Some(event))
        .field(claim, "spec.storageClassName"),
    ]
}

fn provisioning(subject: &Subject<'_>) -> Vec<Finding> {
    let claim = subject.object;
    let event = event::last(subject, claim, &["ProvisioningFailed", "FailedBinding", "VolumeMismatch"], |_| true);
    let Some(event) = event.filter(|_| waits(subject) && !class(claim).is_empty()) else { return Vec::new() };
    if !class_missing(subject).is_empty() {
        return Vec::new();
    }
    vec![
        Finding::new(
            format!("No volume can be provisioned for the claim: {}", quoted(event::message(event))),
            "Read the provisioner's message, and its log.",
        )
        .event(Some(event))
        .related(Link::to(STORAGE_CLASS, "", class(claim))),
    ]
}

fn silent(subject: &Subject<'_>) -> Vec<Finding> {
    let claim = subject.object;
    let event = event::last(subject, claim, &["ExternalProvisioning"], |_| true);
    let failed = event::last(subject, claim, &["ProvisioningFailed"], |_| true).is_some();
    let waited = subject.since(claim.moment("metadata.creationTimestamp")).unwrap_or_default();
    let Some(event) = event.filter(|_| waits(subject) && !failed && waited > 60_000.0) else { return Vec::new() };
    let class = known_class(subject);
    let provisioner = match claim.annotation("volume.kubernetes.io/storage-provisioner") {
        "" => class.map(|class| class.text("provisioner")).unwrap_or_default(),
        provisioner => provisioner,
    };
    let provisioner = if provisioner.is_empty() { "of the class" } else { provisioner };
    vec![
        Finding::new(
            format!("The claim has waited {} for provisioner {provisioner}, which has reported neither a volume nor an error.", duration(waited)),
            format!("Check that the provisioner {provisioner} is installed and runs."),
        )
        .event(Some(event))
        .field(claim, "metadata.creationTimestamp"),
    ]
}

fn first_consumer(subject: &Subject<'_>) -> Vec<Finding> {
    let claim = subject.object;
    let event = event::last(subject, claim, &["WaitForFirstConsumer", "WaitForPodScheduled"], |_| true);
    let class = known_class(subject).filter(|class| class.text("volumeBindingMode") == "WaitForFirstConsumer");
    let selected = !claim.annotation("volume.kubernetes.io/selected-node").is_empty();
    if !waits(subject) || selected || (event.is_none() && class.is_none()) {
        return Vec::new();
    }
    let mut finding = Finding::new(
        "The claim gets its volume when a pod that uses it is scheduled.",
        "No action is needed if no pod uses the claim yet. Otherwise open that pod: it is not scheduled.",
    )
    .event(event)
    .field(claim, "status.phase");
    if let Some(class) = class {
        finding = finding.field_of(class, "volumeBindingMode").related(Link::of(class));
    }
    vec![finding]
}

fn resize(subject: &Subject<'_>) -> Vec<Finding> {
    let claim = subject.object;
    let event = event::last(subject, claim, &["VolumeResizeFailed", "FileSystemResizeFailed"], |_| true);
    let (sentence, kind) = if condition_is(claim, "FileSystemResizePending", "True").is_some() {
        (
            "The volume has been enlarged; its file system grows when a pod that uses the claim is started on a node.",
            "FileSystemResizePending",
        )
    } else if condition_is(claim, "Resizing", "True").is_some() {
        ("The volume is being enlarged.", "Resizing")
    } else {
        return Vec::new();
    };
    let said =
        event.map(|event| format!(" The last attempt failed: {}", quoted(event::message(event)))).unwrap_or_default();
    vec![
        Finding::new(
            format!("{sentence}{said}"),
            "If it stays, restart the pod, or read the log of the storage driver's resizer.",
        )
        .condition(claim, kind)
        .event(event),
    ]
}

fn volume_failed(subject: &Subject<'_>) -> Vec<Finding> {
    let volume = subject.object;
    if volume.text("status.phase") != "Failed" {
        return Vec::new();
    }
    vec![
        Finding::new(
            format!(
                "The volume could not be reclaimed after its claim was deleted: {}",
                quoted(volume.text("status.message"))
            ),
            "Read the message; delete the storage behind the volume by hand if needed, and then the volume.",
        )
        .field(volume, "status.phase")
        .field(volume, "status.message")
        .event(event::last(subject, volume, &["VolumeFailedDelete", "VolumeFailedRecycle"], |_| true)),
    ]
}

fn released(subject: &Subject<'_>) -> Vec<Finding> {
    let volume = subject.object;
    if volume.text("status.phase") != "Released" || volume.text("spec.persistentVolumeReclaimPolicy") != "Retain" {
        return Vec::new();
    }
    let claim = format!("{}/{}", volume.text("spec.claimRef.namespace"), volume.text("spec.claimRef.name"));
    vec![
        Finding::new(
            format!("The claim {claim} was deleted, and the volume keeps its data (policy Retain): no other claim can use it."),
            "Delete the volume if its data is not needed; remove spec.claimRef to offer it again.",
        )
        .field(volume, "status.phase")
        .field(volume, "spec.persistentVolumeReclaimPolicy"),
    ]
}
