//! Which cluster a server speaks for, and to whom.

use std::rc::Rc;

use informer_packing::{Json, Outline};

use crate::api_status::http_error;
use crate::error::{ErrorCode, Result};
use crate::transport::{Request, Transport};

/// The namespace that every cluster has from its beginning to its end: its uid is the cluster's, by custom.
pub const NAMESPACE: &str = "/api/v1/namespaces/kube-system?pretty=false";

/// Where its uid stands.
pub const UID: &str = "/metadata/uid";

/// Asks who asks. Anybody with credentials may, since 1.28, and nothing comes to be by it.
const WHO_AM_I: &str = "/apis/authentication.k8s.io/v1/selfsubjectreviews?pretty=false";
const REVIEW: &str = r#"{"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1"}"#;

/// The largest answer that is read; either is a kilobyte or two, and a user may be in many groups.
const MAX_BYTES: usize = 1 << 20;

/// A cluster and a user of it, as far as a server tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterIdentity {
    /// The uid of the namespace `kube-system`. It survives a restoration from a backup.
    pub cluster: String,
    /// The name and uid of the user; empty where the server does not say. `kubectl proxy` adds the credentials, so a page
    /// knows nothing of them by itself.
    pub user: String,
}

impl ClusterIdentity {
    /// Asks a server. `None` when the user may not see the namespace, or it is not there: then nobody can tell this
    /// cluster from another.
    ///
    /// # Errors
    /// When a server did not answer, or said that it cannot at present: who asks later may learn it.
    pub async fn ask(transport: &Rc<dyn Transport>) -> Result<Option<Self>> {
        let Some(cluster) = ask(transport, Request::get(NAMESPACE), &[UID]).await? else { return Ok(None) };
        let review = Request::post(WHO_AM_I, REVIEW);
        let user = match ask(transport, review, &["/status/userInfo/username", "/status/userInfo/uid"]).await {
            // What does not let a page POST (a proxy, the browser towards another origin) may not answer at all; the question
            // before was answered.
            Err(error) if error.code() == ErrorCode::Network && error.status().is_none() => None,
            user => user?,
        };
        Ok(Some(Self { cluster, user: user.unwrap_or_default() }))
    }
}

/// The texts of an answer, those that are there; `None` when none is, or the server refuses.
///
/// # Errors
/// When it did not answer, or said that it cannot at present.
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
