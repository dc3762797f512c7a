//! lab
use reseek_indexer::{Index, IndexState};
use reseek_query::{
    analysis, concepts, evaluate, features, lexicon::Lexicon, postings::PostingsCache, scoring::*,
    weights::FIELD_WEIGHTS,
};
use std::collections::BTreeMap;
use std::io::Write;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let env = |k: &str, d: f32| std::env::var(k).ok().and_then(|v| v.parse().ok()).unwrap_or(d);
    let topics = std::fs::read_to_string(&a[2]).unwrap();
    let mut by: BTreeMap<String, Vec<serde_json::Value>> = BTreeMap::new();
    for l in topics.lines() {
        let v: serde_json::Value = serde_json::from_str(l).unwrap();
        by.entry(v["repo"].as_str().unwrap().into()).or_default().push(v);
    }
    let mut out = std::io::BufWriter::new(std::fs::File::create(&a[3]).unwrap());
    let mut dump = std::env::var("DUMP")
        .ok()
        .map(|p| std::io::BufWriter::new(std::fs::File::create(p).unwrap()));
    if let Some(d) = &mut dump {
        write!(d, "repo\tid\tpath\tlabel").unwrap();
        for n in features::NAMES {
            write!(d, "\t{n}").unwrap();
        }
        writeln!(d).unwrap();
    }
    let gate = env("GATE", 0.3);
    for (repo, ts) in by {
        if a.len() > 4 && !a[4..].contains(&repo) {
            continue;
        }
        let IndexState::Ready(index) = Index::open(&std::path::Path::new(&a[1]).join(&repo)) else {
            eprintln!("no index {repo}");
            continue;
        };
        let snapshot = index.snapshot().unwrap();
        let t0 = std::time::Instant::now();
        let n = ts.len();
        let mut opened = 0;
        for t in ts {
            let mut cache = PostingsCache::new(&snapshot);
            let mut scorer = Scorer::new(&snapshot, &FIELD_WEIGHTS);
            let mut q = t["query"].as_str().unwrap().to_owned();
            if std::env::var("BODY").is_ok() {
                q.push('\n');
                q.push_str(t["body"].as_str().unwrap_or(""));
            }
            if let Ok(cy) = std::env::var("CYCLES") {
                let mut task = reseek_query::Task::new(&q)
                    .threshold(0.0)
                    .limit(50)
                    .max_cycles(cy.parse().unwrap());
                if let Ok(w) = std::env::var("WITHOUT") {
                    for o in reseek_query::report::EXPANSIONS {
                        if w.split(',').any(|x| x == o.name()) {
                            task.without.push(o);
                        }
                    }
                }
                let r = reseek_query::retrieve(&snapshot, &task, Lexicon::builtin()).unwrap();
                if r.cycles.len() > 1 {
                    opened += 1
                }
                for (i, f) in r.results.iter().enumerate() {
                    writeln!(out, "{repo}\t{}\t{}\t{}", t["id"].as_str().unwrap(), i + 1, f.path)
                        .unwrap();
                }
                continue;
            }
            let an = analysis::analyse(&q);
            let plain = concepts::plain(&an, &[]);
            let mut e =
                evaluate::dispatch(&snapshot, &mut scorer, &mut cache, &an, &plain, 200, &|_| true)
                    .unwrap();
            if e.strength() < gate {
                opened += 1;
                let w = concepts::LexiconWeights {
                    phrase: env("LP", 1.5),
                    inside: env("LI", 0.5),
                    code_term: env("LC", 0.8),
                    fall: env("LF", 0.25),
                    single: env("LS", 1.0),
                    synonym: env("LY", 0.56),
                };
                let ex = concepts::with_lexicon(&plain, &an, Lexicon::builtin(), &w, &|_| true);
                if std::env::var("SHOW").is_ok() {
                    eprintln!("{q}");
                    for c in &ex {
                        eprintln!(
                            "   {} {:.2}: {}",
                            c.label,
                            c.weight,
                            c.alternatives
                                .iter()
                                .map(|x| format!("{}:{:.2}", x.term, x.weight))
                                .collect::<Vec<_>>()
                                .join(" ")
                        );
                    }
                }
                e = evaluate::dispatch(&snapshot, &mut scorer, &mut cache, &an, &ex, 200, &|_| {
                    true
                })
                .unwrap();
            }
            let rel: Vec<&str> =
                t["relevant"].as_array().unwrap().iter().map(|x| x.as_str().unwrap()).collect();
            let minor: Vec<&str> = t["minor"]
                .as_array()
                .map(|v| v.iter().map(|x| x.as_str().unwrap()).collect())
                .unwrap_or_default();
            let id = t["id"].as_str().unwrap();
            for (i, j) in e.judged.iter().enumerate() {
                let p = &j.candidate.path;
                if i < 50 {
                    writeln!(out, "{repo}\t{id}\t{}\t{p}", i + 1).unwrap();
                }
                if let Some(d) = &mut dump {
                    if minor.contains(&p.as_str()) {
                        continue;
                    }
                    write!(d, "{repo}\t{id}\t{p}\t{}", u8::from(rel.contains(&p.as_str())))
                        .unwrap();
                    for f in j.features {
                        write!(d, "\t{f}").unwrap();
                    }
                    writeln!(d).unwrap();
                }
            }
        }
        eprintln!(
            "{repo} {:.1} ms/topic, gate {opened}/{n}",
            t0.elapsed().as_secs_f64() * 1e3 / n as f64
        );
    }
}
