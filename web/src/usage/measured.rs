//! Measured rows: the samples and bounds of the rows in sight, each followed in the caches while its row is there.

use std::collections::{HashMap, HashSet};

use leptos::prelude::*;

use super::reading::{Reading, reading};
use super::sample::{Bounds, Sample};
use crate::cluster::{FollowedObject, Informer};
use crate::layout::Usage;
use crate::status_line::clock;

/// Data of a row.
#[derive(Default)]
struct RowData {
    sample: Option<Sample>,
    bounds: Option<Bounds>,
    /// Subscriptions: the metrics and the object are followed until they are dropped.
    followed: [Option<FollowedObject>; 2],
}

/// Rows by key. Copies share their state.
#[derive(Clone, Copy)]
pub(super) struct MeasuredRows {
    rows: StoredValue<HashMap<String, RowData>, LocalStorage>,
}

impl MeasuredRows {
    pub(super) fn new() -> Self {
        Self { rows: StoredValue::new_local(HashMap::new()) }
    }

    /// Follows the rows of these keys, and no others. `on_change` gets the key of each row whose data have changed.
    pub(super) fn follow(
        self,
        keys: &HashSet<String>,
        objects: Option<&Informer>,
        metrics: &Informer,
        on_change: impl Fn(&str) + Copy + 'static,
    ) {
        let missing = self.rows.try_update_value(|rows| {
            rows.retain(|key, _| keys.contains(key));
            keys.iter().filter(|key| !rows.contains_key(*key)).cloned().collect::<Vec<_>>()
        });
        for key in missing.unwrap_or_default() {
            let row_key = key.clone();
            let update = move |set: &dyn Fn(&mut RowData)| {
                self.rows.try_update_value(|rows| rows.get_mut(&row_key).map(set));
                on_change(&row_key);
            };
            self.rows.update_value(|rows| drop(rows.insert(key.clone(), RowData::default())));
            let of_metrics = update.clone();
            let sample = metrics.object(&key, move |json| {
                let sample = json.as_deref().and_then(Sample::read);
                of_metrics(&|row| row.sample.clone_from(&sample));
            });
            let bounds = objects.and_then(|objects| {
                objects.object(&key, move |json| {
                    let bounds = json.as_deref().and_then(Bounds::read);
                    update(&|row| row.bounds.clone_from(&bounds));
                })
            });
            self.rows.update_value(|rows| {
                if let Some(row) = rows.get_mut(&key) {
                    row.followed = [sample, bounds];
                }
            });
        }
    }

    /// Follows no row.
    pub(super) fn clear(self) {
        self.rows.try_update_value(HashMap::clear);
    }

    /// Content of a cell of a row.
    pub(super) fn reading(self, key: &str, usage: Usage, now: f64, is_current: bool) -> Option<Reading> {
        let read = |rows: &HashMap<String, RowData>| {
            let row = rows.get(key)?;
            reading(usage, row.sample.as_ref()?, row.bounds.as_ref(), now, is_current, clock)
        };
        self.rows.try_with_value(read).flatten()
    }
}
