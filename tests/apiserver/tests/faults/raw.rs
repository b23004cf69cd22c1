//! Raw HTTP client: requests and responses as bytes, because a client library would hide what these tests check.

use std::time::Duration;

use apiserver::{Builder, Server};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Maximum time that a test waits for an expected result.
const TIMEOUT: Duration = Duration::from_secs(60);
/// Time without data after which a stream counts as silent.
pub(crate) const QUIET: Duration = Duration::from_millis(120);

pub(crate) const MAPS: &str = "/api/v1/namespaces/default/configmaps";
pub(crate) const WATCH: &str = "/api/v1/namespaces/default/configmaps?watch=1&allowWatchBookmarks=true";

/// End of a response.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// With its last chunk, or its last byte by Content-Length.
    Clean,
    /// The connection closed before that.
    Abrupt,
}

/// Starts a server with these config maps in `default`; their text is not ASCII.
pub(crate) async fn server(builder: Builder, maps: &[&str]) -> Server {
    let server = builder.future_wait(Duration::from_millis(50)).start().await.unwrap();
    for name in maps {
        create(&server, name);
    }
    server
}

/// Creates a config map without HTTP; returns its version.
pub(crate) fn create(server: &Server, name: &str) -> u64 {
    let map = json!({"metadata": {"name": name}, "data": {"greeting": "Grüße aus München"}});
    let map = server.create("configmaps", "default", map).unwrap();
    map["metadata"]["resourceVersion"].as_str().unwrap().parse().unwrap()
}

/// Response to a request on a separate connection.
pub(crate) struct RawResponse {
    pub(crate) status: u16,
    pub(crate) head: String,
    /// The raw body, including the chunk sizes.
    raw: Vec<u8>,
    stream: TcpStream,
}

pub(crate) async fn get(server: &Server, path: &str) -> RawResponse {
    send(server, "GET", path, &[], "").await
}

pub(crate) async fn send(server: &Server, method: &str, path: &str, headers: &[&str], body: &str) -> RawResponse {
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    let mut request = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n", body.len());
    for header in headers {
        request += header;
        request += "\r\n";
    }
    stream.write_all(format!("{request}\r\n{body}").as_bytes()).await.unwrap();
    let mut raw = Vec::new();
    let head = loop {
        if let Some(at) = raw.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8(raw.drain(..at + 4).collect()).unwrap();
            break head;
        }
        let read = timeout(TIMEOUT, stream.read_buf(&mut raw)).await;
        assert!(read.unwrap().unwrap() > 0, "closed before the head of {path}");
    };
    let status = head[9..12].parse().unwrap();
    RawResponse { status, head: head.to_lowercase(), raw, stream }
}

impl RawResponse {
    /// Returns the received part of the body, and whether it is complete.
    pub(crate) fn body(&self) -> (Vec<u8>, bool) {
        if let Some((_, rest)) = self.head.split_once("content-length: ") {
            let length: usize = rest.split("\r\n").next().unwrap().parse().unwrap();
            return (self.raw.clone(), self.raw.len() >= length);
        }
        let (mut body, mut rest) = (Vec::new(), self.raw.as_slice());
        while let Some(at) = rest.windows(2).position(|window| window == b"\r\n") {
            let size = usize::from_str_radix(std::str::from_utf8(&rest[..at]).unwrap(), 16).unwrap();
            if size == 0 {
                return (body, true);
            }
            rest = &rest[at + 2..];
            body.extend_from_slice(&rest[..size.min(rest.len())]);
            rest = rest.get(size + 2..).unwrap_or_default();
        }
        (body, false)
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body().0).unwrap()
    }

    async fn read_more(&mut self) -> bool {
        let read = timeout(TIMEOUT, self.stream.read_buf(&mut self.raw)).await;
        read.unwrap_or_else(|_| panic!("no data within {TIMEOUT:?} after {:?}", self.text())).is_ok_and(|read| read > 0)
    }

    /// Reads to the end.
    pub(crate) async fn end(&mut self) -> End {
        loop {
            if self.body().1 {
                return End::Clean;
            }
            if !self.read_more().await {
                return End::Abrupt;
            }
        }
    }

    /// Reads a number of lines.
    pub(crate) async fn lines(&mut self, count: usize) -> Vec<Vec<u8>> {
        loop {
            let body = self.body().0;
            let lines = body.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n"));
            let lines: Vec<Vec<u8>> = lines.map(<[u8]>::to_vec).collect();
            if lines.len() >= count {
                return lines;
            }
            assert!(self.read_more().await, "ended after {} of {count} lines", lines.len());
        }
    }

    /// Reads a number of events; each as `TYPE name`, or `TYPE version` if it has no name.
    pub(crate) async fn events(&mut self, count: usize) -> Vec<String> {
        self.lines(count).await.iter().map(|line| summary(line)).collect()
    }

    /// Whether no byte arrives for a while, not even the end.
    pub(crate) async fn is_silent(&mut self) -> bool {
        timeout(QUIET, self.stream.read_buf(&mut self.raw)).await.is_err()
    }
}

pub(crate) fn summary(line: &[u8]) -> String {
    let event: Value = serde_json::from_slice(line).unwrap();
    let metadata = &event["object"]["metadata"];
    let what = metadata["name"].as_str().or(metadata["resourceVersion"].as_str()).unwrap_or_default();
    format!("{} {what}", event["type"].as_str().unwrap())
}
