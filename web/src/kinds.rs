//! Groups and names of the cluster's kinds in the navigation.

use informer::{GroupVersionResource, ResourceInfo};

use crate::route::Screen;

/// Group of kinds under one heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    /// The heading; the API group for custom resources.
    pub(crate) name: String,
    /// The kinds in order.
    pub(crate) kinds: Vec<Kind>,
}

/// Entry of the navigation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    /// Displayed name: `ConfigMaps`.
    pub(crate) label: String,
    /// Discovery data.
    pub(crate) info: ResourceInfo,
}

/// Well-known kinds by importance. Other kinds of built-in groups go to "Cluster".
const KNOWN: [(&str, &[(&str, &str)]); 6] = [
    (
        "Workloads",
        &[
            ("", "pods"),
            ("apps", "deployments"),
            ("apps", "statefulsets"),
            ("apps", "daemonsets"),
            ("apps", "replicasets"),
            ("batch", "jobs"),
            ("batch", "cronjobs"),
            ("", "replicationcontrollers"),
            ("autoscaling", "horizontalpodautoscalers"),
            ("policy", "poddisruptionbudgets"),
        ],
    ),
    (
        "Network",
        &[
            ("", "services"),
            ("networking.k8s.io", "ingresses"),
            ("networking.k8s.io", "ingressclasses"),
            ("networking.k8s.io", "networkpolicies"),
            ("discovery.k8s.io", "endpointslices"),
            ("", "endpoints"),
            ("networking.k8s.io", "ipaddresses"),
            ("networking.k8s.io", "servicecidrs"),
        ],
    ),
    ("Config", &[("", "configmaps"), ("", "secrets"), ("", "resourcequotas"), ("", "limitranges")]),
    (
        "Storage",
        &[
            ("", "persistentvolumeclaims"),
            ("", "persistentvolumes"),
            ("storage.k8s.io", "storageclasses"),
            ("storage.k8s.io", "volumeattachments"),
            ("storage.k8s.io", "csidrivers"),
            ("storage.k8s.io", "csinodes"),
            ("storage.k8s.io", "csistoragecapacities"),
        ],
    ),
    ("Cluster", &[("", "nodes"), ("", "namespaces"), ("", "events"), ("coordination.k8s.io", "leases")]),
    (
        "Access",
        &[
            ("", "serviceaccounts"),
            ("rbac.authorization.k8s.io", "roles"),
            ("rbac.authorization.k8s.io", "rolebindings"),
            ("rbac.authorization.k8s.io", "clusterroles"),
            ("rbac.authorization.k8s.io", "clusterrolebindings"),
            ("certificates.k8s.io", "certificatesigningrequests"),
        ],
    ),
];

/// Further API groups of a cluster without extensions.
const BUILT_IN: [&str; 9] = [
    "",
    "apps",
    "batch",
    "policy",
    "autoscaling",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "flowcontrol.apiserver.k8s.io",
];

/// Entries of the navigation: the other screens, without a heading, and the kinds by heading.
pub(crate) fn listed(resources: &[ResourceInfo]) -> Vec<Group> {
    let mut groups = grouped(resources);
    // They resemble kinds, so that they are found as such.
    if let Some(kind) = groups.first().and_then(|group| group.kinds.first()).cloned() {
        let screens = Screen::OTHERS.into_iter().filter_map(Screen::words).map(|(path, name)| {
            let mut entry = kind.clone();
            name.clone_into(&mut entry.label);
            (entry.info.group, entry.info.version, entry.info.resource) =
                (String::new(), String::new(), path.to_owned());
            (entry.info.kind, entry.info.short_names) = (String::new(), Vec::new());
            entry
        });
        groups.insert(0, Group { name: String::new(), kinds: screens.collect() });
    }
    groups
}

/// The screen of an entry of the navigation. Only kinds have a version.
pub(crate) fn screen(target: &GroupVersionResource) -> Screen {
    if target.version.is_empty() { Screen::of_path(&target.resource) } else { Screen::Table }
}

/// Groups the discovered kinds by heading; only those that can be watched, each once.
pub(crate) fn grouped(resources: &[ResourceInfo]) -> Vec<Group> {
    let mut sorted: Vec<(SortKey<'_>, &ResourceInfo)> = resources
        .iter()
        .filter(|info| info.is_watchable() && !is_double(info))
        .map(|info| (sort_key(info), info))
        .collect();
    sorted.sort_by_key(|(key, _)| *key);
    let mut groups: Vec<Group> = Vec::new();
    for ((heading, group, ..), info) in sorted {
        let name = KNOWN.get(heading).map_or(group, |(name, _)| *name);
        let kind = Kind { label: label(info), info: info.clone() };
        match groups.last_mut() {
            Some(last) if last.name == name => last.kinds.push(kind),
            _ => groups.push(Group { name: name.to_owned(), kinds: vec![kind] }),
        }
    }
    groups
}

/// Whether a resource duplicates another one: Events are in two API groups.
fn is_double(info: &ResourceInfo) -> bool {
    info.group == "events.k8s.io"
}

/// Sort key of a kind: heading, API group (for custom resources), position below the heading, name.
type SortKey<'a> = (usize, &'a str, usize, &'a str);

fn sort_key(info: &ResourceInfo) -> SortKey<'_> {
    for (heading, (_, kinds)) in KNOWN.iter().enumerate() {
        let same = |(group, resource): &(&str, &str)| *group == info.group && *resource == info.resource;
        if let Some(at) = kinds.iter().position(same) {
            return (heading, "", at, &info.resource);
        }
    }
    let known_group = KNOWN.iter().enumerate().find(|(_, (_, kinds))| {
        !info.group.is_empty() && kinds.iter().any(|(group, _)| *group == info.group && group.contains('.'))
    });
    match known_group {
        Some((heading, _)) => (heading, "", usize::MAX, &info.resource),
        None if BUILT_IN.contains(&info.group.as_str()) || info.group.ends_with(".internal.k8s.io") => {
            (4, "", usize::MAX, &info.resource)
        }
        None => (KNOWN.len(), &info.group, 0, &info.resource),
    }
}

/// Plural of the kind: its letters as far as they match the resource's name, then the resource's.
pub(crate) fn label(info: &ResourceInfo) -> String {
    let same = info.kind.chars().zip(info.resource.chars()).take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count();
    if same == 0 {
        return info.resource.clone();
    }
    info.kind.chars().take(same).chain(info.resource.chars().skip(same)).collect()
}

/// Whether an entry matches the quick filter. Names of resources are ASCII.
pub(crate) fn matches(kind: &Kind, needle: &str) -> bool {
    let needle = needle.trim().to_ascii_lowercase();
    let info = &kind.info;
    // The singular of NetworkPolicy is no part of its plural.
    [&info.resource, &info.group, &info.kind.to_ascii_lowercase()].iter().any(|name| name.contains(&needle))
        || info.short_names.contains(&needle)
}

/// Returns the kind to open for the quick filter: the one with exactly this name, plural, singular or short, as kubectl
/// takes it; otherwise the first. A real cluster has `CSINodes` before Nodes.
pub(crate) fn best<'a>(shown: &'a [Group], needle: &str) -> Option<&'a Kind> {
    let needle = needle.trim().to_ascii_lowercase();
    let exact = |kind: &&Kind| {
        let info = &kind.info;
        info.resource == needle || info.kind.eq_ignore_ascii_case(&needle) || info.short_names.contains(&needle)
    };
    let mut kinds = shown.iter().flat_map(|group| &group.kinds);
    let first = kinds.clone().next();
    kinds.find(exact).or(first).filter(|_| !needle.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(group: &str, kind: &str, resource: &str) -> ResourceInfo {
        ResourceInfo {
            group: group.to_owned(),
            version: "v1".to_owned(),
            resource: resource.to_owned(),
            kind: kind.to_owned(),
            namespaced: true,
            verbs: vec!["list".to_owned(), "watch".to_owned()],
            short_names: vec![],
            scale: false,
        }
    }

    #[test]
    fn the_other_screens_are_the_first_entries_and_found_by_their_names() {
        let groups = listed(&[info("", "Pod", "pods")]);
        let screens = groups.iter().flat_map(|group| &group.kinds).map(|kind| screen(&kind.info.gvr()));
        assert_eq!(
            screens.collect::<Vec<_>>(),
            [Screen::Overview, Screen::Problems, Screen::Changes, Screen::Map, Screen::Inspector, Screen::Table]
        );
        assert_eq!(best(&groups, "overv").map(|kind| kind.label.as_str()), Some("Overview"));
        assert_eq!(best(&groups, "problems").map(|kind| kind.label.as_str()), Some("Problems"));
        assert!(matches(&groups[0].kinds[0], "") && !matches(&groups[0].kinds[0], "pod"));
        assert!(listed(&[]).is_empty(), "while kinds are loading");
    }

    #[test]
    fn labels_are_plural_kinds() {
        for (kind, resource, expected) in [
            ("ConfigMap", "configmaps", "ConfigMaps"),
            ("NetworkPolicy", "networkpolicies", "NetworkPolicies"),
            ("Ingress", "ingresses", "Ingresses"),
            ("Endpoints", "endpoints", "Endpoints"),
            ("Ümlaut", "things", "things"),
        ] {
            assert_eq!(label(&info("", kind, resource)), expected);
        }
    }

    #[test]
    fn the_typed_name_opens_its_kind_or_the_first_one() {
        let mut nodes = info("", "Node", "nodes");
        nodes.short_names = vec!["no".to_owned()];
        let policies = info("networking.k8s.io", "NetworkPolicy", "networkpolicies");
        assert!(matches(&grouped(&[policies])[0].kinds[0], "networkpolicy"));
        let groups = grouped(&[nodes, info("storage.k8s.io", "CSINode", "csinodes"), info("", "Pod", "pods")]);
        let opens = |needle| best(&groups, needle).map(|kind| kind.label.as_str());
        assert_eq!(opens(" No "), Some("Nodes"));
        assert_eq!(opens("nodes"), Some("Nodes"));
        assert_eq!(opens("node"), Some("Nodes"), "not the first one, which contains it");
        assert_eq!(opens("o"), Some("Pods"), "the first of those that are shown");
        assert_eq!(opens(" "), None);
        assert_eq!(best(&[], "pods"), None);
    }

    #[test]
    fn well_known_kinds_come_first_and_custom_ones_by_group() {
        let mut hidden = info("", "Binding", "bindings");
        hidden.verbs = vec!["create".to_owned()];
        let resources = [
            info("zoo.example.dev", "Zebra", "zebras"),
            info("", "Node", "nodes"),
            info("cert.example.dev", "Certificate", "certificates"),
            info("apps", "Deployment", "deployments"),
            info("apps", "ControllerRevision", "controllerrevisions"),
            info("storage.k8s.io", "VolumeAttributesClass", "volumeattributesclasses"),
            info("events.k8s.io", "Event", "events"),
            info("", "Pod", "pods"),
            hidden,
        ];
        let shown: Vec<(String, Vec<String>)> = grouped(&resources)
            .into_iter()
            .map(|group| (group.name, group.kinds.into_iter().map(|kind| kind.label).collect()))
            .collect();
        let of = |name: &str, kinds: &[&str]| (name.to_owned(), kinds.iter().map(|&k| k.to_owned()).collect());
        let expected = [
            of("Workloads", &["Pods", "Deployments"]),
            of("Storage", &["VolumeAttributesClasses"]),
            of("Cluster", &["Nodes", "ControllerRevisions"]),
            of("cert.example.dev", &["Certificates"]),
            of("zoo.example.dev", &["Zebras"]),
        ];
        assert_eq!(shown, expected);
    }
}
