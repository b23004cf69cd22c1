//! Typed confirmation: the user types a name before a destructive action, in a protected context or for a kind whose
//! deletion loses much.

use leptos::prelude::*;

use super::subject::Subjects;
use crate::protection::{self, Context};
use crate::visible::visible;

/// Kinds whose deletion is confirmed in every context, because much is lost with an object of them.
const ALWAYS_CONFIRMED: [&str; 4] = ["namespaces", "nodes", "customresourcedefinitions", "persistentvolumes"];

/// The text that the user types, and the one that is expected. Copies share their state.
#[derive(Clone, Copy)]
pub(super) struct TypedConfirmation {
    text: RwSignal<String>,
    expected: Memo<Option<String>>,
    context: Memo<Context>,
    /// Whether the context, which determines the expected text, is still being read.
    is_loading: Memo<bool>,
    /// Whether a name is expected, rather than a number or a context.
    is_name: bool,
}

impl TypedConfirmation {
    /// Confirmation of an action, required while the action is destructive.
    pub(super) fn new(subjects: Subjects, is_destructive: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self::with(subjects, false, is_destructive)
    }

    /// Confirmation of a deletion.
    pub(super) fn for_deletion(subjects: Subjects) -> Self {
        Self::with(subjects, ALWAYS_CONFIRMED.contains(&subjects.resource().resource.as_str()), || true)
    }

    fn with(
        subjects: Subjects,
        is_always_confirmed: bool,
        is_destructive: impl Fn() -> bool + Send + Sync + 'static,
    ) -> Self {
        protection::refresh();
        let (context, is_reading) = (protection::context(), protection::is_reading());
        let names = subjects.with(|list| list.iter().map(|subject| subject.target.name.clone()).collect::<Vec<_>>());
        let is_name = names.len() == 1;
        let is_destructive = Memo::new(move |_| is_destructive());
        let expected = Memo::new(move |_| {
            is_destructive
                .get()
                .then(|| context.with(|context| expected(context, is_always_confirmed, &names)))
                .flatten()
        });
        let is_loading = Memo::new(move |_| is_destructive.get() && is_reading.get());
        Self { text: RwSignal::new(String::new()), expected, context, is_loading, is_name }
    }

    /// Whether the expected text was typed, or none is expected. False while the context is being read.
    pub(super) fn is_confirmed(self) -> bool {
        let is_typed = |expected: &Option<String>| {
            expected.as_ref().is_none_or(|expected| self.text.with(|text| text.trim() == expected))
        };
        !self.is_loading.get() && self.expected.with(is_typed)
    }

    /// Text box, with the expected text.
    pub(super) fn field(self) -> impl IntoView {
        let is_required = Memo::new(move |_| self.expected.with(Option::is_some));
        let label = move || {
            let expected = self.expected.get().unwrap_or_default();
            let expected = visible(&expected).into_owned();
            if self.is_name { "Type the name to confirm".to_owned() } else { format!("Type {expected} to confirm") }
        };
        let why = move || {
            let context = self.context.get();
            let name = visible(&context.name).into_owned();
            context.is_protected.then(|| match name.as_str() {
                "" => "This cluster is protected.".to_owned(),
                name => format!("The context {name} is protected."),
            })
        };
        view! {
            <Show when=move || is_required.get()>
                {move || why().map(|message| view! { <p class="warning">{message}</p> })}
                <label>
                    <span>{label}</span>
                    <input
                        class="field"
                        autocomplete="off"
                        spellcheck="false"
                        prop:value=self.text
                        on:input=move |event| self.text.set(event_target_value(&event))
                    />
                </label>
            </Show>
        }
    }
}

/// Expected text: the name of one object; for several the name of the context, which identifies the cluster, or their
/// number if the context has no name.
fn expected(context: &Context, is_always_confirmed: bool, names: &[String]) -> Option<String> {
    match names {
        _ if !context.is_protected && !is_always_confirmed => None,
        [name] => Some(name.clone()),
        _ if context.is_protected && !context.name.is_empty() => Some(context.name.clone()),
        names => Some(names.len().to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_depends_on_the_context_and_the_kind() {
        let context = |name: &str, is_protected| Context { name: name.to_owned(), is_protected };
        let (one, two) = (["web".to_owned()], ["a".to_owned(), "b".to_owned()]);
        let typed = |context, is_always_confirmed, names: &[String]| expected(&context, is_always_confirmed, names);
        assert_eq!(typed(context("dev", false), false, &one), None);
        assert_eq!(typed(context("dev", false), true, &one).as_deref(), Some("web"));
        assert_eq!(typed(context("dev", false), true, &two).as_deref(), Some("2"));
        assert_eq!(typed(context("prod", true), false, &one).as_deref(), Some("web"));
        assert_eq!(typed(context("prod", true), false, &two).as_deref(), Some("prod"));
        assert_eq!(typed(context("", true), false, &two).as_deref(), Some("2"));
    }
}
