//! Merge keys: the member that identifies an element of a list where Kubernetes merges the list by it.

use informer_packing::Json;

use super::named::Named;

/// Returns the candidates for the merge key of a list, by the list's name: `listMapKeys` and `patchMergeKey` of the
/// Kubernetes API. The first one that identifies all elements is used.
fn merge_keys(list: &str) -> &'static [&'static str] {
    match list {
        "containers"
        | "initContainers"
        | "ephemeralContainers"
        | "containerStatuses"
        | "initContainerStatuses"
        | "ephemeralContainerStatuses"
        | "volumes"
        | "env"
        | "imagePullSecrets"
        | "secrets"
        | "resourceClaims"
        | "volumesAttached" => &["name"],
        "conditions" | "addresses" => &["type"],
        // Of a container, and of a service.
        "ports" => &["containerPort", "port"],
        "volumeMounts" => &["mountPath"],
        "volumeDevices" => &["devicePath"],
        "ownerReferences" => &["uid"],
        "hostAliases" | "podIPs" | "hostIPs" => &["ip"],
        "topologySpreadConstraints" => &["topologyKey"],
        "taints" => &["key"],
        _ => &[],
    }
}

/// Indexes the elements of a list by the JSON texts of their keys, in order; `None` if the key does not identify each
/// element.
fn keyed<'j>(key: &str, list: Json<'j>) -> Option<Named<'j, &'j str>> {
    let mut keyed = Named::default();
    for element in list.items() {
        let value = element.get(key)?.text();
        let is_scalar = !value.is_empty() && !value.starts_with(['{', '[']) && value != "null";
        if !is_scalar || !keyed.insert(value, element) {
            return None;
        }
    }
    Some(keyed)
}

/// Returns the elements of two states of a list by their merge key, with its name; `None` if the list has none.
pub(super) fn by_merge_key<'j>(
    list: &str,
    before: Json<'j>,
    after: Json<'j>,
) -> Option<(&'static str, Named<'j, &'j str>, Named<'j, &'j str>)> {
    merge_keys(list).iter().find_map(|key| Some((*key, keyed(key, before)?, keyed(key, after)?)))
}
