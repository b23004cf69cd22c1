//! Dashboard: one screen over an engine in a worker.
//!
//! One wasm serves two places, which load it at the same time: `www/boot.js` starts both. In a page `main` mounts the app; in
//! a worker it does nothing, and `www/worker.js` calls the engine's exported `serve` with each port, and [`ahead`] for
//! what its page will ask for first. What the page knows comes as messages ([`engine`]), becomes signals, and is painted
//! at most once a frame ([`frame`]).

#![allow(clippy::large_types_passed_by_value, reason = "handles of signals, copied as a pointer would be")]
#![expect(unreachable_pub, reason = "`#[component]` writes a public inner function for each component")]

mod age;
mod ahead;
mod app;
mod banner;
mod clipboard;
mod definitions;
mod discovery;
mod drawer;
mod engine;
mod filter;
mod focus;
mod frame;
mod freshness;
mod inspection;
mod keys;
mod kinds;
mod layers;
mod lock;
mod namespace;
mod navigation;
mod navigator;
mod positions;
mod route;
mod roving;
mod rows;
mod said;
mod sort;
mod source;
mod status_line;
mod table;
mod theme;
mod tone;
mod view_state;
mod visible;
mod wire;
mod worker;
mod yaml;

fn main() {
    // A worker has no window; there the exports are all that is wanted.
    if web_sys::window().is_some() {
        leptos::mount::mount_to_body(app::App);
    }
}
