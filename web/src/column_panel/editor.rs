//! Editor of the layout: each change, and its announcement for screen readers.

use leptos::prelude::*;

use crate::layout::{CustomColumn, Item, Layout, MAX_PINNED, Usage};
use crate::loading::ColumnTools;
use crate::sort::is_same;
use crate::visible::visible;

/// A column: its name, and whether the user has defined it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) is_custom: bool,
}

/// Editor of the column layout. Copies share their state.
#[derive(Clone, Copy)]
pub(super) struct Editor {
    pub(super) tools: ColumnTools,
    announcement: RwSignal<String>,
}

impl Editor {
    pub(super) fn new(tools: ColumnTools) -> Self {
        Self { tools, announcement: RwSignal::new(String::new()) }
    }

    /// Result of the last change, for a screen reader.
    pub(super) fn announcement(self) -> String {
        self.announcement.get()
    }

    /// The columns of the table, in order. Tracked.
    pub(super) fn shown(self) -> Vec<Column> {
        let column = |shown: &crate::table::columns::ShownColumn| Column {
            name: shown.header.name.clone(),
            is_custom: shown.is_custom,
        };
        self.tools.shown.with(|shown| shown.columns.iter().map(column).collect())
    }

    /// The columns that the kind has and the table does not show. Tracked.
    pub(super) fn hidden(self) -> Vec<Column> {
        let shown = self.shown();
        let (columns, custom_count) = (self.tools.state.columns, self.tools.state.custom_count);
        let names = columns.with(|columns| {
            let kinds = columns.len().saturating_sub(custom_count.get());
            columns.iter().take(kinds).map(|header| header.name.clone()).collect::<Vec<_>>()
        });
        let column = |name| Column { name, is_custom: false };
        let usage =
            self.unused_usage().into_iter().map(|usage| Column { name: usage.header().to_owned(), is_custom: true });
        names.into_iter().map(column).filter(|column| !shown.contains(column)).chain(usage).collect()
    }

    /// The columns of usage that the kind can have and the layout does not have.
    fn unused_usage(self) -> Vec<Usage> {
        if !self.tools.navigator.resource.with(Usage::is_of) {
            return Vec::new();
        }
        let items = self.tools.layouts.current().items;
        let is_free = |usage: &Usage| {
            let is_taken = |item: &Item| item.usage() == Some(*usage) || item.is(usage.header(), true);
            !items.iter().any(is_taken)
        };
        Usage::ALL.into_iter().filter(is_free).collect()
    }

    /// The usual columns as a list: what is shown, and what is not shown now because there is one namespace or no room.
    fn items(self, layout: &Layout) -> Vec<Item> {
        let item = |column: Column| {
            let known = layout.item(&column.name, column.is_custom).cloned();
            known.unwrap_or_else(|| Item::of(&column.name))
        };
        let mut items: Vec<Item> = untrack(|| self.shown()).into_iter().map(item).collect();
        let has_namespace =
            self.tools.state.columns.with_untracked(|columns| columns.first().is_some_and(|c| c.name == "Namespace"));
        if has_namespace && !items.iter().any(|item| item.is("Namespace", false)) {
            items.insert(0, Item::of("Namespace"));
        }
        let is_absent =
            |custom: &&Item| custom.custom.is_some() && !items.iter().any(|item| item.is(&custom.name, true));
        let absent: Vec<Item> = layout.items.iter().filter(is_absent).cloned().collect();
        items.extend(absent);
        items
    }

    fn change(self, announcement: String, change: impl FnOnce(&mut Layout)) {
        self.tools.layouts.change(change);
        self.announcement.set(announcement);
    }

    /// Changes the order, for which the usual columns become a list.
    fn change_list(self, announcement: String, change: impl FnOnce(&mut Layout)) {
        let items = self.items(&untrack(|| self.tools.layouts.current()));
        self.change(announcement, |layout| {
            layout.list_columns(&items);
            change(layout);
        });
    }

    /// Moves a column to the position of another one.
    pub(super) fn move_to(self, column: &Column, target: &Column) {
        let shown = untrack(|| self.shown());
        let Some(at) = shown.iter().position(|other| other == target).filter(|_| column != target) else { return };
        let announcement = format!("{} is column {} of {}", visible(&column.name), at + 1, shown.len());
        self.change_list(announcement, |layout| {
            if let Some(to) = layout.index_of(&target.name, target.is_custom) {
                layout.move_to(&column.name, column.is_custom, to);
            }
        });
    }

    /// Moves a column before the previous one, or after the next one.
    pub(super) fn move_by(self, column: &Column, forward: bool) {
        let shown = untrack(|| self.shown());
        let Some(at) = shown.iter().position(|other| other == column) else { return };
        match if forward { shown.get(at + 1) } else { at.checked_sub(1).and_then(|at| shown.get(at)) } {
            Some(target) => self.move_to(column, target),
            None => self.announcement.set(format!(
                "{} is the {} column",
                visible(&column.name),
                if forward { "last" } else { "first" }
            )),
        }
    }

    /// Shows or hides a column. Those that the user has defined are removed.
    pub(super) fn toggle(self, column: &Column) {
        let is_shown = untrack(|| self.shown()).contains(column);
        let what = match (is_shown, column.is_custom) {
            (true, true) => "removed",
            (true, false) => "hidden",
            _ => "shown",
        };
        let announcement = format!("{} is {what}", visible(&column.name));
        let toggle = |layout: &mut Layout| {
            // The layout may list it although the table does not show it.
            if !is_shown && layout.item(&column.name, column.is_custom).is_some() {
                return;
            }
            layout.toggle(&column.name, column.is_custom);
        };
        let usage = untrack(|| self.unused_usage()).into_iter().find(|usage| usage.header() == column.name);
        if let Some(usage) = usage.filter(|_| column.is_custom && !is_shown) {
            let custom = Some(CustomColumn::Usage(usage));
            return self.change(announcement, |layout| layout.items.push(Item { custom, ..Item::of(usage.header()) }));
        }
        // Removing a column that the user has defined keeps the layout a usual one.
        if column.is_custom { self.change(announcement, toggle) } else { self.change_list(announcement, toggle) }
    }

    /// Keeps a column in sight, or lets it scroll.
    pub(super) fn toggle_pin(self, column: &Column) {
        let name = visible(&column.name).into_owned();
        let is_pinned = self.is_pinned(column);
        let pinned = untrack(|| self.tools.layouts.current()).pinned;
        let announcement = match is_pinned {
            true => format!("{name} scrolls with the others"),
            false if pinned == MAX_PINNED => format!("At most {MAX_PINNED} columns can stay in sight"),
            false => format!("{name} stays in sight"),
        };
        self.change_list(announcement, |layout| layout.toggle_pin(&column.name, column.is_custom));
    }

    /// Whether a column stays in sight. Not tracked.
    fn is_pinned(self, column: &Column) -> bool {
        self.tools.shown.with_untracked(|shown| {
            shown
                .columns
                .iter()
                .any(|one| one.pin.is_some() && one.is_custom == column.is_custom && one.header.name == column.name)
        })
    }

    /// Gives a column a width in pixels, or its usual one.
    pub(super) fn set_width(self, column: &Column, width: Option<u16>) {
        let name = visible(&column.name).into_owned();
        let announcement = width
            .map_or_else(|| format!("{name} has its usual width"), |width| format!("{name} is {width} pixels wide"));
        self.change(announcement, |layout| layout.set_width(&column.name, column.is_custom, width));
    }

    /// Shows the layout with another width, until it is set.
    pub(super) fn preview_width(self, column: &Column, width: u16) {
        let mut layout = untrack(|| self.tools.layouts.current());
        layout.set_width(&column.name, column.is_custom, Some(width));
        self.tools.layouts.preview(Some(layout));
    }

    /// Adds a column that the user has defined.
    pub(super) fn add(self, item: Item) {
        let announcement = format!("{} is added", visible(&item.name));
        self.change(announcement, |layout| layout.items.push(item));
    }

    /// Whether a name is that of a column.
    pub(super) fn is_taken(self, name: &str) -> bool {
        let is_known =
            self.tools.state.columns.with_untracked(|columns| columns.iter().any(|one| is_same(&one.name, name)));
        is_known || untrack(|| self.tools.layouts.current()).item(name, true).is_some()
    }

    /// Whether all columns of `kubectl get -o wide` are shown. Tracked.
    pub(super) fn shows_wide(self) -> bool {
        self.missing_wide().is_empty()
    }

    fn missing_wide(self) -> Vec<Column> {
        let is_wide = |column: &Column| {
            self.tools
                .state
                .columns
                .with(|columns| columns.iter().any(|header| header.wide && header.name == column.name))
        };
        self.hidden().into_iter().filter(is_wide).collect()
    }

    /// Shows the columns of `kubectl get -o wide`, or hides them if all of them are shown.
    pub(super) fn toggle_wide(self) {
        let missing = untrack(|| self.missing_wide());
        let wide = self.tools.state.columns.with_untracked(|columns| {
            columns.iter().filter(|header| header.wide).map(|header| header.name.clone()).collect::<Vec<_>>()
        });
        let (announcement, names) = match missing.len() {
            0 => ("Wide columns are hidden", wide),
            _ => ("Wide columns are shown", missing.into_iter().map(|column| column.name).collect()),
        };
        self.change_list(announcement.to_owned(), |layout| names.iter().for_each(|name| layout.toggle(name, false)));
    }

    /// Returns to the usual columns.
    pub(super) fn reset(self) {
        self.change("The usual columns are shown".to_owned(), |layout| *layout = Layout::default());
    }
}
