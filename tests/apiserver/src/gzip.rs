//! Gzip of long lists, slice by slice, at the real server's level 1.

use std::io::{self, Write};

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures::stream;

use crate::reply::typed_reply;

/// Length above which a body is compressed for clients that accept gzip.
pub(crate) const MIN_GZIP_BYTES: usize = 128 * 1024;

/// Whether a client accepts gzip. The real server compares the plain word, so a word with a quality does not count.
pub(crate) fn accepts_gzip(headers: &HeaderMap) -> bool {
    let accepts = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    accepts.split(',').any(|coding| coding.trim() == "gzip")
}

/// Compresses the chunks of an iterator lazily.
pub(crate) struct Gzip<I> {
    chunks: I,
    encoder: Option<GzEncoder<Vec<u8>>>,
}

/// Compressed response in chunks.
pub(crate) fn gzip_reply(
    code: StatusCode,
    content_type: HeaderValue,
    chunks: impl Iterator<Item = Vec<u8>> + Send + 'static,
) -> Response {
    let body = Body::from_stream(stream::iter(Gzip::new(chunks)));
    let mut reply = typed_reply(code, content_type, body);
    reply.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    reply.headers_mut().insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    reply
}

impl<I> Gzip<I> {
    pub(crate) fn new(chunks: I) -> Self {
        Self { chunks, encoder: Some(GzEncoder::new(Vec::new(), Compression::fast())) }
    }
}

impl<I: Iterator<Item = Vec<u8>>> Iterator for Gzip<I> {
    type Item = io::Result<Bytes>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let encoder = self.encoder.as_mut()?;
            let Some(chunk) = self.chunks.next() else {
                return self.encoder.take().map(|encoder| encoder.finish().map(Bytes::from));
            };
            if let Err(error) = encoder.write_all(&chunk) {
                self.encoder = None;
                return Some(Err(error));
            }
            let ready = std::mem::take(encoder.get_mut());
            if !ready.is_empty() {
                return Some(Ok(Bytes::from(ready)));
            }
        }
    }
}
