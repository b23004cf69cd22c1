//! Headers of the columns of usage: how fresh the samples are, or why there are none. Pure.

use std::time::Duration;

use informer::InformerStatus;
use informer::deadlines::POLL;

use crate::freshness::{is_stale, note};
use crate::metrics_api::NOT_SERVED;

/// Why the columns are not sorted by.
const NOT_SORTABLE: &str = "Not sortable: only the rows in sight are read.";

/// What the headers say, and whether there are samples.
pub(super) fn says(
    is_served: Option<bool>,
    plural: &str,
    status: &InformerStatus,
    clock: impl Fn(f64) -> String,
) -> (bool, String) {
    let is_there = status.has_synced;
    let last = status.last_contact_at;
    let (is_well, says) = match is_served {
        Some(false) => (false, NOT_SERVED.to_owned()),
        None => (false, "Usage is unknown: the page does not know yet whether the cluster measures it.".to_owned()),
        Some(true) => match note(plural, "these numbers are", status, None, is_there, &clock) {
            Some(note) => (is_there && !is_stale(status.freshness), note),
            None if !is_there => (false, "Loading the usage.".to_owned()),
            None => {
                let last = last.map_or_else(String::new, |at| format!(", last at {}", clock(at)));
                (true, format!("Usage from metrics.k8s.io, polled every {} s{last}.", seconds(POLL)))
            }
        },
    };
    (is_well, format!("{says} {NOT_SORTABLE}"))
}

fn seconds(period: Duration) -> u64 {
    period.as_secs()
}

#[cfg(test)]
mod tests {
    use informer::{ErrorCode, ErrorReport, Freshness};

    use super::*;

    fn of(freshness: Freshness, code: Option<ErrorCode>) -> InformerStatus {
        let error = |code| ErrorReport { code, message: "no".to_owned(), status: None, request: None, retryable: true };
        InformerStatus {
            freshness,
            has_synced: code.is_none(),
            last_contact_at: Some(5.0),
            last_error: code.map(error),
            ..InformerStatus::default()
        }
    }

    #[test]
    fn a_header_says_how_fresh_the_samples_are_or_why_there_are_none() {
        let says = |is_served, status: &InformerStatus| says(is_served, "pod metrics", status, |at| format!("@{at}"));
        let polled = says(Some(true), &of(Freshness::Polling, None));
        assert_eq!(polled.1, format!("Usage from metrics.k8s.io, polled every 30 s, last at @5. {NOT_SORTABLE}"));
        assert!(polled.0);
        let forbidden = says(Some(true), &of(Freshness::Forbidden, Some(ErrorCode::Forbidden)));
        assert_eq!(forbidden, (false, format!("You may not list pod metrics. {NOT_SORTABLE}")));
        let broken = says(Some(true), &of(Freshness::Stale, Some(ErrorCode::NotFound)));
        assert_eq!(broken, (false, format!("Not found: no {NOT_SORTABLE}")));
        assert!(says(Some(false), &InformerStatus::default()).1.starts_with(NOT_SERVED));
        assert!(!says(None, &InformerStatus::default()).0 && !says(Some(true), &InformerStatus::default()).0);
        let away = InformerStatus { has_synced: true, ..of(Freshness::Stale, Some(ErrorCode::Internal)) };
        let (is_well, says) = says(Some(true), &away);
        assert!(!is_well && says.starts_with("Not live: these numbers are as of @5."), "{says}");
    }
}
