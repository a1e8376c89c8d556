//! Tables of a TOML file, read field by field, so that every fault is found and has its line.

use crate::faults::Fault;
use std::cell::RefCell;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use yarnwise_shared::table::grid::MAX_AXIS_LEN;

/// A value in the file.
pub(super) type TomlValue<'a> = &'a Spanned<DeValue<'a>>;

/// The text of a file, and what was found wrong with it so far.
#[derive(Debug)]
pub(super) struct Document<'a> {
    text: &'a str,
    faults: RefCell<Vec<Fault>>,
}

impl<'a> Document<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Document { text, faults: RefCell::default() }
    }

    /// The line of a place in the file, from 1.
    pub(super) fn line(&self, span: Range<usize>) -> usize {
        let before = &self.text.as_bytes()[..span.start.min(self.text.len())];
        1 + before.iter().filter(|byte| **byte == b'\n').count()
    }

    pub(super) fn fault(&self, span: Range<usize>, problem: impl Into<String>) {
        self.faults.borrow_mut().push(Fault::at(self.line(span), problem));
    }

    pub(super) fn into_faults(self) -> Vec<Fault> {
        self.faults.into_inner()
    }
}

/// What a value is, in words.
fn kind(value: &DeValue) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// The number that a value is, whole or not.
fn number(value: &DeValue) -> Option<f64> {
    match value {
        DeValue::Integer(i) => i64::from_str_radix(i.as_str(), i.radix()).ok().map(|i| i as f64),
        DeValue::Float(f) => f.as_str().parse().ok(),
        _ => None,
    }
}

/// A table whose fields are taken out by name.
pub(super) struct Fields<'a> {
    source: &'a Document<'a>,
    table: &'a DeTable<'a>,
    /// Names it in messages: `a pattern`.
    what: &'static str,
    span: Range<usize>,
    known: Vec<&'static str>,
}

impl<'a> Fields<'a> {
    pub(super) fn new(
        source: &'a Document<'a>,
        what: &'static str,
        table: &'a DeTable<'a>,
        span: Range<usize>,
    ) -> Self {
        Fields { source, table, what, span, known: Vec::new() }
    }

    /// The table that `value` is; a fault where it is none.
    pub(super) fn of(source: &'a Document<'a>, what: &'static str, value: TomlValue<'a>) -> Option<Self> {
        let table = value.get_ref().as_table();
        if table.is_none() {
            source.fault(value.span(), format!("{what} is expected as a table, this is {}", kind(value.get_ref())));
        }
        Some(Fields::new(source, what, table?, value.span()))
    }

    pub(super) fn source(&self) -> &'a Document<'a> {
        self.source
    }

    /// Whether there is a field of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.table.get(name).is_some()
    }

    /// The line of a field; where it is missing, that of the table.
    pub(super) fn line_of(&self, name: &str) -> usize {
        self.source.line(self.table.get(name).map_or(self.span.clone(), |value| value.span()))
    }

    /// The table in a field; `what` names it in messages.
    pub(super) fn table(&mut self, name: &'static str, what: &'static str) -> Option<Self> {
        let value = self.value(name)?;
        Fields::of(self.source, what, value)
    }

    /// Reports the missing ones of fields that all are needed, `unless` something else is there.
    pub(super) fn need_all(&self, names: &[&str], unless: &str) -> bool {
        let missing: Vec<&str> = names.iter().filter(|name| !self.has(name)).copied().collect();
        if !missing.is_empty() {
            self.fault(format!("{} needs {}, {unless}", self.what, missing.join(", ")));
        }
        missing.is_empty()
    }

    /// Reports fields that must not be there, and `why`.
    pub(super) fn refuse(&self, names: &[&str], why: &str) {
        for name in names.iter().filter(|name| self.has(name)) {
            let span = self.table.get(*name).map_or(self.span.clone(), |value| value.span());
            self.source.fault(span, format!("{name} cannot be here: {why}"));
        }
    }

    /// Reports something about the table as a whole.
    pub(super) fn fault(&self, problem: impl Into<String>) {
        self.source.fault(self.span.clone(), problem);
    }

    /// The field of this name.
    pub(super) fn value(&mut self, name: &'static str) -> Option<TomlValue<'a>> {
        self.known.push(name);
        self.table.get(name)
    }

    /// The field of this name read by `read`, which says what it expects where it finds something else.
    fn read<T>(
        &mut self,
        name: &'static str,
        expected: &str,
        read: impl FnOnce(&'a DeValue<'a>) -> Option<T>,
    ) -> Option<T> {
        let value = self.value(name)?;
        let found = read(value.get_ref());
        if found.is_none() {
            let is = match value.get_ref() {
                DeValue::String(text) => format!("'{text}'"),
                DeValue::Integer(i) => i.to_string(),
                DeValue::Float(f) => f.to_string(),
                other => kind(other).to_owned(),
            };
            self.source.fault(value.span(), format!("{name} is {is}, {expected} is expected"));
        }
        found
    }

    /// Text that is not empty.
    pub(super) fn text(&mut self, name: &'static str) -> Option<String> {
        self.read(name, "a text", |value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned))
    }

    /// Text that the table must have.
    pub(super) fn required_text(&mut self, name: &'static str) -> Option<String> {
        if !self.has(name) {
            self.fault(format!("{} needs the field {name}", self.what));
        }
        self.text(name)
    }

    /// Whether the field of this name is a text.
    pub(super) fn is_text(&self, name: &str) -> bool {
        self.table.get(name).is_some_and(|value| value.get_ref().is_str())
    }

    /// A number in `[low, high]`, in `unit` (with a space before it, or empty).
    pub(super) fn number(&mut self, name: &'static str, [low, high]: [f64; 2], unit: &str) -> Option<f64> {
        let inside = |value: &DeValue| number(value).filter(|v| (low..=high).contains(v));
        self.read(name, &format!("a number from {low:e} to {high:e}{unit}"), inside)
    }

    /// A number above 0 and up to `high`.
    pub(super) fn positive(&mut self, name: &'static str, high: f64) -> Option<f64> {
        let expected = match high {
            f64::MAX => "a number above 0".to_owned(),
            high => format!("a number above 0, at most {high},"),
        };
        self.read(name, &expected, |value| number(value).filter(|v| *v > 0.0 && *v <= high))
    }

    /// A whole number in `[low, high]`.
    pub(super) fn integer(&mut self, name: &'static str, [low, high]: [usize; 2]) -> Option<usize> {
        let inside = |value: &DeValue| {
            let number = value.as_integer().and_then(|i| usize::from_str_radix(i.as_str(), i.radix()).ok());
            number.filter(|n| (low..=high).contains(n))
        };
        self.read(name, &format!("a whole number from {low} to {high}"), inside)
    }

    /// One of several words.
    pub(super) fn word<T: Copy>(&mut self, name: &'static str, words: &[(&str, T)]) -> Option<T> {
        let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let known = |value: &DeValue| words.iter().find(|(word, _)| value.as_str() == Some(word)).map(|(_, v)| *v);
        self.read(name, &format!("one of {}", names.join(", ")), known)
    }

    /// The values of an axis.
    pub(super) fn axis(&mut self, name: &'static str) -> Option<Vec<f64>> {
        let all = |value: &DeValue| {
            let values: Vec<f64> = value.as_array()?.iter().map(|v| number(v.get_ref())).collect::<Option<_>>()?;
            (2..=MAX_AXIS_LEN).contains(&values.len()).then_some(values)
        };
        self.read(name, &format!("a list of 2 to {MAX_AXIS_LEN} numbers"), all)
    }

    /// The items of a list with at least one.
    pub(super) fn list(&mut self, name: &'static str) -> Option<&'a [Spanned<DeValue<'a>>]> {
        self.read(name, "a list with at least one item", |value| {
            value.as_array().map(|list| &list[..]).filter(|list| !list.is_empty())
        })
    }

    /// The items of a list, which may have none.
    pub(super) fn any_list(&mut self, name: &'static str) -> Option<&'a [Spanned<DeValue<'a>>]> {
        self.read(name, "a list", |value| value.as_array().map(|list| &list[..]))
    }

    /// The items of a list, or the one value that is there instead.
    pub(super) fn one_or_list(&mut self, name: &'static str) -> Option<&'a [Spanned<DeValue<'a>>]> {
        let value = self.value(name)?;
        let list = value.get_ref().as_array().map_or(std::slice::from_ref(value), |list| &list[..]);
        if list.is_empty() {
            self.source.fault(value.span(), format!("{name} is an empty list: leave it out"));
        }
        Some(list)
    }

    /// Names, or one name.
    pub(super) fn names(&mut self, name: &'static str) -> Vec<String> {
        let mut names = Vec::new();
        for item in self.one_or_list(name).unwrap_or_default() {
            match item.get_ref() {
                DeValue::String(text) => names.push(text.to_string()),
                // Grids are known by numbers.
                DeValue::Integer(i) => names.push(i.to_string()),
                other => self
                    .source
                    .fault(item.span(), format!("{name} is {}, a name or a list of names is expected", kind(other))),
            }
        }
        names
    }

    /// Reports the fields that nothing asked for.
    pub(super) fn finish(self) {
        for (name, _) in self.table {
            if !self.known.contains(&name.get_ref().as_ref()) {
                let known = self.known.join(", ");
                let problem = format!("{} has no field '{}'; there are {known}", self.what, name.get_ref());
                self.source.fault(name.span(), problem);
            }
        }
    }
}
