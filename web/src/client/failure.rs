//! Failure of a request: its message, each invalid field, each owner of a field, and what to do.

/// Error of a request that the page sends: what the package reads from the server's response. An informer's error is an
/// [`ErrorReport`](informer::ErrorReport), which has neither these fields nor the code `conflict`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Failure {
    pub(crate) code: String,
    pub(crate) status: Option<u16>,
    pub(crate) reason: String,
    pub(crate) message: String,
    pub(crate) webhook: Option<String>,
    pub(crate) retry_after_ms: Option<f64>,
    pub(crate) causes: Vec<Cause>,
    pub(crate) conflicts: Vec<Conflict>,
}

/// A field that the server rejects.
#[derive(Clone, Debug, Default, PartialEq, serde::Deserialize)]
#[serde(default)]
pub(crate) struct Cause {
    pub(crate) field: String,
    pub(crate) message: String,
}

/// A field of another manager.
#[derive(Clone, Debug, Default, PartialEq, serde::Deserialize)]
#[serde(default)]
pub(crate) struct Conflict {
    pub(crate) field: String,
    pub(crate) manager: String,
}

impl Failure {
    /// Title: what happened, in a few words.
    pub(crate) fn title(&self) -> String {
        let what = match self.code.as_str() {
            _ if self.webhook_has_failed() => "An admission webhook does not respond",
            _ if self.webhook.is_some() => "An admission webhook rejected the request",
            "forbidden" if self.reason.is_empty() => "The proxy rejected the request",
            "forbidden" => "Not allowed",
            "unauthorized" => "Not logged in",
            "not-found" => "The object does not exist any more",
            "conflict" if !self.conflicts.is_empty() => "Other managers own these fields",
            "conflict" if self.reason == "AlreadyExists" => "The object exists already",
            "conflict" => "The object has changed",
            "throttled" if self.status == Some(429) => "Too many requests",
            "network" | "timeout" => "No response from the server",
            "decode" => "The response cannot be decoded",
            _ if self.status == Some(422) || self.reason == "Invalid" => "The server rejects the object as invalid",
            _ => "The request failed",
        };
        self.status.map_or_else(|| what.to_owned(), |status| format!("{what} ({status})"))
    }

    /// Whether the apiserver could not call a webhook, which is not a rejection.
    fn webhook_has_failed(&self) -> bool {
        self.webhook.is_some() && self.message.contains("failed calling webhook")
    }

    /// Whether the server may have performed the request, although there is no valid response.
    pub(crate) fn is_unsure(&self) -> bool {
        matches!(self.code.as_str(), "network" | "timeout" | "decode")
    }

    /// Advice: what to do.
    pub(crate) fn advice(&self) -> String {
        if self.webhook_has_failed() {
            return "Check that the service of the webhook has ready pods. A configuration with failurePolicy Ignore accepts requests without it."
                .to_owned();
        }
        if self.webhook.is_some() {
            return "Change the object so that the webhook accepts it, or ask the administrator of the webhook."
                .to_owned();
        }
        match self.code.as_str() {
            "forbidden" if self.reason.is_empty() => {
                "The proxy allows no writes: it was started with READONLY=1, --read-only or --reject-methods."
                    .to_owned()
            }
            "forbidden" => "Ask an administrator of the cluster for this right.".to_owned(),
            "conflict" => "Look at the current state, then try again.".to_owned(),
            "throttled" => self.retry_after_ms.filter(|pause| *pause > 0.0).map_or_else(
                || "Try again later.".to_owned(),
                |pause| format!("The server asks to wait for {} s.", (pause / 1000.0).ceil()),
            ),
            "network" | "timeout" => {
                "Check that the proxy is running. The request may have been carried out: look before you repeat it."
                    .to_owned()
            }
            "decode" => "The request may have been carried out: look before you repeat it.".to_owned(),
            _ => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(code: &str, status: u16, reason: &str) -> Failure {
        Failure { code: code.to_owned(), status: Some(status), reason: reason.to_owned(), ..Failure::default() }
    }

    #[test]
    fn rejections_by_the_proxy_and_by_the_cluster_differ() {
        assert_eq!(failure("forbidden", 403, "").title(), "The proxy rejected the request (403)");
        assert_eq!(failure("forbidden", 403, "Forbidden").title(), "Not allowed (403)");
    }

    #[test]
    fn a_request_without_a_readable_response_may_have_been_carried_out() {
        for code in ["network", "timeout", "decode"] {
            let failure = Failure { code: code.to_owned(), ..Failure::default() };
            assert!(failure.is_unsure() && failure.advice().contains("look before you repeat it"), "{code}");
        }
        assert!(!failure("conflict", 409, "Conflict").is_unsure());
    }

    #[test]
    fn a_webhook_is_named_whatever_its_status() {
        let webhook = Some("policy.example.com".to_owned());
        let failure = Failure { webhook, ..failure("forbidden", 403, "Forbidden") };
        assert_eq!(failure.title(), "An admission webhook rejected the request (403)");
    }

    #[test]
    fn a_webhook_that_does_not_respond_has_not_rejected() {
        let webhook = Some("policy.example.com".to_owned());
        let message = "Internal error occurred: failed calling webhook \"policy.example.com\": no endpoints".to_owned();
        let failure = Failure { message, webhook, ..failure("internal", 500, "InternalError") };
        assert_eq!(failure.title(), "An admission webhook does not respond (500)");
        assert!(failure.advice().starts_with("Check that the service of the webhook"));
    }

    #[test]
    fn the_pause_requested_by_the_server_is_shown_in_seconds() {
        let failure = Failure { retry_after_ms: Some(9_500.0), ..failure("throttled", 429, "TooManyRequests") };
        assert_eq!(failure.advice(), "The server asks to wait for 10 s.");
    }

    #[test]
    fn an_object_that_is_invalid_is_no_internal_error() {
        assert_eq!(failure("bad-request", 422, "Invalid").title(), "The server rejects the object as invalid (422)");
    }
}
