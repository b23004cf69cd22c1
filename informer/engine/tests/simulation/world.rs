//! World: runs one story with a server, an application and pages, on one thread and in virtual time.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use fastrand::Rng;
use futures::executor::LocalPool;
use futures::task::LocalSpawnExt;
use informer::clock::Clock;
use informer::clock::virtual_time::VirtualClock;
use informer::{
    InformerKey, Object, Observer, QueueKind, ReflectorOptions, Runtime, SharedInformer, SharedInformerFactory,
    SharedInformerOptions,
};
use informer_engine::engine::{Endpoint, Engine};

use crate::clock::SimulatedClock;
use crate::connection::ConnectionEnd;
use crate::handlers::{Registry, Subject};
use crate::own_informers::OwnInformer;
use crate::pages::{ENGINE, Page};
use crate::requests::Client;
use crate::scope::Scope;
use crate::server::Server;
use crate::store::{Key, Store};
use crate::story::{Action, Step, Story};

/// Client name of the factory.
pub(crate) const FACTORY: &str = "app";

pub(crate) struct World {
    pool: LocalPool,
    time: VirtualClock,
    pub(crate) server: Rc<Server>,
    tasks: Rc<Cell<usize>>,
    pub(crate) runtime: Runtime,
    pub(crate) options: SharedInformerOptions<Object>,
    pub(crate) page_size: u32,
    pub(crate) page_resync: Duration,
    pub(crate) slow: bool,
    pub(crate) registry: Rc<Registry>,
    pub(crate) users: BTreeMap<u8, (InformerKey, Scope, SharedInformer<Object>)>,
    /// The informers of the factory, each with its number of users.
    pub(crate) informers: BTreeMap<Scope, (Subject, usize)>,
    /// Observers of the informers of the factory.
    pub(crate) observers: BTreeMap<Scope, Observer>,
    pub(crate) owns: BTreeMap<u8, OwnInformer>,
    pub(crate) engine: Option<Rc<Engine>>,
    pub(crate) pages: BTreeMap<u8, Page>,
}

/// Outcome of a story.
pub(crate) struct Outcome {
    pub(crate) failure: Option<String>,
    pub(crate) log: Vec<String>,
}

/// Runs a story.
pub(crate) fn play(story: &Story, with_log: bool) -> Outcome {
    let mut world = World::new(story, with_log);
    world.server.note(|| format!("queue {:?}", story.queue));
    for step in &story.steps {
        if world.failed() {
            break;
        }
        world.pass(step.wait);
        world.perform(step);
        world.settle();
        world.pages.values_mut().for_each(Page::process_messages);
        world.check_freshness();
        world.check_busy();
        world.check_promptness();
        world.check_owns();
    }
    world.end()
}

/// Running task, which is counted.
struct Task(Rc<Cell<usize>>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

impl World {
    fn new(story: &Story, with_log: bool) -> Self {
        let (pool, time) = (LocalPool::new(), VirtualClock::new());
        let server = Server::new(time.clone(), Store::new(story.pods.clone()), story.traits, story.seed);
        server.state.borrow_mut().short_watches = story.min_watch_timeout < Duration::from_secs(60);
        if with_log {
            server.state.borrow_mut().log = Some(Vec::new());
        }
        let random = RefCell::new(Rng::with_seed(story.seed));
        let clock: Rc<dyn Clock> = Rc::new(SimulatedClock { time: time.clone(), random, slow: story.slow });
        let (spawner, tasks) = (pool.spawner(), Rc::new(Cell::new(0)));
        let count = Rc::clone(&tasks);
        let runtime = Runtime {
            transport: Rc::new(Client { name: FACTORY, server: Rc::clone(&server) }),
            clock: Rc::clone(&clock),
            spawn: Rc::new(move |task| {
                count.set(count.get() + 1);
                let counted = Task(Rc::clone(&count));
                let task = async move {
                    let _counted = counted;
                    task.await;
                };
                // Leftovers of a failed story may still spawn tasks, in a pool that is being dropped, too.
                drop(spawner.spawn_local(task));
            }),
        };
        let reflector = ReflectorOptions {
            consistent_lists: story.consistent_lists,
            populate_by_page: story.populate_by_page,
            watch_list: story.watch_list,
            min_watch_timeout: story.min_watch_timeout,
            ..ReflectorOptions::default()
        };
        let (queue, resync_period) = (story.queue, story.resync);
        server.state.borrow_mut().by_key = queue == QueueKind::ByKey;
        let options = SharedInformerOptions { reflector, queue, resync_period, transform: None };
        let connected = Rc::clone(&server);
        let connector = move |_: &Endpoint| Rc::new(Client { name: ENGINE, server: Rc::clone(&connected) }) as Rc<_>;
        let engine = Engine::new(Box::new(connector), clock, Rc::clone(&runtime.spawn));
        let factory = RefCell::new(Rc::new(SharedInformerFactory::new(runtime.clone(), options.clone())));
        let registry = Registry {
            server: Rc::clone(&server),
            slots: RefCell::default(),
            others: RefCell::default(),
            factory,
            token: Rc::new(()),
        };
        Self {
            pool,
            time,
            server,
            tasks,
            runtime,
            options,
            page_size: story.page_size,
            page_resync: story.resync,
            slow: story.slow,
            registry: Rc::new(registry),
            users: BTreeMap::new(),
            informers: BTreeMap::new(),
            observers: BTreeMap::new(),
            owns: BTreeMap::new(),
            engine: Some(engine),
            pages: BTreeMap::new(),
        }
    }

    pub(crate) fn now(&self) -> Duration {
        self.time.now()
    }

    pub(crate) fn failed(&self) -> bool {
        self.server.state.borrow().failure.is_some()
    }

    /// Runs all tasks until they wait for time to pass.
    pub(crate) fn settle(&mut self) {
        self.pool.run_until_stalled();
    }

    pub(crate) fn next_due(&self) -> Option<Duration> {
        self.time.next_due().into_iter().chain(self.server.next_due()).min()
    }

    /// Advances the time to `to`.
    pub(crate) fn jump(&mut self, to: Duration) {
        self.time.advance(to.saturating_sub(self.time.now()));
        self.server.tick();
        self.settle();
    }

    /// Lets time pass, from timer to timer.
    pub(crate) fn pass(&mut self, time: Duration) {
        let until = self.now() + time;
        self.settle();
        while let Some(due) = self.next_due().filter(|due| *due <= until && !self.failed()) {
            self.jump(due);
        }
        self.jump(until);
    }

    /// Returns the running informers.
    pub(crate) fn subjects(&self) -> Vec<Subject> {
        let runs = |subject: &&Subject| subject.started.get() && !subject.stopped.get();
        let owns = self.owns.values().map(|own| &own.subject);
        self.informers.values().map(|(subject, _)| subject).chain(owns).filter(runs).cloned().collect()
    }

    fn perform(&mut self, step: &Step) {
        let gap = 1 + step.random % 3;
        let server = Rc::clone(&self.server);
        server.note(|| format!("{:?}", step.action));
        match step.action {
            Action::Put(key) => server.write(|store, now| store.put(key, false, gap, now)),
            Action::Relabel(key) => server.write(|store, now| store.put(key, true, gap, now)),
            Action::Delete(key) => drop(server.write(|store, now| store.delete(key, gap, now))),
            Action::Recreate(key) => server.write(|store, now| {
                store.delete(key, gap, now);
                store.put(key, step.random.is_multiple_of(5), 1, now);
            }),
            Action::Burst(writes) => self.burst(writes, step.random),
            Action::Churn(key, seconds) => {
                for _ in 0..u32::from(seconds) * 2 {
                    server.write(|store, now| store.put(key, false, gap, now));
                    self.pass(Duration::from_millis(500));
                }
            }
            Action::Compact => server.rewrite(|store, _| store.compact()),
            Action::Restart { away } => server.restart(away),
            Action::Restore { away } => {
                server.restart(away);
                server.rewrite(Store::restore);
            }
            Action::Replace { lower, away } => {
                server.restart(away);
                server.rewrite(|store, now| store.replace(lower, now));
            }
            Action::Drain(time) => server.drain(time),
            Action::Fault(schedule) => server.begin_fault(schedule),
            Action::LiftFaults => server.lift_faults(),
            Action::CutOpen => server.end_connections(ConnectionEnd::Cut),
            Action::StallOpen => server.end_connections(ConnectionEnd::Stall),
            Action::EndOpen => server.end_connections(ConnectionEnd::End),
            Action::Away(time) => server.make_unreachable(time),
            Action::Quiet => self.quiet(),
            Action::Pass => {}
            _ => self.perform_as_user(&step.action, step.random),
        }
    }

    fn burst(&mut self, writes: u8, random: u64) {
        let mut rng = Rng::with_seed(random);
        for _ in 0..writes {
            let key = Key { namespace: rng.u8(..3), number: [1, 2, 9, 10][rng.usize(..4)] };
            self.server.write(|store, now| match rng.u8(..4) {
                0 => drop(store.delete(key, 1, now)),
                kind => store.put(key, kind == 1, 1, now),
            });
        }
    }

    /// Releases everything, and checks for leaks.
    fn end(mut self) -> Outcome {
        if !self.failed() {
            self.server.note(|| "the end: everything is released".to_owned());
            self.shut_down();
            for own in std::mem::take(&mut self.owns).into_values() {
                own.subject.informer.stop();
            }
            for page in std::mem::take(&mut self.pages).into_values() {
                page.close(false);
            }
            self.pass(Duration::from_secs(1));
            self.registry.slots.borrow_mut().clear();
            self.registry.others.borrow_mut().clear();
            self.engine = None;
            self.pass(Duration::from_secs(60));
            let (tasks, sleepers, open) =
                (self.tasks.get(), self.time.sleepers(), self.server.state.borrow().open.len());
            // The registry has one itself.
            let held = Rc::strong_count(&self.registry.token) - 1;
            if (tasks, sleepers, open, held) != (0, 0, 0, 0) {
                let left =
                    format!("{tasks} tasks, {sleepers} timers, {open} requests, {held} handlers, pages or caches");
                self.server.fail(|| format!("leaked at the end: {left}"));
            }
        }
        // A leak would keep its memory over many thousand stories.
        let mut state = self.server.state.borrow_mut();
        Outcome { failure: state.failure.take(), log: state.log.take().unwrap_or_default() }
    }
}
