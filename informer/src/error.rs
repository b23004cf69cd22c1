//! Error type of the crate: typed, cheap to clone, safe to display.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Kind of an error.
///
/// Closed on purpose: a user interface must be able to explain each of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorCode {
    /// 401: no credentials, or unknown ones.
    Unauthorized,
    /// 403: the user is not allowed to do this.
    Forbidden,
    /// 404: no such resource or object.
    NotFound,
    /// 410, or a Status with reason `Expired` or `Gone`: the version is too old.
    Expired,
    /// 429: the server requests a pause.
    Throttled,
    /// 504 with the cause `ResourceVersionTooLarge`: this server has not reached the version yet.
    TooLargeResourceVersion,
    /// 400 and 422: the request is invalid; a retry cannot succeed.
    BadRequest,
    /// No response. A refused connection and a CORS refusal look the same to `fetch`.
    Network,
    /// No response, or no data, within the time limit.
    Timeout,
    /// An unexpected response: invalid JSON, HTML, another kind.
    Decode,
    /// The caller cancelled the request.
    Aborted,
    /// The informer or the factory has been stopped.
    Closed,
    /// Any other 5xx response, and internal errors.
    Internal,
}

impl ErrorCode {
    /// Its name in messages and in JavaScript: `bad-request`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unauthorized => "unauthorized",
            Self::Forbidden => "forbidden",
            Self::NotFound => "not-found",
            Self::Expired => "expired",
            Self::Throttled => "throttled",
            Self::TooLargeResourceVersion => "too-large-resource-version",
            Self::BadRequest => "bad-request",
            Self::Network => "network",
            Self::Timeout => "timeout",
            Self::Decode => "decode",
            Self::Aborted => "aborted",
            Self::Closed => "closed",
            Self::Internal => "internal",
        }
    }
}

/// Error of a request, a read or an informer.
///
/// Displays the code, the request as method and path (never a header or token) and the message.
#[derive(Clone)]
pub struct InformerError(Arc<Inner>);

#[derive(Clone)]
struct Inner {
    code: ErrorCode,
    message: String,
    status: Option<u16>,
    request: Option<String>,
    retry_after: Option<Duration>,
    object: Option<String>,
}

impl InformerError {
    /// Creates an error with a code and a message.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self(Arc::new(Inner {
            code,
            message: message.into(),
            status: None,
            request: None,
            retry_after: None,
            object: None,
        }))
    }

    /// Adds the HTTP status of the response.
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        Arc::make_mut(&mut self.0).status = Some(status);
        self
    }

    /// Adds the request as `METHOD /path?query`.
    #[must_use]
    pub fn with_request(mut self, request: impl Into<String>) -> Self {
        Arc::make_mut(&mut self.0).request = Some(request.into());
        self
    }

    /// Adds the delay that the server requested.
    #[must_use]
    pub fn with_retry_after(mut self, pause: Duration) -> Self {
        Arc::make_mut(&mut self.0).retry_after = Some(pause);
        self
    }

    /// Adds the key of the affected object.
    #[must_use]
    pub fn with_object(mut self, key: impl Into<String>) -> Self {
        Arc::make_mut(&mut self.0).object = Some(key.into());
        self
    }

    /// Kind of the error.
    pub fn code(&self) -> ErrorCode {
        self.0.code
    }

    /// Message, without the request.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// HTTP status, if there was a response.
    pub fn status(&self) -> Option<u16> {
        self.0.status
    }

    /// Method and path of the request, without headers.
    pub fn request(&self) -> Option<&str> {
        self.0.request.as_deref()
    }

    /// Delay that the server requested (`Retry-After`).
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// Key of the affected object, if it is known.
    pub fn object(&self) -> Option<&str> {
        self.0.object.as_deref()
    }

    /// Whether the same request may succeed later.
    pub fn is_retryable(&self) -> bool {
        !matches!(self.0.code, ErrorCode::BadRequest | ErrorCode::Aborted | ErrorCode::Closed)
    }
}

impl fmt::Display for InformerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        match (&self.0.status, &self.0.request) {
            (Some(status), Some(request)) => write!(f, " (HTTP {status}, {request})"),
            (Some(status), None) => write!(f, " (HTTP {status})"),
            (None, Some(request)) => write!(f, " ({request})"),
            (None, None) => Ok(()),
        }
    }
}

impl fmt::Debug for InformerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self}", self.0.code)
    }
}

impl PartialEq for InformerError {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (&*self.0, &*other.0);
        (a.code, a.status, &a.message, &a.request) == (b.code, b.status, &b.message, &b.request)
    }
}

impl Error for InformerError {}

/// Result type of the crate.
pub type Result<T, E = InformerError> = std::result::Result<T, E>;
