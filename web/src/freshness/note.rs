//! Note beside data of a kind: what the user may not list, and how old the data is.

use informer::{ErrorCode, ErrorReport, Freshness, InformerStatus};

use super::{explanation, is_stale};

/// Reason why objects of a kind are missing, partial or old. `these` is the subject of the sentence: "these numbers
/// are". `clock` formats a time.
pub(crate) fn note(
    plural: &str,
    these: &str,
    status: &InformerStatus,
    error: Option<&ErrorReport>,
    is_there: bool,
    clock: impl Fn(f64) -> String,
) -> Option<String> {
    let reason = error.or(status.last_error.as_ref().filter(|_| status.freshness != Freshness::Live));
    let is_forbidden = reason.is_some_and(|error| error.code == ErrorCode::Forbidden);
    let cause = match reason {
        Some(_) if is_forbidden => Some(format!("You may not list {plural}.")),
        Some(error) => Some(explanation(error)),
        None => None,
    };
    if !is_there && cause.is_some() {
        return cause;
    }
    let is_old = is_there && is_stale(status.freshness);
    let age = is_old.then(|| match status.last_contact_at {
        None => format!("Not live: {these} of an unknown age."),
        Some(at) => format!("Not live: {these} as of {}.", clock(at)),
    });
    let namespaces = status.namespaces.join(", ");
    let namespaces = (!namespaces.is_empty()).then(|| format!("You may list {plural} only in: {namespaces}."));
    let parts: Vec<String> = [age, cause.filter(|_| is_old), namespaces].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(status: &InformerStatus, is_there: bool) -> Option<String> {
        note("nodes", "these numbers are", status, None, is_there, |at| format!("@{at}"))
    }

    fn failed(freshness: Freshness, code: ErrorCode) -> InformerStatus {
        let error = ErrorReport { code, message: "no".to_owned(), status: None, request: None, retryable: true };
        InformerStatus { freshness, last_error: Some(error), last_contact_at: Some(5.0), ..InformerStatus::default() }
    }

    #[test]
    fn forbidden_partial_and_old_figures_are_reported() {
        let forbidden = failed(Freshness::Forbidden, ErrorCode::Forbidden);
        assert_eq!(text_of(&forbidden, false).as_deref(), Some("You may not list nodes."));
        assert_eq!(
            text_of(&forbidden, true).as_deref(),
            Some("Not live: these numbers are as of @5. You may not list nodes.")
        );
        let away = text_of(&failed(Freshness::Stale, ErrorCode::Internal), true);
        assert_eq!(away.as_deref(), Some("Not live: these numbers are as of @5. Server error: no"));
        let partial = InformerStatus {
            namespaces: vec!["shop".to_owned(), "bank".to_owned()],
            freshness: Freshness::Live,
            ..InformerStatus::default()
        };
        assert_eq!(text_of(&partial, true).as_deref(), Some("You may list nodes only in: shop, bank."));
        let old = InformerStatus { freshness: Freshness::Disconnected, last_contact_at: Some(5.0), ..partial };
        assert_eq!(
            text_of(&old, true).as_deref(),
            Some("Not live: these numbers are as of @5. You may list nodes only in: shop, bank.")
        );
    }

    #[test]
    fn live_figures_need_no_note_after_an_error() {
        assert_eq!(text_of(&failed(Freshness::Live, ErrorCode::Network), true), None);
        assert_eq!(text_of(&InformerStatus::default(), false), None, "they are loading");
    }
}
