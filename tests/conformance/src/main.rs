//! Conformance suite of list and watch, run against any number of apiservers in parallel.
//!
//! ```text
//! conformance --target real=http://127.0.0.1:8001 --target embedded=http://127.0.0.1:8002
//! ```
//!
//! Each case defines the behaviour of an apiserver once, for all targets. So a difference between two targets is a
//! failure of one of them, unless `known.rs` lists it with its reason.

mod case;
mod cases;
mod halt;
mod known;
mod protobuf;
mod recorded;
mod report;
mod response;
mod scene;
mod socket;
mod suite;
mod target;
mod watch;
mod words;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use target::{Named, Target};

/// Compares apiservers with the real one.
#[derive(Debug, Parser)]
struct Arguments {
    /// An apiserver, or a `kubectl proxy` before one; may be repeated.
    #[arg(long = "target", value_name = "NAME=URL", required = true)]
    targets: Vec<Named>,
    /// URL at which a POST of `{"revision": N}` compacts the versions before N of a target, such as etcd's
    /// `/v3/kv/compaction`.
    #[arg(long = "compaction", value_name = "NAME=URL")]
    compactions: Vec<Named>,
    /// Reference target: no known difference excuses it.
    #[arg(long, value_name = "NAME", default_value = "real")]
    judge: String,
    /// Targets without a `kubectl proxy` before them.
    #[arg(long = "direct", value_name = "NAME")]
    direct: Vec<String>,
    /// A target that is unavailable, and why: its cases count as skipped.
    #[arg(long = "missing", value_name = "NAME=REASON")]
    missing: Vec<Named>,
    /// URL of a target for exec and attach, if its own URL rejects them.
    #[arg(long = "shells", value_name = "NAME=URL")]
    shells: Vec<Named>,
    /// Port on 127.0.0.1 of a stub kubelet, for logs, exec and attach.
    #[arg(long, value_name = "PORT")]
    kubelet: Option<u16>,
    /// Records the outcomes of the first target again.
    #[arg(long, value_name = "FILE", conflicts_with = "only")]
    record: Option<PathBuf>,
    /// Runs only cases whose name contains this.
    #[arg(long, value_name = "WORD")]
    only: Option<String>,
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let targets: Vec<Target> = arguments
        .targets
        .iter()
        .map(|named| {
            let compaction = arguments.compactions.iter().find(|other| other.name == named.name);
            let shells = arguments.shells.iter().find(|other| other.name == named.name).unwrap_or(named);
            Target {
                shells: shells.value.trim_end_matches('/').to_owned(),
                name: named.name.clone(),
                url: named.value.trim_end_matches('/').to_owned(),
                compaction: compaction.map(|named| named.value.clone()),
                judge: named.name == arguments.judge,
                proxied: !arguments.direct.contains(&named.name),
                kubelet: arguments.kubelet,
            }
        })
        .collect();
    let cases: Vec<_> =
        cases::all().filter(|case| arguments.only.iter().all(|word| case.title().contains(word))).collect();
    let columns = suite::run(&cases, targets).await;
    if let Some(file) = &arguments.record
        && let Some(column) = columns.first()
        && let Err(error) = recorded::write(file, &cases, column)
    {
        eprintln!("{} cannot be written: {error}.", file.display());
        return ExitCode::FAILURE;
    }
    report::print(&cases, &columns, &arguments.missing)
}
