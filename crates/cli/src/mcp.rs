//! `reseek mcp`: what the server must know of this process, and the server itself.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use reseek_indexer::Error as IndexError;
use reseek_mcp::http::{Listener, PATH, new_token};
use reseek_mcp::serve::{DEFAULT_PATIENCE, Options, serve_http, serve_stdio};
use reseek_mcp::surroundings::{Place as ServedPlace, Refusal, Surroundings};

use crate::args::{Global, McpArgs};
use crate::environment;
use crate::errors::{Explained, Problem, of_index};
use crate::freshness::{Place, root_here};
use crate::output::{Answer, Output};

/// Shorter tokens can be guessed.
const MIN_TOKEN_BYTES: usize = 16;

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

/// Serves until the client goes, or over HTTP until the process ends.
pub(crate) fn run(global: &Global, output: &Output, args: &McpArgs) -> anyhow::Result<Answer> {
    let roots = global.root.iter().map(std::path::absolute).collect::<Result<_, _>>()?;
    let options = Options {
        roots,
        patience: global.wait.map_or(DEFAULT_PATIENCE, Duration::from_secs),
        version: env!("CARGO_PKG_VERSION"),
    };
    let here = Arc::new(Here { global: global.clone() });
    match args.http {
        None => serve_stdio(&options, here)?,
        Some(address) => {
            let listener = Listener::bind(address).map_err(|error| Problem::Usage {
                message: format!("cannot listen on {address}: {error}"),
                advice: "choose a free port of 127.0.0.1; others must not reach the server"
                    .to_owned(),
            })?;
            let token = token(args.token_file.as_deref(), output)?;
            output.complain(&format!("reseek: listening on http://{}{PATH}", listener.address));
            serve_http(&options, here, listener, token)?;
        }
    }
    // The protocol has said everything already.
    Ok(Answer::text(String::new()))
}

/// The token of the file, or a new one.
fn token(file: Option<&Path>, output: &Output) -> anyhow::Result<String> {
    let Some(file) = file else {
        let token = new_token()?;
        output.complain(&format!("reseek: token {token}"));
        return Ok(token);
    };
    let unreadable = |why: String| Problem::Unreadable { path: file.to_path_buf(), why };
    match fs::read_to_string(file) {
        Ok(text) if text.trim().len() < MIN_TOKEN_BYTES => {
            Err(unreadable(format!("a token has at least {MIN_TOKEN_BYTES} characters")).into())
        }
        Ok(text) => Ok(text.trim().to_owned()),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let token = new_token()?;
            write_secret(file, &token).map_err(|error| unreadable(error.to_string()))?;
            Ok(token)
        }
        Err(error) => Err(unreadable(error.to_string()).into()),
    }
}

/// Writes a new file that only its owner can read.
fn write_secret(file: &Path, text: &str) -> std::io::Result<()> {
    let mut options = fs::File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file)?.write_all(format!("{text}\n").as_bytes())
}
