//! What an engine has to know of this page, so that the one that comes after it can be told the same.

use informer_engine::message::{ToEngine, ViewOptions};

/// The open things of a page, as the messages that opened them.
#[derive(Default)]
pub(crate) struct Said {
    /// By the page's name for each.
    open: Vec<(u32, ToEngine)>,
    /// Wishes of views that are not answered yet.
    wishes: Vec<ToEngine>,
    /// Whether the page is visible.
    visible: bool,
}

impl Said {
    /// Learns from a message on its way to the engine.
    pub(crate) fn hear(&mut self, message: &ToEngine) {
        match message {
            ToEngine::Informer { informer: id, .. }
            | ToEngine::OpenView { view: id, .. }
            | ToEngine::Follow { follow: id, .. }
            | ToEngine::Resources { request: id }
            | ToEngine::Forget { request: id }
            | ToEngine::Values { request: id, .. }
            | ToEngine::Inspect { request: id, .. } => self.open.push((*id, message.clone())),
            ToEngine::Stop { informer } => self.open.retain(|(_, message)| informer_of(message) != Some(*informer)),
            ToEngine::CloseView { view: id } | ToEngine::Unfollow { follow: id } => self.forget(*id),
            ToEngine::SetWindow { view, start, end } => {
                if let Some((_, options)) = self.view(*view) {
                    (options.start, options.end) = (*start, *end);
                }
            }
            ToEngine::ChangeView { .. } => self.wishes.push(message.clone()),
            ToEngine::Visible { visible } => self.visible = *visible,
            _ => {}
        }
    }

    /// Forgets what is closed or answered.
    pub(crate) fn forget(&mut self, id: u32) {
        self.open.retain(|(known, _)| *known != id);
    }

    /// A wish was answered. One that was refused changed nothing.
    pub(crate) fn answered(&mut self, of: u32, number: u32, granted: bool) {
        let is_meant = |message: &ToEngine| matches!(message, ToEngine::ChangeView { view, wish, .. } if (*view, *wish) == (of, number));
        let Some(place) = self.wishes.iter().position(is_meant) else { return };
        let asked = self.wishes.remove(place);
        if let ToEngine::ChangeView { wish: granted_wish, filter, order_by, facets, namespaces, window, .. } = asked
            && granted
            && let Some((wish, options)) = self.view(of)
        {
            *wish = granted_wish;
            let (start, end) = window.map_or((options.start, options.end), |window| (window.start, window.end));
            *options = ViewOptions { filter, order_by, facets, namespaces, start, end, ..std::mem::take(options) };
        }
    }

    /// All of it, in an order in which it can be said again.
    pub(crate) fn messages(&self) -> Vec<ToEngine> {
        let of = |informers: bool| {
            let meant = move |message: &&ToEngine| matches!(message, ToEngine::Informer { .. }) == informers;
            self.open.iter().map(|(_, message)| message).filter(meant).cloned()
        };
        // Of a view that was closed with a wish open the engine knows nothing, and does nothing.
        let visible = self.visible.then_some(ToEngine::Visible { visible: true });
        of(true).chain([ToEngine::Start]).chain(of(false)).chain(self.wishes.iter().cloned()).chain(visible).collect()
    }

    fn view(&mut self, id: u32) -> Option<(&mut u32, &mut ViewOptions)> {
        self.open.iter_mut().find_map(|(_, message)| match message {
            ToEngine::OpenView { view, wish, options, .. } if *view == id => Some((wish, options)),
            _ => None,
        })
    }
}

/// The informer that goes with all that hangs on it.
fn informer_of(message: &ToEngine) -> Option<u32> {
    match message {
        ToEngine::Informer { informer, .. }
        | ToEngine::OpenView { informer, .. }
        | ToEngine::Follow { informer, .. }
        | ToEngine::Inspect { informer, .. } => Some(*informer),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use informer_engine::message::InformerOptions;

    use super::*;

    fn informer(informer: u32) -> ToEngine {
        ToEngine::Informer { informer, resource: "v1/pods".to_owned(), options: InformerOptions::default() }
    }

    fn change(wish: u32, filter: &str) -> ToEngine {
        let (filter, none) = (filter.to_owned(), Vec::new());
        ToEngine::ChangeView {
            view: 2,
            wish,
            filter,
            order_by: vec![],
            facets: none.clone(),
            namespaces: none,
            window: Some(0..9),
        }
    }

    fn said(messages: &[ToEngine]) -> Said {
        let mut said = Said::default();
        for message in messages {
            said.hear(message);
        }
        said
    }

    #[test]
    fn what_is_open_is_said_again_and_what_was_closed_is_not() {
        let view = |view, informer| ToEngine::OpenView { view, informer, wish: 1, options: ViewOptions::default() };
        let follow = ToEngine::Follow { follow: 4, informer: 1, key: "n/a".to_owned() };
        let inspect = |request| ToEngine::Inspect { request, informer: 1 };
        let mut said = said(&[
            informer(1),
            view(2, 1),
            informer(3),
            follow.clone(),
            inspect(6),
            inspect(7),
            ToEngine::Resources { request: 5 },
            ToEngine::Forget { request: 8 },
            ToEngine::Forget { request: 9 },
        ]);
        said.forget(5);
        said.forget(6);
        said.forget(8);
        let forget = ToEngine::Forget { request: 9 };
        said.hear(&ToEngine::Visible { visible: true });
        assert_eq!(said.messages().last(), Some(&ToEngine::Visible { visible: true }));
        said.hear(&ToEngine::Visible { visible: false });
        let open = [informer(1), informer(3), ToEngine::Start, view(2, 1), follow, inspect(7), forget.clone()];
        assert_eq!(said.messages(), open);
        said.hear(&ToEngine::Stop { informer: 1 });
        assert_eq!(said.messages(), [informer(3), ToEngine::Start, forget]);
    }

    #[test]
    fn a_view_is_opened_as_it_was_granted_and_what_is_open_is_wished_again() {
        let options = ViewOptions { end: 50, ..ViewOptions::default() };
        let open = |wish, options| ToEngine::OpenView { view: 2, informer: 1, wish, options };
        let mut said = said(&[informer(1), open(1, options.clone())]);
        said.hear(&ToEngine::SetWindow { view: 2, start: 10, end: 60 });
        said.hear(&change(2, "web"));
        assert_eq!(
            said.messages()[2..],
            [open(1, ViewOptions { start: 10, end: 60, ..options.clone() }), change(2, "web")]
        );
        said.answered(2, 2, true);
        said.hear(&change(3, "("));
        said.answered(2, 3, false);
        let granted = ViewOptions { filter: "web".to_owned(), end: 9, ..options };
        assert_eq!(said.messages()[2..], [open(2, granted)]);
    }
}
