//! lab
use std::collections::BTreeMap;
use std::io::Write;
use reseek_indexer::{Index, IndexState, Snapshot};
use reseek_query::{analysis, candidates, history, postings::PostingsCache, scoring::*, weights::FIELD_WEIGHTS};
use reseek_indexer::entry::FileFlags;
fn rank(snapshot:&Snapshot, scorer:&mut Scorer, cache:&mut PostingsCache, text:&str)->Vec<(String,f32)>{
    let a=analysis::analyse(text);
    let mut concepts=vec![];
    for w in &a.words { concepts.push(ScoredConcept{weight:w.weight,terms:vec![ScoredTerm{postings:cache.get(&w.stem).unwrap(),weight:1.0}]}); }
    let s=scorer.score(&concepts);
    let h=history::scores(snapshot,&concepts).unwrap();
    let (mut c,m)=candidates::select(snapshot,&s,&h,200).unwrap();
    let p=|v:f32,m:f32| if m>0.0{v/m}else{0.0};
    let env=|k:&str,d:f32| std::env::var(k).ok().and_then(|v|v.parse().ok()).unwrap_or(d);
    let (wb,wn,ww,wh)=(env("WB",0.5),env("WN",0.1),env("WW",0.4),env("WH",0.5));
    let base=|c:&candidates::Candidate|{
        let mut s=wb*p(c.best(),m.best)+wn*p(c.next(),m.next)+ww*p(c.whole,m.whole)+wh*p(c.history,m.history);
        let f=c.flags;
        if f.has(FileFlags::TEST)&&!a.about_tests {s-=0.6}
        if f.has(FileFlags::ASIDE)&&!a.about_aside {s-=0.5}
        if f.has(FileFlags::DECLARATION)&&!a.about_types {s-=0.2}
        if f.has(FileFlags::BARREL) {s-=0.1}
        if f.has(FileFlags::TEXT) {s-=env("WT",0.6)}
        if f.has(FileFlags::GENERATED) {s-=0.3}
        s};
    let mut top:Vec<(reseek_indexer::snapshot::Doc,f32)>=c.iter().map(|c|(c.file,base(c))).collect();
    top.sort_by(|a,b|b.1.total_cmp(&a.1));
    top.truncate(5);
    let wc=env("WC",0.1);
    if wc>0.0 { let t=history::changed_together(snapshot,&top).unwrap(); let mx=t.values().copied().fold(0.0f32,f32::max);
      if mx>0.0 { for x in &mut c { x.together=t.get(&snapshot.key(x.file)).copied().unwrap_or(0.0)/mx; } } }
    let mut r:Vec<(String,f32)>=c.iter().map(|x|(x.path.clone(),base(x)+wc*x.together)).collect();
    r.sort_by(|a,b|b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    r
}
fn main(){
    let a:Vec<String>=std::env::args().collect();
    // lab IDXROOT TOPICS RUN repos...
    let topics=std::fs::read_to_string(&a[2]).unwrap();
    let mut by:BTreeMap<String,Vec<serde_json::Value>>=BTreeMap::new();
    for l in topics.lines(){ let v:serde_json::Value=serde_json::from_str(l).unwrap(); by.entry(v["repo"].as_str().unwrap().into()).or_default().push(v); }
    let mut out=std::io::BufWriter::new(std::fs::File::create(&a[3]).unwrap());
    for (repo,ts) in by { if a.len()>4 && !a[4..].contains(&repo){continue}
        let IndexState::Ready(index)=Index::open(&std::path::Path::new(&a[1]).join(&repo)) else{eprintln!("no index {repo}");continue};
        let snapshot=index.snapshot().unwrap();
        let t0=std::time::Instant::now(); let n=ts.len();
        for t in ts { let mut cache=PostingsCache::new(&snapshot); let mut scorer=Scorer::new(&snapshot,&FIELD_WEIGHTS);
            let mut q=t["query"].as_str().unwrap().to_owned();
            if std::env::var("BODY").is_ok() { q.push('\n'); q.push_str(t["body"].as_str().unwrap_or("")); }
            for (i,(p,_)) in rank(&snapshot,&mut scorer,&mut cache,&q).iter().take(50).enumerate(){ writeln!(out,"{repo}\t{}\t{}\t{p}",t["id"].as_str().unwrap(),i+1).unwrap(); } }
        eprintln!("{repo} {:.1} ms/topic",t0.elapsed().as_secs_f64()*1e3/n as f64);
    }
}
