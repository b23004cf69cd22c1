//! Current error: the last error of an informer, and what its code implies about the server.

use crate::error::{ErrorCode, InformerError};

/// Last error of an informer, until there is evidence of recovery.
#[derive(Debug, Default)]
pub(super) enum CurrentError {
    /// No error.
    #[default]
    None,
    /// A request or a watch failed, or an event could not be decoded. An open watch, or a list of a resource that is
    /// polled, clears it.
    Failed(InformerError),
    /// A heartbeat of the server failed. Any message from the server clears it.
    Unreachable(InformerError),
}

impl CurrentError {
    /// Returns the error, if there is one.
    pub(super) fn error(&self) -> Option<&InformerError> {
        match self {
            Self::None => None,
            Self::Failed(error) | Self::Unreachable(error) => Some(error),
        }
    }

    /// Whether there is no error.
    pub(super) fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }

    /// Whether a heartbeat failed and the server has sent nothing since.
    pub(super) fn is_unreachable(&self) -> bool {
        matches!(self, Self::Unreachable(_))
    }

    /// Replaces the error that is shown; the evidence that clears it stays the same.
    pub(super) fn show(&mut self, error: InformerError) {
        *self = if self.is_unreachable() { Self::Unreachable(error) } else { Self::Failed(error) };
    }

    /// Clears the error. Only an undecodable event that a list has yet to replace remains as the error.
    pub(super) fn clear(&mut self, undecodable: Option<&InformerError>) {
        *self = undecodable.cloned().map_or(Self::None, Self::Failed);
    }
}

/// Whether a server that failed with this code may come back as another one, so that it must be verified.
pub(super) fn is_outage(code: ErrorCode) -> bool {
    matches!(code, ErrorCode::Network | ErrorCode::Timeout | ErrorCode::Internal)
}

/// Whether an error is temporary: it contains no information about the version or the right to watch.
pub(super) fn is_passing(code: ErrorCode) -> bool {
    is_outage(code) || code == ErrorCode::Throttled
}

/// Whether this code may mean that the user must not, or the server cannot, watch the resource.
pub(super) fn is_rejection(code: ErrorCode) -> bool {
    // 403; 404 and 405, which is a bad request; and what arrives compressed or otherwise undecodable.
    matches!(code, ErrorCode::Forbidden | ErrorCode::NotFound | ErrorCode::BadRequest | ErrorCode::Decode)
}
