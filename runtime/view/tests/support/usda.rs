//! A small strict reader of USD text, written against the format's description and not against our writer: prims,
//! properties with types and metadata, arrays, tuples, strings, time samples. What it does not know it refuses.

use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Number(f64),
    Text(String),
    Array(Vec<Value>),
    Tuple(Vec<f64>),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Property {
    pub(crate) kind: String,
    pub(crate) uniform: bool,
    pub(crate) value: Option<Value>,
    pub(crate) samples: BTreeMap<i64, Value>,
    pub(crate) metadata: BTreeMap<String, Value>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Prim {
    pub(crate) kind: String,
    pub(crate) properties: BTreeMap<String, Property>,
    pub(crate) children: BTreeMap<String, Prim>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Layer {
    pub(crate) metadata: BTreeMap<String, Value>,
    pub(crate) prims: BTreeMap<String, Prim>,
}

pub(crate) fn parse(text: &str) -> Result<Layer, String> {
    let body = text.strip_prefix("#usda 1.0\n").ok_or("does not begin with '#usda 1.0'")?;
    let mut reader = Reader { rest: body };
    let mut layer = Layer::default();
    if reader.peek() == Some('(') {
        layer.metadata = reader.metadata()?;
    }
    while reader.peek().is_some() {
        let (name, prim) = reader.prim()?;
        if layer.prims.insert(name.clone(), prim).is_some() {
            return Err(format!("two prims are called {name}"));
        }
    }
    Ok(layer)
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn expect(&mut self, c: char) -> Result<(), String> {
        if self.peek() != Some(c) {
            return Err(format!("'{c}' expected at: {}", self.rest.chars().take(40).collect::<String>()));
        }
        self.rest = &self.rest[c.len_utf8()..];
        Ok(())
    }

    fn word(&mut self) -> Result<&'a str, String> {
        self.peek();
        let end = self.rest.find(|c: char| !(c.is_alphanumeric() || "_:.[]".contains(c))).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        if word.is_empty() {
            return Err(format!("a name expected at: {}", rest.chars().take(40).collect::<String>()));
        }
        self.rest = rest;
        Ok(word)
    }

    fn text(&mut self) -> Result<String, String> {
        self.expect('"')?;
        let end = self.rest.find('"').ok_or("a string does not end")?;
        let text = self.rest[..end].to_owned();
        if text.contains(['\n', '\\']) {
            return Err("a plain string has no line breaks and no escapes here".into());
        }
        self.rest = &self.rest[end + 1..];
        Ok(text)
    }

    fn number(&mut self) -> Result<f64, String> {
        self.peek();
        let end = self.rest.find(|c: char| !(c.is_ascii_digit() || "+-.e".contains(c))).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        let number: f64 = digits.parse().map_err(|_| format!("'{digits}' is no number"))?;
        if !number.is_finite() {
            return Err(format!("{digits} is not finite"));
        }
        self.rest = rest;
        Ok(number)
    }

    /// Items with commas between them; a comma may follow the last one.
    fn items<T>(
        &mut self,
        open: char,
        close: char,
        mut item: impl FnMut(&mut Self) -> Result<T, String>,
    ) -> Result<Vec<T>, String> {
        self.expect(open)?;
        let mut items = Vec::new();
        while self.peek() != Some(close) {
            items.push(item(self)?);
            if self.peek() != Some(close) {
                self.expect(',')?;
            }
        }
        self.expect(close)?;
        Ok(items)
    }

    fn value(&mut self) -> Result<Value, String> {
        match self.peek() {
            Some('"') => self.text().map(Value::Text),
            Some('[') => self.items('[', ']', Self::value).map(Value::Array),
            Some('(') => self.items('(', ')', Self::number).map(Value::Tuple),
            _ => self.number().map(Value::Number),
        }
    }

    /// `( name = value ... )`, one to a line.
    fn metadata(&mut self) -> Result<BTreeMap<String, Value>, String> {
        self.expect('(')?;
        let mut all = BTreeMap::new();
        while self.peek() != Some(')') {
            let name = self.word()?.to_owned();
            self.expect('=')?;
            let value = self.value()?;
            if all.insert(name.clone(), value).is_some() {
                return Err(format!("{name} is said twice"));
            }
        }
        self.expect(')')?;
        Ok(all)
    }

    fn prim(&mut self) -> Result<(String, Prim), String> {
        if self.word()? != "def" {
            return Err("'def' expected".into());
        }
        let mut prim = Prim { kind: self.word()?.to_owned(), ..Default::default() };
        let name = self.text()?;
        self.expect('{')?;
        while self.peek() != Some('}') {
            if self.rest.starts_with("def ") {
                let (name, child) = self.prim()?;
                prim.children.insert(name, child);
            } else {
                self.property(&mut prim)?;
            }
        }
        self.expect('}')?;
        Ok((name, prim))
    }

    fn property(&mut self, prim: &mut Prim) -> Result<(), String> {
        let mut kind = self.word()?;
        let uniform = kind == "uniform";
        if uniform {
            kind = self.word()?;
        }
        let full = self.word()?;
        self.expect('=')?;
        let name = full.strip_suffix(".timeSamples").unwrap_or(full);
        let property = prim.properties.entry(name.to_owned()).or_default();
        if !property.kind.is_empty() {
            return Err(format!("{name} is said twice"));
        }
        (property.kind, property.uniform) = (kind.to_owned(), uniform);
        if full == name {
            property.value = Some(self.value()?);
        } else {
            let samples = self.items('{', '}', |r| {
                let time = r.number()?;
                r.expect(':')?;
                Ok((time as i64, r.value()?))
            })?;
            let ascends = samples.windows(2).all(|w| w[0].0 < w[1].0);
            if !ascends || samples.is_empty() {
                return Err(format!("the time samples of {name} do not ascend"));
            }
            property.samples = samples.into_iter().collect();
        }
        if self.peek() == Some('(') {
            property.metadata = self.metadata()?;
        }
        Ok(())
    }
}

impl Value {
    pub(crate) fn points(&self) -> Vec<[f64; 3]> {
        let Value::Array(items) = self else { panic!("an array expected") };
        let point = |v: &Value| match v {
            Value::Tuple(t) => <[f64; 3]>::try_from(t.as_slice()).expect("three numbers"),
            other => panic!("a tuple expected, not {other:?}"),
        };
        items.iter().map(point).collect()
    }

    pub(crate) fn numbers(&self) -> Vec<f64> {
        let Value::Array(items) = self else { panic!("an array expected") };
        let number = |v: &Value| match v {
            Value::Number(n) => *n,
            other => panic!("a number expected, not {other:?}"),
        };
        items.iter().map(number).collect()
    }
}
