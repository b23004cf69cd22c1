//! Computed cells of the PersistentVolume, PersistentVolumeClaim, StorageClass and IngressClass tables.

use informer_packing::Json;

use super::Cell;
use super::read::{is_present, items, join, string, text};
use super::subject::Subject;

/// Annotation of the storage class, older than the field.
const CLASS_ANNOTATION: &str = "volume.beta.kubernetes.io/storage-class";

/// Access modes and their abbreviations, in kubectl's order.
const ACCESS_MODES: [(&str, &str); 4] =
    [("ReadWriteOnce", "RWO"), ("ReadOnlyMany", "ROX"), ("ReadWriteMany", "RWX"), ("ReadWriteOncePod", "RWOP")];

pub(super) fn access_modes(object: &Subject<'_, '_>, at: &str) -> Cell {
    let mut list = String::new();
    for (mode, short) in ACCESS_MODES {
        if items(object.pointer(at)).any(|item| string(Some(item)) == mode) {
            join(&mut list, ",", short);
        }
    }
    text(list.into())
}

pub(super) fn phase(object: &Subject<'_, '_>, _: &str) -> Cell {
    if is_present(object.pointer("/metadata/deletionTimestamp")) {
        return Cell::Text("Terminating".to_owned());
    }
    text(string(object.pointer("/status/phase")))
}

fn annotation<'j>(object: &Subject<'_, 'j>, name: &str) -> Option<Json<'j>> {
    object.pointer("/metadata/annotations")?.get(name)
}

pub(super) fn class(object: &Subject<'_, '_>, _: &str) -> Cell {
    text(string(annotation(object, CLASS_ANNOTATION).or_else(|| object.pointer("/spec/storageClassName"))))
}

/// Name of a storage class, marked if it is the default class.
pub(super) fn default_name(class: &Subject<'_, '_>, _: &str) -> Cell {
    let name = string(class.pointer("/metadata/name"));
    let says_so = |of: &&str| string(annotation(class, of)) == "true";
    let annotations = [
        "storageclass.kubernetes.io/is-default-class",
        "storageclass.beta.kubernetes.io/is-default-class",
        "ingressclass.kubernetes.io/is-default-class",
    ];
    if annotations.iter().any(says_so) { Cell::Text(format!("{name} (default)")) } else { text(name) }
}
