//! List of the related objects, by relation.

use leptos::prelude::*;

use super::entry::{Entry, RELATIONS};
use crate::drawer::link::{link, text};
use crate::drawer::opened::Opened;

/// The most related objects that are shown of each relation.
const MOST: usize = 200;

/// The list.
#[component]
pub(super) fn List(opened: Opened, entries: Memo<Vec<Entry>>) -> impl IntoView {
    RELATIONS
        .map(|(relation, title)| {
            let of = Memo::new(move |_| {
                entries.with(|entries| {
                    let of = entries.iter().filter(|entry| entry.edge.relation == relation);
                    of.cloned().collect::<Vec<Entry>>()
                })
            });
            let shown = move || of.get().into_iter().take(MOST).collect::<Vec<Entry>>();
            let more = move || {
                let more = of.with(Vec::len).saturating_sub(MOST);
                (more > 0).then(|| view! { <p class="reading">{format!("{more} more")}</p> })
            };
            view! {
                <Show when=move || !of.with(Vec::is_empty)>
                    <section data-relation=title>
                        // The picture leads here.
                        <h3 tabindex="-1">{title} <span class="count">{move || of.with(Vec::len)}</span></h3>
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
    // What an owner's owner is stands further in.
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
