//! "Why" section: the findings of the diagnosis, the worst first, with their evidence. Hidden if there are none.

use kube_objects::{Evidence, Finding, Link, Severity};
use leptos::prelude::*;

use crate::drawer::link::{link, moment, text};
use crate::drawer::opened::Opened;

/// The findings, the worst first.
#[component]
pub(super) fn Why(opened: Opened) -> impl IntoView {
    let findings = opened.derived.findings;
    // Two findings may be equal: the index makes their keys differ.
    let numbered = move || findings.get().into_iter().enumerate().collect::<Vec<_>>();
    view! {
        <Show when=move || !findings.with(Vec::is_empty)>
            <section class="why">
                <h3>{"Why"}</h3>
                <ol>
                    <For each=numbered key=|(at, finding)| format!("{at} {finding:?}") let:numbered>
                        {entry(opened, &numbered.1)}
                    </For>
                </ol>
            </section>
        </Show>
    }
}

fn entry(opened: Opened, finding: &Finding) -> impl IntoView + use<> {
    let (severity, word) = match finding.severity {
        Severity::Error => ("error", "Error"),
        Severity::Warning => ("warning", "Warning"),
        Severity::Info => ("info", "Info"),
    };
    let evidence =
        finding.evidence.iter().map(|evidence| view! { <li>{evidence_text(opened, evidence)}</li> }).collect_view();
    let related: Vec<_> = finding
        .related
        .iter()
        .map(|other| view! { <li>{link(opened, other, &format!("{} {}", other.kind, other.name))}</li> })
        .collect();
    view! {
        <li class="finding" data-severity=severity data-code=finding.code>
            <p class="sentence">
                <strong class="severity">{word}</strong>
                {text(&finding.sentence)}
            </p>
            {(!finding.next.is_empty()).then(|| view! { <p class="next">{text(&finding.next)}</p> })}
            <ul class="evidence" aria-label="Evidence">{evidence}</ul>
            {(!related.is_empty()).then(|| view! { <ul class="others" aria-label="Related">{related}</ul> })}
        </li>
    }
}

/// Evidence as a line of text, with a link to the object that it is from.
fn evidence_text(opened: Opened, evidence: &Evidence) -> AnyView {
    let of = |of: &Option<Link>| of.as_ref().map(|of| view! { <span class="of">{link(opened, of, &of.name)}</span> });
    match evidence {
        Evidence::Field { of: other, path, value } => {
            view! { {of(other)} <code>{text(path)}</code> ": " <span class="said">{text(value)}</span> }.into_any()
        }
        Evidence::Condition { of: other, kind, status, reason, message, since } => {
            let parts = [reason.as_str(), message.as_str()].into_iter().filter(|part| !part.is_empty());
            let parts = parts.collect::<Vec<_>>().join(": ");
            view! {
                {of(other)}
                "Condition "
                <code>{text(kind)} {"="} {text(status)}</code>
                " "
                <span class="said">{text(&parts)}</span>
                {since.map(|at| view! { " " {moment(opened, at)} })}
            }
            .into_any()
        }
        Evidence::Event { reason, message, count, at } => view! {
            "Event "
            <code>{text(reason)}</code>
            " "
            <span class="said">{text(message)}</span>
            {(*count > 1).then(|| format!(" (×{count})"))}
            {at.map(|at| view! { " " {moment(opened, at)} })}
        }
        .into_any(),
        Evidence::Log { container, lines } => view! {
            "Last log lines of "
            <code>{text(container)}</code>
            <pre tabindex="0" role="region" aria-label="Last log lines">{text(lines)}</pre>
        }
        .into_any(),
        Evidence::Absent { what } => view! { "There are no " {text(what)} "." }.into_any(),
    }
}
