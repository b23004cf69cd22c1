//! Tests of matching: case, stars, fields of objects, and missing values.

use super::*;
use crate::query::fold::{equals_folded, is_like};
use crate::query::matching::field_holds;
use crate::value::Value;

#[test]
fn small_and_capital_letters_are_equal_in_any_script() {
    for (a, b, equal) in [
        ("Pod", "pOD", true),
        ("pod", "pode", false),
        ("É", "é", true),
        ("é", "x", false),
        ("x", "É", false),
        ("é", "e", false),
        // The Kelvin sign is a capital letter of an ASCII one.
        ("\u{212a}", "k", true),
        ("k", "\u{212a}", true),
    ] {
        assert_eq!(equals_folded(a, b), equal, "{a} {b}");
    }
}

/// All texts of these characters up to this length.
fn texts(letters: &[char], longest: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut last = all.clone();
    for _ in 0..longest {
        last = last.iter().flat_map(|text| letters.iter().map(move |letter| format!("{text}{letter}"))).collect();
        all.extend(last.iter().cloned());
    }
    all
}

fn naive(text: &str, pattern: &str) -> bool {
    match pattern.chars().next() {
        None => text.is_empty(),
        Some('*') => (0..=text.len()).any(|taken| naive(&text[taken..], &pattern[1..])),
        Some(letter) => text.starts_with(letter) && naive(&text[1..], &pattern[1..]),
    }
}

#[test]
fn wildcards_match_any_text_in_all_short_texts() {
    for pattern in texts(&['a', 'b', '*'], 4) {
        for text in texts(&['a', 'b'], 5) {
            assert_eq!(is_like(&text, &pattern, false), naive(&text, &pattern), "{text:?} {pattern:?}");
        }
    }
    assert!(is_like("Web", "w*B", true) && !is_like("Web", "w*b", false));
}

/// Result of a field query for these values at its path.
fn field(query: &str, values: &[&str]) -> bool {
    let query = read(&format!("field=p{query}"));
    let Expression::Clause(Clause::Field { test, .. }) = &query.expression else { panic!("{query}") };
    field_holds(test.as_ref(), values, 0.0)
}

#[test]
fn a_part_of_an_object_is_compared_letter_for_letter_and_one_of_several_is_enough() {
    for (query, values, holds) in [
        ("", &["x"] as &[&str], true),
        ("", &[], false),
        ("=x", &["x"], true),
        ("=x", &["X"], false),
        ("=x", &["y", "x"], true),
        ("=x", &["y", "z"], false),
        ("=x", &[], false),
        ("=", &[], true),
        ("=", &["x"], false),
        // A negated test requires that no value matches.
        ("!=x", &["y"], true),
        ("!=x", &["X"], true),
        ("!=x", &["x"], false),
        ("!=x", &["y", "x"], false),
        ("!=x", &[], true),
        ("!=", &[], false),
        ("!=x,y", &["x,y"], false),
        ("~^w", &["web"], true),
        ("!~^w", &["web"], false),
        ("!~^w", &["a", "web"], false),
        ("!~^w", &["a", "b"], true),
        ("!~^$", &[], false),
        (">3", &["1", "4"], true),
        (">3", &[], false),
    ] {
        assert_eq!(field(query, values), holds, "field=p{query} {values:?}");
    }
}

#[test]
fn a_missing_value_equals_only_a_missing_value() {
    let holds = |query: &str, value: &Value| {
        let query = read(query);
        let Expression::Clause(Clause::Column(column)) = &query.expression else { panic!("{query}") };
        column.test.holds(value, 0.0)
    };
    let missing = Value::missing();
    assert!(holds("c=", &missing) && !holds("c!=", &missing));
    assert!(!holds("c=*", &missing) && holds("c!=*", &missing) && !holds("c=x", &missing));
    assert!(holds("c=*", &Value::text("x")) && !holds("c=", &Value::text("x")));
}

#[test]
fn brackets_side_by_side_are_not_in_one_another() {
    let many = "(a OR b) -c ".repeat(100);
    assert!(many.parse::<Query>().is_ok());
    let deep = format!("{}a{}", "(".repeat(32), ")".repeat(32));
    let error = deep.parse::<Query>().expect_err("too deep");
    assert_eq!((error.start, error.end), (32, 33), "{}", error.message);
    let inside = format!("{}a{}", "(".repeat(31), ")".repeat(31));
    assert!(inside.parse::<Query>().is_ok());
}

#[test]
fn a_phrase_is_a_column_only_where_an_operator_follows() {
    assert_eq!(read("\"two words\"!x").to_string(), "\"two words\" -x");
    assert_eq!(read("\"two words\"!=x").to_string(), "\"two words\"!=x");
    assert_eq!(read("\"two words\" x").to_string(), "\"two words\" x");
}
