//! What a page will ask for first, told to the engine while the page's own code is still on its way to it.
//!
//! A worker has the same wasm, and begins with it sooner than the page can ask: it need not lay out anything. So
//! `www/worker.js` asks here, with the address of the page. Whatever is said for it is said by the page again; what comes
//! here is only when.

use informer_engine::message::{PROTOCOL_VERSION, ToEngine};
use wasm_bindgen::prelude::*;
use web_sys::Url;

use crate::route::Route;
use crate::{source, wire, worker};

/// The messages for a port of their own; none for an address that a page does not understand.
#[wasm_bindgen]
pub fn ahead(address: &str) -> Vec<JsValue> {
    let said = || -> Result<Vec<JsValue>, JsValue> {
        let address = Url::new(address)?;
        let route = Route::parse(&address.hash()).unwrap_or_default();
        messages(worker::server(&address)?, &route).iter().map(wire::to_js).collect()
    };
    said().unwrap_or_default()
}

fn messages(url: String, route: &Route) -> [ToEngine; 3] {
    let (resource, options) = source::first(route);
    [
        ToEngine::Connect { version: PROTOCOL_VERSION, url, persist: true },
        ToEngine::Informer { informer: 1, resource, options },
        ToEngine::Start,
    ]
}

#[cfg(test)]
mod tests {
    use informer_engine::message::InformerOptions;

    use super::*;

    #[test]
    fn the_informer_of_the_route_is_asked_for() {
        let informer = |hash: &str| {
            let [
                ToEngine::Connect { persist: true, .. },
                ToEngine::Informer { resource, options, .. },
                ToEngine::Start,
            ] = messages("http://localhost".to_owned(), &Route::parse(hash).expect("a route"))
            else {
                panic!("an informer of a cluster that is kept");
            };
            (resource, options)
        };
        let all = InformerOptions::default;
        let of = |namespace: &str| InformerOptions { namespace: Some(namespace.to_owned()), ..all() };
        assert_eq!(informer(""), ("v1/pods".to_owned(), all()));
        assert_eq!(informer("#/apps/v1/deployments?namespace=shop"), ("apps/v1/deployments".to_owned(), of("shop")));
        assert_eq!(informer("#/v1/nodes?namespace=shop"), ("v1/nodes".to_owned(), all()), "not in namespaces");
    }
}
