//! How many rows there are, in words that do not say more than is known.

use crate::age::thousands;
use crate::rows::Totals;

/// The words, with the place that the numbers have in them: `1,234 of 50,000`.
pub(super) fn tally(totals: Option<Totals>, is_filtered: bool) -> String {
    let count = |count: usize| thousands(count as u64);
    match totals {
        None => "Loading…".to_owned(),
        Some(Totals { total, of, synced: true }) if is_filtered || total != of => {
            format!("{} of {}", count(total), count(of))
        }
        Some(Totals { total, synced: true, .. }) => count(total),
        Some(Totals { total, of, .. }) if is_filtered => {
            format!("Loading… {} of {} so far", count(total), count(of))
        }
        Some(Totals { of, .. }) => format!("Loading… {} so far", count(of)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_says_what_it_is_of() {
        let says = |total, of, synced, filtered| tally(Some(Totals { total, of, synced }), filtered);
        assert_eq!(says(1_234, 50_000, true, true), "1,234 of 50,000");
        assert_eq!(says(50_000, 50_000, true, false), "50,000");
        assert_eq!(says(7, 7, true, true), "7 of 7");
        assert_eq!(says(12_500, 12_500, false, false), "Loading… 12,500 so far");
        assert_eq!(says(83, 12_500, false, true), "Loading… 83 of 12,500 so far");
        assert_eq!(tally(None, false), "Loading…");
    }
}
