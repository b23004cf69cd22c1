//! Row counts in words that claim no more than is known, on screen and for screen readers.

use std::time::Duration;

use leptos::leptos_dom::helpers::TimeoutHandle;
use leptos::prelude::*;

use crate::age::thousands;
use crate::rows::Totals;

/// After another filter, kind or namespace the count is announced this soon, in milliseconds.
const SOON: f64 = 700.0;

/// Time without a change before a changed count is announced, in milliseconds.
const STILL: f64 = 2_000.0;

/// Minimum interval between announcements of counts that change by themselves, in milliseconds.
const APART: f64 = 10_000.0;

/// Formats the counts: `1,234 of 50,000`.
pub(super) fn tally(totals: Option<Totals>, is_filtered: bool) -> String {
    let count = |count: usize| thousands(count as u64);
    match totals {
        None => "Loading…".to_owned(),
        Some(Totals { total, of, synced: true }) if is_filtered || total != of => {
            format!("{} of {}", count(total), count(of))
        }
        Some(Totals { total, synced: true, .. }) => count(total),
        Some(Totals { total, of, .. }) if is_filtered => {
            format!("Loading… {} of {} so far", count(total), count(of))
        }
        Some(Totals { of, .. }) => format!("Loading… {} so far", count(of)),
    }
}

/// Formats the counts for a screen reader, with the counted kind. While rows are loading, no count is
/// announced.
fn spoken(totals: Option<Totals>, is_filtered: bool, label: &str) -> String {
    match totals {
        Some(Totals { synced: true, .. }) => format!("{} {label}", tally(totals, is_filtered)),
        _ => format!("Loading {label}"),
    }
}

/// Schedule of the announcements.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Schedule {
    /// Time of the next announcement in milliseconds, by any clock.
    due: Option<f64>,
    /// Whether it follows an action of the user; then nothing postpones it.
    is_answer: bool,
    said_at: f64,
}

impl Schedule {
    /// Schedules an announcement of a change, by the user or not.
    fn note(&mut self, is_answer: bool, now: f64) {
        if is_answer {
            (self.due, self.is_answer) = (Some(now + SOON), true);
        } else if !self.is_answer {
            self.due = Some((now + STILL).max(self.said_at + APART));
        }
    }

    /// Records that it was announced.
    fn say(&mut self, now: f64) {
        *self = Self { due: None, is_answer: false, said_at: now };
    }
}

/// Polite live region with the count: a screen reader announces each change of it. It changes when the user has
/// requested other rows, and rarely otherwise, however fast the cluster changes.
#[component]
pub(super) fn SpokenTally(
    totals: RwSignal<Option<Totals>>,
    is_filtered: Memo<bool>,
    label: Memo<String>,
    /// Query of the user: a new one is worth an announcement.
    asked: Memo<String>,
) -> impl IntoView {
    let text = Memo::new(move |_| label.with(|label| spoken(totals.get(), is_filtered.get(), label)));
    let synced = Memo::new(move |_| totals.get().is_some_and(|totals| totals.synced));
    let occasion = Memo::new(move |_| (asked.get(), label.get(), synced.get()));
    let said = RwSignal::new(String::new());
    let schedule = StoredValue::new(Schedule::default());
    let timer = StoredValue::new_local(None::<TimeoutHandle>);
    let stop = move || {
        if let Some(timer) = timer.try_update_value(Option::take).flatten() {
            timer.clear();
        }
    };
    let say = move || {
        schedule.try_update_value(|schedule| schedule.say(js_sys::Date::now()));
        if let Some(text) = text.try_get_untracked() {
            said.try_set(text);
        }
    };
    Effect::new(move |before: Option<(String, String, bool)>| {
        text.track();
        let (occasion, now) = (occasion.get(), js_sys::Date::now());
        schedule.update_value(|schedule| schedule.note(before.as_ref() != Some(&occasion), now));
        stop();
        if let Some(due) = schedule.with_value(|schedule| schedule.due) {
            let wait = Duration::try_from_secs_f64((due - now) / 1000.0).unwrap_or_default();
            timer.set_value(set_timeout_with_handle(say, wait).ok());
        }
        occasion
    });
    on_cleanup(stop);
    view! { <span class="visually-hidden spoken" role="status" aria-live="polite">{move || said.get()}</span> }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_says_what_it_is_of() {
        let says = |total, of, synced, filtered| tally(Some(Totals { total, of, synced }), filtered);
        assert_eq!(says(1_234, 50_000, true, true), "1,234 of 50,000");
        assert_eq!(says(50_000, 50_000, true, false), "50,000");
        assert_eq!(says(7, 7, true, true), "7 of 7");
        assert_eq!(says(12_500, 12_500, false, false), "Loading… 12,500 so far");
        assert_eq!(says(83, 12_500, false, true), "Loading… 83 of 12,500 so far");
        assert_eq!(tally(None, false), "Loading…");
    }

    #[test]
    fn a_screen_reader_hears_what_is_counted() {
        let totals = |synced| Some(Totals { total: 12, of: 2_009, synced });
        assert_eq!(spoken(totals(true), true, "Pods"), "12 of 2,009 Pods");
        assert_eq!(spoken(totals(false), true, "Pods"), "Loading Pods");
        assert_eq!(spoken(None, false, "Pods"), "Loading Pods");
    }

    #[test]
    fn counts_that_change_all_the_time_are_not_announced() {
        let mut schedule = Schedule::default();
        schedule.note(true, 0.0);
        assert_eq!(schedule.due, Some(SOON));
        schedule.note(false, 500.0);
        assert_eq!(schedule.due, Some(SOON), "nothing postpones the answer to the user");
        schedule.say(SOON);
        schedule.note(false, 1_000.0);
        assert_eq!(schedule.due, Some(SOON + APART));
        schedule.note(false, 20_000.0);
        schedule.note(false, 21_000.0);
        assert_eq!(schedule.due, Some(21_000.0 + STILL), "it waits until the count stands still");
        schedule.note(true, 21_500.0);
        assert_eq!(schedule.due, Some(21_500.0 + SOON));
    }
}
