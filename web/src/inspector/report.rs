//! Report: the inspection of the engine as a file for a bug report.

use js_sys::{Array, Date, JSON};
use leptos::prelude::*;
use wasm_bindgen::JsValue;
use web_sys::{Blob, BlobPropertyBag};

use crate::client::record::Record;
use crate::cluster::Cluster;
use crate::download;

/// Button that saves the report, with a sentence about what is in it.
pub(super) fn report(cluster: Cluster) -> impl IntoView {
    let says = RwSignal::new(String::new());
    let save = move |_| {
        cluster.inspect(true, move |answer| {
            let saved = answer
                .map_err(|error| error.message)
                .and_then(|inspection| save(&inspection).map_err(|error| format!("{error:?}")));
            says.try_set(match saved {
                Ok(()) => "Saved.".to_owned(),
                Err(message) => format!("Not saved: {message}"),
            });
        });
    };
    view! {
        <section class="report" aria-labelledby="inspector-report">
            <h2 id="inspector-report">{"Bug report"}</h2>
            <p class="hint">
                {"The file has the counters and last protocol steps of each informer, the names of kinds, namespaces and selectors, and the server's error messages. It has no objects, no headers and no tokens."}
            </p>
            <button class="button" type="button" on:click=save>{"Save for a bug report"}</button>
            <span role="status">{move || says.get()}</span>
        </section>
    }
}

/// Offers an inspection as a JSON file.
fn save(inspection: &JsValue) -> Result<(), JsValue> {
    let now = String::from(Date::new_0().to_iso_string());
    let browser = window().navigator().user_agent()?;
    let report: JsValue = Record::new()
        .with("version", env!("CARGO_PKG_VERSION"))
        .with("time", now.as_str())
        .with("browser", browser.as_str())
        .with("inspection", inspection)
        .into();
    let text = JSON::stringify_with_replacer_and_space(&report, &JsValue::NULL, &2.into())?;
    let options = BlobPropertyBag::new();
    options.set_type("application/json");
    let blob = Blob::new_with_str_sequence_and_options(&Array::of1(&text), &options)?;
    // Colons are not allowed in the names of files everywhere.
    download::offer(&blob, &format!("kube-informer-{}.json", now.replace(':', "-")))
}
