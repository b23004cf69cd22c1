//! Server: a cluster behind a port or a Unix socket.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::ops::Deref;
use std::time::Duration;

use axum::serve::ListenerExt as _;
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::builder::Builder;
use crate::cluster::Cluster;

/// Maximum time that `stop` waits for responses in progress.
const STOP_TIMEOUT: Duration = Duration::from_millis(500);

impl Builder {
    /// Starts the server inside the current tokio runtime.
    pub async fn start(self) -> io::Result<Server> {
        let listening = match &self.socket {
            Some(path) => Listening::Socket(UnixListener::bind(path)?),
            None => Listening::Port(TcpListener::bind((Ipv4Addr::LOCALHOST, self.port)).await?),
        };
        let address = listening.address()?;
        let cluster = self.build();
        let router = cluster.router();
        let (stop, stopped) = oneshot::channel::<()>();
        let stopped = async move { drop(stopped.await) };
        let task = tokio::spawn(async move {
            match listening {
                Listening::Port(listener) => {
                    // Otherwise a small event would wait for the acknowledgement of the previous one.
                    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
                    drop(axum::serve(listener, router).with_graceful_shutdown(stopped).await);
                }
                Listening::Socket(listener) => {
                    drop(axum::serve(listener, router).with_graceful_shutdown(stopped).await);
                }
            }
        });
        Ok(Server { address, cluster, stop: Some(stop), task: Some(task) })
    }
}

/// Where a server listens.
enum Listening {
    Port(TcpListener),
    Socket(UnixListener),
}

impl Listening {
    /// Returns the address on 127.0.0.1; of a socket it has the port 0.
    fn address(&self) -> io::Result<SocketAddr> {
        match self {
            Self::Port(listener) => listener.local_addr(),
            Self::Socket(_) => Ok((Ipv4Addr::LOCALHOST, 0).into()),
        }
    }
}

/// Running server of a [`Cluster`], whose methods it has. Dropping it stops it too, without waiting.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    cluster: Cluster,
    stop: Option<oneshot::Sender<()>>,
    task: Option<JoinHandle<()>>,
}

impl Deref for Server {
    type Target = Cluster;

    fn deref(&self) -> &Cluster {
        &self.cluster
    }
}

impl Server {
    /// Returns default settings: no pods, any port.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Returns `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns its address; with a Unix socket its port is 0.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Stops: watches end cleanly, the port is free afterwards.
    pub async fn stop(mut self) {
        self.signal();
        if let Some(mut task) = self.task.take()
            && tokio::time::timeout(STOP_TIMEOUT, &mut task).await.is_err()
        {
            // A reader that does not read must not block the stop.
            task.abort();
        }
    }

    fn signal(&mut self) {
        self.cluster.end();
        drop(self.stop.take());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.signal();
    }
}
