//! API of a metrics server: whether the cluster serves it.

use informer::ResourceInfo;
use leptos::prelude::*;

/// API group of the metrics.
const GROUP: &str = "metrics.k8s.io";

/// Message if the API is not served.
pub(crate) const NOT_SERVED: &str =
    "Usage is unknown: the cluster does not serve metrics.k8s.io. Install a metrics server, or check that it runs.";

/// Whether discovery has found the API; `None` before discovery has answered.
pub(crate) fn is_served(resources: RwSignal<Vec<ResourceInfo>>) -> Memo<Option<bool>> {
    Memo::new(move |_| {
        resources.with(|all| (!all.is_empty()).then(|| all.iter().any(|info| info.gvr().group == GROUP)))
    })
}
