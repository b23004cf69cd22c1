//! Trouble: the current error of an informer, and what its code implies about the server.

use crate::error::{ErrorCode, InformerError};

/// What went wrong last, until there is evidence that it is over.
#[derive(Debug, Default)]
pub(super) enum Trouble {
    /// Nothing is known to be wrong.
    #[default]
    None,
    /// A request or a watch failed, or an event could not be decoded. An open watch, or a list of a resource that is
    /// polled, clears it.
    Failed(InformerError),
    /// A heartbeat of the server failed. Anything that comes from the server clears it.
    Unreachable(InformerError),
}

impl Trouble {
    /// The error to show.
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

    /// Whether a heartbeat failed and nothing has come since.
    pub(super) fn is_unreachable(&self) -> bool {
        matches!(self, Self::Unreachable(_))
    }

    /// Replaces the error that is shown; the evidence that clears it stays the same.
    pub(super) fn show(&mut self, error: InformerError) {
        *self = if self.is_unreachable() { Self::Unreachable(error) } else { Self::Failed(error) };
    }

    /// It is over. What is left is an undecodable event that a list has yet to replace.
    pub(super) fn clear(&mut self, undecodable: Option<&InformerError>) {
        *self = undecodable.cloned().map_or(Self::None, Self::Failed);
    }
}

/// Whether a server that failed with this code may come back as another one, so that it must be verified.
pub(super) fn is_outage(code: ErrorCode) -> bool {
    matches!(code, ErrorCode::Network | ErrorCode::Timeout | ErrorCode::Internal)
}

/// Whether an error says nothing about the version, nor whether the resource may be watched.
pub(super) fn is_passing(code: ErrorCode) -> bool {
    is_outage(code) || code == ErrorCode::Throttled
}

/// Whether a watch that fails with this code may be one that this user or server can never have.
pub(super) fn is_refusal(code: ErrorCode) -> bool {
    // 403; 404 and 405, which is a bad request; and what arrives compressed or otherwise undecodable.
    matches!(code, ErrorCode::Forbidden | ErrorCode::NotFound | ErrorCode::BadRequest | ErrorCode::Decode)
}
