//! Visible columns and their widths.

use std::fmt::Write;

use informer_engine::columns::ColumnHeader;

/// Position of a cell in a narrow window, where a row has several lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fold {
    /// First line, start.
    Title,
    /// Last line, start.
    Subtitle,
    /// First line, end.
    State,
    /// Last line, end.
    Note,
    /// Separate lines, between the first and the last.
    Detail,
    /// Not shown.
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
            Self::Detail => "detail",
            Self::Hidden => "hidden",
        }
    }
}

/// Visible column.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ShownColumn {
    /// Index of its cell in a row.
    pub(crate) cell: usize,
    /// Its header.
    pub(crate) header: ColumnHeader,
    /// Its position in a narrow window.
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

/// Width from which on the columns that kubectl shows with `-o wide` are visible.
const WIDE: u32 = 1200;

/// Width from which on rarely filled wide columns are visible: below it, names need the space more.
const VERY_WIDE: u32 = 1800;

/// Gap between two columns.
const GAP: u32 = 16;

/// Left and right padding of a row (`www/style.css`).
const PADDING: u32 = 40;

impl Shown {
    /// Chooses the columns of a view for a table width. A single namespace is not repeated in every row.
    pub(crate) fn of(headers: &[ColumnHeader], width: u32, one_namespace: bool) -> Self {
        let mut columns: Vec<ShownColumn> = headers
            .iter()
            .enumerate()
            .filter(|(_, header)| !header.wide || width > room_for(header))
            .filter(|(_, header)| !(one_namespace && header.name == "Namespace"))
            .map(|(cell, header)| ShownColumn { cell, header: header.clone(), fold: Fold::Hidden })
            .collect();
        fold(&mut columns);
        // Required columns are always visible; the others from the left as space permits.
        let least = |column: &ShownColumn| least_and_share(&column.header).0 + GAP;
        let mut least_width: u32 = PADDING - GAP + columns.iter().filter(|c| is_needed(c)).map(least).sum::<u32>();
        columns.retain(|column| {
            let fits = is_needed(column) || least_width + least(column) <= width;
            if fits && !is_needed(column) {
                least_width += least(column);
            }
            fits
        });
        let mut template = String::new();
        for column in &columns {
            let (least, share) = least_and_share(&column.header);
            // Writing to a String cannot fail.
            let _ = write!(template, "minmax({least}px,{share}fr) ");
        }
        Self { columns, template, least_width }
    }

    /// Whether rows of this kind are higher than others in a narrow window.
    pub(crate) fn is_tall(&self) -> bool {
        self.columns.iter().any(|column| column.fold == Fold::Detail)
    }
}

/// Returns the width from which on a wide column is visible.
fn room_for(header: &ColumnHeader) -> u32 {
    if matches!(header.name.as_str(), "Nominated Node" | "Readiness Gates") { VERY_WIDE } else { WIDE }
}

/// Whether a column is required.
fn is_needed(column: &ShownColumn) -> bool {
    column.fold != Fold::Hidden
}

/// Assigns positions in a row of two lines. One is the state; "Ready" only if there is no other. Events get more lines,
/// for their reason, message and object.
fn fold(columns: &mut [ShownColumn]) {
    const STATES: [&str; 5] = ["Status", "Type", "Schedule", "Data", "Ready"];
    let at = |name: &str| columns.iter().position(|column| column.header.name == name);
    let event = at("Message").zip(at("Reason")).zip(at("Object"));
    let (title, subtitle) = match event {
        Some(((_, reason), object)) => (Some(reason), Some(object)),
        None => (at("Name").or_else(|| at("Object")), at("Namespace")),
    };
    let places = [
        (title, Fold::Title),
        (subtitle, Fold::Subtitle),
        (event.and(at("Message")), Fold::Detail),
        (at("Age").or_else(|| at("Last Seen")), Fold::Note),
        (STATES.iter().find_map(|name| at(name)), Fold::State),
    ];
    for (at, fold) in places {
        if let Some(column) = at.and_then(|at| columns.get_mut(at)) {
            column.fold = fold;
        }
    }
}

/// Returns the minimum width in pixels, and the share of the remaining width.
fn least_and_share(header: &ColumnHeader) -> (u32, u32) {
    match header.name.as_str() {
        "Name" => (180, 32),
        "Namespace" => (92, 12),
        // Room for CrashLoopBackOff.
        "Status" => (140, 16),
        "Restarts" => (96, 5),
        "Age" => (64, 4),
        "Last Seen" => (84, 4),
        "Ready" => (60, 4),
        "IP" | "Internal-IP" | "External-IP" | "Nominated Node" | "Readiness Gates" => (124, 6),
        "Message" => (200, 40),
        "Images" | "Selector" | "Object" => (150, 18),
        _ if header.numeric => (84, 4),
        // Authors of custom resources choose the column names, which are often long.
        name => (u32::try_from(name.chars().count()).unwrap_or(u32::MAX).saturating_mul(8).clamp(100, 180), 10),
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
        assert_eq!(names(&Shown::of(&headers, 1000, false)), ["Namespace", "Name", "Age"]);
        assert_eq!(names(&Shown::of(&headers, 1400, true)), ["Name", "Age", "IP"]);
        let rare = [header("Name", false), header("Nominated Node", true)];
        assert_eq!(names(&Shown::of(&rare, 1400, true)), ["Name"]);
        assert_eq!(names(&Shown::of(&rare, 1900, true)), ["Name", "Nominated Node"]);
    }

    #[test]
    fn cells_keep_their_place_in_the_row() {
        let headers = [header("Namespace", false), header("Name", false), header("IP", true), header("Age", false)];
        let cells: Vec<usize> = Shown::of(&headers, 800, true).columns.iter().map(|column| column.cell).collect();
        assert_eq!(cells, [1, 3]);
    }

    #[test]
    fn what_matters_most_stays_when_room_is_short() {
        let headers = ["Name", "Ready", "Status", "Restarts", "Age"].map(|name| header(name, false));
        assert_eq!(names(&Shown::of(&headers, 380, true)), ["Name", "Status", "Age"]);
        assert_eq!(names(&Shown::of(&headers, 540, true)), ["Name", "Ready", "Status", "Age"]);
        let shown = Shown::of(&headers, 900, true);
        assert_eq!((names(&shown).len(), shown.least_width <= 900), (5, true));
    }

    #[test]
    fn beside_a_drawer_in_a_window_of_1400_pixels_pods_keep_ready_and_restarts() {
        let headers = ["Namespace", "Name", "Ready", "Status", "Restarts", "Age"].map(|name| header(name, false));
        // Beside the table are the kinds, the drawer and a scroll bar.
        let shown = Shown::of(&headers, 1400 - 232 - 400 - 15, false);
        assert_eq!(names(&shown), ["Namespace", "Name", "Ready", "Status", "Restarts", "Age"]);
    }

    #[test]
    fn a_narrow_row_of_an_event_says_what_happened_to_what() {
        let headers = ["Namespace", "Last Seen", "Type", "Reason", "Object", "Message"].map(|name| header(name, false));
        let shown = Shown::of(&headers, 380, false);
        assert_eq!(names(&shown), ["Last Seen", "Type", "Reason", "Object", "Message"]);
        let folds: Vec<Fold> = shown.columns.iter().map(|column| column.fold).collect();
        assert_eq!(folds, [Fold::Note, Fold::State, Fold::Title, Fold::Subtitle, Fold::Detail]);
        assert!(shown.is_tall());
    }

    #[test]
    fn a_narrow_row_shows_one_state() {
        let folds = |names: &[&str]| -> Vec<Fold> {
            let headers: Vec<ColumnHeader> = names.iter().map(|name| header(name, false)).collect();
            Shown::of(&headers, 1000, false).columns.iter().map(|column| column.fold).collect()
        };
        assert_eq!(folds(&["Name", "Ready", "Status"]), [Fold::Title, Fold::Hidden, Fold::State]);
        assert_eq!(folds(&["Name", "Ready", "Age"]), [Fold::Title, Fold::State, Fold::Note]);
    }
}
