//! Comma-separated rows as in RFC 4180, as far as this crate writes them.
//!
//! Invariant: `parse(write(rows)) == rows` for rows of at least one cell.

/// Appends a row, ended by a line feed. Cells with commas, quotes or line breaks are quoted.
pub(crate) fn push_row<S: AsRef<str>>(text: &mut String, cells: impl IntoIterator<Item = S>) {
    for (i, cell) in cells.into_iter().enumerate() {
        if 0 < i {
            text.push(',');
        }
        let cell = cell.as_ref();
        if cell.contains([',', '"', '\n', '\r']) {
            text.push('"');
            text.push_str(&cell.replace('"', "\"\""));
            text.push('"');
        } else {
            text.push_str(cell);
        }
    }
    text.push('\n');
}

/// All rows with the one-based line each starts at.
pub(crate) fn parse(text: &str) -> Vec<(usize, Vec<String>)> {
    let mut rows = Vec::new();
    let (mut row, mut cell) = (Vec::new(), String::new());
    let (mut line, mut start) = (1, 1);
    let mut quoted = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        line += usize::from(c == '\n');
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut cell)),
            '\r' if !quoted && chars.peek() == Some(&'\n') => {}
            '\n' if !quoted => {
                row.push(std::mem::take(&mut cell));
                rows.push((start, std::mem::take(&mut row)));
                start = line;
            }
            _ => cell.push(c),
        }
    }
    if !cell.is_empty() || !row.is_empty() {
        row.push(cell);
        rows.push((start, row));
    }
    rows
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lines_are_counted_through_quoted_line_breaks() {
        let rows = parse("a,\"b\nc\"\r\nd");
        let expected = [(1, vec!["a".to_owned(), "b\nc".to_owned()]), (3, vec!["d".to_owned()])];
        assert_eq!(rows, expected);
    }

    proptest! {
        #[test]
        fn rows_round_trip(rows in proptest::collection::vec(
            proptest::collection::vec(any::<String>(), 1..4), 0..4)
        ) {
            let mut text = String::new();
            for row in &rows {
                push_row(&mut text, row);
            }
            let read: Vec<Vec<String>> = parse(&text).into_iter().map(|(_, row)| row).collect();
            prop_assert_eq!(read, rows);
        }
    }
}
