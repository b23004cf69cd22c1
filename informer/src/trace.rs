//! Events for `tracing`, without effect if the feature `tracing` is off: pages of the npm package could not receive them,
//! and would download 7 KB more.

#[cfg(feature = "tracing")]
pub(crate) use tracing::{Span, debug, info_span, warn};

#[cfg(not(feature = "tracing"))]
pub(crate) use silence::{Span, debug, info_span, warn};

#[cfg(not(feature = "tracing"))]
mod silence {
    /// Stand-in for the span of the same name, without effect.
    pub(crate) struct Span;

    impl Span {
        pub(crate) fn none() -> Self {
            Self
        }

        #[expect(clippy::unused_self, reason = "as in tracing")]
        pub(crate) fn enter(&self) -> Self {
            Self
        }
    }

    macro_rules! say_nothing {
        ($($said:tt)*) => {
            ()
        };
    }

    macro_rules! no_span {
        ($($said:tt)*) => {
            $crate::trace::Span::none()
        };
    }

    pub(crate) use no_span as info_span;
    pub(crate) use say_nothing as debug;
    pub(crate) use say_nothing as warn;
}
