//! Identity of cluster and user.

use std::rc::Rc;

use futures::executor::block_on;
use informer::transport::Transport;
use informer::transport::scripted::{Reply, ScriptedTransport};
use informer::{ClusterIdentity, ErrorCode};

use crate::harness::status;

fn ask(replies: Vec<Reply>) -> (Result<Option<ClusterIdentity>, ErrorCode>, Vec<String>) {
    let transport = ScriptedTransport::new();
    for reply in replies {
        transport.reply(reply);
    }
    let client: Rc<dyn Transport> = Rc::new(transport.clone());
    let identity = block_on(ClusterIdentity::ask(&client)).map_err(|error| error.code());
    (identity, transport.requests().iter().map(ToString::to_string).collect())
}

fn namespace() -> Reply {
    Reply::json(r#"{"kind":"Namespace","metadata":{"name":"kube-system","uid":"c-1"}}"#)
}

fn identity(user: &str) -> ClusterIdentity {
    ClusterIdentity { cluster: "c-1".into(), user: user.into() }
}

#[test]
fn a_cluster_is_identified_by_its_kube_system_and_the_user_by_a_review() {
    let review = r#"{"kind":"SelfSubjectReview","status":{"userInfo":{"username":"jane","uid":"7","groups":["a"]}}}"#;
    let (found, requests) = ask(vec![namespace(), Reply::status(201, review)]);
    assert_eq!(found, Ok(Some(identity("jane\n7"))));
    assert_eq!(
        requests,
        [
            "GET /api/v1/namespaces/kube-system?pretty=false",
            "POST /apis/authentication.k8s.io/v1/selfsubjectreviews?pretty=false"
        ]
    );
}

#[test]
fn without_a_cluster_there_is_no_identity_and_without_a_user_one_of_the_cluster_only() {
    for refusal in [status(403, "Forbidden", "no"), status(404, "NotFound", "no"), Reply::json("{}")] {
        assert_eq!(ask(vec![refusal]).0, Ok(None));
    }
    for refusal in [status(404, "NotFound", "old"), status(405, "MethodNotAllowed", "no"), Reply::Refused] {
        assert_eq!(ask(vec![namespace(), refusal]).0, Ok(Some(identity(""))));
    }
}

#[test]
fn an_unreachable_server_has_no_identity() {
    assert_eq!(ask(vec![Reply::Refused]).0, Err(ErrorCode::Network));
    assert_eq!(ask(vec![status(429, "TooManyRequests", "later")]).0, Err(ErrorCode::Throttled));
    let away = || Reply::Whole(500, "text/plain", b"dial tcp: connection refused".to_vec());
    assert_eq!(ask(vec![away()]).0, Err(ErrorCode::Network));
    assert_eq!(ask(vec![namespace(), away()]).0, Err(ErrorCode::Network), "and may name the user later");
}
