//! Benchmark: time of a search over many pods, as a palette requests it for each typed character.
//!
//! `cargo bench --profile native -p informer-engine --bench search -- 100000`
//!
//! The engine runs as in a worker, on scripted responses: a page lists the pods and requests searches. Times are
//! elapsed time and include the response. Each figure is the median and the maximum of several rounds.

// A program for people, and the harness of tests.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout, clippy::unwrap_used)]

#[expect(dead_code, reason = "the informer's own tests use all of it")]
#[path = "../../tests/it/harness.rs"]
mod harness;

use std::fmt::Write;
use std::rc::Rc;
use std::time::Instant;

use harness::World;
use informer::InformerOptions;
use informer::transport::scripted::Reply;
use informer_engine::engine::{Endpoint, Engine, Session};
use informer_engine::message::{PROTOCOL_VERSION, SearchOptions, ToEngine};

const ROUNDS: usize = 15;

fn pod(number: usize) -> String {
    let (app, hash) = (number % 300, number.wrapping_mul(2_654_435_761) % 0xfff_ffff);
    format!(
        r#"{{"metadata":{{"name":"service-{app}-{hash:07x}-{number:05x}","namespace":"team-{}","uid":"{number:08x}-0000-4000-8000-000000000000","resourceVersion":"1000","labels":{{"app":"service-{app}","pod-template-hash":"{hash:07x}","tier":"backend"}}}},"spec":{{"nodeName":"node-{}","containers":[{{"name":"a","image":"registry.example.com/shop/service-{app}:v{}"}}]}},"status":{{"phase":"Running","podIP":"10.{}.{}.{}"}}}}"#,
        number % 200,
        number % 1_000,
        number % 9,
        number / 62_500,
        number / 250 % 250,
        number % 250,
    )
}

fn stage(pods: usize) -> Session {
    let world = World::new();
    let transport = Rc::new(world.transport.clone());
    let connector = Box::new(move |_: &Endpoint| Rc::clone(&transport) as Rc<dyn informer::transport::Transport>);
    let engine = Engine::new(connector, world.runtime.clock.clone(), world.runtime.spawn.clone());
    let mut list =
        String::from(r#"{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1000"},"items":["#);
    for number in 0..pods {
        let _ = write!(list, "{}{}", if number == 0 { "" } else { "," }, pod(number));
    }
    list.push_str("]}");
    world.transport.reply(Reply::json(list));
    let _feed = world.watch();
    let session = Session::new(engine, |message| {
        std::hint::black_box(message.to_json());
    });
    session.receive(ToEngine::Connect { version: PROTOCOL_VERSION, server: "http://localhost".into(), persist: false });
    let options = InformerOptions::default();
    session.receive(ToEngine::Informer { informer: 1, resource: "v1/pods".into(), options });
    session.receive(ToEngine::Start);
    world.settle();
    let indexers = [("image".to_owned(), "{.spec.containers[*].image}".to_owned())].into();
    let start = Instant::now();
    session.receive(ToEngine::AddIndexers { request: 2, informer: 1, indexers });
    println!("index of images: {:.0} ms", start.elapsed().as_secs_f64() * 1e3);
    session
}

fn main() {
    let pods = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(100_000);
    let session = stage(pods);
    println!("{pods} pods; median and maximum of {ROUNDS} rounds");
    let texts = [
        "s",
        "service-7",
        "team-7/service",
        "app=service-12",
        "backend",
        "0000c350",
        "10.0.12",
        "shop/service-2",
        "zzz",
    ];
    for text in texts {
        let columns = if text.starts_with("10.") { vec!["IP".to_owned()] } else { Vec::new() };
        let indexes = vec!["image".to_owned()];
        let options = SearchOptions { text: text.to_owned(), limit: 20, columns, indexes };
        let round = || {
            let start = Instant::now();
            session.receive(ToEngine::Search { request: 3, informer: 1, options: options.clone() });
            start.elapsed().as_secs_f64() * 1e3
        };
        let mut times: Vec<f64> = (0..ROUNDS).map(|_| round()).collect();
        times.sort_by(f64::total_cmp);
        println!("{text}: {:.1} ms, {:.1} ms", times[ROUNDS / 2], times[ROUNDS - 1]);
    }
}
