//! Byte order marks, line ends, first lines for the shell: the same symbols on the same lines.

use serde_json::Value;

use crate::util::World;

const SOURCE: &str = "export function first() {\n  return 1;\n}\n\nexport class Second {\n  third() {\n    return 3;\n  }\n}\n";

/// Names with their lines, as the index and a fresh parse give them.
fn symbols(world: &World, path: &str) -> Value {
    let listed = world.run(&["symbols", "--json", "--path", path]).expect(0).json();
    let mut listed: Vec<(u64, u64, String)> =
        listed["symbols"].as_array().unwrap().iter().map(|found| facts(&found["symbol"])).collect();
    listed.sort();
    let outlined = world.run(&["outline", path, "--json"]).expect(0).json();
    let outlined: Vec<(u64, u64, String)> =
        outlined["symbols"].as_array().unwrap().iter().map(facts).collect();
    assert_eq!(listed, outlined, "{path}");
    serde_json::to_value(listed).unwrap()
}

fn facts(symbol: &Value) -> (u64, u64, String) {
    (
        symbol["start_line"].as_u64().unwrap(),
        symbol["end_line"].as_u64().unwrap(),
        symbol["name"].as_str().unwrap().to_owned(),
    )
}

/// The source in another form has the symbols of the plain one.
#[track_caller]
fn check(bytes: impl AsRef<[u8]>, expected: &Value) {
    let world = World::new(&[]);
    world.write("a.ts", bytes);
    assert_eq!(symbols(&world, "a.ts"), *expected);
}

fn plain() -> Value {
    serde_json::json!([[1, 3, "first"], [5, 9, "Second"], [6, 8, "third"]])
}

#[test]
fn plain_utf_8() {
    check(SOURCE, &plain());
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_first_name() {
    check([b"\xef\xbb\xbf".as_slice(), SOURCE.as_bytes()].concat(), &plain());
}

#[test]
fn carriage_returns_move_no_line() {
    check(SOURCE.replace('\n', "\r\n"), &plain());
}

#[test]
fn a_first_line_for_the_shell_counts_as_a_line() {
    let expected = serde_json::json!([[2, 4, "first"], [6, 10, "Second"], [7, 9, "third"]]);
    check(format!("#!/usr/bin/env node\n{SOURCE}"), &expected);
}

#[test]
fn utf_16_is_skipped_with_a_reason() {
    let world = World::new(&[]);
    let units: Vec<u16> = "\u{feff}".encode_utf16().chain(SOURCE.encode_utf16()).collect();
    world.write("le.ts", units.iter().flat_map(|unit| unit.to_le_bytes()).collect::<Vec<u8>>());
    world.write("be.ts", units.iter().flat_map(|unit| unit.to_be_bytes()).collect::<Vec<u8>>());
    let document = world.run(&["index", "--json"]).expect(0).json();
    assert_eq!(document["status"]["skipped"]["not-utf8"], 2, "{document}");
    assert_eq!(
        world.run(&["outline", "le.ts", "--json"]).expect(2).json()["error"]["kind"],
        "unreadable"
    );
}

#[test]
fn a_context_pack_gives_text_without_doubled_or_lost_line_ends() {
    for source in [SOURCE.to_owned(), SOURCE.replace('\n', "\r\n"), format!("\u{feff}{SOURCE}")] {
        let world = World::new(&[]);
        world.write("a.ts", source);
        let args = ["retrieve", "first second third", "--threshold", "0", "--format", "context"];
        let pack = world.run(&args).expect(0).stdout;
        assert!(!pack.contains('\r') && !pack.contains('\u{feff}'), "{pack:?}");
        for (n, line) in SOURCE.lines().enumerate() {
            assert!(pack.contains(&format!("\n{}\t{line}\n", n + 1)), "{n} {pack}");
        }
    }
}
