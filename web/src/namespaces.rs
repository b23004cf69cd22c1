//! Chosen namespaces: their names as one text, separated by commas, as the address has them. Names of namespaces have
//! no comma.
//!
//! The choice stays text, and is read where it is needed: each further type of a memo is a kilobyte of the wasm file
//! that the first rows wait for. Without a text, all namespaces are chosen.

use std::collections::BTreeSet;

use crate::visible::visible;

/// Reason why several namespaces together are forbidden, even if each of them is permitted.
pub(crate) const NEED_ALL: &str =
    "Several namespaces together need the right to list all of them. Choose one namespace.";

/// A note with the reason, for several namespaces that may not be listed together.
pub(crate) fn and_why(note: Option<String>) -> Option<String> {
    note.map(|note| format!("{note} {NEED_ALL}"))
}

/// Number of names in the short form.
const MAX_SHORT_NAMES: usize = 3;

/// The names of a text. The text may be one that a person has typed.
pub(crate) fn names(text: &str) -> impl Iterator<Item = &str> + Clone {
    text.split(',').map(str::trim).filter(|name| !name.is_empty())
}

/// The chosen namespace, if it is a single one.
pub(crate) fn one(chosen: Option<&str>) -> Option<&str> {
    let mut names = names(chosen?);
    let first = names.next()?;
    names.all(|name| name == first).then_some(first)
}

/// Whether several namespaces are chosen.
pub(crate) fn are_several(chosen: Option<&str>) -> bool {
    chosen.is_some() && one(chosen).is_none()
}

/// Whether a namespace is chosen.
pub(crate) fn has(chosen: Option<&str>, name: &str) -> bool {
    chosen.is_none_or(|chosen| names(chosen).any(|known| known == name))
}

/// The text of names, each once and in the order of the alphabet; `None` without a name.
pub(crate) fn joined<'n>(names: impl IntoIterator<Item = &'n str>) -> Option<String> {
    let names: BTreeSet<&str> = names.into_iter().collect();
    (!names.is_empty()).then(|| names.into_iter().collect::<Vec<_>>().join(","))
}

/// The first names, without hidden characters, and how many more there are: `a, b, c and 4 more`.
pub(crate) fn short(text: &str) -> String {
    let count = names(text).count();
    let first = names(text).take(MAX_SHORT_NAMES).collect::<Vec<_>>().join(", ");
    let first = visible(&first).into_owned();
    if count > MAX_SHORT_NAMES { format!("{first} and {} more", count - MAX_SHORT_NAMES) } else { first }
}

/// The scope of a page in words: `All namespaces`, `Namespace shop`, `Namespaces bank, shop`.
pub(crate) fn scope(chosen: Option<&str>) -> String {
    match (chosen, one(chosen)) {
        (None, _) => "All namespaces".to_owned(),
        (_, Some(name)) => format!("Namespace {}", visible(name)),
        (Some(text), None) => format!("Namespaces {}", visible(&names(text).collect::<Vec<_>>().join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_names() {
        let of = |text| names(text).collect::<Vec<_>>();
        assert_eq!(of("shop"), ["shop"]);
        assert_eq!(of("shop, bank ,,"), ["shop", "bank"]);
        assert!(of("").is_empty() && of(" , ").is_empty());
        assert_eq!(of("<b>\u{202e}x,\0"), ["<b>\u{202e}x", "\0"], "hostile names are text");
    }

    #[test]
    fn one_name_is_a_single_namespace() {
        assert_eq!(one(Some("shop")), Some("shop"));
        assert_eq!(one(Some("shop,")), Some("shop"));
        assert_eq!(one(Some("shop, shop")), Some("shop"));
        assert_eq!((one(Some("shop,bank")), one(Some(",")), one(None)), (None, None, None));
        assert!(are_several(Some("bank,shop")) && !are_several(Some("shop,shop")) && !are_several(None));
    }

    #[test]
    fn without_a_choice_all_namespaces_are_chosen() {
        assert!(has(None, "shop") && has(Some("bank,shop"), "shop") && has(Some("shop"), "shop"));
        assert!(!has(Some("bank,shopping"), "shop") && !has(Some(","), "shop"));
    }

    #[test]
    fn equal_sets_have_one_text() {
        assert_eq!(joined(["shop", "bank", "shop"]).as_deref(), Some("bank,shop"));
        assert_eq!(joined([]), None);
        let many: Vec<String> = (0..200).map(|at| format!("n-{at}")).collect();
        let text = joined(many.iter().map(String::as_str)).unwrap_or_default();
        assert_eq!(names(&text).count(), 200);
        assert_eq!(joined(names(&text)), Some(text));
    }

    #[test]
    fn a_scope_has_words() {
        assert_eq!(scope(None), "All namespaces");
        assert_eq!(scope(Some("shop")), "Namespace shop");
        assert_eq!(scope(Some("bank,shop")), "Namespaces bank, shop");
        assert_eq!(scope(Some("a\u{202e},b")), format!("Namespaces {}, b", visible("a\u{202e}")));
        assert_eq!((short("a,b,c"), short("a,b,c,d,e")), ("a, b, c".to_owned(), "a, b, c and 2 more".to_owned()));
        assert_eq!(short("\u{202e}"), "\\u202e");
    }
}
