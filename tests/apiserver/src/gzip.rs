//! Gzip of long lists, slice by slice, at the real server's level 1.

use std::io::{self, Write};

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;

/// Compresses the slices of an iterator as they are asked for.
pub(crate) struct Gzip<I> {
    pieces: I,
    encoder: Option<GzEncoder<Vec<u8>>>,
}

impl<I> Gzip<I> {
    pub(crate) fn new(pieces: I) -> Self {
        Self { pieces, encoder: Some(GzEncoder::new(Vec::new(), Compression::fast())) }
    }
}

impl<I: Iterator<Item = Vec<u8>>> Iterator for Gzip<I> {
    type Item = io::Result<Bytes>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let encoder = self.encoder.as_mut()?;
            let Some(piece) = self.pieces.next() else {
                return self.encoder.take().map(|encoder| encoder.finish().map(Bytes::from));
            };
            if let Err(error) = encoder.write_all(&piece) {
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
