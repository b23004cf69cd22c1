//! Column layout of a kind: which columns the table shows, in which order, how wide, and how many stay in sight.
//!
//! As text it is in links (`columns=`) and in the browser's storage: see [`Layout::parse`].

mod custom;
mod edit;
mod text;
mod usage;

pub(crate) use custom::{CustomColumn, checked_name};
pub(crate) use text::MAX_COLUMNS;
pub(crate) use usage::Usage;

use crate::sort::is_same;

/// Minimum and maximum width that a user can give a column, in pixels.
pub(crate) const WIDTHS: std::ops::RangeInclusive<u16> = 40..=1200;

/// Maximum number of columns that can stay in sight.
pub(crate) const MAX_PINNED: usize = 4;

/// Layout of the columns. The default is the usual one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Layout {
    /// Whether the usual columns are shown, as many as the window has room for. The items are then their widths, and
    /// further columns.
    pub(crate) is_usual: bool,
    /// The columns, in order.
    pub(crate) items: Vec<Item>,
    /// How many of the first columns stay in sight when the table scrolls sideways.
    pub(crate) pinned: usize,
}

impl Default for Layout {
    fn default() -> Self {
        Self { is_usual: true, items: Vec::new(), pinned: 0 }
    }
}

/// Column of a layout.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Item {
    /// Name of its header; of the kind's own columns as in links: `nominated-node`.
    pub(crate) name: String,
    /// Its content, if the user has defined it.
    pub(crate) custom: Option<CustomColumn>,
    /// Width in pixels, if the user has chosen one.
    pub(crate) width: Option<u16>,
}

impl Item {
    /// A column of the kind, with its usual width.
    pub(crate) fn of(name: &str) -> Self {
        Self { name: name.to_owned(), custom: None, width: None }
    }

    /// The measured resource that it shows, if it is a column of usage.
    pub(crate) fn usage(&self) -> Option<Usage> {
        match self.custom {
            Some(CustomColumn::Usage(usage)) => Some(usage),
            _ => None,
        }
    }

    /// Whether the item is this column: one of the kind, or one that the user has defined.
    pub(crate) fn is(&self, name: &str, is_custom: bool) -> bool {
        self.custom.is_some() == is_custom && is_same(&self.name, name)
    }
}

impl Layout {
    /// Whether the layout is the usual one.
    pub(crate) fn is_default(&self) -> bool {
        self.is_usual && self.items.is_empty()
    }

    /// The columns that the user has defined: names and paths, for the view, which knows no usage.
    pub(crate) fn custom_columns(&self) -> Vec<(String, String)> {
        let custom_columns = |item: &Item| Some((item.name.clone(), item.custom.as_ref()?.path()?));
        self.items.iter().filter_map(custom_columns).collect()
    }

    /// The item of a column.
    pub(crate) fn item(&self, name: &str, is_custom: bool) -> Option<&Item> {
        self.items.iter().find(|item| item.is(name, is_custom))
    }
}
