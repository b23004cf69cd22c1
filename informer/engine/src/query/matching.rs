//! Matching of a value against a test of a query.

use super::expression::{Comparison, Limit, Test, Word};
use super::fold::{equals_folded, is_like};
use crate::value::{Kind, Value, natural};

impl Test {
    /// Whether it holds for a value. `now` is in milliseconds since the Unix epoch.
    pub(crate) fn holds(&self, value: &Value, now: f64) -> bool {
        match self {
            Self::Is(words) => words.iter().any(|word| word.is(value)),
            Self::IsNot(words) => !words.iter().any(|word| word.is(value)),
            Self::Like(pattern) => pattern.finds(&value.text),
            Self::Unlike(pattern) => !pattern.finds(&value.text),
            Self::Compare(comparison, limit) => comparison.holds(value, limit, now),
        }
    }

    /// Whether its result for a value can change by time alone.
    pub(crate) fn depends_on_time(&self) -> bool {
        matches!(self, Self::Compare(_, limit) if limit.duration_ms.is_some())
    }

    /// Returns when its result for an unchanged value flips next, because ages grow.
    pub(crate) fn retest_at(&self, value: &Value, now: f64) -> Option<f64> {
        let (Self::Compare(comparison, limit), Kind::Time) = (self, value.kind) else { return None };
        let limit = limit.duration_ms?;
        // An age equal to the limit has not passed it, so with a millisecond clock it passes one later. A future time
        // first comes nearer: it equals the limit before it is below.
        let (ahead, behind) = match comparison {
            Comparison::LessOrEqual | Comparison::Greater => (0.0, 1.0),
            Comparison::Less | Comparison::GreaterOrEqual => (1.0, 0.0),
        };
        let retests = [value.number - limit + ahead, value.number + limit + behind];
        retests.into_iter().find(|retest| *retest > now)
    }

    /// Whether it holds for a field of an object, case-sensitive like the apiserver's field selectors.
    pub(super) fn holds_exactly(&self, text: &str, now: f64) -> bool {
        match self {
            Self::Is(words) => words.iter().any(|word| word.is_exactly(text)),
            Self::IsNot(words) => !words.iter().any(|word| word.is_exactly(text)),
            other => other.holds(&Value::text(text), now),
        }
    }
}

/// Whether a field passes a test; without a test, whether it exists. One matching value is enough; a negated test
/// requires that no value matches.
pub(crate) fn field_holds(test: Option<&Test>, values: &[impl AsRef<str>], now: f64) -> bool {
    let Some(test) = test else { return !values.is_empty() };
    match test {
        _ if values.is_empty() => test.holds_exactly("", now),
        Test::IsNot(_) | Test::Unlike(_) => values.iter().all(|value| test.holds_exactly(value.as_ref(), now)),
        _ => values.iter().any(|value| test.holds_exactly(value.as_ref(), now)),
    }
}

impl Word {
    fn is(&self, value: &Value) -> bool {
        if value.kind == Kind::Missing || self.text.is_empty() {
            return value.kind == Kind::Missing && self.text.is_empty();
        }
        let same_number = value.kind == Kind::Number && self.number == Some(value.number);
        same_number
            || if self.is_wildcard {
                is_like(&value.text, &self.text, true)
            } else {
                equals_folded(&value.text, &self.text)
            }
    }

    fn is_exactly(&self, text: &str) -> bool {
        if self.is_wildcard { is_like(text, &self.text, false) } else { text == self.text }
    }
}

impl Comparison {
    fn holds(self, value: &Value, limit: &Limit, now: f64) -> bool {
        let (size, limit_size) = match value.kind {
            Kind::Missing => return false,
            // Distance from now, also for future times.
            Kind::Time => ((now - value.number).abs(), limit.duration_ms),
            Kind::Duration => (value.number, limit.duration_ms),
            Kind::Number => (value.number, limit.number),
            Kind::Text => (0.0, None),
        };
        let ordering = match (limit_size, value.kind) {
            (Some(limit_size), _) => size.partial_cmp(&limit_size),
            (None, Kind::Text) if limit.number.is_none() => Some(natural(&value.text, &limit.text)),
            // Numbers and texts have no common order; neither have ages and non-durations.
            (None, _) => None,
        };
        ordering.is_some_and(|ordering| match self {
            Self::Less => ordering.is_lt(),
            Self::LessOrEqual => ordering.is_le(),
            Self::Greater => ordering.is_gt(),
            Self::GreaterOrEqual => ordering.is_ge(),
        })
    }
}

/// Returns the index of the column of this name; case, blanks, `-` and `_` are ignored.
pub(crate) fn column_named<'n>(mut names: impl Iterator<Item = &'n str>, wanted: &str) -> Option<usize> {
    let letters = |name: &str| -> String {
        name.chars().filter(|c| !matches!(c, ' ' | '-' | '_')).flat_map(char::to_lowercase).collect()
    };
    let wanted = letters(wanted);
    names.position(|name| letters(name) == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::{Clause, Expression, Query};

    fn holds(query: &str, value: &Value) -> bool {
        let query: Query = query.parse().expect(query);
        match &query.expression {
            Expression::Clause(Clause::Column(column)) => column.test.holds(value, 10_000.0),
            Expression::Clause(Clause::Field { test, .. }) => field_holds(test.as_ref(), &[&*value.text], 10_000.0),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn values_are_texts_numbers_and_moments() {
        let text = Value::text;
        for (query, value, expected) in [
            ("c=running", text("Running"), true),
            ("c=Run*", text("Running"), true),
            ("c=\"Run*\"", text("Running"), false),
            ("c=a,running", text("Running"), true),
            ("c!=a,running", text("Running"), false),
            ("c=", text(""), true),
            ("c=", text("x"), false),
            ("c!=", text("x"), true),
            ("c=1Gi", text("1024Mi"), true),
            ("c=1/1", text("2/2"), false),
            ("c=1/1", text("1/1"), true),
            ("c=1.1", text("1.10"), true),
            ("c=\"1.1\"", text("1.10"), false),
            ("c!=\"1.1\",1/2", text("2/4"), true),
            ("c>500Mi", text("1Gi"), true),
            ("c>=500m", text("0.5"), true),
            ("c<1/2", text("0/3"), true),
            ("c<3", text(""), false),
            ("c>3", text("four"), false),
            ("c>b", text("c"), true),
            ("c~^r.n", text("Running"), true),
            ("c!~^r.n", text("Running"), false),
            ("c<5s", Value::time(6_000.0), true),
            ("c<4s", Value::time(6_000.0), false),
            ("c>=4s", Value::time(6_000.0), true),
            ("c=4s", Value::time(6_000.0), false),
            ("c<5s", Value::time(14_000.0), true),
            ("c<4s", Value::time(14_000.0), false),
            ("c>1h", Value::time(14_000.0), false),
            ("field=p=running", text("Running"), false),
            ("field=p=Run*", text("Running"), true),
            ("field=p", text("x"), true),
        ] {
            assert_eq!(holds(query, &value), expected, "{query} {value:?}");
        }
    }

    #[test]
    fn a_comparison_of_ages_changes_at_the_predicted_time() {
        let value = Value::time(6_000.0);
        for (sign, retest) in [("<", 11_000.0), (">=", 11_000.0), ("<=", 11_001.0), (">", 11_001.0)] {
            let query: Query = format!("age{sign}5s").parse().expect("readable");
            let Expression::Clause(Clause::Column(column)) = &query.expression else { panic!("{query}") };
            assert_eq!(column.test.retest_at(&value, 10_000.0), Some(retest));
            assert_ne!(column.test.holds(&value, retest - 1.0), column.test.holds(&value, retest), "{query}");
            assert_eq!(column.test.retest_at(&value, retest), None);
        }
    }

    #[test]
    fn a_moment_ahead_turns_when_it_comes_near_and_when_it_is_past() {
        let value = Value::time(20_000.0);
        for (sign, retests) in [
            ("<", [15_001.0, 25_000.0]),
            (">=", [15_001.0, 25_000.0]),
            ("<=", [15_000.0, 25_001.0]),
            (">", [15_000.0, 25_001.0]),
        ] {
            let query: Query = format!("expires{sign}5s").parse().expect("readable");
            let Expression::Clause(Clause::Column(column)) = &query.expression else { panic!("{query}") };
            let mut now = 10_000.0;
            for retest in retests {
                assert_eq!(column.test.retest_at(&value, now), Some(retest), "{query}");
                assert_ne!(column.test.holds(&value, retest - 1.0), column.test.holds(&value, retest), "{query}");
                now = retest;
            }
            assert_eq!(column.test.retest_at(&value, now), None, "{query}");
        }
    }
}
