//! Changes of objects, in messages to handlers.

use serde::{Deserialize, Serialize};

use super::raw;

/// Options of a page's handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EventHandlerOptions {
    /// Whether it first receives the cached objects.
    pub replay: bool,
    /// Resync period in milliseconds; 0 disables, `None` is the informer's. The informer limits it:
    /// [`informer::HandlerOptions::resync_period`].
    pub resync_period: Option<u32>,
}

impl Default for EventHandlerOptions {
    fn default() -> Self {
        Self { replay: true, resync_period: None }
    }
}

/// Change of an object, as handlers receive it. Objects are JSON text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangeMessage {
    /// Kind of the change.
    #[serde(rename = "type")]
    pub kind: ChangeKind,
    /// Key of the object.
    pub key: String,
    /// The object, or its last known state.
    #[serde(with = "raw")]
    pub object: String,
    /// The object before an update; none in a resync, where it is the same object.
    #[serde(skip_serializing_if = "Option::is_none", default, with = "raw::option")]
    pub previous: Option<String>,
    /// Whether an addition belongs to the objects that were cached when the handler was added.
    pub is_in_initial_list: bool,
    /// Whether a deletion was missed, so that its state is only the last known one.
    pub final_state_unknown: bool,
}

/// Kind of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ChangeKind {
    /// The object is new.
    Add,
    /// The object changed.
    Update,
    /// The object was deleted.
    Delete,
}
