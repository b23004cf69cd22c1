//! Access control.

use std::collections::BTreeMap;

use apiserver::{Access, AccessRule, Server};
use reqwest::Method;
use serde_json::json;

use crate::client::Api;

fn list(items: &[&str]) -> Vec<String> {
    items.iter().map(ToString::to_string).collect()
}

async fn get_with(api: &Api, path: &str, token: &str) -> (u16, serde_json::Value) {
    let request = api.http.get(format!("{}{path}", api.server.url())).bearer_auth(token);
    let response = request.send().await.unwrap();
    (response.status().as_u16(), response.json().await.unwrap())
}

#[tokio::test]
async fn only_known_tokens_are_accepted() {
    let tokens = BTreeMap::from([("secret".to_owned(), "viewer".to_owned())]);
    let api = Api::with(Server::builder().access(Access { tokens, rules: Vec::new() })).await;
    for path in ["/api/v1/pods", "/version", "/api"] {
        let (status, body) = api.get(path).await;
        let expected = json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
            "message": "Unauthorized", "reason": "Unauthorized", "code": 401,
        });
        assert_eq!((status, body), (401, expected), "{path}");
        assert_eq!(get_with(&api, path, "wrong").await.0, 401);
        assert_eq!(get_with(&api, path, "secret").await.0, 200);
    }
}

#[tokio::test]
async fn watch_alone_can_be_denied() {
    let api = Api::new().await;
    let rule = AccessRule { deny: true, verbs: list(&["watch"]), resources: list(&["pods"]), ..AccessRule::default() };
    api.server.set_access(Access { rules: vec![rule], ..Access::default() });
    assert_eq!(api.get("/api/v1/pods").await.0, 200);
    let (status, body) = api.get("/api/v1/pods?watch=1").await;
    assert_eq!(status, 403);
    let expected = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": "pods is forbidden: User \"admin\" cannot watch resource \"pods\" in API group \"\" at the cluster scope",
        "reason": "Forbidden", "details": {"kind": "pods"}, "code": 403,
    });
    assert_eq!(body, expected);
    api.server.set_access(Access::default());
    drop(api.watch("/api/v1/pods?watch=1").await);
}

#[tokio::test]
async fn grants_per_namespace_through_the_admin_port() {
    let api = Api::new().await;
    let rbac = json!({
        "tokens": {"t": "nsviewer", "a": "boss"},
        "rules": [{"users": ["nsviewer"], "verbs": ["get", "list", "watch"], "namespaces": ["default"]}],
    });
    let url = format!("{}/admin/rbac", api.server.url());
    assert_eq!(api.http.post(&url).body(rbac.to_string()).send().await.unwrap().status(), 200);
    assert_eq!(get_with(&api, "/api/v1/namespaces/default/secrets", "t").await.0, 200);
    let (status, body) = get_with(&api, "/api/v1/namespaces/kube-system/secrets", "t").await;
    let message = "secrets is forbidden: User \"nsviewer\" cannot list resource \"secrets\" in API group \"\" \
                   in the namespace \"kube-system\"";
    assert_eq!((status, body["message"].as_str()), (403, Some(message)));
    // A user without rights does not even see the API groups.
    let (status, body) = get_with(&api, "/apis/foo.example.com/v1/widgets", "t").await;
    assert_eq!((status, &body["details"]), (403, &json!({"group": "foo.example.com", "kind": "widgets"})));
    let (_, body) = get_with(&api, "/apis/apps/v1/namespaces/a/deployments/d", "t").await;
    let message = "deployments.apps \"d\" is forbidden: User \"nsviewer\" cannot get resource \"deployments\" \
                   in API group \"apps\" in the namespace \"a\"";
    assert_eq!(body["message"], message);
    assert_eq!(get_with(&api, "/api/v1/pods", "a").await.0, 200);
    assert_eq!(api.send(Method::POST, "/admin/rbac", "", "{\"rule\":[]}".to_owned()).await.0, 400);
    assert_eq!(api.send(Method::DELETE, "/admin/rbac", "", String::new()).await.0, 200);
    assert_eq!(api.get("/api/v1/pods").await.0, 200);
}
