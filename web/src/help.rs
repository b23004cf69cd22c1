//! Text of the help dialog: the filter language and the shortcut keys.

mod language;

use leptos::prelude::*;

use language::LANGUAGE;

const KEYS: [(&str, &str); 40] = [
    ("/", "Filter rows"),
    (": Ctrl+K", "Command palette: kinds, namespaces, actions, and objects by name, label, IP, image or uid"),
    (":po kube-system", "In the palette: a kind by its short name, and a namespace, a saved set, or a,b"),
    ("n", "Choose namespaces: Enter one, Space several; names can be typed with commas"),
    ("0", "All namespaces"),
    ("Space Delete", "In the list of namespaces: mark an entry; remove a saved set"),
    (":save", "In the palette: save the view, or several chosen namespaces, under a name"),
    (":view Delete", "In the palette: saved views; remove one"),
    ("o", "Overview of the cluster, or of the namespaces"),
    ("!", "Problems of the cluster, or of the namespaces"),
    ("h", "Changes: what changed since the page was opened, in all kinds, beside the Kubernetes Events"),
    ("m", "Map of the namespaces: ingresses, services, workloads, pods, nodes and volumes"),
    ("i", "Inspector: all informers of this browser, their connections, memory and protocol steps"),
    ("p", "Pause the page, with a slider that goes back in time; again: return to live"),
    ("↑ ↓ k j", "Previous and next row"),
    ("PgUp PgDn", "Previous and next page of rows"),
    ("Home End g G", "First and last row"),
    ("Enter", "Open the row; again: focus its panel; on a header: sort"),
    ("Shift Enter", "On a header: add it to the sort order"),
    ("C", "Columns: choose, order, pin, size, and add labels and JSONPaths; columns= in the address shares them"),
    ("b", "Group the rows by a column, with counts; group= in the address shares it"),
    ("< > - + 0", "On a header: move the column; narrower, wider, usual width"),
    ("Space", "Mark the row; with Ctrl or Shift: all rows from the last mark to it"),
    ("Shift ↑ ↓", "Mark row by row; Ctrl+A: all rows"),
    ("d y l s", "Summary, YAML, logs or shell of the open object, or of the current row"),
    ("l", "Logs of the marked rows, merged by time"),
    ("e", "Edit the YAML of the open object, or of the current row"),
    ("Delete", "Delete the marked rows, the open object or the current row, after a confirmation"),
    ("a", "Actions on the marked rows, the open object or the current row"),
    ("c", "Create objects from YAML"),
    ("f", "Show the open object on the full page, and back"),
    ("[ ]", "Back and forward in the history"),
    ("Esc", "Close the last panel; clear the marks; leave a text box"),
    ("Tab", "Next section of the page"),
    ("← →", "Move among values, headers and tabs"),
    ("↑ ↓", "Move among kinds and suggestions"),
    ("*", "On a kind at the side: add it to the favourites, or remove it"),
    ("← → /", "In the YAML of an object: fold, unfold, search"),
    ("← → ↑ ↓ + - 0", "On the map: along the lines, among boxes of a column, zoom, show all; with Shift: move the map"),
    ("?", "This help"),
];

/// The sections of the dialog.
pub(crate) fn sections() -> impl IntoView {
    view! {
        <section>
            <h2>{"Filter: shows rows that …"}</h2>
            <dl>
                {LANGUAGE
                    .map(|(typed, meaning)| view! { <dt><code>{typed}</code></dt><dd>{meaning}</dd> })
                    .into_iter()
                    .collect_view()}
            </dl>
            <p class="hint">
                {"All terms must match. Case is ignored. A column's name is its header, with - for a blank."}
            </p>
        </section>
        <section>
            <h2>{"Keys"}</h2>
            <dl>
                {KEYS
                    .map(|(keys, meaning)| {
                        let keys = keys.split(' ').map(|key| view! { <kbd>{key}</kbd> }).collect_view();
                        view! { <dt>{keys}</dt><dd>{meaning}</dd> }
                    })
                    .into_iter()
                    .collect_view()}
            </dl>
        </section>
    }
}
