//! Rules for jobs and cron jobs.

use serde_json::Value;

use super::{Rule, diagnose};
use crate::condition::{condition_is, explanation};
use crate::event;
use crate::field::Fields;
use crate::finding::{Finding, Severity};
use crate::kinds::{CRON_JOB, JOB};
use crate::link::Link;
use crate::need::{By, Need};
use crate::subject::Subject;
use crate::words::{count, quoted};
use crate::workload::pods;

pub(super) const RULES: &[Rule] = &[
    Rule { code: "JobFailed", severity: Severity::Error, kinds: &[JOB], check: failed },
    Rule { code: "JobPodsFail", severity: Severity::Warning, kinds: &[JOB], check: pods_fail },
    Rule { code: "JobSuspended", severity: Severity::Info, kinds: &[JOB], check: suspended },
    Rule { code: "CronJobInvalid", severity: Severity::Error, kinds: &[CRON_JOB], check: invalid },
    Rule { code: "CronJobMissed", severity: Severity::Error, kinds: &[CRON_JOB], check: missed },
    Rule { code: "CronJobLastFailed", severity: Severity::Error, kinds: &[CRON_JOB], check: last_failed },
    Rule { code: "CronJobStillRuns", severity: Severity::Warning, kinds: &[CRON_JOB], check: still_runs },
    Rule { code: "CronJobSuspended", severity: Severity::Info, kinds: &[CRON_JOB], check: suspended },
];

/// The jobs of a cron job.
pub(crate) fn need_for_jobs(cron_job: &Value) -> Need {
    Need::new(JOB, cron_job.namespace(), By::Owner(cron_job.uid().to_owned()))
}

/// The last failed pod of a job.
fn failed_pod<'a>(subject: &Subject<'a>) -> Option<&'a Value> {
    let failed = pods(subject)?.into_iter().filter(|pod| pod.text("status.phase") == "Failed");
    failed.max_by(|a, b| a.text("metadata.creationTimestamp").cmp(b.text("metadata.creationTimestamp")))
}

/// Finding that includes the problem of the last failed pod.
fn with_pod(subject: &Subject<'_>, sentence: String, next: &str) -> Finding {
    let Some(pod) = failed_pod(subject) else { return Finding::new(sentence, next) };
    let of = Link::of(pod);
    match diagnose(&subject.about(pod)).into_iter().next() {
        Some(found) => {
            let mut finding =
                Finding::new(format!("{sentence} Last pod {}: {}", pod.name(), found.sentence), found.next);
            finding.evidence.extend(found.evidence.into_iter().map(|evidence| evidence.of_other(Some(&of))));
            finding.related(of)
        }
        None => Finding::new(sentence, next).field_of(pod, "status.phase").related(of),
    }
}

fn failed(subject: &Subject<'_>) -> Vec<Finding> {
    let job = subject.object;
    let Some(condition) = condition_is(job, "Failed", "True") else { return Vec::new() };
    let pods = usize::try_from(job.count("status.failed")).unwrap_or_default();
    let sentence = match condition.text("reason") {
        "BackoffLimitExceeded" => {
            let limit = job.number("spec.backoffLimit").unwrap_or(6);
            format!("The job has failed: {} failed, and its limit of {limit} retries is reached.", count(pods, "pod"))
        }
        "DeadlineExceeded" => {
            format!(
                "The job has failed: it ran longer than its deadline of {} s.",
                job.count("spec.activeDeadlineSeconds")
            )
        }
        _ => format!("The job has failed: {}", quoted(explanation(condition))),
    };
    vec![with_pod(subject, sentence, "Read the log of its pods.").condition(job, "Failed").field(job, "status.failed")]
}

fn pods_fail(subject: &Subject<'_>) -> Vec<Finding> {
    let job = subject.object;
    let failed = usize::try_from(job.count("status.failed")).unwrap_or_default();
    let ended = ["Failed", "Complete", "FailureTarget", "SuccessCriteriaMet"]
        .iter()
        .any(|kind| condition_is(job, kind, "True").is_some());
    if failed == 0 || ended {
        return Vec::new();
    }
    let limit = job.number("spec.backoffLimit").unwrap_or(6);
    let sentence = format!("{} of the job failed so far; it gives up after {limit} retries.", count(failed, "pod"));
    vec![with_pod(subject, sentence, "Read the log of its failed pods.").field(job, "status.failed")]
}

fn suspended(subject: &Subject<'_>) -> Vec<Finding> {
    let object = subject.object;
    if !object.is("spec.suspend") {
        return Vec::new();
    }
    let sentence = if CRON_JOB.is_of(object) {
        "The cron job is suspended: it starts no jobs."
    } else {
        "The job is suspended: it runs no pods."
    };
    vec![
        Finding::new(sentence, "Resume it: set spec.suspend to false.")
            .field(object, "spec.suspend")
            .condition(object, "Suspended"),
    ]
}

fn invalid(subject: &Subject<'_>) -> Vec<Finding> {
    let cron_job = subject.object;
    let reasons = ["UnparseableSchedule", "UnparsableSchedule", "InvalidSchedule", "UnknownTimeZone"];
    let event = event::last(subject, cron_job, &reasons, |_| true);
    // An event about a schedule that has been corrected since names the old one.
    let names = |event: &&Value, path: &str| event::message(event).contains(cron_job.text(path));
    let is_current = |event: &&Value| {
        names(event, if event.text("reason") == "UnknownTimeZone" { "spec.timeZone" } else { "spec.schedule" })
    };
    let Some(event) = event.filter(is_current) else { return Vec::new() };
    vec![
        Finding::new(
            format!("The schedule cannot be used: {}", quoted(event::message(event))),
            "Correct spec.schedule or spec.timeZone.",
        )
        .event(Some(event))
        .field(cron_job, "spec.schedule"),
    ]
}

fn missed(subject: &Subject<'_>) -> Vec<Finding> {
    let cron_job = subject.object;
    let Some(event) =
        event::last(subject, cron_job, &["MissSchedule", "TooManyMissedTimes", "FailedNeedsStart"], |_| true)
    else {
        return Vec::new();
    };
    // A start after the event belongs to a later schedule.
    if cron_job.moment("status.lastScheduleTime") > event::last_seen(event) {
        return Vec::new();
    }
    vec![
        Finding::new(
            format!("The cron job missed a start: {}", quoted(event::message(event))),
            "Raise startingDeadlineSeconds, and check that kube-controller-manager was running at that time.",
        )
        .event(Some(event))
        .field(cron_job, "status.lastScheduleTime")
        .field(cron_job, "spec.startingDeadlineSeconds"),
    ]
}

fn last_failed(subject: &Subject<'_>) -> Vec<Finding> {
    let jobs = subject.found(&need_for_jobs(subject.object)).iter();
    let Some(last) = jobs.max_by(|a, b| a.text("metadata.creationTimestamp").cmp(b.text("metadata.creationTimestamp")))
    else {
        return Vec::new();
    };
    let Some(condition) = condition_is(last, "Failed", "True") else { return Vec::new() };
    vec![
        Finding::new(
            format!("The last job, {}, failed: {}", last.name(), quoted(explanation(condition))),
            format!("Open job {}.", last.name()),
        )
        .condition_of(last, "Failed")
        .related(Link::of(last)),
    ]
}

fn still_runs(subject: &Subject<'_>) -> Vec<Finding> {
    let cron_job = subject.object;
    let active = cron_job.list("status.active");
    let event = event::last(subject, cron_job, &["JobAlreadyActive"], |_| true);
    let Some(event) = event.filter(|_| cron_job.text("spec.concurrencyPolicy") == "Forbid") else { return Vec::new() };
    let Some(job) = active.first() else { return Vec::new() };
    vec![
        Finding::new(
            format!(
                "A start was skipped, because job {} still runs and the concurrency policy is Forbid.",
                job.text("name")
            ),
            "Check why the job takes longer than the interval of the schedule.",
        )
        .event(Some(event))
        .field(cron_job, "spec.concurrencyPolicy")
        .related(Link::to(JOB, cron_job.namespace(), job.text("name"))),
    ]
}
