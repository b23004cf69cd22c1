//! Forbidden requests.

use reqwest::Method;
use serde_json::json;

use crate::case::{Case, cases};
use crate::halt::Outcome;
use crate::response::WholeResponse;
use crate::scene::Scene;
use crate::socket::{Handshake, Socket};

pub(crate) const CASES: &[Case] = cases!["forbidden":
    bad_token_is_401, list_is_403, watch_is_403, rights_in_one_namespace_are_kept_to, rights_to_list_are_none_to_watch,
    unknown_group_is_403_to_the_powerless, websocket_is_403,
];

/// Sends a request as a user with only the rights that a case grants.
async fn as_user(scene: &Scene, method: Method, path: &str) -> Outcome<WholeResponse> {
    scene.send(scene.request(method, path).header("impersonate-user", user(scene))).await
}

pub(super) fn user(scene: &Scene) -> String {
    format!("user-{}", scene.namespace)
}

/// Grants the user rights in the case's namespace.
pub(super) async fn grant(scene: &Scene, resources: &[&str], verbs: &[&str]) -> Outcome {
    let rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/NS";
    let role =
        json!({"metadata": {"name": "r"}, "rules": [{"apiGroups": [""], "resources": resources, "verbs": verbs}]});
    scene.create(&format!("{rbac}/roles"), &role).await?;
    let binding = json!({
        "metadata": {"name": "r"}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "r"},
        "subjects": [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": user(scene)}],
    });
    scene.create(&format!("{rbac}/rolebindings"), &binding).await?;
    // The authorizer receives it through its own watch.
    for _ in 0..100 {
        if as_user(scene, Method::GET, &format!("{}?limit=1", resources[0])).await?.status == 200 {
            return Ok(());
        }
        tokio::time::sleep(std::time::Duration::from_millis(30)).await;
    }
    Ok(())
}

/// Returns the summary without the name of the user.
fn verdict(scene: &Scene, response: &WholeResponse) -> String {
    response.summary().replace(&user(scene), "USER")
}

async fn bad_token_is_401(scene: &mut Scene) -> Outcome {
    let response =
        scene.send(scene.request(Method::GET, "configmaps").header("authorization", "Bearer nonsense")).await?;
    scene.check("verdict", response.summary(), "401 Unauthorized: Unauthorized");
    Ok(())
}

async fn list_is_403(scene: &mut Scene) -> Outcome {
    let response = as_user(scene, Method::GET, "/api/v1/configmaps").await?;
    let expected = r#"403 Forbidden: configmaps is forbidden: User "USER" cannot list resource "configmaps" in API group "" at the cluster scope {kind="configmaps"}"#;
    scene.check("everywhere", verdict(scene, &response), expected);
    scene.check("no guessing", response.header("x-content-type-options"), "nosniff");
    let response = as_user(scene, Method::GET, "/apis/apps/v1/namespaces/NS/deployments").await?;
    let expected = r#"403 Forbidden: deployments.apps is forbidden: User "USER" cannot list resource "deployments" in API group "apps" in the namespace "NS" {group="apps" kind="deployments"}"#;
    scene.check("in a namespace", verdict(scene, &response), expected);
    let response = as_user(scene, Method::GET, "pods/a/log").await?;
    let expected = r#"403 Forbidden: pods "a" is forbidden: User "USER" cannot get resource "pods/log" in API group "" in the namespace "NS" {kind="pods" name="a"}"#;
    scene.check("a log", verdict(scene, &response), expected);
    Ok(())
}

async fn watch_is_403(scene: &mut Scene) -> Outcome {
    let response = as_user(scene, Method::GET, "configmaps?watch=1").await?;
    let expected = r#"403 Forbidden: configmaps is forbidden: User "USER" cannot watch resource "configmaps" in API group "" in the namespace "NS" {kind="configmaps"}"#;
    scene.check("verdict", verdict(scene, &response), expected);
    Ok(())
}

async fn rights_in_one_namespace_are_kept_to(scene: &mut Scene) -> Outcome {
    grant(scene, &["configmaps"], &["get", "list", "watch"]).await?;
    scene.config_maps("a").await?;
    scene.check("here", as_user(scene, Method::GET, "configmaps").await?.names(), "a");
    let response = as_user(scene, Method::GET, "/api/v1/namespaces/default/configmaps").await?;
    let expected = r#"403 Forbidden: configmaps is forbidden: User "USER" cannot list resource "configmaps" in API group "" in the namespace "default" {kind="configmaps"}"#;
    scene.check("elsewhere", verdict(scene, &response), expected);
    scene.check("everywhere", as_user(scene, Method::GET, "/api/v1/configmaps").await?.status, 403);
    let response = as_user(scene, Method::DELETE, "configmaps/a").await?;
    let expected = r#"403 Forbidden: configmaps "a" is forbidden: User "USER" cannot delete resource "configmaps" in API group "" in the namespace "NS" {kind="configmaps" name="a"}"#;
    scene.check("another verb", verdict(scene, &response), expected);
    Ok(())
}

async fn rights_to_list_are_none_to_watch(scene: &mut Scene) -> Outcome {
    grant(scene, &["configmaps"], &["list"]).await?;
    scene.check("list", as_user(scene, Method::GET, "configmaps").await?.summary(), "200 ConfigMapList");
    scene.check("watch", as_user(scene, Method::GET, "configmaps?watch=1").await?.status, 403);
    scene.check("get", as_user(scene, Method::GET, "configmaps/a").await?.status, 403);
    Ok(())
}

async fn unknown_group_is_403_to_the_powerless(scene: &mut Scene) -> Outcome {
    let response = as_user(scene, Method::GET, "/apis/foo.example.com/v1/widgets").await?;
    let expected = r#"403 Forbidden: widgets.foo.example.com is forbidden: User "USER" cannot list resource "widgets" in API group "foo.example.com" at the cluster scope {group="foo.example.com" kind="widgets"}"#;
    scene.check("verdict", verdict(scene, &response), expected);
    Ok(())
}

async fn websocket_is_403(scene: &mut Scene) -> Outcome {
    let user = user(scene);
    let seen = match Socket::open(scene, Some("http://localhost"), "configmaps?watch=1", &[("impersonate-user", &user)])
        .await?
    {
        Handshake::Open(..) => "open".to_owned(),
        Handshake::Rejected(why) => why,
    };
    scene.check("handshake", seen, "403");
    Ok(())
}
