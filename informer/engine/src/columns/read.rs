//! Field access as in Go: a missing or null field has the zero value.

use std::borrow::Cow;

pub(super) use informer_packing::zero_value::{items, members, string};
use informer_packing::{Json, Keys};

use super::Cell;

/// Reads an integer; 0 if it is missing.
pub(super) fn integer(value: Option<Json<'_>>) -> i64 {
    value.and_then(|value| value.text().parse().ok()).unwrap_or(0)
}

/// Reads a time, in milliseconds since the Unix epoch.
pub(super) fn moment(value: Option<Json<'_>>) -> Option<f64> {
    informer::parse_rfc3339(&string(value))
}

/// Minute of a time, as the seconds since the Unix epoch at which it begins: objects can be grouped by it.
pub(super) fn minute(moment: Option<f64>) -> Cell {
    moment.map_or(Cell::None, |ms| Cell::Number((ms / 60_000.0).floor() * 60.0))
}

/// Whether it is `true`.
pub(super) fn is_true(value: Option<Json<'_>>) -> bool {
    value.and_then(Json::as_bool) == Some(true)
}

/// Whether a value is present and not null.
pub(super) fn is_present(value: Option<Json<'_>>) -> bool {
    value.is_some_and(|value| !value.is_null())
}

/// Reads a member of an object; `None` if it is missing or null.
pub(super) fn member<'j>(object: Option<Json<'j>>, name: &str) -> Option<Json<'j>> {
    object?.get(name).filter(|value| !value.is_null())
}

/// Reads the members with these names in one pass; `None` for each missing one.
pub(super) fn get_members<'j, const N: usize>(object: Option<Json<'j>>, names: [&str; N]) -> [Option<Json<'j>>; N] {
    let mut found = [None; N];
    if let Some(object) = object {
        object.get_all(&names, &mut found);
    }
    found
}

/// Finds the first element of an array with this `type`.
pub(super) fn find_by_type<'j>(array: Option<Json<'j>>, kind: &str) -> Option<Json<'j>> {
    items(array).find(|element| string(element.get("type")) == kind)
}

/// Reads the status of a condition: `True`, `False` or `Unknown`; empty if the condition is missing.
pub(super) fn status_of<'j>(conditions: Option<Json<'j>>, kind: &str) -> Cow<'j, str> {
    find_by_type(conditions, kind).map_or(Cow::Borrowed(""), |of| string(of.get("status")))
}

/// Text of a scalar that is not empty; `None` also for null, arrays and objects.
pub(super) fn scalar(value: Json<'_>) -> Option<Cow<'_, str>> {
    let text = value.as_str().unwrap_or(Cow::Borrowed(value.text()));
    (!text.is_empty() && !value.is_null() && !value.text().starts_with(['{', '['])).then_some(text)
}

/// Makes a text cell; empty text gives an empty cell.
pub(super) fn text(text: Cow<'_, str>) -> Cell {
    if text.is_empty() { Cell::None } else { Cell::Text(text.into_owned()) }
}

/// Makes a cell `part/whole`.
pub(super) fn ratio(part: i64, whole: i64) -> Cell {
    Cell::Text(format!("{part}/{whole}"))
}

/// Appends an element to a list in text form.
pub(super) fn join(list: &mut String, separator: &str, part: &str) {
    if !list.is_empty() {
        list.push_str(separator);
    }
    list.push_str(part);
}

/// Sorted set of texts.
#[derive(Default)]
pub(super) struct Sorted(Keys);

impl Sorted {
    /// Adds a text unless it is empty.
    pub(super) fn insert(&mut self, part: &str) {
        if !part.is_empty() {
            self.0.push(&mut |into| into.extend_from_slice(part.as_bytes()));
        }
    }

    /// Joins all texts with commas. O(n log n).
    pub(super) fn joined(&self) -> String {
        let mut list = String::new();
        for number in self.0.distinct() {
            join(&mut list, ",", str::from_utf8(self.0.get(number)).unwrap_or_default());
        }
        list
    }
}

/// Truncated list, as kubectl prints it: the first elements, and the number of further ones.
pub(super) struct TruncatedList {
    text: String,
    separator: &'static str,
    max_shown: usize,
    shown: usize,
    total: usize,
    /// Whether an element was not shown because there was no room.
    is_full: bool,
}

impl TruncatedList {
    /// Creates a list that shows at most `max_shown` elements.
    pub(super) fn new(max_shown: usize, separator: &'static str) -> Self {
        Self { text: String::new(), separator, max_shown, shown: 0, total: 0, is_full: false }
    }

    /// Adds an element, which is shown if there is room.
    pub(super) fn push(&mut self, part: &str) {
        if self.count() {
            if self.shown > 0 {
                self.text.push_str(self.separator);
            }
            self.text.push_str(part);
            self.shown += 1;
        }
    }

    /// Counts an element without text, such as a rule without a host: it shows nothing, but belongs to the total.
    pub(super) fn push_empty(&mut self) {
        self.count();
    }

    /// Counts an element. Returns whether there is room to show it.
    fn count(&mut self) -> bool {
        self.total += 1;
        self.is_full |= self.shown == self.max_shown;
        !self.is_full
    }

    /// `a,b,c + 2 more...`
    pub(super) fn cell(self) -> Cell {
        if self.is_full {
            return Cell::Text(format!("{} + {} more...", self.text, self.total - self.max_shown));
        }
        text(self.text.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_sorted_once() {
        let mut texts = Sorted::default();
        // Moving all later elements on each insertion would take minutes.
        for n in (0..400_000).rev() {
            texts.insert(&format!("n{:06}", n / 2));
        }
        texts.insert("");
        let joined = texts.joined();
        assert_eq!((joined.len(), &joined[..15]), (8 * 200_000 - 1, "n000000,n000001"));
    }
}
