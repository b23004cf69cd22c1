//! Informer of a kind for the chosen namespaces, beside that of the table.

use informer::InformerStatus;
use leptos::prelude::*;

use crate::cluster::{self, Cluster, Informer};
use crate::source::{Scope, is_forbidden};

/// An informer that follows a choice of namespaces. Copies share their state; it is stopped with its owner.
///
/// The informer of all namespaces serves each of them. An informer of one namespace is opened if that is chosen first,
/// or if the user may not list all.
#[derive(Clone, Copy)]
pub(crate) struct ScopedInformer {
    pub(crate) status: RwSignal<InformerStatus>,
    /// The informer; `None` while it is not needed.
    pub(crate) informer: RwSignal<Option<Informer>, LocalStorage>,
    /// Scope that the informer reads.
    pub(crate) scope: Memo<Scope>,
}

impl ScopedInformer {
    /// Opens the informer while it is needed. An informer that is not needed sends no request.
    pub(crate) fn open_while(
        cluster: Cluster,
        resource: &'static str,
        field_selector: &'static str,
        chosen: Memo<Option<String>>,
        is_needed: Memo<bool>,
    ) -> Self {
        let status = RwSignal::new(InformerStatus::default());
        let forbidden = Memo::new(move |_| status.with(|status| is_forbidden(status, chosen.get().as_deref())));
        let scope = Memo::new(move |previous: Option<&Scope>| {
            Scope::for_choice(resource.to_owned(), chosen.get().as_deref(), previous, forbidden.get())
        });
        let informer = RwSignal::new_local(None::<Informer>);
        let stop = move || informer.try_with_untracked(|informer| informer.as_ref().map(Informer::stop));
        Effect::new(move || {
            let namespace = scope.with(|scope| scope.namespace.clone());
            stop();
            status.set(InformerStatus::default());
            if !is_needed.get() {
                informer.set(None);
                return;
            }
            let field_selector = Some(field_selector.to_owned()).filter(|selector| !selector.is_empty());
            let scope = cluster::Scope { namespace, field_selector, ..cluster::Scope::default() };
            let opened = cluster.informer(resource, &scope, move |now| {
                status.try_set(now);
            });
            informer.set(Some(opened));
        });
        on_cleanup(move || {
            stop();
        });
        Self { status, informer, scope }
    }
}
