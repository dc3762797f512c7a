//! Starts a server and waits for its end.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceExt as _;

use crate::http::{self, Listener};
use crate::retrieve::Kept;
use crate::roots::Engines;
use crate::server::Server;
use crate::stdio;
use crate::surroundings::Surroundings;
use crate::tools::Desk;

/// How long a call waits for an update, if nothing else is said: clients give up after a minute, people after seconds.
pub const DEFAULT_PATIENCE: Duration = Duration::from_secs(4);
/// Threads that answer calls; further calls wait.
const MAX_THREADS: usize = 64;

/// How to serve.
#[derive(Clone, Debug)]
pub struct Options {
    /// The roots; none to take those of the client.
    pub roots: Vec<PathBuf>,
    /// How long a call waits for an update before it answers without.
    pub patience: Duration,
    /// The version of the program.
    pub version: &'static str,
}

/// Why a server could not be started, or did not end well.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The system gave no thread, pipe or socket.
    #[error("cannot serve: {0}")]
    Io(#[from] std::io::Error),
}

/// Serves one client over standard input and output until the input ends.
pub fn serve_stdio(
    options: &Options,
    surroundings: Arc<dyn Surroundings>,
) -> Result<(), ServeError> {
    let runtime = runtime()?;
    let desk = desk(options, surroundings);
    let server = Server::new(Arc::clone(&desk), Arc::new(options.roots.clone()), options.version);
    let mut pipes = stdio::pipes()?;
    let last_write = pipes.take_last_write();
    runtime.block_on(async {
        match server.serve(pipes).await {
            Ok(running) => {
                if let Err(error) = running.waiting().await {
                    tracing::error!("the server ended unexpectedly: {error}");
                }
            }
            // A client that goes before it has said anything is no error of ours.
            Err(error) => tracing::debug!("no session came about: {error}"),
        }
    });
    // What still runs is bounded by its own time limit and must not keep the process.
    runtime.shutdown_background();
    if let Some(last_write) = last_write {
        last_write.wait();
    }
    desk.engines.finish();
    Ok(())
}

/// Serves clients over HTTP until the process ends. They share the indexes and the answers that are gone on from, and each has
/// the roots that it names itself.
pub fn serve_http(
    options: &Options,
    surroundings: Arc<dyn Surroundings>,
    listener: Listener,
    token: String,
) -> Result<(), ServeError> {
    let desk = desk(options, surroundings);
    let (fixed, version) = (Arc::new(options.roots.clone()), options.version);
    let new_server = move || Server::new(Arc::clone(&desk), Arc::clone(&fixed), version);
    Ok(runtime()?.block_on(http::serve(listener, token, new_server))?)
}

fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(MAX_THREADS)
        .build()
}

fn desk(options: &Options, surroundings: Arc<dyn Surroundings>) -> Arc<Desk> {
    Arc::new(Desk {
        engines: Engines::new(Arc::clone(&surroundings)),
        surroundings,
        kept: Kept::default(),
        patience: options.patience,
    })
}
