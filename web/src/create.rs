//! Create: a button in the header that opens an empty YAML editor, for one or more documents.

use informer::ResourceInfo;
use leptos::ev::KeyboardEvent;
use leptos::html::Div;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;

use crate::actions::permission::{self, READ_ONLY, is_read_only};
use crate::cluster::Cluster;
use crate::dialog::Window;
use crate::keys::is_shortcut;
use crate::namespaces;
use crate::navigator::Navigator;
use crate::part_flag::PartFlag;
use crate::parts;
use crate::route::Screen;
use crate::source::Source;
use crate::visible::visible;

/// Kind and namespace of new objects, if the page determines them: a cluster-scoped kind, or a kind in one chosen
/// namespace.
type CreationTarget = (ResourceInfo, Option<String>);

fn creation_target(info: Option<ResourceInfo>, chosen: Option<&str>) -> Option<CreationTarget> {
    let info = info?;
    if info.namespaced { Some((info, Some(namespaces::one(chosen)?.to_owned()))) } else { Some((info, None)) }
}

/// Reason why objects of the page's kind cannot be created there; `None` without an answer.
fn denial(cluster: Cluster, navigator: Navigator, source: Source) -> RwSignal<Option<String>> {
    let denial = RwSignal::new(None);
    let target = Memo::new(move |_| {
        let info = source.info.get().filter(|info| navigator.resource.with(|resource| info.gvr() == *resource));
        creation_target(info.filter(|_| navigator.screen.get() == Screen::Table), navigator.namespaces.get().as_deref())
    });
    Effect::new(move || {
        denial.set(None);
        let Some((info, namespace)) = target.get() else { return };
        spawn_local(async move {
            let found = permission::creation_denial(&cluster.factory(), &info, namespace.as_deref()).await;
            // Another kind or namespace may be shown by now.
            if target.try_get_untracked().flatten() == Some((info, namespace)) {
                denial.try_set(found);
            }
        });
    });
    denial
}

/// Button with the key `c`, and the dialog that it opens.
#[component]
pub(crate) fn Create(cluster: Cluster, navigator: Navigator, source: Source) -> impl IntoView {
    let open = RwSignal::new(false);
    let denial = denial(cluster, navigator, source);
    let by_key = window_event_listener(leptos::ev::keydown, move |event: KeyboardEvent| {
        if event.key() == "c" && is_shortcut(&event) {
            event.prevent_default();
            open.set(true);
        }
    });
    on_cleanup(move || by_key.remove());
    view! {
        <button
            class="icon-button"
            type="button"
            aria-label="Create from YAML"
            title=move || {
                let denial = denial.get();
                denial.map_or_else(|| "Create from YAML (c)".to_owned(), |message| visible(&message).into_owned())
            }
            aria-disabled=move || denial.with(Option::is_some).then_some("true")
            on:click=move |_| open.set(true)
        >
            <span aria-hidden="true">{"+"}</span>
        </button>
        {move || open.get().then(|| untrack(|| match denial.get() {
            Some(message) => refusal(&message, open).into_any(),
            None => editor(cluster, navigator, open).into_any(),
        }))}
    }
}

/// The dialog with the reason why there is no editor: a tooltip is not shown on every device.
fn refusal(message: &str, open: RwSignal<bool>) -> impl IntoView + use<> {
    let close = Callback::new(move |()| {
        open.try_set(false);
    });
    let message = visible(message).into_owned();
    view! {
        <Window title="Create from YAML".to_owned() close=close>
            <p class="outcome failed" role="alert">{message}</p>
        </Window>
    }
}

fn editor(cluster: Cluster, navigator: Navigator, open: RwSignal<bool>) -> impl IntoView {
    let (parent, mount) = (NodeRef::<Div>::new(), parts::PartMount::new());
    let close = Callback::new(move |()| {
        open.try_set(false);
    });
    let edited = PartFlag::new();
    let read_only = RwSignal::new(false);
    spawn_local(async move {
        if is_read_only(&cluster.factory()).await {
            read_only.try_set(true);
        }
    });
    let done = StoredValue::new_local(Closure::<dyn Fn()>::new(move || close.run(())));
    // With several chosen namespaces there is no default among them.
    let chosen = navigator.namespaces.get_untracked();
    let namespace = namespaces::one(chosen.as_deref()).unwrap_or("default").to_owned();
    let message = format!("Paste one or more documents. Those without a namespace go to {namespace}.");
    Effect::new(move || {
        let Some(parent) = parent.get() else { return };
        let options = vec![
            ("client", JsValue::from(cluster.factory().client())),
            ("namespace", namespace.as_str().into()),
            ("label", "Create from YAML".into()),
            ("onClose", done.with_value(|done| done.as_ref().clone())),
            ("onEdited", edited.listener()),
        ];
        mount.load("The editor", ("edit", "edit"), &parent, options);
    });
    view! {
        <Window title="Create from YAML".to_owned() close=close wide=true stays=edited.signal()>
            <Show
                when=move || !read_only.get()
                fallback=|| view! { <p class="outcome failed" role="alert">{READ_ONLY}</p> }
            >
                <p class="note">{message.clone()}</p>
                {move || mount.error().map(|message| view! { <p class="outcome failed" role="alert">{message}</p> })}
                <div class="part" node_ref=parent></div>
            </Show>
        </Window>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_namespaced_kind_is_created_in_a_chosen_namespace() {
        let info = |namespaced: bool| {
            let info = serde_json::json!({
                "group": "", "version": "v1", "resource": "pods", "kind": "Pod", "namespaced": namespaced, "verbs": [],
            });
            serde_json::from_value::<ResourceInfo>(info).expect("a resource")
        };
        let shop = Some("shop".to_owned());
        assert_eq!(creation_target(Some(info(true)), Some("shop")), Some((info(true), shop)));
        assert_eq!(creation_target(Some(info(true)), None), None, "a document may name any namespace");
        assert_eq!(creation_target(Some(info(true)), Some("bank,shop")), None, "or any of several");
        assert_eq!(creation_target(Some(info(false)), Some("shop")), Some((info(false), None)));
        assert_eq!(creation_target(None, Some("shop")), None);
    }
}
