//! Scene: one case on one target, with its namespace and its observations.

use std::fmt::Display;

use reqwest::{Client, Method, RequestBuilder};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::halt::{Halt, Outcome};
use crate::recorded;
use crate::response::WholeResponse;
use crate::target::Target;
use crate::watch::{STEP_TIMEOUT, Watch};
use crate::words;

/// Mismatch: a step with an unexpected outcome.
#[derive(Debug, Clone)]
pub(crate) struct Mismatch {
    pub(crate) step: String,
    pub(crate) expected: String,
    pub(crate) actual: String,
}

/// Placeholder for an expected outcome that is recorded in `recorded.txt`, as the real apiserver gave it.
pub(crate) const RECORDED: &str = "(as recorded)";

/// Scene of a case.
pub(crate) struct Scene {
    /// Title of the case.
    pub(crate) title: String,
    pub(crate) target: Target,
    /// The case's own namespace.
    pub(crate) namespace: String,
    pub(crate) mismatches: Vec<Mismatch>,
    /// Steps with a recorded outcome, and the observed outcomes.
    pub(crate) recorded: Vec<(String, String)>,
    pub(crate) http: Client,
}

impl Scene {
    pub(crate) fn new(title: String, target: Target, http: Client) -> Self {
        let namespace = format!("conformance-{:08x}", fastrand::u32(..));
        Self { title, target, namespace, mismatches: Vec::new(), recorded: Vec::new(), http }
    }

    /// Creates the namespace.
    pub(crate) async fn open(&self) -> Outcome {
        self.post("/api/v1/namespaces", &json!({"metadata": {"name": self.namespace}})).await?.object()?;
        Ok(())
    }

    /// Deletes the namespace. Best effort: a real apiserver without a controller-manager leaves it Terminating.
    pub(crate) async fn close(&self) {
        drop(self.delete(&format!("/api/v1/namespaces/{}", self.namespace)).await);
    }

    /// Compares the outcome of a step with the expected one, with `NS` in place of the namespace. Records a mismatch.
    pub(crate) fn check(&mut self, step: &str, actual: impl Display, expected: impl Display) {
        let plain = |text: String| text.trim_end().replace(&self.namespace, "NS").replace('\n', "\\n");
        let (actual, mut expected) = (plain(actual.to_string()), plain(expected.to_string()));
        if expected == RECORDED {
            self.recorded.push((step.to_owned(), actual.clone()));
            expected = recorded::outcome(&self.title, step);
        }
        if actual != expected {
            self.mismatches.push(Mismatch { step: step.to_owned(), expected, actual });
        }
    }

    /// Resolves a path: `configmaps?limit=2` is in the core group and the case's namespace, `/…` stays unchanged.
    pub(crate) fn path(&self, path: &str) -> String {
        if path.starts_with('/') {
            path.replace("/NS", &format!("/{}", self.namespace))
        } else {
            format!("/api/v1/namespaces/{}/{path}", self.namespace)
        }
    }

    /// Creates a request, without sending it.
    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{}", self.target.url, self.path(path)))
    }

    /// Sends a request and reads the whole response.
    pub(crate) async fn send(&self, request: RequestBuilder) -> Outcome<WholeResponse> {
        let whole = async { WholeResponse::of(request.send().await?).await };
        timeout(STEP_TIMEOUT, whole)
            .await
            .map_err(|_| Halt::Broken(format!("no whole answer within {STEP_TIMEOUT:?}")))?
    }

    pub(crate) async fn get(&self, path: &str) -> Outcome<WholeResponse> {
        self.send(self.request(Method::GET, path)).await
    }

    /// Sends a GET for another content type.
    pub(crate) async fn get_as(&self, accept: &str, path: &str) -> Outcome<WholeResponse> {
        self.send(self.request(Method::GET, path).header("accept", accept)).await
    }

    pub(crate) async fn with_body(
        &self,
        method: Method,
        path: &str,
        kind: &str,
        body: impl Display,
    ) -> Outcome<WholeResponse> {
        self.send(self.request(method, path).header("content-type", kind).body(body.to_string())).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Outcome<WholeResponse> {
        self.with_body(Method::POST, path, "application/json", body).await
    }

    pub(crate) async fn put(&self, path: &str, body: &Value) -> Outcome<WholeResponse> {
        self.with_body(Method::PUT, path, "application/json", body).await
    }

    /// Sends a JSON merge patch.
    pub(crate) async fn merge(&self, path: &str, body: &Value) -> Outcome<WholeResponse> {
        self.with_body(Method::PATCH, path, "application/merge-patch+json", body).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Outcome<WholeResponse> {
        self.send(self.request(Method::DELETE, path)).await
    }

    /// Creates an object. Returns the response.
    pub(crate) async fn create(&self, path: &str, object: &Value) -> Outcome<Value> {
        self.post(path, object).await?.object()
    }

    /// Creates config maps in the case's namespace. Returns the version of the last one.
    pub(crate) async fn config_maps(&self, names: &str) -> Outcome<String> {
        let mut version = String::new();
        for name in names.split(' ') {
            version = words::version(&self.create("configmaps", &json!({"metadata": {"name": name}})).await?);
        }
        Ok(version)
    }

    /// Creates events, for which a real apiserver has no watch cache, so that versions expire with etcd's compaction.
    /// Returns the version of the last one.
    pub(crate) async fn events(&self, names: &str) -> Outcome<String> {
        let mut version = String::new();
        for name in names.split(' ') {
            let event = json!({
                "metadata": {"name": name}, "involvedObject": {"namespace": self.namespace}, "reason": "Looked",
                "message": "", "type": "Normal",
            });
            version = words::version(&self.create("events", &event).await?);
        }
        Ok(version)
    }

    /// Sets the value of a config map. Returns its new version.
    pub(crate) async fn touch(&self, name: &str, value: &str) -> Outcome<String> {
        let changed = self.merge(&format!("configmaps/{name}"), &json!({"data": {"value": value}})).await?;
        Ok(words::version(&changed.object()?))
    }

    /// Opens a watch; `watch=1` is added.
    pub(crate) async fn watch(&self, path: &str) -> Outcome<Watch> {
        self.watch_as("application/json", path).await
    }

    /// Opens a watch for another content type.
    pub(crate) async fn watch_as(&self, accept: &str, path: &str) -> Outcome<Watch> {
        let join = if path.contains('?') { '&' } else { '?' };
        let request = self.request(Method::GET, &format!("{path}{join}watch=1")).header("accept", accept);
        let response =
            timeout(STEP_TIMEOUT, request.send()).await.map_err(|_| Halt::broken("no headers of the watch"))??;
        if response.status() == 200 {
            return Ok(Watch::new(response));
        }
        Err(Halt::Broken(format!("the watch was refused: {}", WholeResponse::of(response).await?.summary())))
    }

    /// Compacts all versions of the target before this one.
    pub(crate) async fn compact(&self, version: &str) -> Outcome {
        let Some(url) = &self.target.compaction else {
            return Err(Halt::Skip("there is no way to compact this target (--compaction)".to_owned()));
        };
        let revision: u64 = version.parse().map_err(Halt::broken)?;
        let response = self.send(self.http.post(url).body(json!({"revision": revision}).to_string())).await?;
        if response.status == 200 {
            Ok(())
        } else {
            Err(Halt::Broken(format!("compaction: {} {}", response.status, response.text())))
        }
    }
}
