//! `reseek mcp`: what the server must know of this process, and the server itself.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use reseek_indexer::Error as IndexError;
use reseek_mcp::serve::{DEFAULT_PATIENCE, Options, serve_stdio};
use reseek_mcp::surroundings::{Place as ServedPlace, Refusal, Surroundings};

use crate::args::Global;
use crate::environment;
use crate::errors::{Explained, of_index};
use crate::freshness::{Place, root_here};
use crate::output::Answer;

/// This process, as the server sees it.
struct Here {
    global: Global,
}

impl Here {
    fn find(&self, root: &Path) -> anyhow::Result<Place> {
        let place = Place::find(&Global { root: vec![root.to_path_buf()], ..self.global.clone() })?;
        place.check_owner()?;
        Ok(place)
    }
}

impl Surroundings for Here {
    fn place(&self, root: &Path) -> Result<ServedPlace, Refusal> {
        let Place { root, folder, config, threads, .. } =
            self.find(root).map_err(|error| refusal(&error))?;
        Ok(ServedPlace { root, folder, config, threads })
    }

    fn default_root(&self) -> Result<PathBuf, Refusal> {
        root_here(&self.global).map_err(|error| refusal(&error))
    }

    fn updated(&self, place: &ServedPlace) -> Result<(), Refusal> {
        let place = self.find(&place.root).map_err(|error| refusal(&error))?;
        place.remember().map_err(|error| refusal(&error))
    }

    fn explain(&self, error: &IndexError) -> Refusal {
        let (kind, advice, _) = of_index(error);
        Refusal::new(kind, error.to_string(), advice)
    }

    fn now_ns(&self) -> i64 {
        environment::now_ns()
    }
}

fn refusal(error: &anyhow::Error) -> Refusal {
    let explained = Explained::new(error);
    Refusal::new(explained.kind, explained.message, explained.advice)
}

/// Serves until the client goes.
pub(crate) fn run(global: &Global) -> anyhow::Result<Answer> {
    let roots = global.root.iter().map(std::path::absolute).collect::<Result<_, _>>()?;
    let options = Options {
        roots,
        patience: global.wait.map_or(DEFAULT_PATIENCE, Duration::from_secs),
        version: env!("CARGO_PKG_VERSION"),
    };
    serve_stdio(&options, Arc::new(Here { global: global.clone() }))?;
    // The protocol has said everything already.
    Ok(Answer::text(String::new()))
}
