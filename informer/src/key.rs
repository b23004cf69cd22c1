//! Keys: `namespace/name`, or `name` for cluster-scoped objects.

use crate::error::{ErrorCode, InformerError, Result};

/// The key of an object, as client-go's `MetaNamespaceKeyFunc` makes it.
///
/// ```
/// use informer::{meta_namespace_key, split_meta_namespace_key};
///
/// assert_eq!(meta_namespace_key("shop", "web"), "shop/web");
/// assert_eq!(meta_namespace_key("", "node-1"), "node-1");
/// assert_eq!(split_meta_namespace_key("shop/web")?, ("shop", "web"));
/// # Ok::<(), informer::InformerError>(())
/// ```
pub fn meta_namespace_key(namespace: &str, name: &str) -> String {
    if namespace.is_empty() { name.to_owned() } else { format!("{namespace}/{name}") }
}

/// Splits a key into namespace and name, as client-go's `SplitMetaNamespaceKey`: the namespace is empty if there is
/// none, and the empty key is an empty name.
///
/// # Errors
/// [`ErrorCode::BadRequest`] if there is more than one slash.
pub fn split_meta_namespace_key(key: &str) -> Result<(&str, &str)> {
    match key.split_once('/') {
        None => Ok(("", key)),
        Some((namespace, name)) if !name.contains('/') => Ok((namespace, name)),
        Some(_) => {
            let shown: String = key.chars().take(80).collect();
            let message =
                format!("invalid key {shown:?}: write \"namespace/name\", or \"name\" for a cluster-scoped object");
            Err(InformerError::new(ErrorCode::BadRequest, message))
        }
    }
}
