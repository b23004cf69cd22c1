//! Selection: the merged logs of several objects of one kind, for example of the marked rows.
//!
//! The address names them in the place of one object (`object=shop/a,shop/b`), so Back, Forward, a reload and a link
//! show them again.

use std::collections::BTreeSet;

use informer::GroupVersionResource;
use leptos::prelude::*;

use super::link;
use super::logs::{Logs, LogsProps, Target, containers, has_logs};
use super::opened::follow;
use super::panel::{Panel, focus_panel};
use crate::loading::PageState;
use crate::navigator::Navigator;
use crate::visible::visible;

/// Maximum number of objects whose logs are shown together: the pods of each owner are watched, and an address has a
/// length.
pub(crate) const MAX_LOGS: usize = 100;

/// Separates the keys of several objects in an address. No name of a kind with logs has one.
const COMMA: char = ',';

/// Shows the logs of one object in its drawer, or those of several, and moves the focus there.
pub(crate) fn open_logs(navigator: Navigator, keys: &[String]) {
    let object = keys.join(&COMMA.to_string());
    let is_open = navigator.object.with_untracked(|open| open.as_deref() == Some(object.as_str()));
    if !is_open {
        link::follow();
    }
    navigator.go(|route| (route.object, route.tab) = (Some(object), Some("logs".to_owned())));
    if is_open {
        focus_panel();
    }
}

/// The keys of several objects; empty if the text is the key of a single one.
pub(super) fn keys(resource: &GroupVersionResource, text: &str) -> Option<Vec<String>> {
    if !has_logs(resource) || !text.contains(COMMA) {
        return None;
    }
    let keys: BTreeSet<_> = text.split(COMMA).filter(|key| !key.is_empty()).collect();
    Some(keys.into_iter().map(str::to_owned).collect())
}

/// The panel of the logs of several objects.
#[component]
pub(super) fn Selection(page: PageState, keys: Vec<String>) -> impl IntoView {
    let PageState { cluster, navigator, source, now, .. } = page;
    let resource = navigator.resource.get_untracked();
    let count = keys.len();
    let keys: Vec<_> = keys.into_iter().take(MAX_LOGS).collect();
    let plural = resource.resource.as_str();
    let title = match keys.len() {
        1 => format!("Logs of 1 {}", plural.strip_suffix('s').unwrap_or(plural)),
        count => format!("Logs of {count} {plural}"),
    };
    let file = format!("{}-{plural}.log", keys.len());
    let targets: Vec<_> = keys.iter().map(|key| Target::of(&resource, key)).collect();
    let namespaces: BTreeSet<_> = targets.iter().map(|target| visible(&target.namespace).into_owned()).collect();
    let above = match namespaces.iter().next() {
        Some(namespace) if namespaces.len() == 1 => namespace.clone(),
        _ => format!("{} namespaces", namespaces.len()),
    };
    let above = Signal::derive(move || format!("{} · {above}", source.label.get()));
    // Each is parsed separately, because usually only one of many changes.
    let names: Vec<_> = keys
        .into_iter()
        .map(|key| {
            let json = follow(source, key, false).json;
            Memo::new(move |_| json.with(|json| json.as_deref().map(containers).unwrap_or_default()))
        })
        .collect();
    let containers = Memo::new(move |_| {
        let mut all = Vec::<String>::new();
        for name in names.iter().flat_map(|names| names.get()) {
            if !all.contains(&name) {
                all.push(name);
            }
        }
        all
    });
    let left_out = (count > MAX_LOGS).then(|| {
        let text = format!("The address names {count} objects. These are the logs of the first {MAX_LOGS}.");
        view! { <p class="notice" role="status">{text}</p> }
    });
    let logs = Logs(LogsProps { cluster, now, targets, containers, file });
    view! {
        <Panel navigator=navigator title=title above=above gone=false>
            {left_out}
            <div class="panel">{logs}</div>
        </Panel>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_keys_are_a_selection_of_a_kind_with_logs() {
        let of = |resource: &str, text: &str| keys(&resource.parse().expect("a resource"), text);
        let both = Some(vec!["n/a".to_owned(), "n/b".to_owned()]);
        assert_eq!(of("v1/pods", "n/b,n/a"), both);
        assert_eq!(of("v1/pods", ",n/a,n/b,,n/a"), both, "each once");
        assert_eq!(of("v1/pods", "n/a"), None);
        assert_eq!(of("v1/pods", ","), Some(Vec::new()));
        // A name that is a path segment may have a comma.
        assert_eq!(of("rbac.authorization.k8s.io/v1/clusterroles", "a,b"), None);
    }
}
