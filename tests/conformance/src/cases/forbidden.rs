//! Forbidden requests.

use reqwest::Method;
use serde_json::json;

use crate::answer::Answer;
use crate::case::{Case, cases};
use crate::halt::Outcome;
use crate::scene::Scene;
use crate::socket::{Handshake, Socket};

pub(crate) const CASES: &[Case] = cases!["forbidden":
    bad_token_is_401, list_is_403, watch_is_403, rights_in_one_namespace_are_kept_to, rights_to_list_are_none_to_watch,
    unknown_group_is_403_to_the_powerless, websocket_is_403,
];

/// Sends a request as a user with only the rights that a case grants.
async fn as_user(scene: &Scene, method: Method, path: &str) -> Outcome<Answer> {
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
    scene.make(&format!("{rbac}/roles"), &role).await?;
    let binding = json!({
        "metadata": {"name": "r"}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "r"},
        "subjects": [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": user(scene)}],
    });
    scene.make(&format!("{rbac}/rolebindings"), &binding).await?;
    // The authorizer receives it through its own watch.
    for _ in 0..100 {
        if as_user(scene, Method::GET, &format!("{}?limit=1", resources[0])).await?.status == 200 {
            return Ok(());
        }
        tokio::time::sleep(std::time::Duration::from_millis(30)).await;
    }
    Ok(())
}

/// The verdict without the name of the user.
fn verdict(scene: &Scene, answer: &Answer) -> String {
    answer.verdict().replace(&user(scene), "USER")
}

async fn bad_token_is_401(scene: &mut Scene) -> Outcome {
    let answer =
        scene.send(scene.request(Method::GET, "configmaps").header("authorization", "Bearer nonsense")).await?;
    scene.see("verdict", answer.verdict(), "401 Unauthorized: Unauthorized");
    Ok(())
}

async fn list_is_403(scene: &mut Scene) -> Outcome {
    let answer = as_user(scene, Method::GET, "/api/v1/configmaps").await?;
    let want = r#"403 Forbidden: configmaps is forbidden: User "USER" cannot list resource "configmaps" in API group "" at the cluster scope {kind="configmaps"}"#;
    scene.see("everywhere", verdict(scene, &answer), want);
    scene.see("no guessing", answer.header("x-content-type-options"), "nosniff");
    let answer = as_user(scene, Method::GET, "/apis/apps/v1/namespaces/NS/deployments").await?;
    let want = r#"403 Forbidden: deployments.apps is forbidden: User "USER" cannot list resource "deployments" in API group "apps" in the namespace "NS" {group="apps" kind="deployments"}"#;
    scene.see("in a namespace", verdict(scene, &answer), want);
    let answer = as_user(scene, Method::GET, "pods/a/log").await?;
    let want = r#"403 Forbidden: pods "a" is forbidden: User "USER" cannot get resource "pods/log" in API group "" in the namespace "NS" {kind="pods" name="a"}"#;
    scene.see("a log", verdict(scene, &answer), want);
    Ok(())
}

async fn watch_is_403(scene: &mut Scene) -> Outcome {
    let answer = as_user(scene, Method::GET, "configmaps?watch=1").await?;
    let want = r#"403 Forbidden: configmaps is forbidden: User "USER" cannot watch resource "configmaps" in API group "" in the namespace "NS" {kind="configmaps"}"#;
    scene.see("verdict", verdict(scene, &answer), want);
    Ok(())
}

async fn rights_in_one_namespace_are_kept_to(scene: &mut Scene) -> Outcome {
    grant(scene, &["configmaps"], &["get", "list", "watch"]).await?;
    scene.config_maps("a").await?;
    scene.see("here", as_user(scene, Method::GET, "configmaps").await?.names(), "a");
    let answer = as_user(scene, Method::GET, "/api/v1/namespaces/default/configmaps").await?;
    let want = r#"403 Forbidden: configmaps is forbidden: User "USER" cannot list resource "configmaps" in API group "" in the namespace "default" {kind="configmaps"}"#;
    scene.see("elsewhere", verdict(scene, &answer), want);
    scene.see("everywhere", as_user(scene, Method::GET, "/api/v1/configmaps").await?.status, 403);
    let answer = as_user(scene, Method::DELETE, "configmaps/a").await?;
    let want = r#"403 Forbidden: configmaps "a" is forbidden: User "USER" cannot delete resource "configmaps" in API group "" in the namespace "NS" {kind="configmaps" name="a"}"#;
    scene.see("another verb", verdict(scene, &answer), want);
    Ok(())
}

async fn rights_to_list_are_none_to_watch(scene: &mut Scene) -> Outcome {
    grant(scene, &["configmaps"], &["list"]).await?;
    scene.see("list", as_user(scene, Method::GET, "configmaps").await?.verdict(), "200 ConfigMapList");
    scene.see("watch", as_user(scene, Method::GET, "configmaps?watch=1").await?.status, 403);
    scene.see("get", as_user(scene, Method::GET, "configmaps/a").await?.status, 403);
    Ok(())
}

async fn unknown_group_is_403_to_the_powerless(scene: &mut Scene) -> Outcome {
    let answer = as_user(scene, Method::GET, "/apis/foo.example.com/v1/widgets").await?;
    let want = r#"403 Forbidden: widgets.foo.example.com is forbidden: User "USER" cannot list resource "widgets" in API group "foo.example.com" at the cluster scope {group="foo.example.com" kind="widgets"}"#;
    scene.see("verdict", verdict(scene, &answer), want);
    Ok(())
}

async fn websocket_is_403(scene: &mut Scene) -> Outcome {
    let user = user(scene);
    let seen = match Socket::open(scene, Some("http://localhost"), "configmaps?watch=1", &[("impersonate-user", &user)])
        .await?
    {
        Handshake::Open(..) => "open".to_owned(),
        Handshake::Refused(why) => why,
    };
    scene.see("handshake", seen, "403");
    Ok(())
}
