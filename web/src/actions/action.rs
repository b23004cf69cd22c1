//! Action: one thing that can be done to an object.

/// One thing that can be done to an object.
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
    /// Whether pods end by it, or something is deleted.
    pub(super) fn is_destructive(self) -> bool {
        matches!(self, Self::Restart | Self::Suspend | Self::Evict | Self::Drain | Self::Delete | Self::RollBack)
    }

    /// Whether it can be done to several objects at once. The others show much of one object.
    pub(super) fn is_for_many(self) -> bool {
        !matches!(self, Self::Edit | Self::RollBack | Self::Debug)
    }
}
