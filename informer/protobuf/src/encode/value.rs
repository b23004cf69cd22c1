//! Protobuf of a value, from its JSON.

use informer_packing::Json;

use crate::encode::{bytes_field, varint};
use crate::schema::Kind;

/// Returns the number of a varint; `None` if the JSON is something else.
pub(super) fn number(kind: Kind, json: Json<'_>) -> Option<i64> {
    match kind {
        Kind::Bool => json.as_bool().map(i64::from),
        Kind::Int32 => json.text().parse::<i32>().ok().map(i64::from),
        _ => json.text().parse().ok(),
    }
}

/// Writes a value that is no message in JSON, without a length; the zero of its type without one. `None` if the JSON is
/// something else.
pub(super) fn write(kind: Kind, json: Option<Json<'_>>, out: &mut Vec<u8>) -> Option<()> {
    let text = json.and_then(Json::as_str).filter(|_| json.is_some_and(|json| json.text().starts_with('"')));
    match kind {
        Kind::Text => {
            let text = if json.is_some() { text? } else { "".into() };
            out.extend_from_slice(text.as_bytes());
        }
        Kind::Bytes => from_base64(&if json.is_some() { text? } else { "".into() }, out)?,
        Kind::Quantity => {
            let text = match (json, text) {
                (_, Some(text)) => text,
                (Some(json), None) => json.text().into(),
                (None, None) => "0".into(),
            };
            bytes_field(1, text.as_bytes(), out);
        }
        Kind::IntOrString => {
            let number = if json.is_some() && text.is_none() { number(Kind::Int32, json?)? } else { 0 };
            for (tag, number) in [(1 << 3, i64::from(text.is_some())), (2 << 3, number)] {
                varint(tag, out);
                varint(number.cast_unsigned(), out);
            }
            bytes_field(3, text.as_deref().unwrap_or_default().as_bytes(), out);
        }
        Kind::Time | Kind::MicroTime if json.is_some() => {
            let (seconds, nanos) = moment(&text?)?;
            let nanos = if kind == Kind::Time { 0 } else { nanos / 1_000 * 1_000 };
            // Go's zero time is an empty message.
            if (seconds, nanos) != (crate::json::ZERO_TIME, 0) {
                for (tag, number) in [(1 << 3, seconds), (2 << 3, nanos)] {
                    varint(tag, out);
                    varint(number.cast_unsigned(), out);
                }
            }
        }
        Kind::Json if json.is_some() => bytes_field(1, json?.text().as_bytes(), out),
        _ => {}
    }
    Some(())
}

/// Parses RFC 3339: the seconds since 1970, and nanoseconds.
fn moment(text: &str) -> Option<(i64, i64)> {
    let bytes = text.as_bytes();
    let number = |from: usize, digits: usize| {
        let part = bytes.get(from..from + digits)?;
        let number =
            part.iter().try_fold(0, |sum, byte| byte.is_ascii_digit().then(|| sum * 10 + i64::from(byte - b'0')));
        number.filter(|_| from == 0 || matches!(bytes.get(from - 1), Some(b'-' | b'T' | b':' | b'+')))
    };
    let (year, month, day) = (number(0, 4)?, number(5, 2)?, number(8, 2)?);
    let (hour, minute, second) = (number(11, 2)?, number(14, 2)?, number(17, 2)?);
    let rest = text.get(19..)?;
    let fraction =
        rest.strip_prefix('.').map_or("", |rest| rest.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default());
    let zone = rest.strip_prefix('.').map_or(rest, |rest| rest.get(fraction.len()..).unwrap_or_default());
    let nanos =
        fraction.bytes().chain(std::iter::repeat(b'0')).take(9).fold(0, |sum, byte| sum * 10 + i64::from(byte - b'0'));
    let offset = match zone.as_bytes() {
        b"Z" => 0,
        [sign @ (b'+' | b'-'), _, _, b':', _, _] => {
            let (hours, minutes) = (zone.get(1..3)?.parse::<i64>().ok()?, zone.get(4..6)?.parse::<i64>().ok()?);
            if *sign == b'-' { -(hours * 60 + minutes) } else { hours * 60 + minutes }
        }
        _ => return None,
    };
    let in_range = (1..=12).contains(&month) && (1..=31).contains(&day) && hour < 24 && minute < 60 && second < 60;
    let seconds = days(year, month, day) * 86_400 + hour * 3_600 + (minute - offset) * 60 + second;
    in_range.then_some((seconds, nanos))
}

/// Days since 1970, in the Gregorian calendar (Howard Hinnant's `days_from_civil`).
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

fn from_base64(text: &str, out: &mut Vec<u8>) -> Option<()> {
    let (mut bits, mut count, mut padding) = (0_u32, 0, 0);
    for byte in text.bytes() {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => {
                padding += 1;
                continue;
            }
            // As Go.
            b'\n' | b'\r' => continue,
            _ => return None,
        };
        if padding > 0 {
            return None;
        }
        bits = bits << 6 | u32::from(digit);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count).to_le_bytes()[0]);
        }
    }
    // After 6, 4 or 2 bits that are left come no, two or one padding character.
    (count / 2 == padding && count < 6).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_rfc_3339() {
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", Some((0, 0))),
            ("2026-11-21T04:10:42Z", Some((1_795_234_242, 0))),
            ("2000-02-29T01:00:00.5+01:00", Some((951_782_400, 500_000_000))),
            ("1969-12-31T23:30:00.123456789-00:30", Some((0, 123_456_789))),
            ("0001-01-01T00:00:00Z", Some((crate::json::ZERO_TIME, 0))),
            ("9999-12-31T23:59:59Z", Some((253_402_300_799, 0))),
            ("2026-11-21", None),
            ("2026-11-21T04:10:42", None),
            ("2026-13-21T04:10:42Z", None),
            ("2026-11-21T04:10:4xZ", None),
            ("2026/11/21T04:10:42Z", None),
            ("", None),
        ] {
            assert_eq!(moment(text), expected, "{text}");
        }
    }

    #[test]
    fn base64_is_decoded() {
        for (text, expected) in [
            ("", Some(&b""[..])),
            ("Zg==", Some(b"f")),
            ("Zm8=", Some(b"fo")),
            ("Zm9v\n", Some(b"foo")),
            ("/++++w==", Some(b"\xff\xef\xbe\xfb")),
            ("Zg", None),
            ("Zg=", None),
            ("Z", None),
            ("Zg=a", None),
            ("Zm9v=", None),
            ("Zm-v", None),
        ] {
            let mut out = Vec::new();
            assert_eq!(from_base64(text, &mut out).map(|()| &out[..]), expected, "{text}");
        }
    }
}
