//! `reseek`, the command line: arguments in, one answer on standard output, an exit code.
//!
//! The way of a command: [`args`] parses, [`freshness`] finds the root and makes the index fresh, the
//! command's own module asks the libraries and renders an [`output::Answer`], and `main` writes it. Only this crate
//! knows of standard output, exit codes, the environment and the clock.

use std::io;
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use crate::args::{Cli, Command, Format};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::errors::{Explained, FAILED, NOTHING_FOUND, Problem};
use crate::output::{Answer, Output};

mod args;
mod environment;
mod errors;
mod eval;
mod freshness;
mod generate;
mod index;
mod mcp;
mod outline;
mod output;
mod progress;
mod retrieve;
mod search;
mod setup;
mod status;
mod symbols;
mod verify;
mod watch;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return refuse(&error),
    };
    log_to_stderr(cli.global.verbose);
    let output = Output::new(&cli.global);
    // A defect of a library, such as one that meets a damaged file, must not leave a program without an answer.
    let outcome = catch_unwind(AssertUnwindSafe(|| run(cli, &output)));
    match outcome.unwrap_or_else(|_| Err(Problem::Defect.into())) {
        Ok(answer) => match output.print(&answer.text) {
            Ok(()) if answer.found => ExitCode::SUCCESS,
            Ok(()) => ExitCode::from(NOTHING_FOUND),
            Err(error) => {
                output.complain(&format!("reseek: cannot write the answer: {error}"));
                ExitCode::from(FAILED)
            }
        },
        Err(error) => report(&output, &Explained::new(&error)),
    }
}

fn run(cli: Cli, output: &Output) -> anyhow::Result<Answer> {
    let global = &cli.global;
    if global.root.len() > 1 && !matches!(cli.command, Command::Mcp(_)) {
        return Err(Problem::Usage {
            message: "there is more than one `--root`".to_owned(),
            advice: "give one; only `reseek mcp` serves several".to_owned(),
        }
        .into());
    }
    match cli.command {
        Command::Index(args) => index::index(global, output, &args),
        Command::Refresh => index::refresh(global, output),
        Command::Search(args) => search::run(global, output, &args),
        Command::Retrieve(args) => retrieve::run(global, output, &args),
        Command::Symbols(args) => symbols::run(global, output, &args),
        Command::Outline(args) => outline::run(global, output, &args),
        Command::Status(args) => status::run(global, output, &args),
        Command::Eval(args) => eval::run(global, output, &args),
        Command::Watch(args) => watch::run(global, output, &args),
        Command::Verify(args) => verify::run(global, output, &args),
        Command::Mcp(args) => mcp::run(global, output, &args),
        Command::Setup(args) => setup::run(global, output, &args),
        Command::Completions(args) => generate::completions(output, &args),
        Command::Man(args) => generate::man(output, &args),
        Command::Generate(args) => generate::generate(output, &args),
    }
}

/// Tells of an error: in words on standard error, and as the one document on standard output if that was asked for.
fn report(output: &Output, error: &Explained) -> ExitCode {
    let bad = output::BAD;
    output.complain(&format!("{bad}error{bad:#}: {}\n  {}", error.message, error.advice));
    if output.format == Format::Json {
        // Without a reader there is nobody to tell; the exit code still does.
        let _ = output.print(&error.to_json());
    }
    ExitCode::from(error.code)
}

/// Tells of a command line that cannot be read, or prints the help that was asked for.
fn refuse(error: &clap::Error) -> ExitCode {
    let wants_json = std::env::args_os().any(|arg| arg == "--json" || arg == "--format=json")
        || std::env::args_os()
            .zip(std::env::args_os().skip(1))
            .any(|(a, b)| a == "--format" && b == "json");
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let _ = error.print();
            ExitCode::SUCCESS
        }
        _ if wants_json => {
            let output = Output::plain(Format::Json, clap::ColorChoice::Auto, false);
            report(&output, &Explained::usage(&error.to_string()))
        }
        _ => {
            let _ = error.print();
            ExitCode::from(FAILED)
        }
    }
}

/// Sends what the libraries log to standard error; nothing unless asked for.
fn log_to_stderr(verbose: u8) {
    let level = match verbose {
        0 => return,
        1 => "reseek_indexer=debug,reseek_query=debug,reseek=debug,info",
        _ => "trace",
    };
    tracing_subscriber::fmt()
        .with_env_filter(level)
        .with_writer(io::stderr)
        .with_target(true)
        .init();
}
