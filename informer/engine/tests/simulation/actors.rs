//! Actions of the application and the pages in a story.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use informer::{InformerEvent, Keyed, Object, SharedInformer, SharedInformerFactory};

use crate::handlers::Subject;
use crate::own_informers::FIRST_OWN;
use crate::pages::{ENGINE, Page};
use crate::scope::{SCOPES, Scope};
use crate::story::Action;
use crate::world::{FACTORY, World};

/// Indexes by version, whose values change with each change of an object: one from the beginning, one added later.
pub(crate) const EARLY_INDEX: &str = "early";
pub(crate) const LATE_INDEX: &str = "late";

/// Adds an index that owns the token, which detects a cache that is not released.
pub(crate) fn index(informer: &SharedInformer<Object>, token: &Rc<()>) {
    let token = Rc::clone(token);
    let by_version = move |object: &Object| {
        let _ = &token;
        Ok(vec![object.resource_version().to_owned()])
    };
    let indexers = BTreeMap::from([(EARLY_INDEX.to_owned(), Rc::new(by_version) as Rc<_>)]);
    informer.add_indexers(indexers).expect("new");
}

impl World {
    pub(crate) fn perform_as_user(&mut self, action: &Action, random: u64) {
        let subject = |world: &Self, user: u8| {
            if let Some(own) = user.checked_sub(FIRST_OWN) {
                return world.owns.get(&own).map(|own| own.subject.clone());
            }
            let (_, scope, _) = world.users.get(&user)?;
            world.informers.get(scope).map(|(subject, _)| subject.clone())
        };
        match *action {
            Action::Want { user, scope } => {
                self.release(user);
                self.want(user, SCOPES[usize::from(scope)]);
            }
            Action::Start => self.start(),
            Action::Release { user } => self.release(user),
            Action::Stop { user } => {
                if let Some(subject) = subject(self, user) {
                    subject.stop(&self.server);
                }
            }
            Action::Wake { user } => {
                if let Some(subject) = subject(self, user) {
                    self.excuse(subject.source.0, subject.source.1);
                    subject.informer.wake();
                }
            }
            Action::AddIndex { user } => {
                if let Some(subject) = subject(self, user) {
                    let by_version = |object: &Object| Ok(vec![object.resource_version().to_owned()]);
                    let indexers = BTreeMap::from([(LATE_INDEX.to_owned(), Rc::new(by_version) as Rc<_>)]);
                    // A name that is taken is rejected, without another effect.
                    drop(subject.informer.add_indexers(indexers));
                }
            }
            Action::AddHandler { handler, user, behavior, options } => {
                if let Some(subject) = subject(self, user) {
                    self.registry.add(handler, &subject, behavior, options);
                }
            }
            Action::RemoveHandler { handler } => drop(self.registry.remove(handler)),
            Action::Hold { handler, after } => self.registry.hold(handler, after),
            Action::Resume { handler } => self.registry.resume(Some(handler)),
            Action::RunOwn { own, scope } => self.run_own(own, scope, !random.is_multiple_of(2)),
            Action::DropOwn { own } => self.drop_own(own),
            Action::ShutDown => self.shut_down(),
            Action::OpenPage { page } => {
                if let (false, Some(engine)) = (self.pages.contains_key(&page), &self.engine) {
                    let opened = Page::open(engine, &self.server, &self.registry.token, self.page_resync);
                    opened.show(random.is_multiple_of(2));
                    self.pages.insert(page, opened);
                }
            }
            Action::ClosePage { page, politely } => {
                if let Some(page) = self.pages.remove(&page) {
                    page.close(politely);
                }
            }
            _ => self.perform_as_page(action),
        }
    }

    fn perform_as_page(&mut self, action: &Action) {
        let (Action::PageInformer { page, .. }
        | Action::PageStop { page, .. }
        | Action::PageWake { page }
        | Action::View { page, .. }
        | Action::Window { page, .. }
        | Action::CloseView { page, .. }
        | Action::Follow { page, .. }
        | Action::Unfollow { page, .. }
        | Action::PageHandler { page, .. }
        | Action::PageHold { page }
        | Action::PageTake { page }
        | Action::RemovePageHandler { page, .. }) = action
        else {
            return;
        };
        let (size, excused) = (self.page_size, SCOPES.iter().filter(|_| matches!(action, Action::PageInformer { .. })));
        excused.for_each(|scope| self.excuse(ENGINE, *scope));
        if let Some(page) = self.pages.get_mut(page) {
            let woken: Vec<Scope> = page.scopes().filter(|_| matches!(action, Action::PageWake { .. })).collect();
            page.perform(action, size);
            for scope in woken {
                self.excuse(ENGINE, scope);
            }
        }
    }

    /// Records that a source has a reason to send another request.
    pub(crate) fn excuse(&self, client: &'static str, scope: Scope) {
        let now = self.now();
        self.server.state.borrow_mut().traffic.entry((client, scope)).or_default().record_version(0, now);
    }

    fn want(&mut self, user: u8, scope: Scope) {
        let pods = "v1/pods".parse().expect("a resource");
        let factory = Rc::clone(&self.registry.factory.borrow());
        let (key, informer) = factory.for_resource(pods, scope.options(self.page_size)).expect("well-formed");
        let created = informer.clone();
        let token = &self.registry.token;
        let entry = self.informers.entry(scope).or_insert_with(|| {
            index(&created, token);
            (Subject { source: (FACTORY, scope), informer: created, started: Rc::default(), stopped: Rc::default() }, 0)
        });
        entry.1 += 1;
        if entry.1 == 1 {
            let observer = informer.observe(self.observe(scope, informer.clone()));
            self.observers.insert(scope, observer);
            self.server
                .state
                .borrow_mut()
                .traffic
                .entry((FACTORY, scope))
                .or_default()
                .start_informer(self.server.now());
        }
        self.users.insert(user, (key, scope, informer));
        self.excuse(FACTORY, scope);
    }

    /// Checks an informer at each of its events: once it has synced, the objects that always existed are in its cache.
    /// The observer keeps the informer alive until it is dropped.
    fn observe(&self, scope: Scope, informer: SharedInformer<Object>) -> impl Fn(&InformerEvent) + 'static {
        let (server, is_checked) = (Rc::clone(&self.server), Cell::new(false));
        move |_| {
            if is_checked.get() || !informer.has_synced() {
                return;
            }
            is_checked.set(true);
            let state = server.state.borrow();
            let pod_history = &state.store.pod_history;
            let source = (FACTORY, scope);
            let missing = pod_history.keys().find(|key| {
                let always = pod_history.find_absence(*key, scope, 0).is_none();
                let excused = state.ever_undecodable.contains(&(source, *key));
                always
                    && !excused
                    && state.times_hidden(source, *key) == 0
                    && informer.indexer().get_by_key(&key.to_string()).is_none()
            });
            drop(state);
            if let Some(key) = missing {
                server
                    .fail(|| format!("informer {scope} has synced, but {key}, which was always there, is not cached"));
            }
        }
    }

    fn start(&mut self) {
        // On a slow machine time depends on the order in which they start, and a factory promises none.
        if self.slow {
            let factory = Rc::clone(&self.registry.factory.borrow());
            self.users.values().for_each(|(key, ..)| factory.start_one(key));
        } else {
            self.registry.factory.borrow().start();
        }
        self.informers.values().for_each(|(subject, _)| subject.started.set(true));
    }

    fn release(&mut self, user: u8) {
        let Some((key, scope, _)) = self.users.remove(&user) else { return };
        let factory = Rc::clone(&self.registry.factory.borrow());
        factory.release(&key);
        if let Some((subject, users)) = self.informers.get_mut(&scope) {
            *users -= 1;
            if *users == 0 {
                subject.stopped.set(true);
                self.informers.remove(&scope);
                self.observers.remove(&scope);
            }
        }
    }

    /// Shuts the factory down; the application continues with another one.
    pub(crate) fn shut_down(&mut self) {
        self.registry.factory.borrow().shutdown();
        self.informers.values().for_each(|(subject, _)| subject.stopped.set(true));
        self.informers.clear();
        self.observers.clear();
        self.users.clear();
        let factory = SharedInformerFactory::new(self.runtime.clone(), self.options.clone());
        *self.registry.factory.borrow_mut() = Rc::new(factory);
    }
}
