//! Request target: the features of a request by which faults select it.

use axum::extract::Request;
use axum::http::{HeaderMap, Method, header};

use super::{Fault, FaultVerb};
use crate::address::Address;
use crate::query::Query;

/// Features of a request by which faults select it.
#[derive(Debug, Clone)]
pub(crate) struct RequestTarget {
    /// `pods`, `deployments.apps`; empty for discovery.
    pub(crate) resource: String,
    /// `log`, `exec`; empty for an object itself.
    pub(crate) subresource: String,
    pub(crate) namespace: String,
    /// `Any` for requests other than list and watch.
    pub(crate) verb: FaultVerb,
    /// Whether Kubernetes 1.37 would compress it: a watch that begins with all objects and accepts gzip.
    pub(crate) compressible: bool,
}

impl RequestTarget {
    pub(crate) fn of(request: &Request) -> Self {
        let query = Query::parse(request.uri().query().unwrap_or_default());
        let address = Address::parse(request.uri().path());
        let listing = request.method() == Method::GET;
        let (resource, namespace, name, subresource) = match address {
            Some(address) => {
                let id = match (address.resource.as_str(), address.group.as_str()) {
                    ("", _) | (_, "") => address.resource,
                    (resource, group) => format!("{resource}.{group}"),
                };
                (id, address.namespace, address.name, address.subresource)
            }
            None => (String::new(), String::new(), None, None),
        };
        let verb = match (listing && !resource.is_empty() && subresource.is_none(), query.flag("watch"), name) {
            (true, true, _) => FaultVerb::Watch,
            (true, false, None) => FaultVerb::List,
            _ => FaultVerb::Any,
        };
        let from_the_start = query.flag("sendInitialEvents")
            || query.get("resourceVersion").is_none_or(|version| matches!(version, "" | "0"));
        let compressible = verb == FaultVerb::Watch && from_the_start && takes_gzip(request.headers());
        Self { resource, subresource: subresource.unwrap_or_default(), namespace, verb, compressible }
    }

    pub(crate) fn is_watch(&self) -> bool {
        self.verb == FaultVerb::Watch
    }

    /// Whether the real server sets no deadline for it.
    pub(crate) fn is_long_running(&self) -> bool {
        self.is_watch() || matches!(self.subresource.as_str(), "log" | "exec" | "attach" | "portforward")
    }

    /// Whether the resource is this one: `pods`, or `pods/log`.
    fn is_named(&self, resource: &str) -> bool {
        let (name, subresource) = resource.split_once('/').unwrap_or((resource, &self.subresource));
        name == self.resource && subresource == self.subresource
    }

    /// Whether a fault applies to this request.
    pub(crate) fn matches(&self, fault: &Fault) -> bool {
        fault.resource.as_ref().is_none_or(|resource| self.is_named(resource))
            && (fault.verb == FaultVerb::Any || fault.verb == self.verb)
            && (self.is_watch() || !fault.action.is_of_watches())
    }
}

/// Whether the client accepts gzip. A `Range` header requests the bytes uncompressed.
fn takes_gzip(headers: &HeaderMap) -> bool {
    let accepts = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    !headers.contains_key(header::RANGE)
        && accepts.split(',').any(|coding| coding.trim().split(';').next() == Some("gzip"))
}
