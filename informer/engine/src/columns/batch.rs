//! Columns of jobs, cron jobs and the kinds that create pods.

use super::Cell;
use super::read::{is_there, is_true, items, ratio, string, text, whole};
use super::subject::{Subject, condition};

/// Status of a job. A finished job shows its result, regardless of its other conditions.
pub(super) fn status(job: &Subject<'_, '_>, _: &str) -> Cell {
    let is = |kind: &&&str| condition(job, kind) == "True";
    let deleted = is_there(job.pointer("/metadata/deletionTimestamp"));
    let ended = ["Complete", "Failed"].iter().find(is).copied();
    let ended = ended.or(deleted.then_some("Terminating"));
    let status = ended.or_else(|| ["Suspended", "FailureTarget", "SuccessCriteriaMet"].iter().find(is).copied());
    Cell::Text(status.unwrap_or("Running").to_owned())
}

pub(super) fn completions(job: &Subject<'_, '_>, _: &str) -> Cell {
    let succeeded = whole(job.pointer("/status/succeeded"));
    let wanted = job.pointer("/spec/completions");
    match whole(job.pointer("/spec/parallelism")) {
        _ if is_there(wanted) => ratio(succeeded, whole(wanted)),
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
