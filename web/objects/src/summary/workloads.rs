//! Summaries of stateful sets, daemon sets, jobs and cron jobs.

use serde_json::Value;

use super::deployment::selector_text;
use super::general::{MOST, cut};
use super::template;
use crate::condition::condition_is;
use crate::cron::Schedule;
use crate::diagnosis::need_for_jobs;
use crate::field::Fields;
use crate::kinds::{JOB, SERVICE};
use crate::link::Link;
use crate::section::{Cell, Facts, Sections, Tone, scalar};
use crate::subject::Subject;
use crate::workload::{available, desired};

/// Cell `count/desired`.
fn part(count: i64, of: i64) -> Cell {
    Cell::toned(format!("{count} of {of}"), if count >= of { Tone::Ok } else { Tone::Warn })
}

pub(super) fn stateful_set(subject: &Subject<'_>, sections: &mut Sections) {
    let set = subject.object;
    let (mut facts, wanted) = (Facts::default(), desired(set));
    facts.cell("Available", part(available(set), wanted));
    facts.cell("Ready", part(set.count("status.readyReplicas"), wanted));
    facts.cell("Up to date", part(set.count("status.updatedReplicas"), wanted));
    facts.field("Current revision", set, "status.currentRevision");
    facts.field("Update revision", set, "status.updateRevision");
    facts.field("Update strategy", set, "spec.updateStrategy.type");
    facts.field("Partition", set, "spec.updateStrategy.rollingUpdate.partition");
    facts.field("Pod management", set, "spec.podManagementPolicy");
    let service = set.text("spec.serviceName");
    if !service.is_empty() {
        facts.cell("Governing service", Cell::link(Link::to(SERVICE, set.namespace(), service)));
    }
    facts.field("Claims when deleted", set, "spec.persistentVolumeClaimRetentionPolicy.whenDeleted");
    facts.field("Claims when scaled down", set, "spec.persistentVolumeClaimRetentionPolicy.whenScaled");
    facts.text("Selector", selector_text(set));
    sections.facts("StatefulSet", facts);
    let claim = |claim: &Value| {
        vec![
            Cell::text(cut(claim.name())),
            Cell::text(cut(claim.text("spec.storageClassName"))),
            Cell::text(scalar(claim.at("spec.resources.requests.storage"))),
            Cell::text(super::storage::access_modes(claim)),
        ]
    };
    let claims = set.list("spec.volumeClaimTemplates").iter().take(MOST).map(claim).collect();
    sections.table("Volume claims", &["Claim", "Class", "Size", "Access"], claims);
    template::add(set.at("spec.template.spec"), set.namespace(), sections);
}

pub(super) fn daemon_set(subject: &Subject<'_>, sections: &mut Sections) {
    let set = subject.object;
    let (mut facts, wanted) = (Facts::default(), desired(set));
    facts.cell("Available", part(available(set), wanted));
    facts.cell("Ready", part(set.count("status.numberReady"), wanted));
    facts.cell("Up to date", part(set.count("status.updatedNumberScheduled"), wanted));
    facts.field("Scheduled", set, "status.currentNumberScheduled");
    facts.field("Misscheduled", set, "status.numberMisscheduled");
    facts.field("Update strategy", set, "spec.updateStrategy.type");
    facts.text("Selector", selector_text(set));
    sections.facts("DaemonSet", facts);
    template::add(set.at("spec.template.spec"), set.namespace(), sections);
}

/// State of a job: `Complete`, `Failed`, `Suspended`, `Running`.
fn state(job: &Value) -> Cell {
    let is = |kind: &str| condition_is(job, kind, "True").is_some();
    if is("Complete") {
        Cell::toned("Complete", Tone::Idle).at(job.moment("status.completionTime"))
    } else if is("Failed") {
        let failed = condition_is(job, "Failed", "True");
        Cell::toned("Failed", Tone::Bad).at(failed.and_then(|failed| failed.moment("lastTransitionTime")))
    } else if is("Suspended") || job.is("spec.suspend") {
        Cell::toned("Suspended", Tone::Idle)
    } else {
        Cell::toned("Running", Tone::Ok).at(job.moment("status.startTime"))
    }
}

pub(super) fn job(subject: &Subject<'_>, sections: &mut Sections) {
    let job = subject.object;
    let mut facts = Facts::default();
    facts.cell("State", state(job));
    let wanted = job.number("spec.completions").map_or_else(String::new, |wanted| format!(" of {wanted}"));
    facts.text("Succeeded", format!("{}{wanted}", job.count("status.succeeded")));
    facts.field("Active", job, "status.active");
    facts.field("Ready", job, "status.ready");
    facts.field("Failed", job, "status.failed");
    facts.field("Parallelism", job, "spec.parallelism");
    facts.field("Completion mode", job, "spec.completionMode");
    facts.field("Retries", job, "spec.backoffLimit");
    facts.field("Deadline (s)", job, "spec.activeDeadlineSeconds");
    facts.field("Deleted after its end (s)", job, "spec.ttlSecondsAfterFinished");
    facts.field("Completed indexes", job, "status.completedIndexes");
    facts.field("Failed indexes", job, "status.failedIndexes");
    facts.time("Started", job, "status.startTime");
    facts.time("Completed", job, "status.completionTime");
    if let (Some(start), Some(end)) = (job.moment("status.startTime"), job.moment("status.completionTime")) {
        facts.text("Duration", crate::words::duration(end - start));
    }
    sections.facts("Job", facts);
    template::add(job.at("spec.template.spec"), job.namespace(), sections);
}

pub(super) fn cron_job(subject: &Subject<'_>, sections: &mut Sections) {
    let cron_job = subject.object;
    let mut facts = Facts::default();
    facts.field("Schedule", cron_job, "spec.schedule");
    facts.field("Time zone", cron_job, "spec.timeZone");
    if cron_job.is("spec.suspend") {
        facts.cell("Next start", Cell::toned("none: suspended", Tone::Idle));
    } else {
        facts.cell("Next start", Cell::time(next_start(subject)));
    }
    facts.time("Last start", cron_job, "status.lastScheduleTime");
    facts.time("Last success", cron_job, "status.lastSuccessfulTime");
    let active = cron_job.list("status.active").iter().take(MOST);
    facts.cells("Active", active.map(|job| Cell::link(Link::to(JOB, cron_job.namespace(), job.text("name")))));
    facts.field("Concurrency", cron_job, "spec.concurrencyPolicy");
    facts.field("Starting deadline (s)", cron_job, "spec.startingDeadlineSeconds");
    facts.field("Successful jobs kept", cron_job, "spec.successfulJobsHistoryLimit");
    facts.field("Failed jobs kept", cron_job, "spec.failedJobsHistoryLimit");
    sections.facts("CronJob", facts);
    let mut jobs: Vec<&Value> = subject.found(&need_for_jobs(cron_job)).iter().collect();
    jobs.sort_by(|a, b| b.text("metadata.creationTimestamp").cmp(a.text("metadata.creationTimestamp")));
    let row = |job: &&Value| {
        vec![Cell::link(Link::of(job)), state(job), Cell::time(job.moment("metadata.creationTimestamp"))]
    };
    sections.table("Jobs", &["Job", "State", "Created"], jobs.iter().take(MOST).map(row).collect());
    template::add(cron_job.at("spec.jobTemplate.spec.template.spec"), cron_job.namespace(), sections);
}

/// The next start, as far as the time zone is known. Without a zone it is that of kube-controller-manager, which is UTC
/// in nearly all clusters.
fn next_start(subject: &Subject<'_>) -> Option<f64> {
    let (schedule, zone) = (subject.object.text("spec.schedule"), subject.object.text("spec.timeZone"));
    let schedule = Schedule::parse(schedule)?;
    let offset = (subject.zone_offset)(zone, subject.now)?;
    let wall = schedule.next(subject.now + offset)?;
    // The offset at that moment: the clocks may change before it.
    let then = (subject.zone_offset)(zone, wall - offset)?;
    Some(wall - then)
}
