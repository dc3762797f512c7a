//! Nothing leaves the machine, and nothing is written outside of the index folder.

use std::collections::BTreeSet;
use std::fs;

use crate::util::{project, repository};

/// Packages that speak to the network, or exist to do so. `hyper` is not among them, since it is here without its client: it
/// answers on a loopback address, when `reseek mcp --http` asks for that.
const NETWORK: [&str; 23] = [
    "attohttpc",
    "aws-config",
    "curl",
    "curl-sys",
    "h2",
    "hickory-resolver",
    "hyper-tls",
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

/// The features of a package in force for the whole workspace, as its manifest says them.
#[track_caller]
fn features(name: &str) -> String {
    let manifest = fs::read_to_string(repository().join("Cargo.toml")).unwrap();
    let line = manifest
        .lines()
        .find(|line| line.starts_with(&format!("{name} = {{")))
        .unwrap_or_else(|| panic!("{name} is no shared dependency"));
    line.to_owned()
}

#[test]
fn what_serves_http_is_built_without_a_client() {
    for name in ["hyper", "hyper-util", "rmcp"] {
        let line = features(name);
        assert!(line.contains("default-features = false"), "{line}");
        assert!(!line.contains("client") && !line.contains("\"full\""), "{line}");
    }
}

#[test]
fn no_source_opens_a_connection_and_one_listens() {
    let banned = ["TcpStream", "UdpSocket", "UnixStream", "UnixListener", "lookup_host"];
    let listening = ["TcpListener", "std::net"];
    for (path, text) in crate::tidy::sources() {
        // This file names what it looks for, and the other drives the server from outside.
        if path.ends_with("tests/local.rs") || path.ends_with("tests/mcp_http.rs") {
            continue;
        }
        assert!(banned.iter().all(|name| !text.contains(name)), "{}", path.display());
        let may_listen = path.ends_with("crates/mcp/src/http.rs")
            // The address on the command line, which is parsed only.
            || path.ends_with("crates/cli/src/args.rs");
        let listens = listening.iter().any(|name| text.contains(name));
        assert!(may_listen || !listens, "{}", path.display());
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
