//! Freshness of the rows, as sentences.

mod note;

use informer::{ErrorCode, ErrorReport, Freshness, InformerStatus, Phase};

use crate::age::thousands;
use crate::text::decimal;
pub(crate) use note::note;

/// Whether the rows may differ from the server's state.
pub(crate) fn is_stale(freshness: Freshness) -> bool {
    matches!(freshness, Freshness::Stale | Freshness::Forbidden | Freshness::Disconnected)
}

/// The state in a few words, without numbers: for screen readers, which read each change aloud.
pub(crate) fn state(status: &InformerStatus) -> String {
    let cause = || status.last_error.as_ref().map_or("server error", |error| code(error.code));
    match status.freshness {
        Freshness::Live => "Live".to_owned(),
        // The open watch is suspect.
        Freshness::CatchingUp if status.has_synced && status.phase == Phase::Watching => "Checking".to_owned(),
        Freshness::CatchingUp if status.has_synced && status.listed == 0 => "Reconnecting".to_owned(),
        Freshness::CatchingUp if status.has_synced => "Reloading".to_owned(),
        Freshness::CatchingUp => "Loading".to_owned(),
        Freshness::Polling => "Polling".to_owned(),
        Freshness::Queued => "Queued".to_owned(),
        Freshness::Stale if status.last_contact_at.is_none() => format!("No data · {}", cause()),
        Freshness::Stale => format!("Stale · {}", cause()),
        Freshness::Forbidden => capitalized(cause()),
        Freshness::Disconnected => "Disconnected".to_owned(),
    }
}

/// The sentence of the status line, short enough to be seen as a whole. The panel behind it has the details. `clock`
/// writes a moment as the user's time of day.
pub(crate) fn sentence(status: &InformerStatus, now: f64, clock: impl Fn(f64) -> String) -> String {
    let count = |count| if count == 1 { "1 object".to_owned() } else { format!("{} objects", thousands(count)) };
    let objects = match status.namespaces.len() {
        0 => count(status.objects),
        1 => format!("{} in 1 namespace", count(status.objects)),
        namespaces => format!("{} in {} namespaces", count(status.objects), thousands(namespaces as u64)),
    };
    let more = match status.freshness {
        Freshness::Live | Freshness::Polling => objects,
        Freshness::CatchingUp if status.listed > 0 => format!("{} so far", count(status.listed)),
        Freshness::CatchingUp if status.has_synced => objects,
        // Rows of a snapshot.
        Freshness::CatchingUp if status.objects > 0 => {
            status.last_contact_at.map_or(objects, |at| format!("as of {}", clock(at)))
        }
        Freshness::CatchingUp => "no response yet".to_owned(),
        Freshness::Queued => "no free connection".to_owned(),
        Freshness::Disconnected => retry(status.next_retry_at, now),
        Freshness::Stale | Freshness::Forbidden => return state(status),
    };
    format!("{} · {more}", state(status))
}

/// Explanation why rows are not live: the cause, and advice or the server's message.
pub(crate) fn explanation(error: &ErrorReport) -> String {
    match error.code {
        ErrorCode::Network | ErrorCode::Timeout => format!("{}. {}", reason(error), advice(error)),
        _ => format!("{}: {}", reason(error), error.message),
    }
}

/// An error code in words, as the beginning of a sentence.
pub(crate) fn reason(error: &ErrorReport) -> String {
    capitalized(code(error.code))
}

/// Begins an English text with a capital.
fn capitalized(text: &str) -> String {
    let mut text = text.to_owned();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

/// Sentence about the time of the next attempt.
fn retry(at: Option<f64>, now: f64) -> String {
    match at.map(|at| ((at - now) / 1000.0).ceil()) {
        Some(seconds) if seconds > 0.0 => format!("retry in {} s", decimal(seconds)),
        _ => "retrying now".to_owned(),
    }
}

/// An error code in words.
pub(crate) fn code(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::Unauthorized => "not logged in",
        ErrorCode::Forbidden => "forbidden",
        ErrorCode::NotFound => "not found",
        ErrorCode::Expired => "expired",
        ErrorCode::Throttled => "throttled",
        ErrorCode::TooLargeResourceVersion => "server is behind",
        ErrorCode::BadRequest => "invalid request",
        ErrorCode::Network => "no connection",
        ErrorCode::Timeout => "no response in time",
        ErrorCode::Decode => "unreadable response",
        ErrorCode::Aborted => "aborted",
        ErrorCode::Closed => "closed",
        ErrorCode::Internal => "server error",
    }
}

/// Explanation of polling, after its reason.
const POLLING: &str =
    "Lists succeed but the watch fails. The page lists the objects every 30 s and retries the watch from time to time.";

/// Consequence of a status's last error for the page, or advice.
pub(crate) fn meaning(freshness: Freshness, error: &ErrorReport) -> &'static str {
    if freshness == Freshness::Polling { POLLING } else { advice(error) }
}

/// Advice about an error.
pub(crate) fn advice(error: &ErrorReport) -> &'static str {
    match error.code {
        ErrorCode::Unauthorized => {
            "Behind a login page, reload this page to log in again. With kubectl proxy, log in where it runs, then restart it."
        }
        ErrorCode::Forbidden => "Choose a namespace that you may read, or ask for permission to list and watch here.",
        ErrorCode::NotFound => "The server does not serve this kind, or no longer does. Choose another kind.",
        ErrorCode::Throttled => "The server asks for a pause. The page retries automatically.",
        ErrorCode::BadRequest if error.status.is_none() => "Correct the namespace or the kind. No request was sent.",
        ErrorCode::BadRequest => "Check the namespace and the kind. If both are right, please report a bug.",
        ErrorCode::Network => "Check that kubectl proxy is running. The page reconnects automatically.",
        ErrorCode::Timeout | ErrorCode::Internal => {
            "Check the apiserver: kubectl get --raw /readyz. The page retries automatically."
        }
        ErrorCode::Decode => {
            "The responses are not those of the apiserver. Check for another proxy or a login page in between."
        }
        ErrorCode::Expired | ErrorCode::TooLargeResourceVersion => "The page lists the objects again automatically.",
        ErrorCode::Aborted | ErrorCode::Closed => "Reload the page.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Maximum length of a sentence that fits into the status line of a phone 380 pixels wide.
    const MAX_CHARS: usize = 34;

    fn text_of(status: &InformerStatus) -> String {
        let sentence = sentence(status, 10_000.0, |at| format!("@{at}"));
        assert!(sentence.starts_with(&state(status)), "{sentence}");
        sentence
    }

    fn of(freshness: Freshness) -> InformerStatus {
        InformerStatus { freshness, ..InformerStatus::default() }
    }

    fn error(code: ErrorCode, status: Option<u16>) -> ErrorReport {
        ErrorReport { code, message: "no".to_owned(), status, request: None, retryable: true }
    }

    #[test]
    fn each_state_has_its_sentence() {
        assert_eq!(text_of(&InformerStatus { objects: 2014, ..of(Freshness::Live) }), "Live · 2,014 objects");
        assert_eq!(text_of(&InformerStatus { objects: 1, ..of(Freshness::Live) }), "Live · 1 object");
        let namespaces = vec!["shop".to_owned(), "bank".to_owned()];
        assert_eq!(
            text_of(&InformerStatus { objects: 7, namespaces, ..of(Freshness::Live) }),
            "Live · 7 objects in 2 namespaces"
        );
        assert_eq!(text_of(&InformerStatus { objects: 3, ..of(Freshness::Polling) }), "Polling · 3 objects");
        assert_eq!(text_of(&of(Freshness::Queued)), "Queued · no free connection");
    }

    #[test]
    fn what_is_in_flight_has_a_name_for_each_cause() {
        let catching_up = of(Freshness::CatchingUp);
        assert_eq!(text_of(&catching_up), "Loading · no response yet");
        assert_eq!(text_of(&InformerStatus { listed: 1500, ..catching_up.clone() }), "Loading · 1,500 objects so far");
        assert_eq!(text_of(&InformerStatus { objects: 3, ..catching_up.clone() }), "Loading · 3 objects");
        let snapshot = InformerStatus { objects: 3, last_contact_at: Some(5.0), ..catching_up.clone() };
        assert_eq!(text_of(&snapshot), "Loading · as of @5");
        let synced = InformerStatus { has_synced: true, objects: 3, ..catching_up };
        let phase = |phase| InformerStatus { phase, ..synced.clone() };
        assert_eq!(text_of(&phase(Phase::Watching)), "Checking · 3 objects");
        assert_eq!(text_of(&phase(Phase::Reconnecting)), "Reconnecting · 3 objects");
        assert_eq!(text_of(&InformerStatus { listed: 2, ..phase(Phase::Listing) }), "Reloading · 2 objects so far");
    }

    #[test]
    fn errors_have_a_short_cause() {
        let status = |freshness, code| InformerStatus {
            last_contact_at: Some(5.0),
            last_error: Some(error(code, Some(500))),
            next_retry_at: Some(13_500.0),
            ..of(freshness)
        };
        assert_eq!(text_of(&status(Freshness::Stale, ErrorCode::Internal)), "Stale · server error");
        let never = InformerStatus { last_contact_at: None, ..status(Freshness::Stale, ErrorCode::BadRequest) };
        assert_eq!(text_of(&never), "No data · invalid request");
        assert_eq!(text_of(&status(Freshness::Forbidden, ErrorCode::Unauthorized)), "Not logged in");
        let away = status(Freshness::Disconnected, ErrorCode::Network);
        assert_eq!(text_of(&away), "Disconnected · retry in 4 s");
        assert_eq!(text_of(&InformerStatus { next_retry_at: Some(1.0), ..away }), "Disconnected · retrying now");
        for code in [
            ErrorCode::Unauthorized,
            ErrorCode::Forbidden,
            ErrorCode::NotFound,
            ErrorCode::Expired,
            ErrorCode::Throttled,
            ErrorCode::TooLargeResourceVersion,
            ErrorCode::BadRequest,
            ErrorCode::Network,
            ErrorCode::Timeout,
            ErrorCode::Decode,
            ErrorCode::Aborted,
            ErrorCode::Closed,
            ErrorCode::Internal,
        ] {
            let sentence = text_of(&status(Freshness::Stale, code));
            assert!(sentence.chars().count() <= MAX_CHARS, "{sentence}");
        }
    }

    #[test]
    fn a_mistyped_namespace_is_no_internal_error() {
        assert!(!advice(&error(ErrorCode::BadRequest, None)).contains("bug"));
        let failed = error(ErrorCode::Network, Some(503));
        assert_eq!(meaning(Freshness::Polling, &failed), POLLING, "kubectl proxy is well");
        assert_eq!(meaning(Freshness::Disconnected, &failed), advice(&failed));
        assert!(advice(&error(ErrorCode::BadRequest, Some(400))).contains("namespace"));
    }
}
