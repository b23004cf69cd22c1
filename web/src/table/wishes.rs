//! What was wished of the view behind the table, and which of it is in force.

use std::collections::VecDeque;
use std::ops::Range;

use informer_engine::message::OrderBy;

use crate::engine::FIRST_WISH;

/// What the table wants to see.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Wanted {
    /// In the language of filters.
    pub(super) filter: String,
    /// The usual order, if it is empty.
    pub(super) order_by: Vec<OrderBy>,
    /// Columns whose values are counted.
    pub(super) facets: Vec<String>,
    /// Of all, if it is empty.
    pub(super) namespaces: Vec<String>,
}

/// A wish that was granted.
#[derive(Debug, PartialEq)]
pub(super) struct Granted {
    /// Whether other rows are in force than before, and not only another order of them.
    pub(super) others: bool,
    /// Where the window is from now on, if the wish brought one.
    pub(super) window: Option<Range<usize>>,
}

/// The wishes of one view.
#[derive(Debug, Default)]
pub(super) struct Wishes {
    count: u32,
    last: Wanted,
    unanswered: VecDeque<Wish>,
    in_force: Wanted,
}

#[derive(Debug)]
struct Wish {
    number: u32,
    wanted: Wanted,
    window: Option<Range<usize>>,
}

impl Wishes {
    /// Those of a view that is opened with this one.
    pub(super) fn of_view(wanted: Wanted) -> Self {
        let mut wishes = Self { count: FIRST_WISH - 1, ..Self::default() };
        wishes.wish(wanted, None);
        wishes
    }

    /// One more, which may bring a window. Gives its number.
    pub(super) fn wish(&mut self, wanted: Wanted, window: Option<Range<usize>>) -> u32 {
        self.count += 1;
        self.last.clone_from(&wanted);
        self.unanswered.push_back(Wish { number: self.count, wanted, window });
        self.count
    }

    /// The engine named a wish: if nothing was known of it yet, it is granted.
    pub(super) fn granted(&mut self, number: u32) -> Option<Granted> {
        let Wish { wanted, window, .. } = self.take(number)?;
        let others = self.are_others(&wanted);
        self.in_force = wanted;
        Some(Granted { others, window })
    }

    /// A wish was refused: everything is as before. Gives what was wished for.
    pub(super) fn refused(&mut self, number: u32) -> Option<Wanted> {
        self.take(number).map(|wish| wish.wanted)
    }

    /// Wishes are answered in their order.
    fn take(&mut self, number: u32) -> Option<Wish> {
        let at = self.unanswered.iter().position(|wish| wish.number == number)?;
        self.unanswered.drain(..=at).next_back()
    }

    /// What was wished last, whatever came of it.
    pub(super) fn last(&self) -> &Wanted {
        &self.last
    }

    /// What is in force.
    pub(super) fn in_force(&self) -> &Wanted {
        &self.in_force
    }

    /// Whether nothing is unanswered.
    pub(super) fn are_answered(&self) -> bool {
        self.unanswered.is_empty()
    }

    /// Whether that is other rows than those in force, and not only another order of them.
    pub(super) fn are_others(&self, wanted: &Wanted) -> bool {
        self.in_force.filter != wanted.filter || self.in_force.namespaces != wanted.namespaces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(filter: &str) -> Wanted {
        Wanted { filter: filter.to_owned(), ..Wanted::default() }
    }

    fn granted(others: bool, window: Option<Range<usize>>) -> Granted {
        Granted { others, window }
    }

    #[test]
    fn what_is_refused_leaves_what_was_in_force() {
        let mut wishes = Wishes::of_view(filter("web"));
        assert_eq!((wishes.in_force(), wishes.are_answered()), (&filter(""), false));
        assert_eq!(wishes.granted(FIRST_WISH), Some(granted(true, None)));
        let refused = wishes.wish(filter("web ("), Some(0..9));
        assert_eq!(wishes.granted(FIRST_WISH), None, "rows that are as they were say nothing of it");
        assert_eq!(wishes.refused(refused), Some(filter("web (")));
        assert_eq!((wishes.in_force(), wishes.last()), (&filter("web"), &filter("web (")));
        assert!(wishes.are_answered());
    }

    #[test]
    fn a_wish_is_granted_by_the_first_message_that_names_it() {
        let mut wishes = Wishes::of_view(filter(""));
        assert_eq!(wishes.granted(FIRST_WISH), Some(granted(false, None)));
        let (first, second) = (wishes.wish(filter("w"), Some(0..9)), wishes.wish(filter(""), None));
        assert_eq!(wishes.granted(first), Some(granted(true, Some(0..9))));
        assert_eq!((wishes.granted(first), wishes.are_answered()), (None, false), "the answer behind the rows");
        assert_eq!(wishes.granted(second), Some(granted(true, None)), "other rows than those of the first");
        assert_eq!((wishes.in_force(), wishes.are_answered()), (&filter(""), true));
    }

    #[test]
    fn another_order_is_of_the_same_rows() {
        let mut wishes = Wishes::of_view(filter("web"));
        wishes.granted(FIRST_WISH);
        let by_age = Wanted { order_by: vec![OrderBy::ascending("Age")], ..filter("web") };
        assert!(!wishes.are_others(&by_age) && wishes.are_others(&filter("")));
        let narrowed = Wanted { namespaces: vec!["shop".to_owned()], ..filter("web") };
        assert!(wishes.are_others(&narrowed));
    }
}
