//! Syntax tree: the parts of a filter's text, each with its position.

use std::ops::Range;

use super::expression::{Clause, Column, Expression, Test};

/// Node of the syntax tree.
#[derive(Debug)]
pub(super) struct Part {
    /// Range of bytes, with brackets and negations.
    pub(super) place: Range<usize>,
    pub(super) what: What,
}

/// Kind of a node.
#[derive(Debug)]
pub(super) enum What {
    /// Parts that must all match.
    All(Vec<Part>),
    /// Parts, at least one of which must match.
    Any(Vec<Part>),
    /// A part that must not match.
    Not(Box<Part>),
    /// A term.
    Clause(Clause),
    /// A list of values that ends with a comma, and the comma's position.
    Listing(Clause, Range<usize>),
    /// An unfinished term or operator: `status=`, or an "OR" at the end.
    Unfinished,
}

impl Part {
    /// Creates a term without a position.
    pub(super) fn clause(clause: Clause) -> Self {
        Self { place: 0..0, what: What::Clause(clause) }
    }

    /// Joins parts into one; a single part stays itself.
    pub(super) fn of_several(mut of: Vec<Self>, join: impl Fn(Vec<Self>) -> What) -> Self {
        if of.len() == 1 {
            return of.remove(0);
        }
        let start = of.first().map_or(0, |part| part.place.start);
        let end = of.last().map_or(0, |part| part.place.end);
        Self { place: start..end, what: join(of) }
    }

    /// Sets the position.
    pub(super) fn at(mut self, place: Range<usize>) -> Self {
        if let What::Not(inner) = &mut self.what {
            inner.place = place.clone();
        }
        self.place = place;
        self
    }

    /// Whether a position is inside it or at one of its ends.
    pub(super) fn touches(&self, at: usize) -> bool {
        self.place.start <= at && at <= self.place.end
    }

    /// Whether it is empty.
    pub(super) fn is_empty(&self) -> bool {
        matches!(&self.what, What::All(of) if of.is_empty())
    }

    /// Marks a term of a column as unfinished: a list that ends with a comma, or an age without a unit.
    pub(super) fn typed(self, filter: &str) -> Self {
        let What::Clause(Clause::Column(Column { name, place, test })) = self.what else { return self };
        let column = |test| Clause::Column(Column { name: name.clone(), place: place.clone(), test });
        let end = self.place.end;
        let what = match test {
            Test::Is(mut words) | Test::IsNot(mut words) if filter[..end].ends_with(',') => {
                words.pop();
                let is_not = filter[place.0.end..end].trim_start().starts_with('!');
                let is_empty = words.iter().all(|word| word.text.is_empty());
                let rest = if is_not { Test::IsNot(words) } else { Test::Is(words) };
                if is_empty { What::Unfinished } else { What::Listing(column(rest), end - 1..end) }
            }
            Test::Compare(_, limit)
                if name.eq_ignore_ascii_case("age")
                    && limit.duration_ms.is_none()
                    && limit.text.starts_with(|c: char| c.is_ascii_digit())
                    && limit.text.ends_with(|c: char| c.is_ascii_digit()) =>
            {
                What::Unfinished
            }
            test => What::Clause(column(test)),
        };
        Self { place: self.place, what }
    }

    /// Returns the expression of a complete text, which has no unfinished terms; `None` if it is one.
    pub(super) fn expression(self) -> Option<Expression> {
        let each = |of: Vec<Self>| of.into_iter().map(Self::expression).collect::<Option<_>>();
        match self.what {
            What::All(of) => each(of).map(Expression::All),
            What::Any(of) => each(of).map(Expression::Any),
            What::Not(inner) => Some(Expression::Not(Box::new(inner.expression()?))),
            What::Clause(clause) | What::Listing(clause, _) => Some(Expression::Clause(clause)),
            What::Unfinished => None,
        }
    }
}
