//! Envelope: kind, apiVersion and metadata of an object, read from its outline.

use std::borrow::Cow;
use std::fmt::Display;

use informer_packing::{Json, Outline};

use crate::error::{ErrorCode, InformerError, Result};
use crate::key::meta_namespace_key;
use crate::time::parse_rfc3339;

/// Identifying fields of an object. Null means empty, as in Go.
pub(super) struct Envelope<'j> {
    /// `None` if the field is missing and may be added.
    pub(super) kind: Option<Cow<'j, str>>,
    /// As `kind`.
    pub(super) api_version: Option<Cow<'j, str>>,
    pub(super) namespace: Cow<'j, str>,
    pub(super) name: Cow<'j, str>,
    pub(super) uid: Cow<'j, str>,
    pub(super) resource_version: Cow<'j, str>,
    /// Milliseconds since the Unix epoch, or 0.
    pub(super) created: f64,
    pub(super) labels: Option<Json<'j>>,
    pub(super) owners: Option<Json<'j>>,
}

fn no_object(why: &dyn Display) -> InformerError {
    InformerError::new(ErrorCode::Decode, format!("not a Kubernetes object: {why}"))
}

impl<'j> Envelope<'j> {
    /// Reads the envelope of an object.
    ///
    /// # Errors
    /// [`ErrorCode::Decode`] if it has no name, its name or namespace contains a slash, a field is not a string, or it is
    /// a Status or a Table.
    pub(super) fn read(outline: &Outline<'j>) -> Result<Self> {
        if let Some(error) = outline.error() {
            return Err(no_object(&error));
        }
        if !outline.root().is_object() {
            return Err(no_object(&"it is not a JSON object"));
        }
        let [kind, api_version, metadata] = members(outline.root(), &["kind", "apiVersion", "metadata"]);
        let (kind, api_version) = (text(kind, "kind")?, text(api_version, "apiVersion")?);
        // First: a Status of an apiserver has empty metadata.
        if is_status_or_table(kind.as_deref(), api_version.as_deref()) {
            let (kind, message) = (kind.unwrap_or_default(), outline.pointer("/message").and_then(Json::as_str));
            let message = message.unwrap_or(Cow::Borrowed("no message"));
            let message = format!("expected an object, received a {kind}: {message:.300}");
            return Err(InformerError::new(ErrorCode::Decode, message));
        }
        let Some(metadata) = metadata.filter(|metadata| metadata.is_object()) else {
            return Err(no_object(&"it has no metadata"));
        };
        let names = ["namespace", "name", "uid", "resourceVersion", "creationTimestamp", "labels", "ownerReferences"];
        let [namespace, name, uid, resource_version, created, labels, owners] = members(metadata, &names);
        let envelope = Self {
            kind,
            api_version,
            namespace: text(namespace, "namespace")?.unwrap_or_default(),
            name: text(name, "name")?.unwrap_or_default(),
            uid: text(uid, "uid")?.unwrap_or_default(),
            resource_version: text(resource_version, "resourceVersion")?.unwrap_or_default(),
            created: text(created, "creationTimestamp")?.as_deref().and_then(parse_rfc3339).unwrap_or(0.0),
            labels,
            owners,
        };
        if envelope.name.is_empty() {
            return Err(no_object(&"its name is empty"));
        }
        if has_slash(&envelope.namespace, &envelope.name) {
            return Err(no_object(&"its name or namespace contains a slash"));
        }
        Ok(envelope)
    }

    pub(super) fn key(&self) -> String {
        meta_namespace_key(&self.namespace, &self.name)
    }
}

/// Names and namespaces are segments of paths. With a slash in them two objects could have the same key.
fn has_slash(namespace: &str, name: &str) -> bool {
    namespace.contains('/') || name.contains('/')
}

/// Whether the JSON is a Status or Table response. Custom resources of kind Table or Status are objects.
fn is_status_or_table(kind: Option<&str>, api_version: Option<&str>) -> bool {
    match (kind, api_version.unwrap_or_default()) {
        (Some("Status"), version) => matches!(version, "" | "v1"),
        (Some("Table"), version) => version.starts_with("meta.k8s.io/"),
        _ => false,
    }
}

/// Best-effort key for the error of an object that failed to decode.
pub(super) fn key_of(outline: &Outline<'_>) -> Option<String> {
    let [kind, api_version] = ["/kind", "/apiVersion"].map(|path| outline.pointer(path).and_then(Json::as_str));
    if is_status_or_table(kind.as_deref(), api_version.as_deref()) {
        return None;
    }
    let name = outline.pointer("/metadata/name").and_then(Json::as_str).filter(|name| !name.is_empty())?;
    let namespace = outline.pointer("/metadata/namespace").and_then(Json::as_str).unwrap_or_default();
    (!has_slash(&namespace, &name)).then(|| meta_namespace_key(&namespace, &name))
}

fn members<'j, const N: usize>(object: Json<'j>, names: &[&str; N]) -> [Option<Json<'j>>; N] {
    let mut found = [None; N];
    object.get_all(names, &mut found);
    found
}

fn text<'j>(value: Option<Json<'j>>, name: &str) -> Result<Option<Cow<'j, str>>> {
    match value {
        None => Ok(None),
        Some(null) if null.is_null() => Ok(Some(Cow::Borrowed(""))),
        Some(value) => match value.as_str() {
            Some(text) => Ok(Some(text)),
            None => Err(no_object(&format_args!("its {name} is not a string"))),
        },
    }
}
