//! Star beside a kind: makes it a favourite, or no longer one. The key `*` on the kind does the same.

use informer::ResourceInfo;
use leptos::ev::MouseEvent;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use crate::favourites::Favourites;
use crate::focus;
use crate::kinds::Kind;

/// The button. It is no tab stop: the kinds are one, and have the key.
pub(super) fn star(kind: &Kind, favourites: Favourites) -> impl IntoView + use<> {
    let info = kind.info.clone();
    let is_favourite = favourites.has(&info);
    view! {
        <button
            class="star"
            type="button"
            tabindex="-1"
            aria-pressed=if is_favourite { "true" } else { "false" }
            aria-label=["Favourite: ", &kind.label].concat()
            title=if is_favourite { "Remove from the favourites (*)" } else { "Add to the favourites (*)" }
            on:mousedown=move |event: MouseEvent| focus::keep_in_box(&event)
            on:click=move |_| toggle(favourites, &info)
        >
            <span aria-hidden="true">{if is_favourite { "★" } else { "☆" }}</span>
        </button>
    }
}

/// Changes the list. The entries of two groups are rendered again: the focus goes from an entry to its successor, which
/// may be elsewhere, and a list that was scrolled keeps what is in view.
pub(crate) fn toggle(favourites: Favourites, info: &ResourceInfo) {
    let Some(list) = document().query_selector(".kinds").ok().flatten() else { return };
    let links = links(&list);
    let at = links.iter().position(|link| link.title() == info.gvr().to_string());
    // The entry before that of the kind: it stays in its group.
    let anchor = at.and_then(|at| links.get(at.checked_sub(1)?)).filter(|_| list.scroll_top() > 0);
    let anchor = anchor.map(|link| (link.title(), top(link)));
    let focused = focus::current().and_then(|element| element.closest("li").ok().flatten());
    let focused = focused.and_then(|entry| links.iter().find(|link| entry.contains(Some(link))));
    let focused = focused.map(HtmlElement::title);
    favourites.toggle(info);
    request_animation_frame(move || {
        for link in self::links(&list) {
            if focused.as_ref().is_some_and(|name| link.title() == *name) {
                // Fails for a hidden link only, as in the closed sheet.
                let _ = link.focus();
            }
            if let Some((_, before)) = anchor.as_ref().filter(|(name, _)| link.title() == *name) {
                list.set_scroll_top(list.scroll_top() + top(&link) - before);
            }
        }
    });
}

fn links(list: &Element) -> Vec<HtmlElement> {
    let Ok(found) = list.query_selector_all("a") else { return Vec::new() };
    (0..found.length()).filter_map(|at| found.item(at)?.dyn_into().ok()).collect()
}

/// Upper edge in the window.
#[expect(clippy::cast_possible_truncation, reason = "pixels of a window")]
fn top(link: &HtmlElement) -> i32 {
    link.get_bounding_client_rect().top() as i32
}
