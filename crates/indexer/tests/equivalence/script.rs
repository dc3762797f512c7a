//! One script: changes, refreshes, crashes, and the comparison with a fresh index after each refresh.

use std::fmt;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use reseek_indexer::update::{update, update_paths};
use reseek_indexer::{Config, Index, IndexState};

use crate::common::{difference, dump, now_ns, with_options};
use crate::tree::{Random, Tree};

/// What scripts did.
#[derive(Default)]
pub(crate) struct Counts {
    scripts: u64,
    changes: u64,
    refreshes: u64,
    of_paths: u64,
    kills: u64,
    facts: u64,
}

impl Counts {
    pub(crate) fn add(&mut self, other: &Counts) {
        self.scripts += other.scripts;
        self.changes += other.changes;
        self.refreshes += other.refreshes;
        self.of_paths += other.of_paths;
        self.kills += other.kills;
        self.facts += other.facts;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} scripts with {} changes, {} killed refreshes and {} refreshes ({} of them told the paths), \
             each equal to a fresh index; {} facts compared",
            self.scripts, self.changes, self.kills, self.refreshes, self.of_paths, self.facts
        )
    }
}

/// Runs a script; an error tells its steps and the first differences.
pub(crate) fn run(number: u64) -> Result<Counts, String> {
    let mut random = Random(number.wrapping_mul(0x2545_f491_4f6c_dd1d));
    let mut tree = Tree::new(&mut random);
    let folder =
        if random.one_in(3) { tree.scratch().join("index") } else { tree.root().join(".reseek") };
    let mut steps = Vec::new();
    let mut counts = Counts { scripts: 1, ..Counts::default() };
    let n_refreshes = 2 + random.below(4);
    for _ in 0..n_refreshes {
        for _ in 0..random.below(5) {
            steps.push(tree.change(&mut random));
            counts.changes += 1;
        }
        if random.one_in(4) {
            tree.note_changed();
            steps.push(kill_a_refresh(&tree, &folder, &mut random)?);
            counts.kills += 1;
            if random.one_in(2) {
                steps.push(tree.change(&mut random));
                counts.changes += 1;
            }
        }
        let changed = tree.changed();
        let told = changed.filter(|_| random.one_in(3));
        counts.of_paths += u64::from(told.is_some());
        steps.push(if told.is_some() { "refresh paths" } else { "refresh" }.to_owned());
        counts.refreshes += 1;
        let facts = refresh_and_compare(&tree, &folder, told.as_ref())
            .map_err(|text| format!("  {}\n{text}", steps.join("\n  ")))?;
        counts.facts += facts;
    }
    Ok(counts)
}

fn refresh_and_compare(
    tree: &Tree,
    folder: &Path,
    told: Option<&std::collections::BTreeSet<String>>,
) -> Result<u64, String> {
    let root = tree.root();
    let text = |error: reseek_indexer::Error| error.to_string();
    let config = Config::load(&root).map_err(text)?;
    let (index, _) = with_options(tree.scratch(), |options| match told {
        Some(paths) => update_paths(&root, folder, &config, options, paths),
        None => update(&root, folder, &config, options),
    })
    .map_err(text)?;
    let ours = dump(&index.snapshot().map_err(text)?).map_err(text)?;

    let fresh_folder: PathBuf = tree.scratch().join("fresh");
    let _ = std::fs::remove_dir_all(&fresh_folder);
    let (fresh, _) =
        with_options(tree.scratch(), |options| update(&root, &fresh_folder, &config, options))
            .map_err(text)?;
    let fresh = dump(&fresh.snapshot().map_err(text)?).map_err(text)?;
    if ours != fresh {
        return Err(difference(&ours, &fresh));
    }
    let (_, again) =
        with_options(tree.scratch(), |options| update(&root, folder, &config, options))
            .map_err(text)?;
    if again.committed {
        return Err(format!("a refresh without any change committed: {again:?}"));
    }
    Ok(ours.len() as u64)
}

/// Starts a refresh in a process of its own and kills it at a random step, or a random moment after it; then the index must
/// be as it was, or as the refresh would have left it.
fn kill_a_refresh(tree: &Tree, folder: &Path, random: &mut Random) -> Result<String, String> {
    let before = state(folder);
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut child = Command::new(program)
        .arg("--refresh")
        .args([tree.root(), folder.to_path_buf()])
        .arg(now_ns(tree.scratch()).to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| error.to_string())?;
    let mut stdout = child.stdout.take().ok_or("no output")?;
    // Half of the kills come while the commit is written, because most of the writing is there.
    let to_commit = random.one_in(2);
    let n_steps = random.below(12);
    let (mut n_seen, mut seen) = (0, [0]);
    while n_seen < n_steps || to_commit {
        match stdout.read(&mut seen) {
            Ok(1) => n_seen += 1,
            _ => break,
        }
        if to_commit && seen == *b"c" {
            break;
        }
    }
    let mut spins = random.below(400_000);
    while std::hint::black_box(spins) > 0 {
        spins -= 1;
    }
    child.kill().map_err(|error| error.to_string())?;
    child.wait().map_err(|error| error.to_string())?;
    let after = state(folder);
    let is_there = |state: &str| state == "ready";
    if is_there(&before) && !is_there(&after) {
        return Err(format!("after a kill the index is {after}"));
    }
    Ok(format!("kill after {n_seen} steps: {after}"))
}

fn state(folder: &Path) -> String {
    match Index::open(folder) {
        IndexState::Ready(index) => match index.snapshot().and_then(|snapshot| dump(&snapshot)) {
            Ok(_) => "ready".to_owned(),
            Err(error) => format!("unreadable: {error}"),
        },
        IndexState::Missing => "missing".to_owned(),
        IndexState::Older { found } => format!("older {found}"),
        IndexState::Newer { found } => format!("newer {found}"),
        IndexState::Damaged { what } => format!("damaged: {what}"),
        IndexState::Foreign => "foreign".to_owned(),
    }
}
