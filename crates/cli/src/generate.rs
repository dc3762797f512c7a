//! What derives from the definition of the command line: completions, manual pages, the option tables of the README.

use std::fmt::Write as _;

use clap::{Arg, Command, CommandFactory};
use serde::Serialize;

use crate::args::{Cli, CompletionsArgs, Format, GenerateArgs, Generated, ManArgs};
use crate::errors::Problem;
use crate::output::{Answer, Output};

/// The JSON of a generated text.
#[derive(Serialize)]
struct Document {
    what: &'static str,
    text: String,
}

/// Prints a completion script.
pub(crate) fn completions(output: &Output, args: &CompletionsArgs) -> anyhow::Result<Answer> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "reseek", &mut script);
    answer(output, "completions", String::from_utf8(script)?)
}

/// Prints a manual page.
pub(crate) fn man(output: &Output, args: &ManArgs) -> anyhow::Result<Answer> {
    let mut command = Cli::command();
    command.build();
    let page = match &args.command {
        None => command,
        Some(name) => {
            let Some(found) = command.find_subcommand(name) else {
                return Err(Problem::Usage {
                    message: format!("there is no command `{name}`"),
                    advice: "see `reseek --help`".to_owned(),
                }
                .into());
            };
            found.clone()
        }
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page).render(&mut text)?;
    answer(output, "man", String::from_utf8(text)?)
}

/// Prints what the repository holds in generated form.
pub(crate) fn generate(output: &Output, args: &GenerateArgs) -> anyhow::Result<Answer> {
    match args.what {
        Generated::Markdown => answer(output, "markdown", markdown()),
        Generated::Tools => answer(output, "tools", reseek_mcp::tools_document()?),
    }
}

fn answer(output: &Output, what: &'static str, text: String) -> anyhow::Result<Answer> {
    match output.one_of(what, &[Format::Text, Format::Json])? {
        Format::Json => Answer::json(&Document { what, text }, true),
        _ => Ok(Answer::text(text)),
    }
}

/// The commands, and the options of those that have some.
fn markdown() -> String {
    let mut root = Cli::command();
    root.build();
    let mut text = String::from("| command | what it does |\n|---|---|\n");
    let commands = leaves(&root, "");
    for (name, command) in &commands {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        let _ = writeln!(text, "| `{}` | {} |", usage(name, command), cell(&about));
    }
    let global: Vec<&Arg> = root.get_arguments().filter(|arg| arg.is_global_set()).collect();
    for (name, command) in &commands {
        let own = command.get_arguments().filter(|arg| !arg.is_global_set() && shown(arg));
        table(&mut text, &format!("`reseek {name}`"), own);
    }
    table(&mut text, "Every command", global.into_iter());
    text
}

/// The commands that have none below them, by the words that call them.
fn leaves<'a>(command: &'a Command, before: &str) -> Vec<(String, &'a Command)> {
    let mut found = Vec::new();
    for child in command.get_subcommands() {
        if child.is_hide_set() || child.get_name() == "help" {
            continue;
        }
        let name = format!("{before}{}", child.get_name());
        let below = leaves(child, &format!("{name} "));
        if below.is_empty() {
            found.push((name, child));
        } else {
            found.extend(below);
        }
    }
    found
}

/// The name of a command with its arguments.
fn usage(name: &str, command: &Command) -> String {
    command.get_positionals().fold(name.to_owned(), |text, arg| {
        let name = arg
            .get_value_names()
            .and_then(|names| names.first())
            .map_or_else(|| arg.get_id().as_str().to_uppercase(), |name| name.to_uppercase());
        if arg.is_required_set() { format!("{text} {name}") } else { format!("{text} [{name}]") }
    })
}

fn shown(arg: &Arg) -> bool {
    arg.get_long().is_some_and(|long| long != "help" && long != "version") && !arg.is_hide_set()
}

fn table<'a>(text: &mut String, title: &str, args: impl Iterator<Item = &'a Arg>) {
    let args: Vec<&Arg> = args.collect();
    if args.is_empty() {
        return;
    }
    let _ = write!(text, "\n{title}:\n\n| option | meaning |\n|---|---|\n");
    for arg in args {
        let long = arg.get_long().unwrap_or_default();
        let short = arg.get_short().map(|short| format!("`-{short}` ")).unwrap_or_default();
        let takes_value = arg.get_num_args().is_some_and(|n| n.takes_values());
        let value = match arg.get_value_names() {
            Some([name, ..]) if takes_value => format!(" {name}"),
            _ => String::new(),
        };
        let default: Vec<String> = arg
            .get_default_values()
            .iter()
            .map(|value| value.to_string_lossy().into_owned())
            .collect();
        let default = if takes_value && !default.is_empty() {
            format!(" (default `{}`)", default.join(","))
        } else {
            String::new()
        };
        let help = cell(&arg.get_help().map(ToString::to_string).unwrap_or_default());
        let _ = writeln!(text, "| {short}`--{long}{value}` | {help}{default} |");
    }
}

/// A text that fits into a cell of a table.
fn cell(text: &str) -> String {
    text.replace('\n', " ").replace('|', "\\|")
}
