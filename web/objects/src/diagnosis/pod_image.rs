//! Rules for images that cannot be pulled, with the registry's message.

use super::Rule;
use super::container::containers;
use crate::event;
use crate::field::Fields;
use crate::finding::{Finding, Severity};
use crate::kinds::POD;
use crate::subject::Subject;
use crate::words::quoted;

pub(super) const RULES: &[Rule] =
    &[Rule { code: "ImagePullFails", severity: Severity::Error, kinds: &[POD], check: image_pull }];

/// Reasons of a container that waits for its image.
const REASONS: [&str; 6] = [
    "ErrImagePull",
    "ImagePullBackOff",
    "InvalidImageName",
    "ErrImageNeverPull",
    "ImageInspectError",
    "RegistryUnavailable",
];

fn image_pull(subject: &Subject<'_>) -> Vec<Finding> {
    let pod = subject.object;
    let waiting = containers(pod).filter(|container| REASONS.contains(&container.waiting()));
    let finding = |container: super::container::Container<'_>| {
        let image = match container.spec.text("image") {
            "" => container.status.text("image"),
            image => image,
        };
        // The state alternates between the registry's error and the pause before the next attempt, which has less detail.
        let pull = event::last(subject, pod, &["Failed"], |message| {
            message.starts_with("Failed to pull image") && message.contains(&format!("\"{image}\""))
        });
        let waiting = container.status.text("state.waiting.message");
        let said = match pull {
            Some(event) if waiting.is_empty() || waiting.starts_with("Back-off") => event::message(event),
            _ => waiting,
        };
        let (why, next) = cause(said, container.waiting());
        let title = container.title();
        let sentence = match why {
            Some(why) => format!("{title} cannot start, because {why}: image {image}."),
            None if said.is_empty() => format!("{title} cannot start, because image {image} cannot be pulled."),
            None => format!("{title} cannot start, because image {image} cannot be pulled: {}", quoted(said)),
        };
        Finding::new(sentence, next)
            .cause(image)
            .value(container.path("state.waiting.reason"), container.waiting())
            .value(container.path("state.waiting.message"), waiting)
            .event(pull)
    };
    waiting.map(finding).collect()
}

/// Cause and advice for the common messages of registries.
fn cause(message: &str, reason: &str) -> (Option<&'static str>, &'static str) {
    let has = |text: &str| message.contains(text);
    if reason == "InvalidImageName" {
        return (Some("the name of its image is invalid"), "Correct the image name.");
    }
    if reason == "ErrImageNeverPull" {
        return (
            Some("its image is not on the node and its pull policy is Never"),
            "Load the image on the node, or change imagePullPolicy.",
        );
    }
    if has("pull access denied") || has("insufficient_scope") {
        return (
            Some("the registry denies access, or the repository does not exist"),
            "Check the repository's name, and the pod's imagePullSecrets.",
        );
    }
    if has("401 Unauthorized") || has("403 Forbidden") || has("unauthorized") || has("no basic auth credentials") {
        return (Some("the registry denies access"), "Check the pod's imagePullSecrets and the account behind them.");
    }
    if has("manifest unknown") || has("not found") {
        return (Some("the registry has no such image"), "Check the image's name and tag.");
    }
    if has("toomanyrequests") || has("429 Too Many Requests") {
        return (
            Some("the registry limits the rate of pulls"),
            "Wait, sign in to the registry by imagePullSecrets, or use a mirror.",
        );
    }
    if has("no such host") || has("i/o timeout") || has("connection refused") || has("TLS handshake timeout") {
        return (None, "Check that the node can reach the registry: DNS, proxy and firewall.");
    }
    if has("x509:") {
        return (None, "Check that the node trusts the registry's certificate.");
    }
    if has("no match for platform") || has("exec format") {
        return (
            Some("its image is not built for the node's architecture"),
            "Build the image for the node's architecture.",
        );
    }
    if has("no space left on device") {
        return (None, "Free disk space on the node.");
    }
    (None, "Read the registry's message.")
}
