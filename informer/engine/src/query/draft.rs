//! Drafts: filters that are being typed, without their unfinished terms.

use std::ops::Range;

use super::expression::{Clause, Column, Test};
use super::parse::{Mode, parse};
use super::part::{Part, PartKind};

/// Draft: the text of a filter that is being typed, with its complete and its unfinished terms.
///
/// A term without a value (`status=`, `restarts>`, `label=app=`), an age without a unit (`age<30`), a comma at the end
/// of a list, and an "AND", "OR", "NOT" or `-` at the end are unfinished. So `node=`, which asks for rows without a
/// node in a [`super::Query`], does not count in a draft: there it is `node=""`.
///
/// ```
/// use informer_engine::Draft;
///
/// let draft = Draft::new("web (status= OR age<5m)");
/// assert_eq!(draft.finished, "web (           age<5m)");
/// assert_eq!(draft.unfinished, ["status="]);
/// assert_eq!(Draft::context("web status=Ru age<5m", 13).as_deref(), Some("web age<5m"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    /// Complete terms. Blanks replace the rest, one for each UTF-16 unit, so positions are those of the typed text. The
    /// typed text itself if it cannot be parsed.
    pub finished: String,
    /// Unfinished terms, in order.
    pub unfinished: Vec<String>,
}

impl Draft {
    /// Parses a text. O(length).
    pub fn new(text: &str) -> Self {
        Self::read(text, None)
    }

    /// Parses a text in which the term at byte `at` is unfinished too, such as `status=Ru`. In a list of values, only
    /// the last value is.
    pub fn half_typed(text: &str, at: usize) -> Self {
        Self::read(text, Some(at))
    }

    fn read(text: &str, half: Option<usize>) -> Self {
        let Ok(parsed) = parse(text, Mode::Typed) else {
            return Self { finished: text.to_owned(), unfinished: Vec::new() };
        };
        let mut gaps = Gaps { text, half, ands: parsed.ands, unfinished: Vec::new(), blank: Vec::new() };
        gaps.find(&parsed.part);
        let Gaps { unfinished, blank, .. } = gaps;
        let is_blank = |at: usize| blank.iter().any(|gap| gap.contains(&at));
        let mut finished = String::with_capacity(text.len());
        for (at, letter) in text.char_indices() {
            if is_blank(at) {
                finished.extend(std::iter::repeat_n(' ', letter.len_utf16()));
            } else {
                finished.push(letter);
            }
        }
        // A word "AND" behind an unfinished term would be an operator without it: `label= AND AND`.
        if !unfinished.is_empty() && parse(&finished, Mode::Whole).is_err() {
            finished = " ".repeat(finished.encode_utf16().count());
        }
        Self { finished, unfinished: unfinished.into_iter().map(|span| text[span].to_owned()).collect() }
    }

    /// Returns the conditions that must also hold for the rows that the term at byte `at` selects: terms joined to it
    /// by AND, but not those joined by OR. `None` if the text cannot be parsed.
    ///
    /// Completions of the term are the values of its column, counted over these rows.
    pub fn context(text: &str, at: usize) -> Option<String> {
        let read = |text: &str| {
            let parsed = parse(text, Mode::Open).ok()?;
            let mut pieces = Vec::new();
            collect_conjuncts(&parsed.part, at, text, &mut pieces);
            Some(Self::new(&pieces.join(" ")).finished.trim().to_owned())
        };
        // An error after this position does not matter.
        read(text).or_else(|| read(text.get(..at)?))
    }
}

/// Collector of the unfinished parts.
struct Gaps<'t> {
    text: &'t str,
    /// Position of the term that always counts as unfinished.
    half: Option<usize>,
    /// Unfinished parts.
    unfinished: Vec<Range<usize>>,
    /// Parts to replace by blanks: the unfinished parts, and the operators that join them to others.
    blank: Vec<Range<usize>>,
    /// Positions of each "AND".
    ands: Vec<Range<usize>>,
}

impl Gaps<'_> {
    /// Collects the unfinished parts of a part. Returns whether all of it is unfinished.
    fn find(&mut self, part: &Part) -> bool {
        match &part.kind {
            PartKind::Clause(_) if !self.half.is_some_and(|at| part.touches(at)) => return false,
            PartKind::Clause(clause) => {
                self.unfinished.push(part.span.clone());
                let comma = self.text[part.span.clone()].rfind(',').filter(|_| is_list(clause));
                if let Some(comma) = comma {
                    self.blank.push(part.span.start + comma..part.span.end);
                    return false;
                }
            }
            PartKind::Listing(_, comma) => {
                self.unfinished.push(part.span.clone());
                self.blank.push(comma.clone());
                return false;
            }
            PartKind::Unfinished => self.unfinished.push(part.span.clone()),
            PartKind::Not(inner) => {
                if !self.find(inner) {
                    return false;
                }
            }
            PartKind::All(of) => {
                let gone: Vec<bool> = of.iter().map(|part| self.find(part)).collect();
                if gone.contains(&false) || of.is_empty() {
                    for (_, pair) in of.windows(2).enumerate().filter(|(at, _)| gone[*at] || gone[*at + 1]) {
                        let between = pair[0].span.end..pair[1].span.start;
                        self.blank.extend(self.ands.iter().filter(|and| between.contains(&and.start)).cloned());
                    }
                    return false;
                }
            }
            PartKind::Any(of) => {
                let gone: Vec<bool> = of.iter().map(|part| self.find(part)).collect();
                if let Some(first) = gone.iter().position(|gone| !gone) {
                    self.blank.push(of[0].span.start..of[first].span.start);
                    let behind = (first + 1..of.len()).filter(|at| gone[*at]);
                    self.blank.extend(behind.map(|at| of[at - 1].span.end..of[at].span.end));
                    return false;
                }
            }
        }
        self.blank.push(part.span.clone());
        true
    }
}

/// Whether a term has more than one value.
fn is_list(clause: &Clause) -> bool {
    let Clause::Column(Column { test: Test::Is(words) | Test::IsNot(words), .. }) = clause else { return false };
    words.len() > 1
}

/// Collects the terms that are joined by AND to the term at `at`.
fn collect_conjuncts<'t>(part: &Part, at: usize, text: &'t str, pieces: &mut Vec<&'t str>) {
    let is_touched = |part: &Part| part.touches(at);
    match &part.kind {
        _ if !is_touched(part) => pieces.push(&text[part.span.clone()]),
        PartKind::All(of) => {
            let touched = of.iter().rposition(is_touched);
            for (index, one) in of.iter().enumerate() {
                if Some(index) == touched {
                    collect_conjuncts(one, at, text, pieces);
                } else {
                    pieces.push(&text[one.span.clone()]);
                }
            }
        }
        PartKind::Any(of) => {
            if let Some(one) = of.iter().rev().find(|part| is_touched(part)) {
                collect_conjuncts(one, at, text, pieces);
            }
        }
        PartKind::Not(inner) => collect_conjuncts(inner, at, text, pieces),
        PartKind::Clause(_) | PartKind::Listing(..) | PartKind::Unfinished => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Query;
    use proptest::prelude::*;

    #[test]
    fn unfinished_terms_do_not_count() {
        for (text, finished, unfinished) in [
            ("", "", ""),
            ("web", "web", ""),
            ("status=", "", "status="),
            ("status!=", "", "status!="),
            ("status =", "", "status ="),
            ("restarts>", "", "restarts>"),
            ("restarts > ", "", "restarts >"),
            ("name~", "", "name~"),
            ("label=", "", "label="),
            ("label=app=", "", "label=app="),
            ("label=app=web,", "", "label=app=web,"),
            (r#"label="app=""#, r#"label="app=""#, ""),
            ("label!=app=", "", "label!=app="),
            ("field=spec.nodeName=", "", "field=spec.nodeName="),
            ("age<30", "", "age<30"),
            ("age<1h30", "", "age<1h30"),
            ("web status= age<5m", "web         age<5m", "status="),
            ("status= Running", "        Running", "status="),
            ("-status=", "", "status="),
            ("NOT status= a", "            a", "status="),
            ("status=Running,", "status=Running", "status=Running,"),
            ("status=,", "", "status=,"),
            ("web -", "web", "-"),
            ("web !", "web", "!"),
            ("web NOT", "web", "NOT"),
            ("web AND", "web", "AND"),
            ("web OR ", "web", "OR"),
            ("web |", "web", "|"),
            ("a AND b AND", "a AND b", "AND"),
            ("a AND status= AND b", "a                 b", "status="),
            ("a OR status=", "a", "status="),
            ("status= OR a", "           a", "status="),
            ("a | status= | b", "a           | b", "status="),
            ("(status=) a", "          a", "(status=)"),
            ("-(a status=)", "-(a        )", "status="),
            ("(a OR", "(a OR", ""),
            ("é𝄞=", "", "é𝄞="),
            ("node=\"\" name=a", "node=\"\" name=a", ""),
            ("age<x", "age<x", ""),
            ("restarts>30", "restarts>30", ""),
            ("age<30x", "age<30x", ""),
        ] {
            let draft = Draft::new(text);
            assert_eq!(
                (draft.finished.trim_end(), draft.unfinished.join(" ")),
                (finished, unfinished.into()),
                "{text}"
            );
            let units = |text: &str| text.encode_utf16().count();
            assert_eq!(units(&draft.finished), units(text), "{text}");
        }
    }

    #[test]
    fn an_incomplete_term_or_last_value_of_a_list_is_ignored() {
        for (text, finished, unfinished) in [
            ("status=Ru^", "", "status=Ru"),
            ("web status=Ru^ age<5m", "web           age<5m", "status=Ru"),
            ("web NOT status = Ru^ a", "web                 a", "status = Ru"),
            ("status=Ru^ OR a", "             a", "status=Ru"),
            ("status=Running,Pe^ a", "status=Running    a", "status=Running,Pe"),
            ("status=Running^", "", "status=Running"),
            ("a,b^ c", "    c", "a,b"),
            ("status=\"a,b\"^", "", "status=\"a,b\""),
            ("status= name=a^", "", "status= name=a"),
        ] {
            let at = text.find('^').expect("a place");
            let draft = Draft::half_typed(&text.replace('^', ""), at);
            assert_eq!(
                (draft.finished.trim_end(), draft.unfinished.join(" ")),
                (finished, unfinished.into()),
                "{text}"
            );
        }
    }

    #[test]
    fn the_context_of_a_term_is_the_other_conditions() {
        for (text, context) in [
            ("status=Ru^", ""),
            ("web status=^ age<5m", "web age<5m"),
            ("web -status=Ru^", "web"),
            ("web status!=a,^", "web"),
            ("web status = Ru^", "web"),
            ("a OR status=^", ""),
            ("a OR b status=^ OR c", "b"),
            ("(a OR status=^) c", "c"),
            ("(a OR b) status=^", "(a OR b)"),
            ("c (a status=^", "c a"),
            ("c -(a status=^)", "c a"),
            ("node= status=^", ""),
            ("a AND status=^", "a"),
            ("web status=^ \"open", "web"),
            ("status=a node=b^", "status=a"),
            ("(a OR b)  ^", "(a OR b)"),
        ] {
            let at = text.find('^').expect("a place");
            let context_found = Draft::context(&text.replace('^', ""), at);
            assert_eq!(context_found.as_deref(), Some(context), "{text}");
        }
        assert_eq!(Draft::context("\"a b=", 6), None);
    }

    proptest! {
        #[test]
        fn the_complete_part_of_a_valid_query_is_valid(text in "([a-c]|[ ()|=!<~,é-]|OR |AND |NOT |label=|age<|[0-9]){0,10}") {
            let draft = Draft::new(&text);
            if text.parse::<Query>().is_ok() {
                prop_assert!(draft.finished.parse::<Query>().is_ok(), "{:?}", draft);
            }
            if draft.finished != text {
                prop_assert!(draft.finished.parse::<Query>().is_ok(), "{:?}", draft);
            }
            for at in text.char_indices().map(|(at, _)| at) {
                let _ = Draft::context(&text, at);
            }
        }
    }
}
