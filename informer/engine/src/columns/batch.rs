//! Computed cells of the Job and ControllerRevision tables.

use super::Cell;
use super::read::{integer, is_present, is_true, items, ratio, string, text};
use super::subject::{Subject, condition};

/// Status of a job. A finished job shows its result, regardless of its other conditions.
pub(super) fn status(job: &Subject<'_, '_>, _: &str) -> Cell {
    let is = |kind: &&&str| condition(job, kind) == "True";
    let deleted = is_present(job.pointer("/metadata/deletionTimestamp"));
    let ended = ["Complete", "Failed"].iter().find(is).copied();
    let ended = ended.or(deleted.then_some("Terminating"));
    let status = ended.or_else(|| ["Suspended", "FailureTarget", "SuccessCriteriaMet"].iter().find(is).copied());
    Cell::Text(status.unwrap_or("Running").to_owned())
}

/// Completed pods of a job: `1/3`, or `1/1 of 4` for a job that runs several pods and needs one to succeed.
pub(super) fn completions(job: &Subject<'_, '_>, _: &str) -> Cell {
    let succeeded = integer(job.pointer("/status/succeeded"));
    let wanted = job.pointer("/spec/completions");
    match integer(job.pointer("/spec/parallelism")) {
        _ if is_present(wanted) => ratio(succeeded, integer(wanted)),
        parallelism if parallelism > 1 => Cell::Text(format!("{succeeded}/1 of {parallelism}")),
        _ => ratio(succeeded, 1),
    }
}

/// Owner that controls an object: `statefulset.apps/web`.
pub(super) fn controller(object: &Subject<'_, '_>, _: &str) -> Cell {
    let mut owners = items(object.pointer("/metadata/ownerReferences"));
    let Some(owner) = owners.find(|owner| is_true(owner.get("controller"))) else { return Cell::None };
    let mut name = string(owner.get("kind")).to_ascii_lowercase();
    if let Some((group, _)) = string(owner.get("apiVersion")).split_once('/') {
        name.push('.');
        name.push_str(&group.to_ascii_lowercase());
    }
    name.push('/');
    name.push_str(&string(owner.get("name")));
    text(name.into())
}
