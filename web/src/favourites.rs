//! Favourites: the kinds that the user has put at the top of the navigation.

use informer::ResourceInfo;
use leptos::prelude::*;

use crate::kinds::{self, Group};
use crate::preference;
use crate::route::Screen;

/// Name of the stored list: names of kinds, separated by commas.
const STORED_AS: &str = "kube-informer.favourites";

/// Names of the favourite kinds, in the order in which they were added. Copies share their state.
#[derive(Clone, Copy)]
pub(crate) struct Favourites(RwSignal<Vec<String>>);

impl Favourites {
    /// The stored list, which follows changes of other tabs.
    pub(crate) fn new() -> Self {
        let names = RwSignal::new(stored());
        preference::follow(STORED_AS, move || names.set(stored()));
        Self(names)
    }

    /// Adds a kind to the list, or removes it.
    pub(crate) fn toggle(self, info: &ResourceInfo) {
        let name = name(info);
        self.0.update(|names| {
            let before = names.len();
            names.retain(|other| *other != name);
            if names.len() == before {
                names.push(name);
            }
            preference::store(STORED_AS, (!names.is_empty()).then(|| names.join(",")).as_deref());
        });
    }

    /// Whether a kind is in the list now.
    pub(crate) fn has(self, info: &ResourceInfo) -> bool {
        self.0.with_untracked(|names| names.contains(&name(info)))
    }

    /// The groups of the navigation, with the favourites as a group of their own.
    pub(crate) fn arrange(self, groups: Vec<Group>) -> Vec<Group> {
        self.0.with(|names| arranged(groups, names))
    }
}

fn stored() -> Vec<String> {
    let list = preference::stored(STORED_AS).unwrap_or_default();
    list.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Name without a version, which an upgrade of the cluster may change: `pods`, `deployments.apps`.
fn name(info: &ResourceInfo) -> String {
    if info.group.is_empty() { info.resource.clone() } else { [&*info.resource, &*info.group].join(".") }
}

/// Moves the named kinds from their groups to a group "Favourites" below the screens. A kind has one entry, so that one
/// entry is the current one. Names that the cluster does not serve have no entry; they stay stored for the other
/// clusters that are opened at the same address.
fn arranged(mut groups: Vec<Group>, names: &[String]) -> Vec<Group> {
    let mut starred = Vec::new();
    for starred_name in names {
        let mut found = groups.iter_mut().filter_map(|group| {
            let at = group.kinds.iter().position(|kind| is_kind(kind) && name(&kind.info) == *starred_name);
            at.map(|at| group.kinds.remove(at))
        });
        starred.extend(found.next());
    }
    if !starred.is_empty() {
        let has_screens = groups.first().and_then(|group| group.kinds.first()).is_some_and(|kind| !is_kind(kind));
        groups.insert(usize::from(has_screens), Group { name: "Favourites".to_owned(), kinds: starred });
    }
    groups.retain(|group| !group.kinds.is_empty());
    groups
}

/// Whether an entry of the navigation is a kind, which can be a favourite, and not one of the other screens.
pub(crate) fn is_kind(entry: &kinds::Kind) -> bool {
    kinds::screen(&entry.info.gvr()) == Screen::Table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(group: &str, resource: &str) -> ResourceInfo {
        ResourceInfo {
            group: group.to_owned(),
            version: "v1".to_owned(),
            resource: resource.to_owned(),
            kind: resource.to_owned(),
            namespaced: true,
            verbs: vec!["list".to_owned(), "watch".to_owned()],
            short_names: vec![],
            scale: false,
        }
    }

    fn shown(names: &[&str]) -> Vec<String> {
        let groups = kinds::listed(&[
            info("", "pods"),
            info("apps", "deployments"),
            info("", "nodes"),
            info("metrics.example.dev", "pods"),
        ]);
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let line = |group: Group| {
            let kinds: Vec<String> = group.kinds.iter().map(|kind| kind.label.clone()).collect();
            format!("{}: {}", group.name, kinds.join(" "))
        };
        arranged(groups, &names).into_iter().map(line).collect()
    }

    #[test]
    fn a_favourite_moves_to_a_group_below_the_screens() {
        assert_eq!(
            shown(&["nodes", "deployments.apps"]),
            [
                ": Overview Problems Changes Map Inspector",
                "Favourites: nodes deployments",
                "Workloads: pods",
                "metrics.example.dev: pods"
            ],
            "in the order of the list, and no group is left empty"
        );
    }

    #[test]
    fn a_name_has_the_group_of_its_kind_and_no_version() {
        assert_eq!(
            shown(&["pods.metrics.example.dev"]),
            [
                ": Overview Problems Changes Map Inspector",
                "Favourites: pods",
                "Workloads: pods deployments",
                "Cluster: nodes"
            ]
        );
    }

    #[test]
    fn names_that_the_cluster_does_not_serve_and_the_other_screens_have_no_entry() {
        let without = [
            ": Overview Problems Changes Map Inspector",
            "Workloads: pods deployments",
            "Cluster: nodes",
            "metrics.example.dev: pods",
        ];
        assert_eq!(shown(&["zebras.zoo.example.dev", "overview", "pods.v1"]), without);
        assert_eq!(shown(&[]), without);
        assert_eq!(shown(&["pods", "pods"])[1], "Favourites: pods", "named twice");
    }

    #[test]
    fn without_kinds_there_are_no_favourites() {
        assert!(arranged(Vec::new(), &["pods".to_owned()]).is_empty());
    }
}
