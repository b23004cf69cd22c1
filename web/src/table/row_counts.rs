//! Row counts as text, on screen and for screen readers: a count of an incomplete list is marked as such.

use std::time::Duration;

use leptos::leptos_dom::helpers::TimeoutHandle;
use leptos::prelude::*;

use crate::age::thousands;
use crate::rows::Totals;

/// Delay of the announcement after another filter, kind or namespace, in milliseconds.
const USER_DELAY: f64 = 700.0;

/// Time without a change before a changed count is announced, in milliseconds.
const SETTLE_TIME: f64 = 2_000.0;

/// Minimum interval between announcements of counts that change by themselves, in milliseconds.
const MIN_INTERVAL: f64 = 10_000.0;

/// Formats the counts: `1,234 of 50,000`.
pub(super) fn row_counts(totals: Option<Totals>, is_filtered: bool) -> String {
    let count = |count: usize| thousands(count as u64);
    match totals {
        None => "Loading…".to_owned(),
        Some(Totals { total, unfiltered, synced: true }) if is_filtered || total != unfiltered => {
            format!("{} of {}", count(total), count(unfiltered))
        }
        Some(Totals { total, synced: true, .. }) => count(total),
        Some(Totals { total, unfiltered, .. }) if is_filtered => {
            format!("Loading… {} of {} so far", count(total), count(unfiltered))
        }
        Some(Totals { unfiltered, .. }) => format!("Loading… {} so far", count(unfiltered)),
    }
}

/// Formats the counts for a screen reader, with the counted kind. While rows are loading, no count is
/// announced.
fn spoken(totals: Option<Totals>, is_filtered: bool, label: &str) -> String {
    match totals {
        Some(Totals { synced: true, .. }) => format!("{} {label}", row_counts(totals, is_filtered)),
        _ => format!("Loading {label}"),
    }
}

/// Schedule of the announcements.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Schedule {
    /// Time of the next announcement in milliseconds, by any clock.
    due: Option<f64>,
    /// Whether it follows an action of the user; then nothing postpones it.
    is_by_user: bool,
    announced_at: f64,
}

impl Schedule {
    /// Schedules an announcement of a change, by the user or not.
    fn on_change(&mut self, is_by_user: bool, now: f64) {
        if is_by_user {
            (self.due, self.is_by_user) = (Some(now + USER_DELAY), true);
        } else if !self.is_by_user {
            self.due = Some((now + SETTLE_TIME).max(self.announced_at + MIN_INTERVAL));
        }
    }

    /// Records that the count was announced.
    fn announce(&mut self, now: f64) {
        *self = Self { due: None, is_by_user: false, announced_at: now };
    }
}

/// Polite live region with the count: a screen reader announces each change of it. It changes when the user has
/// requested other rows, and rarely otherwise, however fast the cluster changes.
#[component]
pub(super) fn SpokenRowCounts(
    totals: RwSignal<Option<Totals>>,
    is_filtered: Memo<bool>,
    label: Memo<String>,
    /// Query of the user: a new one is worth an announcement.
    user_query: Memo<String>,
) -> impl IntoView {
    let text = Memo::new(move |_| label.with(|label| spoken(totals.get(), is_filtered.get(), label)));
    let synced = Memo::new(move |_| totals.get().is_some_and(|totals| totals.synced));
    let trigger = Memo::new(move |_| (user_query.get(), label.get(), synced.get()));
    let announced = RwSignal::new(String::new());
    let schedule = StoredValue::new(Schedule::default());
    let timer = StoredValue::new_local(None::<TimeoutHandle>);
    let stop = move || {
        if let Some(timer) = timer.try_update_value(Option::take).flatten() {
            timer.clear();
        }
    };
    let announce = move || {
        schedule.try_update_value(|schedule| schedule.announce(js_sys::Date::now()));
        if let Some(text) = text.try_get_untracked() {
            announced.try_set(text);
        }
    };
    Effect::new(move |before: Option<(String, String, bool)>| {
        text.track();
        let (trigger, now) = (trigger.get(), js_sys::Date::now());
        schedule.update_value(|schedule| schedule.on_change(before.as_ref() != Some(&trigger), now));
        stop();
        if let Some(due) = schedule.with_value(|schedule| schedule.due) {
            let wait = Duration::try_from_secs_f64((due - now) / 1000.0).unwrap_or_default();
            timer.set_value(set_timeout_with_handle(announce, wait).ok());
        }
        trigger
    });
    on_cleanup(stop);
    view! { <span class="visually-hidden spoken" role="status" aria-live="polite">{move || announced.get()}</span> }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_formatted_with_the_unfiltered_count() {
        let text =
            |total, unfiltered, synced, filtered| row_counts(Some(Totals { total, unfiltered, synced }), filtered);
        assert_eq!(text(1_234, 50_000, true, true), "1,234 of 50,000");
        assert_eq!(text(50_000, 50_000, true, false), "50,000");
        assert_eq!(text(7, 7, true, true), "7 of 7");
        assert_eq!(text(12_500, 12_500, false, false), "Loading… 12,500 so far");
        assert_eq!(text(83, 12_500, false, true), "Loading… 83 of 12,500 so far");
        assert_eq!(row_counts(None, false), "Loading…");
    }

    #[test]
    fn the_announcement_names_the_counted_kind() {
        let totals = |synced| Some(Totals { total: 12, unfiltered: 2_009, synced });
        assert_eq!(spoken(totals(true), true, "Pods"), "12 of 2,009 Pods");
        assert_eq!(spoken(totals(false), true, "Pods"), "Loading Pods");
        assert_eq!(spoken(None, false, "Pods"), "Loading Pods");
    }

    #[test]
    fn counts_that_change_all_the_time_are_not_announced() {
        let mut schedule = Schedule::default();
        schedule.on_change(true, 0.0);
        assert_eq!(schedule.due, Some(USER_DELAY));
        schedule.on_change(false, 500.0);
        assert_eq!(schedule.due, Some(USER_DELAY), "nothing postpones the answer to the user");
        schedule.announce(USER_DELAY);
        schedule.on_change(false, 1_000.0);
        assert_eq!(schedule.due, Some(USER_DELAY + MIN_INTERVAL));
        schedule.on_change(false, 20_000.0);
        schedule.on_change(false, 21_000.0);
        assert_eq!(schedule.due, Some(21_000.0 + SETTLE_TIME), "it waits until the count stands still");
        schedule.on_change(true, 21_500.0);
        assert_eq!(schedule.due, Some(21_500.0 + USER_DELAY));
    }
}
