//! The arguments of a call, checked against the schema that the tool publishes.
//!
//! The schema is the only list of fields: what is not in it is refused by name, so that a misspelt field is never
//! silently without effect. Numbers are taken as `10`, `10.0` and `"10"`, because models write all three. A number above
//! its maximum is lowered to it and told; below its minimum there is no sensible reading, and it is refused.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The schema of a type as a tool publishes it: one self-contained object, without what only a generator of Rust
/// types would read.
pub(crate) fn schema_of<T: JsonSchema>() -> JsonObject {
    schema_by::<T>(SchemaSettings::draft2020_12())
}

fn schema_by<T: JsonSchema>(settings: SchemaSettings) -> JsonObject {
    let settings = settings.with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    RecursiveTransform(|schema: &mut schemars::Schema| {
        schema.remove("format");
        schema.remove("title");
    })
    .transform(&mut schema);
    match schema.to_value() {
        Value::Object(schema) => schema,
        _ => Map::new(),
    }
}

/// The schema of an answer. Only its own fields are described: it is read by programs, and every word of it is paid for by each
/// client that hands it to a model.
pub(crate) fn output_schema_of<T: JsonSchema>() -> JsonObject {
    // What is left out when it is empty is not required of what is written, only of what is read.
    let mut schema = schema_by::<T>(SchemaSettings::draft2020_12().for_serialize());
    schema.remove("description");
    let fields = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (_, field) in fields.into_iter().flatten() {
        let description = field.get("description").cloned();
        strip(field);
        if let (Some(description), Value::Object(field)) = (description, field) {
            field.insert("description".to_owned(), description);
        }
    }
    schema
}

/// Takes descriptions and bounds out of a schema.
fn strip(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            // A field may be called like a word of the schema language; then it is an object.
            members.retain(|name, value| {
                !matches!(name.as_str(), "description" | "minimum" | "maximum") || value.is_object()
            });
            members.values_mut().for_each(strip);
        }
        Value::Array(values) => values.iter_mut().for_each(strip),
        _ => {}
    }
}

/// Arguments as their type, with notes on what was changed to fit; else what is wrong with which field.
pub(crate) fn read<T: DeserializeOwned + JsonSchema>(
    arguments: Option<JsonObject>,
) -> Result<(T, Vec<String>), String> {
    let mut notes = Vec::new();
    let value = Value::Object(arguments.unwrap_or_default());
    let value = fit(&schema_of::<T>(), value, "", &mut notes)?;
    let read = serde_json::from_value(value).map_err(|error| error.to_string())?;
    Ok((read, notes))
}

/// The value as the schema wants it. `field` names it for people; empty for the arguments as a whole.
fn fit(
    schema: &JsonObject,
    value: Value,
    field: &str,
    notes: &mut Vec<String>,
) -> Result<Value, String> {
    let wrong = |wanted: &str, value: &Value| {
        let name = if field.is_empty() { "the arguments" } else { field };
        Err(format!("`{name}` must be {wanted}, not {}", shown(value)))
    };
    match schema.get("type").and_then(Value::as_str) {
        Some("object") => match value {
            Value::Object(members) => fit_object(schema, members, field, notes),
            other => wrong("an object", &other),
        },
        Some("array") => match (schema.get("items").and_then(Value::as_object), value) {
            (Some(items), Value::Array(values)) => {
                let max = limit(schema, "maxItems").unwrap_or(u64::MAX);
                if values.len() as u64 > max {
                    return Err(format!("`{field}` holds {} items, at most {max}", values.len()));
                }
                if (values.len() as u64) < limit(schema, "minItems").unwrap_or(0) {
                    return Err(format!("`{field}` is empty"));
                }
                values
                    .into_iter()
                    .enumerate()
                    .map(|(i, value)| fit(items, value, &format!("{field}[{i}]"), notes))
                    .collect::<Result<_, _>>()
                    .map(Value::Array)
            }
            (_, other) => wrong("a list", &other),
        },
        Some("integer") => {
            let (min, max) = (
                limit(schema, "minimum").unwrap_or(0),
                limit(schema, "maximum").unwrap_or(u64::MAX),
            );
            let wanted = format!("a whole number from {min} to {max}");
            match whole(&value) {
                Some(number) if number < min as f64 => wrong(&wanted, &value),
                Some(number) if number > max as f64 => {
                    notes.push(format!("`{field}` was lowered to its maximum, {max}"));
                    Ok(max.into())
                }
                Some(number) => Ok((number as u64).into()),
                None => wrong(&wanted, &value),
            }
        }
        Some("boolean") if !value.is_boolean() => wrong("true or false", &value),
        Some("string") => {
            let Value::String(text) = &value else { return wrong("a text", &value) };
            if let Some(names) = schema.get("enum").and_then(Value::as_array)
                && !names.contains(&value)
            {
                let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
                return wrong(&format!("one of {}", names.join(", ")), &value);
            }
            if text.len() as u64 > limit(schema, "maxLength").unwrap_or(u64::MAX) {
                return Err(format!("`{field}` is {} bytes long, which is too much", text.len()));
            }
            if (text.trim().len() as u64) < limit(schema, "minLength").unwrap_or(0) {
                return Err(format!("`{field}` is empty"));
            }
            Ok(value)
        }
        _ => Ok(value),
    }
}

fn fit_object(
    schema: &JsonObject,
    members: JsonObject,
    field: &str,
    notes: &mut Vec<String>,
) -> Result<Value, String> {
    let empty = Map::new();
    let fields = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    let full = |name: &str| {
        if field.is_empty() { name.to_owned() } else { format!("{field}.{name}") }
    };
    let mut fitted = Map::new();
    for (name, value) in members {
        let Some(Value::Object(schema)) = fields.get(&name) else {
            let known: Vec<&str> = fields.keys().map(String::as_str).collect();
            return Err(format!(
                "there is no `{}`; fields are: {}",
                crate::text::cut(&full(&name), 100),
                known.join(", ")
            ));
        };
        let value = fit(schema, value, &full(&name), notes)?;
        fitted.insert(name, value);
    }
    for name in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
        if let Some(name) = name.as_str().filter(|name| !fitted.contains_key(*name)) {
            return Err(format!("`{}` is missing", full(name)));
        }
    }
    Ok(Value::Object(fitted))
}

fn limit(schema: &JsonObject, name: &str) -> Option<u64> {
    schema.get(name).and_then(Value::as_u64)
}

/// A number without a fraction, however it is written.
fn whole(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => text.trim().parse().ok()?,
        _ => return None,
    };
    (number.fract() == 0.0).then_some(number)
}

/// A value in a message; a long one is cut.
fn shown(value: &Value) -> String {
    match value {
        Value::Object(_) => "an object".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        other => crate::text::cut(&other.to_string(), 60),
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, Deserialize, JsonSchema, PartialEq)]
    #[serde(default)]
    struct Sample {
        #[schemars(range(min = 1, max = 100))]
        limit: u32,
        exported: bool,
        names: Vec<String>,
    }

    impl Default for Sample {
        fn default() -> Self {
            Self { limit: 20, exported: false, names: Vec::new() }
        }
    }

    fn read_sample(value: &Value) -> Result<(Sample, Vec<String>), String> {
        read(value.as_object().cloned())
    }

    #[track_caller]
    fn check_limit(value: &Value, expected: u32) {
        assert_eq!(read_sample(&json!({ "limit": value })).unwrap().0.limit, expected);
    }

    #[track_caller]
    fn check_wrong(value: &Value, message: &str) {
        let error = read_sample(value).unwrap_err();
        assert!(error.contains(message), "{error}");
    }

    #[test]
    fn a_whole_number_is_taken_however_it_is_written() {
        check_limit(&json!(10), 10);
        check_limit(&json!(10.0), 10);
        check_limit(&json!("10"), 10);
        check_limit(&json!(" 10.0 "), 10);
    }

    #[test]
    fn what_is_no_number_in_range_is_refused_with_the_name_of_its_field() {
        for value in [json!(-1), json!(0), json!(1.5), json!(true), json!(null), json!("ten")] {
            check_wrong(&json!({ "limit": value }), "`limit` must be a whole number from 1 to 100");
        }
    }

    #[test]
    fn a_number_above_its_maximum_is_lowered_and_told() {
        let (sample, notes) = read_sample(&json!({ "limit": 1e9 })).unwrap();
        assert_eq!(sample.limit, 100);
        assert_eq!(notes, ["`limit` was lowered to its maximum, 100"]);
    }

    #[test]
    fn a_field_that_does_not_exist_is_named_with_those_that_do() {
        check_wrong(
            &json!({ "limits": 3 }),
            "there is no `limits`; fields are: exported, limit, names",
        );
    }

    #[test]
    fn an_item_of_a_list_is_named_by_its_place() {
        check_wrong(&json!({ "names": ["a", 3] }), "`names[1]` must be a text, not 3");
        check_wrong(&json!({ "names": "a" }), "`names` must be a list");
        check_wrong(&json!({ "exported": "yes" }), "`exported` must be true or false");
    }

    #[test]
    fn no_arguments_are_the_defaults() {
        assert_eq!(read::<Sample>(None).unwrap().0, Sample::default());
    }
}
