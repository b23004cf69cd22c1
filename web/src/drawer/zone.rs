//! Time zones: their offset from UTC at a moment, by the browser's database, for the schedules of cron jobs.

use js_sys::{Date, Object, Reflect};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = Date)]
    type Moment;
    /// Throws for a zone that the browser does not know.
    #[wasm_bindgen(method, catch, js_class = "Date", js_name = toLocaleString)]
    fn to_text(this: &Moment, locale: &str, options: &Object) -> Result<String, JsValue>;
}

/// The offset of a zone in milliseconds; none if the browser does not know the zone. Without a name it is UTC.
pub(super) fn offset(zone: &str, at: f64) -> Option<f64> {
    if zone.is_empty() {
        return Some(0.0);
    }
    let options = Object::new();
    for (name, value) in [("timeZone", zone), ("timeZoneName", "longOffset")] {
        // Fails for frozen objects only.
        let _ = Reflect::set(&options, &name.into(), &value.into());
    }
    let moment: Moment = Date::new(&at.into()).unchecked_into();
    parse(&moment.to_text("en-US", &options).ok()?)
}

/// Reads a moment with the offset behind it: `11/22/2026, 5:30:00 PM GMT+05:30`, or `GMT` alone.
fn parse(text: &str) -> Option<f64> {
    let (_, offset) = text.rsplit_once("GMT")?;
    let sign = match offset.chars().next() {
        None => return Some(0.0),
        Some('+') => 1.0,
        Some('-' | '\u{2212}') => -1.0,
        Some(_) => return None,
    };
    let mut parts = offset.trim_start_matches(['+', '-', '\u{2212}']).split(':').map(str::parse::<u32>);
    let hours = parts.next()?.ok()?;
    let minutes = parts.next().map_or(Some(0), Result::ok)?;
    Some(sign * f64::from(hours * 60 + minutes) * 60_000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_is_read_as_browsers_write_it() {
        assert_eq!(parse("11/22/2026, 5:30:00 PM GMT+05:30"), Some(19_800_000.0));
        assert_eq!(parse("11/22/2026, 7:00:00 AM GMT-05:00"), Some(-18_000_000.0));
        assert_eq!(parse("11/22/2026, 12:00:00 PM GMT"), Some(0.0));
        assert_eq!(parse("11/22/2026, 12:00:00 PM CET"), None);
        assert_eq!(offset("", 0.0), Some(0.0), "the controller's own zone");
    }
}
