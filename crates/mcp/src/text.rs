//! How numbers, places and judgements read in every answer, of the tools and of the command line alike.

use reseek_query::report::{Band, Stop, SymbolResult};
use reseek_symbols::DiagnosticKind;

/// A count with its noun, such as `1 file` and `5,927 files`.
pub fn count(n: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(n), if n == 1 { "" } else { "s" })
}

/// A number with commas between groups of three digits.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.char_indices() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A relevance with two decimals, cut and not rounded, so that it never shows in a band above its own.
pub fn relevance(value: f32) -> String {
    let thousandths = (value * 1e3).round() as u32;
    format!("{}.{:02}", thousandths / 1_000, thousandths % 1_000 / 10)
}

/// Why the loop ended, in words.
pub fn stopped(stop: Stop) -> &'static str {
    match stop {
        Stop::Sufficient => "stopped with enough relevant files",
        Stop::NothingNew => "stopped because nothing new came up",
        Stop::MaxCycles => "stopped at the last cycle",
    }
}

/// The name of a band.
pub fn band_name(band: Band) -> &'static str {
    match band {
        Band::High => "high",
        Band::Medium => "medium",
        Band::Low => "low",
        Band::None => "none",
    }
}

/// The lines of a symbol, `3` or `3-9`.
pub fn lines(symbol: &SymbolResult) -> String {
    range(symbol.start_line, symbol.end_line)
}

/// A range of lines, `3` or `3-9`.
pub fn range(start: u32, end: u32) -> String {
    if start == end { start.to_string() } else { format!("{start}-{end}") }
}

/// The name of a symbol with what is around it.
pub fn qualified(symbol: &SymbolResult) -> String {
    if symbol.container.is_empty() {
        symbol.name.clone()
    } else {
        format!("{}.{}", symbol.container, symbol.name)
    }
}

/// A text of at most `max` bytes, cut at a character and marked if it was longer.
pub fn cut(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_owned();
    }
    let end = (0..=max).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    format!("{}...", &text[..end])
}

/// What a diagnostic says of the lines that it names, in words.
pub fn trouble(kind: DiagnosticKind) -> &'static str {
    match kind {
        DiagnosticKind::SyntaxError => "syntax error; the symbols around it are kept",
        DiagnosticKind::TooLarge => "too large to parse",
        DiagnosticKind::TooDeep => "nested too deep; what is inside was not read",
        DiagnosticKind::TimedOut => "parsing took too long and was given up",
        DiagnosticKind::TooManySymbols => "too many symbols; the rest was left out",
        _ => "not read as meant",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_three() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_000), "1,000");
        assert_eq!(grouped(12_345_678), "12,345,678");
    }

    #[test]
    fn one_of_a_thing_has_no_plural() {
        assert_eq!(count(1, "file"), "1 file");
        assert_eq!(count(0, "file"), "0 files");
    }

    #[test]
    fn a_relevance_is_never_shown_in_a_higher_band() {
        assert_eq!(relevance(0.497), "0.49");
        assert_eq!(relevance(0.7), "0.70");
        assert_eq!(relevance(1.0), "1.00");
        assert_eq!(relevance(0.0), "0.00");
    }

    #[test]
    fn a_text_is_cut_at_a_character() {
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("aéb", 2), "a...");
    }
}
