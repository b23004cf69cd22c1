//! Missing namespaces: those of several chosen ones that do not exist, or that the user may not read.

use crate::namespaces::names;
use crate::visible::visible;

/// The sentence about the missing namespaces; `None` if there are none. `known` are the existing namespaces, if they
/// are known; `permitted` are the only ones whose objects the user may list, if there are such; `label` is the plural
/// of the kind.
pub(super) fn missing_note(
    chosen: &str,
    known: Option<&[String]>,
    permitted: &[String],
    label: &str,
) -> Option<String> {
    let has = |list: &[String], name: &str| list.iter().any(|known| known == name);
    let is_missing = |name: &str| known.is_some_and(|known| !has(known, name));
    let missing: Vec<&str> = names(chosen).filter(|name| is_missing(name)).collect();
    let is_forbidden = |name: &&str| !permitted.is_empty() && !has(permitted, name) && !is_missing(name);
    let forbidden: Vec<&str> = names(chosen).filter(is_forbidden).collect();
    let absent = match missing.as_slice() {
        [] => None,
        [name] => Some(format!("There is no namespace {name}.")),
        all => Some(format!("There are no namespaces {}.", all.join(", "))),
    };
    let refused = (!forbidden.is_empty()).then(|| format!("You may not list {label} in {}.", forbidden.join(", ")));
    let parts: Vec<String> = absent.into_iter().chain(refused).collect();
    (!parts.is_empty()).then(|| visible(&parts.join(" ")).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_and_forbidden_namespaces_are_named() {
        let list = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let known = list(&["bank", "mill", "shop"]);
        let note = |chosen, permitted: &[String]| missing_note(chosen, Some(&known), permitted, "Pods");
        assert_eq!(note("bank,shop", &[]), None);
        assert_eq!(note("bank,nowhere", &[]).as_deref(), Some("There is no namespace nowhere."));
        assert_eq!(note("a,b,bank", &[]).as_deref(), Some("There are no namespaces a, b."));
        let permitted = list(&["bank", "shop"]);
        assert_eq!(note("bank,shop", &permitted), None);
        assert_eq!(
            note("bank,mill,nowhere", &permitted).as_deref(),
            Some("There is no namespace nowhere. You may not list Pods in mill.")
        );
        assert_eq!(missing_note("bank,nowhere", None, &[], "Pods"), None, "the namespaces are unknown");
        assert_eq!(
            missing_note("bank,nowhere", None, &permitted, "Pods").as_deref(),
            Some("You may not list Pods in nowhere.")
        );
    }
}
