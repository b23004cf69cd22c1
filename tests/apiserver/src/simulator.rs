//! Simulated cluster: controllers, scheduler and kubelets on the same store.
//!
//! Time is counted in ticks of 100 ms, and all randomness comes from one seed: the same seed produces the same cluster
//! and, if no client interferes, the same history.

mod churn;
mod controllers;
mod custom;
mod kubelet;
mod managed_fields;
mod node;
mod pod;
mod population;
mod recorder;
mod revisions;
mod rollout;
mod world;

use std::sync::Arc;
use std::time::Duration;

use futures::future::{AbortHandle, abortable};

use crate::clock::{Instant, sleep_until};
use crate::store::Store;
use crate::tasks::Tasks;
use world::World;

/// Length of a tick.
const TICK: Duration = Duration::from_millis(100);

/// Size and activity of the simulated cluster.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SimulatorOptions {
    pub(crate) pods: usize,
    /// Store writes per second.
    pub(crate) churn: u32,
    pub(crate) seed: u64,
}

/// A running simulation; ends when dropped.
#[derive(Debug)]
pub(crate) struct Simulator {
    task: AbortHandle,
}

impl Simulator {
    /// Populates the store, then starts the simulation.
    pub(crate) fn start(store: Arc<Store>, options: SimulatorOptions) -> Self {
        let mut world = World::new(store, options.seed);
        population::populate(&mut world, options.pods);
        world.begin();
        let (ticking, task) = abortable(async move {
            let mut next = Instant::now();
            loop {
                world.tick(options.churn);
                // After a pause, missed ticks are skipped.
                let now = Instant::now();
                while next <= now {
                    next += TICK;
                }
                sleep_until(next).await;
            }
        });
        Tasks::current().spawn(async move {
            let _ = ticking.await;
        });
        Self { task }
    }
}

impl Drop for Simulator {
    fn drop(&mut self) {
        self.task.abort();
    }
}
