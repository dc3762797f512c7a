//! Whatever the bytes, extraction ends without a panic and what it gives keeps the promises of the types.

use proptest::prelude::*;
use reseek_symbols::{
    Extractor, Language, ParsedFile, Span, each_reference, own_ranges, references,
};

const SAMPLES: [(&str, &str); 3] = [
    ("typescript", include_str!("../languages/typescript/sample.ts")),
    ("tsx", include_str!("../languages/tsx/sample.tsx")),
    ("javascript", include_str!("../languages/javascript/sample.js")),
];

/// What holds for every parsed file.
fn check(source: &[u8], file: &ParsedFile) {
    let whole = Span { start: 0, end: source.len() as u32 };
    for spans in [&file.comments, &file.strings] {
        assert!(spans.iter().all(|span| whole.contains(*span) && !span.is_empty()));
        assert!(spans.windows(2).all(|pair| pair[0].end <= pair[1].start), "sorted and apart");
    }
    let keys: Vec<_> = file.symbols.iter().map(|symbol| symbol.span).collect();
    assert!(keys.is_sorted_by_key(|span| (span.start, std::cmp::Reverse(span.end))));
    for (index, symbol) in file.symbols.iter().enumerate() {
        assert!(whole.contains(symbol.span), "{symbol:?}");
        assert!(symbol.span.contains(symbol.signature_span), "{symbol:?}");
        assert!(symbol.lines.start >= 1 && symbol.lines.start <= symbol.lines.end);
        assert!(symbol.doc_span.is_none_or(|doc| doc.end <= symbol.span.start));
        if let Some(parent) = symbol.parent {
            assert!((parent as usize) < index, "a parent stands before its children");
            assert!(file.symbols[parent as usize].span.contains(symbol.span), "{symbol:?}");
        }
    }
    let mut found = Vec::new();
    each_reference(source, file, |owner, identifier| found.push((owner, identifier)));
    let owners = std::iter::once(None).chain((0..file.symbols.len() as u32).map(Some));
    let mut expected = Vec::new();
    for owner in owners {
        let ranges = own_ranges(file, owner);
        assert!(ranges.iter().all(|span| whole.contains(*span) && !span.is_empty()));
        let identifiers = references(source, file, owner).into_iter();
        expected.extend(identifiers.map(|identifier| (owner, identifier)));
    }
    assert_eq!(found, expected);
}

fn check_all_languages(source: &[u8]) {
    let mut extractor = Extractor::new();
    for language in Language::all() {
        check(source, &extractor.extract(source, language, true));
    }
}

/// A change to a text: at a place, so many bytes are replaced.
fn edits() -> impl Strategy<Value = Vec<(prop::sample::Index, usize, Vec<u8>)>> {
    let pieces = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..4),
        prop::sample::select(vec![
            "{", "}", "(", ")", "`", "${", "\"", "'", "/*", "*/", "//", "<", ">", "\n", "export ",
            "class ", "=> ", "@", "#", "=", ";", "\u{feff}", "é",
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
    ];
    prop::collection::vec((any::<prop::sample::Index>(), 0..40_usize, pieces), 1..6)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_are_read_without_a_panic(source in prop::collection::vec(any::<u8>(), 0..300)) {
        check_all_languages(&source);
    }

    #[test]
    fn random_marks_of_code_are_read_without_a_panic(source in "[a-c(){}<>=>:;,.@#`$\"'/*\\n ]{0,200}") {
        check_all_languages(source.as_bytes());
    }

    #[test]
    fn mutated_samples_are_read_without_a_panic(sample in 0..SAMPLES.len(), edits in edits()) {
        let (name, text) = SAMPLES[sample];
        let mut source = text.as_bytes().to_vec();
        for (place, cut, piece) in edits {
            let at = place.index(source.len() + 1);
            let end = (at + cut).min(source.len());
            source.splice(at..end, piece);
        }
        let language = Language::by_name(name).expect("a row of the table");
        check(&source, &Extractor::new().extract(&source, language, true));
    }
}

#[test]
fn samples_of_every_language_are_read_as_every_language() {
    for (_, source) in SAMPLES {
        check_all_languages(source.as_bytes());
    }
}
