//! The informer behind the table: one at a time, exchanged when kind or namespace change.

use informer::message::InformerOptions;
use informer::{InformerStatus, ResourceInfo};
use leptos::prelude::*;

use crate::engine::Engine;
use crate::kinds;
use crate::navigator::Navigator;

/// The informer of the table. Copies are the same.
#[derive(Clone, Copy)]
pub(crate) struct Source {
    /// Its id, once there is one.
    pub(crate) informer: RwSignal<Option<u32>>,
    /// What it says of itself.
    pub(crate) status: RwSignal<InformerStatus>,
    /// Whether the kind lives in namespaces.
    pub(crate) namespaced: Memo<bool>,
    /// What the kind is called: `Pods`.
    pub(crate) label: Memo<String>,
}

impl Source {
    /// Opens an informer now and whenever the route names another one.
    pub(crate) fn new(engine: Engine, navigator: Navigator, resources: RwSignal<Vec<ResourceInfo>>) -> Self {
        let resource = navigator.resource;
        let info = Memo::new(move |_| {
            let resource = resource.get();
            resources.with(|all| all.iter().find(|info| info.gvr() == resource).cloned())
        });
        let namespaced = Memo::new(move |_| {
            let guess = |r: &informer::GroupVersionResource| !kinds::is_cluster_scoped(&r.group, &r.resource);
            info.with(|info| info.as_ref().map_or_else(|| resource.with(guess), |info| info.namespaced))
        });
        let label = Memo::new(move |_| {
            info.with(|info| info.as_ref().map_or_else(|| resource.with(|r| r.resource.clone()), kinds::label))
        });
        let namespace = Memo::new(move |_| navigator.namespace.get().filter(|_| namespaced.get()));
        let source =
            Self { informer: RwSignal::new(None), status: RwSignal::new(InformerStatus::default()), namespaced, label };
        Effect::new(move || {
            let (resource, namespace) = (resource.get().to_string(), namespace.get());
            if let Some(previous) = source.informer.get_untracked() {
                engine.stop(previous);
            }
            source.status.set(InformerStatus::default());
            let options = InformerOptions { namespace, ..InformerOptions::default() };
            let informer = engine.informer(resource, options, move |status| source.status.set(status));
            source.informer.set(Some(informer));
        });
        source
    }
}
