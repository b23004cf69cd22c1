//! Ranking: which entries a typed text finds, the best first.

/// Names by which an entry is found, in lower case.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Names {
    /// Names of the entry alone: `po`, `pods`, `pod`.
    pub(super) own: Vec<String>,
    /// Names that it shares with others: its API group.
    pub(super) shared: Vec<String>,
}

impl Names {
    /// Creates the names of an entry without shared ones. Case is ignored.
    pub(super) fn of(own: &[&str]) -> Self {
        Self { own: own.iter().map(|name| crate::text::lower(name)).collect(), shared: Vec::new() }
    }
}

/// How well a text fits an entry, the best first: a name is the text, begins with it, has a word that begins with it,
/// contains it; or a shared name contains it. Without a text, every entry fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    Exact,
    Starts,
    StartsWord,
    Contains,
    Shared,
}

/// How well a text in lower case fits; `None` if it does not.
pub(super) fn fit(typed: &str, names: &Names) -> Option<Fit> {
    let own_fit = |name: &String| {
        let at = name.find(typed)?;
        Some(match at {
            0 if name.len() == typed.len() => Fit::Exact,
            0 => Fit::Starts,
            // `match_indices` would leave out matches that overlap.
            _ if name.char_indices().any(|(at, _)| name[at..].starts_with(typed) && is_word_start(name, at)) => {
                Fit::StartsWord
            }
            _ => Fit::Contains,
        })
    };
    let shared = || names.shared.iter().any(|name| name.contains(typed)).then_some(Fit::Shared);
    names.own.iter().filter_map(own_fit).min().or_else(shared)
}

fn is_word_start(name: &str, at: usize) -> bool {
    at == 0 || name.get(..at).and_then(|before| before.chars().next_back()).is_some_and(|c| !c.is_alphanumeric())
}

/// Indexes of the entries that a text finds. Entries of a group stay together: first the group with the best fit, then
/// by number; in a group the best fit, then the given order.
pub(super) fn ranked<'n>(typed: &str, entries: impl Iterator<Item = (usize, &'n Names)>) -> Vec<usize> {
    let fitting = entries.enumerate().filter_map(|(at, (group, names))| Some((group, fit(typed, names)?, at)));
    let mut fitting: Vec<(usize, Fit, usize)> = fitting.collect();
    let mut best: Vec<Option<Fit>> = Vec::new();
    for (group, fit, _) in &fitting {
        if best.len() <= *group {
            best.resize(group + 1, None);
        }
        best[*group] = Some(best[*group].map_or(*fit, |known| known.min(*fit)));
    }
    fitting.sort_unstable_by_key(|(group, fit, at)| (best[*group], *group, *fit, *at));
    fitting.into_iter().map(|(.., at)| at).collect()
}

// proptest wants randomness, which the other target has only through JavaScript.
#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn names(own: &[&str], shared: &str) -> Names {
        Names { shared: vec![shared.to_owned()], ..Names::of(own) }
    }

    #[test]
    fn a_short_name_comes_before_names_that_begin_with_it() {
        let kinds = [
            (0, names(&["podtemplates", "podtemplate"], "")),
            (0, names(&["pdb", "poddisruptionbudgets"], "policy")),
            (0, names(&["po", "pods", "pod"], "")),
            (1, names(&["port-forward"], "")),
        ];
        let of = |typed| ranked(typed, kinds.iter().map(|(group, names)| (*group, names)));
        assert_eq!(of("po"), [2, 0, 1, 3], "one group stays together");
        assert_eq!(of("pol"), [1], "by its API group");
        assert_eq!(of("for"), [3], "by a word");
        assert_eq!(fit("--", &Names::of(&["a---"])), Some(Fit::StartsWord), "places overlap");
        assert_eq!(of(""), [0, 1, 2, 3]);
        assert!(of("x").is_empty());
    }

    /// The fit as the documentation says, character by character.
    fn naive_fit(typed: &str, names: &Names) -> Option<u8> {
        let starts = |name: &str| (0..=name.len()).filter(|at| name[*at..].starts_with(typed)).collect::<Vec<_>>();
        let own = |is: &dyn Fn(&str) -> bool| names.own.iter().any(|name| is(name));
        if own(&|name| name == typed) {
            Some(0)
        } else if own(&|name| starts(name).contains(&0)) {
            Some(1)
        } else if own(&|name| starts(name).into_iter().any(|at| name[..at].ends_with('-'))) {
            Some(2)
        } else if own(&|name| !starts(name).is_empty()) {
            Some(3)
        } else {
            names.shared.iter().any(|name| !starts(name).is_empty()).then_some(4)
        }
    }

    proptest! {
        #[test]
        fn the_order_is_that_of_a_model(
            entries in prop::collection::vec((0..3_usize, prop::collection::vec("[ab-]{0,4}", 0..3), "[ab]{0,2}"), 0..8),
            typed in "[ab-]{0,3}",
        ) {
            let entries: Vec<(usize, Names)> =
                entries.into_iter().map(|(group, own, shared)| (group, Names { own, shared: vec![shared] })).collect();
            let fit = |at: usize| naive_fit(&typed, &entries[at].1);
            let best = |at: usize| (0..entries.len()).filter(|o| entries[*o].0 == entries[at].0).filter_map(fit).min();
            let mut expected: Vec<usize> = (0..entries.len()).filter(|at| fit(*at).is_some()).collect();
            expected.sort_by_key(|at| (best(*at), entries[*at].0, fit(*at), *at));
            prop_assert_eq!(ranked(&typed, entries.iter().map(|(group, names)| (*group, names))), expected);
        }
    }
}
