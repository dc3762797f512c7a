//! Phrases: the index keeps no positions, so it names the files that hold all words, and the text decides.

/// Where source text comes from; the index stores none.
pub trait TextSource {
    /// The text of the file at `path`, relative to the root, as it was indexed. `None` if it cannot be read or has
    /// changed since, so that places in it no longer mean what the index says.
    fn text(&self, path: &str) -> Option<String>;
}

impl<F: Fn(&str) -> Option<String>> TextSource for F {
    fn text(&self, path: &str) -> Option<String> {
        self(path)
    }
}

/// A phrase, ready to be looked for in texts.
pub(super) struct Phrase {
    /// Its words in lower case; between two of them the text must have white space.
    words: Vec<Vec<char>>,
}

fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// What may stand between two words where a line ends: the marks that comments begin their lines with.
fn is_gap(c: char) -> bool {
    c.is_whitespace() || matches!(c, '*' | '/')
}

impl Phrase {
    /// A phrase from its text.
    pub(super) fn new(text: &str) -> Self {
        Self {
            words: text
                .split_whitespace()
                .map(|word| word.to_lowercase().chars().collect())
                .collect(),
        }
    }

    /// Byte offsets of all places of the phrase in the text, ascending.
    pub(super) fn places(&self, text: &str) -> Vec<usize> {
        let Some(&first) = self.words.first().and_then(|word| word.first()) else {
            return Vec::new();
        };
        let mut before = ' ';
        let mut places = Vec::new();
        for (at, c) in text.char_indices() {
            let starts = c.to_lowercase().next() == Some(first)
                && !(is_word_char(first) && is_word_char(before));
            if starts && self.is_at(&text[at..]) {
                places.push(at);
            }
            before = c;
        }
        places
    }

    /// Whether the text begins with the phrase.
    fn is_at(&self, text: &str) -> bool {
        let mut rest = text;
        for (i, word) in self.words.iter().enumerate() {
            if i > 0 {
                let gap = &rest[..rest.len() - rest.trim_start_matches(is_gap).len()];
                if !gap.starts_with(char::is_whitespace) {
                    return false;
                }
                // Comment marks are passed over only at the start of a line.
                let skipped =
                    if gap.contains('\n') { gap.len() } else { gap.len() - gap.trim_start().len() };
                rest = &rest[skipped..];
            }
            let mut chars = rest.char_indices();
            let mut wanted = word.iter().copied();
            let mut end = 0;
            while let Some(c) = wanted.next() {
                let Some((at, found)) = chars.next() else { return false };
                let mut lower = found.to_lowercase();
                if lower.next() != Some(c) || lower.any(|more| wanted.next() != Some(more)) {
                    return false;
                }
                end = at + found.len_utf8();
            }
            rest = &rest[end..];
        }
        let ends_in_word =
            self.words.last().and_then(|word| word.last()).is_some_and(|&c| is_word_char(c));
        !(ends_in_word && rest.starts_with(is_word_char))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(phrase: &str, text: &str, places: &[usize]) {
        assert_eq!(Phrase::new(phrase).places(text), places, "{phrase} in {text}");
    }

    #[test]
    fn letter_case_and_kind_of_white_space_do_not_matter() {
        check("too many requests", "a Too  Many\n\tRequests b", &[2]);
        check("Straße", "die STRASSE, die straße", &[17]);
    }

    #[test]
    fn a_phrase_runs_on_over_the_lines_of_a_comment() {
        check("too many requests", "/** answers too many\n   * requests */", &[12]);
        check("too many requests", "// too\n// many requests", &[3]);
        check("a b", "a * b, a/b", &[]);
    }

    #[test]
    fn a_phrase_is_whole_words_and_its_signs_are_literal() {
        check("log in", "blog in, log into, log in", &[19]);
        check("router.get(", "subrouter.get( router.get(x)", &[15]);
        check("b", "a b\u{e9} b", &[6]);
    }

    #[test]
    fn every_place_is_told() {
        check("a", "a b a", &[0, 4]);
        check("", "a", &[]);
    }
}
