//! Columns of the open object, as the table shows them: for kinds without a special summary.

use std::cell::RefCell;

use informer_engine::columns::Cell;
use kube_objects::{Body, Fact, Section};
use leptos::prelude::*;

use crate::age::age;
use crate::rows::{Row, Rows};
use crate::source::Source;
use crate::tone::{Tone, tone_of};
use crate::view::{LastRows, Query};

/// Columns that the heading and the metadata show.
const SHOWN_ELSEWHERE: [&str; 3] = ["Name", "Namespace", "Age"];

/// Follows the cells of an object by its key, while `needed`. `None` until they are known, and if there are no further
/// columns.
pub(super) fn follow(source: Source, key: &str, needed: Memo<bool>) -> RwSignal<Option<Section>> {
    let section = RwSignal::new(None);
    let current = StoredValue::new_local(None);
    let key = key.to_owned();
    let (namespace, name) =
        key.split_once('/').map_or((None, key.as_str()), |(namespace, name)| (Some(namespace), name));
    // Names have no quotes.
    let filter = format!("name=\"{name}\"");
    let query = Query { filter, namespaces: namespace.into_iter().map(str::to_owned).collect(), ..Query::default() };
    Effect::new(move || {
        // Closes the view before.
        current.set_value(None);
        section.try_set(None);
        let Some(informer) = source.informer.get().filter(|_| needed.get()) else { return };
        let known = RefCell::new((LastRows::default(), Rows::default()));
        let key = key.clone();
        current.set_value(informer.view(&query, 1, move |view| {
            let (last_rows, known) = &mut *known.borrow_mut();
            let (totals, window, changed) = last_rows.update(&view.snapshot());
            known.patch(totals, &window, changed);
            let names: Vec<String> = view.columns().iter().map(|header| header.name()).collect();
            // A deleted object keeps its last cells.
            if let Some(row) = known.get(0).filter(|row| row.key == key) {
                let new = of_row(&names, row);
                if section.try_with_untracked(|known| *known != new) == Some(true) {
                    section.set(new);
                }
            }
        }));
    });
    on_cleanup(move || drop(current.try_update_value(Option::take)));
    section
}

/// The section of a row; none if all of its cells are empty or shown elsewhere.
fn of_row(names: &[String], row: &Row) -> Option<Section> {
    let cells = names.iter().zip(&row.cells).filter(|(name, _)| !SHOWN_ELSEWHERE.contains(&name.as_str()));
    let facts = cells.filter_map(|(name, cell)| Some(Fact { label: name.clone(), values: vec![value(name, cell)?] }));
    let facts: Vec<Fact> = facts.collect();
    (!facts.is_empty()).then(|| Section { title: "Columns".to_owned(), body: Body::Facts(facts) })
}

fn value(name: &str, cell: &Cell) -> Option<kube_objects::Cell> {
    let of_text = |text: String| {
        let tone = tone_of(name, &text).map(|tone| match tone {
            Tone::Ok => kube_objects::Tone::Ok,
            Tone::Warn => kube_objects::Tone::Warn,
            Tone::Bad => kube_objects::Tone::Bad,
            Tone::Idle => kube_objects::Tone::Idle,
        });
        kube_objects::Cell { text, tone, ..kube_objects::Cell::default() }
    };
    Some(match cell {
        Cell::Text(text) if !text.is_empty() => of_text(text.clone()),
        Cell::Number(number) => of_text(number.to_string()),
        Cell::Restarts(restarts, at) => kube_objects::Cell { time: *at, ..of_text(restarts.to_string()) },
        Cell::Time(at) => kube_objects::Cell { time: Some(*at), ..kube_objects::Cell::default() },
        Cell::Duration(from, Some(to)) => of_text(age(*to, *from)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_those_with_a_value_that_are_not_shown_elsewhere() {
        let names = ["Name", "Phase", "Empty", "Started", "Size", "Age"].map(str::to_owned);
        let cells = vec![
            Cell::Text("nightly".to_owned()),
            Cell::Text("Failed".to_owned()),
            Cell::None,
            Cell::Time(5.0),
            Cell::Number(1.5),
            Cell::Time(1.0),
        ];
        let row = Row { index: 0, key: "n/nightly".to_owned(), gone: false, cells };
        let section = of_row(&names, &row).expect("a section");
        let Body::Facts(facts) = section.body else { panic!("facts") };
        let shown: Vec<(&str, &str, Option<f64>)> =
            facts.iter().map(|fact| (fact.label.as_str(), fact.values[0].text.as_str(), fact.values[0].time)).collect();
        assert_eq!(shown, [("Phase", "Failed", None), ("Started", "", Some(5.0)), ("Size", "1.5", None)]);
        assert_eq!(facts[0].values[0].tone, Some(kube_objects::Tone::Bad));
        let bare = Row { cells: vec![Cell::Text("nightly".to_owned())], ..row };
        assert_eq!(of_row(&names[..1], &bare), None);
    }
}
