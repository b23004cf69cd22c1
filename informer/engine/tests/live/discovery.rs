//! Discovery of the server's resources.

use informer::discover;

use super::scene::Scene;
use super::target::live_test;

#[live_test]
async fn discovery_finds_what_can_be_watched_in_the_preferred_version() {
    let scene = Scene::new().await;
    let resources = discover(&scene.runtime.transport).await.expect("discovered");
    let find = |name: &str| resources.iter().find(|info| info.gvr().to_string() == name);
    for (name, kind, namespaced) in [
        ("v1/pods", "Pod", true),
        ("v1/namespaces", "Namespace", false),
        ("apps/v1/deployments", "Deployment", true),
        ("batch/v1/jobs", "Job", true),
        ("apiextensions.k8s.io/v1/customresourcedefinitions", "CustomResourceDefinition", false),
    ] {
        let info = find(name).unwrap_or_else(|| panic!("{name} in {resources:?}"));
        assert_eq!((info.kind.as_str(), info.namespaced), (kind, namespaced), "{name}");
    }
    assert!(resources.iter().all(informer::ResourceInfo::is_listable));
    assert!(find("v1/bindings").is_none(), "it can only be created");
    assert!(find("v1/pods").is_some_and(|pods| pods.short_names == ["po"] && !pods.scale));
    assert!(find("apps/v1/deployments").is_some_and(|deployments| deployments.scale));
}
