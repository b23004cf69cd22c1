//! Chart of the last hour by the minute, painted by the part `chart` (`web/parts`), with its numbers as text and links.

use leptos::html::Div;
use leptos::prelude::*;
use serde_json::json;

use super::feed::Feed;
use super::frame::{block, card};
use super::minutes::Minutes;
use super::rows::href;
use crate::age::thousands;
use crate::parts::PartMount;
use crate::status_line::clock;

/// Subject of a chart.
#[derive(Clone, Copy)]
pub(super) struct Subject {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    /// Number of the count by the minute.
    pub(super) count: usize,
    /// Filter of the table for the whole hour.
    pub(super) filter: &'static str,
    /// Column of the minute.
    pub(super) column: &'static str,
    /// One and several objects: `warning`, `warnings`.
    pub(super) nouns: [&'static str; 2],
    /// Custom property of the colour.
    pub(super) tone: &'static str,
    pub(super) hint: &'static str,
}

impl Subject {
    fn count_text(self, count: u64) -> String {
        format!("{} {}", thousands(count), self.nouns[usize::from(count != 1)])
    }

    /// The chart in one sentence.
    fn sentence(self, minutes: &Minutes) -> String {
        let all = format!("{} in the last hour", self.count_text(minutes.total()));
        // The newest of equal ones.
        match minutes.non_empty().into_iter().rev().max_by_key(|(_, count)| *count) {
            Some((index, peak)) => {
                format!("{all}, at most {} in a minute ({})", thousands(peak), time(minutes.start_of(index)))
            }
            None => all,
        }
    }
}

/// Hours and minutes of a time in seconds.
fn time(second: f64) -> String {
    let text = clock(second * 1_000.0);
    text.rsplit_once(':').map_or(text.clone(), |(minutes, _)| minutes.to_owned())
}

/// Card of a chart.
pub(super) fn chart(
    subject: Subject,
    feed: Feed,
    namespaces: Option<String>,
    now: RwSignal<f64>,
) -> impl IntoView + use<> {
    let minutes = Memo::new(move |_| {
        let figures = feed.figures(subject.count)?;
        Some(Minutes::of(&figures, now.get()))
    });
    let link = move |filter: String| href(feed.kind.resource, namespaces.as_ref(), filter);
    let content = move || figure(subject, minutes, link.clone()).into_any();
    let content = view! {
        {block(feed, content)}
        <p class="hint">{subject.hint}</p>
    };
    card(subject.id, subject.title, content)
}

fn figure(
    subject: Subject,
    minutes: Memo<Option<Minutes>>,
    link: impl Fn(String) -> Option<String> + Clone + Send + Sync + 'static,
) -> impl IntoView {
    let to_minute = {
        let link = link.clone();
        move |second: f64| link(format!("{} {}={second}", subject.filter, subject.column))
    };
    let sentence =
        Memo::new(move |_| minutes.with(|minutes| minutes.as_ref().map(|minutes| subject.sentence(minutes))));
    let non_empty = Memo::new(move |_| {
        let non_empty = |minutes: &Minutes| {
            minutes.non_empty().into_iter().map(|(index, count)| (minutes.start_of(index), count)).collect::<Vec<_>>()
        };
        minutes.with(|minutes| minutes.as_ref().map(non_empty).unwrap_or_default())
    });
    let rows = {
        let to_minute = to_minute.clone();
        move || {
            let row = |(second, count): (f64, u64)| {
                view! {
                    <tr>
                        <th scope="row">{time(second)}</th>
                        <td>
                            <a href=to_minute(second)>{thousands(count)}</a>
                        </td>
                    </tr>
                }
            };
            non_empty.get().into_iter().map(row).collect_view()
        }
    };
    let (plot, mount) = (NodeRef::<Div>::new(), PartMount::new());
    let data = move || {
        let data = |minutes: &Minutes| {
            let hrefs: Vec<_> = (0..minutes.values.len()).map(|at| to_minute(minutes.start_of(at))).collect();
            json!({ "first": minutes.first, "values": minutes.values, "hrefs": hrefs, "tone": subject.tone })
                .to_string()
        };
        minutes.with(|minutes| minutes.as_ref().map(data))
    };
    Effect::new({
        let data = data.clone();
        move || {
            if let (Some(plot), Some(data)) = (plot.get(), untrack(&data)) {
                mount.load("The chart", ("chart", "chart"), &plot, vec![("data", data.into())]);
            }
        }
    });
    Effect::new(move || {
        if let (true, Some(data)) = (mount.is_loaded(), data()) {
            mount.call_method("update", &data);
        }
    });
    view! {
        <figure class="chart">
            <figcaption>
                <a href=link(subject.filter.to_owned())>{move || sentence.get()}</a>
            </figcaption>
            // A part that cannot be loaded leaves the sentence and the table.
            <div class="plot" node_ref=plot aria-hidden="true"></div>
            {move || mount.error().map(|message| view! { <p class="note">{message}</p> })}
            <details>
                <summary>{"By the minute"}</summary>
                <table>
                    <thead>
                        <tr>
                            <th scope="col">{"Minute"}</th>
                            <th scope="col">{subject.title}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </details>
        </figure>
    }
}
