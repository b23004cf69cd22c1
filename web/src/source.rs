//! Informer of the table: one at a time, replaced when another kind or more namespaces are shown.

use informer::{ErrorCode, Freshness, GroupVersionResource, InformerStatus, ResourceInfo};
use informer_engine::columns::is_cluster_scoped;
use leptos::prelude::*;

use crate::cluster::{self, Cluster, Informer};
use crate::kinds;
use crate::namespaces;
use crate::navigator::Navigator;

/// Informer of the table. Copies share their state.
#[derive(Clone, Copy)]
pub(crate) struct Source {
    /// Informer, once there is one.
    pub(crate) informer: RwSignal<Option<Informer>, LocalStorage>,
    /// Its status.
    pub(crate) status: RwSignal<InformerStatus>,
    /// Whether the kind has namespaces.
    pub(crate) namespaced: Memo<bool>,
    /// Discovery data of the kind; `None` before discovery has answered.
    pub(crate) info: Memo<Option<ResourceInfo>>,
    /// Plural of the kind: `Pods`.
    pub(crate) label: Memo<String>,
    /// Namespaces that the view must restrict the rows to, because the informer reads all of them.
    pub(crate) view_namespaces: Memo<Option<String>>,
    /// Whether all rows have the same namespace, or none: then the column is superfluous.
    pub(crate) one_namespace: Memo<bool>,
    /// Whether the server does not have the kind.
    pub(crate) kind_missing: Memo<bool>,
    /// Which of several chosen namespaces have no rows because they do not exist or are forbidden; `namespace_list.rs`
    /// writes it.
    pub(crate) missing_note: RwSignal<Option<String>>,
}

/// Scope of an informer: a resource, in one namespace or all.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scope {
    resource: String,
    pub(crate) namespace: Option<String>,
}

impl Scope {
    /// Returns the scope for a choice. An informer of all namespaces serves each of them at once, so it stays unless it
    /// is `forbidden`: then the user may still read a single namespace. A namespace from a link is listed alone, which
    /// is faster and may be all that is allowed. Several namespaces are read by one informer of all.
    pub(crate) fn for_choice(resource: String, chosen: Option<&str>, previous: Option<&Self>, forbidden: bool) -> Self {
        let is_covered = previous.is_some_and(|previous| previous.resource == resource && previous.namespace.is_none())
            && !forbidden;
        let one = namespaces::one(chosen).filter(|_| !is_covered);
        Self { resource, namespace: one.map(str::to_owned) }
    }
}

/// Whether a resource may have namespaces, before discovery has answered.
fn may_be_namespaced(resource: &GroupVersionResource) -> bool {
    !is_cluster_scoped(resource)
}

impl Source {
    /// Opens an informer now, and another one whenever the route requires it.
    pub(crate) fn new(cluster: Cluster, navigator: Navigator, resources: RwSignal<Vec<ResourceInfo>>) -> Self {
        let resource = navigator.resource;
        let listed = Memo::new(move |_| {
            let resource = resource.get();
            resources.with(|all| all.iter().find(|info| info.gvr() == resource).cloned())
        });
        // A removed kind keeps its name and scope.
        let info = Memo::new(move |before: Option<&Option<ResourceInfo>>| {
            let known =
                before.and_then(Option::as_ref).filter(|info| resource.with(|resource| info.gvr() == *resource));
            listed.get().or_else(|| known.cloned())
        });
        let namespaced = Memo::new(move |_| {
            info.with(|info| info.as_ref().map_or_else(|| resource.with(may_be_namespaced), |info| info.namespaced))
        });
        let label = Memo::new(move |_| {
            info.with(|info| info.as_ref().map_or_else(|| resource.with(|r| r.resource.clone()), kinds::label))
        });
        let status = RwSignal::new(InformerStatus::default());
        let chosen = Memo::new(move |_| navigator.namespaces.get().filter(|_| namespaced.get()));
        let forbidden = Memo::new(move |_| status.with(|status| is_forbidden(status, chosen.get().as_deref())));
        let scope = Memo::new(move |previous: Option<&Scope>| {
            Scope::for_choice(resource.get().to_string(), chosen.get().as_deref(), previous, forbidden.get())
        });
        let view_namespaces =
            Memo::new(move |_| chosen.get().filter(|_| scope.with(|scope| scope.namespace.is_none())));
        let one_namespace = Memo::new(move |_| {
            navigator.namespaces.with(|chosen| namespaces::one(chosen.as_deref()).is_some()) || !namespaced.get()
        });
        let kind_missing = Memo::new(move |_| {
            let is_unlisted = listed.with(Option::is_none) && !resources.with(Vec::is_empty);
            is_unlisted && status.with(has_no_data)
        });
        let source = Self {
            informer: RwSignal::new_local(None),
            status,
            namespaced,
            info,
            label,
            view_namespaces,
            one_namespace,
            kind_missing,
            missing_note: RwSignal::new(None),
        };
        Effect::new(move |was_missing: Option<bool>| {
            // If the kind exists again, the informer retries at once.
            if was_missing == Some(true) && listed.with(Option::is_some) {
                cluster.retry();
            }
            kind_missing.get()
        });
        Effect::new(move || {
            let Scope { resource, namespace } = scope.get();
            if let Some(previous) = source.informer.get_untracked() {
                previous.stop();
            }
            source.status.set(InformerStatus::default());
            let scope = cluster::Scope { namespace, ..cluster::Scope::default() };
            let informer = cluster.informer(&resource, &scope, move |status| source.status.set(status));
            source.informer.set(Some(informer));
        });
        source
    }
}

/// Whether an informer has no data: the server does not have the resource, or had it without objects. Discovery also
/// omits resources that are only unavailable, such as the API of a metrics server. Their informers have rows, or
/// another error.
fn has_no_data(status: &InformerStatus) -> bool {
    match &status.last_error {
        Some(error) => error.code == ErrorCode::NotFound,
        None => status.has_synced && status.objects == 0,
    }
}

/// Whether the server denies the request, or allows some namespaces without the chosen one. Of several, the permitted
/// ones are shown.
pub(crate) fn is_forbidden(status: &InformerStatus, chosen: Option<&str>) -> bool {
    let refused = status.last_error.as_ref().is_some_and(|error| error.code == ErrorCode::Forbidden);
    let permits = |chosen| status.namespaces.is_empty() || status.namespaces.iter().any(|name| name == chosen);
    (refused && status.freshness == Freshness::Forbidden) || !namespaces::one(chosen).is_none_or(permits)
}

#[cfg(test)]
mod tests {
    use informer::ErrorReport;

    use super::*;

    fn next(
        previous: Option<(&str, Option<&str>)>,
        resource: &str,
        chosen: Option<&str>,
        forbidden: bool,
    ) -> Option<String> {
        let previous = previous.map(|(resource, namespace)| Scope {
            resource: resource.to_owned(),
            namespace: namespace.map(str::to_owned),
        });
        Scope::for_choice(resource.to_owned(), chosen, previous.as_ref(), forbidden).namespace
    }

    #[test]
    fn an_informer_of_all_namespaces_serves_each() {
        assert_eq!(next(Some(("pods", None)), "pods", Some("shop"), false), None);
        assert_eq!(next(Some(("pods", None)), "pods", None, false), None);
    }

    #[test]
    fn a_user_without_the_right_to_all_namespaces_reads_one() {
        assert_eq!(next(Some(("pods", None)), "pods", Some("shop"), true), Some("shop".to_owned()));
        assert_eq!(next(Some(("pods", Some("shop"))), "pods", Some("bank"), false), Some("bank".to_owned()));
        assert_eq!(next(Some(("pods", None)), "pods", None, true), None, "there is nothing else to try");
    }

    #[test]
    fn a_user_with_the_right_to_some_namespaces_is_denied_the_others() {
        let namespaces = vec!["shop".to_owned(), "bank".to_owned()];
        let status = InformerStatus { namespaces, freshness: Freshness::Live, ..InformerStatus::default() };
        assert!(!is_forbidden(&status, Some("bank")) && !is_forbidden(&status, None));
        assert!(is_forbidden(&status, Some("mill")), "it is tried by itself");
        assert!(!is_forbidden(&status, Some("mill,shop")), "the permitted ones of several are shown");
    }

    #[test]
    fn several_namespaces_are_read_by_one_informer_of_all() {
        assert_eq!(next(None, "pods", Some("bank,shop"), false), None);
        assert_eq!(next(Some(("pods", Some("shop"))), "pods", Some("bank,shop"), false), None);
        assert_eq!(next(Some(("pods", None)), "pods", Some("bank,shop"), true), None);
        assert_eq!(next(Some(("pods", None)), "pods", Some("shop"), true), Some("shop".to_owned()));
    }

    #[test]
    fn a_missing_kind_differs_from_an_unavailable_one() {
        let error = |code| {
            let message = String::new();
            ErrorReport { code, message, status: None, request: None, retryable: true }
        };
        let status =
            |objects, last_error| InformerStatus { has_synced: true, objects, last_error, ..InformerStatus::default() };
        assert!(has_no_data(&status(0, None)) && has_no_data(&status(3, Some(error(ErrorCode::NotFound)))));
        assert!(!has_no_data(&status(3, None)) && !has_no_data(&status(0, Some(error(ErrorCode::Internal)))));
        assert!(!has_no_data(&InformerStatus::default()), "nothing is known yet");
    }

    #[test]
    fn a_link_lists_what_it_names() {
        assert_eq!(next(None, "pods", Some("shop"), false), Some("shop".to_owned()));
        assert_eq!(next(Some(("pods", None)), "jobs", Some("shop"), false), Some("shop".to_owned()));
        assert_eq!(next(Some(("pods", Some("shop"))), "pods", None, false), None);
    }
}
