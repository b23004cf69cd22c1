//! Feed: the aggregate of the table's informer by one column, over the rows of the rest of the filter.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use js_sys::Array;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;

use super::values::{Order, without};
use crate::client::Aggregate;
use crate::client::record::{Record, texts};
use crate::cluster::{Informer, settle};
use crate::figures::Figures;
use crate::loading::ColumnTools;
use crate::namespaces::names;
use crate::open_aggregate::OpenAggregate;
use crate::plain;

/// Number of groups that are sent: the largest ones, or as many as the package sends if they are ordered by value.
const LIMITS: (u32, u32) = (500, 10_000);

/// Pause between two reads of more groups than those: a read takes milliseconds.
const PAUSE: Duration = Duration::from_millis(500);

/// Why there are no groups.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Trouble {
    /// The code that counts could not be loaded.
    Unloaded,
    /// The engine does not group by the column, or not with the filter.
    Refused(String),
}

/// Groups of a column.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Counted {
    /// The column; empty before the first groups.
    pub(super) column: String,
    pub(super) figures: Arc<Figures>,
    /// Number of groups that were not sent.
    pub(super) more: u64,
}

/// The feed. Copies share their state; it is closed with its owner.
#[derive(Clone, Copy)]
pub(super) struct Feed {
    pub(super) counted: RwSignal<Counted>,
    pub(super) trouble: RwSignal<Option<Trouble>>,
    attempts: RwSignal<u32>,
}

impl Feed {
    /// Counts by a column while there is one.
    pub(super) fn open(tools: ColumnTools, column: Memo<Option<String>>, order: RwSignal<Order>) -> Self {
        let feed = Self {
            counted: RwSignal::new(Counted::default()),
            trouble: RwSignal::new(None),
            attempts: RwSignal::new(0),
        };
        let open = StoredValue::new_local((0_u32, None::<OpenAggregate>));
        let base = Memo::new(move |_| {
            let column = column.get()?;
            Some((tools.state.filter.with(|filter| without(filter, &column)), column))
        });
        let own = Memo::new(move |_| tools.layouts.own());
        Effect::new(move || {
            feed.attempts.track();
            let attempt = open.try_update_value(|open| {
                *open = (open.0 + 1, None);
                open.0
            });
            let narrowed = tools.source.narrowed.get();
            let limit = if order.get() == Order::Count { LIMITS.0 } else { LIMITS.1 };
            feed.trouble.set(None);
            let Some((filter, column)) = base.get() else { return };
            let is_current = move || open.try_with_value(|open| Some(open.0) == attempt) == Some(true);
            let answer = tools.source.informer.with(|informer| {
                let shared = informer.as_ref().and_then(Informer::shared)?;
                let own = own.get();
                let extra = texts(own.iter().map(|(name, path)| (name.as_str(), path.as_str())));
                let options = Record::new()
                    .with("by", plain::strings([column.as_str()]))
                    .with("of", Array::of1(&Record::new().with("op", "count").into()))
                    .with("filter", &filter)
                    .with("limit", limit)
                    .with("namespaces", plain::strings(narrowed.iter().flat_map(|text| names(text))))
                    .with("extraColumns", (!own.is_empty()).then(|| JsValue::from(extra)));
                Some(shared.aggregate(&options))
            });
            let Some(answer) = answer else { return };
            settle(answer, move |answer| {
                if !is_current() {
                    return;
                }
                match answer {
                    Err(_) => drop(feed.trouble.try_set(Some(Trouble::Unloaded))),
                    Ok(aggregate) => {
                        let read = move |aggregate: &Aggregate| {
                            if is_current() {
                                feed.read(&column, aggregate);
                            }
                        };
                        let opened = OpenAggregate::new(aggregate.unchecked_into(), paused(read));
                        // Changed meanwhile, it is closed here.
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
            self.trouble.try_set(Some(Trouble::Refused(plain::report(&error).message)));
            return;
        }
        let snapshot = aggregate.snapshot();
        // Numbers of a part of the first list are not true. The groups before stay until then.
        let Some(figures) = Figures::of(&snapshot) else { return };
        self.trouble.try_set(None);
        let counted =
            Counted { column: column.to_owned(), figures: Arc::new(figures), more: plain::whole(snapshot.more()) };
        if self.counted.try_with_untracked(|known| *known != counted) == Some(true) {
            self.counted.set(counted);
        }
    }
}

/// Reads an aggregate of many groups at intervals, and any other one at once.
fn paused(read: impl Fn(&Aggregate) + Clone + 'static) -> impl Fn(&Aggregate) {
    let waits = Rc::new(Cell::new(false));
    let was_read = Cell::new(false);
    move |aggregate| {
        let is_large = aggregate.snapshot().groups().length() > LIMITS.0;
        if !is_large || !was_read.replace(true) {
            return read(aggregate);
        }
        if waits.replace(true) {
            return;
        }
        let (waits, read, aggregate) = (Rc::clone(&waits), read.clone(), aggregate.clone());
        let later = move || {
            waits.set(false);
            read(&aggregate);
        };
        set_timeout(later, PAUSE);
    }
}
