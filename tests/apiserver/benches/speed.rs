//! Speed of the embedded apiserver: `cargo bench -p apiserver`, with `PODS=100000` for the figures of record.
//!
//! Server and client share the process and its two threads, so the figures are those of the slower half.

use std::env;
use std::fs;
use std::io;
use std::time::{Duration, Instant};

use apiserver::Server;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

const LIVE: usize = 50_000;

/// Read part of a response.
struct Read {
    bytes: usize,
    lines: usize,
    took: Duration,
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> io::Result<()> {
    let pods: usize = env::var("PODS").ok().and_then(|text| text.parse().ok()).unwrap_or(20_000);
    let start = Instant::now();
    let small = Server::builder().pods(pods).start().await?;
    println!("{pods} pods: started in {:.1} s, {} resident", start.elapsed().as_secs_f64(), resident());
    // The first one warms up.
    for _ in 0..2 {
        let list = read(&small, "/api/v1/pods", usize::MAX).await?;
        let rate = list.bytes as f64 / list.took.as_secs_f64() / 1e6;
        println!(
            "list: {:.0} MB, {:.0} B a pod, {rate:.0} MB/s",
            list.bytes as f64 / 1e6,
            list.bytes as f64 / pods as f64
        );
    }
    let query = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    show("watch list", &read(&small, &format!("/api/v1/pods?{query}"), pods + 1).await?);
    small.stop().await;

    let server = Server::builder().pods(pods.min(20_000)).history(1_000_000).start().await?;
    show("replay of history", &read(&server, "/api/v1/pods?watch=1&resourceVersion=1", pods.min(20_000)).await?);
    let from = server.revision();
    let path = format!("/api/v1/configmaps?watch=1&resourceVersion={from}");
    let watch = read(&server, &path, LIVE);
    let writes = async {
        for number in 0..LIVE {
            let map = json!({"metadata": {"name": format!("m{number}")}});
            server.create("configmaps", "default", map).map_err(|status| io::Error::other(status.message))?;
            if number % 64 == 0 {
                tokio::task::yield_now().await;
            }
        }
        Ok(())
    };
    let (live, ()) = tokio::try_join!(watch, writes)?;
    show("live, writer included", &live);
    server.stop().await;
    Ok(())
}

fn show(what: &str, read: &Read) {
    let seconds = read.took.as_secs_f64();
    let (events, megabytes) = (read.lines as f64 / seconds, read.bytes as f64 / 1e6 / seconds);
    println!("{what}: {} events, {events:.0} events/s, {megabytes:.0} MB/s", read.lines);
}

/// Sends a request, and reads a number of lines, or to the end.
async fn read(server: &Server, path: &str, lines: usize) -> io::Result<Read> {
    let mut stream = TcpStream::connect(server.address()).await?;
    let start = Instant::now();
    stream.write_all(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").as_bytes()).await?;
    let mut buffer = vec![0; 1024 * 1024];
    let mut read = Read { bytes: 0, lines: 0, took: Duration::ZERO };
    loop {
        let count = stream.read(&mut buffer).await?;
        // Line ends of JSON; those of chunks follow a carriage return. A list has only one.
        let ends = if lines == usize::MAX { 0 } else { memchr::memmem::find_iter(&buffer[..count], b"}\n").count() };
        (read.bytes, read.lines) = (read.bytes + count, read.lines + ends);
        if count == 0 || read.lines >= lines {
            return Ok(Read { took: start.elapsed(), ..read });
        }
    }
}

/// Resident memory, from Linux.
fn resident() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.map_or_else(|| "unknown memory".to_owned(), |line| line.trim().to_owned())
}
