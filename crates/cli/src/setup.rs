//! `reseek setup CLIENT`: how to add the server to a client, printed, or with `--write` merged into its file.
//!
//! What is in a file stays, to the byte: the entry is put into the text, and nothing is written anew. A file that cannot be
//! read as what it should be, one with comments in JSON for example, is not touched; the entry is printed instead.
//! Files and keys are those of the clients' public documentation.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Value, json};

use crate::args::{Client, Format, Global, SetupArgs};
use crate::environment;
use crate::errors::Problem;
use crate::freshness::{root_here, slashed};
use crate::output::{Answer, Output};

/// The name of the entry.
const NAME: &str = "reseek";

/// The JSON of `setup`.
#[derive(Serialize)]
struct Document {
    client: &'static str,
    file: String,
    entry: String,
    outcome: &'static str,
}

/// Where and how a client keeps its servers.
struct Settings {
    file: PathBuf,
    /// The key above the entries.
    section: &'static str,
    is_toml: bool,
    /// The entry.
    entry: Value,
}

/// Prints the entry, or merges it.
pub(crate) fn run(global: &Global, output: &Output, args: &SetupArgs) -> anyhow::Result<Answer> {
    let format = output.one_of("setup", &[Format::Text, Format::Json])?;
    let root = match global.root.first() {
        Some(root) => std::path::absolute(root)?,
        None => root_here(global)?,
    };
    let home = environment::home().ok_or_else(|| Problem::Usage {
        message: "there is no home folder, and the client keeps its settings there".to_owned(),
        advice: "set HOME".to_owned(),
    })?;
    let settings = settings(args.client, &root, &home);
    let outcome = if args.write { write(&settings)? } else { "printed" };
    let entry = settings.whole()?;
    let file = slashed(&settings.file);
    if format == Format::Json {
        let document = Document { client: args.client.name(), file, entry, outcome };
        return Answer::json(&document, true);
    }
    let text = match outcome {
        "printed" => format!("Put this into {file}, or let `--write` do it:\n\n{entry}"),
        "kept" => format!("{file} has this entry already.\n"),
        _ => format!("Added to {file}; restart the client, or reload its servers.\n"),
    };
    Ok(Answer::text(text))
}

impl Client {
    /// The name on the command line.
    fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::ClaudeDesktop => "claude-desktop",
            Self::Cursor => "cursor",
            Self::Vscode => "vscode",
            Self::Windsurf => "windsurf",
            Self::Zed => "zed",
            Self::Codex => "codex",
        }
    }
}

fn settings(client: Client, root: &Path, home: &Path) -> Settings {
    let plain = json!({ "command": NAME, "args": ["mcp"] });
    // These start their servers in a folder of their own and name no roots, and their files serve all projects.
    let program = std::env::current_exe().map_or_else(|_| NAME.to_owned(), |path| slashed(&path));
    let fixed = json!({ "command": program, "args": ["mcp", "--root", slashed(root)] });
    // These fill in the folder that is open.
    let open = json!({ "command": NAME, "args": ["mcp", "--root", "${workspaceFolder}"] });
    let of = |file: PathBuf, section, entry| Settings { file, section, is_toml: false, entry };
    match client {
        Client::ClaudeCode => of(root.join(".mcp.json"), "mcpServers", plain),
        Client::ClaudeDesktop => {
            let folder = environment::settings_folder(home).join("Claude");
            of(folder.join("claude_desktop_config.json"), "mcpServers", fixed)
        }
        Client::Cursor => of(root.join(".cursor/mcp.json"), "mcpServers", open),
        Client::Vscode => {
            let mut entry = open;
            entry["type"] = "stdio".into();
            of(root.join(".vscode/mcp.json"), "servers", entry)
        }
        Client::Windsurf => of(home.join(".codeium/windsurf/mcp_config.json"), "mcpServers", fixed),
        Client::Zed => of(root.join(".zed/settings.json"), "context_servers", plain),
        Client::Codex => {
            let file = home.join(".codex/config.toml");
            Settings { file, section: "mcp_servers", is_toml: true, entry: plain }
        }
    }
}

impl Settings {
    /// The entry with what is around it, as a file of its own.
    fn whole(&self) -> anyhow::Result<String> {
        if self.is_toml {
            return self.toml();
        }
        let mut text =
            serde_json::to_string_pretty(&json!({ self.section: { NAME: self.entry } }))?;
        text.push('\n');
        Ok(text)
    }

    fn toml(&self) -> anyhow::Result<String> {
        // Texts and lists of texts are written alike in both languages.
        Ok(format!(
            "[{}.{NAME}]\ncommand = {}\nargs = {}\n",
            self.section,
            serde_json::to_string(&self.entry["command"])?,
            serde_json::to_string(&self.entry["args"])?
        ))
    }
}

/// Merges the entry into its file.
fn write(settings: &Settings) -> anyhow::Result<&'static str> {
    // A file that is a link stays one: what it leads to is written.
    let file = fs::canonicalize(&settings.file).unwrap_or_else(|_| settings.file.clone());
    let unreadable = |why: String| Problem::Unreadable { path: file.clone(), why };
    let text = match fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(unreadable(error.to_string()).into()),
    };
    let merged =
        if settings.is_toml { merge_toml(&text, settings)? } else { merge_json(&text, settings)? };
    let merged = match merged {
        Merged::Same => return Ok("kept"),
        Merged::Text(merged) => merged,
        Merged::Impossible(why) => {
            return Err(Problem::Usage {
                message: format!("{} is left as it is: {why}", file.display()),
                advice: format!("put it in by hand:\n{}", settings.whole()?),
            }
            .into());
        }
    };
    replace(&file, &merged).map_err(|error| unreadable(error.to_string()))?;
    Ok("written")
}

/// Puts a file in the place of another at once, with its rights.
fn replace(file: &Path, text: &str) -> std::io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut name = file.file_name().unwrap_or_default().to_os_string();
    name.push(".reseek-new");
    let new = folder.join(name);
    fs::write(&new, text)?;
    if let Ok(metadata) = fs::metadata(file) {
        fs::set_permissions(&new, metadata.permissions())?;
    }
    fs::rename(&new, file)
}

/// What merging came to.
#[derive(Debug, PartialEq)]
enum Merged {
    /// The entry is there.
    Same,
    /// The new text.
    Text(String),
    /// Why it cannot be.
    Impossible(String),
}

fn impossible(why: impl Into<String>) -> Merged {
    Merged::Impossible(why.into())
}

const OTHER_ENTRY: &str = "it has another entry `reseek`";

fn merge_json(text: &str, settings: &Settings) -> anyhow::Result<Merged> {
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        return settings.whole().map(Merged::Text);
    }
    let value: Value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(error) => return Ok(impossible(format!("it is not plain JSON ({error})"))),
    };
    let Value::Object(members) = &value else { return Ok(impossible("it is no JSON object")) };
    let entry = serde_json::to_string_pretty(&settings.entry)?;
    let (at, is_empty, inserted) = match members.get(settings.section) {
        None => {
            let entry = entry.replace('\n', "\n    ");
            let section = settings.section;
            let inserted = format!("\"{section}\": {{\n    \"{NAME}\": {entry}\n  }}");
            (open_brace(text, 0), members.is_empty(), format!("\n  {inserted}"))
        }
        Some(Value::Object(entries)) => {
            match entries.get(NAME) {
                Some(other) if *other == settings.entry => return Ok(Merged::Same),
                Some(_) => return Ok(impossible(OTHER_ENTRY)),
                None => {}
            }
            let entry = entry.replace('\n', "\n    ");
            let at = member_value(text, settings.section).map(|at| open_brace(text, at));
            let Some(at) = at else { return Ok(impossible("its text cannot be followed")) };
            (at, entries.is_empty(), format!("\n    \"{NAME}\": {entry}"))
        }
        Some(_) => return Ok(impossible(format!("its `{}` is no object", settings.section))),
    };
    let end = match (is_empty, members.contains_key(settings.section)) {
        (false, _) => ",",
        (true, true) => "\n  ",
        (true, false) => "\n",
    };
    let merged = format!("{}{inserted}{end}{}", &text[..at], &text[at..]);
    // Whatever the text looks like, the result must hold all that was there, and the entry.
    let mut expected = value;
    expected[settings.section][NAME] = settings.entry.clone();
    match serde_json::from_str::<Value>(&merged) {
        Ok(result) if result == expected => Ok(Merged::Text(merged)),
        _ => Ok(impossible("the entry cannot be put into it safely")),
    }
}

/// The place behind the next opening brace, in a valid text.
fn open_brace(text: &str, from: usize) -> usize {
    text[from..].find('{').map_or(text.len(), |at| from + at + 1)
}

/// Where the value of a member of the outermost object begins, in a valid text.
fn member_value(text: &str, name: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut depth, mut at, mut found) = (0, 0, None);
    while at < bytes.len() {
        match bytes[at] {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            b'"' => {
                let start = at;
                at += 1;
                while bytes.get(at).is_some_and(|byte| *byte != b'"') {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                let key: Option<String> = serde_json::from_str(text.get(start..=at)?).ok();
                let rest = text.get(at + 1..)?;
                let after = rest.trim_start();
                // Of members of one name, the last counts.
                if depth == 1 && after.starts_with(':') && key.as_deref() == Some(name) {
                    found = Some(text.len() - after.len() + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
    found
}

fn merge_toml(text: &str, settings: &Settings) -> anyhow::Result<Merged> {
    let table: toml::Table = match text.parse() {
        Ok(table) => table,
        Err(_) => return Ok(impossible("it is not TOML")),
    };
    let known = table.get(settings.section).and_then(|section| section.get(NAME));
    if let Some(known) = known {
        let is_same = serde_json::to_value(known)? == settings.entry;
        return Ok(if is_same { Merged::Same } else { impossible(OTHER_ENTRY) });
    }
    let gap = match text {
        "" => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    let merged = format!("{text}{gap}{}", settings.toml()?);
    // A section that is written in one line cannot be gone on with below.
    match merged.parse::<toml::Table>() {
        Ok(_) => Ok(Merged::Text(merged)),
        Err(_) => Ok(impossible("its `mcp_servers` cannot be extended")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(is_toml: bool) -> Settings {
        Settings {
            file: PathBuf::from("x"),
            section: if is_toml { "mcp_servers" } else { "mcpServers" },
            is_toml,
            entry: json!({ "command": "reseek", "args": ["mcp"] }),
        }
    }

    /// Merges, checks that everything else is still there to the byte, and that a second time changes nothing.
    #[track_caller]
    fn check_json(text: &str, kept: &[&str]) {
        let settings = sample(false);
        let Merged::Text(merged) = merge_json(text, &settings).unwrap() else {
            panic!("nothing was merged into {text}")
        };
        let value: Value = serde_json::from_str(&merged).unwrap();
        assert_eq!(value["mcpServers"]["reseek"], settings.entry, "{merged}");
        for kept in kept {
            assert!(merged.contains(kept), "{merged}");
        }
        assert_eq!(merge_json(&merged, &settings).unwrap(), Merged::Same);
    }

    #[track_caller]
    fn check_impossible(text: &str, why: &str) {
        let merged = merge_json(text, &sample(false)).unwrap();
        let Merged::Impossible(told) = merged else { panic!("{merged:?}") };
        assert!(told.contains(why), "{told}");
    }

    #[test]
    fn an_entry_is_put_beside_what_is_there() {
        check_json("", &[]);
        check_json("{}", &[]);
        check_json("{ \"theme\":   \"dark\" }\n", &["\"theme\":   \"dark\""]);
        check_json("{\"mcpServers\": {}}", &[]);
        let other = "\"other\": { \"command\": \"x\",\"args\":[ ] }";
        check_json(
            &format!("{{\n\t\"a\": 1,\n\t\"mcpServers\": {{ {other} }}\n}}\n"),
            &[other, "\t\"a\": 1"],
        );
    }

    #[test]
    fn a_name_inside_of_texts_and_deeper_objects_does_not_mislead() {
        check_json(
            r#"{"note": "\"mcpServers\": {", "deep": {"mcpServers": {"x": 1}}, "mcpServers" : {"y": 2}}"#,
            &[r#""deep": {"mcpServers": {"x": 1}}"#],
        );
    }

    #[test]
    fn what_cannot_be_read_or_holds_another_entry_is_left() {
        check_impossible("// a comment\n{}", "not plain JSON");
        check_impossible("[1]", "no JSON object");
        check_impossible("{\"mcpServers\": []}", "no object");
        check_impossible("{\"mcpServers\": {\"reseek\": {\"command\": \"y\"}}}", "another entry");
    }

    #[test]
    fn toml_keeps_its_comments() {
        let settings = sample(true);
        let text = "# mine\nmodel = \"x\"\n[mcp_servers.other]\ncommand = \"y\"";
        let Merged::Text(merged) = merge_toml(text, &settings).unwrap() else { panic!() };
        assert!(merged.starts_with(text), "{merged}");
        assert!(merged.ends_with("[mcp_servers.reseek]\ncommand = \"reseek\"\nargs = [\"mcp\"]\n"));
        assert_eq!(merge_toml(&merged, &settings).unwrap(), Merged::Same);
        let inline = "mcp_servers = { a = { command = \"y\" } }\n";
        assert!(matches!(merge_toml(inline, &settings).unwrap(), Merged::Impossible(_)));
        assert!(matches!(merge_toml("= 3", &settings).unwrap(), Merged::Impossible(_)));
    }
}
