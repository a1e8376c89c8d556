//! Who follows a search step by step: progress reports and traces, as an observer of `argmin`'s executor.

use super::solver::Iteration;
use argmin::core::observers::Observe;
use argmin::core::{Error, KV, KvValue};
use std::cell::RefCell;
use std::rc::Rc;

/// Where a search stands after a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen {
    /// Steps taken.
    pub step: usize,
    /// Energy of the cell, J.
    pub energy: f64,
    /// Unbalanced force over the forces that balance.
    pub residual: f64,
    /// Regularization, in units of ks / mean rest length.
    pub rho: f64,
    /// Pairs of segments in touch.
    pub contacts: usize,
    /// Numeric factorizations so far.
    pub factorizations: usize,
}

/// Is called with the start of a search and after each of its steps.
pub type Follower = Rc<RefCell<dyn FnMut(&Seen)>>;

/// A follower as an observer.
pub(super) struct Following(pub Follower);

impl Following {
    fn call(&self, iteration: &Iteration, kv: &KV) {
        let float = |key| match kv.get(key) {
            Some(KvValue::Float(value)) => *value,
            _ => f64::NAN,
        };
        let count = |key| match kv.get(key) {
            Some(KvValue::Uint(value)) => *value as usize,
            _ => 0,
        };
        (self.0.borrow_mut())(&Seen {
            step: count("steps"),
            energy: iteration.cost,
            residual: float("residual"),
            rho: float("rho"),
            contacts: count("contacts"),
            factorizations: count("factorizations"),
        });
    }
}

impl Observe<Iteration> for Following {
    fn observe_init(&mut self, _name: &str, state: &Iteration, kv: &KV) -> Result<(), Error> {
        self.call(state, kv);
        Ok(())
    }

    fn observe_iter(&mut self, state: &Iteration, kv: &KV) -> Result<(), Error> {
        self.call(state, kv);
        Ok(())
    }
}
