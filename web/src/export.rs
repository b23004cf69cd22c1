//! Export of rows: the marked ones, or all that match the filter, as CSV, JSON, YAML or names; to a file or the
//! clipboard. Deferred code.

mod csv;
mod file;
mod objects;
mod rows;
mod run;

use leptos::prelude::*;

use crate::age::thousands;
use crate::dialog::Window;
use crate::loading::ColumnTools;
use crate::yaml::is_secret;
use run::{ExportJob, ExportState, Format, Target};

/// Maximum number of rows of an export.
const MAX_ROWS: usize = 50_000;

/// Dialog of the export, while it is open.
#[component]
pub(crate) fn Export(tools: ColumnTools) -> impl IntoView {
    let open = tools.model.export;
    move || open.get().then(|| untrack(|| dialog(tools, open)))
}

fn dialog(tools: ColumnTools, open: RwSignal<bool>) -> impl IntoView {
    let marked = tools.model.marked;
    let (only_marked, format) =
        (RwSignal::new(marked.with_untracked(|marked| !marked.is_empty())), RwSignal::new(Format::Csv));
    let job = ExportJob::new(tools);
    let matching = move || tools.state.totals.get().map_or(0, |totals| totals.total);
    let count = move || if only_marked.get() { marked.with(Vec::len) } else { matching() };
    let start = move |target| {
        let keys = only_marked.get_untracked().then(|| marked.get_untracked());
        job.start(keys, format.get_untracked(), target);
    };
    let choice = move |name: &'static str,
                       group: &'static str,
                       is: Signal<bool>,
                       choose: Callback<()>,
                       text: Signal<String>| {
        view! {
            <label class="choice">
                <input type="radio" name=group value=name prop:checked=is disabled=move || job.is_running() on:change=move |_| choose.run(()) />
                <span>{text}</span>
            </label>
        }
    };
    let rows = [(true, "marked"), (false, "all")].map(|(is_marks, name)| {
        let text = move || {
            if is_marks {
                row_count_text(marked.with(Vec::len), "marked")
            } else {
                format!("All {}", row_count_text(matching(), "that match"))
            }
        };
        let is = Signal::derive(move || only_marked.get() == is_marks);
        let is_possible = move || !is_marks || marked.with(|marked| !marked.is_empty());
        let row =
            choice(name, "export-rows", is, Callback::new(move |()| only_marked.set(is_marks)), Signal::derive(text));
        view! { <div hidden=move || !is_possible()>{row}</div> }
    });
    let formats = Format::ALL.map(|one| {
        let text = Signal::derive(move || one.label().to_owned());
        choice(
            one.extension(),
            "export-format",
            Signal::derive(move || format.get() == one),
            Callback::new(move |()| format.set(one)),
            text,
        )
    });
    let masks = move || tools.navigator.resource.with(is_secret) && matches!(format.get(), Format::Json | Format::Yaml);
    let is_disabled = move || job.is_running() || count() == 0;
    view! {
        <Window title=format!("Export {}", tools.label.get_untracked()) close=Callback::new(move |()| open.set(false))>
            <fieldset class="export-rows">
                <legend>{"Rows"}</legend>
                {rows.into_iter().collect_view()}
            </fieldset>
            <fieldset class="export-format">
                <legend>{"Format"}</legend>
                {formats.into_iter().collect_view()}
            </fieldset>
            <Show when=masks>
                <p class="note">{"The values of Secrets are masked, as on the page."}</p>
            </Show>
            <Show when=move || { count() > MAX_ROWS }>
                <p class="warning">
                    {format!("An export has at most {} rows: narrow the filter to export the others.", thousands(MAX_ROWS as u64))}
                </p>
            </Show>
            <p class="export-state" role="status">{move || state_text(&job.state())}</p>
            <footer>
                <Show when=move || job.is_running()>
                    <button class="button" type="button" on:click=move |_| job.cancel()>{"Cancel"}</button>
                </Show>
                <button
                    class="button"
                    type="button"
                    disabled=is_disabled
                    on:click=move |_| start(Target::Clipboard)
                >
                    {"Copy"}
                </button>
                <button
                    class="button primary"
                    type="button"
                    disabled=is_disabled
                    on:click=move |_| start(Target::File)
                >
                    {"Download"}
                </button>
            </footer>
        </Window>
    }
}

fn row_count_text(count: usize, which: &str) -> String {
    format!("{} {} {which}", thousands(count as u64), if count == 1 { "row" } else { "rows" })
}

fn state_text(state: &ExportState) -> String {
    let number = |count: &usize| thousands(*count as u64);
    match state {
        ExportState::Idle => String::new(),
        ExportState::Running(done, total) => format!("{} of {} …", number(done), number(total)),
        ExportState::Cancelled => "Cancelled.".to_owned(),
        ExportState::Done(count, Target::File) => {
            format!("{} saved.", with_singular_verb(&row_count_text(*count, "are")))
        }
        ExportState::Done(count, Target::Clipboard) => {
            format!("{} copied.", with_singular_verb(&row_count_text(*count, "are")))
        }
        ExportState::Failed(message) => message.clone(),
    }
}

fn with_singular_verb(words: &str) -> String {
    words.replace("1 row are", "1 row is")
}
