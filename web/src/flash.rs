//! Flash: a short mark on rows that are new or whose cells have changed. Deferred code.
//!
//! Only changes by events are marked, not those by a scroll, another order or filter, or the time.

mod changes;
mod marks;

use std::time::Duration;

use leptos::prelude::*;

use crate::loading::ColumnTools;
use crate::preference;
use changes::Paint;
use marks::Marks;

/// Name under which the choice is stored: `off`, or nothing.
const STORED_AS: &str = "kube-informer.flash";

/// Time between two steps of a mark that fades.
const STEP_TIME: Duration = Duration::from_millis(250);

/// Time after which the rows of a new query are compared again, because its result may come after its rows.
const SETTLE_TIME: Duration = Duration::from_millis(200);

/// Whether changed rows flash. Copies share their state.
#[derive(Clone, Copy)]
pub(crate) struct Flash(RwSignal<bool>);

impl Flash {
    /// Marks changed rows until the owner is cleaned up.
    pub(crate) fn watch(tools: ColumnTools) -> Self {
        let flash = Self(RwSignal::new(preference::stored(STORED_AS).is_none_or(|stored| stored != "off")));
        let ColumnTools { navigator, model, state, shown, .. } = tools;
        // The last paint, unless the next one cannot be compared with it.
        let before = StoredValue::new(None::<Paint>);
        let marks = StoredValue::new_local(Marks::default());
        let fades = StoredValue::new(false);
        let again = RwSignal::new(0_u32);
        let look_again = move || {
            set_timeout(
                move || {
                    again.try_update(|count| *count += 1);
                },
                SETTLE_TIME,
            );
        };
        Effect::new(move || {
            // After another query or with other columns, rows differ without a change.
            navigator.resource.track();
            navigator.namespaces.track();
            navigator.filter.track();
            navigator.sort.track();
            state.filter.track();
            state.columns.track();
            before.set_value(None);
            look_again();
        });
        Effect::new(move || {
            again.track();
            let slots = model.slots.get();
            let rows: Vec<_> = slots.iter().map(|slot| (slot.number, slot.row.try_get().flatten())).collect();
            let totals = state.totals.get();
            let is_pending = state.view.with_value(|view| view.as_ref().is_some_and(crate::view::OpenView::is_pending));
            if is_pending {
                look_again();
            }
            let row_count = model.row_count.get_untracked();
            let is_whole = totals.is_some_and(|totals| totals.synced) && !is_pending && flash.0.get();
            let paint = row_count
                .filter(|_| is_whole)
                .map(|row_count| Paint::new(rows.iter().filter_map(|(_, row)| row.clone()).collect(), row_count));
            marks.update_value(|marks| {
                let key = |slot: usize| {
                    rows.iter().find(|(number, _)| *number == slot)?.1.as_ref().map(|row| row.key.clone())
                };
                marks.clear_others(key);
                before.with_value(|before| {
                    let (Some(before), Some(paint)) = (before, &paint) else { return };
                    if paint.is_same(before) {
                        return;
                    }
                    shown.with_untracked(|shown| {
                        let cells: Vec<usize> = shown.columns.iter().map(|column| column.cell).collect();
                        for (key, change) in paint.since(before, &cells) {
                            let slot = rows.iter().find(|(_, row)| row.as_ref().is_some_and(|row| row.key == key));
                            if let Some((slot, _)) = slot {
                                marks.mark(*slot, key, &change, &shown.columns);
                            }
                        }
                    });
                });
            });
            before.set_value(paint);
            if !fades.get_value() && marks.with_value(|marks| !marks.is_empty()) {
                fades.set_value(true);
                fade_soon(marks, fades);
            }
        });
        flash
    }

    /// Switch for the choice.
    pub(crate) fn switch(self) -> impl IntoView {
        view! {
            <label class="choice flash">
                <input type="checkbox" prop:checked=move || self.0.get() on:change=move |event| self.choose(event_target_checked(&event)) />
                <span class="name">{"Flash rows that change"}</span>
            </label>
        }
    }

    fn choose(self, is_on: bool) {
        preference::store(STORED_AS, (!is_on).then_some("off"));
        self.0.set(is_on);
    }
}

/// Fades the marks step by step until none is left.
fn fade_soon(marks: StoredValue<Marks, LocalStorage>, fades: StoredValue<bool>) {
    let fade = move || match marks.try_update_value(Marks::fade) {
        Some(true) => fade_soon(marks, fades),
        // The table may have gone.
        Some(false) | None => drop(fades.try_set_value(false)),
    };
    set_timeout(fade, STEP_TIME);
}
