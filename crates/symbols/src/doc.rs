//! Doc comments: which comments belong to a definition, and their text without marks.

use crate::symbol::Span;

/// The comments directly above a definition that starts at `start`, and their text.
///
/// A block comment, or a run of comments that ends with one upwards, without a blank line between
/// them and the definition. A comment that shares its line with code before it belongs to that code.
pub(crate) fn doc_above(source: &[u8], comments: &[Span], start: u32) -> Option<(Span, String)> {
    let mut first = comments.partition_point(|comment| comment.end <= start);
    let last = first;
    let mut below = start;
    while first > 0 {
        let comment = comments[first - 1];
        let between = Span { start: comment.end, end: below }.slice(source);
        if !between.iter().all(u8::is_ascii_whitespace)
            || between.split(|byte| *byte == b'\n').count() > 2
            || !starts_its_line(source, comment)
        {
            break;
        }
        let text = comment.slice(source);
        if !text.starts_with(b"//") && !text.starts_with(b"/*") {
            break;
        }
        first -= 1;
        below = comment.start;
        if text.starts_with(b"/*") {
            break;
        }
    }
    if first == last {
        return None;
    }
    let comments = &comments[first..last];
    let lines: Vec<String> =
        comments.iter().flat_map(|comment| text_lines(comment.slice(source))).collect();
    let doc = lines.join("\n").trim().to_owned();
    let span = Span { start: comments[0].start, end: comments[comments.len() - 1].end };
    if doc.is_empty() { None } else { Some((span, doc)) }
}

/// Whether only white space stands before a comment on its line.
fn starts_its_line(source: &[u8], comment: Span) -> bool {
    let before = Span { start: 0, end: comment.start }.slice(source);
    // From the end, so that of a long line with many comments little is read.
    let is_space = |byte: &u8| *byte != b'\n' && byte.is_ascii_whitespace();
    let blanks = before.iter().rev().take_while(|byte| is_space(byte)).count();
    let before = &before[..before.len() - blanks];
    let before = before.strip_suffix("\u{feff}".as_bytes()).unwrap_or(before);
    before.last().is_none_or(|byte| *byte == b'\n')
}

/// The lines of one comment without its marks.
fn text_lines(comment: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(comment);
    if let Some(line) = text.strip_prefix("//") {
        return vec![line.trim_start_matches('/').trim().to_owned()];
    }
    let inner = text.strip_prefix("/*").unwrap_or(&text);
    let inner = inner.strip_suffix("*/").unwrap_or(inner);
    inner
        .lines()
        .map(|line| {
            let line = line.trim().trim_start_matches('*');
            line.strip_prefix(' ').unwrap_or(line).trim_end().to_owned()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The doc of the text after `|`; comments are found by their marks.
    #[track_caller]
    fn check(source: &str, expected: &str) {
        let start = source.find('|').expect("the mark of the definition");
        let mut comments = Vec::new();
        let mut at = 0;
        while let Some(from) = source[at..start].find('/').map(|from| at + from) {
            let end = if source[from..].starts_with("//") {
                source[from..].find('\n').map_or(start, |end| from + end)
            } else {
                source[from..].find("*/").map_or(start, |end| from + end + 2)
            };
            comments.push(Span { start: from as u32, end: end as u32 });
            at = end;
        }
        let doc = doc_above(source.as_bytes(), &comments, start as u32);
        assert_eq!(doc.map(|(_, text)| text).unwrap_or_default(), expected);
    }

    #[test]
    fn a_block_comment_loses_its_marks_and_stars() {
        check("/** Adds. */\n|", "Adds.");
        check("/**\n * Adds.\n *\n * @param a first\n */\n|", "Adds.\n\n@param a first");
        check("/* plain */\n|", "plain");
    }

    #[test]
    fn line_comments_in_a_run_are_one_doc() {
        check("// Adds\n// two numbers.\n|", "Adds\ntwo numbers.");
        check("/// Adds.\n|", "Adds.");
    }

    #[test]
    fn a_blank_line_separates_a_comment() {
        check("/* License */\n\n|", "");
        check("// a\n\n// b\n|", "b");
    }

    #[test]
    fn only_the_nearest_block_comment_counts() {
        check("/** a */\n/** b */\n|", "b");
        check("/** a */\n// lint: off\n|", "a\nlint: off");
    }

    #[test]
    fn a_comment_behind_code_belongs_to_that_code() {
        check("x = 1; // one\n|", "");
    }

    #[test]
    fn carriage_returns_do_not_stay() {
        check("/**\r\n * Adds.\r\n */\r\n|", "Adds.");
        check("// Adds.\r\n|", "Adds.");
    }
}
