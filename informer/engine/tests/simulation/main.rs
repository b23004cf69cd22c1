//! Seeded simulation: histories of a server that changes and fails, which informers must survive.
//!
//! One seed draws a story (`draw`): changes of the cluster (`store`), faults (`faults`), and clients (`handlers`,
//! `pages`, `own_informers`). It runs on one thread in virtual time (`world`), against a simulated apiserver (`server`,
//! `requests`, `watch`). Deliveries to handlers are checked one by one (`delivered`, `resync`), all other clients at
//! quiet points (`quiet`), and at the end no resource may leak. A failing story is printed in its shortest form
//! (`shrink`).
//!
//! `make simulate SEEDS=100000` searches for one, `make simulate SEED=7` prints a certain one (`WHOLE=1` without
//! shortening).

// None of this is inside a #[test], where clippy.toml allows these.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout, clippy::unwrap_used)]

mod actors;
mod clock;
mod connection;
mod coverage;
mod delivered;
mod draw;
mod faults;
mod handlers;
mod own_informers;
mod pages;
mod pod_history;
mod quiet;
mod requests;
mod responses;
mod resync;
mod run;
mod scope;
mod seeds;
mod server;
mod shrink;
mod store;
mod story;
mod traffic;
mod view_model;
mod watch;
mod wire;
mod world;

use std::io::{self, Write as _};
use std::thread;
use std::time::Instant;

use seeds::number;

#[test]
fn every_story_ends_well() {
    if let Some(seed) = number("SEED") {
        let story = story::Story::of(seed);
        let failure = run::first_failure(seed, 1, 1).map(|(_, failure)| failure);
        println!(
            "{}",
            run::describe_failure(
                seed,
                failure.as_deref().unwrap_or("ends well"),
                failure.is_none() || number("WHOLE").is_some()
            )
        );
        assert!(failure.is_none(), "seed {seed} of {} steps fails", story.steps.len());
        return;
    }
    let (first, seeds) = seeds::first_and_count();
    let threads = number("THREADS").and_then(|threads| usize::try_from(threads).ok());
    let threads = threads.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from));
    // Directly to stdout, because the test runner captures the output of passing tests.
    let print = |text: String| drop(writeln!(io::stdout(), "{text}"));
    print(format!("{seeds} stories from seed {first} on, in {threads} threads"));
    let began = Instant::now();
    let failure = run::first_failure(first, seeds, threads);
    let seconds = began.elapsed().as_secs_f64();
    if let Some((seed, failure)) = &failure {
        println!("{} stories ended well in {seconds:.1} s, then", seed - first);
        println!("{}", run::describe_failure(*seed, failure, false));
    } else {
        print(format!("{seeds} stories ended well in {seconds:.1} s, {:.0} a second", seeds as f64 / seconds));
    }
    assert!(failure.is_none(), "a story failed: make simulate FIRST={first} SEEDS={seeds} tells all of these");
}

/// A seed reproduces its story. Log lines of the same time may be in another order: there is no guaranteed order
/// between informers.
#[test]
fn a_seed_reproduces_its_story() {
    for seed in 0..60 {
        let replay = || {
            let outcome = run::attempt(&story::Story::of(seed), true);
            let mut log = outcome.log;
            log.sort();
            log
        };
        assert_eq!(replay(), replay(), "seed {seed}");
    }
}
