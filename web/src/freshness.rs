//! How far the rows can be trusted, in one honest sentence.

use informer::{ErrorCode, ErrorReport, Freshness, InformerStatus};

use crate::age::thousands;

/// Whether what is shown may differ from what the server has.
pub(crate) fn is_doubtful(freshness: Freshness) -> bool {
    matches!(freshness, Freshness::Stale | Freshness::Forbidden | Freshness::Disconnected)
}

/// The sentence. `clock` writes a moment as the user's time of day.
pub(crate) fn sentence(status: &InformerStatus, now: f64, clock: impl Fn(f64) -> String) -> String {
    let objects = |count| {
        let objects = if count == 1 { "1 object".to_owned() } else { format!("{} objects", thousands(count)) };
        match status.namespaces.len() {
            0 => objects,
            1 => format!("{objects} of the one namespace that you may list"),
            count => format!("{objects} of the {count} namespaces that you may list"),
        }
    };
    let since = status.last_contact_at.map_or(String::new(), |at| format!(" since {}", clock(at)));
    match status.freshness {
        Freshness::Live => format!("Live · {}", objects(status.objects)),
        Freshness::CatchingUp if status.listed > 0 => {
            format!("Catching up — {} so far", objects(status.listed))
        }
        Freshness::CatchingUp if status.has_synced => format!("Catching up · {}", objects(status.objects)),
        Freshness::CatchingUp if status.objects > 0 => {
            let from = status.last_contact_at.map_or(String::new(), |at| format!(" as of {}", clock(at)));
            format!("Catching up · {}{from}", objects(status.objects))
        }
        Freshness::CatchingUp => "Catching up — waiting for the first answer".to_owned(),
        Freshness::Polling => format!("Polling{since} · {}", objects(status.objects)),
        Freshness::Waiting => format!("Waiting for a connection{since} · {}", objects(status.objects)),
        Freshness::Stale | Freshness::Forbidden => {
            let head = if since.is_empty() { "Nothing to show yet".to_owned() } else { format!("Stale{since}") };
            match &status.last_error {
                Some(error) => format!("{head} ({}: {})", code(error.code), error.message),
                None => head,
            }
        }
        Freshness::Disconnected => format!("Disconnected{since} — {}", retry(status.next_retry_at, now)),
    }
}

/// When the next attempt is.
fn retry(at: Option<f64>, now: f64) -> String {
    match at.map(|at| ((at - now) / 1000.0).ceil()) {
        Some(seconds) if seconds > 0.0 => format!("retrying in {seconds} s"),
        _ => "retrying now".to_owned(),
    }
}

/// An error code in words.
pub(crate) fn code(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::Unauthorized => "unauthorized",
        ErrorCode::Forbidden => "forbidden",
        ErrorCode::NotFound => "not found",
        ErrorCode::Expired => "expired",
        ErrorCode::Throttled => "throttled",
        ErrorCode::TooLargeResourceVersion => "server is behind",
        ErrorCode::BadRequest => "bad request",
        ErrorCode::Network => "no connection",
        ErrorCode::Timeout => "no answer in time",
        ErrorCode::Decode => "unreadable answer",
        ErrorCode::Aborted => "aborted",
        ErrorCode::Closed => "closed",
        ErrorCode::Internal => "server error",
    }
}

/// What a person can do about an error.
pub(crate) fn advice(error: &ErrorReport) -> &'static str {
    match error.code {
        ErrorCode::Unauthorized => "Log in again where kubectl proxy runs, then restart it.",
        ErrorCode::Forbidden => "Choose a namespace that you may read, or ask for the right to list and watch here.",
        ErrorCode::NotFound => "The server does not have this resource (any more). Choose another kind.",
        ErrorCode::Throttled => "The server asks for a pause; nothing needs to be done.",
        ErrorCode::BadRequest => "The request itself is wrong. Please report this as a bug.",
        ErrorCode::Network => "Look whether kubectl proxy still runs; this page connects again by itself.",
        ErrorCode::Timeout | ErrorCode::Internal => "Look whether the apiserver is well: kubectl get --raw /readyz.",
        ErrorCode::Decode => {
            "Something between this page and the apiserver changes its answers: a proxy, a login page?"
        }
        ErrorCode::Expired | ErrorCode::TooLargeResourceVersion => "A fresh list mends this by itself.",
        ErrorCode::Aborted | ErrorCode::Closed => "Reload the page.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(status: &InformerStatus) -> String {
        sentence(status, 10_000.0, |at| format!("@{at}"))
    }

    fn of(freshness: Freshness) -> InformerStatus {
        InformerStatus { freshness, ..InformerStatus::default() }
    }

    #[test]
    fn each_state_says_what_it_knows() {
        assert_eq!(says(&InformerStatus { objects: 2014, ..of(Freshness::Live) }), "Live · 2,014 objects");
        assert_eq!(says(&InformerStatus { objects: 1, ..of(Freshness::Live) }), "Live · 1 object");
        let namespaces = vec!["shop".to_owned(), "bank".to_owned()];
        assert_eq!(
            says(&InformerStatus { objects: 7, namespaces, ..of(Freshness::Live) }),
            "Live · 7 objects of the 2 namespaces that you may list"
        );
        let status = InformerStatus { listed: 1500, ..of(Freshness::CatchingUp) };
        assert_eq!(says(&status), "Catching up — 1,500 objects so far");
        assert_eq!(says(&of(Freshness::CatchingUp)), "Catching up — waiting for the first answer");
        let status = InformerStatus { objects: 3, last_contact_at: Some(5.0), ..of(Freshness::CatchingUp) };
        assert_eq!(says(&status), "Catching up · 3 objects as of @5");
    }

    #[test]
    fn doubt_names_its_moment_and_its_reason() {
        let error = ErrorReport {
            code: ErrorCode::Forbidden,
            message: "no".to_owned(),
            status: Some(403),
            request: None,
            retryable: true,
        };
        let status = InformerStatus {
            last_contact_at: Some(5.0),
            last_error: Some(error.clone()),
            next_retry_at: Some(13_500.0),
            ..of(Freshness::Stale)
        };
        assert_eq!(says(&status), "Stale since @5 (forbidden: no)");
        assert_eq!(
            says(&InformerStatus { last_contact_at: None, ..status.clone() }),
            "Nothing to show yet (forbidden: no)"
        );
        let status = InformerStatus { freshness: Freshness::Disconnected, ..status };
        assert_eq!(says(&status), "Disconnected since @5 — retrying in 4 s");
        assert_eq!(
            says(&InformerStatus { next_retry_at: Some(1.0), last_contact_at: None, ..status }),
            "Disconnected — retrying now"
        );
    }
}
