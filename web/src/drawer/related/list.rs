//! List of the related objects, by relation.

use leptos::prelude::*;

use super::entry::{Entry, RELATIONS};
use crate::drawer::link::{link, text};
use crate::drawer::opened::Opened;

/// Maximum number of related objects that are shown of each relation.
const MAX_ENTRIES: usize = 200;

/// List of all entries.
#[component]
pub(super) fn List(opened: Opened, entries: Memo<Vec<Entry>>) -> impl IntoView {
    RELATIONS
        .map(|(relation, title)| {
            let matching = Memo::new(move |_| {
                entries.with(|entries| {
                    let matching = entries.iter().filter(|entry| entry.edge.relation == relation);
                    matching.cloned().collect::<Vec<Entry>>()
                })
            });
            let shown = move || matching.get().into_iter().take(MAX_ENTRIES).collect::<Vec<Entry>>();
            let more = move || {
                let more = matching.with(Vec::len).saturating_sub(MAX_ENTRIES);
                (more > 0).then(|| view! { <p class="reading">{format!("{more} more")}</p> })
            };
            view! {
                <Show when=move || !matching.with(Vec::is_empty)>
                    <section data-relation=title>
                        // The picture leads here.
                        <h3 tabindex="-1">{title} <span class="count">{move || matching.with(Vec::len)}</span></h3>
                        <ul class="related" aria-label=title>
                            <For
                                each=shown
                                key=|entry| format!("{entry:?}")
                                let:entry
                            >
                                {row(opened, &entry)}
                            </For>
                        </ul>
                        {more}
                    </section>
                </Show>
            }
        })
        .into_iter()
        .collect_view()
}

fn row(opened: Opened, Entry { edge, condition: (state, tone) }: &Entry) -> impl IntoView + use<> {
    // Owners of owners, and dependents of dependents, are indented.
    let indent = format!("{}px", edge.depth.saturating_sub(1).min(6) * 16);
    view! {
        <li style:padding-inline-start=indent>
            <span class="kind">{text(&edge.to.kind)}</span>
            {link(opened, &edge.to, &edge.to.name)}
            {(!edge.role.is_empty()).then(|| view! { <span class="role">{text(&edge.role)}</span> })}
            <span class="state value" data-tone=*tone>{text(state)}</span>
        </li>
    }
}
