//! Phase of an informer in the list/watch protocol.

use serde::{Deserialize, Serialize};

/// Phase of an informer in the list/watch protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Not started.
    #[default]
    Idle,
    /// A list is in flight, the first one or a relist.
    Listing,
    /// A watch is open: changes arrive as they happen.
    Watching,
    /// Between two attempts, or a watch that has not been answered yet.
    Reconnecting,
    /// Ended by its user.
    Stopped,
    /// Ended by an error that no retry can correct, such as a malformed selector.
    Failed,
}

impl Phase {
    /// Its name in messages and in JavaScript.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Listing => "listing",
            Self::Watching => "watching",
            Self::Reconnecting => "reconnecting",
            Self::Stopped => "stopped",
            Self::Failed => "failed",
        }
    }
}
