//! Scale subresource: the replicas of an object as an object of its own.

use serde_json::{Value, json};

use crate::kinds::Kind;
use crate::object::child_mut;
use crate::status::Status;
use crate::{preconditions, validation};

/// Paths of the replica counts in an object, as field names.
#[derive(Debug, Clone)]
pub(crate) struct ScalePaths {
    spec: Vec<String>,
    status: Vec<String>,
    /// Path of the label selector as text; a built-in kind has it as an object, a definition may name none.
    selector: Option<Vec<String>>,
}

impl ScalePaths {
    /// Returns the paths of built-in kinds.
    pub(crate) fn built_in() -> Self {
        Self { spec: names(".spec.replicas"), status: names(".status.replicas"), selector: None }
    }

    /// Returns the paths of `subresources.scale` in a definition, if it has that.
    pub(crate) fn of(scale: &Value) -> Option<Self> {
        let path = |name: &str| scale[name].as_str().map(names);
        Some(Self {
            spec: path("specReplicasPath")?,
            status: path("statusReplicasPath")?,
            selector: path("labelSelectorPath"),
        })
    }
}

fn names(path: &str) -> Vec<String> {
    path.trim_start_matches('.').split('.').map(str::to_owned).collect()
}

fn at<'a>(object: &'a Value, path: &[String]) -> &'a Value {
    path.iter().fold(object, |value, name| &value[name.as_str()])
}

fn paths(kind: &Kind) -> ScalePaths {
    kind.scale.clone().unwrap_or_else(ScalePaths::built_in)
}

/// Rejects a read of a custom object without a number of replicas.
pub(crate) fn check(kind: &Kind, object: &Value) -> Result<(), Status> {
    let path = paths(kind).spec;
    if kind.custom && at(object, &path).is_null() {
        let path = path.join(".");
        return Err(Status::internal(&format!("the spec replicas field \".{path}\" does not exist")));
    }
    Ok(())
}

/// Returns the `autoscaling/v1` Scale of an object.
pub(crate) fn of(kind: &Kind, object: &Value) -> Value {
    let paths = paths(kind);
    let metadata = &object["metadata"];
    let number = |path: &[String]| at(object, path).as_i64().unwrap_or(0);
    let replicas = number(&paths.spec);
    // Zero is left out of the spec, but not of the status.
    let spec = if replicas == 0 { json!({}) } else { json!({"replicas": replicas}) };
    let mut status = json!({"replicas": number(&paths.status)});
    let selector = match (&paths.selector, kind.custom) {
        (Some(path), _) => at(object, path).as_str().unwrap_or_default().to_owned(),
        (None, true) => String::new(),
        (None, false) => {
            // A replication controller has no matchLabels.
            let selector = &object["spec"]["selector"];
            let labels = selector["matchLabels"].as_object().or_else(|| selector.as_object());
            let pair = |(key, value): (&String, &Value)| format!("{key}={}", value.as_str().unwrap_or_default());
            labels.into_iter().flatten().map(pair).collect::<Vec<_>>().join(",")
        }
    };
    if !selector.is_empty() {
        status["selector"] = selector.into();
    }
    json!({
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {
            "name": metadata["name"],
            "namespace": metadata["namespace"],
            "uid": metadata["uid"],
            "resourceVersion": metadata["resourceVersion"],
            "creationTimestamp": metadata["creationTimestamp"],
        },
        "spec": spec,
        "status": status,
    })
}

/// Sets the replicas of an object to those of a Scale.
pub(crate) fn set(kind: &Kind, mut object: Value, scale: &Value) -> Result<Value, Status> {
    let metadata = object["metadata"].clone();
    let text = |field: &str| metadata[field].as_str().unwrap_or_default();
    let name = text("name");
    preconditions::check_identity(name, text("namespace"), scale)?;
    validation::scale(name, &scale["metadata"])?;
    let replicas = match &scale["spec"]["replicas"] {
        Value::Null => 0,
        replicas => {
            let why = || format!("Invalid value: {replicas}: must be greater than or equal to 0");
            let invalid = || Status::invalid("autoscaling", "Scale", name, "spec.replicas", &why());
            replicas.as_u64().ok_or_else(invalid)?
        }
    };
    let path = paths(kind).spec;
    if let Some((last, parents)) = path.split_last() {
        let parent = parents.iter().fold(&mut object, |value, name| {
            child_mut(value, name);
            &mut value[name.as_str()]
        });
        parent[last.as_str()] = replicas.into();
    }
    // The server checks the uid for built-in kinds only.
    if let Some(uid) = scale["metadata"]["uid"].as_str().filter(|uid| !uid.is_empty() && !kind.custom)
        && uid != text("uid")
    {
        let why = format!("Precondition failed: UID in precondition: {uid}, UID in object meta: {}", text("uid"));
        return Err(Status::conflict(&kind.group, &format!("{}/scale", kind.plural), name, &why));
    }
    if let Some(version) = scale["metadata"]["resourceVersion"].as_str().filter(|version| !version.is_empty()) {
        child_mut(&mut object, "metadata").insert("resourceVersion".to_owned(), version.into());
    }
    Ok(object)
}
