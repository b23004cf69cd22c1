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

use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval};

use crate::store::Store;
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
    task: JoinHandle<()>,
}

impl Simulator {
    /// Populates the store, then starts the simulation.
    pub(crate) fn start(store: Arc<Store>, options: SimulatorOptions) -> Self {
        let mut world = World::new(store, options.seed);
        population::populate(&mut world, options.pods);
        world.begin();
        let task = tokio::spawn(async move {
            let mut ticks = interval(TICK);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
            loop {
                ticks.tick().await;
                world.tick(options.churn);
            }
        });
        Self { task }
    }
}

impl Drop for Simulator {
    fn drop(&mut self) {
        self.task.abort();
    }
}
