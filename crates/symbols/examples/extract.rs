//! Shows the symbols of the files and folders given, or with `--time` what reading them costs.
//!
//! ```text
//! cargo run --release -p reseek-symbols --example extract -- src/lib.ts
//! cargo run --release -p reseek-symbols --example extract -- --time path/to/repository
//! ```
//!
//! The times are of one thread: reading the rules of all languages, parsing alone, all of the
//! extraction, and the references. Files are named that take long, or long for their parse.

#![expect(clippy::print_stdout, reason = "an example prints its answer")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use reseek_symbols::{Extractor, Language, ParsedFile, each_reference};

fn main() -> std::io::Result<()> {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let timed = args.iter().any(|arg| arg == "--time");
    args.retain(|arg| arg != "--time");
    let mut paths = Vec::new();
    for arg in &args {
        collect(Path::new(arg), &mut paths)?;
    }
    paths.sort();
    let mut sources = Vec::new();
    for path in paths {
        let name = path.to_string_lossy().into_owned();
        if let Some(language) = Language::of_path(&name) {
            let is_test = name.contains("test") || name.contains("spec");
            sources.push((name, language, is_test, std::fs::read(&path)?));
        }
    }
    if timed {
        print_times(&sources);
        return Ok(());
    }
    let mut extractor = Extractor::new();
    let mut out = std::io::stdout().lock();
    for (name, language, is_test, source) in &sources {
        writeln!(out, "== {name}")?;
        print_file(&mut out, &extractor.extract(source, language, *is_test))?;
    }
    Ok(())
}

/// A file that takes longer beyond its parse is named.
const LONG: Duration = Duration::from_millis(200);
/// A file that takes less is not named, however fast its parse is.
const SHORT: Duration = Duration::from_millis(5);

fn is_long(time: Duration, parse: Duration) -> bool {
    time.saturating_sub(parse) > LONG || (time > SHORT && time > parse * 10)
}

type Source = (String, &'static Language, bool, Vec<u8>);

fn collect(path: &Path, paths: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !path.is_dir() {
        paths.push(path.to_owned());
        return Ok(());
    }
    for entry in std::fs::read_dir(path)? {
        let entry = entry?;
        let name = entry.file_name();
        if entry.file_type()?.is_symlink() || name == "node_modules" || name == ".git" {
            continue;
        }
        collect(&entry.path(), paths)?;
    }
    Ok(())
}

fn print_file(out: &mut impl Write, file: &ParsedFile) -> std::io::Result<()> {
    for symbol in &file.symbols {
        let doc = symbol.doc.lines().next().unwrap_or_default();
        writeln!(
            out,
            "{:>5}-{:<5} {}{} {} | {} | {} | {doc}",
            symbol.lines.start,
            symbol.lines.end,
            symbol.kind,
            if symbol.exported { "*" } else { "" },
            symbol.name,
            symbol.container,
            symbol.signature,
        )?;
    }
    for import in &file.imports {
        let arrow = if import.re_export { "=>" } else { "<-" };
        writeln!(out, "{:>5} {arrow} {} {}", import.line, import.module, import.names.join(","))?;
    }
    for diagnostic in &file.diagnostics {
        writeln!(out, "      ! {:?} {:?}", diagnostic.kind, diagnostic.lines)?;
    }
    Ok(())
}

fn print_times(sources: &[Source]) {
    let bytes: usize = sources.iter().map(|(_, _, _, source)| source.len()).sum();
    let mut extractor = Extractor::new();
    for language in Language::all() {
        let started = Instant::now();
        extractor.extract(b"", language, false);
        println!(
            "rules       {:.2} ms of {}",
            started.elapsed().as_secs_f64() * 1e3,
            language.name()
        );
    }
    let mut parses = Vec::new();
    for (_, language, _, source) in sources {
        let started = Instant::now();
        extractor.parse_only(source, language);
        parses.push(started.elapsed());
    }
    let mut files = Vec::new();
    let mut all = Duration::ZERO;
    for ((name, language, is_test, source), parse) in sources.iter().zip(&parses) {
        let started = Instant::now();
        files.push(extractor.extract(source, language, *is_test));
        let time = started.elapsed();
        all += time;
        // On a busy machine, any file may be interrupted once but hardly always.
        let again = (0..3).map_while(|_| {
            is_long(time, *parse).then(|| {
                let started = Instant::now();
                extractor.extract(source, language, *is_test);
                started.elapsed()
            })
        });
        let time = again.fold(time, Duration::min);
        if is_long(time, *parse) {
            println!("long        {name}: {time:?}, parse {parse:?}");
        }
    }
    let parse: Duration = parses.iter().sum();
    let started = Instant::now();
    let mut references = 0_usize;
    for (file, (_, _, _, source)) in files.iter().zip(sources) {
        each_reference(source, file, |_, _| references += 1);
    }
    let scan = started.elapsed();
    let count = |of: fn(&ParsedFile) -> usize| files.iter().map(of).sum::<usize>();
    let seconds = |time: Duration| time.as_secs_f64();
    println!("files       {} ({:.1} MB)", sources.len(), bytes as f64 / 1e6);
    println!("symbols     {}", count(|file| file.symbols.len()));
    println!("imports     {}", count(|file| file.imports.len()));
    println!("comments    {}", count(|file| file.comments.len()));
    println!("strings     {}", count(|file| file.strings.len()));
    println!("partly read {}", count(|file| usize::from(!file.diagnostics.is_empty())));
    println!("references  {references}");
    println!("parse       {:.2} s", seconds(parse));
    println!(
        "extract     {:.2} s (of which beyond the parse {:.2} s)",
        seconds(all),
        seconds(all) - seconds(parse)
    );
    println!("references  {:.2} s", seconds(scan));
}
