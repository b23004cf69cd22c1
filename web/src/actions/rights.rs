//! Rights that an action needs: for the request that it sends, and for what its dialog reads.

use informer::ResourceInfo;

use super::action::Action;
use super::revision;

/// A right that an action needs: a verb, and the resource if it is not the object's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Right {
    pub(super) verb: &'static str,
    /// Another resource, as `group/version/resource`.
    pub(super) resource: Option<&'static str>,
    pub(super) subresource: Option<&'static str>,
    /// Whether it is about the object by its name; a new object has none yet, and a drain is about many pods.
    pub(super) by_name: bool,
}

const fn own_right(verb: &'static str) -> Right {
    Right { verb, resource: None, subresource: None, by_name: true }
}

const fn subresource_right(verb: &'static str, subresource: &'static str) -> Right {
    Right { verb, resource: None, subresource: Some(subresource), by_name: true }
}

const fn other_right(verb: &'static str, resource: &'static str, subresource: Option<&'static str>) -> Right {
    Right { verb, resource: Some(resource), subresource, by_name: false }
}

/// The rights for all requests of an action on objects of a resource.
pub(super) fn rights(action: Action, resource: &str) -> &'static [Right] {
    match action {
        Action::Scale => &const { [subresource_right("patch", "scale")] },
        // The dialog lists the revisions.
        Action::RollBack if revision::resource(resource) == "apps/v1/replicasets" => {
            &const { [own_right("patch"), other_right("list", "apps/v1/replicasets", None)] }
        }
        Action::RollBack => &const { [own_right("patch"), other_right("list", "apps/v1/controllerrevisions", None)] },
        Action::Trigger => &const { [other_right("create", "batch/v1/jobs", None)] },
        // The node is cordoned, its pods are listed and evicted, and read until they are gone.
        Action::Drain => {
            &const {
                [
                    own_right("patch"),
                    other_right("list", "v1/pods", None),
                    other_right("get", "v1/pods", None),
                    other_right("create", "v1/pods", Some("eviction")),
                ]
            }
        }
        Action::Evict => &const { [subresource_right("create", "eviction")] },
        // A shell is attached to the container, which cannot be removed again.
        Action::Debug => {
            &const { [subresource_right("patch", "ephemeralcontainers"), subresource_right("create", "attach")] }
        }
        Action::Delete => &const { [own_right("delete")] },
        Action::Edit
        | Action::Labels
        | Action::Restart
        | Action::Pause
        | Action::Resume
        | Action::Suspend
        | Action::Unsuspend
        | Action::Cordon
        | Action::Uncordon => &const { [own_right("patch")] },
    }
}

/// Whether the server has the resource of a right; true before discovery has answered.
pub(super) fn is_served(right: Right, info: Option<&ResourceInfo>) -> bool {
    let is_own = right.resource.is_none() && right.subresource.is_none();
    !is_own || info.is_none_or(|info| info.verbs.iter().any(|verb| verb == right.verb))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::body;
    use super::super::request::{Request, Target};
    use super::super::table::ITEMS;
    use super::*;

    #[test]
    fn an_action_needs_the_right_for_the_request_that_it_makes() {
        let patch = || Request::Patch(json!({}));
        let request = |action| match action {
            // The parts of the page patch the object, or evict the pods of the node.
            Action::Edit | Action::Labels | Action::Restart | Action::Pause | Action::Resume | Action::RollBack => {
                patch()
            }
            Action::Suspend | Action::Unsuspend | Action::Cordon | Action::Uncordon => patch(),
            Action::Scale => Request::Scale(1),
            Action::Trigger => Request::Create(body::job(&Value::Null)),
            Action::Evict | Action::Drain => Request::Evict,
            Action::Debug => Request::Debug(json!({})),
            Action::Delete => Request::Delete { propagation: "background", grace: None },
        };
        let target = Target { resource: "v1/pods".to_owned(), namespace: None, name: "p".to_owned() };
        for (action, label, _) in ITEMS {
            let (method, arguments) = request(action).call(&target, "u");
            // Further rights are for what the dialog reads, and for the shell.
            let is_writing = |right: &&Right| match action {
                Action::Drain => right.subresource.is_some(),
                Action::Debug => right.subresource != Some("attach"),
                _ => right.verb != "list",
            };
            let right = rights(action, "apps/v1/deployments").iter().find(is_writing).expect("a right");
            let verb = if method == "evict" { "create" } else { method };
            let subresource = if method == "evict" { Some("eviction") } else { arguments[0]["subresource"].as_str() };
            assert_eq!((right.verb, right.subresource), (verb, subresource), "{label}");
            let kind = (arguments[0]["apiVersion"].as_str(), arguments[0]["kind"].as_str());
            let created = (method == "create").then_some((Some("batch/v1"), Some("Job")));
            assert_eq!(created.is_some(), right.resource == Some("batch/v1/jobs"), "{label}");
            assert!(created.is_none_or(|created| created == kind), "{label}");
        }
    }

    #[test]
    fn an_action_needs_the_rights_for_what_its_dialog_reads() {
        let named = |action, resource| {
            let name = |right: &Right| {
                let subresource = right.subresource.map(|name| format!("/{name}")).unwrap_or_default();
                format!("{} {}{subresource}", right.verb, right.resource.unwrap_or("own"))
            };
            rights(action, resource).iter().map(name).collect::<Vec<_>>()
        };
        let roll_back = |resource| named(Action::RollBack, resource);
        assert_eq!(roll_back("apps/v1/deployments"), ["patch own", "list apps/v1/replicasets"]);
        assert_eq!(roll_back("apps/v1/statefulsets"), ["patch own", "list apps/v1/controllerrevisions"]);
        assert_eq!(roll_back("apps/v1/daemonsets"), ["patch own", "list apps/v1/controllerrevisions"]);
        let drain = ["patch own", "list v1/pods", "get v1/pods", "create v1/pods/eviction"];
        assert_eq!(named(Action::Drain, "v1/nodes"), drain);
        assert_eq!(named(Action::Debug, "v1/pods"), ["patch own/ephemeralcontainers", "create own/attach"]);
    }
}
