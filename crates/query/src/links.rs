//! Imports between files, as far as paths tell: relative modules and the last part of workspace modules.

use std::collections::{BTreeMap, BTreeSet};

use reseek_indexer::Snapshot;
use reseek_indexer::analyzer::exact;
use reseek_indexer::snapshot::Doc;

use crate::candidates::Candidate;
use crate::error::Error;

/// Best candidates whose imports are followed.
const N_SOURCES: usize = 10;
/// Endings that a module may have as a file.
const ENDINGS: &[&str] = &[
    "",
    ".ts",
    ".tsx",
    ".js",
    ".jsx",
    ".mts",
    ".cts",
    ".mjs",
    ".cjs",
    ".d.ts",
    ".vue",
    "/index.ts",
    "/index.tsx",
    "/index.js",
    "/index.mts",
    "/index.d.ts",
];

/// Whether a module is part of the corpus rather than a package from elsewhere, as far as its text tells.
pub fn is_local(module: &str) -> bool {
    module.starts_with('.')
        || module.starts_with("@/")
        || module.starts_with("~/")
        || module.starts_with('#')
}

/// The paths that a relative module may stand for, as seen from the file at `from`; empty for other modules.
pub fn resolve(from: &str, module: &str) -> Vec<String> {
    if !module.starts_with('.') {
        return Vec::new();
    }
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in module.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                if parts.pop().is_none() {
                    return Vec::new();
                }
            }
            part => parts.push(part),
        }
    }
    let base = parts.join("/");
    // `./a.js` is how modules name `./a.ts`.
    let without = base
        .strip_suffix(".js")
        .or_else(|| base.strip_suffix(".jsx"))
        .or_else(|| base.strip_suffix(".mjs"));
    let mut paths: Vec<String> = ENDINGS.iter().map(|ending| format!("{base}{ending}")).collect();
    if let Some(without) = without {
        paths.extend([".ts", ".tsx", ".mts"].iter().map(|ending| format!("{without}{ending}")));
    }
    paths
}

/// The file that a module stands for, if it is in the index.
pub fn target(snapshot: &Snapshot, from: &str, module: &str) -> Result<Option<Doc>, Error> {
    for path in resolve(from, module) {
        if let Some(doc) = snapshot.file(&path)? {
            return Ok(Some(doc));
        }
    }
    Ok(None)
}

/// For each candidate, how strongly the best ones import it, and how strongly it imports the best ones; 0 to 1 each.
/// `bases` orders the candidates, best first.
pub fn strengths(
    snapshot: &Snapshot,
    candidates: &[Candidate],
    bases: &[f32],
) -> Result<(Vec<f32>, Vec<f32>), Error> {
    let by_path: BTreeMap<&str, usize> =
        candidates.iter().enumerate().map(|(i, candidate)| (candidate.path.as_str(), i)).collect();
    let by_file: BTreeMap<Doc, usize> =
        candidates.iter().enumerate().map(|(i, candidate)| (candidate.file, i)).collect();
    let mut imported_by = vec![0.0_f32; candidates.len()];
    let mut imports = vec![0.0_f32; candidates.len()];
    let top = bases.first().copied().unwrap_or(1.0).max(0.01);
    for (rank, candidate) in candidates.iter().enumerate().take(N_SOURCES) {
        let strength = (bases[rank] / top).clamp(0.0, 1.0) / (1.0 + rank as f32 * 0.3);
        if strength <= 0.0 {
            continue;
        }
        let entry = snapshot.entry(candidate.file)?;
        let mut targets = BTreeSet::new();
        for import in &entry.imports {
            let found = resolve(&candidate.path, &import.module)
                .iter()
                .find_map(|path| by_path.get(path.as_str()).copied());
            targets.extend(found.filter(|&target| target != rank));
        }
        for target in targets {
            imported_by[target] += strength;
        }
        let stem = candidate.path.rsplit('/').next().and_then(|name| name.split('.').next());
        let module = match stem {
            Some("index") | None => candidate.path.rsplit('/').nth(1),
            stem => stem,
        };
        if let Some(term) = module.and_then(exact) {
            let mut files = BTreeSet::new();
            snapshot.scan(snapshot.fields().imports, &term, |hit| {
                files.insert(hit.doc);
            })?;
            for file in files {
                if let Some(&place) = by_file.get(&file).filter(|&&place| place != rank) {
                    imports[place] += strength;
                }
            }
        }
    }
    for value in imported_by.iter_mut().chain(&mut imports) {
        *value = value.min(2.0) / 2.0;
    }
    Ok((imported_by, imports))
}
