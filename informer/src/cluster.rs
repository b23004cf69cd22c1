//! Identity: the cluster that a server belongs to, and the user that it has authenticated.

use std::rc::Rc;

use informer_packing::{Json, Outline};

use crate::api_status::http_error;
use crate::error::{ErrorCode, Result};
use crate::transport::{Request, Transport};

/// Namespace that every cluster has during its whole life: by custom, its uid identifies the cluster.
pub const NAMESPACE: &str = "/api/v1/namespaces/kube-system?pretty=false";

/// Position of its uid.
pub const UID: &str = "/metadata/uid";

/// Identity of the user. Every authenticated user may request it, since 1.28, and it creates nothing.
const WHO_AM_I: &str = "/apis/authentication.k8s.io/v1/selfsubjectreviews?pretty=false";
const REVIEW: &str = r#"{"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1"}"#;

/// Maximum size of a response: either is a kilobyte or two, and a user may be in many groups.
const MAX_BYTES: usize = 1 << 20;

/// Identity: a cluster and one of its users, as far as a server reports them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterIdentity {
    /// Uid of the namespace `kube-system`. It survives restoring a backup.
    pub cluster: String,
    /// Name and uid of the user; empty if the server does not report it. `kubectl proxy` adds the credentials, so the
    /// page itself does not know them.
    pub user: String,
}

impl ClusterIdentity {
    /// Requests the identity from a server. `None` if the user may not read the namespace, or it does not exist: then
    /// the cluster cannot be identified.
    ///
    /// # Errors
    /// If a server did not respond, or reports a transient error: a later request may succeed.
    pub async fn ask(transport: &Rc<dyn Transport>) -> Result<Option<Self>> {
        let Some(cluster) = ask(transport, Request::get(NAMESPACE), &[UID]).await? else { return Ok(None) };
        let review = Request::post(WHO_AM_I, REVIEW);
        let user = match ask(transport, review, &["/status/userInfo/username", "/status/userInfo/uid"]).await {
            // A proxy, or the browser towards another origin, may block a POST without a response; the previous
            // request was answered.
            Err(error) if error.code() == ErrorCode::Network && error.status().is_none() => None,
            user => user?,
        };
        Ok(Some(Self { cluster, user: user.unwrap_or_default() }))
    }
}

/// Returns the texts of a response that exist; `None` if there are none, or the server rejects the request.
///
/// # Errors
/// If it did not respond, or reports a transient error.
pub async fn ask(transport: &Rc<dyn Transport>, request: Request, texts: &[&str]) -> Result<Option<String>> {
    let response = transport.send(request.header("Accept", "application/json")).await?;
    let status = response.status;
    let body = response.read(MAX_BYTES).await?;
    if status == 429 || status >= 500 {
        return Err(http_error(status, &body));
    }
    if !(200..300).contains(&status) {
        return Ok(None);
    }
    let text = str::from_utf8(&body).unwrap_or_default();
    let outline = Outline::of(Json::new(text));
    let mut found = String::new();
    for pointer in texts {
        match outline.pointer(pointer).and_then(Json::as_str) {
            Some(text) if found.is_empty() => found.push_str(&text),
            Some(text) => {
                found.push('\n');
                found.push_str(&text);
            }
            None => {}
        }
    }
    Ok(Some(found).filter(|found| !found.is_empty()))
}
