//! The kinds of the group `batch`.

use informer_packing::Outline;

use super::workload::{containers, images};
use super::{Cell, Column, condition, count, items, number, ratio, text, time};

pub(super) static JOB: [Column; 4] = [
    Column::text("Status", |o| Cell::Text(job_status(o).to_owned())),
    Column::text("Completions", |o| ratio(count(o, "/status/succeeded"), completions(o))),
    Column::text("Containers", containers).wide(),
    Column::text("Images", images).wide(),
];

pub(super) static CRON_JOB: [Column; 5] = [
    Column::text("Schedule", |o| text(o, "/spec/schedule")),
    Column::text("Timezone", |o| text(o, "/spec/timeZone")),
    Column::text("Suspend", |o| text(o, "/spec/suspend")),
    Column::number("Active", |o| Cell::Number(items(o, "/status/active").count() as f64)),
    Column::text("Last Schedule", |o| time(o, "/status/lastScheduleTime")),
];

fn completions(job: &Outline<'_>) -> u64 {
    match number(job, "/spec/completions") {
        Cell::Number(0.0) => 1,
        _ => count(job, "/spec/completions"),
    }
}

/// kubectl's order: an ended job says so, whatever else its conditions hold.
fn job_status(job: &Outline<'_>) -> &'static str {
    let is = |kind| condition(job, kind, "/status") == "True";
    if is("Complete") {
        "Complete"
    } else if is("Failed") {
        "Failed"
    } else if job.pointer("/metadata/deletionTimestamp").is_some() {
        "Terminating"
    } else if is("Suspended") {
        "Suspended"
    } else if is("FailureTarget") {
        "FailureTarget"
    } else if is("SuccessCriteriaMet") {
        "SuccessCriteriaMet"
    } else {
        "Running"
    }
}
