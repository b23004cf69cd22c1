//! Resource names (group, version, resource), and their API paths.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{ErrorCode, InformerError};

/// Group, version and plural name: what client-go calls a `GroupVersionResource`.
///
/// Written `v1/pods` for the core group and `apps/v1/deployments` for any other.
///
/// ```
/// let gvr: informer::GroupVersionResource = "apps/v1/deployments".parse()?;
/// assert_eq!(gvr.collection_path(Some("shop")), "/apis/apps/v1/namespaces/shop/deployments");
/// # Ok::<(), informer::InformerError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupVersionResource {
    /// The API group, empty for core.
    pub group: String,
    /// The version in the group.
    pub version: String,
    /// The plural, lower-case name.
    pub resource: String,
}

impl GroupVersionResource {
    /// The path of the collection, in one namespace or in all.
    pub fn collection_path(&self, namespace: Option<&str>) -> String {
        let root = if self.group.is_empty() { "/api".to_owned() } else { format!("/apis/{}", self.group) };
        let (version, resource) = (&self.version, &self.resource);
        match namespace {
            Some(namespace) => format!("{root}/{version}/namespaces/{namespace}/{resource}"),
            None => format!("{root}/{version}/{resource}"),
        }
    }

    /// `group/version`, or `version` for the core group: the `apiVersion` of its objects.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.clone() } else { format!("{}/{}", self.group, self.version) }
    }
}

impl fmt::Display for GroupVersionResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.api_version(), self.resource)
    }
}

impl FromStr for GroupVersionResource {
    type Err = InformerError;

    fn from_str(text: &str) -> Result<Self, InformerError> {
        let parts: Vec<&str> = text.split('/').collect();
        let (group, version, resource) = match parts[..] {
            [version, resource] => ("", version, resource),
            [group, version, resource] => (group, version, resource),
            _ => return Err(malformed(text)),
        };
        // They become path segments: only characters of API names are accepted, so no text can leave its segment.
        let valid = |s: &str| {
            let ends = [s.bytes().next(), s.bytes().next_back()];
            ends.iter().all(|end| end.is_some_and(|b| b.is_ascii_alphanumeric()))
                && s.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.'))
        };
        if !(valid(version) && valid(resource) && (group.is_empty() || valid(group))) {
            return Err(malformed(text));
        }
        Ok(Self { group: group.to_owned(), version: version.to_owned(), resource: resource.to_owned() })
    }
}

/// Rejects an invalid name of a namespace: it becomes a path segment, which `..` could leave.
///
/// # Errors
/// [`ErrorCode::BadRequest`].
pub(crate) fn check_namespace(name: &str) -> Result<(), InformerError> {
    let valid = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if !name.is_empty() && name.len() <= 63 && name.bytes().all(valid) {
        return Ok(());
    }
    let message =
        format!("invalid namespace {name:?}: use lower-case letters, digits and \"-\", at most 63 characters");
    Err(InformerError::new(ErrorCode::BadRequest, message))
}

fn malformed(text: &str) -> InformerError {
    InformerError::new(
        ErrorCode::BadRequest,
        format!("invalid resource {text:?}: write \"v1/pods\" or \"apps/v1/deployments\""),
    )
}

/// Resource as described by API discovery.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceInfo {
    /// The API group, empty for core.
    pub group: String,
    /// The version, the server's preferred one.
    pub version: String,
    /// The plural, lower-case name.
    pub resource: String,
    /// The kind of its objects.
    pub kind: String,
    /// Whether its objects are namespaced.
    pub namespaced: bool,
    /// Supported verbs: `list`, `watch`, …
    pub verbs: Vec<String>,
    /// kubectl's abbreviations.
    #[serde(default)]
    pub short_names: Vec<String>,
    /// Whether its objects have the subresource `scale`: a number of replicas that `kubectl scale` sets.
    #[serde(default)]
    pub scale: bool,
}

impl ResourceInfo {
    /// Its group, version and resource.
    pub fn gvr(&self) -> GroupVersionResource {
        GroupVersionResource {
            group: self.group.clone(),
            version: self.version.clone(),
            resource: self.resource.clone(),
        }
    }

    /// Whether it can be listed.
    pub fn is_listable(&self) -> bool {
        self.verbs.iter().any(|verb| verb == "list")
    }

    /// Whether it can be listed and watched.
    pub fn is_watchable(&self) -> bool {
        self.is_listable() && self.verbs.iter().any(|verb| verb == "watch")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for text in ["v1/pods", "apps/v1/deployments", "example.dev/v1alpha1/certificates"] {
            assert_eq!(text.parse::<GroupVersionResource>().expect("valid").to_string(), text);
        }
    }

    #[test]
    fn a_namespace_stays_in_its_path_segment() {
        assert!(check_namespace("kube-system").is_ok());
        for name in ["", "..", "a/b", "a?b", "%2e%2e", "A", "ä", &"a".repeat(64)] {
            assert!(check_namespace(name).is_err(), "{name}");
        }
    }

    #[test]
    fn a_name_that_could_leave_its_path_segment_is_rejected() {
        for text in [
            "",
            "pods",
            "v1/",
            "/pods",
            "a/b/c/d",
            "../v1/pods",
            "v1/pods?x=1",
            "v1/po ds",
            "v1/..%2f",
            "v1/..",
            "v1/.",
            "./v1/x",
            "v1/a.",
        ] {
            let error = text.parse::<GroupVersionResource>().expect_err(text);
            assert_eq!(error.code(), ErrorCode::BadRequest);
        }
    }
}
