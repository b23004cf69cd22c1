//! What the word at the caret may become: names of columns, and values that are there.

use std::ops::Range;

use informer::columns::ColumnHeader;
use informer::message::Facet;

use super::words::quoted;
use crate::age::thousands;
use crate::sort::{is_same, slug};

/// More are not read while typing.
const MOST: usize = 8;

/// One way to go on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Completion {
    /// What it stands in place of, in bytes.
    pub(crate) place: Range<usize>,
    /// What then stands there.
    pub(crate) text: String,
    /// What it is.
    pub(crate) hint: String,
}

/// The ways to go on with the word that ends at `caret`, a place in bytes.
pub(crate) fn completions(text: &str, caret: usize, columns: &[ColumnHeader], facets: &[Facet]) -> Vec<Completion> {
    let Some(typed) = text.get(..caret) else { return Vec::new() };
    // Within quotes nothing is a name.
    if typed.matches('"').count() % 2 == 1 {
        return Vec::new();
    }
    let opens = |c: char| c.is_whitespace() || matches!(c, '(' | '|');
    let start = typed.rfind(opens).map_or(0, |at| at + typed[at..].chars().next().map_or(1, char::len_utf8));
    let start = start + usize::from(typed[start..].starts_with(['-', '!']));
    let word = &typed[start..];
    match word.split_once('=') {
        None => names(word, start..caret, columns),
        Some((column, list)) => {
            let before = list.rfind(',').map_or(0, |at| at + 1);
            values(column.trim_end_matches('!'), &list[before..], caret - (list.len() - before)..caret, facets)
        }
    }
}

fn names(word: &str, place: Range<usize>, columns: &[ColumnHeader]) -> Vec<Completion> {
    let word = word.to_lowercase();
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
        .take(MOST)
        .map(|(name, sign, hint)| Completion {
            place: place.clone(),
            text: format!("{name}{sign}"),
            hint: hint.to_owned(),
        })
        .collect()
}

fn values(column: &str, typed: &str, place: Range<usize>, facets: &[Facet]) -> Vec<Completion> {
    let Some(facet) = facets.iter().find(|facet| is_same(&facet.column, column)) else { return Vec::new() };
    let typed = typed.to_lowercase();
    let found = facet.values.iter().filter(|value| {
        let folded = value.value.to_lowercase();
        !folded.is_empty() && folded != typed && folded.contains(&typed)
    });
    found
        .take(MOST)
        .map(|value| Completion {
            place: place.clone(),
            text: quoted(&value.value),
            hint: thousands(value.count as u64),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use informer::message::FacetValue;

    fn offers(text: &str) -> Vec<String> {
        let header = |name: &str, numeric| ColumnHeader { name: name.to_owned(), wide: false, numeric };
        let columns =
            [header("Name", false), header("Nominated Node", false), header("Restarts", true), header("Age", false)];
        let value = |value: &str| FacetValue { value: value.to_owned(), count: 1 };
        let values = vec![value("Running"), value("Pending"), value("a b"), value("")];
        let facets = [Facet { column: "Status".to_owned(), values, more: 0 }];
        completions(text, text.len(), &columns, &facets)
            .into_iter()
            .map(|one| format!("{}{}", &text[..one.place.start], one.text))
            .collect()
    }

    #[test]
    fn names_are_offered_with_the_sign_that_suits_them() {
        assert_eq!(offers("web n"), ["web name=", "web nominated-node="]);
        assert_eq!(offers("(-re"), ["(-restarts>"]);
        assert_eq!(offers("AG"), ["age<"]);
        assert_eq!(offers("la"), ["label="]);
        assert!(offers("").is_empty() && offers("web ").is_empty() && offers("\"n").is_empty());
    }

    #[test]
    fn values_are_those_that_are_there() {
        assert_eq!(offers("status=ru"), ["status=Running"]);
        assert_eq!(offers("Status!=x,pen"), ["Status!=x,Pending"]);
        assert_eq!(offers("é status="), ["é status=Running", "é status=Pending", "é status=\"a b\""]);
        assert!(offers("status=Running").is_empty() && offers("name=x").is_empty());
    }
}
