//! Metadata-only informers.

use informer::{Keyed, LabelSelector};
use informer_engine::message::{InformerMode, InformerOptions};
use serde_json::json;

use super::scene::{Scene, live, opened, until, without_managed_fields};
use super::target::live_test;

#[live_test]
async fn fac_12_metadata_comes_without_the_rest_from_list_and_watch() {
    let scene = Scene::new().await;
    scene.create("listed", &json!({"tier": "web"})).await;
    let options = InformerOptions { mode: InformerMode::Metadata, ..InformerOptions::default() };
    let informer = scene.informer_with("v1/configmaps", options);
    live(&informer).await;
    scene.create("watched", &json!({"tier": "web"})).await;
    until("both", || informer.indexer().len() == 2).await;
    for object in informer.lister().list(&LabelSelector::everything()) {
        let cached = opened(&object);
        let served = scene.api.get(&scene.path("configmaps", object.name())).await.expect("there");
        let served = without_managed_fields(served);
        assert_eq!(cached["kind"], "PartialObjectMetadata", "{cached}");
        assert_eq!(cached["apiVersion"], "meta.k8s.io/v1", "{cached}");
        assert_eq!(cached["metadata"], served["metadata"]);
        assert!(cached.get("data").is_none(), "{cached}");
    }
}
