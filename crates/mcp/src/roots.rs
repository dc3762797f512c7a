//! Which roots a server answers for, and which of their files it hands out.
//!
//! Roots come from the command line; else from the client; else there is the default root, and a call may name another
//! folder itself. A path belongs to the root that is its longest prefix, after symbolic links are resolved. Of a
//! root, only files of its index are served, and only while their resolved path lies below it.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use percent_encoding::percent_decode_str;
use reseek_indexer::corpus::read::{Outcome, read};
use reseek_indexer::corpus::{Checker, Contents, Verdict};
use reseek_indexer::entry::FileFlags;

use crate::engine::{Engine, Ready, slashed};
use crate::surroundings::{Refusal, Surroundings};

/// How long a server that is told to end lets a first build go on, so that it is not begun anew by the next one.
const LINGER: Duration = Duration::from_mins(2);

/// Where the roots of a call come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    /// From the command line.
    Fixed(Vec<PathBuf>),
    /// From the client.
    Client(Vec<PathBuf>),
    /// From nowhere: the default root, or the folder that the call names.
    Nobody,
}

/// The engines of all roots that were asked so far.
pub(crate) struct Engines {
    surroundings: Arc<dyn Surroundings>,
    known: Mutex<BTreeMap<PathBuf, Arc<Engine>>>,
}

impl Engines {
    pub(crate) fn new(surroundings: Arc<dyn Surroundings>) -> Self {
        Self { surroundings, known: Mutex::default() }
    }

    fn get(&self, root: &Path) -> Arc<Engine> {
        // One spelling for each folder, so that it has one engine.
        let root = std::fs::canonicalize(root).unwrap_or_else(|_| root.to_path_buf());
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let engine = known
            .entry(root.clone())
            .or_insert_with(|| Arc::new(Engine::new(root, Arc::clone(&self.surroundings))));
        Arc::clone(engine)
    }

    /// Every root of the call.
    pub(crate) fn all(&self, named: &Named) -> Result<Vec<Arc<Engine>>, Refusal> {
        Ok(match named {
            Named::Fixed(roots) | Named::Client(roots) => {
                roots.iter().map(|root| self.get(root)).collect()
            }
            Named::Nobody => vec![self.get(&self.surroundings.default_root()?)],
        })
    }

    /// The root that `wanted` names or lies in; without it, the only one.
    pub(crate) fn one(&self, named: &Named, wanted: &str) -> Result<Arc<Engine>, Refusal> {
        if wanted.is_empty() {
            let all = self.all(named)?;
            return match all.as_slice() {
                [] => Err(Refusal::new(
                    "no-root",
                    "the client names no root",
                    "open a folder in the client, or start the server with `--root DIR`",
                )),
                [one] => Ok(Arc::clone(one)),
                _ => Err(Refusal::new(
                    "several-roots",
                    format!("there are {} roots", all.len()),
                    format!("name one in `root`: {}", names(&all)),
                )),
            };
        }
        let path = path_of(wanted);
        if *named == Named::Nobody && path.is_absolute() {
            // Nothing but a folder can be a root; what may not be one is refused where its place is looked for.
            return Ok(self.get(&path));
        }
        let all = self.all(named)?;
        if !path.is_absolute() {
            let matching: Vec<&Arc<Engine>> =
                all.iter().filter(|engine| engine.root().ends_with(&path)).collect();
            if let [one] = matching.as_slice() {
                return Ok(Arc::clone(one));
            }
        }
        let resolved =
            if path.is_absolute() { std::fs::canonicalize(&path).unwrap_or(path) } else { path };
        all.iter()
            .filter(|engine| resolved.starts_with(engine.root()))
            .max_by_key(|engine| engine.root().components().count())
            .map(Arc::clone)
            .ok_or_else(|| {
                Refusal::new(
                    "outside",
                    format!("`{wanted}` is no root of this server and lies in none"),
                    format!("roots are: {}", names(&all)),
                )
            })
    }

    /// The root for a call that may name one, and else names absolute paths.
    pub(crate) fn for_paths(
        &self,
        named: &Named,
        wanted: &str,
        paths: &[&str],
    ) -> Result<Arc<Engine>, Refusal> {
        let first = paths.iter().find(|path| path_of(path).is_absolute());
        match first {
            Some(path) if wanted.is_empty() && *named != Named::Nobody => self.one(named, path),
            _ => self.one(named, wanted),
        }
    }

    /// Ends what is running.
    pub(crate) fn finish(&self) {
        let engines: Vec<Arc<Engine>> = self
            .known
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .values()
            .map(Arc::clone)
            .collect();
        for engine in engines {
            engine.finish(LINGER);
        }
    }
}

fn names(engines: &[Arc<Engine>]) -> String {
    engines.iter().map(|engine| slashed(engine.root())).collect::<Vec<_>>().join(", ")
}

/// The path of a `file:` URI, or the text itself.
pub(crate) fn path_of(text: &str) -> PathBuf {
    let Some(rest) = text.strip_prefix("file://") else { return PathBuf::from(text) };
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    let path = percent_decode_str(rest).decode_utf8_lossy().into_owned();
    // `/C:/x` is how a drive is written in a URI.
    match path.strip_prefix('/') {
        Some(drive) if drive.as_bytes().get(1) == Some(&b':') && cfg!(windows) => {
            PathBuf::from(drive)
        }
        _ => PathBuf::from(path),
    }
}

/// A path that a caller gave, relative to the root; nothing if it leads out of it.
pub(crate) fn relative(root: &Path, given: &str) -> Option<String> {
    if given.is_empty() || given.contains('\0') {
        return None;
    }
    let path = path_of(given);
    let path = if path.is_absolute() {
        match path.strip_prefix(root) {
            Ok(inside) => inside.to_path_buf(),
            Err(_) => std::fs::canonicalize(&path).ok()?.strip_prefix(root).ok()?.to_path_buf(),
        }
    } else {
        path
    };
    let mut names: Vec<&str> = Vec::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => names.push(name.to_str()?),
            Component::CurDir => {}
            Component::ParentDir => {
                names.pop()?;
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    (!names.is_empty()).then(|| names.join("/"))
}

/// Hands out files of one index.
pub(crate) struct Shelf<'a> {
    ready: &'a Ready,
    checker: Checker,
    root: PathBuf,
    hashes: BTreeMap<String, u64>,
}

/// A file that is handed out.
pub(crate) struct Served {
    /// The path, relative to the root.
    pub(crate) path: String,
    /// What is in it now.
    pub(crate) contents: Contents,
    /// Whether it is not what was indexed.
    pub(crate) is_changed: bool,
}

impl<'a> Shelf<'a> {
    pub(crate) fn new(ready: &'a Ready, surroundings: &dyn Surroundings) -> Result<Self, Refusal> {
        let options = ready.place.walk_options();
        let checker = Checker::new(&ready.place.root, &options)
            .map_err(|error| surroundings.explain(&error))?;
        let manifest = ready.snapshot.manifest().map_err(|error| surroundings.explain(&error))?;
        let hashes = manifest.into_iter().map(|file| (file.path, file.hash)).collect();
        Ok(Self { ready, checker, root: ready.place.root.clone(), hashes })
    }

    /// A file of the index, as it is now.
    pub(crate) fn fetch(&mut self, given: &str) -> Result<Served, Refusal> {
        let refused = || {
            Refusal::new(
                "not-served",
                format!("`{given}` is not an indexed file below {}", slashed(&self.root)),
                "search_code and find_symbol give paths; index_status with `path` tells which rule decides",
            )
        };
        let path = relative(&self.root, given).ok_or_else(refused)?;
        let snapshot = &self.ready.snapshot;
        let doc = snapshot.file(&path).ok().flatten().ok_or_else(refused)?;
        if snapshot.flags(doc).has(FileFlags::SKIPPED) {
            return Err(refused());
        }
        let config = &self.ready.place.config;
        let resolved = std::fs::canonicalize(self.root.join(&path)).map_err(|_| refused())?;
        if !config.follow_links && !resolved.starts_with(&self.root) {
            return Err(refused());
        }
        let Verdict::Indexed(found) = self.checker.check(&path) else { return Err(refused()) };
        let Outcome::Read(contents) = read(&self.root, &found, &self.ready.place.walk_options())
        else {
            return Err(refused());
        };
        let is_changed = self.hashes.get(&path) != Some(&contents.hash);
        Ok(Served { path, contents, is_changed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(given: &str, expected: Option<&str>) {
        assert_eq!(relative(Path::new("/r/repo"), given).as_deref(), expected, "{given:?}");
    }

    #[test]
    fn every_spelling_of_a_path_inside_is_one_path() {
        check("src/a.ts", Some("src/a.ts"));
        check("./src//./a.ts", Some("src/a.ts"));
        check("src/b/../a.ts", Some("src/a.ts"));
        check("/r/repo/src/a.ts", Some("src/a.ts"));
        check("file:///r/repo/src/a%20b.ts", Some("src/a b.ts"));
    }

    #[test]
    fn a_path_that_leads_out_has_no_name() {
        for given in ["../x.ts", "src/../../x.ts", "/r/repo-evil/x.ts", "a\0b", "", "/"] {
            check(given, None);
        }
    }

    #[test]
    fn a_percent_sign_outside_of_a_uri_is_a_letter() {
        check("%2e%2e/x.ts", Some("%2e%2e/x.ts"));
    }

    #[test]
    fn a_uri_names_a_path() {
        assert_eq!(path_of("file:///a/b%20c"), PathBuf::from("/a/b c"));
        assert_eq!(path_of("/a/b%20c"), PathBuf::from("/a/b%20c"));
    }
}
