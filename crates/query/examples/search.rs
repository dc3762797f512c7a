//! Answers queries over a built index and tells how long each took: `search INDEX_FOLDER [--root ROOT] QUERY...`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "an example talks to its reader")]

use std::path::{Path, PathBuf};
use std::time::Instant;

use reseek_indexer::{Index, IndexState};
use reseek_query::search::search_with;
use reseek_query::syntax::SearchQuery;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().unwrap_or_default();
    let IndexState::Ready(index) = Index::open(Path::new(&folder)) else {
        eprintln!("no index in `{folder}`");
        return;
    };
    let snapshot = match index.snapshot() {
        Ok(snapshot) => snapshot,
        Err(error) => return eprintln!("{error}"),
    };
    let mut root = PathBuf::new();
    let mut queries: Vec<String> = arguments.collect();
    if queries.first().is_some_and(|first| first == "--root") {
        root = queries.drain(..2).next_back().unwrap_or_default().into();
    }
    let text = |path: &str| std::fs::read_to_string(root.join(path)).ok();
    for query in queries {
        let start = Instant::now();
        let answer =
            SearchQuery::parse(&query).and_then(|query| search_with(&snapshot, &query, 10, &text));
        let milliseconds = start.elapsed().as_secs_f64() * 1e3;
        match answer {
            Err(error) => println!("\n{query}: {error}"),
            Ok(answer) => {
                println!(
                    "\n{query}: {} match, {milliseconds:.1} ms, ignored {:?}",
                    answer.n_matching, answer.ignored
                );
                for hit in answer.hits {
                    let symbol = hit.symbol.map_or(String::from("(file)"), |symbol| {
                        format!(
                            "{} {} in `{}` {}",
                            symbol.kind, symbol.name, symbol.container, symbol.start_line
                        )
                    });
                    let parts = if hit.only_parts { " parts" } else { "" };
                    println!(
                        "  {:.3} {:?}{parts} {} {symbol} {:?}",
                        hit.score, hit.band, hit.path, hit.n_references
                    );
                }
            }
        }
    }
}
