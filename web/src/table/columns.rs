//! Which columns are shown, and how wide they are.

use std::fmt::Write;

use informer::columns::ColumnHeader;

/// Where a cell goes when a row is folded into two lines because the window is narrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fold {
    /// First line, start.
    Title,
    /// Second line, start.
    Subtitle,
    /// First line, end.
    State,
    /// Second line, end.
    Note,
    /// Nowhere.
    Hidden,
}

impl Fold {
    /// The value of `data-fold`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Subtitle => "subtitle",
            Self::State => "state",
            Self::Note => "note",
            Self::Hidden => "hidden",
        }
    }
}

/// One column of the table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ShownColumn {
    /// Which cell of the rows it shows.
    pub(crate) cell: usize,
    /// Its head.
    pub(crate) header: ColumnHeader,
    /// Where it goes in a narrow window.
    pub(crate) fold: Fold,
}

/// The columns of the table.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Shown {
    /// In order.
    pub(crate) columns: Vec<ShownColumn>,
    /// For CSS: `grid-template-columns`.
    pub(crate) template: String,
    /// Below this width in pixels the table scrolls sideways.
    pub(crate) least_width: u32,
}

impl Shown {
    /// Chooses from what a view has. One namespace need not be repeated in every row.
    pub(crate) fn of(headers: &[ColumnHeader], wide: bool, one_namespace: bool) -> Self {
        let mut shown = Self::default();
        let mut state_is_taken = false;
        for (cell, header) in headers.iter().enumerate() {
            if (header.wide && !wide) || (one_namespace && header.name == "Namespace") {
                continue;
            }
            let (least, share) = width(header);
            let fold = match header.name.as_str() {
                "Name" => Fold::Title,
                "Namespace" => Fold::Subtitle,
                "Age" => Fold::Note,
                "Status" | "Ready" | "Type" | "Data" | "Schedule" if !state_is_taken => Fold::State,
                _ => Fold::Hidden,
            };
            state_is_taken |= fold == Fold::State && header.name != "Ready";
            // Writing to a String cannot fail.
            let _ = write!(shown.template, "minmax({least}px,{share}fr) ");
            shown.least_width += least + 16;
            shown.columns.push(ShownColumn { cell, header: header.clone(), fold });
        }
        // "Ready" stands in for a state only where there is none.
        if state_is_taken {
            for column in &mut shown.columns {
                if column.header.name == "Ready" {
                    column.fold = Fold::Hidden;
                }
            }
        }
        shown
    }
}

/// The least width in pixels, and the share of what is left.
fn width(header: &ColumnHeader) -> (u32, u32) {
    match header.name.as_str() {
        "Name" => (220, 30),
        "Namespace" => (110, 12),
        "Status" => (130, 11),
        "Restarts" => (110, 5),
        "Age" | "Last Seen" => (72, 4),
        "Ready" => (56, 4),
        "Message" => (240, 40),
        "Images" | "Selector" | "Object" => (150, 18),
        _ if header.numeric => (84, 4),
        _ => (100, 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(name: &str, wide: bool) -> ColumnHeader {
        ColumnHeader { name: name.to_owned(), wide, numeric: false }
    }

    fn names(shown: &Shown) -> Vec<&str> {
        shown.columns.iter().map(|column| column.header.name.as_str()).collect()
    }

    #[test]
    fn wide_columns_need_room_and_the_namespace_a_choice() {
        let headers = [header("Namespace", false), header("Name", false), header("Age", false), header("IP", true)];
        assert_eq!(names(&Shown::of(&headers, false, false)), ["Namespace", "Name", "Age"]);
        assert_eq!(names(&Shown::of(&headers, true, true)), ["Name", "Age", "IP"]);
    }

    #[test]
    fn cells_keep_their_place_in_the_row() {
        let headers = [header("Namespace", false), header("Name", false), header("IP", true), header("Age", false)];
        let cells: Vec<usize> = Shown::of(&headers, false, true).columns.iter().map(|column| column.cell).collect();
        assert_eq!(cells, [1, 3]);
    }

    #[test]
    fn a_narrow_row_shows_one_state() {
        let folds = |names: &[&str]| -> Vec<Fold> {
            let headers: Vec<ColumnHeader> = names.iter().map(|name| header(name, false)).collect();
            Shown::of(&headers, false, false).columns.iter().map(|column| column.fold).collect()
        };
        assert_eq!(folds(&["Name", "Ready", "Status"]), [Fold::Title, Fold::Hidden, Fold::State]);
        assert_eq!(folds(&["Name", "Ready", "Age"]), [Fold::Title, Fold::State, Fold::Note]);
    }
}
