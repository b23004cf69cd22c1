//! One section of the summary: facts, or a table. Only the parts that change are painted again.

use kube_objects::{Body, Cell, Fact, Section, Tone};
use leptos::prelude::*;

use super::chips;
use crate::drawer::link::{link, moment, text};
use crate::drawer::opened::Opened;

/// A row of a table, with its number and the headings.
type Row = (usize, Vec<(&'static str, Cell)>);

/// The section of a title.
#[component]
pub(super) fn Part(opened: Opened, title: String) -> impl IntoView {
    let sections = opened.derived.sections;
    let wanted_title = title.clone();
    // A kind may have a column or a field of the same name.
    let is_metadata = title == "Metadata";
    let section = Memo::new(move |_| {
        sections.with(|sections| sections.iter().find(|section| section.title == wanted_title).cloned())
    });
    let facts = move || match section.get().map(|section: Section| section.body) {
        Some(Body::Facts(facts)) => facts.into_iter().enumerate().collect(),
        _ => Vec::new(),
    };
    let columns = Memo::new(move |_| {
        section.with(|section| match section.as_ref().map(|section| &section.body) {
            Some(Body::Table { columns, .. }) => columns.clone(),
            _ => Vec::new(),
        })
    });
    let rows = move || match section.get().map(|section| section.body) {
        Some(Body::Table { columns, rows }) => rows
            .into_iter()
            .enumerate()
            .map(|(at, row)| (at, columns.iter().copied().zip(row).collect()))
            .collect::<Vec<Row>>(),
        _ => Vec::new(),
    };
    view! {
        <section>
            <h3>{title}</h3>
            {move || {
                if columns.with(Vec::is_empty) {
                    view! {
                        <dl>
                            <For each=facts key=|(at, fact)| format!("{at} {fact:?}") let:numbered>
                                {entry(opened, &numbered.1, is_metadata)}
                            </For>
                        </dl>
                    }
                    .into_any()
                } else {
                    let heads = columns.get().into_iter().map(|name| view! { <th scope="col">{name}</th> });
                    view! {
                        <table>
                            <thead>
                                <tr>{heads.collect_view()}</tr>
                            </thead>
                            <tbody>
                                <For each=rows key=|(at, cells)| format!("{at} {cells:?}") let:row>
                                    <tr>
                                        {row.1.iter().map(|(name, cell)| table_cell(opened, name, cell)).collect_view()}
                                    </tr>
                                </For>
                            </tbody>
                        </table>
                    }
                    .into_any()
                }
            }}
        </section>
    }
}

fn entry(opened: Opened, fact: &Fact, is_metadata: bool) -> impl IntoView + use<> {
    let values = match fact.label.as_str() {
        "Labels" if is_metadata => chips::labels(opened, &fact.values).into_any(),
        "Annotations" if is_metadata => chips::annotations(opened, &fact.values).into_any(),
        _ => fact
            .values
            .iter()
            .map(|cell| view! { <span class="item">{value(opened, cell)}</span> })
            .collect_view()
            .into_any(),
    };
    view! {
        <dt>{text(&fact.label)}</dt>
        <dd>{values}</dd>
    }
}

fn table_cell(opened: Opened, column: &'static str, cell: &Cell) -> impl IntoView + use<> {
    let is_empty = cell.text.is_empty() && cell.time.is_none();
    view! {
        <td data-column=column class:empty-cell=is_empty>
            {value(opened, cell)}
        </td>
    }
}

/// A value with its tone, its link and its moment.
pub(in crate::drawer) fn value(opened: Opened, cell: &Cell) -> impl IntoView + use<> {
    let shown = match &cell.link {
        Some(to) => link(opened, to, &cell.text).into_any(),
        None => text(&cell.text).into_any(),
    };
    let tone = cell.tone.map(tone_name);
    let gap = (!cell.text.is_empty() && cell.time.is_some()).then_some(" ");
    view! {
        <span class="value" data-tone=tone>
            {shown}
        </span>
        {gap}
        {cell.time.map(|at| moment(opened, at))}
    }
}

/// The value of `data-tone`.
pub(in crate::drawer) fn tone_name(tone: Tone) -> &'static str {
    match tone {
        Tone::Ok => "ok",
        Tone::Warn => "warn",
        Tone::Bad => "bad",
        Tone::Idle => "idle",
    }
}
