//! Group: the totals of its objects, and the values that follow from them.

use std::collections::BTreeMap;

use crate::value::Amount;

/// Value of a group: the number of its objects, or one from a total, by its index.
#[derive(Clone, Copy, Debug)]
pub(super) enum Output {
    Count,
    Sum(usize),
    Min(usize),
    Max(usize),
}

/// Kind of a total.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Sum,
    Range,
}

/// Total of a field over the objects of a group that have a value.
#[derive(Debug)]
enum Total {
    /// Sum.
    Sum(Amount),
    /// Different values, each with its number of objects: O(log n) for a change, also if the minimum or
    /// maximum is removed.
    Range(BTreeMap<Amount, u32>),
}

impl Total {
    fn new(kind: Kind) -> Self {
        match kind {
            Kind::Sum => Self::Sum(Amount::default()),
            Kind::Range => Self::Range(BTreeMap::new()),
        }
    }

    fn add(&mut self, amount: Amount) {
        match self {
            Self::Sum(sum) => sum.add(amount),
            Self::Range(values) => *values.entry(amount).or_default() += 1,
        }
    }

    fn remove(&mut self, amount: Amount) {
        match self {
            Self::Sum(sum) => sum.subtract(amount),
            Self::Range(values) => {
                if let Some(objects) = values.get_mut(&amount) {
                    *objects -= 1;
                    if *objects == 0 {
                        values.remove(&amount);
                    }
                }
            }
        }
    }
}

/// Objects with the same key.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) objects: usize,
    totals: Vec<Total>,
}

impl Group {
    /// Creates an empty group with these totals.
    pub(super) fn new(kinds: &[Kind]) -> Self {
        Self { objects: 0, totals: kinds.iter().map(|kind| Total::new(*kind)).collect() }
    }

    /// Adds an object with its amounts, one for each total.
    pub(super) fn add(&mut self, amounts: &[Option<Amount>]) {
        self.objects += 1;
        for (total, amount) in self.totals.iter_mut().zip(amounts) {
            if let Some(amount) = amount {
                total.add(*amount);
            }
        }
    }

    /// Removes an object with the amounts that it was added with.
    pub(super) fn remove(&mut self, amounts: &[Option<Amount>]) {
        self.objects -= 1;
        for (total, amount) in self.totals.iter_mut().zip(amounts) {
            if let Some(amount) = amount {
                total.remove(*amount);
            }
        }
    }

    /// Returns a value; `None` for a minimum or maximum without values.
    pub(super) fn value(&self, output: Output) -> Option<Amount> {
        match output {
            Output::Count => Some(Amount::count(self.objects)),
            Output::Sum(index) => match self.totals.get(index)? {
                Total::Sum(sum) => Some(*sum),
                Total::Range(_) => None,
            },
            Output::Min(index) => self.range(index)?.keys().next().copied(),
            Output::Max(index) => self.range(index)?.keys().next_back().copied(),
        }
    }

    fn range(&self, index: usize) -> Option<&BTreeMap<Amount, u32>> {
        match self.totals.get(index)? {
            Total::Range(values) => Some(values),
            Total::Sum(_) => None,
        }
    }
}
