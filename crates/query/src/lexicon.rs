//! Everyday phrases with the code terms that programmers use for them, and groups of synonyms.
//!
//! The built-in tables are data files of this crate: `lexicon/*.tsv` hold one line per concept (phrases in everyday words,
//! a tab, code terms, the usual one first), `lexicon/synonym-groups.txt` one group per line. Users add
//! lines of their own in `reseek.toml`. A phrase matches by the stems of its words, function words left out.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use reseek_indexer::analyzer::{Analyzer, Mode, is_stop_word, words};

const PHRASES: [&str; 2] =
    [include_str!("../lexicon/product-words.tsv"), include_str!("../lexicon/system-words.tsv")];
const GROUPS: &str = include_str!("../lexicon/synonym-groups.txt");

/// Phrases of more words than this are not looked up.
pub const MAX_PHRASE_WORDS: usize = 4;

/// Phrases and synonyms, ready to be looked up by stems.
#[derive(Clone, Debug, Default)]
pub struct Lexicon {
    /// Stems of a phrase, joined by spaces, to the code terms of its lines, best first.
    phrases: BTreeMap<String, Vec<String>>,
    /// Groups of synonyms, as stems.
    groups: Vec<Vec<String>>,
    /// A stem to the groups that it is in.
    group_of: BTreeMap<String, Vec<usize>>,
}

impl Lexicon {
    /// The tables of this crate.
    pub fn builtin() -> &'static Lexicon {
        static BUILTIN: OnceLock<Lexicon> = OnceLock::new();
        BUILTIN.get_or_init(|| {
            let mut lexicon = Lexicon::default();
            let mut analyzer = Analyzer::new();
            for line in PHRASES.iter().flat_map(|table| table.lines()) {
                let Some((phrases, terms)) = line.split_once('\t') else { continue };
                let terms: Vec<&str> = terms.split_whitespace().collect();
                for phrase in phrases.split(',') {
                    lexicon.add(&mut analyzer, phrase, &terms);
                }
            }
            for line in GROUPS.lines() {
                let index = lexicon.groups.len();
                let members: Vec<String> =
                    line.split_whitespace().map(|word| code_term(&analyzer, word)).collect();
                for member in &members {
                    lexicon.group_of.entry(member.clone()).or_default().push(index);
                }
                lexicon.groups.push(members);
            }
            lexicon
        })
    }

    /// The tables of this crate, or none of them, and the user's entries: phrase to code terms.
    pub fn with_entries<'a>(
        builtin: bool,
        entries: impl IntoIterator<Item = (&'a str, &'a [String])>,
    ) -> Lexicon {
        let mut lexicon = if builtin { Self::builtin().clone() } else { Lexicon::default() };
        let mut analyzer = Analyzer::new();
        for (phrase, terms) in entries {
            let stems = stems(&mut analyzer, phrase).join(" ");
            // The user's word goes before the built-in one.
            let mut all: Vec<String> =
                terms.iter().map(|term| code_term(&analyzer, term)).collect();
            let list = lexicon.phrases.entry(stems).or_default();
            all.extend(list.iter().filter(|term| !all.contains(term)).cloned().collect::<Vec<_>>());
            *list = all;
        }
        lexicon
    }

    fn add(&mut self, analyzer: &mut Analyzer, phrase: &str, terms: &[&str]) {
        let stems = stems(analyzer, phrase);
        if stems.is_empty() || stems.len() > MAX_PHRASE_WORDS {
            return;
        }
        let list = self.phrases.entry(stems.join(" ")).or_default();
        for term in terms {
            let term = code_term(analyzer, term);
            if !list.contains(&term) && !term.is_empty() {
                list.push(term);
            }
        }
    }

    /// The code terms for a phrase given by its stems; empty if it is unknown.
    pub fn code_terms(&self, stems: &[String]) -> &[String] {
        self.phrases.get(&stems.join(" ")).map_or(&[], Vec::as_slice)
    }

    /// The synonyms of a stem, itself left out, in the order of the groups.
    pub fn synonyms(&self, stem: &str) -> Vec<&str> {
        let mut synonyms: Vec<&str> = Vec::new();
        for &group in self.group_of.get(stem).map_or(&[][..], Vec::as_slice) {
            for member in &self.groups[group] {
                if member != stem && !synonyms.contains(&member.as_str()) {
                    synonyms.push(member);
                }
            }
        }
        synonyms
    }

    /// Number of phrases.
    pub fn n_phrases(&self) -> usize {
        self.phrases.len()
    }
}

/// The term under which the index knows a code term: lowercase, without separators, stemmed.
fn code_term(analyzer: &Analyzer, term: &str) -> String {
    let joined: String =
        term.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    analyzer.stem(&joined)
}

/// The stems of a phrase without its function words; all of it if it holds nothing else.
fn stems(analyzer: &mut Analyzer, phrase: &str) -> Vec<String> {
    let content = analyzer.collect(phrase, Mode::Prose);
    if !content.is_empty() {
        return content;
    }
    words(phrase)
        .map(|(_, word)| word.to_lowercase())
        .filter(|word| is_stop_word(word))
        .map(|word| analyzer.stem(&word))
        .collect()
}
