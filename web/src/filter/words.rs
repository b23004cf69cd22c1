//! Words of a filter, as far as the page must parse them: their positions, and column values.
//!
//! The engine interprets them. Text that this module cannot parse stays as typed.

use std::ops::Range;

use crate::sort::{is_same, slug};

/// Returns the ranges of words; a part in brackets is one word.
fn words(text: &str) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let (mut start, mut depth, mut closer) = (None, 0_usize, None);
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if let Some(quote) = closer {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                _ if c == quote => closer = None,
                _ => {}
            }
            continue;
        }
        match c {
            '"' => closer = Some('"'),
            // Prefixes of a pattern: an operator, a bracket, a column that must match it.
            '/' if start.is_none_or(|from| text[from..at].ends_with(['-', '!', '~', '('])) => closer = Some('/'),
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            c if depth == 0 && (c == '|' || c.is_whitespace()) => {
                words.extend(start.take().map(|start| start..at));
                words.extend((c == '|').then_some(at..at + 1));
                continue;
            }
            _ => {}
        }
        start = start.or(Some(at));
    }
    words.extend(start.map(|start| start..text.len()));
    joined(text, words)
}

/// Joins words around an operator with blanks into one: `status = Running`.
fn joined(text: &str, words: Vec<Range<usize>>) -> Vec<Range<usize>> {
    const SIGNS: [char; 5] = ['=', '<', '>', '~', '!'];
    let mut joined: Vec<Range<usize>> = Vec::new();
    // Whether the last one needs a value, possibly after a blank.
    let mut open = false;
    for word in words {
        let typed = &text[word.clone()];
        let sign = typed.len() - typed.trim_start_matches(SIGNS).len();
        let is_sign = sign > 0 && !is_negation(typed);
        let is_term = !matches!(typed, "OR" | "|" | "AND" | "NOT");
        match joined.last_mut() {
            Some(last) if (open && is_term) || (is_sign && is_name(&text[last.clone()])) => last.end = word.end,
            _ => joined.push(word.clone()),
        }
        open = is_term && is_sign && sign == typed.len();
    }
    joined
}

/// Whether a word begins with a negation, rather than the operator of a test.
fn is_negation(word: &str) -> bool {
    word.starts_with('!') && !word.starts_with("!=") && !word.starts_with("!~")
}

/// Whether a word can be a column name.
fn is_name(word: &str) -> bool {
    !word.contains(['=', '<', '>', '~', '|', '/', '(', ')']) && !matches!(word, "OR" | "AND" | "NOT")
}

/// Whether the filter contains OR: then no single word applies to every row.
fn has_or(text: &str, words: &[Range<usize>]) -> bool {
    words.iter().any(|word| matches!(&text[word.clone()], "OR" | "|"))
}

/// Value in a filter.
#[derive(Clone, Debug)]
struct Value {
    /// Text as typed: a quoted star is literal, an unquoted one matches any text.
    typed: String,
    text: String,
}

/// Returns the values of a word that tests a column for equality: `status=Running,Pending`.
fn values_of(word: &str, column: &str) -> Option<Vec<Value>> {
    let (name, list) = word.split_once('=')?;
    let name = name.trim_end();
    // A leading sign negates the word.
    if name.starts_with(['-', '!']) || !is_same(name, column) {
        return None;
    }
    let list = list.strip_prefix('=').unwrap_or(list).trim_start();
    let mut values = vec![Value { typed: String::new(), text: String::new() }];
    let (mut quoted, mut escaped) = (false, false);
    for c in list.chars() {
        if c == ',' && !quoted {
            values.push(Value { typed: String::new(), text: String::new() });
            continue;
        }
        let value = values.last_mut()?;
        value.typed.push(c);
        match c {
            '\\' if quoted && !escaped => {
                escaped = true;
                continue;
            }
            '"' if !escaped => quoted = !quoted,
            c => value.text.push(c),
        }
        escaped = false;
    }
    Some(values)
}

/// Quotes a value so that it is literal.
pub(super) fn quoted(value: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '/');
    if !value.is_empty() && !value.starts_with('/') && value.chars().all(plain) {
        return value.to_owned();
    }
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Returns the word that tests a column for equality, and its values.
fn word_for(filter: &str, column: &str) -> Option<(Range<usize>, Vec<Value>)> {
    let words = words(filter);
    if has_or(filter, &words) {
        return None;
    }
    words.into_iter().find_map(|word| {
        let values = values_of(&filter[word.clone()], column)?;
        Some((word, values))
    })
}

/// Returns the values that a filter restricts a column to.
pub(crate) fn chosen(filter: &str, column: &str) -> Vec<String> {
    let values = word_for(filter, column).map(|(_, values)| values).unwrap_or_default();
    values.into_iter().map(|value| value.text).collect()
}

/// Adds a value of a column to the filter, or removes it.
pub(crate) fn toggle(filter: &str, column: &str, value: &str) -> String {
    let word = |typed: &[String]| format!("{}={}", slug(column), typed.join(","));
    if let Some((range, mut values)) = word_for(filter, column) {
        let (before, after) = (filter[..range.start].trim_end(), filter[range.end..].trim_start());
        // An incomplete value is none.
        values.retain(|chosen| !chosen.typed.is_empty());
        match values.iter().position(|chosen| chosen.text.eq_ignore_ascii_case(value)) {
            Some(at) => drop(values.remove(at)),
            None => values.push(Value { typed: quoted(value), text: value.to_owned() }),
        }
        let typed: Vec<String> = values.into_iter().map(|value| value.typed).collect();
        let middle = if typed.is_empty() { String::new() } else { word(&typed) };
        return [before, &middle, after].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    }
    let filter = filter.trim();
    let added = word(&[quoted(value)]);
    if filter.is_empty() {
        added
    } else if has_or(filter, &words(filter)) {
        format!("({filter}) {added}")
    } else {
        format!("{filter} {added}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_added_and_removed() {
        for (before, after) in [
            ("", "status=Running"),
            ("web", "web status=Running"),
            ("status=Pending", "status=Pending,Running"),
            ("a Status=Pending b", "a status=Pending,Running b"),
            ("a OR b", "(a OR b) status=Running"),
            ("a|b", "(a|b) status=Running"),
            ("(a OR b) c", "(a OR b) c status=Running"),
            ("-status=Running", "-status=Running status=Running"),
            ("\"status=Running\"", "\"status=Running\" status=Running"),
            ("status=Run*", "status=Run*,Running"),
            ("status==\"a b\"", "status=\"a b\",Running"),
            ("-/a status=b/ c", "-/a status=b/ c status=Running"),
            ("a or b", "a or b status=Running"),
            ("a status = Pending b", "a status=Pending,Running b"),
            ("status =Pending", "status=Pending,Running"),
            ("status=", "status=Running"),
            ("status=Pending,", "status=Pending,Running"),
            ("a !b", "a !b status=Running"),
        ] {
            assert_eq!(toggle(before, "Status", "Running"), after);
            assert!(chosen(after, "Status").contains(&"Running".to_owned()), "{after}");
        }
        for (before, after) in [
            ("status=Running", ""),
            ("a status = running b", "a b"),
            ("a status=running b", "a b"),
            ("status=Running,Pending", "status=Pending"),
            ("status=\"Running\"", ""),
            ("status==Running", ""),
        ] {
            assert_eq!(toggle(before, "Status", "Running"), after);
        }
    }

    #[test]
    fn strange_values_are_quoted_and_read_back() {
        for value in ["a b", "a,b", "a*", "\"", "back\\slash", "", "a|b", "(x", "é", "/x/", "<img src=x>", "OR", "a=b"]
        {
            let filter = toggle("web", "Last Reason", value);
            assert_eq!(chosen(&filter, "Last Reason"), [value], "{filter}");
            assert_eq!(toggle(&filter, "Last Reason", value), "web", "{filter}");
        }
        assert_eq!(toggle("", "Node", "ip-10-0-0-1.eu"), "node=ip-10-0-0-1.eu");
        assert_eq!(toggle("", "Node", ""), "node=\"\"");
    }

    #[test]
    fn words_are_split_at_blanks_outside_of_quotes_and_brackets() {
        let parts = |text: &'static str| words(text).into_iter().map(|word| &text[word]).collect::<Vec<_>>();
        assert_eq!(parts("a \"b c\" /d e/ (f g) -h"), ["a", "\"b c\"", "/d e/", "(f g)", "-h"]);
        assert_eq!(parts("a=\"b \\\" c\" d) \"e f"), ["a=\"b \\\" c\"", "d)", "\"e f"]);
        assert_eq!(parts("a|b (c | d)"), ["a", "|", "b", "(c | d)"]);
        assert_eq!(parts("a = b c >d e= f g !h i OR = j"), ["a = b", "c >d", "e=", "f", "g", "!h", "i", "OR", "= j"]);
    }
}
