//! Backends: the endpoints of a service, by its `EndpointSlices`.

use serde_json::Value;

use crate::field::Fields;
use crate::kinds::{ENDPOINT_SLICE, SERVICE};
use crate::need::{By, Need};
use crate::subject::Subject;

/// The `EndpointSlices` of a service. A service without a name has none.
pub(crate) fn need_for_slices(namespace: &str, service: &str) -> Option<Need> {
    let selector = informer::LabelSelector::of_labels([("kubernetes.io/service-name", service)]).ok()?;
    (!service.is_empty()).then(|| Need::new(ENDPOINT_SLICE, namespace, By::Labels(selector)))
}

/// A service by name, and its `EndpointSlices`.
pub(crate) fn service_needs(namespace: &str, service: &str) -> impl Iterator<Item = Need> {
    [Some(Need::named(SERVICE, namespace, service)), need_for_slices(namespace, service)].into_iter().flatten()
}

/// Endpoints of slices.
pub(crate) fn endpoints(slices: &[Value]) -> impl Iterator<Item = &Value> {
    slices.iter().flat_map(|slice| slice.list("endpoints"))
}

/// Whether an endpoint takes traffic. A missing condition means that it is ready.
pub(crate) fn is_ready(endpoint: &Value) -> bool {
    endpoint.at("conditions.ready").as_bool() != Some(false)
}

/// Numbers of ready and of all endpoints of a service; `None` while they are unknown.
pub(crate) fn counts(subject: &Subject<'_>, namespace: &str, service: &str) -> Option<(usize, usize)> {
    let slices = subject.answer(&need_for_slices(namespace, service)?)?;
    Some((endpoints(slices).filter(|endpoint| is_ready(endpoint)).count(), endpoints(slices).count()))
}
