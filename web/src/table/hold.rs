//! Frozen order: rows do not move while the pointer is about to press one.

use std::time::Duration;

use leptos::leptos_dom::helpers::TimeoutHandle;
use leptos::prelude::*;

use super::table_view::TableView;

/// How long the order stays frozen after the last movement of the pointer.
const AT_MOST: Duration = Duration::from_secs(10);

/// Freeze state: the pointer's position and last movement. Copies share their state.
#[derive(Clone, Copy)]
pub(crate) struct Hold {
    view: TableView,
    pointer: StoredValue<(i32, i32)>,
    moved_at: StoredValue<f64>,
    timer: StoredValue<Option<TimeoutHandle>, LocalStorage>,
}

impl Hold {
    /// Starts with the pointer outside of the rows.
    pub(super) fn new(view: TableView) -> Self {
        Self {
            view,
            pointer: StoredValue::new((0, 0)),
            moved_at: StoredValue::new(0.0),
            timer: StoredValue::new_local(None),
        }
    }

    /// The pointer is on the rows. Rows that move below a resting pointer are no movement of the pointer.
    pub(crate) fn pointed(self, x: i32, y: i32) {
        if self.pointer.get_value() != (x, y) {
            self.pointer.set_value((x, y));
            self.moved();
        }
    }

    /// The pointer or the keyboard moved on the rows. Called many times a second.
    pub(crate) fn moved(self) {
        // During the first list, rows find their places: freezing them would keep the page from filling.
        if !self.view.state.totals.get_untracked().is_some_and(|totals| totals.synced) {
            return;
        }
        self.moved_at.set_value(js_sys::Date::now());
        self.view.hold(true);
        if self.timer.with_value(Option::is_none) {
            self.wait(AT_MOST);
        }
    }

    /// The pointer has left the rows.
    pub(crate) fn let_go(self) {
        if let Some(timer) = self.timer.try_update_value(Option::take).flatten() {
            timer.clear();
        }
        self.view.hold(false);
    }

    /// A single timer checks the elapsed time; it is not reset for each movement.
    fn wait(self, pause: Duration) {
        let look = move || {
            self.timer.try_set_value(None);
            let since = js_sys::Date::now() - self.moved_at.try_get_value().unwrap_or_default();
            // Setting the clock back must not prolong the freeze.
            let since = Duration::try_from_secs_f64(since / 1000.0).unwrap_or(AT_MOST);
            match AT_MOST.checked_sub(since).filter(|rest| !rest.is_zero()) {
                Some(rest) => self.wait(rest),
                None => self.view.hold(false),
            }
        };
        self.timer.set_value(set_timeout_with_handle(look, pause).ok());
    }
}
