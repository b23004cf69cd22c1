//! Classifier of every form of an apiserver's error: a `Status` as an HTTP body, the same `Status` inside a watch,
//! plain text from a proxy, an HTML page from a gateway.

use std::time::Duration;

use informer_packing::Json;
use informer_packing::zero_value::string;

use crate::error::{ErrorCode, InformerError};

/// `metav1.Status`, with the fields that distinguish errors.
pub(crate) struct ApiStatus {
    code: u16,
    reason: String,
    message: String,
    is_too_large_version: bool,
    retry_after: Option<Duration>,
}

impl ApiStatus {
    fn read(body: &[u8]) -> Option<Self> {
        let status = Json::object(str::from_utf8(body).ok()?)?;
        if string(status.get("kind")) != "Status" {
            return None;
        }
        let message = string(status.get("message")).into_owned();
        let seconds = status.pointer("/details/retryAfterSeconds").and_then(Json::as_u64);
        Some(Self {
            code: status.get("code").and_then(Json::as_u64).and_then(|code| code.try_into().ok()).unwrap_or(0),
            reason: string(status.get("reason")).into_owned(),
            is_too_large_version: is_too_large_version(status, &message),
            message,
            retry_after: seconds.filter(|seconds| *seconds > 0).map(Duration::from_secs),
        })
    }

    /// Returns the error of a body, if it is a Status.
    pub(crate) fn parse(json: &[u8]) -> Option<InformerError> {
        Some(Self::read(json)?.into_error(None))
    }

    /// Returns the error of an ERROR event. An object other than a Status is an error too (ERR-13).
    pub(crate) fn in_stream(json: &str) -> InformerError {
        Self::parse(json.as_bytes()).unwrap_or_else(|| {
            InformerError::new(ErrorCode::Internal, "the watch ended with an ERROR event that contains no Status")
        })
    }

    /// Classifies in client-go's order (apimachinery `errors.ReasonForError`): the reason decides, the code only if the
    /// reason is unknown. 429 counts for every reason.
    fn code(&self, http: Option<u16>) -> ErrorCode {
        let code = if self.code == 0 { http.unwrap_or(0) } else { self.code };
        if code == 429 {
            return ErrorCode::Throttled;
        }
        match self.reason.as_str() {
            "Unauthorized" => ErrorCode::Unauthorized,
            "Forbidden" => ErrorCode::Forbidden,
            "NotFound" => ErrorCode::NotFound,
            "Expired" | "Gone" => ErrorCode::Expired,
            "TooManyRequests" => ErrorCode::Throttled,
            "BadRequest" | "Invalid" | "NotAcceptable" | "MethodNotAllowed" | "UnsupportedMediaType" => {
                ErrorCode::BadRequest
            }
            "Timeout" | "ServerTimeout" if self.is_too_large_version => ErrorCode::TooLargeResourceVersion,
            "Timeout" | "ServerTimeout" => ErrorCode::Timeout,
            "InternalError" | "ServiceUnavailable" | "StoreReadError" => ErrorCode::Internal,
            _ => by_http_status(code),
        }
    }

    fn into_error(self, http: Option<u16>) -> InformerError {
        let code = self.code(http);
        let status = http.or((self.code != 0).then_some(self.code));
        let message =
            if self.message.is_empty() { format!("the server responded with {}", self.reason) } else { self.message };
        let mut error = InformerError::new(code, message);
        if let Some(status) = status {
            error = error.with_status(status);
        }
        match self.retry_after {
            Some(pause) => error.with_retry_after(pause),
            None => error,
        }
    }
}

/// Three generations of servers report it in three ways (LST-05).
fn is_too_large_version(status: Json<'_>, message: &str) -> bool {
    const WORDS: &str = "Too large resource version";
    find(message, WORDS).is_some()
        || status.pointer("/details/causes").is_some_and(|causes| {
            causes.items().any(|cause| {
                string(cause.get("reason")) == "ResourceVersionTooLarge"
                    || find(&string(cause.get("message")), WORDS).is_some()
            })
        })
}

/// Returns the error of an HTTP response with a status other than 2xx.
pub(crate) fn http_error(status: u16, body: &[u8]) -> InformerError {
    if let Some(api) = ApiStatus::read(body) {
        return api.into_error(Some(status));
    }
    // Without a Status, the response does not come from an apiserver's API machinery but from a proxy before it. 5xx
    // then means that the apiserver is unreachable (kubectl proxy responds with 500 text/plain). A 4xx of a proxy says
    // nothing about the request, so it must not end the retries as a bad request does.
    let code = match by_http_status(status) {
        _ if status >= 500 => ErrorCode::Network,
        ErrorCode::BadRequest => ErrorCode::Decode,
        code => code,
    };
    InformerError::new(code, excerpt(body)).with_status(status)
}

fn by_http_status(status: u16) -> ErrorCode {
    match status {
        401 => ErrorCode::Unauthorized,
        403 => ErrorCode::Forbidden,
        404 => ErrorCode::NotFound,
        410 => ErrorCode::Expired,
        408 | 504 => ErrorCode::Timeout,
        429 => ErrorCode::Throttled,
        400..500 => ErrorCode::BadRequest,
        _ => ErrorCode::Internal,
    }
}

/// Summary of a body for users: its first line of text, or its title if it is an HTML page.
pub(crate) fn excerpt(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body.get(..2048).unwrap_or(body));
    let text = text.trim();
    if text.starts_with('<') {
        return match title(text) {
            Some(title) => format!("expected JSON, received an HTML page: {title:?}"),
            None => "expected JSON, received an HTML page".to_owned(),
        };
    }
    match text.lines().next() {
        Some(line) => line.chars().take(300).collect(),
        None => "the response was empty".to_owned(),
    }
}

/// Returns the title of an HTML page.
fn title(page: &str) -> Option<&str> {
    const START: &str = "<title>";
    let title = page.get(find(page, START)? + START.len()..)?;
    Some(title.get(..find(title, "</title>")?)?.trim())
}

/// Returns the position of `words` in a text. The standard library's search is 2 KB of wasm, and made for long texts.
fn find(text: &str, words: &str) -> Option<usize> {
    text.as_bytes().windows(words.len()).position(|window| window == words.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(status: u16, body: &str, expected: ErrorCode) {
        assert_eq!(http_error(status, body.as_bytes()).code(), expected, "{status} {body}");
    }

    #[test]
    fn err_11_the_reason_takes_precedence_over_the_code() {
        let status = |code: u16, reason: &str| format!(r#"{{"kind":"Status","code":{code},"reason":"{reason}"}}"#);
        check(410, &status(410, "Expired"), ErrorCode::Expired);
        check(410, &status(410, "Novel"), ErrorCode::Expired);
        check(500, &status(500, "Expired"), ErrorCode::Expired);
        check(429, &status(429, "Forbidden"), ErrorCode::Throttled);
        check(403, &status(403, "Forbidden"), ErrorCode::Forbidden);
        check(500, &status(500, "StoreReadError"), ErrorCode::Internal);
        check(504, &status(504, "Timeout"), ErrorCode::Timeout);
        check(422, &status(422, "Invalid"), ErrorCode::BadRequest);
        check(418, &status(418, ""), ErrorCode::BadRequest);
    }

    #[test]
    fn err_11_the_table_of_reasons_and_codes() {
        for (code, reason, expected) in [
            (0, "Expired", ErrorCode::Expired),
            (0, "Gone", ErrorCode::Expired),
            (410, "Gone", ErrorCode::Expired),
            (410, "", ErrorCode::Expired),
            (410, "Forbidden", ErrorCode::Forbidden),
            (429, "", ErrorCode::Throttled),
            (429, "Expired", ErrorCode::Throttled),
            (0, "TooManyRequests", ErrorCode::Throttled),
            (413, "RequestEntityTooLarge", ErrorCode::BadRequest),
            (413, "Novel", ErrorCode::BadRequest),
            (504, "Timeout", ErrorCode::Timeout),
            (500, "ServerTimeout", ErrorCode::Timeout),
            (504, "", ErrorCode::Timeout),
            (500, "InternalError", ErrorCode::Internal),
            (500, "", ErrorCode::Internal),
            (503, "ServiceUnavailable", ErrorCode::Internal),
            (404, "NotFound", ErrorCode::NotFound),
            (401, "Unauthorized", ErrorCode::Unauthorized),
            (0, "", ErrorCode::Internal),
        ] {
            let status = format!(r#"{{"kind":"Status","code":{code},"reason":"{reason}"}}"#);
            // The same Status means the same in a stream, which has no HTTP status.
            assert_eq!(ApiStatus::in_stream(&status).code(), expected, "{status}");
            let http = if code == 0 { 500 } else { code };
            check(http, &status, expected);
        }
    }

    #[test]
    fn lst_05_three_forms_of_a_version_that_is_too_large() {
        check(
            504,
            r#"{"kind":"Status","code":504,"reason":"Timeout","details":{"causes":[{"reason":"ResourceVersionTooLarge"}]}}"#,
            ErrorCode::TooLargeResourceVersion,
        );
        check(
            504,
            r#"{"kind":"Status","code":504,"reason":"Timeout","details":{"causes":[{"message":"Too large resource version"}]}}"#,
            ErrorCode::TooLargeResourceVersion,
        );
        check(
            504,
            r#"{"kind":"Status","code":504,"reason":"Timeout","message":"Too large resource version: 9, current: 3"}"#,
            ErrorCode::TooLargeResourceVersion,
        );
    }

    #[test]
    fn what_is_not_a_status_is_told_by_its_http_status() {
        check(500, "dial tcp 127.0.0.1:6443: connect: connection refused", ErrorCode::Network);
        check(502, "<html><head><title>Bad Gateway</title>", ErrorCode::Network);
        check(429, "Too many requests, please try again later.", ErrorCode::Throttled);
        check(404, "404 page not found\n", ErrorCode::NotFound);
        check(403, "Forbidden", ErrorCode::Forbidden);
        check(410, "", ErrorCode::Expired);
        check(431, "Request Header Fields Too Large", ErrorCode::Decode);
        check(400, "<html><title>Bad Request</title>", ErrorCode::Decode);
        check(
            504,
            r#"{"kind":"Status","code":504,"reason":"Timeout","details":{"causes":null,"retryAfterSeconds":-1}}"#,
            ErrorCode::Timeout,
        );
        let html = http_error(502, b"<html><head><title>Bad Gateway</title></head></html>");
        assert_eq!(html.message(), "expected JSON, received an HTML page: \"Bad Gateway\"");
    }

    #[test]
    fn err_13_an_error_event_without_a_status_is_an_error() {
        for json in ["null", "\"x\"", "{\"kind\":\"Pod\"}", "[]"] {
            assert_eq!(ApiStatus::in_stream(json).code(), ErrorCode::Internal);
        }
    }
}
