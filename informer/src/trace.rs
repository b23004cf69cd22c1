//! Events for `tracing`, and nothing if the feature of that name is off: in the npm package no page could receive
//! it, and it is 7 KB of what each would download.

#[cfg(feature = "tracing")]
pub(crate) use tracing::{Span, debug, info_span, warn};

#[cfg(not(feature = "tracing"))]
pub(crate) use silence::{Span, debug, info_span, warn};

#[cfg(not(feature = "tracing"))]
mod silence {
    /// As the span of the same name, without a word.
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
