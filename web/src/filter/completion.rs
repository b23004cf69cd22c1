//! Completion of the word at the caret: column names and existing values.

use std::ops::Range;
use std::sync::Arc;

use informer_engine::columns::ColumnHeader;
use informer_engine::{Draft, Facet, FacetValue};

use super::words::quoted;
use crate::age::thousands;
use crate::sort::{is_same, slug};

/// Maximum number of completions: users do not read more while typing.
const MAX_COMPLETIONS: usize = 8;

/// Completion of a word.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Completion {
    /// Filter that it belongs to.
    pub(crate) filter: Arc<str>,
    /// Range that it replaces, in bytes.
    pub(crate) range: Range<usize>,
    /// Replacement.
    pub(crate) text: String,
    /// Description.
    pub(crate) hint: String,
}

impl Completion {
    /// Returns the completed filter, and the caret after the completion in UTF-16 units. `None` if `filter` differs
    /// from the text that it was computed for: its range would be another word, or not on a character boundary.
    pub(crate) fn complete(&self, filter: &str) -> Option<(String, u32)> {
        if *filter != *self.filter {
            return None;
        }
        let filled = format!("{}{}", filter.get(..self.range.start)?, self.text);
        let caret = u32::try_from(filled.encode_utf16().count()).unwrap_or(0);
        Some((format!("{filled}{}", filter.get(self.range.end..)?), caret))
    }
}

/// Completions of the word at the caret.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Offer {
    /// Known names.
    Names(Vec<Completion>),
    /// Values of a column, to be requested.
    Value(ValueRequest),
}

/// Value that is being typed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ValueRequest {
    /// Filter that contains it.
    pub(crate) filter: Arc<str>,
    /// Column, as typed.
    pub(crate) column: String,
    /// Typed part of the value.
    pub(crate) typed: String,
    /// Range of that part, in bytes.
    pub(crate) range: Range<usize>,
    /// Filter without the term: the other conditions of the rows.
    pub(crate) context: String,
}

/// Returns the completions of the word that ends at `caret`, in bytes.
pub(crate) fn offer(text: &str, caret: usize, columns: &[ColumnHeader]) -> Offer {
    let none = Offer::Names(Vec::new());
    let Some(typed) = text.get(..caret) else { return none };
    // A quoted text is not a name.
    if typed.matches('"').count() % 2 == 1 {
        return none;
    }
    let start = term_start(typed);
    let word = &typed[start..];
    let Some((column, list)) = word.split_once('=') else { return Offer::Names(names(text, start..caret, columns)) };
    let column = column.trim_end_matches('!').trim_end();
    let list = list.trim_start_matches('=').trim_start();
    let typed = &list[list.rfind(',').map_or(0, |at| at + 1)..];
    let header = columns.iter().find(|header| is_same(&header.name, column));
    // Names and times differ in nearly every row.
    let Some(header) = header.filter(|header| !matches!(header.name.as_str(), "Name" | "Age")) else { return none };
    let Some(context) = Draft::context(text, caret) else { return none };
    let (column, typed) = (header.name.clone(), typed.to_owned());
    Offer::Value(ValueRequest { filter: text.into(), column, range: caret - typed.len()..caret, typed, context })
}

/// Returns the start of the term that is being typed. Blanks may surround its operator; after "=" only if one precedes
/// it.
fn term_start(typed: &str) -> usize {
    const SIGNS: [char; 5] = ['=', '<', '>', '~', '!'];
    let word_start = |typed: &str| {
        let opens = |c: char| c.is_whitespace() || matches!(c, '(' | '|');
        let start = typed.rfind(opens).map_or(0, |at| at + typed[at..].chars().next().map_or(1, char::len_utf8));
        start + usize::from(typed[start..].starts_with('-') || is_not(&typed[start..]))
    };
    let mut start = word_start(typed);
    let before = typed[..start].trim_end();
    // "name = va": the operator is a word of its own.
    if start > before.len() && before.ends_with(SIGNS) && typed[..before.len()].trim_end_matches(SIGNS).ends_with(' ') {
        start = before.trim_end_matches(SIGNS).len();
    }
    // "name =va": the operator begins the word.
    if typed[start..].trim_start().starts_with(SIGNS) && !is_not(&typed[start..]) {
        start = word_start(typed[..start].trim_end());
    }
    start
}

/// Whether a word begins with a negation, rather than the operator of a test.
fn is_not(word: &str) -> bool {
    word.starts_with('!') && !word.starts_with("!=") && !word.starts_with("!~")
}

fn names(filter: &str, range: Range<usize>, columns: &[ColumnHeader]) -> Vec<Completion> {
    let word = filter[range.clone()].to_lowercase();
    let filter: Arc<str> = filter.into();
    let is_meant = |name: &str| !word.is_empty() && name.starts_with(&word);
    let of_columns = columns.iter().map(|header| {
        let sign = match header.name.as_str() {
            "Age" | "Last Seen" => "<",
            _ if header.numeric => ">",
            _ => "=",
        };
        (slug(&header.name), sign, "column")
    });
    let others = [("label".to_owned(), "=", "labels"), ("field".to_owned(), "=", "any field")];
    of_columns
        .chain(others)
        .filter(|(name, ..)| is_meant(name))
        .take(MAX_COMPLETIONS)
        .map(|(name, sign, hint)| Completion {
            filter: Arc::clone(&filter),
            range: range.clone(),
            text: format!("{name}{sign}"),
            hint: hint.to_owned(),
        })
        .collect()
}

/// Whether a typed value is only a part of existing values, and not itself one.
pub(crate) fn is_half(request: &ValueRequest, facet: &Facet) -> bool {
    let is = |value: &FacetValue| value.value.to_lowercase() == request.typed.to_lowercase();
    !request.typed.is_empty() && !facet.values.is_empty() && !facet.values.iter().any(is)
}

/// Returns the values, out of those counted for a term, that it may be completed to.
pub(crate) fn values(request: &ValueRequest, facet: &Facet) -> Vec<Completion> {
    let typed = request.typed.to_lowercase();
    let found = facet.values.iter().filter(|value| {
        let folded = value.value.to_lowercase();
        !folded.is_empty() && folded != typed && folded.contains(&typed)
    });
    found
        .take(MAX_COMPLETIONS)
        .map(|value| Completion {
            filter: Arc::clone(&request.filter),
            range: request.range.clone(),
            text: quoted(&value.value),
            hint: thousands(value.count as u64),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns() -> [ColumnHeader; 5] {
        let header = |name: &str, numeric| ColumnHeader { name: name.to_owned(), wide: false, numeric };
        [
            header("Name", false),
            header("Nominated Node", false),
            header("Status", false),
            header("Restarts", true),
            header("Age", false),
        ]
    }

    fn offers(text: &str) -> Vec<String> {
        let value = |value: &str| FacetValue { value: value.to_owned(), count: 1 };
        let values_of_status = vec![value("Running"), value("Pending"), value("a b"), value("")];
        let facet = Facet { column: "Status".to_owned(), values: values_of_status, more: 0 };
        let completions = match offer(text, text.len(), &columns()) {
            Offer::Names(names) => names,
            Offer::Value(request) => values(&request, &facet),
        };
        completions.into_iter().map(|one| format!("{}{}", &text[..one.range.start], one.text)).collect()
    }

    #[test]
    fn names_are_offered_with_a_suitable_operator() {
        assert_eq!(offers("web n"), ["web name=", "web nominated-node="]);
        assert_eq!(offers("(-re"), ["(-restarts>"]);
        assert_eq!(offers("AG"), ["age<"]);
        assert_eq!(offers("la"), ["label="]);
        assert!(offers("").is_empty() && offers("web ").is_empty() && offers("\"n").is_empty());
    }

    #[test]
    fn a_completion_fits_only_the_filter_that_it_was_computed_for() {
        let Offer::Names(names) = offer("é st x", 5, &columns()) else { panic!("names") };
        assert_eq!(names[0].complete("é st x"), Some(("é status= x".to_owned(), 9)));
        // Shorter than the range, cut inside a character, another word there, and the same word in another filter.
        for changed in ["", "é", "aaéé", "é na x", "é st y"] {
            assert_eq!(names[0].complete(changed), None, "{changed}");
        }
    }

    #[test]
    fn values_are_those_that_are_there() {
        assert_eq!(offers("status=ru"), ["status=Running"]);
        assert_eq!(offers("Status!=x,pen"), ["Status!=x,Pending"]);
        assert_eq!(offers("é status="), ["é status=Running", "é status=Pending", "é status=\"a b\""]);
        assert!(offers("status=Running").is_empty() && offers("name=x").is_empty());
    }

    #[test]
    fn blanks_may_surround_an_operator() {
        assert_eq!(offers("web status = ru"), ["web status = Running"]);
        assert_eq!(offers("status =ru"), ["status =Running"]);
        assert_eq!(offers("status != x,pen"), ["status != x,Pending"]);
        assert_eq!(offers("status= re"), ["status= restarts>"], "a term of its own");
        assert_eq!(offers("status=x !re"), ["status=x !restarts>"]);
    }

    #[test]
    fn values_are_requested_over_the_rows_of_the_other_terms() {
        let context = |text: &str| match offer(text, text.len(), &columns()) {
            Offer::Value(request) => (request.column, request.typed, request.context),
            Offer::Names(names) => panic!("{names:?}"),
        };
        let of = |typed: &str, context: &str| ("Status".to_owned(), typed.to_owned(), context.to_owned());
        assert_eq!(context("web status=Ru"), of("Ru", "web"));
        assert_eq!(context("restarts > 3 STATUS!=a,"), of("", "restarts > 3"));
        assert_eq!(context("web (status=f"), of("f", "web"));
    }

    #[test]
    fn a_value_is_half_typed_while_others_contain_it() {
        let value = |value: &str| FacetValue { value: value.to_owned(), count: 1 };
        let half = |typed: &str, values: &[&str]| {
            let (column, context) = (String::new(), String::new());
            let request = ValueRequest { filter: typed.into(), column, typed: typed.to_owned(), range: 0..0, context };
            let values = values.iter().map(|text| value(text)).collect();
            is_half(&request, &Facet { column: String::new(), values, more: 0 })
        };
        assert!(half("ru", &["Running"]));
        assert!(!half("running", &["Running", "NotRunning"]) && !half("x", &[]) && !half("", &["Running"]));
    }
}
