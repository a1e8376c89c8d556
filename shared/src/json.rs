//! JSON files that people write, too: messages name the line, the field and the page that describes it.

use crate::{Error, Result};
use serde::de::DeserializeOwned;

/// Parses a JSON file; `origin` names it in messages, `reference` the page that describes every field.
pub fn parse<T: DeserializeOwned>(bytes: &[u8], origin: &str, reference: &str) -> Result<T> {
    let refused = |field: &str, e: &serde_json::Error| Error::text(origin, e.line(), explain(field, e, reference));
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut json).map_err(|e| refused(&e.path().to_string(), e.inner()))?;
    json.end().map_err(|e| refused(".", &e))?;
    Ok(value)
}

/// The parser's reason with the field, without its own line, which the message gives already.
fn explain(field: &str, error: &serde_json::Error, reference: &str) -> String {
    let text = error.to_string();
    let reason = text.rfind(" at line ").map_or(text.as_str(), |at| &text[..at]);
    let place = if field == "." { String::new() } else { format!("{field}: ") };
    // All that the parser says about a value that is no name, or an object that has none or several of the fields to choose from.
    let choice = reason == "expected value" && field != ".";
    let reason = if choice { "a name or an object with one field is expected" } else { reason };
    format!("column {}: {place}{reason}; {reference} describes every field", error.column())
}
