//! Frozen order: rows keep their positions while the pointer or the keyboard moves on them, so that a click hits the
//! intended row.

use std::time::Duration;

use leptos::leptos_dom::helpers::TimeoutHandle;
use leptos::prelude::*;

use super::table_view::TableView;

/// Time for which the order stays frozen after the last movement of the pointer.
const FREEZE_TIME: Duration = Duration::from_secs(10);

/// Freeze state: the pointer's position and last movement. Copies share their state.
#[derive(Clone, Copy)]
pub(crate) struct OrderFreeze {
    view: TableView,
    pointer: StoredValue<(i32, i32)>,
    moved_at: StoredValue<f64>,
    timer: StoredValue<Option<TimeoutHandle>, LocalStorage>,
}

impl OrderFreeze {
    /// Starts with the pointer outside of the rows.
    pub(super) fn new(view: TableView) -> Self {
        Self {
            view,
            pointer: StoredValue::new((0, 0)),
            moved_at: StoredValue::new(0.0),
            timer: StoredValue::new_local(None),
        }
    }

    /// Records the pointer on the rows. Rows that move below a resting pointer are no movement of the pointer.
    pub(crate) fn pointer_at(self, x: i32, y: i32) {
        if self.pointer.get_value() != (x, y) {
            self.pointer.set_value((x, y));
            self.renew();
        }
    }

    /// Freezes the order again for the whole time: the pointer or the keyboard moved on the rows. Called many times a
    /// second.
    pub(crate) fn renew(self) {
        // During the first list, rows move to their positions: freezing them would keep the page from filling.
        if !self.view.state.totals.get_untracked().is_some_and(|totals| totals.synced) {
            return;
        }
        self.moved_at.set_value(js_sys::Date::now());
        self.view.freeze(true);
        if self.timer.with_value(Option::is_none) {
            self.wait(FREEZE_TIME);
        }
    }

    /// Unfreezes the order: the pointer has left the rows.
    pub(crate) fn unfreeze(self) {
        if let Some(timer) = self.timer.try_update_value(Option::take).flatten() {
            timer.clear();
        }
        self.view.freeze(false);
    }

    /// Waits with a single timer, which checks the elapsed time: it is not reset for each movement.
    fn wait(self, pause: Duration) {
        let check = move || {
            self.timer.try_set_value(None);
            let since = js_sys::Date::now() - self.moved_at.try_get_value().unwrap_or_default();
            // Setting the clock back must not prolong the freeze.
            let since = Duration::try_from_secs_f64(since / 1000.0).unwrap_or(FREEZE_TIME);
            match FREEZE_TIME.checked_sub(since).filter(|rest| !rest.is_zero()) {
                Some(rest) => self.wait(rest),
                None => self.view.freeze(false),
            }
        };
        self.timer.set_value(set_timeout_with_handle(check, pause).ok());
    }
}
