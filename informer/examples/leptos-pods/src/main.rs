//! Table of the pods with Leptos: the informer runs in the page, and the shown objects are k8s-openapi's `Pod`.
//!
//! `kubectl proxy &` and `trunk serve --open`.

use std::rc::Rc;
use std::sync::Arc;

use informer::clock::browser::BrowserClock;
use informer::transport::fetch::FetchTransport;
use informer::{
    ChangeBatch, ChangeBatchHandler, HandlerOptions, InformerOptions, Keyed, LabelSelector, Object, ReflectorOptions,
    Runtime, SharedInformer, SharedInformerFactory,
};
use k8s_openapi::api::core::v1::Pod;
use leptos::prelude::*;

/// Number of rows in the page.
const SHOWN: usize = 50;

/// Handler that notifies a signal of each batch of changes.
struct Changes(RwSignal<()>);

impl ChangeBatchHandler<Object> for Changes {
    fn on_changes(&mut self, _: &ChangeBatch<Object>) {
        self.0.notify();
    }

    fn on_synced(&mut self) {
        self.0.notify();
    }
}

/// Factory and informer of all pods, on the server that the page is from.
fn start(changes: RwSignal<()>) -> informer::Result<(SharedInformerFactory<Object>, SharedInformer<Object>)> {
    let runtime = Runtime {
        transport: Rc::new(FetchTransport::new("")),
        clock: Rc::new(BrowserClock::new()),
        spawn: Rc::new(wasm_bindgen_futures::spawn_local),
    };
    let factory = SharedInformerFactory::<Object>::new(runtime, ReflectorOptions::default());
    let (_key, pods) = factory.for_resource("v1/pods".parse()?, InformerOptions::default())?;
    pods.add_batch_handler(Changes(changes), HandlerOptions::default())?;
    factory.start();
    Ok((factory, pods))
}

#[component]
fn Pods(factory: SharedInformerFactory<Object>, pods: SharedInformer<Object>, changes: RwSignal<()>) -> impl IntoView {
    // Without the factory the informers would stop.
    let informers = StoredValue::new_local((factory, pods));
    let filter = RwSignal::new(String::new());
    let found = move || {
        changes.track();
        let mut found = informers.with_value(|(_, pods)| pods.lister().list(&LabelSelector::everything()));
        filter.with(|filter| found.retain(|pod| pod.key().contains(filter.as_str())));
        found.sort_by(|a, b| a.key().cmp(b.key()));
        found
    };
    let row = |object: Arc<Object>| {
        // Only what is shown is decoded.
        let Ok(pod) = object.decode::<Pod>() else { return ().into_any() };
        let status = pod.status.unwrap_or_default();
        let restarts: i32 = status.container_statuses.iter().flatten().map(|container| container.restart_count).sum();
        let node = pod.spec.and_then(|spec| spec.node_name).unwrap_or_default();
        view! {
            <tr>
                <td>{object.key().to_owned()}</td>
                <td>{status.phase.unwrap_or_default()}</td>
                <td>{node}</td>
                <td>{restarts}</td>
            </tr>
        }
        .into_any()
    };
    view! {
        <label>"Filter " <input prop:value=filter on:input:target=move |event| filter.set(event.target().value()) /></label>
        <output>{move || format!("{} pods", found().len())}</output>
        <table>
            <thead><tr><th>"Pod"</th><th>"Phase"</th><th>"Node"</th><th>"Restarts"</th></tr></thead>
            <tbody>{move || found().into_iter().take(SHOWN).map(row).collect_view()}</tbody>
        </table>
    }
}

fn main() {
    let changes = RwSignal::new(());
    match start(changes) {
        Ok((factory, pods)) => {
            leptos::mount::mount_to_body(move || view! { <Pods factory=factory pods=pods changes=changes /> })
        }
        Err(error) => leptos::mount::mount_to_body(move || error.to_string()),
    }
}
