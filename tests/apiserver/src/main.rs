//! Command-line program of the embedded apiserver.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use apiserver::Server;
use clap::Parser;
use tokio::signal::unix::{SignalKind, signal};

/// An in-memory Kubernetes apiserver with a simulated cluster, on 127.0.0.1.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// Port to listen on; 0 takes any free one.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Unix socket to listen on instead of a port.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["port", "kubeconfig"])]
    socket: Option<PathBuf>,
    /// Pods of the simulated cluster.
    #[arg(long, default_value_t = 2000)]
    pods: usize,
    /// Changes per second in the simulated cluster.
    #[arg(long, default_value_t = 20)]
    churn: u32,
    /// No controllers, no kubelets: only clients change objects.
    #[arg(long, conflicts_with_all = ["pods", "churn"])]
    still: bool,
    /// Seed of everything random.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Seconds between watch bookmarks.
    #[arg(long, default_value_t = 60)]
    bookmark_seconds: u64,
    /// Changes kept for each resource.
    #[arg(long, default_value_t = 4096)]
    history: usize,
    /// Maximum duration of a response other than a watch, in seconds.
    #[arg(long, default_value_t = 60)]
    request_timeout_seconds: u64,
    /// Maximum number of concurrent requests; others get a 429.
    #[arg(long, value_name = "REQUESTS")]
    max_in_flight: Option<usize>,
    /// Folder of static files to serve.
    #[arg(long, value_name = "DIR")]
    www: Option<PathBuf>,
    /// Path under which the static files are served.
    #[arg(long, default_value = "/ui/")]
    www_prefix: String,
    /// Writes a kubeconfig that points to this server.
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// Serves metrics.k8s.io, as a metrics server does.
    #[arg(long)]
    metrics: bool,
    /// Allows pages of other origins to read everything.
    #[arg(long)]
    cors: bool,
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("{sentence}");
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: Arguments) -> Result<(), String> {
    let mut builder = Server::builder()
        .port(arguments.port)
        .pods(if arguments.still { 0 } else { arguments.pods })
        .churn(if arguments.still { 0 } else { arguments.churn })
        .simulate(!arguments.still)
        .kubelet_is_a_client(arguments.still)
        .seed(arguments.seed)
        .metrics(arguments.metrics)
        .history(arguments.history)
        .bookmark_every(Duration::from_secs(arguments.bookmark_seconds))
        .request_timeout(Duration::from_secs(arguments.request_timeout_seconds))
        .cors(arguments.cors);
    if let Some(requests) = arguments.max_in_flight {
        builder = builder.max_in_flight(requests);
    }
    let mut place = None;
    if let Some(socket) = arguments.socket {
        place = Some(format!("unix:{}", socket.display()));
        builder = builder.socket(socket);
    }
    if let Some(directory) = arguments.www {
        if !directory.is_dir() {
            return Err(format!("The folder {} of --www does not exist.", directory.display()));
        }
        builder = builder.www(directory, arguments.www_prefix);
    }
    // Before the port opens, so that a signal right after the ready line finds its handler.
    let watch_for = |kind| signal(kind).map_err(|error| format!("Cannot wait for signals: {error}."));
    let mut interrupt = watch_for(SignalKind::interrupt())?;
    let mut terminate = watch_for(SignalKind::terminate())?;
    let server = builder.start().await.map_err(|error| match error.kind() {
        _ if place.is_some() => format!("Cannot listen on {}: {error}.", place.as_deref().unwrap_or_default()),
        io::ErrorKind::AddrInUse => {
            format!("Port {} on 127.0.0.1 is already in use; choose another with --port.", arguments.port)
        }
        _ => format!("Cannot listen on port {} of 127.0.0.1: {error}.", arguments.port),
    })?;
    if let Some(file) = &arguments.kubeconfig {
        write_kubeconfig(file, &server.url())
            .map_err(|error| format!("Cannot write the kubeconfig {}: {error}.", file.display()))?;
    }
    let mut stdout = io::stdout();
    // The parent process may have closed stdout; that is no reason not to serve.
    let _ = writeln!(stdout, "listening on {}", place.unwrap_or_else(|| server.url())).and_then(|()| stdout.flush());
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    server.stop().await;
    Ok(())
}

fn write_kubeconfig(file: &Path, url: &str) -> io::Result<()> {
    let name = "embedded";
    fs::write(
        file,
        format!(
            "apiVersion: v1\nkind: Config\nclusters:\n- name: {name}\n  cluster:\n    server: {url}\n\
             users:\n- name: {name}\n  user: {{}}\n\
             contexts:\n- name: {name}\n  context:\n    cluster: {name}\n    user: {name}\n\
             current-context: {name}\n"
        ),
    )
}
