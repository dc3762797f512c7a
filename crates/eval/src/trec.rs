//! How ids and paths become cells of the TREC formats, and back.
//!
//! TREC files separate their columns by white space, so a path with a space in it would tear a line
//! apart. Cells are therefore percent-encoded, as little as possible: white space, control
//! characters and `%` become `%XX` per UTF-8 byte; everything else stands as it is. The empty
//! string is a lone `%`. Decoding is lenient towards files written by others: a `%` that two
//! hexadecimal digits do not follow stands for itself.
//!
//! A topic's cell is `repo/id`, with `/` encoded inside both halves, or only `id` where the topic
//! names no repository. Topic ids of other collections (`301`) thus read and print as themselves.
//!
//! Invariant: `decode(encode(x)) == x` for every string, and no encoded cell is empty or holds white
//! space.

use std::fmt::Write as _;

use crate::topic::TopicId;

/// Encodes one cell.
pub fn encode(value: &str) -> String {
    encode_except(value, |c| c.is_whitespace() || c.is_control() || c == '%')
}

fn encode_except(value: &str, escaped: impl Fn(char) -> bool) -> String {
    if value.is_empty() {
        return "%".to_owned();
    }
    let mut cell = String::with_capacity(value.len());
    let mut buffer = [0; 4];
    for c in value.chars() {
        if escaped(c) {
            for byte in c.encode_utf8(&mut buffer).bytes() {
                // Writing into a string cannot fail.
                let _ = write!(cell, "%{byte:02X}");
            }
        } else {
            cell.push(c);
        }
    }
    cell
}

/// Decodes one cell; `None` if its escapes do not spell UTF-8.
pub fn decode(cell: &str) -> Option<String> {
    if cell == "%" {
        return Some(String::new());
    }
    let bytes = cell.as_bytes();
    let mut value = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], hex(bytes.get(at + 1)), hex(bytes.get(at + 2))) {
            (b'%', Some(high), Some(low)) => {
                value.push(high * 16 + low);
                at += 3;
            }
            (byte, _, _) => {
                value.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8(value).ok()
}

fn hex(byte: Option<&u8>) -> Option<u8> {
    char::from(*byte?).to_digit(16).map(|digit| digit as u8)
}

/// The cell of a topic.
pub fn encode_topic(topic: &TopicId) -> String {
    let half = |value: &str| {
        encode_except(value, |c| c.is_whitespace() || c.is_control() || matches!(c, '%' | '/'))
    };
    if topic.repo.is_empty() {
        half(&topic.id)
    } else {
        format!("{}/{}", half(&topic.repo), half(&topic.id))
    }
}

/// The topic of a cell; `None` if its escapes do not spell UTF-8.
pub fn decode_topic(cell: &str) -> Option<TopicId> {
    let (repo, id) = cell.split_once('/').unwrap_or(("", cell));
    Some(TopicId { repo: decode(repo)?, id: decode(id)? })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(value: &str, cell: &str) {
        assert_eq!(encode(value), cell);
        assert_eq!(decode(cell).as_deref(), Some(value));
    }

    #[test]
    fn an_ordinary_path_stands_as_it_is() {
        check("packages/a-b/src/[id]/page.tsx", "packages/a-b/src/[id]/page.tsx");
    }

    #[test]
    fn spaces_percent_signs_and_line_breaks_are_escaped() {
        check("my docs/50% off\n.md", "my%20docs/50%25%20off%0A.md");
    }

    #[test]
    fn white_space_beyond_ascii_is_escaped_because_other_tools_split_there() {
        check("a\u{a0}b\u{2028}c", "a%C2%A0b%E2%80%A8c");
    }

    #[test]
    fn the_empty_string_is_a_lone_percent_sign() {
        check("", "%");
    }

    #[test]
    fn a_percent_sign_of_a_foreign_file_stands_for_itself() {
        assert_eq!(decode("100%zz").as_deref(), Some("100%zz"));
        assert_eq!(decode("100%2").as_deref(), Some("100%2"));
    }

    #[test]
    fn escapes_that_spell_no_text_are_refused() {
        assert_eq!(decode("a%FFb"), None);
    }

    #[test]
    fn a_topic_is_repo_slash_id_or_the_bare_id() {
        let topic = TopicId::new("acme/shop", "t 1");
        assert_eq!(encode_topic(&topic), "acme%2Fshop/t%201");
        assert_eq!(decode_topic("acme%2Fshop/t%201"), Some(topic));
        assert_eq!(decode_topic("301"), Some(TopicId::new("", "301")));
    }

    proptest! {
        #[test]
        fn any_string_survives_and_no_cell_splits(value in any::<String>()) {
            let cell = encode(&value);
            prop_assert!(!cell.is_empty() && !cell.chars().any(char::is_whitespace));
            prop_assert_eq!(decode(&cell), Some(value));
        }

        #[test]
        fn any_topic_survives(repo in any::<String>(), id in any::<String>()) {
            let topic = TopicId { repo, id };
            prop_assert_eq!(decode_topic(&encode_topic(&topic)), Some(topic));
        }
    }
}
