//! The page's end of the port: sends messages, and hands what comes to whoever asked for it.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use informer::{ErrorCode, ErrorReport, Freshness, InformerStatus, Phase};
use informer_engine::columns::ColumnHeader;
use informer_engine::message::{
    Facet, FromEngine, InformerOptions, PROTOCOL_VERSION, Row, ToEngine, ValuesOptions, ViewOptions, WishRefusal,
};
use js_sys::Reflect;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{MessageEvent, MessagePort};

use crate::lock;
use crate::rows::Totals;
use crate::said::Said;
use crate::wire::{from_js, to_js};

/// What comes for a view.
pub(crate) enum ViewMessage {
    /// The headers, once, before the first patch.
    Columns(Vec<ColumnHeader>),
    /// A change of the window.
    Patch {
        /// The number of the wish that the rows are as.
        wish: u32,
        /// Rows in the whole view.
        totals: Totals,
        /// The window that this completes.
        window: Range<usize>,
        /// New or changed rows.
        rows: Vec<Row>,
    },
    /// What the counted columns hold.
    Facets {
        /// The number of the wish that the rows are as that were counted.
        wish: u32,
        /// A column each.
        facets: Vec<Facet>,
    },
    /// Whether a wish was granted: one answer to each, in their order.
    Answered {
        /// Its number.
        wish: u32,
        /// Why it was not; then everything is as before.
        refusal: Option<WishRefusal>,
    },
}

/// The number of what is asked of a view when it is opened. What is asked of it later is counted from there.
pub(crate) const FIRST_WISH: u32 = 1;

type OnStatus = Rc<dyn Fn(InformerStatus)>;
type OnView = Rc<dyn Fn(ViewMessage)>;
type OnObject = Rc<dyn Fn(Option<String>)>;
/// Told why, and which lock is let go when nothing of it is left.
type OnLost = Rc<dyn Fn(String, Option<String>)>;
type OnReply = Box<dyn FnOnce(Result<String, ErrorReport>)>;

#[derive(Default)]
struct Inner {
    port: Option<MessagePort>,
    /// Whether the engine that there is has answered.
    connected: bool,
    /// Whether any has.
    was_connected: bool,
    /// The lock that the worker holds.
    lock: Option<String>,
    on_lost: Option<OnLost>,
    last_id: u32,
    said: Said,
    informers: HashMap<u32, OnStatus>,
    /// What the informers said last.
    statuses: HashMap<u32, InformerStatus>,
    views: HashMap<u32, OnView>,
    /// Views that another engine has opened again: what it says of them waits until it knows all rows, so that none go
    /// only because it does not know them yet.
    behind: HashMap<u32, Vec<ViewMessage>>,
    follows: HashMap<u32, OnObject>,
    requests: HashMap<u32, OnReply>,
}

/// A handle on the engine; copies are the same engine.
#[derive(Clone, Copy)]
pub(crate) struct Engine {
    inner: StoredValue<Inner, LocalStorage>,
    trouble: RwSignal<Option<String>>,
    crowded: RwSignal<bool>,
}

/// Why an answer of the engine cannot be read.
pub(crate) fn unreadable(error: &serde_json::Error) -> ErrorReport {
    let message = format!("the answer of the engine cannot be read: {error}");
    ErrorReport { code: ErrorCode::Decode, message, status: None, request: None, retryable: true }
}

impl Engine {
    /// An engine that is not connected yet; what is sent until then is lost.
    pub(crate) fn new() -> Self {
        Self {
            inner: StoredValue::new_local(Inner::default()),
            trouble: RwSignal::new(None),
            crowded: RwSignal::new(false),
        }
    }

    /// Whether an informer of this page waits for a connection to watch, so that none should have one that can do without.
    pub(crate) fn crowded(self) -> ReadSignal<bool> {
        self.crowded.read_only()
    }

    /// Why nothing works, when nothing does.
    pub(crate) fn trouble(self) -> ReadSignal<Option<String>> {
        self.trouble.read_only()
    }

    /// Says why nothing works. The first reason stays: what follows is only its consequence.
    pub(crate) fn fail(self, reason: String) {
        self.trouble.update(|trouble| {
            trouble.get_or_insert(reason);
        });
    }

    /// Takes the port into use, introduces the page, and says what was said to an engine before.
    pub(crate) fn connect(self, port: MessagePort, url: String, on_lost: impl Fn(String, Option<String>) + 'static) {
        // One closure for each engine of the page, and those are few: it is never taken back.
        let on_message =
            Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| match from_js(&event.data()) {
                _ if self.held(&event.data()) => {}
                Ok(message) => self.receive(message),
                Err(error) => self.fail(format!("The engine sent something that this page cannot read: {error}")),
            });
        port.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        on_message.forget();
        let said = self.inner.try_update_value(|inner| {
            inner.port = Some(port);
            inner.on_lost = Some(Rc::new(on_lost));
            inner.said.messages()
        });
        self.post(&ToEngine::Connect { version: PROTOCOL_VERSION, url, persist: true });
        said.into_iter().flatten().for_each(|message| self.post(&message));
    }

    /// Whether any engine has answered: where one could, another one may.
    fn was_connected(self) -> bool {
        self.inner.try_with_value(|inner| inner.was_connected).unwrap_or_default()
    }

    /// The script of the engine's place has failed. Where the engine had answered already, its port tells of that.
    pub(crate) fn script_failed(self, reason: String) {
        if self.inner.try_with_value(|inner| inner.connected).unwrap_or_default() {
            return;
        }
        if self.was_connected() { self.gone(reason) } else { self.fail(reason) }
    }

    /// The engine is gone, and another one will be told what this one knew.
    pub(crate) fn lost(self) {
        let told = self
            .inner
            .try_update_value(|inner| {
                if let Some(port) = inner.port.take() {
                    port.set_onmessage(None);
                    port.close();
                }
                inner.connected = false;
                inner.behind = inner.views.keys().map(|view| (*view, Vec::new())).collect();
                let told = inner.statuses.iter_mut().filter_map(|(informer, status)| {
                    (status.phase, status.freshness) = (Phase::Reconnecting, Freshness::CatchingUp);
                    Some((inner.informers.get(informer)?.clone(), status.clone()))
                });
                told.collect::<Vec<_>>()
            })
            .unwrap_or_default();
        for (on_status, status) in told {
            on_status(status);
        }
    }

    /// Asks for another engine in place of one that was there.
    fn gone(self, reason: String) {
        let on_lost = self.inner.try_update_value(|inner| (inner.on_lost.take(), inner.lock.take()));
        if let Some((Some(on_lost), lock)) = on_lost {
            on_lost(reason, lock);
        }
    }

    /// What the worker says, which is not the engine: the name of the lock that it holds as long as it lives.
    fn held(self, data: &JsValue) -> bool {
        let Some(lock) = Reflect::get(data, &"held".into()).ok().and_then(|lock| lock.as_string()) else {
            return false;
        };
        self.inner.update_value(|inner| inner.lock = Some(lock.clone()));
        lock::when_gone(&lock.clone(), move || {
            // Of one that said itself that it had crashed nothing more need be said.
            if self.find(|inner| inner.lock.clone()).as_ref() == Some(&lock) {
                self.inner.update_value(|inner| inner.lock = None);
                self.gone("The background worker has ended. Reload the page to try again.".to_owned());
            }
        });
        true
    }

    /// Sends one message. What is open is said to the next engine, too.
    pub(crate) fn send(self, message: &ToEngine) {
        self.inner.try_update_value(|inner| inner.said.hear(message));
        self.post(message);
    }

    fn post(self, message: &ToEngine) {
        let Some(port) = self.inner.try_with_value(|inner| inner.port.clone()).flatten() else { return };
        let sent = to_js(message).and_then(|value| port.post_message(&value));
        if let Err(error) = sent {
            self.fail(format!("A message to the engine could not be sent: {error:?}"));
        }
    }

    /// Opens and starts an informer; its id is for [`Engine::open_view`] and [`Engine::stop`].
    pub(crate) fn informer(
        self,
        resource: String,
        options: InformerOptions,
        on_status: impl Fn(InformerStatus) + 'static,
    ) -> u32 {
        let informer = self.register(|inner, id| inner.informers.insert(id, Rc::new(on_status)));
        self.send(&ToEngine::Informer { informer, resource, options });
        self.send(&ToEngine::Start);
        informer
    }

    /// Leaves an informer.
    pub(crate) fn stop(self, informer: u32) {
        self.forget(|inner| {
            inner.statuses.remove(&informer);
            inner.informers.remove(&informer).is_some()
        });
        self.send(&ToEngine::Stop { informer });
    }

    /// Opens a view; what is asked of it with that is its wish number [`FIRST_WISH`].
    pub(crate) fn open_view(self, informer: u32, options: ViewOptions, on_view: impl Fn(ViewMessage) + 'static) -> u32 {
        let view = self.register(|inner, id| inner.views.insert(id, Rc::new(on_view)));
        self.send(&ToEngine::OpenView { view, informer, wish: FIRST_WISH, options });
        view
    }

    /// Closes a view; nothing more comes for it.
    pub(crate) fn close_view(self, view: u32) {
        self.forget(|inner| {
            inner.behind.remove(&view);
            inner.views.remove(&view).is_some()
        });
        self.send(&ToEngine::CloseView { view });
    }

    /// Follows one object.
    pub(crate) fn follow(self, informer: u32, key: String, on_object: impl Fn(Option<String>) + 'static) -> u32 {
        let follow = self.register(|inner, id| inner.follows.insert(id, Rc::new(on_object)));
        self.send(&ToEngine::Follow { follow, informer, key });
        follow
    }

    /// Stops following.
    pub(crate) fn unfollow(self, follow: u32) {
        self.forget(|inner| inner.follows.remove(&follow).is_some());
        self.send(&ToEngine::Unfollow { follow });
    }

    /// Asks what the server has; the answer is JSON text.
    pub(crate) fn resources(self, on_reply: impl FnOnce(Result<String, ErrorReport>) + 'static) {
        let request = self.register(|inner, id| inner.requests.insert(id, Box::new(on_reply)));
        self.send(&ToEngine::Resources { request });
    }

    /// Asks for the values of a column of a view, over other rows than those that it shows.
    pub(crate) fn values(
        self,
        view: u32,
        options: ValuesOptions,
        on_reply: impl FnOnce(Result<Facet, ErrorReport>) + 'static,
    ) {
        let read = |json: String| serde_json::from_str(&json).map_err(|error| unreadable(&error));
        let on_reply = move |reply: Result<String, ErrorReport>| on_reply(reply.and_then(read));
        let request = self.register(|inner, id| inner.requests.insert(id, Box::new(on_reply)));
        self.send(&ToEngine::Values { request, view, options });
    }

    /// Asks what an informer has done; the answer is JSON text. An engine that takes over is asked, too.
    pub(crate) fn inspect(self, informer: u32, on_reply: impl FnOnce(Result<String, ErrorReport>) + 'static) {
        let request = self.register(|inner, id| inner.requests.insert(id, Box::new(on_reply)));
        self.send(&ToEngine::Inspect { request, informer });
    }

    /// Removes what is kept of clusters in this browser; the answer says whether that went well.
    pub(crate) fn forget_snapshots(self, on_reply: impl FnOnce(Result<String, ErrorReport>) + 'static) {
        let request = self.register(|inner, id| inner.requests.insert(id, Box::new(on_reply)));
        self.send(&ToEngine::Forget { request });
    }

    fn register<T>(self, insert: impl FnOnce(&mut Inner, u32) -> T) -> u32 {
        self.inner
            .try_update_value(|inner| {
                inner.last_id += 1;
                let id = inner.last_id;
                insert(inner, id);
                id
            })
            .unwrap_or_default()
    }

    fn forget(self, remove: impl FnOnce(&mut Inner) -> bool) {
        self.inner.try_update_value(remove);
    }

    /// Dispatch. A callback may call the engine, so nothing is borrowed while it runs.
    fn receive(self, message: FromEngine) {
        match message {
            FromEngine::Connected { version } if version == PROTOCOL_VERSION => {
                self.inner.try_update_value(|inner| (inner.connected, inner.was_connected) = (true, true));
            }
            FromEngine::Connected { version } => self.fail(format!(
                "This page speaks version {PROTOCOL_VERSION} and the engine in the worker version {version}. \
                 Close all tabs of this dashboard and open it again."
            )),
            FromEngine::Refused { error } if error.code == ErrorCode::Internal && self.was_connected() => {
                self.gone(format!(
                    "The engine has failed again and again: {}. Reload the page to try again.",
                    error.message
                ));
            }
            FromEngine::Refused { error } => self.fail(format!("The engine refused to serve: {}", error.message)),
            FromEngine::Reply { request, json } => self.reply(request, Ok(json)),
            FromEngine::Failed { request, error } => self.reply(request, Err(error)),
            FromEngine::Status { informer, status } => {
                let known = self.inner.try_update_value(|inner| {
                    let on_status = inner.informers.get(&informer)?.clone();
                    let before = inner.statuses.get(&informer).filter(|before| before.has_synced && !status.has_synced);
                    // What another engine has to learn first is known here.
                    let status = match before {
                        Some(InformerStatus { objects, bytes, .. }) => {
                            InformerStatus { has_synced: true, objects: *objects, bytes: *bytes, ..status }
                        }
                        None => status,
                    };
                    inner.statuses.insert(informer, status.clone());
                    let waits = |status: &InformerStatus| {
                        (status.freshness, status.phase) == (Freshness::Waiting, Phase::Reconnecting)
                    };
                    let crowded = inner.statuses.values().any(waits);
                    Some((on_status, status, crowded))
                });
                if let Some((on_status, status, crowded)) = known.flatten() {
                    if self.crowded.get_untracked() != crowded {
                        self.crowded.set(crowded);
                    }
                    on_status(status);
                }
            }
            FromEngine::Columns { view, columns } => self.view(view, ViewMessage::Columns(columns)),
            FromEngine::View { view, wish, total, of, synced, start, end, rows, .. } => {
                let totals = Totals { total, of, synced };
                self.view(view, ViewMessage::Patch { wish, totals, window: start..end, rows });
            }
            FromEngine::Facets { view, wish, facets } => self.view(view, ViewMessage::Facets { wish, facets }),
            FromEngine::Answered { view, wish, refusal } => {
                self.inner.try_update_value(|inner| inner.said.answered(view, wish, refusal.is_none()));
                self.view(view, ViewMessage::Answered { wish, refusal });
            }
            FromEngine::Object { follow, json } => {
                if let Some(on_object) = self.find(|inner| inner.follows.get(&follow).cloned()) {
                    on_object(json);
                }
            }
            // The status that comes along carries the error; handlers are not used by this page.
            FromEngine::Error { .. } | FromEngine::Changes { .. } | FromEngine::HandlerSynced { .. } => {}
        }
    }

    fn reply(self, request: u32, result: Result<String, ErrorReport>) {
        let on_reply = self.inner.try_update_value(|inner| {
            inner.said.forget(request);
            inner.requests.remove(&request)
        });
        if let Some(on_reply) = on_reply.flatten() {
            on_reply(result);
        }
    }

    fn view(self, view: u32, message: ViewMessage) {
        let due = self.inner.try_update_value(|inner| {
            let on_view = inner.views.get(&view)?.clone();
            let Some(behind) = inner.behind.get_mut(&view) else { return Some((on_view, vec![message])) };
            let has_all = matches!(&message, ViewMessage::Patch { totals, .. } if totals.synced);
            behind.push(message);
            if !has_all {
                return None;
            }
            inner.behind.remove(&view).map(|messages| (on_view, messages))
        });
        if let Some((on_view, messages)) = due.flatten() {
            for message in messages {
                on_view(message);
            }
        }
    }

    fn find<T>(self, get: impl FnOnce(&Inner) -> Option<T>) -> Option<T> {
        self.inner.try_with_value(get).flatten()
    }
}
