//! Action: an operation on an object that the page offers.

/// Operation on an object that the page offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Action {
    Edit,
    Labels,
    Scale,
    Restart,
    Pause,
    Resume,
    RollBack,
    Suspend,
    Unsuspend,
    Trigger,
    Cordon,
    Uncordon,
    Drain,
    Evict,
    Debug,
    Delete,
}

impl Action {
    /// Whether it ends pods or deletes objects.
    pub(super) fn is_destructive(self) -> bool {
        matches!(self, Self::Restart | Self::Suspend | Self::Evict | Self::Drain | Self::Delete | Self::RollBack)
    }

    /// Whether it applies to several objects at once. The dialogs of the others show details of one object.
    pub(super) fn is_for_many(self) -> bool {
        !matches!(self, Self::Edit | Self::RollBack | Self::Debug)
    }
}
