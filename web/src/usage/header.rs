//! Headers of the columns of usage: how fresh the samples are, or why there are none. Pure.

use std::time::Duration;

use informer::InformerStatus;
use informer::deadlines::POLL;

use crate::freshness::{is_stale, note};
use crate::metrics_api::NOT_SERVED;

/// Reason why rows cannot be sorted by these columns.
const NOT_SORTABLE: &str = "Not sortable: only the rows in sight are read.";

/// Text of the headers, and whether there are samples.
pub(super) fn text(
    is_served: Option<bool>,
    plural: &str,
    status: &InformerStatus,
    clock: impl Fn(f64) -> String,
) -> (bool, String) {
    let is_there = status.has_synced;
    let last = status.last_contact_at;
    let (is_well, text) = match is_served {
        Some(false) => (false, NOT_SERVED.to_owned()),
        None => (false, "Usage is unknown until API discovery is complete.".to_owned()),
        Some(true) => match note(plural, "these numbers are", status, None, is_there, &clock) {
            Some(note) => (is_there && !is_stale(status.freshness), note),
            None if !is_there => (false, "Loading the usage.".to_owned()),
            None => {
                let last = last.map_or_else(String::new, |at| format!(", last at {}", clock(at)));
                (true, format!("Usage from metrics.k8s.io, polled every {} s{last}.", seconds(POLL)))
            }
        },
    };
    (is_well, format!("{text} {NOT_SORTABLE}"))
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
    fn a_header_has_the_freshness_of_the_samples_or_the_reason_without_any() {
        let text_of =
            |is_served, status: &InformerStatus| text(is_served, "pod metrics", status, |at| format!("@{at}"));
        let polled = text_of(Some(true), &of(Freshness::Polling, None));
        assert_eq!(polled.1, format!("Usage from metrics.k8s.io, polled every 30 s, last at @5. {NOT_SORTABLE}"));
        assert!(polled.0);
        let forbidden = text_of(Some(true), &of(Freshness::Forbidden, Some(ErrorCode::Forbidden)));
        assert_eq!(forbidden, (false, format!("You may not list pod metrics. {NOT_SORTABLE}")));
        let broken = text_of(Some(true), &of(Freshness::Stale, Some(ErrorCode::NotFound)));
        assert_eq!(broken, (false, format!("Not found: no {NOT_SORTABLE}")));
        assert!(text_of(Some(false), &InformerStatus::default()).1.starts_with(NOT_SERVED));
        assert!(!text_of(None, &InformerStatus::default()).0 && !text_of(Some(true), &InformerStatus::default()).0);
        let away = InformerStatus { has_synced: true, ..of(Freshness::Stale, Some(ErrorCode::Internal)) };
        let (is_well, stale) = text_of(Some(true), &away);
        assert!(!is_well && stale.starts_with("Not live: these numbers are as of @5."), "{stale}");
    }
}
