//! Timeline: recorded changes of the cluster, and the time that the page shows: it pauses, and goes back. Deferred
//! code.
//!
//! The engine records the changes of each informer that the page opens (`SharedInformer.recordChanges()`), 8 MiB for
//! each. `recorder` keeps an informer that the page has left for ten minutes, so that a look at another kind does not
//! end its record. `bar` pauses and rewinds all of them together; `screen` and the drawer's tab list the changes.

mod bar;
mod chart;
mod entries;
mod event_rows;
mod feed;
mod list;
mod managers;
mod recorded;
mod recorder;
mod screen;

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use leptos::prelude::*;

use crate::cluster::Cluster;
use crate::loading::PageState;
use crate::{shown_time, tab_owner};
pub(crate) use bar::{bar, button};
pub(crate) use list::of_object;
use recorded::RecordedInformer;
pub(crate) use screen::{Changes, ChangesProps};

/// Records of the page's informers, and the time that they show. Copies share their state.
#[derive(Clone, Copy)]
pub(crate) struct Timeline {
    cluster: Cluster,
    recorded: RwSignal<Vec<Rc<RecordedInformer>>, LocalStorage>,
    /// Incremented after new changes, at most once a second.
    revision: RwSignal<u32>,
    /// Number of times that all records were deleted.
    restarts: RwSignal<u32>,
    /// The time that the page shows; `None` is the present.
    shown_time: RwSignal<Option<f64>>,
    /// Time at which the page was paused, until another time is chosen.
    paused_at: StoredValue<Option<f64>>,
    /// Whether the bar is open.
    is_open: RwSignal<bool>,
    /// The page's time, which every age is relative to.
    now: RwSignal<f64>,
}

thread_local! {
    static TIMELINE: RefCell<Option<(Owner, Timeline)>> = const { RefCell::new(None) };
}

impl Timeline {
    /// The timeline of this tab, which records from the first call on.
    pub(crate) fn for_tab(page: PageState) -> Self {
        if let Some(timeline) = TIMELINE.with_borrow(|timeline| timeline.as_ref().map(|(_, timeline)| *timeline)) {
            return timeline;
        }
        // It stays when its screen is left.
        let owner = tab_owner::new();
        let timeline = owner.with(|| {
            let timeline = Self {
                cluster: page.cluster,
                recorded: RwSignal::new_local(Vec::new()),
                revision: RwSignal::new(0),
                restarts: RwSignal::new(0),
                shown_time: RwSignal::new(None),
                paused_at: StoredValue::new(None),
                is_open: RwSignal::new(false),
                now: page.now,
            };
            recorder::start(timeline);
            timeline.follow_engine();
            timeline.follow_recording_starts();
            timeline
        });
        TIMELINE.replace(Some((owner, timeline)));
        timeline
    }

    /// Shows a time, or the present. Informers that are not recorded at that time show the present.
    pub(crate) fn show(self, time: Option<f64>) {
        self.paused_at.set_value(None);
        self.rewind(time);
    }

    /// Shows the present moment from now on.
    fn pause(self) {
        let now = js_sys::Date::now();
        self.rewind(Some(now));
        self.paused_at.set_value(Some(now));
        self.advance_pause();
    }

    fn rewind(self, time: Option<f64>) {
        let time = time.map(|time| time.min(js_sys::Date::now() - 1.0).floor());
        self.shown_time.set(time);
        shown_time::set(time);
        self.now.set(shown_time::now());
        self.recorded.with_untracked(|all| all.iter().for_each(|recorded| recorded.show(time)));
    }

    /// After a pause, moves on to the start of each record that was requested before the pause: the page stands still
    /// from then on. A page that has just been opened may be paused before the engine's code for records has been
    /// loaded.
    fn follow_recording_starts(self) {
        Effect::new(move || {
            self.revision.track();
            self.recorded.track();
            untrack(|| self.advance_pause());
        });
    }

    /// Moves on to a later start of a record, if there is one.
    fn advance_pause(self) {
        if self.later_start().is_none() {
            return;
        }
        let advance_pause = move || {
            if let Some(start) = self.later_start() {
                self.rewind(Some(start));
            }
        };
        // A time can be shown when it is over.
        set_timeout(advance_pause, Duration::from_millis(2));
    }

    /// The start of a record that was requested before the pause, if that is later than the shown time. A record that
    /// shows the past has started before, even if its changes are dropped since.
    fn later_start(self) -> Option<f64> {
        let (paused_at, shown_time) = (self.paused_at.get_value()?, self.shown_time.get_untracked()?);
        let may_start_later =
            |recorded: &&Rc<RecordedInformer>| recorded.requested_at <= paused_at && !recorded.is_past();
        let start = self.recorded.with_untracked(|all| {
            all.iter().filter(may_start_later).filter_map(|recorded| recorded.since()).reduce(f64::max)
        });
        start.filter(|start| *start > shown_time)
    }

    /// Earliest time that any kind is recorded at. Tracked.
    fn since(self) -> Option<f64> {
        self.revision.track();
        self.recorded.with(|all| all.iter().filter_map(|recorded| recorded.since()).reduce(f64::min))
    }

    /// Resources that the page shows as they are now, because they are not recorded at the shown time. Tracked.
    fn unrecorded_resources(self) -> Vec<String> {
        self.revision.track();
        if self.shown_time.get().is_none() {
            return Vec::new();
        }
        let mut resources = self.recorded.with(|all| {
            let open = all.iter().filter(|recorded| recorded.is_open(self.cluster));
            open.filter(|recorded| !recorded.is_past()).map(|recorded| recorded.resource.clone()).collect::<Vec<_>>()
        });
        resources.sort();
        resources.dedup();
        resources
    }

    /// The records of whole lists, of all resources or one. Tracked.
    fn records(self, resource_filter: Option<&str>) -> Vec<Rc<RecordedInformer>> {
        let is_included = |recorded: &&Rc<RecordedInformer>| {
            !recorded.is_partial && resource_filter.is_none_or(|resource| recorded.resource == resource)
        };
        self.recorded.with(|all| all.iter().filter(is_included).cloned().collect())
    }

    /// Deletes the records, and starts new ones.
    fn restart(self) {
        self.show(None);
        self.recorded.set(Vec::new());
        self.restarts.update(|restarts| *restarts += 1);
    }

    /// Returns to the present when the engine is replaced: its records are gone.
    fn follow_engine(self) {
        Effect::new(move |had_records: Option<bool>| {
            let has_records = self.since().is_some();
            if had_records == Some(true) && !has_records && self.shown_time.get_untracked().is_some() {
                self.show(None);
            }
            has_records
        });
    }
}
