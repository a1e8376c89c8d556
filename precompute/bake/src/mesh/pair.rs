//! Two numbers in one argument.

use std::fmt;
use std::str::FromStr;

/// Two numbers with a comma or an `x` between them; one number stands for two equal ones.
#[derive(Clone, Copy)]
pub(crate) struct Pair<T>(pub(crate) [T; 2]);

impl<T: FromStr + Copy> FromStr for Pair<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Result<Vec<T>, _> = text.split([',', 'x']).map(|part| part.trim().parse()).collect();
        match numbers.as_deref() {
            Ok([a]) => Ok(Pair([*a, *a])),
            Ok([a, b]) => Ok(Pair([*a, *b])),
            _ => Err("one number, or two with a comma between them, are expected".into()),
        }
    }
}

impl<T: fmt::Display> fmt::Display for Pair<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.0[0], self.0[1])
    }
}
