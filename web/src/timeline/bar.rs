//! Bar that pauses the page, rewinds it, and returns it to the present.

use leptos::ev::KeyboardEvent;
use leptos::html::Input;
use leptos::prelude::*;

use super::Timeline;
use super::list::label;
use crate::age::age;
use crate::keys::is_shortcut;
use crate::loading::PageState;
use crate::status_line::clock;

/// Step of the slider, in milliseconds.
const SLIDER_STEP: f64 = 1_000.0;

/// Step of the buttons, in milliseconds.
const BUTTON_STEP: f64 = 10_000.0;

/// Age of a time up to which it counts as the present, in milliseconds: the slider's last step.
const LIVE_WITHIN: f64 = 1_500.0;

/// Button of the header, and its key.
pub(crate) fn button(page: PageState) -> impl IntoView {
    let timeline = Timeline::for_tab(page);
    let is_paused = Memo::new(move |_| timeline.shown_time.with(Option::is_some));
    let on_key = window_event_listener(leptos::ev::keydown, move |event: KeyboardEvent| {
        if event.key() == "p" && is_shortcut(&event) {
            event.prevent_default();
            timeline.toggle();
        }
    });
    on_cleanup(move || on_key.remove());
    view! {
        <button
            class="icon-button pause"
            type="button"
            aria-label="Pause and rewind"
            aria-keyshortcuts="p"
            title="Pause the page, or go back in time (p)"
            aria-pressed=move || if is_paused.get() { "true" } else { "false" }
            on:click=move |_| timeline.toggle()
        >
            <span aria-hidden="true">{"❚❚"}</span>
        </button>
    }
}

impl Timeline {
    /// Pauses and opens the bar; or returns to the present and closes it.
    fn toggle(self) {
        self.is_open.set(self.shown_time.get_untracked().is_none());
        self.pause_or_return();
    }

    /// Pauses, or returns to the present.
    fn pause_or_return(self) {
        match self.shown_time.get_untracked() {
            Some(_) => self.show(None),
            None => self.pause(),
        }
    }

    /// Shows a time, or the present if the time is that of the last moment.
    fn show_or_live(self, time: f64) {
        self.show(Some(time).filter(|time| js_sys::Date::now() - time > LIVE_WITHIN));
    }
}

/// The bar, below the page, while it is open or the page shows the past.
pub(crate) fn bar(page: PageState) -> impl IntoView {
    let timeline = Timeline::for_tab(page);
    let is_there = Memo::new(move |_| timeline.is_open.get() || timeline.shown_time.with(Option::is_some));
    move || is_there.get().then(|| untrack(|| content(page, timeline)))
}

fn content(page: PageState, timeline: Timeline) -> impl IntoView {
    let slider = NodeRef::<Input>::new();
    let shown = timeline.shown_time;
    let is_past = Memo::new(move |_| shown.with(Option::is_some));
    // The end of the slider: the present, once a second, also while the page shows the past.
    let end = Memo::new(move |_| {
        page.now.track();
        js_sys::Date::now().floor()
    });
    let since = Memo::new(move |_| timeline.since());
    let begin = Memo::new(move |_| since.get().unwrap_or_else(|| end.get()));
    let value = Memo::new(move |_| shown.get().unwrap_or_else(|| end.get()).max(begin.get()));
    // The attributes first: a value outside of them would be clamped.
    Effect::new(move || {
        if let Some(slider) = slider.get() {
            slider.set_min(&begin.get().to_string());
            slider.set_max(&end.get().to_string());
            slider.set_value(&value.get().to_string());
        }
    });
    let moved = move |event: leptos::ev::Event| {
        if let Ok(time) = event_target_value(&event).parse() {
            timeline.show_or_live(time);
        }
    };
    let close = move || {
        timeline.is_open.set(false);
        timeline.show(None);
    };
    let step = move |by: f64| {
        let time = shown.get_untracked().unwrap_or_else(js_sys::Date::now) + by;
        timeline.show_or_live(time.max(begin.get_untracked()));
    };
    let time_text = move || match shown.get() {
        None => "Live".to_owned(),
        Some(time) => format!("{}, {} ago", clock(time), age(end.get(), time)),
    };
    let spoken = move || match shown.get() {
        None => "Live".to_owned(),
        Some(time) => format!("The page shows {}", clock(time)),
    };
    let note = move || {
        let Some(since) = since.get() else {
            return "Nothing is recorded yet. Recording begins when the first list is complete.".to_owned();
        };
        if !is_past.get() {
            return format!("Recorded since {}. Move the slider to go back.", clock(since));
        }
        let kinds: Vec<String> = timeline.unrecorded_resources().iter().map(|resource| label(page, resource)).collect();
        if kinds.is_empty() {
            return "Live data continues in the background. Problems, relations, maps, searches and actions show the present."
                .to_owned();
        }
        format!("Not recorded at this time, so they show the present: {}.", kinds.join(", "))
    };
    let toggle_words = move || if is_past.get() { "Return to live" } else { "Pause" };
    view! {
        <section class="time-bar" class:past=move || is_past.get() aria-label="Pause and rewind">
            <button class="button toggle" type="button" on:click=move |_| timeline.pause_or_return()>
                {toggle_words}
            </button>
            <p class="time" data-shown=move || shown.get().map(|time| time.to_string())>{time_text}</p>
            <span class="visually-hidden" role="status">{spoken}</span>
            <button class="icon-button" type="button" aria-label="Ten seconds back" title="Ten seconds back" on:click=move |_| step(-BUTTON_STEP)>
                <span aria-hidden="true">{"‹"}</span>
            </button>
            <input
                type="range"
                node_ref=slider
                step=SLIDER_STEP.to_string()
                aria-label="Time that the page shows"
                aria-valuetext=time_text
                disabled=move || since.get().is_none()
                on:input=moved
            />
            <button class="icon-button" type="button" aria-label="Ten seconds forward" title="Ten seconds forward" on:click=move |_| step(BUTTON_STEP)>
                <span aria-hidden="true">{"›"}</span>
            </button>
            <p class="note">{note}</p>
            <a class="button" href=move || super::screen::href(page)>{"What changed"}</a>
            <button class="icon-button" type="button" aria-label="Close, and return to live" title="Close, and return to live" on:click=move |_| close()>
                <span aria-hidden="true">{"✕"}</span>
            </button>
        </section>
    }
}
