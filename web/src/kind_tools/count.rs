//! Count beside a kind: how many objects it has in the chosen namespace.

use informer::ResourceInfo;
use leptos::prelude::*;

use crate::age::thousands;
use crate::counts::Counts;

/// The number. It is beside the link, not in it: a link has the name of its kind alone.
pub(super) fn count(info: ResourceInfo, counts: Counts) -> impl IntoView + use<> {
    let kind = info.clone();
    let count = Memo::new(move |_| counts.get(&kind).map(thousands));
    move || {
        let count = count.get()?;
        let is_live = counts.is_live(&info);
        let title = if is_live {
            "Changes with each event"
        } else {
            "Counted by the server from time to time; exact and live while its table is shown"
        };
        let class = if is_live { "count live" } else { "count" };
        Some(view! {
            <span class=class title=title>
                {count}
            </span>
        })
    }
}
