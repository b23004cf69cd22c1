//! List of the marked objects, each followed in the informer of the table.

use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

use super::collect::Collection;
use super::mark::{Mark, keep_fitting};
use super::{BATCH, MAX_BYTES, MAX_MARKS, collect};
use crate::actions::Subjects;
use crate::cluster::Cluster;
use crate::drawer::{MAX_LOGS, has_logs, open_logs};
use crate::navigator::Navigator;
use crate::source::Source;
use crate::table::model::Model;

/// The marked objects. Copies share their state.
#[derive(Clone, Copy)]
pub(super) struct MarkList {
    pub(super) model: Model,
    pub(super) subjects: Subjects,
    pub(super) navigator: Navigator,
    source: Source,
    list: StoredValue<Vec<Mark>, LocalStorage>,
    /// The keys that are being requested.
    collection: StoredValue<Option<Collection>, LocalStorage>,
    /// Row that a range begins with: its index when it was marked, and its key.
    anchor: StoredValue<Option<(usize, String)>>,
    /// Reason why the last rows were not marked.
    note: RwSignal<Option<&'static str>>,
}

impl MarkList {
    /// Creates the list with the rows that were recorded before this code loaded. Another kind, or other namespaces of
    /// the informer, begin with no marks.
    pub(super) fn new(cluster: Cluster, model: Model, navigator: Navigator, source: Source) -> Self {
        let subjects = Subjects::new(cluster, navigator.resource.get_untracked(), source, Vec::new());
        let marks = Self {
            model,
            subjects,
            navigator,
            source,
            list: StoredValue::new_local(Vec::new()),
            collection: StoredValue::new_local(None),
            anchor: StoredValue::new(None),
            note: RwSignal::new(None),
        };
        Effect::new(move |before: Option<()>| {
            source.informer.track();
            subjects.set_resource(navigator.resource.get(), source.label.get());
            untrack(|| if before.is_some() { marks.clear() } else { marks.restore_early_marks() });
        });
        marks
    }

    /// Marks the rows that were recorded before this code loaded.
    fn restore_early_marks(self) {
        let recorded = self.model.marked.get_untracked();
        self.clear();
        if !recorded.is_empty() {
            self.add(recorded);
        }
    }

    /// Whether the bar is shown: rows are marked, or there is a note. Clearing hides it.
    pub(super) fn is_shown(self) -> bool {
        self.note.with(Option::is_some) || self.model.marked.with(|marked| !marked.is_empty())
    }

    /// Label of the bar: the number of marked rows, and the note about the last command.
    pub(super) fn label(self, count: usize) -> String {
        let label = match count {
            0 => String::new(),
            1 => "1 row marked".to_owned(),
            count => format!("{count} rows marked"),
        };
        self.note.with(|note| note.map_or_else(|| label.clone(), |note| format!("{label} {note}").trim().to_owned()))
    }

    /// Marks a row, or takes its mark away. It becomes the begin of a range.
    pub(super) fn toggle(self, index: usize, key: String) {
        let is_marked = self.list.with_value(|list| list.iter().any(|mark| mark.key == key));
        if is_marked {
            self.remove(&key);
        } else {
            self.add(vec![key.clone()]);
        }
        self.anchor.set_value(Some((index, key)));
    }

    /// Marks all rows from the begin of the range to a row. Rows that the page has not loaded are requested.
    pub(super) fn mark_to(self, index: usize, key: &str) {
        let Some((from, first)) = self.anchor.get_value() else { return self.toggle(index, key.to_owned()) };
        let from = self.model.index_of(&first).unwrap_or(from);
        let (start, end) = (from.min(index), from.max(index) + 1);
        if end - start > MAX_MARKS {
            return self.note.set(Some("At most 1,000 rows can be marked: choose a shorter range."));
        }
        let loaded: Option<Vec<_>> = (start..end).map(|at| self.model.openable(at)).collect();
        if let Some(keys) = loaded.filter(|keys| keys.contains(&first)) {
            return self.add(keys);
        }
        let key = key.to_owned();
        self.collect(start.saturating_sub(collect::MARGIN)..end + collect::MARGIN, move |rows| {
            let index_of = |key: &str| rows.iter().position(|row| row == key);
            match index_of(&first).zip(index_of(&key)) {
                Some((one, other)) => self.add(rows[one.min(other)..=one.max(other)].to_vec()),
                None => self.note.set(Some("The rows of the range have moved: mark the range again.")),
            }
        });
    }

    /// Marks all rows that the filter shows.
    pub(super) fn mark_all(self) {
        let total = self.model.state.totals.get_untracked().map_or(0, |totals| totals.total);
        if total > MAX_MARKS {
            return self.note.set(Some("At most 1,000 rows can be marked: narrow the filter first."));
        }
        self.collect(0..total, move |rows| self.add(rows));
    }

    fn collect(self, window: std::ops::Range<usize>, then: impl FnOnce(Vec<String>) + 'static) {
        if let Some(informer) = self.source.informer.get_untracked() {
            let requested_informer = informer.clone();
            let collection = collect::keys(&informer, &self.model.query(), window, move |rows| {
                // Another kind may be shown by now, with objects of the same names.
                if self.source.informer.with_untracked(|informer| informer.as_ref() != Some(&requested_informer)) {
                    return;
                }
                match rows {
                    Some(rows) => then(rows),
                    None => self.note.set(Some("The filter is invalid. Correct it, then mark again.")),
                }
            });
            self.collection.set_value(Some(collection));
        }
    }

    /// Whether objects of the kind have logs.
    pub(super) fn has_logs(self) -> bool {
        self.navigator.resource.with_untracked(has_logs)
    }

    /// Shows the logs of all marked objects.
    pub(super) fn logs(self) {
        let keys = self.model.marked.get_untracked();
        if keys.len() > MAX_LOGS {
            return self.note.set(Some("Logs of at most 100 rows are shown at once: mark fewer."));
        }
        self.note.set(None);
        open_logs(self.navigator, &keys);
    }

    /// Marks the rows of some keys.
    pub(super) fn add(self, keys: Vec<String>) {
        if self.source.informer.with_untracked(Option::is_none) {
            return;
        }
        let known = self.model.marked.get_untracked();
        let new: Vec<_> = keys.into_iter().filter(|key| known.binary_search(key).is_err()).collect();
        let room = MAX_MARKS.saturating_sub(known.len());
        self.note.set((new.len() > room).then_some("At most 1,000 rows can be marked."));
        let resource = self.navigator.resource.get_untracked().to_string();
        let marks = new.into_iter().take(room).map(|key| Mark::new(&resource, key));
        self.list.update_value(|list| list.extend(marks));
        self.changed();
    }

    /// Requests further objects once those before are loaded.
    fn request(self) {
        let Some(informer) = self.source.informer.get_untracked() else { return };
        if self.is_loading() {
            return;
        }
        self.list.try_update_value(|list| {
            for mark in list.iter_mut().filter(|mark| !mark.is_requested).take(BATCH) {
                let key = mark.key.clone();
                // Not at once: it drops what calls this.
                let remove = move || {
                    let key = key.clone();
                    spawn_local(async move { self.remove(&key) });
                };
                let has_synced = move || self.source.status.with_untracked(|status| status.has_synced);
                let loaded = move |is_first: bool| {
                    if (is_first && !self.is_loading()) || !self.fits() {
                        spawn_local(async move { self.remove_excess() });
                    }
                };
                mark.request(&informer, has_synced, loaded, remove);
            }
        });
    }

    /// Whether some of the requested objects are not there yet.
    fn is_loading(self) -> bool {
        self.list.try_with_value(|list| list.iter().any(Mark::is_loading)).unwrap_or(false)
    }

    /// Whether the loaded objects are not too large together.
    fn fits(self) -> bool {
        let size = |list: &Vec<Mark>| list.iter().filter_map(Mark::size).sum::<usize>();
        self.list.try_with_value(size).is_none_or(|size| size <= MAX_BYTES)
    }

    /// Takes away what is too large, and requests no further object then.
    fn remove_excess(self) {
        if !self.fits() {
            self.note.try_set(Some("The marked objects are too large: mark fewer rows."));
            let remove_excess = |list: &mut Vec<Mark>| {
                let mut stays = keep_fitting(list.iter().map(Mark::size), MAX_BYTES).into_iter();
                list.retain(|_| stays.next().unwrap_or(false));
            };
            self.list.try_update_value(remove_excess);
        }
        self.changed();
    }

    fn remove(self, key: &str) {
        self.list.try_update_value(|list| list.retain(|mark| mark.key != key));
        self.changed();
    }

    /// Takes all marks away.
    pub(super) fn clear(self) {
        self.list.set_value(Vec::new());
        self.collection.set_value(None);
        self.anchor.set_value(None);
        self.note.set(None);
        self.changed();
    }

    fn changed(self) {
        self.request();
        let read = |list: &Vec<Mark>| {
            let subjects = list.iter().map(|mark| mark.subject.clone()).collect();
            (list.iter().map(|mark| mark.key.clone()).collect::<Vec<_>>(), subjects)
        };
        let Some((mut keys, subjects)) = self.list.try_with_value(read) else { return };
        keys.sort_unstable();
        self.subjects.replace(subjects);
        if self.model.marked.with_untracked(|marked| *marked != keys) {
            self.model.marked.set(keys);
        }
    }
}
