//! Watch of the problems: from when their page is first opened in a tab, for as long as the tab is open.
//!
//! Before that no informer runs for them: a tab that shows pods need not list twelve kinds for a number. Once they run,
//! the navigation and the title have the number of problems, also while another page is shown. They follow the chosen
//! namespaces.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use informer::ResourceInfo;
use kube_objects::{Problem, problems};
use leptos::prelude::*;
use serde_json::Value;

use super::candidates::{CandidateSelection, Candidates};
use super::kinds::KINDS;
use crate::discovery::resource_of;
use crate::loading::PageState;
use crate::tab_owner;

/// Maximum number of objects of a kind that are examined.
const MAX_OBJECTS: u32 = 500;

/// Interval of the rules without changes, in milliseconds: some depend on the time.
const RULES_INTERVAL: f64 = 10_000.0;

/// Problems, and the state of their list: expanded lines and focus. Copies share their state.
#[derive(Clone, Copy)]
pub(super) struct Watch {
    /// Candidates of each kind that the server has; empty until the kinds are known.
    pub(super) candidates: RwSignal<Vec<Candidates>, LocalStorage>,
    pub(super) problems: Memo<Arc<Vec<Problem>>>,
    /// Namespaces of the candidates; `None` for all.
    pub(super) namespaces: RwSignal<Option<String>>,
    /// Time at which the rules were last applied.
    pub(super) evaluated_at: RwSignal<f64>,
    /// Ids of the expanded lines.
    pub(super) expanded: RwSignal<BTreeSet<String>>,
    /// Id of the row that had the focus last.
    pub(super) current: RwSignal<Option<String>>,
}

thread_local! {
    static WATCH: RefCell<Option<(Owner, Watch)>> = const { RefCell::new(None) };
}

impl Watch {
    /// The watch of this tab, which starts with the first call. It writes the number of problems into `count`.
    pub(super) fn for_tab(page: PageState, count: RwSignal<Option<String>>) -> Self {
        if let Some(watch) = WATCH.with_borrow(|watch| watch.as_ref().map(|(_, watch)| *watch)) {
            return watch;
        }
        // It stays when the page of problems is left.
        let owner = tab_owner::new();
        let watch = owner.with(|| Self::start(page, count));
        WATCH.replace(Some((owner, watch)));
        watch
    }

    fn start(page: PageState, count: RwSignal<Option<String>>) -> Self {
        let candidates = RwSignal::new_local(Vec::<Candidates>::new());
        let kinds = Memo::new(move |_| {
            let info = |at: usize| {
                let kind = KINDS.get(at)?;
                let info = page.resources.with(|all| resource_of(all, kind.group, kind.name).cloned());
                info.filter(ResourceInfo::is_watchable).map(|info| (at, info))
            };
            (0..KINDS.len()).filter_map(info).collect::<Vec<_>>()
        });
        let scope = RwSignal::new(None);
        Effect::new(move || {
            let chosen = page.navigator.namespaces.get();
            let open = |(at, info): (usize, ResourceInfo)| {
                let selection = CandidateSelection {
                    filter: KINDS[at].filter,
                    limit: MAX_OBJECTS,
                    note_subject: "these problems are",
                };
                Candidates::open(page.cluster, selection, info, chosen.as_deref())
            };
            candidates.set(kinds.get().into_iter().map(open).collect());
            scope.set(chosen);
        });
        let step = Memo::new(move |_| (page.now.get() / RULES_INTERVAL).floor());
        let evaluated_at = RwSignal::new(page.now.get_untracked());
        let problems = Memo::new(move |_| {
            step.get();
            let objects: Vec<Arc<Value>> = candidates
                .get()
                .iter()
                .flat_map(|kind| {
                    kind.found.with(|found| found.as_ref().map(|found| found.objects.clone())).unwrap_or_default()
                })
                .collect();
            let objects: Vec<&Value> = objects.iter().map(AsRef::as_ref).collect();
            let now = js_sys::Date::now();
            evaluated_at.set(now);
            Arc::new(problems(&objects, &[], now))
        });
        let (expanded, current) = (RwSignal::default(), RwSignal::default());
        let watch = Self { candidates, problems, namespaces: scope, evaluated_at, expanded, current };
        Effect::new(move || {
            let text = watch.is_known().then(|| {
                let count = watch.problems.with(|problems| problems.len());
                format!("{count}{}", if watch.is_lower_bound() { "+" } else { "" })
            });
            if count.with_untracked(|known| *known != text) {
                count.set(text);
            }
        });
        watch
    }

    /// Expands or collapses a line.
    pub(super) fn expand(self, line: &str, open: bool) {
        self.expanded.update(|expanded| {
            if open {
                expanded.insert(line.to_owned());
            } else {
                expanded.remove(line);
            }
        });
    }

    /// Whether there may be more problems: not all candidates have been read. Tracked.
    pub(super) fn is_lower_bound(self) -> bool {
        self.candidates.with(|all| all.iter().any(|kind| !kind.is_loaded() || kind.unread().is_some()))
    }

    /// Time of the oldest data, in milliseconds; that of the last application of the rules if all of it is live.
    /// Tracked.
    pub(super) fn as_of(self) -> f64 {
        let oldest = self.candidates.with(|all| all.iter().filter_map(Candidates::as_of).reduce(f64::min));
        oldest.unwrap_or_else(|| self.evaluated_at.get())
    }

    /// Whether all kinds that the user may list have been read. Tracked.
    pub(super) fn is_known(self) -> bool {
        self.candidates.with(|all| all.iter().all(Candidates::is_settled) && all.iter().any(Candidates::is_loaded))
    }
}
