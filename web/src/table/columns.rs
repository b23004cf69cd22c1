//! Visible columns and their widths.

use std::fmt::Write;

use informer_engine::columns::ColumnHeader;

use super::width::{USAGE_WIDTHS, min_table_width_for, min_width_and_share};
use crate::layout::{Item, Layout, MAX_PINNED, Usage};
use crate::sort::is_same;

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
    /// Header of the column.
    pub(crate) header: ColumnHeader,
    /// Whether the user has defined it.
    pub(crate) is_custom: bool,
    /// Its position in a narrow window.
    pub(crate) fold: Fold,
    /// Its index among the columns that stay in sight when the table scrolls sideways.
    pub(crate) pin: Option<usize>,
    /// The measured resource that it shows. Its cells are in no row: `usage.rs` paints them.
    pub(crate) usage: Option<Usage>,
}

/// The columns of the table.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ShownColumns {
    /// Columns in order.
    pub(crate) columns: Vec<ShownColumn>,
    /// Value of `grid-template-columns` in CSS.
    pub(crate) template: String,
    /// Width in pixels below which the table scrolls sideways.
    pub(crate) min_table_width: u32,
    /// Left edges of the columns that stay in sight, in pixels.
    pub(crate) pins: [u32; MAX_PINNED],
}

/// Gap between two columns.
const GAP: u32 = 16;

/// Left padding of a row, and that of both sides (`www/style.css`).
const PADDING: (u32, u32) = (28, 40);

impl ShownColumns {
    /// Chooses the columns of a view for a table width. The last `custom_count` headers are columns that the user has
    /// defined. A single namespace is not repeated in every row.
    pub(crate) fn of(
        headers: &[ColumnHeader],
        custom_count: usize,
        layout: &Layout,
        width: u32,
        one_namespace: bool,
    ) -> Self {
        let kinds = headers.len().saturating_sub(custom_count);
        let column = |cell: usize| {
            let (header, is_custom) = (headers.get(cell)?.clone(), cell >= kinds);
            let is_taken = is_custom && headers[..kinds].iter().any(|known| is_same(&known.name, &header.name));
            let is_repeated = one_namespace && !is_custom && header.name == "Namespace";
            let column = ShownColumn { cell, header, is_custom, fold: Fold::Hidden, pin: None, usage: None };
            (!is_taken && !is_repeated).then_some(column)
        };
        let listed = |item: &Item| {
            let range = if item.custom.is_some() { kinds..headers.len() } else { 0..kinds };
            match item.usage() {
                // Until the headers of the kind are known, there are no columns.
                Some(_) if headers.is_empty() => None,
                Some(usage) => Some(of_usage(item, usage)),
                None => column(range.into_iter().find(|at| item.is(&headers[*at].name, item.custom.is_some()))?),
            }
        };
        let mut columns: Vec<ShownColumn> = if layout.is_usual {
            let has_room = |column: &ShownColumn| !column.header.wide || width > min_table_width_for(&column.header);
            let custom = layout.items.iter().filter(|item| item.custom.is_some()).filter_map(listed);
            (0..kinds).filter_map(column).chain(custom).filter(has_room).collect()
        } else {
            let pinned = |at: usize| Some(at).filter(|at| *at < layout.pinned);
            let listed = layout.items.iter().enumerate().filter_map(|(at, item)| Some((pinned(at), listed(item)?)));
            listed.map(|(pin, column)| ShownColumn { pin, ..column }).collect()
        };
        // One of the pinned columns may be absent.
        for (at, column) in columns.iter_mut().filter(|column| column.pin.is_some()).enumerate() {
            column.pin = Some(at);
        }
        fold(&mut columns, !layout.is_usual);
        let chosen = |column: &ShownColumn| layout.item(&column.header.name, column.is_custom)?.width.map(u32::from);
        let min_width = |column: &ShownColumn| chosen(column).unwrap_or_else(|| usual_width(column).0) + GAP;
        // Required columns are always visible, as are those that the user chose; the others from the left as space
        // permits.
        let is_needed = |column: &ShownColumn| !layout.is_usual || column.is_custom || column.fold != Fold::Hidden;
        let mut min_table_width: u32 =
            PADDING.1 - GAP + columns.iter().filter(|c| is_needed(c)).map(min_width).sum::<u32>();
        columns.retain(|column| {
            let fits = is_needed(column) || min_table_width + min_width(column) <= width;
            if fits && !is_needed(column) {
                min_table_width += min_width(column);
            }
            fits
        });
        let (mut template, mut pins, mut at) = (String::new(), [0; MAX_PINNED], PADDING.0);
        for column in &columns {
            let (usual, share) = usual_width(column);
            // The columns that stay in sight have the positions below only if they do not share the remaining width.
            let width = chosen(column).or_else(|| (column.pin.is_some() && min_table_width > width).then_some(usual));
            if let Some(pin) = column.pin {
                pins[pin] = at;
                at += min_width(column);
            }
            // Writing to a String cannot fail.
            let _ = match width {
                Some(width) => write!(template, "{width}px "),
                None => write!(template, "minmax({usual}px,{share}fr) "),
            };
        }
        Self { columns, template, min_table_width, pins }
    }

    /// Whether rows of this kind are higher than others in a narrow window.
    pub(crate) fn is_tall(&self) -> bool {
        self.columns.iter().any(|column| column.fold == Fold::Detail)
    }
}

/// Minimum width of a column, and its share of the remaining width.
fn usual_width(ShownColumn { header, usage, .. }: &ShownColumn) -> (u32, u32) {
    if usage.is_some() { USAGE_WIDTHS } else { min_width_and_share(header) }
}

/// Column of usage. It belongs to the user, as those by path do.
fn of_usage(item: &Item, usage: Usage) -> ShownColumn {
    let header = ColumnHeader { name: item.name.clone(), wide: false, numeric: true };
    ShownColumn { cell: usize::MAX, header, is_custom: true, fold: Fold::Hidden, pin: None, usage: Some(usage) }
}

/// Assigns positions in a row of two lines. One is the state; "Ready" only if there is no other. Events get more lines,
/// for their reason, message and object.
///
/// Of columns that the user `chose`, the first ones take the positions that no column of a known name takes.
fn fold(columns: &mut [ShownColumn], chose: bool) {
    const STATES: [&str; 5] = ["Status", "Type", "Schedule", "Data", "Ready"];
    let at = |name: &str| columns.iter().position(|column| column.header.name == name);
    let event = at("Message").zip(at("Reason")).zip(at("Object"));
    let (title, subtitle) = match event {
        Some(((_, reason), object)) => (Some(reason), Some(object)),
        None => (at("Name").or_else(|| at("Object")), at("Namespace")),
    };
    let folds = [
        (title, Fold::Title),
        (subtitle, Fold::Subtitle),
        (event.and(at("Message")), Fold::Detail),
        (at("Age").or_else(|| at("Last Seen")), Fold::Note),
        (STATES.iter().find_map(|name| at(name)), Fold::State),
    ];
    for (at, fold) in folds {
        if let Some(column) = at.and_then(|at| columns.get_mut(at)) {
            column.fold = fold;
        }
    }
    for fold in [Fold::Title, Fold::State, Fold::Note, Fold::Subtitle] {
        let is_taken = columns.iter().any(|column| column.fold == fold);
        if let Some(column) = columns.iter_mut().find(|column| chose && !is_taken && column.fold == Fold::Hidden) {
            column.fold = fold;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(name: &str, wide: bool) -> ColumnHeader {
        ColumnHeader { name: name.to_owned(), wide, numeric: false }
    }

    fn usual(headers: &[ColumnHeader], width: u32, one_namespace: bool) -> ShownColumns {
        ShownColumns::of(headers, 0, &Layout::default(), width, one_namespace)
    }

    fn names(shown: &ShownColumns) -> Vec<&str> {
        shown.columns.iter().map(|column| column.header.name.as_str()).collect()
    }

    #[test]
    fn wide_columns_need_room_and_the_namespace_a_choice() {
        let headers = [header("Namespace", false), header("Name", false), header("Age", false), header("IP", true)];
        assert_eq!(names(&usual(&headers, 1000, false)), ["Namespace", "Name", "Age"]);
        assert_eq!(names(&usual(&headers, 1400, true)), ["Name", "Age", "IP"]);
        let rare = [header("Name", false), header("Nominated Node", true)];
        assert_eq!(names(&usual(&rare, 1400, true)), ["Name"]);
        assert_eq!(names(&usual(&rare, 1900, true)), ["Name", "Nominated Node"]);
    }

    #[test]
    fn cells_keep_their_position_in_the_row() {
        let headers = [header("Namespace", false), header("Name", false), header("IP", true), header("Age", false)];
        let cells: Vec<usize> = usual(&headers, 800, true).columns.iter().map(|column| column.cell).collect();
        assert_eq!(cells, [1, 3]);
    }

    #[test]
    fn the_most_important_columns_stay_in_a_narrow_table() {
        let headers = ["Name", "Ready", "Status", "Restarts", "Age"].map(|name| header(name, false));
        assert_eq!(names(&usual(&headers, 380, true)), ["Name", "Status", "Age"]);
        assert_eq!(names(&usual(&headers, 540, true)), ["Name", "Ready", "Status", "Age"]);
        let shown = usual(&headers, 900, true);
        assert_eq!((names(&shown).len(), shown.min_table_width <= 900), (5, true));
    }

    #[test]
    fn beside_a_drawer_in_a_window_of_1400_pixels_pods_keep_ready_and_restarts() {
        let headers = ["Namespace", "Name", "Ready", "Status", "Restarts", "Age"].map(|name| header(name, false));
        // Beside the table are the kinds, the drawer and a scroll bar.
        let shown = usual(&headers, 1400 - 232 - 400 - 15, false);
        assert_eq!(names(&shown), ["Namespace", "Name", "Ready", "Status", "Restarts", "Age"]);
    }

    #[test]
    fn a_narrow_row_of_an_event_has_its_reason_and_object() {
        let headers = ["Namespace", "Last Seen", "Type", "Reason", "Object", "Message"].map(|name| header(name, false));
        let shown = usual(&headers, 380, false);
        assert_eq!(names(&shown), ["Last Seen", "Type", "Reason", "Object", "Message"]);
        let folds: Vec<Fold> = shown.columns.iter().map(|column| column.fold).collect();
        assert_eq!(folds, [Fold::Note, Fold::State, Fold::Title, Fold::Subtitle, Fold::Detail]);
        assert!(shown.is_tall());
    }

    #[test]
    fn a_narrow_row_shows_one_state() {
        let folds = |names: &[&str]| -> Vec<Fold> {
            let headers: Vec<ColumnHeader> = names.iter().map(|name| header(name, false)).collect();
            usual(&headers, 1000, false).columns.iter().map(|column| column.fold).collect()
        };
        assert_eq!(folds(&["Name", "Ready", "Status"]), [Fold::Title, Fold::Hidden, Fold::State]);
        assert_eq!(folds(&["Name", "Ready", "Age"]), [Fold::Title, Fold::State, Fold::Note]);
    }

    /// The columns of pods with two of the user's own, in a layout.
    fn laid_out(text: &str, width: u32, one_namespace: bool) -> ShownColumns {
        let mut headers = ["Namespace", "Name", "Ready", "Status", "Age"].map(|name| header(name, false)).to_vec();
        headers.extend([header("IP", true), header("Status", false), header("team", false)]);
        ShownColumns::of(&headers, 2, &Layout::parse(text).0, width, one_namespace)
    }

    #[test]
    fn a_layout_says_which_columns_are_shown_in_which_order() {
        assert_eq!(names(&laid_out("ip,name,nothing,team=label:team", 300, true)), ["IP", "Name", "team"]);
        assert_eq!(names(&laid_out("namespace,age", 1000, true)), ["Age"]);
        let shown = laid_out("status,status=.x,team", 1000, false);
        assert_eq!(
            names(&shown),
            ["Status"],
            "a column of the kind comes first, and one of the user's is listed as such"
        );
        let shown = laid_out("*,team=label:team,name~300", 320, true);
        assert_eq!(names(&shown), ["Name", "Status", "Age", "team"], "what the user defined stays when room is short");
        assert!(shown.template.starts_with("300px minmax(140px,"), "{}", shown.template);
        let shown = laid_out("*,team=label:team,Status=.x", 1000, true);
        assert_eq!(names(&shown), ["Name", "Ready", "Status", "Age", "team"], "and of two of a name that of the kind");
        assert_eq!(laid_out("age,team=label:team", 300, false).columns[0].cell, 4);
    }

    #[test]
    fn usage_is_a_column_without_a_cell() {
        for text in ["*,CPU=metrics:cpu", "name,CPU=metrics:cpu,~"] {
            let shown = laid_out(text, 900, true);
            let column = shown.columns.last().expect("a column");
            assert_eq!(
                (&*column.header.name, column.usage, column.cell),
                ("CPU", Some(Usage::Cpu), usize::MAX),
                "{text}"
            );
        }
        let (layout, _) = Layout::parse("*,CPU=metrics:cpu");
        assert!(ShownColumns::of(&[], 0, &layout, 900, true).columns.is_empty(), "before the kind is known");
    }

    #[test]
    fn pinned_columns_have_positions_once_the_table_scrolls() {
        let shown = laid_out("namespace,name~200,age,~,status,ready,ip", 500, true);
        assert_eq!(shown.columns.iter().map(|column| column.pin).collect::<Vec<_>>()[..3], [Some(0), Some(1), None]);
        assert_eq!(shown.pins, [28, 28 + 200 + 16, 0, 0]);
        assert!(shown.template.starts_with("200px 64px minmax("), "{}", shown.template);
        let wide = laid_out("name,~,status", 1900, true);
        assert!(wide.template.starts_with("minmax(180px,"), "{}", wide.template);
    }

    #[test]
    fn a_narrow_row_shows_the_first_columns_of_a_layout() {
        let folds = |text: &str| laid_out(text, 380, true).columns.iter().map(|c| c.fold).collect::<Vec<_>>();
        assert_eq!(folds("team=label:team,ip"), [Fold::Title, Fold::State]);
        assert_eq!(folds("ready,team=label:team,name"), [Fold::State, Fold::Note, Fold::Title]);
    }
}
