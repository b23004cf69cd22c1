//! The one error of the crate: typed, cheap to clone, safe to show.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What kind of thing went wrong, in the words of the public surface.
///
/// Closed on purpose: a user interface must be able to say something about each of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorCode {
    /// 401: no credentials, or credentials that the server does not know.
    Unauthorized,
    /// 403: the user may not do this.
    Forbidden,
    /// 404: no such resource or object.
    NotFound,
    /// 410, or a Status with reason `Expired` or `Gone`: the version is too old to continue from.
    Expired,
    /// 429: the server asks for a pause.
    Throttled,
    /// 504 with the cause `ResourceVersionTooLarge`: this server has not reached the version yet.
    TooLargeResourceVersion,
    /// 400 and 422: the request itself is wrong; repeating it will not help.
    BadRequest,
    /// No answer at all. A refused connection and a CORS refusal look the same to `fetch`.
    Network,
    /// No answer, or no sign of life, within the time allowed.
    Timeout,
    /// An answer that is not what was asked for: garbage, HTML, another kind.
    Decode,
    /// The caller gave up.
    Aborted,
    /// The informer or the factory has been stopped.
    Closed,
    /// Everything else the server says with 5xx, and bugs of ours.
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

/// Why a request, a read or an informer failed.
///
/// Shows the code, the request as method and path (never a header, never a token) and what the other side said.
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
    /// An error with a code and a sentence for people.
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

    /// Adds the HTTP status that the server answered with.
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

    /// Adds how long the server asked to wait.
    #[must_use]
    pub fn with_retry_after(mut self, pause: Duration) -> Self {
        Arc::make_mut(&mut self.0).retry_after = Some(pause);
        self
    }

    /// Adds the key of the object that it is about.
    #[must_use]
    pub fn with_object(mut self, key: impl Into<String>) -> Self {
        Arc::make_mut(&mut self.0).object = Some(key.into());
        self
    }

    /// What kind of error this is.
    pub fn code(&self) -> ErrorCode {
        self.0.code
    }

    /// The sentence for people, without the request.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The HTTP status, where there was an answer.
    pub fn status(&self) -> Option<u16> {
        self.0.status
    }

    /// Method and path of the request, without headers.
    pub fn request(&self) -> Option<&str> {
        self.0.request.as_deref()
    }

    /// How long the server asked to wait (`Retry-After`).
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// The key of the object that it is about, where it is about one and its key could be read.
    pub fn object(&self) -> Option<&str> {
        self.0.object.as_deref()
    }

    /// Whether the same request may succeed later without anybody changing it.
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

/// The crate's result.
pub type Result<T, E = InformerError> = std::result::Result<T, E>;
