//! Feed: the aggregate of the table's informer by one column, over the rows of the rest of the filter.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use js_sys::Array;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;

use super::values::{Order, without_column};
use crate::client::Aggregate;
use crate::client::record::{Record, texts};
use crate::cluster::{Informer, settle};
use crate::figures::Figures;
use crate::loading::ColumnTools;
use crate::namespaces::names;
use crate::open_aggregate::OpenAggregate;
use crate::plain;

/// Number of groups that are sent: the largest ones, or as many as the package sends if they are ordered by value.
const GROUP_LIMITS: (u32, u32) = (500, 10_000);

/// Pause between two reads of more groups than those: a read takes milliseconds.
const READ_INTERVAL: Duration = Duration::from_millis(500);

/// Reason why there are no groups.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum GroupError {
    /// The code that counts could not be loaded.
    Unloaded,
    /// The engine does not group by the column, or not with the filter.
    Rejected(String),
}

/// Groups of a column.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ColumnGroups {
    /// The column; empty before the first groups.
    pub(super) column: String,
    pub(super) figures: Arc<Figures>,
    /// Number of groups that were not sent.
    pub(super) more: u64,
}

/// The feed. Copies share their state; it is closed with its owner.
#[derive(Clone, Copy)]
pub(super) struct Feed {
    pub(super) groups: RwSignal<ColumnGroups>,
    pub(super) error: RwSignal<Option<GroupError>>,
    attempts: RwSignal<u32>,
}

impl Feed {
    /// Counts by a column while there is one.
    pub(super) fn open(tools: ColumnTools, column: Memo<Option<String>>, order: RwSignal<Order>) -> Self {
        let feed = Self {
            groups: RwSignal::new(ColumnGroups::default()),
            error: RwSignal::new(None),
            attempts: RwSignal::new(0),
        };
        let open = StoredValue::new_local((0_u32, None::<OpenAggregate>));
        let base = Memo::new(move |_| {
            let column = column.get()?;
            Some((tools.state.filter.with(|filter| without_column(filter, &column)), column))
        });
        let custom_columns = Memo::new(move |_| tools.layouts.custom_columns());
        Effect::new(move || {
            feed.attempts.track();
            let attempt = open.try_update_value(|open| {
                *open = (open.0 + 1, None);
                open.0
            });
            let view_namespaces = tools.source.view_namespaces.get();
            let limit = if order.get() == Order::Count { GROUP_LIMITS.0 } else { GROUP_LIMITS.1 };
            feed.error.set(None);
            let Some((filter, column)) = base.get() else { return };
            let is_current = move || open.try_with_value(|open| Some(open.0) == attempt) == Some(true);
            let answer = tools.source.informer.with(|informer| {
                let shared = informer.as_ref().and_then(Informer::shared)?;
                let custom_columns = custom_columns.get();
                let extra = texts(custom_columns.iter().map(|(name, path)| (name.as_str(), path.as_str())));
                let options = Record::new()
                    .with("by", plain::strings([column.as_str()]))
                    .with("of", Array::of1(&Record::new().with("op", "count").into()))
                    .with("filter", &filter)
                    .with("limit", limit)
                    .with("namespaces", plain::strings(view_namespaces.iter().flat_map(|text| names(text))))
                    .with("extraColumns", (!custom_columns.is_empty()).then(|| JsValue::from(extra)));
                Some(shared.aggregate(&options))
            });
            let Some(answer) = answer else { return };
            settle(answer, move |answer| {
                if !is_current() {
                    return;
                }
                match answer {
                    Err(_) => drop(feed.error.try_set(Some(GroupError::Unloaded))),
                    Ok(aggregate) => {
                        let read = move |aggregate: &Aggregate| {
                            if is_current() {
                                feed.read(&column, aggregate);
                            }
                        };
                        let opened = OpenAggregate::new(aggregate.unchecked_into(), throttled(read));
                        // If the column or filter has changed meanwhile, the aggregate is closed here.
                        if is_current() {
                            open.try_update_value(|open| open.1 = Some(opened));
                        }
                    }
                }
            });
        });
        on_cleanup(move || {
            open.try_update_value(|open| *open = (open.0 + 1, None));
        });
        feed
    }

    /// Opens the aggregate again.
    pub(super) fn retry(self) {
        self.attempts.update(|attempts| *attempts += 1);
    }

    fn read(self, column: &str, aggregate: &Aggregate) {
        if let Some(error) = aggregate.error() {
            self.error.try_set(Some(GroupError::Rejected(plain::report(&error).message)));
            return;
        }
        let snapshot = aggregate.snapshot();
        // Numbers of an incomplete first list are wrong. The previous groups stay until it is complete.
        let Some(figures) = Figures::of(&snapshot) else { return };
        self.error.try_set(None);
        let groups =
            ColumnGroups { column: column.to_owned(), figures: Arc::new(figures), more: plain::whole(snapshot.more()) };
        if self.groups.try_with_untracked(|known| *known != groups) == Some(true) {
            self.groups.set(groups);
        }
    }
}

/// Reads an aggregate of many groups at intervals, and any other one at once.
fn throttled(read: impl Fn(&Aggregate) + Clone + 'static) -> impl Fn(&Aggregate) {
    let waits = Rc::new(Cell::new(false));
    let was_read = Cell::new(false);
    move |aggregate| {
        let is_large = aggregate.snapshot().groups().length() > GROUP_LIMITS.0;
        if !is_large || !was_read.replace(true) {
            return read(aggregate);
        }
        if waits.replace(true) {
            return;
        }
        let (waits, read, aggregate) = (Rc::clone(&waits), read.clone(), aggregate.clone());
        let read_later = move || {
            waits.set(false);
            read(&aggregate);
        };
        set_timeout(read_later, READ_INTERVAL);
    }
}
