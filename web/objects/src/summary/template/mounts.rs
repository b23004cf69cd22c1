//! Volume mounts of a pod spec.

use serde_json::Value;

use super::super::general::{MOST, cut};
use crate::field::Fields;
use crate::kinds::{CLAIM, CONFIG_MAP, SECRET};
use crate::link::Link;
use crate::section::{Cell, Sections};

/// Volumes that the kubelet always mounts read-only, whatever the mount says.
const READ_ONLY: [&str; 5] = ["configMap", "secret", "projected", "downwardAPI", "image"];

pub(super) fn add(spec: &Value, namespace: &str, sections: &mut Sections) {
    let volumes = spec.list("volumes");
    let containers =
        ["initContainers", "containers", "ephemeralContainers"].into_iter().flat_map(|path| spec.list(path));
    let rows = containers.flat_map(|container| mounts(container, volumes, namespace)).take(MOST).collect();
    sections.table("Mounts", &["Container", "Path", "Volume", "Source", "Access"], rows);
}

fn mounts<'a>(container: &'a Value, volumes: &'a [Value], namespace: &'a str) -> impl Iterator<Item = Vec<Cell>> + 'a {
    container.list("volumeMounts").iter().map(move |mount| {
        let name = mount.text("name");
        let volume = volumes.iter().find(|volume| volume.text("name") == name).unwrap_or(&Value::Null);
        // At most one of them is set.
        let part = format!("{}{}", mount.text("subPath"), mount.text("subPathExpr"));
        let path = mount.text("mountPath");
        let is_read_only = mount.is("readOnly") || is_read_only(volume);
        vec![
            Cell::text(cut(container.text("name"))),
            Cell::text(cut(&if part.is_empty() { path.to_owned() } else { format!("{path} ({part})") })),
            Cell::text(cut(name)),
            source(volume, namespace),
            Cell::text(if is_read_only { "read-only" } else { "read-write" }),
        ]
    })
}

/// Type of a volume: the name of the member that describes its source, such as `configMap`.
fn kind(volume: &Value) -> &str {
    volume.members("").map(|(name, _)| name).find(|name| *name != "name").unwrap_or_default()
}

/// Whether every mount of a volume is read-only. Sources such as claims, CSI and NFS have a field for it.
fn is_read_only(volume: &Value) -> bool {
    let kind = kind(volume);
    READ_ONLY.contains(&kind) || volume.member(kind).is("readOnly")
}

/// Source of a volume: its type, or a link to the object behind it.
fn source(volume: &Value, namespace: &str) -> Cell {
    for (path, kind) in
        [("configMap.name", CONFIG_MAP), ("secret.secretName", SECRET), ("persistentVolumeClaim.claimName", CLAIM)]
    {
        let name = volume.text(path);
        if !name.is_empty() {
            return Cell::kind_link(Link::to(kind, namespace, name));
        }
    }
    let kind = kind(volume);
    let detail = match kind {
        "hostPath" => volume.text("hostPath.path"),
        "csi" => volume.text("csi.driver"),
        "nfs" => volume.text("nfs.path"),
        "emptyDir" => volume.text("emptyDir.medium"),
        _ => "",
    };
    Cell::text(cut(format!("{kind} {detail}").trim_end()))
}
