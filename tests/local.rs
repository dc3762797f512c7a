//! Nothing leaves the machine, and nothing is written outside of the index folder.

use std::collections::BTreeSet;
use std::fs;

use crate::util::{project, repository};

/// Packages that speak to the network, or exist to do so.
const NETWORK: [&str; 24] = [
    "attohttpc",
    "aws-config",
    "curl",
    "curl-sys",
    "h2",
    "hickory-resolver",
    "hyper",
    "hyper-util",
    "isahc",
    "minreq",
    "native-tls",
    "openssl",
    "openssl-sys",
    "opentelemetry",
    "quinn",
    "reqwest",
    "rustls",
    "sentry",
    "surf",
    "tonic",
    "trust-dns-resolver",
    "tungstenite",
    "ureq",
    "webpki",
];

/// Names of all packages that the binary may be built from, its tests included.
fn packages() -> BTreeSet<String> {
    let lock = fs::read_to_string(repository().join("Cargo.lock")).unwrap();
    lock.lines()
        .filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'))
        .map(str::to_owned)
        .collect()
}

#[test]
fn no_package_speaks_to_the_network() {
    let packages = packages();
    assert!(packages.contains("tantivy"), "the lock file was read");
    let network: Vec<&&str> = NETWORK.iter().filter(|name| packages.contains(**name)).collect();
    assert_eq!(network, [&""; 0]);
}

#[test]
fn no_source_opens_a_socket() {
    for (path, text) in crate::tidy::sources() {
        let banned = ["std::net", "TcpStream", "UdpSocket", "UnixStream"];
        // This file names what it looks for.
        if !path.ends_with("tests/local.rs") {
            assert!(banned.iter().all(|name| !text.contains(name)), "{}", path.display());
        }
    }
}

#[test]
fn nothing_is_written_outside_of_the_index_folder() {
    let world = project();
    let before = world.files();
    for args in [
        &["index"][..],
        &["refresh"],
        &["retrieve", "token expired", "--threshold", "0.3"],
        &["retrieve", "token expired", "--threshold", "0.3", "--format", "context"],
        &["search", "token"],
        &["symbols"],
        &["outline", "src/clock.ts"],
        &["status"],
        &["completions", "zsh"],
        &["man"],
    ] {
        world.run(args).expect(0);
        assert_eq!(world.files(), before, "{args:?}");
    }
    assert!(world.root().join(".reseek/CURRENT").is_file());
}

#[test]
fn the_index_folder_ignores_itself_for_git() {
    let world = project();
    world.git(&world.root(), &["init", "-q"]);
    world.git(&world.root(), &["add", "."]);
    world.git(&world.root(), &["commit", "-qm", "first"]);
    world.run(&["index"]).expect(0);
    world.git(&world.root(), &["add", "."]);
    world.git(&world.root(), &["diff", "--cached", "--quiet"]);
}
