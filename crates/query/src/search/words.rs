//! The words of a query: what they are scored as, and the names that they may spell out in full.
//!
//! People write a name as code does (`OvertimeService`), as words (`overtime service`) or within a sentence (`where is
//! OvertimeService defined`). So beside the terms that are scored, the query is read for whole names: every
//! identifier in it, and every run of neighbouring words joined. A whole name is looked up exactly, so no number of
//! other words can push it down.

use std::rc::Rc;

use reseek_indexer::Snapshot;
use reseek_indexer::analyzer::{Analyzer, exact, is_keyword, is_stop_word, split, words};
use reseek_indexer::corpus::kind::language_of;
use reseek_indexer::snapshot::{Doc, Hit};
use reseek_symbols::SymbolKind;

use crate::analysis::is_generic;
use crate::error::Error;
use crate::postings::{PostingsCache, Scored, TermPostings};
use crate::scoring::{ScoredConcept, ScoredTerm};
use crate::syntax::{SearchQuery, Term, kind_of};

/// Words of one name at most.
const MAX_JOINED: usize = 6;
/// Shortest beginning of a word that is completed.
const MIN_PREFIX_CHARS: usize = 4;
/// Completions of a beginning at most.
const MAX_COMPLETIONS: usize = 40;
/// Terms looked at for completions; those of deleted documents count too, so this is far above
/// [`MAX_COMPLETIONS`], and an index with leftovers answers as a fresh one.
const MAX_COMPLETION_CANDIDATES: usize = 2_000;
/// Share of the score that a completed word brings.
const COMPLETION_WEIGHT: f32 = 0.35;
/// Share that the verb alone brings where verb and particle are one word of the code (`log` for `login`).
const VERB_WEIGHT: f32 = 0.5;
/// Weight of a word that says nothing about where.
const GENERIC_WEIGHT: f32 = 0.4;
/// Words between a verb and its particle at most: `logs a user in`.
const MAX_PARTICLE_GAP: usize = 3;

/// Words that form one word with the verb before them. Sorted.
const PARTICLES: &[&str] =
    &["away", "back", "by", "down", "in", "off", "on", "out", "over", "through", "up"];
/// Words of questions that are no content where the question asks for a place. Sorted.
const QUESTION_WORDS: &[&str] = &[
    "declared",
    "defined",
    "definition",
    "find",
    "implemented",
    "live",
    "lives",
    "located",
    "show",
];

/// One term that is scored, with the word that it comes from.
pub(super) struct QueryTerm {
    /// The word as written.
    pub(super) word: String,
    /// Every list of postings that counts as the word, the original first.
    pub(super) postings: Vec<Rc<TermPostings>>,
}

/// A whole name that the query spells out.
pub(super) struct WholeName {
    /// Its exact term; of a path the path, or the end of it.
    pub(super) term: String,
    /// Whether it is the path of a file rather than the name of a symbol.
    pub(super) is_path: bool,
    /// The spelling, where it is one word of the query.
    pub(super) spelling: Option<String>,
    /// The name of the container that it must have, from `Container.name`.
    pub(super) container: Option<String>,
    /// How sure it is that the query means the name, 0 to 1.
    pub(super) strength: f32,
    /// Whether it is a run of plain words among others: a definition may well be meant, a data member hardly.
    pub(super) is_part: bool,
    /// Whether the word by which a query asks for tests is part of it.
    pub(super) says_test: bool,
}

/// A word of several parts: a name that a document may use as a whole or match in parts only.
pub(super) struct Identifier {
    /// Places of its terms in [`Request::terms`].
    pub(super) terms: Vec<usize>,
    /// Documents with the whole name, sorted.
    pub(super) docs: Vec<Doc>,
}

/// What the words of a query ask for.
#[derive(Default)]
pub(super) struct Request {
    /// What is scored.
    pub(super) scored: Vec<ScoredConcept>,
    /// The same, for telling what matched.
    pub(super) terms: Vec<QueryTerm>,
    /// Names looked up exactly.
    pub(super) names: Vec<WholeName>,
    /// Words of several parts.
    pub(super) identifiers: Vec<Identifier>,
    /// A kind that the words narrow to, and the factor for other kinds.
    pub(super) kind: Option<(SymbolKind, f32)>,
    /// Whether the words ask for tests.
    pub(super) about_tests: bool,
    /// Words that were not looked for: function words, words that name a kind, signs.
    pub(super) ignored: Vec<String>,
}

/// A word of the query with what stands around it.
struct Word {
    text: String,
    lower: String,
    /// Whether the query calls it a name: by its shape, by backticks or by `()`.
    is_name: bool,
    /// The name before it, if both are joined by a dot.
    container: Option<String>,
    /// Whether it is scored.
    content: bool,
    /// Whether it is part of a phrase, which is looked for as a whole too.
    in_phrase: bool,
}

/// Whether the word asks for tests; whole words only, so that `latest` and `contest` do not.
fn asks_for_tests(word: &str) -> bool {
    matches!(word, "test" | "tests" | "testing" | "spec" | "specs")
}

/// Whether code would write the word so and prose would not.
fn has_shape_of_name(word: &str) -> bool {
    split(word).len() > 1 && word.chars().any(|c| c.is_lowercase() || c == '_')
}

/// All words of the query in order.
fn query_words(query: &SearchQuery) -> Vec<Word> {
    let mut found = Vec::new();
    let texts = query.clauses.iter().filter(|clause| !clause.negated).filter_map(|clause| {
        match &clause.term {
            Term::Word(text) => Some((text, false)),
            Term::Phrase(text) => Some((text, true)),
            _ => None,
        }
    });
    for (text, in_phrase) in texts {
        let is_file = language_of(text).is_some();
        let inside: Vec<(usize, &str)> = words(text).collect();
        for (i, &(at, word)) in inside.iter().enumerate() {
            let end = at + word.len();
            if is_file && i > 0 && end == text.len() {
                // The extension of a file name says nothing more than the filter `lang:` would.
                continue;
            }
            let container = (!is_file && i > 0)
                .then(|| inside[i - 1])
                .filter(|&(before, name)| {
                    matches!(&text[before + name.len()..at], "." | "#" | "::")
                })
                .map(|(_, name)| name.to_owned());
            let called = text[end..].starts_with("()");
            let quoted = text[..at].ends_with('`') && text[end..].starts_with('`');
            let capital = word.starts_with(char::is_uppercase) && !found.is_empty();
            found.push(Word {
                text: word.to_owned(),
                lower: word.to_lowercase(),
                is_name: has_shape_of_name(word)
                    || called
                    || quoted
                    || capital
                    || container.is_some(),
                container,
                content: true,
                in_phrase,
            });
        }
    }
    found
}

impl Request {
    /// Reads the words of a query.
    pub(super) fn new(snapshot: &Snapshot, query: &SearchQuery) -> Result<Self, Error> {
        let mut request = Request::default();
        let mut found = query_words(query);
        for clause in query.clauses.iter().filter(|clause| !clause.negated) {
            if let Term::Word(text) = &clause.term
                && words(text).next().is_none()
            {
                request.ignored.push(text.clone());
            }
        }
        if found.is_empty() {
            return Ok(request);
        }
        request.about_tests = found.iter().any(|word| asks_for_tests(&word.lower));
        request.kind = narrow(snapshot, &mut found)?;
        drop_function_words(&mut found);
        request.ignored.extend(
            found
                .iter()
                .filter(|word| !word.content && !word.in_phrase)
                .map(|word| word.text.clone()),
        );
        request.names = paths_of(query);
        request.names.extend(whole_names(&found));
        request.score(snapshot, &found)?;
        Ok(request)
    }

    /// Fills in what is scored.
    fn score(&mut self, snapshot: &Snapshot, found: &[Word]) -> Result<(), Error> {
        let mut analyzer = Analyzer::new();
        let mut cache = PostingsCache::new(snapshot);
        let n_content = found.iter().filter(|word| word.content).count();
        let mut stems: Vec<String> = Vec::new();
        for (i, word) in found.iter().enumerate().filter(|(_, word)| word.content) {
            let keep = is_stop_word(&word.lower);
            let terms = analyzer.word_terms(&word.text, keep);
            let (joined, is_particle) = joined_forms(found, i, &analyzer, &mut cache)?;
            let mut own = Vec::new();
            for term in terms.iter() {
                if let Some(known) = stems.iter().position(|stem| **stem == **term) {
                    own.push(known);
                    continue;
                }
                let original = cache.get(term)?;
                let weight = if is_particle && terms.len() == 1 { VERB_WEIGHT } else { 1.0 };
                let mut alternatives = vec![ScoredTerm { postings: original, weight }];
                alternatives.extend(
                    joined
                        .iter()
                        .map(|postings| ScoredTerm { postings: Rc::clone(postings), weight: 1.0 }),
                );
                if let Some(postings) = completions(snapshot, term)? {
                    alternatives.push(ScoredTerm {
                        postings: Rc::new(postings),
                        weight: COMPLETION_WEIGHT,
                    });
                }
                let generic = n_content > 2 && !word.is_name && is_generic(term);
                own.push(stems.len());
                stems.push(term.to_string());
                self.terms.push(QueryTerm {
                    word: word.text.clone(),
                    postings: alternatives.iter().map(|term| Rc::clone(&term.postings)).collect(),
                });
                self.scored.push(ScoredConcept {
                    weight: if generic { GENERIC_WEIGHT } else { 1.0 },
                    terms: alternatives,
                });
            }
            if own.len() > 1
                && let Some(exact) = exact(&word.text)
            {
                let docs = docs_with_whole(snapshot, &exact, &joined)?;
                self.identifiers.push(Identifier { terms: own, docs });
            }
        }
        Ok(())
    }
}

/// Takes words out of the content that carry none: stop words, and what a question for a place says around the name.
/// If nothing is left, all words are content.
fn drop_function_words(found: &mut [Word]) {
    if let [only] = found {
        only.content = true;
        return;
    }
    let asks_for_place = found.first().is_some_and(|word| {
        matches!(word.lower.as_str(), "where" | "find" | "show" | "what" | "which")
    });
    let is_question_word =
        |word: &Word| asks_for_place && QUESTION_WORDS.binary_search(&word.lower.as_str()).is_ok();
    let is_empty =
        |word: &Word| !word.is_name && (is_stop_word(&word.lower) || is_question_word(word));
    let n_left = found.iter().filter(|word| word.content && !is_empty(word)).count();
    if n_left == 0 {
        return;
    }
    for word in found {
        word.content = word.content && !is_empty(word);
    }
}

/// `interface RateStore`, `class named Pool`: a word for a kind before a name of that kind. `function that ...`: a
/// word for a kind before a description. The word is then no content, and other kinds count less.
fn narrow(snapshot: &Snapshot, found: &mut [Word]) -> Result<Option<(SymbolKind, f32)>, Error> {
    for i in 0..found.len() {
        let Some(kind) = kind_of(&found[i].lower).filter(|_| !found[i].is_name || i == 0) else {
            continue;
        };
        let mut next = i + 1;
        if found.get(next).is_some_and(|word| matches!(word.lower.as_str(), "named" | "called")) {
            next += 1;
        }
        for end in (next + 1..=found.len().min(next + MAX_JOINED)).rev() {
            let name: String = found[next..end].iter().map(|word| word.text.as_str()).collect();
            let Some(name) = exact(&name) else { continue };
            let mut has_kind = false;
            snapshot.scan(snapshot.fields().exact_name, &name, |hit| {
                has_kind |= is_kind(snapshot.kind_code(hit.doc), kind);
            })?;
            if has_kind {
                for word in &mut found[i..next] {
                    word.content = false;
                }
                return Ok(Some((kind, 0.5)));
            }
        }
        let describes = found
            .get(i + 1)
            .is_some_and(|word| matches!(word.lower.as_str(), "that" | "which" | "to"));
        if describes && found.len() > i + 2 {
            found[i].content = false;
            return Ok(Some((kind, 0.9)));
        }
    }
    Ok(None)
}

/// Whether a symbol's kind is what people call `kind`: to them a method is a function.
pub(super) fn is_kind(code: u8, kind: SymbolKind) -> bool {
    code == kind.code() || (kind == SymbolKind::Function && code == SymbolKind::Method.code())
}

/// Words that are paths or file names, as names of the files that they end the paths of.
fn paths_of(query: &SearchQuery) -> Vec<WholeName> {
    let clauses = query.clauses.iter().filter(|clause| !clause.negated);
    clauses
        .filter_map(|clause| match &clause.term {
            Term::Word(text) if language_of(text).is_some() => Some(text.trim_start_matches("./")),
            _ => None,
        })
        .map(|path| WholeName {
            term: path.to_owned(),
            spelling: Some(path.to_owned()),
            container: None,
            strength: 1.0,
            is_path: true,
            is_part: false,
            says_test: true,
        })
        .collect()
}

/// Every name that the query may spell out, surest first, each once.
fn whole_names(found: &[Word]) -> Vec<WholeName> {
    let mut names: Vec<WholeName> = Vec::new();
    let mut add = |run: &[&Word], strength: f32, is_part: bool| {
        let joined: String = run.iter().map(|word| word.text.as_str()).collect();
        let Some(term) = exact(&joined) else { return };
        if names.iter().all(|name| name.term != term || name.container.is_some()) {
            let says_test = run.iter().any(|word| asks_for_tests(&word.lower));
            let spelling = (run.len() == 1).then(|| run[0].text.clone());
            names.push(WholeName {
                term,
                is_path: false,
                spelling,
                container: None,
                strength,
                is_part,
                says_test,
            });
        }
    };
    let all: Vec<&Word> = found.iter().collect();
    let content: Vec<&Word> = found.iter().filter(|word| word.content).collect();
    let has_member = found.iter().any(|word| word.container.is_some());
    if !has_member {
        add(&all, 1.0, false);
        add(&content, 1.0, false);
    }
    for (i, word) in
        found.iter().enumerate().filter(|(_, word)| word.is_name && word.container.is_none())
    {
        let has_member = found.get(i + 1).is_some_and(|next| next.container.is_some());
        let strength = match (has_member, has_shape_of_name(&word.text)) {
            (true, _) => 0.85,
            (false, true) => 0.95,
            (false, false) => 0.9,
        };
        add(&[word], strength, false);
    }
    // A run of words is a name if it is long or most of what is asked; two words of many are so too often by chance.
    let n_content = content.len();
    for list in [&content, &all] {
        for n in (2..=MAX_JOINED.min(list.len())).rev() {
            for run in list.windows(n) {
                let n_own = run.iter().filter(|word| word.content).count();
                if n_own >= 3 || n_own > 0 && n_own * 2 > n_content {
                    add(run, 0.9, true);
                }
            }
        }
    }
    for (i, word) in found.iter().enumerate() {
        if let (Some(container), Some(term)) = (&word.container, exact(&word.text)) {
            let is_last = found.get(i + 1).is_none_or(|next| next.container.is_none());
            names.push(WholeName {
                term,
                spelling: Some(word.text.clone()),
                container: Some(container.clone()),
                strength: if is_last { 1.0 } else { 0.9 },
                is_path: false,
                is_part: false,
                says_test: asks_for_tests(&word.lower),
            });
        }
    }
    names.sort_by(|a, b| b.strength.total_cmp(&a.strength));
    names
}

/// Postings of the single words that the code may use for the word at `i` and a neighbour, or for its parts joined,
/// and whether one of them is verb and particle in one (`logs ... in` and `login`).
fn joined_forms(
    found: &[Word],
    i: usize,
    analyzer: &Analyzer,
    cache: &mut PostingsCache<'_>,
) -> Result<(Vec<Rc<TermPostings>>, bool), Error> {
    let word = &found[i];
    let mut forms: Vec<(String, bool)> = Vec::new();
    let parts: Vec<String> = split(&word.text).iter().map(|part| part.to_lowercase()).collect();
    if parts.len() > 1 {
        forms.push((analyzer.stem(&parts.concat()), false));
    } else {
        let neighbours = [i.checked_sub(1), Some(i + 1)]
            .into_iter()
            .flatten()
            .filter_map(|at| Some((at, found.get(at)?)));
        for (at, neighbour) in neighbours.filter(|(_, neighbour)| neighbour.content) {
            let (first, second) = if at < i { (neighbour, word) } else { (word, neighbour) };
            forms.push((analyzer.stem(&format!("{}{}", first.lower, second.lower)), false));
        }
        for particle in found.iter().skip(i + 1).take(MAX_PARTICLE_GAP + 1) {
            if PARTICLES.binary_search(&particle.lower.as_str()).is_ok() {
                for verb in [word.lower.clone(), analyzer.stem(&word.lower)] {
                    forms.push((analyzer.stem(&format!("{verb}{}", particle.lower)), true));
                }
                break;
            }
        }
        if i > 0 && PARTICLES.binary_search(&word.lower.as_str()).is_ok() {
            let verb = analyzer.stem(&found[i - 1].lower);
            forms.push((analyzer.stem(&format!("{verb}{}", word.lower)), true));
        }
    }
    let mut postings: Vec<Rc<TermPostings>> = Vec::new();
    let mut terms: Vec<String> = Vec::new();
    let mut is_particle = false;
    for (term, with_particle) in forms {
        if terms.contains(&term) {
            continue;
        }
        let found = cache.get(&term)?;
        if [Scored::Name, Scored::Compound, Scored::FileName, Scored::FileCompound]
            .iter()
            .any(|&scored| !found.fields[scored as usize].is_empty())
        {
            is_particle |= with_particle;
            postings.push(found);
            terms.push(term);
        }
    }
    Ok((postings, is_particle))
}

/// Names and file names that begin with the term, the term itself included, as one list; `None` if no other does.
/// As one list they are at least as frequent as the term, so they never outweigh it.
fn completions(snapshot: &Snapshot, term: &str) -> Result<Option<TermPostings>, Error> {
    if term.chars().count() < MIN_PREFIX_CHARS {
        return Ok(None);
    }
    let fields = snapshot.fields();
    let mut merged = TermPostings::default();
    let mut has_other = false;
    for (scored, field) in [(Scored::Name, fields.name), (Scored::FileName, fields.file_name)] {
        let mut terms = snapshot.terms_with_prefix(field, term, MAX_COMPLETION_CANDIDATES)?;
        terms.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
        let mut hits: Vec<Hit> = Vec::new();
        let mut n_living = 0;
        for other in terms {
            let before = hits.len();
            snapshot.scan(field, &other, |hit| hits.push(hit))?;
            n_living += usize::from(hits.len() > before);
            has_other |= hits.len() > before && other != term;
            if n_living == MAX_COMPLETIONS {
                break;
            }
        }
        hits.sort_by_key(|hit| hit.doc);
        hits.dedup_by(|later, kept| {
            let same = later.doc == kept.doc;
            if same {
                kept.term_freq += later.term_freq;
            }
            same
        });
        merged.fields[scored as usize] = hits;
    }
    Ok(has_other.then_some(merged))
}

/// Documents that have, use or import the name as a whole, or hold it in a longer one; sorted.
fn docs_with_whole(
    snapshot: &Snapshot,
    exact: &str,
    joined: &[Rc<TermPostings>],
) -> Result<Vec<Doc>, Error> {
    let fields = snapshot.fields();
    let mut docs = Vec::new();
    for field in [fields.exact_name, fields.references, fields.imports] {
        snapshot.scan(field, exact, |hit| docs.push(hit.doc))?;
    }
    for postings in joined {
        for scored in [Scored::Name, Scored::Compound, Scored::FileName, Scored::FileCompound] {
            docs.extend(postings.fields[scored as usize].iter().map(|hit| hit.doc));
        }
    }
    docs.sort_unstable();
    docs.dedup();
    Ok(docs)
}

/// The terms of a text that the index is sure to hold wherever the text stands: no function words, no keywords, no
/// single letters, whatever the place.
pub(super) fn indexed_terms(text: &str) -> Vec<String> {
    let mut analyzer = Analyzer::new();
    words(text)
        .filter(|(_, word)| word.len() > 1 && !is_keyword(word))
        .flat_map(|(_, word)| analyzer.word_terms(word, false).to_vec())
        .map(String::from)
        .collect()
}
