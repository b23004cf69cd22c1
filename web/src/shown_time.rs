//! Time that the page shows: the present, or an earlier time that its informers are rewound to (`timeline.rs`).

use std::cell::Cell;

thread_local! {
    static SHOWN_TIME: Cell<Option<f64>> = const { Cell::new(None) };
}

/// Returns the shown time, in milliseconds since the Unix epoch.
pub(crate) fn now() -> f64 {
    SHOWN_TIME.get().unwrap_or_else(js_sys::Date::now)
}

/// Sets the shown time; `None` is the present.
pub(crate) fn set(time: Option<f64>) {
    SHOWN_TIME.set(time);
}
