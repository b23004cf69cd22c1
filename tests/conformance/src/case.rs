//! Case: one behaviour of an apiserver, and its test.

use futures::future::BoxFuture;

use crate::halt::Outcome;
use crate::scene::Scene;

/// Case of the suite.
pub(crate) struct Case {
    /// Subject: `list`, `watch`.
    pub(crate) group: &'static str,
    /// Name of its function, which states the expected behaviour.
    pub(crate) name: &'static str,
    /// Whether it must run while no other case does, because it changes more than its own namespace.
    pub(crate) alone: bool,
    pub(crate) run: for<'a> fn(&'a mut Scene) -> BoxFuture<'a, Outcome>,
}

impl Case {
    /// Returns its title: `list: pages tell how many remain`.
    pub(crate) fn title(&self) -> String {
        format!("{}: {}", self.group, self.name.replace('_', " "))
    }
}

/// Creates a table of cases: `cases!["list": one, another; alone: third]`.
macro_rules! cases {
    ($group:literal: $($name:ident),* $(,)? $(; alone: $($lonely:ident),* $(,)?)?) => {
        &[
            $($crate::case::Case {
                group: $group, name: stringify!($name), alone: false, run: |scene| Box::pin($name(scene)),
            },)*
            $($($crate::case::Case {
                group: $group, name: stringify!($lonely), alone: true, run: |scene| Box::pin($lonely(scene)),
            },)*)?
        ]
    };
}
pub(crate) use cases;
