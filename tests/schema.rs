//! The JSON of `retrieve` is what `schemas/retrieve.json` says, no more and no less.
//!
//! The checker knows the words of JSON Schema that the file uses, and fails on any other, so that no rule of
//! the file is passed over.

use std::fs;

use serde_json::{Map, Value};

use crate::util::{project, repository};

fn schema() -> Value {
    let text = fs::read_to_string(repository().join("schemas/retrieve.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// What is wrong with a value, with the place.
fn problems(root: &Value, schema: &Value, value: &Value, at: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (word, rule) in schema.as_object().unwrap() {
        match word.as_str() {
            "$schema" | "$id" | "$defs" | "title" | "description" => {}
            "$ref" => {
                let name = rule.as_str().unwrap().strip_prefix("#/$defs/").unwrap();
                found.extend(problems(root, &root["$defs"][name], value, at));
            }
            "type" => {
                let types = rule.as_array().cloned().unwrap_or_else(|| vec![rule.clone()]);
                if !types.iter().any(|name| is_type(name.as_str().unwrap(), value)) {
                    found.push(format!("{at}: {value} is no {rule}"));
                }
            }
            "enum" => {
                if !rule.as_array().unwrap().contains(value) {
                    found.push(format!("{at}: {value} is none of {rule}"));
                }
            }
            "minimum" | "maximum" => {
                let (limit, number) = (rule.as_f64().unwrap(), value.as_f64());
                let fine =
                    number.is_none_or(|n| if word == "minimum" { n >= limit } else { n <= limit });
                if !fine {
                    found.push(format!("{at}: {value} is beyond the {word} {limit}"));
                }
            }
            "required" => {
                for name in rule.as_array().unwrap() {
                    if value
                        .as_object()
                        .is_some_and(|object| !object.contains_key(name.as_str().unwrap()))
                    {
                        found.push(format!("{at}: {name} is missing"));
                    }
                }
            }
            "properties" => {
                for (name, inner) in value.as_object().unwrap_or(&Map::new()) {
                    if let Some(schema) = rule.get(name) {
                        found.extend(problems(root, schema, inner, &format!("{at}/{name}")));
                    }
                }
            }
            "additionalProperties" => {
                for (name, inner) in value.as_object().unwrap_or(&Map::new()) {
                    let known =
                        schema.get("properties").is_some_and(|known| known.get(name).is_some());
                    if !known && rule == &Value::Bool(false) {
                        found.push(format!("{at}/{name} is not described"));
                    } else if !known {
                        found.extend(problems(root, rule, inner, &format!("{at}/{name}")));
                    }
                }
            }
            "items" => {
                for (i, inner) in value.as_array().into_iter().flatten().enumerate() {
                    found.extend(problems(root, rule, inner, &format!("{at}/{i}")));
                }
            }
            other => {
                found.push(format!("the schema uses `{other}`, which this test does not know"));
            }
        }
    }
    found
}

fn is_type(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        "null" => value.is_null(),
        _ => false,
    }
}

#[track_caller]
fn check(args: &[&str]) {
    let document = project().run(&[&["retrieve", "--json"], args].concat()).json();
    let schema = schema();
    assert_eq!(problems(&schema, &schema, &document, ""), [""; 0]);
}

#[test]
fn an_answer_is_as_described() {
    check(&["fix the access token expiry check"]);
}

#[test]
fn the_whole_ranking_is_as_described() {
    check(&[
        "token session colour",
        "--threshold",
        "0",
        "--limit",
        "50",
        "--focus",
        "clock",
        "--keyword",
        "palette",
    ]);
}

#[test]
fn an_answer_with_patterns_and_excludes_is_as_described() {
    check(&[
        "token",
        "--pattern",
        "src/**",
        "--exclude",
        "src/color.ts",
        "--without",
        "lexicon",
        "--max-cycles",
        "1",
    ]);
}

#[test]
fn an_empty_answer_is_as_described() {
    check(&["quantum chromodynamics"]);
}

#[test]
fn an_error_is_as_described() {
    let document = project().run(&["retrieve", "--json", "--no-refresh", "token"]).expect(3).json();
    let schema = schema();
    assert_eq!(problems(&schema, &schema["$defs"]["failure"], &document, ""), [""; 0]);
}

#[test]
fn the_checker_sees_what_is_wrong() {
    let schema = schema();
    let mut document = project()
        .run(&["retrieve", "--json", "token expired", "--threshold", "0.3"])
        .expect(0)
        .json();
    document["results"][0]["relevance"] = 1.5.into();
    document["stop"] = "tired".into();
    document["extra"] = 1.into();
    document.as_object_mut().unwrap().remove("gaps");
    assert_eq!(problems(&schema, &schema, &document, "").len(), 4);
}
