//! Access reviews: the permissions of the requesting user, `SelfSubjectAccessReview` and `SelfSubjectRulesReview`.

use serde_json::{Value, json};

use crate::access::{AccessRule, Attributes};
use crate::api::App;
use crate::kinds::Kind;
use crate::rbac::{Impersonated, allows_path};
use crate::status::Status;

const GROUP: &str = "authorization.k8s.io";

/// Sender of a request.
#[derive(Debug)]
pub(crate) enum Subject {
    /// A user with the permissions of `access`.
    Known(String),
    /// An impersonated user, with RBAC permissions.
    Impersonated(Impersonated),
}

/// Decision on a request.
struct Decision {
    allowed: bool,
    reason: String,
}

impl Subject {
    /// Allows a request, or returns 403.
    pub(crate) fn check(&self, app: &App, attributes: &Attributes) -> Result<(), Status> {
        if self.decide(app, attributes).allowed {
            return Ok(());
        }
        Err(attributes.forbidden(match self {
            Self::Known(user) => user,
            Self::Impersonated(impersonated) => &impersonated.user,
        }))
    }

    fn decide(&self, app: &App, attributes: &Attributes) -> Decision {
        match self {
            Self::Known(user) => {
                Decision { allowed: app.access.read().allows(user, attributes), reason: String::new() }
            }
            Self::Impersonated(impersonated) if impersonated.is_master() => {
                Decision { allowed: true, reason: String::new() }
            }
            Self::Impersonated(impersonated) => {
                let grant = impersonated.grant(&app.store, attributes);
                let reason = grant.as_ref().map(|grant| format!("RBAC: allowed by {}", grant.reason));
                Decision { allowed: grant.is_some(), reason: reason.unwrap_or_default() }
            }
        }
    }

    fn decide_path(&self, app: &App, verb: &str, path: &str) -> Decision {
        let grant = match self {
            Self::Impersonated(impersonated) if !impersonated.is_master() => {
                let mut grants = impersonated.grants(&app.store, "").into_iter();
                grants.find(|grant| allows_path(&grant.rule, verb, path))
            }
            _ => return Decision { allowed: true, reason: String::new() },
        };
        let reason = grant.as_ref().map(|grant| format!("RBAC: allowed by {}", grant.reason));
        Decision { allowed: grant.is_some(), reason: reason.unwrap_or_default() }
    }
}

/// Returns a review with its status.
pub(crate) fn review(app: &App, subject: &Subject, kind: &Kind, review: Value) -> Result<Value, Status> {
    if kind.plural == "selfsubjectrulesreviews" { rules(app, subject, &review) } else { access(app, subject, review) }
}

fn access(app: &App, subject: &Subject, mut review: Value) -> Result<Value, Status> {
    let invalid = |field, why: &str| Err(Status::invalid(GROUP, "", "", field, why));
    let spec = &review["spec"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let decision = match (&spec["resourceAttributes"], &spec["nonResourceAttributes"]) {
        (Value::Null, Value::Null) => {
            let why =
                "Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified";
            return invalid("spec.resourceAttributes", why);
        }
        (Value::Null, attributes) => subject.decide_path(app, &text(&attributes["verb"]), &text(&attributes["path"])),
        (attributes, Value::Null) => {
            let subresource = text(&attributes["subresource"]);
            let slash = if subresource.is_empty() { "" } else { "/" };
            let attributes = Attributes {
                verb: &text(&attributes["verb"]),
                group: &text(&attributes["group"]),
                resource: format!("{}{slash}{subresource}", text(&attributes["resource"])),
                namespace: &text(&attributes["namespace"]),
                name: &text(&attributes["name"]),
            };
            subject.decide(app, &attributes)
        }
        (_, attributes) => {
            let shown = json!({"Path": text(&attributes["path"]), "Verb": text(&attributes["verb"])});
            let why = format!("Invalid value: {shown}: cannot be specified in combination with resourceAttributes");
            return invalid("spec.nonResourceAttributes", &why);
        }
    };
    if !spec["resourceAttributes"].is_object() && !spec["nonResourceAttributes"].is_object() {
        return Err(Status::bad_request("the attributes of a review are an object"));
    }
    let mut status = json!({"allowed": decision.allowed});
    if !decision.reason.is_empty() {
        status["reason"] = decision.reason.into();
    }
    review["kind"] = "SelfSubjectAccessReview".into();
    review["apiVersion"] = format!("{GROUP}/v1").into();
    review["metadata"] = json!({});
    review["status"] = status;
    Ok(review)
}

fn rules(app: &App, subject: &Subject, review: &Value) -> Result<Value, Status> {
    let namespace = review["spec"]["namespace"].as_str().unwrap_or_default();
    if namespace.is_empty() {
        return Err(Status::bad_request("no namespace on request"));
    }
    let everything = || json!({"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]});
    let every_path = || json!({"verbs": ["*"], "nonResourceURLs": ["*"]});
    let (mut resources, mut paths, mut incomplete) = (Vec::new(), Vec::new(), false);
    match subject {
        Subject::Known(user) => {
            let access = app.access.read();
            let mut rules = access.granting_rules(user).peekable();
            if rules.peek().is_none() {
                resources.push(everything());
            }
            resources.extend(rules.filter(|rule| rule.is_in(namespace)).map(shown));
            paths.push(every_path());
            // The API's rules cannot express denials.
            incomplete = access.denies(user);
        }
        Subject::Impersonated(impersonated) if impersonated.is_master() => {
            resources.push(everything());
            paths.push(every_path());
        }
        Subject::Impersonated(impersonated) => {
            for grant in impersonated.grants(&app.store, namespace) {
                let of_paths = grant.rule["nonResourceURLs"].is_array();
                if of_paths { &mut paths } else { &mut resources }.push(grant.rule);
            }
        }
    }
    // The real server's default roles grant these to every user.
    let own = ["selfsubjectaccessreviews", "selfsubjectrulesreviews"];
    resources.push(json!({"verbs": ["create"], "apiGroups": [GROUP], "resources": own}));
    paths
        .push(json!({"verbs": ["get"], "nonResourceURLs": ["/healthz", "/livez", "/readyz", "/version", "/version/"]}));
    let mut status = json!({"resourceRules": resources, "nonResourceRules": paths, "incomplete": incomplete});
    if incomplete {
        status["evaluationError"] = "some of the rules deny, which is not shown here".into();
    }
    Ok(json!({
        "kind": "SelfSubjectRulesReview", "apiVersion": format!("{GROUP}/v1"), "metadata": {}, "spec": {},
        "status": status,
    }))
}

/// Formats a rule for the API.
fn shown(rule: &AccessRule) -> Value {
    let all = |list: &[String]| if list.is_empty() { json!(["*"]) } else { json!(list) };
    json!({"verbs": all(&rule.verbs), "apiGroups": all(&rule.groups), "resources": all(&rule.resources)})
}
