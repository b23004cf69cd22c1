//! Times: seconds and nanoseconds on the wire, RFC 3339 in JSON.

use std::ops::Range;

use crate::error::{Error, ErrorKind, Result};
use crate::json::number::digits;
use crate::wire::{Reader, Value, low_32};

/// Point in time: seconds since 1970, and nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    seconds: i64,
    nanos: i32,
}

/// Seconds of Go's zero time, the first second of year 1.
pub(crate) const ZERO: i64 = -62_135_596_800;

const SECONDS_OF_A_DAY: i64 = 86_400;

/// Reads a `Time` or a `MicroTime`; `None` for Go's zero time, which is an empty message.
pub(super) fn read(bytes: &[u8], range: Range<usize>) -> Result<Option<Moment>> {
    if range.is_empty() {
        return Ok(None);
    }
    let (mut moment, mut reader) = (Moment { seconds: 0, nanos: 0 }, Reader::new(bytes, range));
    while let Some((number, value)) = reader.field()? {
        match (number, value) {
            (1, Value::Varint(seconds)) => moment.seconds = seconds.cast_signed(),
            (2, Value::Varint(nanos)) => moment.nanos = low_32(nanos),
            (1 | 2, _) => return Err(Error::new(ErrorKind::Mismatch, reader.at())),
            _ => {}
        }
    }
    Ok(Some(moment))
}

/// Writes a time, with microseconds for a `MicroTime`.
pub(super) fn write(out: &mut Vec<u8>, moment: Option<Moment>, with_micros: bool) {
    let Some(Moment { mut seconds, nanos }) = moment else { return out.extend_from_slice(b"null") };
    let mut micros = 0;
    if with_micros {
        // Go truncates towards zero, and takes a second for negative ones.
        micros = i64::from(nanos / 1_000);
        seconds = seconds.wrapping_add(micros.div_euclid(1_000_000));
        micros = micros.rem_euclid(1_000_000);
    }
    if seconds == ZERO && micros == 0 {
        return out.extend_from_slice(b"null");
    }
    let (year, month, day) = date(seconds.div_euclid(SECONDS_OF_A_DAY));
    let second = seconds.rem_euclid(SECONDS_OF_A_DAY).unsigned_abs();
    out.push(b'"');
    if year < 0 {
        out.push(b'-');
    }
    digits(out, year.unsigned_abs(), 4);
    for (separator, number) in
        [(b'-', month), (b'-', day), (b'T', second / 3_600), (b':', second / 60 % 60), (b':', second % 60)]
    {
        out.push(separator);
        digits(out, number, 2);
    }
    if with_micros {
        out.push(b'.');
        digits(out, micros.unsigned_abs(), 6);
    }
    out.extend_from_slice(b"Z\"");
}

/// Returns the year, the month and the day of a day since 1970, in the Gregorian calendar (Howard Hinnant's
/// `civil_from_days`).
fn date(day: i64) -> (i64, u64, u64) {
    // Years begin in March here, so that the leap day is the last.
    let day = day + 719_468;
    let (era, day) = (day.div_euclid(146_097), day.rem_euclid(146_097).unsigned_abs());
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let date = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year.cast_signed() + i64::from(month <= 2);
    (year, month, date)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(seconds: i64, nanos: i32, with_micros: bool) -> String {
        let mut out = Vec::new();
        write(&mut out, Some(Moment { seconds, nanos }), with_micros);
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn times_as_go_writes_them() {
        for (seconds, text) in [
            (0, "\"1970-01-01T00:00:00Z\""),
            (-1, "\"1969-12-31T23:59:59Z\""),
            (951_782_400, "\"2000-02-29T00:00:00Z\""),
            (1_795_234_242, "\"2026-11-21T04:10:42Z\""),
            (4_107_542_399, "\"2100-02-28T23:59:59Z\""),
            (4_107_542_400, "\"2100-03-01T00:00:00Z\""),
            (253_402_300_799, "\"9999-12-31T23:59:59Z\""),
            (253_402_300_800, "\"10000-01-01T00:00:00Z\""),
            (ZERO, "null"),
            (ZERO + 1, "\"0001-01-01T00:00:01Z\""),
            (ZERO - 1, "\"0000-12-31T23:59:59Z\""),
        ] {
            assert_eq!(written(seconds, 0, false), text);
        }
        assert_eq!(written(0, 123_456_789, true), "\"1970-01-01T00:00:00.123456Z\"");
        assert_eq!(written(0, 999, true), "\"1970-01-01T00:00:00.000000Z\"");
        assert_eq!(written(0, -1_000, true), "\"1969-12-31T23:59:59.999999Z\"");
        for seconds in [i64::MIN, i64::MAX] {
            written(seconds, i32::MIN, true);
        }
    }

    #[test]
    fn a_time_is_read_from_the_wire() {
        assert_eq!(read(b"", 0..0), Ok(None));
        assert_eq!(read(b"\x08\x05\x10\x07", 0..4), Ok(Some(Moment { seconds: 5, nanos: 7 })));
        assert_eq!(read(b"\x10\x07", 0..2), Ok(Some(Moment { seconds: 0, nanos: 7 })));
        assert_eq!(read(b"\x0a\x00", 0..2), Err(Error::new(ErrorKind::Mismatch, 2)));
    }
}
