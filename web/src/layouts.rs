//! Layout in force: that of the address, or the one that the browser stores for the kind.

use informer::GroupVersionResource;
use leptos::prelude::*;

use crate::layout::{CustomColumn, Item, Layout, Usage};
use crate::navigator::Navigator;
use crate::preference;

/// Prefix of the names under which layouts are stored.
const STORED_AS: &str = "kube-informer.columns.";

/// The layout of the shown kind. Copies share their state.
///
/// Layouts are kept as text, and parsed where they are read: each further type of a signal is a kilobyte of the wasm
/// file that the first rows wait for.
#[derive(Clone, Copy)]
pub(crate) struct Layouts {
    navigator: Navigator,
    /// Number of changes of the storage.
    changes: RwSignal<u32>,
    /// Layout while a column is being dragged.
    preview: RwSignal<Option<String>>,
    /// The layout of the address, or the stored one.
    text: Memo<String>,
    /// Messages of the engine about columns whose paths it rejected.
    rejected: RwSignal<Vec<String>>,
}

impl Layouts {
    /// Follows the address, the kind and the storage, which other tabs change too.
    pub(crate) fn new(navigator: Navigator) -> Self {
        let changes = RwSignal::new(0);
        preference::follow(STORED_AS, move || changes.update(|changes| *changes += 1));
        let text = Memo::new(move |_| {
            changes.track();
            let stored = navigator.resource.with(|resource| preference::stored(&stored_as(resource)));
            navigator.columns.with(|text| if text.is_empty() { stored.unwrap_or_default() } else { text.clone() })
        });
        let layouts =
            Self { navigator, changes, preview: RwSignal::new(None), text, rejected: RwSignal::new(Vec::new()) };
        layouts.report();
        layouts
    }

    /// The layout in force. Tracked.
    pub(crate) fn current(self) -> Layout {
        self.preview.with(|preview| preview.as_deref().map(Layout::parse)).unwrap_or_else(|| self.read()).0
    }

    /// The layout without that of a column being dragged, and what is ignored of its text. Tracked.
    fn read(self) -> (Layout, Vec<String>) {
        let read = self.text.with(|text| Layout::parse(text));
        self.navigator.resource.with(|resource| without_unsupported(read, resource))
    }

    /// Columns that the user has defined, for the view: names and paths. Tracked.
    pub(crate) fn custom_columns(self) -> Vec<(String, String)> {
        let mut custom_columns = self.current().custom_columns();
        self.rejected.with(|rejected| {
            custom_columns.retain(|(name, _)| !rejected.iter().any(|message| is_about(message, name)));
        });
        custom_columns
    }

    /// Reports what is ignored, and tries all columns again after the text has changed.
    fn report(self) {
        Effect::new(move |_| {
            let (_, mut problems) = self.read();
            problems.extend(self.rejected.get());
            if !problems.is_empty() {
                let subject_text = if self.is_from_address() { "Columns in the address" } else { "Stored columns" };
                self.navigator.note().set(Some([subject_text, " that are ignored: ", &problems.join("; ")].concat()));
            }
        });
        Effect::new(move |before: Option<()>| {
            self.text.track();
            if before.is_some() && self.rejected.with_untracked(|rejected| !rejected.is_empty()) {
                self.rejected.set(Vec::new());
            }
        });
    }

    /// Leaves out the column that a message of the engine names. Returns whether it names one.
    pub(crate) fn hide_rejected(self, message: &str) -> bool {
        let is_named = untrack(|| self.custom_columns()).iter().any(|(name, _)| is_about(message, name));
        if is_named {
            self.rejected.update(|rejected| rejected.push(message.to_owned()));
        }
        is_named
    }

    /// Whether the layout is that of the address, which wins over the stored one. Tracked.
    pub(crate) fn is_from_address(self) -> bool {
        self.navigator.columns.with(|text| !text.is_empty())
    }

    /// Changes the layout where it comes from: in the address, or in the storage.
    pub(crate) fn change(self, change: impl FnOnce(&mut Layout)) {
        let mut layout = untrack(|| self.current());
        change(&mut layout);
        self.preview.set(None);
        self.write(&layout);
    }

    /// Shows a change without storing it, while a column is being dragged.
    pub(crate) fn preview(self, layout: Option<Layout>) {
        self.preview.set(layout.map(|layout| layout.text()));
    }

    fn write(self, layout: &Layout) {
        let text = layout.text();
        if untrack(|| self.is_from_address()) {
            // The usual layout has an empty text; "*" keeps the stored layout from replacing it.
            let text = if text.is_empty() { "*".to_owned() } else { text };
            self.navigator.amend(|route| route.columns = text);
        } else {
            self.store(&text);
        }
    }

    fn store(self, text: &str) {
        let name = self.navigator.resource.with_untracked(stored_as);
        preference::store(&name, Some(text).filter(|text| !text.is_empty()));
        self.changes.update(|changes| *changes += 1);
    }

    /// Stores the layout of the address for the kind.
    pub(crate) fn store_for_kind(self) {
        self.store(&untrack(|| self.current()).text());
        self.clear_address();
    }

    /// Shows the stored layout in place of that of the address.
    pub(crate) fn clear_address(self) {
        self.navigator.amend(|route| route.columns = String::new());
    }
}

/// Whether a message of the engine is about a column.
fn is_about(message: &str, column: &str) -> bool {
    message.starts_with(&["column ", &format!("{column:?}"), ": "].concat())
}

/// Removes columns that objects of a kind cannot have: paths of Secrets, because a value of one is on the page only
/// while it is revealed, and usage of kinds that are not measured.
fn without_unsupported(
    (mut layout, mut problems): (Layout, Vec<String>),
    resource: &GroupVersionResource,
) -> (Layout, Vec<String>) {
    let is_path = |item: &Item| matches!(item.custom, Some(CustomColumn::Path(_))) && !has_paths(resource);
    let is_unmeasured = |item: &Item| item.usage().is_some() && !Usage::is_of(resource);
    let mut leave_out = |is_out: &dyn Fn(&Item) -> bool, problem: &str| {
        if layout.items.iter().any(is_out) {
            layout.items.retain(|item| !is_out(item));
            problems.push(problem.to_owned());
        }
    };
    leave_out(&is_path, NO_PATHS);
    leave_out(&is_unmeasured, NO_USAGE);
    if layout.items.is_empty() && !layout.is_usual {
        layout = Layout::default();
    }
    (layout, problems)
}

/// Whether objects of a kind can have columns by path.
pub(crate) fn has_paths(resource: &GroupVersionResource) -> bool {
    !(resource.group.is_empty() && resource.resource == "secrets")
}

/// Reason why Secrets have no such columns.
pub(crate) const NO_PATHS: &str = "columns of Secrets show labels only, because a path could show a value";

/// Reason why other kinds have no columns of usage.
pub(crate) const NO_USAGE: &str = "the usage of CPU and memory is measured for pods and nodes only";

/// Name without a version, which an upgrade of the cluster may change: `pods`, `deployments.apps`.
fn stored_as(resource: &GroupVersionResource) -> String {
    let GroupVersionResource { group, resource, .. } = resource;
    let group = if group.is_empty() { String::new() } else { [".", group].concat() };
    [STORED_AS, resource, &group].concat()
}
