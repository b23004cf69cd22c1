//! Suite runner: all targets in parallel, and some cases in parallel on each.

use std::time::{Duration, Instant};

use futures::StreamExt as _;
use reqwest::Client;

use crate::case::Case;
use crate::halt::{Halt, Outcome};
use crate::scene::{Mismatch, Scene};
use crate::target::Target;

/// Maximum number of concurrent cases on a target: most wait for a timeout that they requested.
const MAX_CONCURRENT: usize = 6;

/// Outcome of a case on a target.
#[derive(Debug)]
pub(crate) enum Verdict {
    Passed,
    /// At least one step was not as expected, or the case ended early; then `expected` is empty.
    Failed(Vec<Mismatch>),
    Skipped(String),
}

/// Column of the report: a target and its verdicts, in the order of the cases.
pub(crate) struct Column {
    pub(crate) target: Target,
    pub(crate) verdicts: Vec<Verdict>,
    /// For each case, the steps with a recorded outcome, and the observed outcomes.
    pub(crate) recorded: Vec<Vec<(String, String)>>,
    pub(crate) elapsed: Duration,
}

/// Runs every case on every target.
pub(crate) async fn run(cases: &[&Case], targets: Vec<Target>) -> Vec<Column> {
    futures::future::join_all(targets.into_iter().map(|target| column(cases, target))).await
}

async fn column(cases: &[&Case], target: Target) -> Column {
    let start = Instant::now();
    // Regardless of features that other crates enable: the cases need the raw bytes.
    let http = Client::builder().no_proxy().user_agent("conformance/1").no_gzip().build().unwrap_or_default();
    let run = |at: usize| {
        let scene = Scene::new(cases[at].title(), target.clone(), http.clone());
        async move {
            let (verdict, recorded) = verdict(cases[at], scene).await;
            (at, verdict, recorded)
        }
    };
    let (alone, together): (Vec<usize>, Vec<usize>) = (0..cases.len()).partition(|at| cases[*at].alone);
    let mut done: Vec<_> = futures::stream::iter(together).map(run).buffer_unordered(MAX_CONCURRENT).collect().await;
    for at in alone {
        done.push(run(at).await);
    }
    done.sort_by_key(|(at, ..)| *at);
    let (verdicts, recorded) = done.into_iter().map(|(_, verdict, recorded)| (verdict, recorded)).unzip();
    Column { target, verdicts, recorded, elapsed: start.elapsed() }
}

async fn verdict(case: &Case, mut scene: Scene) -> (Verdict, Vec<(String, String)>) {
    let outcome: Outcome = match scene.open().await {
        Ok(()) => (case.run)(&mut scene).await,
        Err(halt) => Err(halt),
    };
    scene.close().await;
    let mut mismatches = std::mem::take(&mut scene.mismatches);
    let verdict = match outcome {
        Ok(()) if mismatches.is_empty() => Verdict::Passed,
        Ok(()) => Verdict::Failed(mismatches),
        Err(Halt::Skip(reason)) => Verdict::Skipped(reason),
        Err(Halt::Broken(why)) => {
            let actual = why.replace(&scene.namespace, "NS");
            mismatches.push(Mismatch { step: "did not go on".to_owned(), expected: String::new(), actual });
            Verdict::Failed(mismatches)
        }
    };
    (verdict, scene.recorded)
}
