//! The one analyzer: the same code turns source text and task text into terms.
//!
//! A *word* is a run of letters, digits, `_` and `$`. A word is split at the borders of its parts
//! (`getUserById` -> `get user by id`), each part is lowercased and stemmed. The word as a whole, lowercased and without
//! separators, is the *exact* term that [`exact`] gives; exact terms live in fields of their own, so a
//! whole name never dilutes the statistics of its parts.
//!
//! Any change here that gives other terms for the same text must raise
//! [`ANALYZER_VERSION`](crate::format::ANALYZER_VERSION).

use std::rc::Rc;

use frostem::{Algorithm, Stemmer};
use rustc_hash::FxHashMap;

/// Parts longer than this many bytes are no words of a language and are left out of split fields.
pub const MAX_PART_BYTES: usize = 48;
/// Numbers of more digits than this are left out of split fields.
pub const MAX_NUMBER_DIGITS: usize = 5;
/// Words of more bytes than this get no exact term.
pub const MAX_EXACT_BYTES: usize = 1_024;
/// Entries after which the cache of analysed words is emptied.
const CACHE_WORDS: usize = 65_536;

/// How a text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Names: every part counts, also those that prose would drop (`of`, `is`, `with`).
    Name,
    /// Source code: keywords of the language are no terms, nor are stop words and single letters.
    Code,
    /// Comments, strings, documents, commit messages and tasks: stop words are dropped.
    Prose,
}

/// English function words that carry no meaning for retrieval. Sorted.
#[rustfmt::skip]
const STOP_WORDS: &[&str] = &[
    "a", "about", "after", "again", "all", "also", "am", "an", "and", "any", "are", "aren", "as", "at",
    "be", "because", "been", "before", "being", "both", "but", "by", "can", "cannot", "could", "couldn",
    "did", "didn", "do", "does", "doesn", "doing", "don", "during", "each", "either", "etc", "few", "for", "from",
    "further", "get", "gets", "getting", "had", "hadn", "has", "hasn", "have", "haven", "having", "he", "her", "here", "hers", "him", "his", "how",
    "however", "i", "if", "in", "instead", "into", "is", "isn", "it", "its", "itself", "just", "let", "like", "ll", "may", "me", "might",
    "more", "most", "must", "my", "need", "needs", "no", "nor", "not", "now", "of", "off", "on", "once", "only",
    "or", "other", "our", "ours", "out", "over", "own", "please", "re", "really", "same", "see", "shall", "she", "should", "shouldn",
    "so", "some", "such", "than", "that", "the", "their", "theirs", "them", "then", "there", "these",
    "they", "this", "those", "though", "through", "to", "too", "under", "until", "up", "upon", "us",
    "ve", "very", "via", "was", "wasn", "we", "were", "weren", "what", "when", "where", "which", "while",
    "who", "whom", "whose", "why", "will", "with", "within", "without", "won", "would", "wouldn", "yet", "you", "your",
    "yours",
];

/// Words of the languages that say nothing about a piece of code. Sorted.
#[rustfmt::skip]
const KEYWORDS: &[&str] = &[
    "abstract", "any", "as", "async", "await", "boolean", "break", "case", "catch", "class", "const",
    "constructor", "continue", "declare", "default", "delete", "do", "else", "enum", "export", "extends",
    "false", "finally", "for", "from", "function", "get", "if", "implements", "import", "in", "instanceof",
    "interface", "is", "keyof", "let", "namespace", "never", "new", "null", "number", "object", "of",
    "private", "protected", "public", "readonly", "return", "satisfies", "set", "static", "string", "super", "switch",
    "symbol", "this", "throw", "true", "try", "type", "typeof", "undefined", "unknown", "var", "void",
    "while", "with", "yield",
];

/// British spellings whose American form is the term, as (suffix, replacement), longest first.
const SPELLINGS: &[(&str, &str)] = &[
    ("isations", "izations"),
    ("isation", "ization"),
    ("ellings", "elings"),
    ("elling", "eling"),
    ("elled", "eled"),
    ("ysing", "yzing"),
    ("ysed", "yzed"),
    ("yse", "yze"),
    ("ising", "izing"),
    ("ised", "ized"),
    ("iser", "izer"),
    ("ises", "izes"),
    ("ise", "ize"),
    ("ourites", "orites"),
    ("ourite", "orite"),
    ("viours", "viors"),
    ("viour", "vior"),
    ("olours", "olors"),
    ("olour", "olor"),
    ("oured", "ored"),
    ("ouring", "oring"),
    ("centred", "centered"),
    ("centres", "centers"),
    ("centre", "center"),
    ("ialogues", "ialogs"),
    ("ialogue", "ialog"),
    ("atalogues", "atalogs"),
    ("atalogue", "atalog"),
    ("licence", "license"),
    ("grey", "gray"),
];

/// Words that end like a British spelling and are none. Sorted.
#[rustfmt::skip]
const NO_SPELLING: &[&str] = &[
    "advertise", "advise", "arise", "comprise", "compromise", "concise", "devise", "disguise",
    "enterprise", "excise", "exercise", "expertise", "noise", "otherwise", "paradise", "poise", "praise",
    "precise", "premise", "premised", "premises", "promise", "promised", "promises", "raise", "raised", "raiser", "raises", "raising",
    "revise", "rise", "riser", "rises", "rising", "supervise", "surprise", "wise",
];

/// Whether a lowercase word is an English function word.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

/// Whether a word, as written, is a keyword that code is full of.
pub fn is_keyword(word: &str) -> bool {
    KEYWORDS.binary_search(&word).is_ok()
}

fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// What a byte of UTF-8 text is to a word: 0 ends it, 1 is part of it, 2 starts or continues a character that must be decoded.
static BYTE_CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'$' => 1,
            0x80.. => 2,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

/// The words of a text with the byte offset of each.
pub fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    // The next character that starts at or after `from` and is (or is not) part of a word. Source text
    // is nearly all ASCII, so bytes are looked up first and characters decoded only where they must be.
    let seek = move |from: usize, wanted: bool| {
        let mut i = from;
        while let Some(&byte) = bytes.get(i) {
            let class = BYTE_CLASSES[usize::from(byte)];
            if class == u8::from(wanted) {
                return i;
            }
            if class < 2 {
                i += 1;
                continue;
            }
            let Some(c) = text[i..].chars().next() else { break };
            if is_word_char(c) == wanted {
                return i;
            }
            i += c.len_utf8();
        }
        bytes.len()
    };
    std::iter::from_fn(move || {
        let start = seek(at, true);
        at = seek(start, false);
        (start < at).then(|| (start, &text[start..at]))
    })
}

/// The exact term of a whole word: lowercase, without `_` and `$`; `None` if nothing is left or it is too long.
pub fn exact(word: &str) -> Option<String> {
    if word.len() > MAX_EXACT_BYTES {
        return None;
    }
    let term: String = if word.is_ascii() {
        let kept = word.bytes().filter(|byte| *byte != b'_' && *byte != b'$');
        kept.map(|byte| char::from(byte.to_ascii_lowercase())).collect()
    } else {
        word.chars().filter(|c| *c != '_' && *c != '$').flat_map(char::to_lowercase).collect()
    };
    (!term.is_empty()).then_some(term)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    Separator,
}

fn class(c: char) -> Class {
    if c == '_' || c == '$' {
        Class::Separator
    } else if c.is_numeric() {
        Class::Digit
    } else if c.is_uppercase() {
        Class::Upper
    } else {
        Class::Lower
    }
}

/// The parts of a word as written: camel and Pascal humps, runs of capitals, digits, `_` and `$`.
///
/// `HTTPServer` gives `HTTP Server`, `userIDs` gives `user IDs`, `IPv6Addr` gives `IPv6 Addr`,
/// `base64url` gives `base64 url`, `2fa` stays whole.
pub fn split(word: &str) -> Vec<&str> {
    let chars: Vec<(usize, char)> = word.char_indices().collect();
    let mut parts = Vec::new();
    let mut start: Option<usize> = None;
    let at = |i: usize| chars.get(i).map(|&(_, c)| class(c));
    for (i, &(offset, c)) in chars.iter().enumerate() {
        let this = class(c);
        if this == Class::Separator {
            if let Some(from) = start.take() {
                parts.push(&word[from..offset]);
            }
            continue;
        }
        let Some(from) = start else {
            start = Some(offset);
            continue;
        };
        let previous = class(chars[i - 1].1);
        let plural_or_version = |lower: usize| {
            // `IDs`, `URLs` keep their s; `IPv6` keeps its v.
            let c = chars[lower].1;
            (c == 's' && !matches!(at(lower + 1), Some(Class::Lower)))
                || (c == 'v' && at(lower + 1) == Some(Class::Digit))
        };
        let border = match (previous, this) {
            (Class::Lower | Class::Digit, Class::Upper) => true,
            (Class::Digit, Class::Lower) => word[from..].starts_with(|c: char| !c.is_numeric()),
            (Class::Upper, Class::Upper) => {
                at(i + 1) == Some(Class::Lower) && !plural_or_version(i + 1)
            }
            _ => false,
        };
        if border {
            parts.push(&word[from..offset]);
            start = Some(offset);
        }
    }
    if let Some(from) = start {
        parts.push(&word[from..]);
    }
    parts
}

/// Turns text into terms; keeps a cache, so have one per thread.
pub struct Analyzer {
    stemmer: Stemmer,
    /// Words whose stop words are dropped, and words whose stop words are kept.
    caches: [Cache; 2],
    /// Stems of parts: many words share few parts.
    stems: FxHashMap<Box<str>, Box<str>>,
    /// Compounds of names, joined by spaces, and their number: many symbols share a name.
    compounds: FxHashMap<Box<str>, (Box<str>, u32)>,
}

/// Words that were analysed. A look-up borrows the word, so that only a new one is allocated.
#[derive(Default)]
struct Cache {
    places: FxHashMap<Box<str>, u32>,
    words: Vec<Word>,
}

impl Cache {
    /// Keeps a new word and gives its place.
    fn insert(&mut self, word: &str, known: Word) -> u32 {
        if self.words.len() >= CACHE_WORDS {
            self.places.clear();
            self.words.clear();
        }
        let place = self.words.len() as u32;
        self.places.insert(Box::from(word), place);
        self.words.push(known);
        place
    }
}

/// What is known of a word once it was analysed.
pub(crate) struct Word {
    /// Its terms, joined by spaces. No term has a space of its own: a word is letters, digits, `_` and `$`.
    pub(crate) joined: Box<str>,
    /// Number of terms.
    pub(crate) n_terms: u32,
    /// Whether code does not count it at all: keywords and words of one byte.
    pub(crate) is_noise: bool,
    /// Its exact term, taken on first use; empty where there is none or the word starts with a digit.
    exact: Option<Box<str>>,
    /// The last document that refers to it, in the count of the document builder; 0 for none.
    pub(crate) referred_by: u64,
}

impl Word {
    /// The terms one by one.
    fn terms(&self) -> impl Iterator<Item = &str> {
        // An empty text would split into one empty term.
        self.joined.split(' ').take(self.n_terms as usize)
    }

    /// The exact term of the identifier that this is; `None` for numbers and for what [`exact`] refuses.
    pub(crate) fn reference(&mut self, word: &str) -> Option<&str> {
        let term = self.exact.get_or_insert_with(|| {
            let is_number = word.starts_with(|c: char| c.is_ascii_digit());
            let term = if is_number { None } else { exact(word) };
            term.unwrap_or_default().into_boxed_str()
        });
        (!term.is_empty()).then_some(&**term)
    }
}

impl Default for Analyzer {
    fn default() -> Self {
        Self::new()
    }
}

impl Analyzer {
    /// A fresh analyzer.
    pub fn new() -> Self {
        Self {
            stemmer: Stemmer::new(Algorithm::English),
            caches: Default::default(),
            stems: FxHashMap::default(),
            compounds: FxHashMap::default(),
        }
    }

    /// The term of one lowercase part: American spelling, stemmed.
    pub fn stem(&self, part: &str) -> String {
        if part.len() < 3 || !part.bytes().all(|b| b.is_ascii_lowercase()) {
            return part.to_owned();
        }
        let spelled = american(part);
        self.stemmer.stem(spelled.as_deref().unwrap_or(part)).into_owned()
    }

    /// The terms of the parts of one word, in order. Parts of one letter are joined to their successor as well
    /// (`OAuth` gives `oauth auth`), letters before digits count by themselves too (`base64` gives `base64 base`).
    /// Stop words among the parts are kept only where `keep_stop_words` says so.
    pub fn word_terms(&mut self, word: &str, keep_stop_words: bool) -> Rc<[Box<str>]> {
        self.word(word, keep_stop_words).terms().map(Box::from).collect()
    }

    /// A word as the cache knows it, analysed if it does not yet.
    pub(crate) fn word(&mut self, word: &str, keep_stop_words: bool) -> &mut Word {
        let which = usize::from(keep_stop_words);
        let place = if let Some(&place) = self.caches[which].places.get(word) {
            place
        } else {
            let terms = self.analyse_word(word, keep_stop_words);
            let known = Word {
                joined: terms.join(" ").into_boxed_str(),
                n_terms: terms.len() as u32,
                is_noise: word.len() < 2 || is_keyword(word),
                exact: None,
                referred_by: 0,
            };
            self.caches[which].insert(word, known)
        };
        &mut self.caches[which].words[place as usize]
    }

    /// [`stem`](Self::stem), remembered.
    fn stemmed(&mut self, part: &str) -> Box<str> {
        if let Some(stem) = self.stems.get(part) {
            return stem.clone();
        }
        let stem = self.stem(part).into_boxed_str();
        if self.stems.len() >= CACHE_WORDS {
            self.stems.clear();
        }
        self.stems.insert(Box::from(part), stem.clone());
        stem
    }

    fn analyse_word(&mut self, word: &str, keep_stop_words: bool) -> Vec<Box<str>> {
        let mut terms: Vec<Box<str>> = Vec::new();
        let mut letter: Option<String> = None;
        for part in split(word) {
            let part = part.to_lowercase();
            if part.len() > MAX_PART_BYTES {
                letter = None;
                continue;
            }
            if let Some(letter) = letter.take() {
                let joined = letter + &part;
                terms.push(self.stemmed(&joined));
            }
            if part.chars().nth(1).is_none() && !part.starts_with(char::is_numeric) {
                letter = Some(part);
                continue;
            }
            if part.bytes().all(|b| b.is_ascii_digit()) && part.len() > MAX_NUMBER_DIGITS {
                continue;
            }
            if !keep_stop_words && is_stop_word(&part) {
                continue;
            }
            let letters = part.trim_end_matches(|c: char| c.is_numeric());
            if letters.len() >= 3 && letters.len() < part.len() {
                terms.push(self.stemmed(letters));
            }
            terms.push(self.stemmed(&part));
        }
        if terms.is_empty() && keep_stop_words {
            terms.extend(letter.map(String::into_boxed_str));
        }
        terms
    }

    /// Two and three neighbouring parts of a text joined to one word and stemmed: `onClickOutside` gives `onclick`,
    /// `clickoutsid` and `onclickoutsid`. They let `login` find `logIn` and `clickoutside` find `onClickOutside`.
    pub fn compounds(&self, text: &str) -> Vec<String> {
        let parts: Vec<String> =
            words(text).flat_map(|(_, word)| split(word)).map(str::to_lowercase).collect();
        let mut compounds = Vec::new();
        for n in [2, 3] {
            for window in parts.windows(n) {
                let joined = window.concat();
                if joined.len() <= MAX_PART_BYTES
                    && !joined.bytes().any(|b| b.is_ascii_whitespace())
                {
                    compounds.push(self.stem(&joined));
                }
            }
        }
        compounds
    }

    /// [`compounds`](Self::compounds) joined by spaces, and their number, remembered.
    pub(crate) fn joined_compounds(&mut self, name: &str) -> (&str, u32) {
        if !self.compounds.contains_key(name) {
            let compounds = self.compounds(name);
            if self.compounds.len() >= CACHE_WORDS {
                self.compounds.clear();
            }
            let known = (compounds.join(" ").into_boxed_str(), compounds.len() as u32);
            self.compounds.insert(Box::from(name), known);
        }
        self.compounds.get(name).map_or(("", 0), |(joined, count)| (joined, *count))
    }

    /// Gives every term of `text` to `each`, with the byte offset of its word.
    pub fn terms(&mut self, text: &str, mode: Mode, mut each: impl FnMut(usize, &str)) {
        for (offset, word) in words(text) {
            if mode == Mode::Code && is_keyword(word) {
                continue;
            }
            for term in self.word(word, mode == Mode::Name).terms() {
                each(offset, term);
            }
        }
    }

    /// The terms of `text` in order, repeats included.
    pub fn collect(&mut self, text: &str, mode: Mode) -> Vec<String> {
        let mut terms = Vec::new();
        self.terms(text, mode, |_, term| terms.push(term.to_owned()));
        terms
    }
}

fn american(part: &str) -> Option<String> {
    let &(suffix, replacement) = SPELLINGS.iter().find(|(suffix, _)| part.ends_with(suffix))?;
    if NO_SPELLING.binary_search(&part).is_ok() || (part.len() <= suffix.len() && part != suffix) {
        return None;
    }
    Some(format!("{}{replacement}", &part[..part.len() - suffix.len()]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(word: &str, parts: &str) {
        assert_eq!(split(word).join(" "), parts, "{word}");
    }

    #[track_caller]
    fn check_terms(mode: Mode, text: &str, terms: &str) {
        assert_eq!(Analyzer::new().collect(text, mode).join(" "), terms, "{text}");
    }

    #[test]
    fn tables_are_sorted_for_binary_search() {
        assert!(STOP_WORDS.is_sorted());
        assert!(KEYWORDS.is_sorted());
        assert!(NO_SPELLING.is_sorted());
    }

    #[test]
    fn humps_capitals_digits_and_separators_split() {
        check("getUserById", "get User By Id");
        check("get_user_by_id", "get user by id");
        check("UserByIdGetter", "User By Id Getter");
        check("HTTPServer", "HTTP Server");
        check("XMLHttpRequest", "XML Http Request");
        check("parseURL", "parse URL");
        check("userIDs", "user IDs");
        check("URLsToFetch", "URLs To Fetch");
        check("IPv6Addr", "IPv6 Addr");
        check("base64url", "base64 url");
        check("utf8Decode", "utf8 Decode");
        check("2fa", "2fa");
        check("OVERTIME_SERVICE", "OVERTIME SERVICE");
        check("$onInit_", "on Init");
        check("__", "");
        check("größeÄndern", "größe Ändern");
    }

    #[test]
    fn one_letter_parts_join_their_successor() {
        check_terms(Mode::Name, "OAuth2Client", "oauth2 auth auth2 client");
        check_terms(Mode::Name, "IUser", "iuser user");
        check_terms(Mode::Name, "vNode", "vnode node");
        check_terms(Mode::Name, "x", "x");
        check_terms(Mode::Code, "x", "");
    }

    #[test]
    fn names_keep_function_words_and_prose_drops_them() {
        check_terms(Mode::Name, "of", "of");
        check_terms(Mode::Name, "signIn", "sign in");
        check_terms(Mode::Prose, "sign in to the account", "sign account");
        check_terms(Mode::Code, "return isReady", "readi");
    }

    #[test]
    fn every_spelling_of_a_name_gives_the_same_terms_on_both_sides() {
        for text in ["OvertimeService", "OVERTIME_SERVICE", "overtime service", "overtime-service"]
        {
            check_terms(Mode::Name, text, "overtim servic");
            check_terms(Mode::Prose, text, "overtim servic");
        }
        assert_eq!(exact("OvertimeService").as_deref(), Some("overtimeservice"));
        assert_eq!(exact("OVERTIME_SERVICE").as_deref(), Some("overtimeservice"));
    }

    #[test]
    fn stems_join_plural_agent_and_participle() {
        check_terms(
            Mode::Prose,
            "throttle throttled limiter limits emits",
            "throttl throttl limit limit emit",
        );
    }

    #[test]
    fn british_spelling_gives_the_american_term() {
        let mut analyzer = Analyzer::new();
        for (british, american) in [
            ("colour", "color"),
            ("behaviour", "behavior"),
            ("centre", "center"),
            ("initialise", "initialize"),
            ("organisation", "organization"),
            ("cancelled", "canceled"),
            ("dialogue", "dialog"),
            ("analyse", "analyze"),
        ] {
            assert_eq!(
                analyzer.collect(british, Mode::Prose),
                analyzer.collect(american, Mode::Prose),
                "{british}"
            );
        }
        check_terms(Mode::Prose, "promise raise otherwise", "promis rais otherwis");
    }

    #[test]
    fn very_long_names_keep_their_parts_and_their_exact_term() {
        let name = "createSubscriptionRenewalReminderNotificationSchedulerForTeams";
        let terms = Analyzer::new().collect(name, Mode::Name);
        for part in ["renew", "remind", "schedul"] {
            assert!(terms.iter().any(|term| term == part), "{part} in {terms:?}");
        }
        assert_eq!(exact(name).map(|term| term.len()), Some(62));
        assert_eq!(exact(&"ab".repeat(150)).map(|term| term.len()), Some(300));
        assert_eq!(exact(&"a".repeat(MAX_EXACT_BYTES + 1)), None);
    }

    #[test]
    fn numbers_keep_up_to_five_digits() {
        check_terms(Mode::Prose, "status 404 at 1234567", "status 404");
    }
}
