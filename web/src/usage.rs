//! Usage of pods and nodes: CPU and memory from metrics.k8s.io in the cells of the rows in sight. Deferred code.
//!
//! The samples are those of an informer, which is polled while such a column is shown, and not opened otherwise. Of its
//! cache only the rows in sight are read, and of these the objects, for their requests, limits or capacity.

mod cells;
mod header;
mod measured;
mod reading;
mod sample;

use std::collections::HashSet;
use std::time::Duration;

use leptos::prelude::*;
use wasm_bindgen::JsCast;

use crate::freshness::is_stale;
use crate::layout::Usage;
use crate::loading::ColumnTools;
use crate::metrics_api;
use crate::scoped_informer::ScopedInformer;
use crate::status_line::clock;
use cells::{Cells, UsageColumn};
use measured::MeasuredRows;

/// Resources of the metrics, and their plurals in a sentence.
const PODS: (&str, &str) = ("metrics.k8s.io/v1beta1/pods", "pod metrics");
const NODES: (&str, &str) = ("metrics.k8s.io/v1beta1/nodes", "node metrics");

/// Time for which the rows in sight must be the same before others are read: a scroll reads none.
const SETTLE_TIME: Duration = Duration::from_millis(120);

/// Paints the columns of usage until the owner is cleaned up.
pub(crate) fn paint(tools: ColumnTools) {
    let ColumnTools { cluster, resources, navigator, source, shown, .. } = tools;
    let columns = Memo::new(move |_| {
        let usage_column = |(at, column): (usize, &crate::table::columns::ShownColumn)| Some((at, column.usage?));
        shown.with(|shown| shown.columns.iter().enumerate().filter_map(usage_column).collect::<Vec<UsageColumn>>())
    });
    let is_served = metrics_api::is_served(resources);
    let is_shown_for = move |kind: &'static str| {
        Memo::new(move |_| {
            let is_shown = navigator.resource.with(|resource| Usage::is_of(resource) && resource.resource == kind);
            is_shown && is_served.get() == Some(true) && columns.with(|columns| !columns.is_empty())
        })
    };
    let is_of_nodes = Memo::new(move |_| navigator.resource.with(|resource| resource.resource == "nodes"));
    let none = Memo::new(|_| None);
    let pods = ScopedInformer::open_while(cluster, PODS.0, "", navigator.namespaces, is_shown_for("pods"));
    let nodes = ScopedInformer::open_while(cluster, NODES.0, "", none, is_shown_for("nodes"));
    let metrics = move || if is_of_nodes.get() { nodes } else { pods };
    let is_current = Memo::new(move |_| metrics().status.with(|status| !is_stale(status.freshness)));
    let painter = Painter {
        tools,
        columns,
        is_current,
        rows: MeasuredRows::new(),
        cells: StoredValue::new_local(Cells::default()),
    };
    let followed = StoredValue::new((0_u32, HashSet::new()));
    Effect::new(move || {
        let informer = metrics().informer.get();
        let objects = source.informer.get();
        // The informers may have been replaced.
        painter.rows.clear();
        followed.update_value(|(_, keys)| keys.clear());
        let Some(informer) = informer else { return painter.paint_soon() };
        let (informer, objects) = (StoredValue::new_local(informer), StoredValue::new_local(objects));
        Effect::new(move || {
            let keys = painter.keys();
            let is_first = followed.with_value(|(_, before)| before.is_empty());
            if followed.with_value(|(_, before)| *before == keys) {
                return;
            }
            let attempt = followed.try_update_value(|(attempt, before)| {
                *before = keys;
                *attempt += 1;
                *attempt
            });
            let follow = move || {
                // A later change of the rows has a timer of its own, and the owner may have been cleaned up.
                if followed.try_with_value(|(current, _)| Some(*current) == attempt) != Some(true) {
                    return;
                }
                let keys = followed.with_value(|(_, keys)| keys.clone());
                let _ = informer.try_with_value(|informer| {
                    objects.with_value(|objects| {
                        painter.rows.follow(&keys, objects.as_ref(), informer, move |key| painter.paint_row(key));
                    });
                });
            };
            if is_first { follow() } else { set_timeout(follow, SETTLE_TIME) }
        });
    });
    Effect::new(move || {
        painter.keys();
        is_current.get();
        painter.paint();
    });
    // A sample becomes old while it is shown.
    let minute = Memo::new(move |_| (tools.now.get() / 60_000.0).floor());
    Effect::new(move || {
        minute.get();
        shown.track();
        painter.paint_soon();
    });
    let message = Memo::new(move |_| {
        let plural = if is_of_nodes.get() { NODES.1 } else { PODS.1 };
        metrics().status.with(|status| header::text(is_served.get(), plural, status, clock))
    });
    Effect::new(move || {
        columns.track();
        shown.track();
        let (is_well, message) = message.get();
        request_animation_frame(move || label_headers(is_well, &message));
    });
}

/// State that the cells are painted from. Copies share their state.
#[derive(Clone, Copy)]
struct Painter {
    tools: ColumnTools,
    columns: Memo<Vec<UsageColumn>>,
    is_current: Memo<bool>,
    rows: MeasuredRows,
    cells: StoredValue<Cells, LocalStorage>,
}

impl Painter {
    /// Keys of the rows in sight; none without a column of usage. Tracked.
    fn keys(self) -> HashSet<String> {
        if self.columns.with(Vec::is_empty) {
            return HashSet::new();
        }
        let slots = self.tools.model.slots.get();
        slots.into_iter().filter_map(|slot| Some(slot.row.try_get()??.key.clone())).collect()
    }

    /// Paints all cells. The elements of slots and cells may be there in the next frame only.
    fn paint_soon(self) {
        request_animation_frame(move || self.paint());
    }

    fn paint(self) {
        self.paint_slots(|_| true);
    }

    /// Paints the cells of a row, if it is in sight.
    fn paint_row(self, key: &str) {
        self.paint_slots(|row_key| row_key == Some(key));
    }

    fn paint_slots(self, is_painted: impl Fn(Option<&str>) -> bool) {
        let (Some(columns), Some(is_current)) = (self.columns.try_get_untracked(), self.is_current.try_get_untracked())
        else {
            return;
        };
        if columns.is_empty() {
            return;
        }
        let now = js_sys::Date::now();
        for slot in self.tools.model.slots.get_untracked() {
            let row = slot.row.try_get_untracked().flatten().filter(|row| !row.gone);
            let key = row.as_ref().map(|row| row.key.as_str());
            let Some(element) = document().get_element_by_id(&slot.element_id()).filter(|_| is_painted(key)) else {
                continue;
            };
            for column in &columns {
                let reading = key.and_then(|key| self.rows.reading(key, column.1, now, is_current));
                self.cells.update_value(|cells| cells.paint(slot.number, &element, *column, reading));
            }
        }
    }
}

/// Shows in the headers whether there are samples, or the reason why there are none.
fn label_headers(is_well: bool, message: &str) {
    let found = document().query_selector_all(".head [data-usage]").ok();
    for at in 0..found.as_ref().map_or(0, web_sys::NodeList::length) {
        let header =
            found.as_ref().and_then(|found| found.item(at)).and_then(|node| node.dyn_into::<web_sys::Element>().ok());
        let Some(header) = header else { continue };
        // Attributes with constant names cannot fail.
        let _ = header.set_attribute("data-measured", if is_well { "yes" } else { "no" });
        if let Some(button) = header.query_selector("button").ok().flatten() {
            let _ = button.set_attribute("title", message);
        }
    }
}
