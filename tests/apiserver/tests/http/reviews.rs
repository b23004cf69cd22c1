//! Access reviews: the rights of a request's user.

use std::collections::BTreeMap;

use apiserver::{Access, AccessRule, Server};
use serde_json::{Value, json};

use crate::client::Api;

const REVIEWS: &str = "/apis/authorization.k8s.io/v1";

async fn ask(api: &Api, headers: &[(&str, &str)], plural: &str, spec: &Value) -> (u16, Value) {
    let mut request = api.http.post(format!("{}{REVIEWS}/{plural}", api.server.url()));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = request.body(json!({"spec": spec}).to_string()).send().await.unwrap();
    (response.status().as_u16(), response.json().await.unwrap())
}

async fn may(api: &Api, headers: &[(&str, &str)], attributes: Value) -> Value {
    let (status, review) =
        ask(api, headers, "selfsubjectaccessreviews", &json!({"resourceAttributes": attributes})).await;
    assert_eq!((status, review["kind"].as_str()), (201, Some("SelfSubjectAccessReview")), "{review}");
    review["status"].clone()
}

#[tokio::test]
async fn the_rules_of_tokens_are_reviewed() {
    let list = |items: &[&str]| items.iter().map(ToString::to_string).collect();
    let grant = AccessRule {
        users: list(&["viewer"]),
        verbs: list(&["get", "list"]),
        namespaces: list(&["default"]),
        ..AccessRule::default()
    };
    let deny = AccessRule { deny: true, resources: list(&["secrets"]), ..AccessRule::default() };
    let tokens = BTreeMap::from([("v".to_owned(), "viewer".to_owned()), ("a".to_owned(), "admin".to_owned())]);
    let api = Api::with(Server::builder().access(Access { tokens, rules: vec![grant, deny] })).await;
    let (viewer, admin) = ([("authorization", "Bearer v")], [("authorization", "Bearer a")]);
    let pods = |verb: &str, namespace: &str| json!({"verb": verb, "resource": "pods", "namespace": namespace});
    assert_eq!(may(&api, &viewer, pods("get", "default")).await, json!({"allowed": true}));
    assert_eq!(may(&api, &viewer, pods("delete", "default")).await, json!({"allowed": false}));
    assert_eq!(may(&api, &viewer, pods("get", "other")).await, json!({"allowed": false}));
    assert_eq!(may(&api, &admin, pods("delete", "other")).await, json!({"allowed": true}));
    assert_eq!(may(&api, &admin, json!({"verb": "get", "resource": "secrets"})).await, json!({"allowed": false}));
    let (status, rules) = ask(&api, &viewer, "selfsubjectrulesreviews", &json!({"namespace": "default"})).await;
    let rule = json!({"verbs": ["get", "list"], "apiGroups": ["*"], "resources": ["*"]});
    assert_eq!((status, &rules["status"]["resourceRules"][0]), (201, &rule));
    assert_eq!(rules["status"]["incomplete"], true);
    let (_, rules) = ask(&api, &viewer, "selfsubjectrulesreviews", &json!({"namespace": "other"})).await;
    assert_eq!(rules["status"]["resourceRules"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn the_roles_of_an_impersonated_user_are_reviewed() {
    let api = Api::new().await;
    let rbac = "/apis/rbac.authorization.k8s.io/v1";
    let rules = json!([
        {"apiGroups": ["apps"], "resources": ["deployments", "*/scale"], "verbs": ["patch"]},
        {"apiGroups": [""], "resources": ["pods"], "verbs": ["delete"], "resourceNames": ["mine"]},
    ]);
    let role = json!({"metadata": {"name": "r"}, "rules": rules});
    assert_eq!(api.post(&format!("{rbac}/namespaces/default/roles"), &role).await.0, 201);
    let binding = json!({
        "metadata": {"name": "b"}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "r"},
        "subjects": [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "u"}],
    });
    assert_eq!(api.post(&format!("{rbac}/namespaces/default/rolebindings"), &binding).await.0, 201);
    let user = [("impersonate-user", "u")];
    let reason = "RBAC: allowed by RoleBinding \"b/default\" of Role \"r\" to User \"u\"";
    let scale = json!({"verb": "patch", "group": "apps", "resource": "statefulsets", "subresource": "scale", "namespace": "default"});
    assert_eq!(may(&api, &user, scale).await, json!({"allowed": true, "reason": reason}));
    let pod = |name: &str| json!({"verb": "delete", "resource": "pods", "namespace": "default", "name": name});
    assert_eq!(may(&api, &user, pod("mine")).await["allowed"], true);
    assert_eq!(may(&api, &user, pod("yours")).await, json!({"allowed": false}));
    let path = json!({"nonResourceAttributes": {"path": "/metrics", "verb": "get"}});
    let (_, review) = ask(&api, &user, "selfsubjectaccessreviews", &path).await;
    assert_eq!(review["status"], json!({"allowed": false}));
    let (_, review) = ask(&api, &user, "selfsubjectrulesreviews", &json!({"namespace": "default"})).await;
    assert_eq!(review["status"]["resourceRules"][0], rules[0]);
    assert_eq!((&review["metadata"], &review["spec"]), (&json!({}), &json!({})));
}

#[tokio::test]
async fn an_incomplete_review_is_rejected() {
    let api = Api::new().await;
    let (status, body) = ask(&api, &[], "selfsubjectaccessreviews", &json!({})).await;
    let message = ".authorization.k8s.io \"\" is invalid: spec.resourceAttributes: Invalid value: null: exactly one of \
                   nonResourceAttributes or resourceAttributes must be specified";
    assert_eq!((status, body["message"].as_str()), (422, Some(message)));
    let (status, body) = ask(&api, &[], "selfsubjectrulesreviews", &json!({})).await;
    assert_eq!((status, body["message"].as_str()), (400, Some("no namespace on request")));
    assert_eq!(api.get(&format!("{REVIEWS}/selfsubjectrulesreviews")).await.0, 405);
    let (_, resources) = api.get(REVIEWS).await;
    assert!(resources["resources"].as_array().unwrap().iter().all(|resource| resource["verbs"] == json!(["create"])));
}
