//! Dashboard: one screen over the npm package `kube-informer`, whose engine runs in a worker.
//!
//! `www/boot.js` connects while this wasm is being compiled, and the worker prestarts the page's first informer.
//! [`client`] declares the used part of the package; [`cluster`] and [`view`] are handles of its informers and views.
//! Their data becomes signals, and is painted at most once a frame ([`frame`]).

#![allow(clippy::large_types_passed_by_value, reason = "handles of signals, copied as a pointer would be")]
#![expect(unreachable_pub, reason = "`#[component]` writes a public inner function for each component")]

mod actions;
mod age;
mod app;
mod banner;
mod capture;
mod chips;
mod client;
mod clipboard;
mod cluster;
mod column_panel;
mod counting;
mod counts;
mod create;
mod deferred;
mod definitions;
mod density;
mod details;
mod dialog;
mod discovery;
mod download;
mod drawer;
mod empty_kinds;
mod export;
mod favourites;
mod figures;
mod filter;
mod flash;
mod focus;
mod frame;
mod freshness;
mod groups;
mod help;
mod inspector;
mod keys;
mod kind_tools;
mod kinds;
mod layers;
mod layout;
mod layouts;
mod leave_guard;
mod list_freeze;
mod loading;
mod map;
mod marks;
mod metrics_api;
mod namespace;
mod namespace_list;
mod namespaces;
mod navigation;
mod navigator;
mod object_keys;
mod open_aggregate;
mod overview;
mod palette;
mod part_flag;
mod parts;
mod plain;
mod positions;
mod preference;
mod problems;
mod protection;
mod route;
mod roving;
mod rows;
mod saved;
mod scoped_informer;
mod screen_keys;
mod shown_time;
mod sort;
mod source;
mod status_line;
mod tab_owner;
mod table;
mod text;
mod theme;
mod timeline;
mod tone;
mod usage;
mod view;
mod view_state;
mod visible;
mod yaml;

use wasm_bindgen::JsCast;

fn main() {
    deferred::install();
    let connected = client::CONNECTED.with(Clone::clone);
    cluster::settle(connected, |connected| match connected {
        Ok(factory) => {
            let factory: client::Factory = factory.unchecked_into();
            leptos::mount::mount_to_body(move || app::App(app::AppProps { cluster: cluster::Cluster::new(&factory) }));
        }
        Err(error) => leptos::mount::mount_to_body(move || banner::failed(&error)),
    });
}
