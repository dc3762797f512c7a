//! How many tokens a text costs an agent: an estimate that is made to come out high.
//!
//! No vocabulary is shipped: models differ, and a cap must hold for all of them. The estimate splits text as byte-pair
//! tokenizers do, into words, numbers, marks and white space, and charges each run more than common
//! vocabularies do for source text. It adds up over lines, so a cap can be kept line by line.

/// Bytes of a word that one token is charged for. Common words of up to eight letters are one token; identifiers are
/// cut at their humps, so the average run in source text is well below that.
const WORD_BYTES: usize = 4;
/// Digits that one token is charged for.
const DIGITS: usize = 3;
/// Marks in a row that one token is charged for; `});` and `=>` are single tokens, rare sequences are not.
const MARKS: usize = 2;

/// What a run of characters is made of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    Mark,
    Blank,
    Other,
}

fn class(c: char) -> Class {
    match c {
        'a'..='z' => Class::Lower,
        'A'..='Z' => Class::Upper,
        '0'..='9' => Class::Digit,
        ' ' | '\t' | '\r' | '\n' => Class::Blank,
        c if c.is_ascii() => Class::Mark,
        _ => Class::Other,
    }
}

/// The estimated number of tokens of a text.
pub(crate) fn estimate(text: &str) -> usize {
    text.split_inclusive('\n').map(line).sum()
}

/// Charges one line, its line end included.
fn line(text: &str) -> usize {
    let mut tokens = 0;
    let mut run = (Class::Blank, 0);
    for c in text.chars() {
        let next = class(c);
        // `Token` is one run: a capital begins a word that goes on in lower case.
        let goes_on =
            next == run.0 || (run.0 == Class::Upper && run.1 == 1 && next == Class::Lower);
        if goes_on {
            run = (next, run.1 + c.len_utf8());
        } else {
            tokens += charge(run);
            run = (next, c.len_utf8());
        }
    }
    tokens + charge(run)
}

fn charge((class, n_bytes): (Class, usize)) -> usize {
    match class {
        Class::Lower | Class::Upper => n_bytes.div_ceil(WORD_BYTES),
        Class::Digit => n_bytes.div_ceil(DIGITS),
        Class::Mark => n_bytes.div_ceil(MARKS),
        // One blank joins the word after it; longer runs and line ends are tokens of their own.
        Class::Blank => usize::from(n_bytes > 1),
        // Two of three bytes: scripts other than Latin cost about a token a character, rare ones more.
        Class::Other => (n_bytes * 2).div_ceil(3),
    }
}
