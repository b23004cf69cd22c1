//! References of the Gateway API, whose fields default the group and the kind of the named object.

use crate::{Found, Role, Root, Tree, descend, items, string};

pub(super) const GROUP: &str = "gateway.networking.k8s.io";

const SERVICE: (&str, &str) = ("", "Service");

/// Gateways and backends of a route.
pub(super) fn route<'t, R: Root<'t>>(route: &R, namespace: &str, found: &mut Found<'_>) {
    for parent in items(route.pointer("/spec/parentRefs")) {
        object(parent, (GROUP, "Gateway"), namespace, "parent", found);
    }
    for rule in items(route.pointer("/spec/rules")) {
        items(rule.get("backendRefs")).for_each(|to| object(to, SERVICE, namespace, "backend", found));
        for filter in items(rule.get("filters")) {
            if let Some(to) = descend(filter, &["requestMirror", "backendRef"]) {
                object(to, SERVICE, namespace, "mirror", found);
            }
        }
    }
}

/// Certificates of a gateway.
pub(super) fn gateway<'t, R: Root<'t>>(gateway: &R, namespace: &str, found: &mut Found<'_>) {
    for listener in items(gateway.pointer("/spec/listeners")) {
        for to in items(descend(listener, &["tls", "certificateRefs"])) {
            object(to, ("", "Secret"), namespace, "certificate", found);
        }
    }
}

/// Adds an object by a reference. The core group is written as an empty string.
fn object<'t, T: Tree<'t>>(
    reference: T,
    (group, kind): (&str, &str),
    namespace: &str,
    role: &'static str,
    found: &mut Found<'_>,
) {
    let text = |name| string(reference.get(name));
    let (said_kind, said_namespace) = (text("kind"), text("namespace"));
    let said_group = reference.get("group").map(T::text);
    let group = said_group.as_deref().unwrap_or(group);
    let kind = if said_kind.is_empty() { kind } else { &*said_kind };
    let namespace = if said_namespace.is_empty() { namespace } else { &*said_namespace };
    Role { role, part: "" }.named((group, kind), namespace, &text("name"), found);
}
