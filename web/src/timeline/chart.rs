//! Chart of the number of changes over time; a drag chooses a span of it. Painted by the part `timeline` (`web/parts`).

use leptos::html::Div;
use leptos::prelude::*;
use serde_json::json;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::Closure;

use super::Timeline;
use super::feed::FeedRequest;
use crate::client::record::Record;
use crate::parts::PartMount;
use crate::status_line::clock;

/// Number of bars.
const BARS: u32 = 120;

/// Numbers of changes in equal parts of a span of time.
#[derive(Clone, Debug, PartialEq)]
struct ChangeCounts {
    since: f64,
    until: f64,
    /// Counts by informer, so that a late response replaces those of its informer.
    by_informer: Vec<(u32, Vec<u32>)>,
}

impl ChangeCounts {
    fn sums(&self) -> Vec<u32> {
        let mut sums = vec![0; BARS as usize];
        for (_, counts) in &self.by_informer {
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
        sums
    }

    /// Start of a part.
    fn start_of(&self, part: usize) -> f64 {
        self.since + (self.until - self.since) * part as f64 / f64::from(BARS)
    }

    /// The chart in one sentence.
    fn sentence(&self) -> String {
        let sums = self.sums();
        let total: u32 = sums.iter().sum();
        let noun = if total == 1 { "change" } else { "changes" };
        let peak = sums.iter().enumerate().max_by_key(|(_, count)| **count).filter(|(_, count)| **count > 0);
        let peak = peak.map(|(part, _)| format!(", most of them at about {}", clock(self.start_of(part))));
        format!("{total} {noun} from {} to {}{}", clock(self.since), clock(self.until), peak.unwrap_or_default())
    }
}

/// The chart of a feed's span, or of all that is recorded.
pub(super) fn chart(timeline: Timeline, request: RwSignal<FeedRequest>) -> impl IntoView {
    let counts = RwSignal::new(None::<ChangeCounts>);
    let span = Memo::new(move |_| request.with(|request| request.span));
    Effect::new(move || {
        timeline.revision.track();
        let records = timeline.records(None);
        let Some(first) = records.iter().filter_map(|recorded| recorded.since()).reduce(f64::min) else { return };
        let (since, until) = span.get().unwrap_or((first, js_sys::Date::now().floor()));
        let before = counts.get_untracked();
        // The old bars stay until the new ones are there, but not those of another span.
        let kept = before.filter(|before| span.get_untracked().is_none() || before.since.total_cmp(&since).is_eq());
        let by_informer = kept.map(|before| before.by_informer).unwrap_or_default();
        counts.set(Some(ChangeCounts { since, until, by_informer }));
        for recorded in &records {
            let number = recorded.number;
            let options = Record::new().with("since", since).with("until", until).with("parts", BARS);
            recorded.counts(&options, move |found| {
                counts.try_update(|counts| {
                    // If the span has changed meanwhile, a response for the new one follows.
                    let Some(counts) = counts.as_mut().filter(|current| current.until.total_cmp(&until).is_eq()) else {
                        return;
                    };
                    counts.by_informer.retain(|(current, _)| *current != number);
                    counts.by_informer.push((number, found));
                });
            });
        }
    });
    let (plot, mount) = (NodeRef::<Div>::new(), PartMount::new());
    let data = Memo::new(move |_| {
        let shown = timeline.shown_time.get();
        counts.with(|counts| {
            let counts = counts.as_ref()?;
            let text = json!({ "since": counts.since, "until": counts.until, "values": counts.sums(), "shown": shown });
            Some(text.to_string())
        })
    });
    let is_mounted = StoredValue::new(false);
    Effect::new(move || {
        let (Some(plot), Some(data)) = (plot.get(), data.get()) else { return };
        if mount.is_loaded() {
            return mount.call_method("update", &data);
        }
        if is_mounted.get_value() {
            return;
        }
        is_mounted.set_value(true);
        // Garbage collection frees it: the part may outlive the chart while it is being loaded.
        let on_select = Closure::<dyn Fn(f64, f64)>::new(move |from: f64, to: f64| {
            request.try_update(|request| request.span = Some((from.floor(), to.ceil())));
        });
        let options = vec![("data", data.into()), ("onSelect", on_select.into_js_value())];
        mount.load("The chart", ("timeline", "timeline"), &plot, options as Vec<(&'static str, JsValue)>);
    });
    let sentence = move || counts.with(|counts| counts.as_ref().map(ChangeCounts::sentence));
    view! {
        <figure class="timeline-chart">
            <figcaption>{sentence}</figcaption>
            <div class="plot" node_ref=plot aria-hidden="true"></div>
            {move || mount.error().map(|message| view! { <p class="note">{message}</p> })}
        </figure>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_several_informers_are_added() {
        let mut first = vec![0; BARS as usize];
        first[3] = 2;
        let mut second = first.clone();
        second[4] = 1;
        let counts = ChangeCounts { since: 0.0, until: 1_200.0, by_informer: vec![(1, first), (2, second)] };
        assert_eq!((counts.sums()[3], counts.sums()[4], counts.sums().len()), (4, 1, BARS as usize));
        assert!((counts.start_of(3) - 30.0).abs() < 1e-9);
    }
}
