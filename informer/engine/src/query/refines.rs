//! Refinement: whether a query selects a subset of another one.

use super::expression::{Clause, Expression};
use super::{Query, contains_folded};

impl Query {
    /// Whether every row of this query is also a row of `before`, as far as the syntax shows: a word is extended, or a
    /// clause is added. May return false for an actual subset.
    pub(crate) fn refines(&self, before: &Self) -> bool {
        let is_refined = |clause: &Expression| clauses(self).iter().any(|now| implies(now, clause));
        clauses(before).iter().all(is_refined)
    }
}

fn clauses(query: &Query) -> &[Expression] {
    match &query.expression {
        Expression::All(of) => of,
        other => std::slice::from_ref(other),
    }
}

fn implies(now: &Expression, before: &Expression) -> bool {
    match (text(now), text(before)) {
        // Outside ASCII the folds differ: the Kelvin sign contains `k` only for a text that is not ASCII either.
        (Some(now), Some(before)) => (now.is_ascii() || !before.is_ascii()) && contains_folded(now, before),
        _ => now == before,
    }
}

fn text(expression: &Expression) -> Option<&str> {
    match expression {
        Expression::Clause(Clause::Text(text)) => Some(text),
        Expression::Clause(Clause::Colon(colon)) => Some(&colon.text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_typed_further_or_added_refines() {
        let refines = |before: &str, now: &str| {
            let read = |text: &str| text.parse::<Query>().expect("readable");
            read(now).refines(&read(before))
        };
        for (before, now) in
            [("", "a"), ("we", "web"), ("we", "we b"), ("a=1 b", "-c bc a=1"), ("a|b", "(a|b) c"), ("a", "a:b")]
        {
            assert!(refines(before, now), "{before} -> {now}");
        }
        for (before, now) in [
            ("web", "we"),
            ("a b", "a"),
            ("-a", "-ab"),
            ("a", "a|b"),
            ("a=1", "a=12"),
            ("-a:b", "-a:c"),
            ("-/a/", "-/b/"),
            // The Kelvin sign is a `k` only where other characters are beyond ASCII too.
            ("k", "ék"),
        ] {
            assert!(!refines(before, now), "{before} -> {now}");
        }
    }
}
