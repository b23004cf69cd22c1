//! Items of the list of namespaces: which there are for a typed text, and what a key does with one.

use std::collections::BTreeSet;

use crate::namespace::ALL;
use crate::namespaces::{joined, names, one};

/// Maximum number of namespaces in the list; other names can be typed.
pub(super) const MAX_NAMESPACES: usize = 2000;

/// Item of the list.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Item {
    /// A saved set: its name, and its namespaces as text.
    Set(String, String),
    /// All namespaces.
    All,
    /// A namespace.
    Name(String),
    /// Saves the chosen namespaces as a set.
    Save,
}

impl Item {
    /// Namespaces of the item as text; none for all.
    pub(super) fn namespaces(&self) -> Option<&str> {
        match self {
            Self::Set(_, text) | Self::Name(text) => Some(text),
            Self::All | Self::Save => None,
        }
    }

    /// Whether the item is chosen: all of its namespaces are. Without a name, all namespaces are chosen.
    pub(super) fn is_chosen(&self, chosen: &BTreeSet<String>) -> bool {
        match self.namespaces() {
            Some(text) => names(text).all(|name| chosen.contains(name)),
            None => *self == Self::All && chosen.is_empty(),
        }
    }
}

/// The part of a typed text that the list completes: the name after the last comma. Names of namespaces are ASCII.
fn last_name(typed: &str) -> String {
    typed.rsplit(',').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Whether a text names several namespaces, or is about to.
pub(super) fn is_several(typed: &str) -> bool {
    typed.contains(',')
}

/// Items that a text finds: sets, all namespaces, and namespaces. Without a text, several chosen namespaces can be
/// saved.
pub(super) fn items(sets: &[(String, String)], known: &[String], typed: &str, chosen: Option<&str>) -> Vec<Item> {
    let needle = last_name(typed);
    let matches = |name: &str| name.to_ascii_lowercase().contains(&needle);
    let is_alone = !is_several(typed);
    let sets = sets.iter().filter(|(name, _)| is_alone && matches(name)).cloned();
    let all = is_alone && ALL.to_ascii_lowercase().starts_with(&needle);
    // A chosen namespace that is not listed, because listing is forbidden or because it does not exist, can be removed.
    let listed: BTreeSet<&str> = known.iter().map(String::as_str).collect();
    let unknown: BTreeSet<&str> = names(chosen.unwrap_or_default()).filter(|name| !listed.contains(name)).collect();
    let found =
        known.iter().map(String::as_str).chain(unknown.into_iter().take(MAX_NAMESPACES)).filter(|name| matches(name));
    let save = typed.is_empty() && chosen.is_some_and(|chosen| one(Some(chosen)).is_none());
    let sets = sets.map(|(name, text)| Item::Set(name, text));
    let found = found.map(|name| Item::Name(name.to_owned()));
    sets.chain(all.then_some(Item::All)).chain(found).chain(save.then_some(Item::Save)).collect()
}

/// Index of the item that Enter chooses before an arrow key is pressed: the current choice, or the one of the typed
/// name, or the first.
pub(super) fn first_active(items: &[Item], typed: &str, chosen: Option<&str>) -> usize {
    let needle = last_name(typed);
    let sorted = |text: Option<&str>| joined(names(text.unwrap_or_default()));
    let is_wanted = |item: &Item| match item {
        Item::Save => false,
        item if needle.is_empty() && !is_several(typed) => sorted(item.namespaces()) == sorted(chosen),
        Item::Set(name, _) | Item::Name(name) => name.eq_ignore_ascii_case(&needle),
        Item::All => false,
    };
    items.iter().position(is_wanted).unwrap_or(0)
}

/// Choice by Enter.
#[derive(Debug, PartialEq)]
pub(super) enum EnteredChoice {
    Nothing,
    All,
    Namespaces(String),
}

/// Choice by Enter: the names before the last comma as they are typed, and the item. A typed name counts even if it is
/// not listed, because listing may be forbidden.
pub(super) fn entered_choice(typed: &str, item: Option<&Item>) -> EnteredChoice {
    let before = typed.rsplit_once(',').map_or("", |(before, _)| before);
    if before.is_empty() && item == Some(&Item::All) {
        return EnteredChoice::All;
    }
    // A trailing comma adds no namespace.
    let item = item.filter(|_| !(is_several(typed) && last_name(typed).is_empty())).and_then(Item::namespaces);
    let last_name = item.unwrap_or_else(|| typed.rsplit(',').next().unwrap_or_default());
    joined(names(before).chain(names(last_name))).map_or(EnteredChoice::Nothing, EnteredChoice::Namespaces)
}

/// The choice after an item is added to it or removed from it.
pub(super) fn toggled(chosen: Option<&str>, item: &Item) -> Option<String> {
    let text = item.namespaces()?;
    let (mut all, item_names): (BTreeSet<&str>, BTreeSet<&str>) =
        (names(chosen.unwrap_or_default()).collect(), names(text).collect());
    if item_names.is_subset(&all) {
        all.retain(|name| !item_names.contains(name));
    } else {
        all.extend(item_names);
    }
    joined(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Vec<String> {
        ["bank", "default", "kube-system", "my-shop", "shop"].map(str::to_owned).to_vec()
    }

    fn name(name: &str) -> Item {
        Item::Name(name.to_owned())
    }

    fn set() -> Item {
        Item::Set("Team A".to_owned(), "bank,shop".to_owned())
    }

    fn items_for(typed: &str, chosen: Option<&str>) -> Vec<Item> {
        items(&[("Team A".to_owned(), "bank,shop".to_owned())], &known(), typed, chosen)
    }

    #[test]
    fn typing_narrows_the_list() {
        let all = [set(), Item::All, name("bank"), name("default"), name("kube-system"), name("my-shop"), name("shop")];
        assert_eq!(items_for("", None), all);
        assert_eq!(items_for("Kube", None), [name("kube-system")]);
        assert_eq!(items_for("team", None), [set()]);
        assert_eq!(items_for("al", None), [Item::All]);
        assert!(items_for("zzz", None).is_empty());
        assert_eq!(items_for("bank, sh", None), [name("my-shop"), name("shop")], "the name after the comma");
    }

    #[test]
    fn several_chosen_namespaces_can_be_saved_and_unknown_ones_removed() {
        assert_eq!(items_for("", Some("bank,nowhere")).last(), Some(&Item::Save));
        assert!(items_for("", Some("bank,nowhere")).contains(&name("nowhere")));
        assert_ne!(items_for("", Some("bank")).last(), Some(&Item::Save));
        assert_eq!(items_for("ba", Some("bank,nowhere")), [name("bank")]);
    }

    #[test]
    fn enter_chooses_the_current_choice_or_the_typed_name() {
        let at = |typed, chosen| {
            items_for(typed, chosen).get(first_active(&items_for(typed, chosen), typed, chosen)).cloned()
        };
        assert_eq!(at("", None), Some(Item::All));
        assert_eq!(at("", Some("shop")), Some(name("shop")));
        assert_eq!(at("", Some("shop,bank")), Some(set()), "in any order");
        assert_eq!(at("", Some("bank,default")), Some(set()), "the first, because no item is the choice");
        assert_eq!(at("shop", None), Some(name("shop")), "rather than my-shop");
        assert_eq!(at("bank,sho", None), Some(name("my-shop")), "the first that fits");
        assert_eq!(at("zzz", None), None);
    }

    #[test]
    fn typed_names_are_chosen_together() {
        let enter = |typed: &str| {
            let items = items_for(typed, None);
            entered_choice(typed, items.get(first_active(&items, typed, None)))
        };
        let some = |text: &str| EnteredChoice::Namespaces(text.to_owned());
        assert_eq!(enter("shop,bank"), some("bank,shop"));
        assert_eq!(enter(" shop , ban"), some("bank,shop"), "the last name is completed");
        assert_eq!(enter("shop,nowhere"), some("nowhere,shop"), "listing may be forbidden");
        assert_eq!(enter("shop,"), some("shop"));
        assert_eq!(enter("shop,,bank,shop"), some("bank,shop"));
        assert_eq!(enter("zzz"), some("zzz"));
        assert_eq!(enter("<b>,\u{202e}"), some("<b>,\u{202e}"), "hostile names are text");
        assert_eq!(enter("all"), EnteredChoice::All);
        assert_eq!(
            (enter(","), enter(" , "), entered_choice("", None)),
            (EnteredChoice::Nothing, EnteredChoice::Nothing, EnteredChoice::Nothing)
        );
        assert_eq!(entered_choice("team", Some(&set())), some("bank,shop"));
    }

    #[test]
    fn an_item_is_chosen_with_all_of_its_namespaces() {
        let chosen = |text: &'static str| names(text).map(str::to_owned).collect::<BTreeSet<_>>();
        assert!(set().is_chosen(&chosen("bank,default,shop")) && !set().is_chosen(&chosen("bank")));
        assert!(name("shop").is_chosen(&chosen("bank,shop")) && !name("shop").is_chosen(&chosen("")));
        assert!(Item::All.is_chosen(&chosen("")) && !Item::All.is_chosen(&chosen("shop")));
        assert!(!Item::Save.is_chosen(&chosen("")));
    }

    #[test]
    fn an_item_is_added_and_removed() {
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(toggled(None, &name("shop")), text("shop"));
        assert_eq!(toggled(Some("shop"), &name("bank")), text("bank,shop"));
        assert_eq!(toggled(Some("bank,shop"), &name("shop")), text("bank"));
        assert_eq!(toggled(Some("shop"), &name("shop")), None, "without a namespace, all are shown");
        assert_eq!(toggled(Some("bank,shop"), &Item::All), None);
        assert_eq!(toggled(Some("bank,default"), &set()), text("bank,default,shop"));
        assert_eq!(toggled(Some("bank,default,shop"), &set()), text("default"));
    }
}
