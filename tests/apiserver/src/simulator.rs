//! The simulated cluster: what a real one's controllers, scheduler and kubelets would do, on the same store.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval};

use crate::store::Store;

/// Size and liveliness of the simulated cluster.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SimulatorOptions {
    pub(crate) pods: usize,
    pub(crate) churn: u32,
    pub(crate) seed: u64,
}

/// A running simulation; ends when dropped.
#[derive(Debug)]
pub(crate) struct Simulator {
    task: JoinHandle<()>,
}

impl Simulator {
    pub(crate) fn start(store: Arc<Store>, options: SimulatorOptions) -> Self {
        let _ = (store, options);
        let task = tokio::spawn(async move {
            let mut ticks = interval(Duration::from_millis(100));
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                ticks.tick().await;
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
