//! `CustomResourceDefinitions`: each adds a resource that is served like the built-in ones.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::kinds::Kind;
use crate::object::child_mut;
use crate::scale::ScalePaths;
use crate::status::Status;
use crate::store::State;
use crate::write::now;

/// Resource of the definitions.
pub(crate) const CRD_ID: &str = "customresourcedefinitions.apiextensions.k8s.io";

/// Rejects an invalid definition, and sets its status.
pub(crate) fn check(name: &str, object: &mut Value) -> Result<(), Status> {
    let invalid =
        |field, why: &str| Err(Status::invalid("apiextensions.k8s.io", "CustomResourceDefinition", name, field, why));
    let spec = &object["spec"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (plural, group) = (text(&spec["names"]["plural"]), text(&spec["group"]));
    if group.is_empty() {
        return invalid("spec.group", "Required value");
    }
    if plural.is_empty() {
        return invalid("spec.names.plural", "Required value");
    }
    if text(&spec["names"]["kind"]).is_empty() {
        return invalid("spec.names.kind", "Required value");
    }
    if name != format!("{plural}.{group}") {
        return invalid("metadata.name", "Invalid value: must be spec.names.plural+\".\"+spec.group");
    }
    if served_versions(spec).is_empty() {
        return invalid("spec.versions", "Required value: at least one served version");
    }
    if !object["status"].is_object() {
        let names = object["spec"]["names"].clone();
        let versions = json!(served_versions(&object["spec"]));
        let condition = |kind: &str, reason: &str, message: &str| json!({"type": kind, "status": "True", "lastTransitionTime": now(), "reason": reason, "message": message});
        let conditions = [
            condition("NamesAccepted", "NoConflicts", "no conflicts found"),
            condition("Established", "InitialNamesAccepted", "the initial names have been accepted"),
        ];
        let status = child_mut(object, "status");
        status.insert("acceptedNames".to_owned(), names);
        status.insert("conditions".to_owned(), json!(conditions));
        status.insert("storedVersions".to_owned(), versions);
    }
    Ok(())
}

/// Registers the resource of a definition.
pub(crate) fn establish(state: &mut State, definition: &Value, history: usize) -> Result<(), Status> {
    let spec = &definition["spec"];
    let names = &spec["names"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let strings = |value: &Value| value.as_array().into_iter().flatten().map(text).collect::<Vec<_>>();
    let kind = text(&names["kind"]);
    let or = |given: String, default: String| if given.is_empty() { default } else { given };
    let first = &spec["versions"][0];
    let versions = served_versions(spec);
    if kind.is_empty() || versions.is_empty() {
        return Err(Status::bad_request("the definition has no kind or no served version"));
    }
    state.register(
        Arc::new(Kind {
            group: text(&spec["group"]),
            versions,
            plural: text(&names["plural"]),
            singular: or(text(&names["singular"]), kind.to_lowercase()),
            list_name: or(text(&names["listKind"]), format!("{kind}List")),
            name: kind,
            namespaced: spec["scope"] == "Namespaced",
            short_names: strings(&names["shortNames"]),
            categories: strings(&names["categories"]),
            status: first["subresources"]["status"].is_object(),
            scale: ScalePaths::of(&first["subresources"]["scale"]),
            custom: true,
            review: false,
            generation: true,
            fields: &[],
            columns: columns(spec),
        }),
        history,
    );
    Ok(())
}

/// Additional printer columns of each version.
fn columns(spec: &Value) -> Vec<(String, Value)> {
    let versions = spec["versions"].as_array().into_iter().flatten();
    versions
        .filter_map(|version| Some((version["name"].as_str()?.to_owned(), version["additionalPrinterColumns"].clone())))
        .collect()
}

/// Served versions, the storage version first.
fn served_versions(spec: &Value) -> Vec<String> {
    let versions = spec["versions"].as_array().map(Vec::as_slice).unwrap_or_default();
    let served = |storage: bool| {
        versions
            .iter()
            .filter(move |version| version["served"] == true && (version["storage"] == true) == storage)
            .filter_map(|version| version["name"].as_str().map(str::to_owned))
    };
    served(true).chain(served(false)).collect()
}
