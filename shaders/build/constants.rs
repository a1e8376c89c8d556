//! Constants that exist in WGSL and in Rust: assertions that both are the same number.

use naga::{Expression, Handle, Literal, Module};
use std::fmt::Write as _;

/// Constants that only the shaders have. Every other one must be in `crate::gpu::constants` under the same name.
const ALONE: [&str; 8] = ["GROUP", "THREADS", "UNSEEN", "FAR_END", "FAR_CAP", "LEVELS", "PAIRS", "ARMS"];

/// Assertions for each constant of the stage `name`.
pub(crate) fn agreements(out: &mut String, name: &str, module: &Module) -> std::fmt::Result {
    for (_, constant) in module.constants.iter() {
        let Some(constant_name) = constant.name.as_deref().filter(|n| !ALONE.contains(n)) else { continue };
        let host = format!("crate::gpu::constants::{constant_name}");
        let message = format!("{constant_name} differs between wgsl/{name}.wgsl and crate::gpu::constants");
        let values = values(module, constant.init)
            .unwrap_or_else(|| panic!("wgsl/{name}.wgsl: {constant_name} is neither a number nor an array of numbers"));
        match &values[..] {
            [value] => writeln!(out, "const _: () = assert!({}, {message:?});", equal(&host, *value))?,
            several => {
                writeln!(out, "const _: () = assert!({host}.len() == {}, {message:?});", several.len())?;
                for (i, value) in several.iter().enumerate() {
                    let element = equal(&format!("{host}[{i}]"), *value);
                    writeln!(out, "const _: () = assert!({element}, {message:?});")?;
                }
            }
        }
    }
    Ok(())
}

/// Floats are compared bit by bit.
fn equal(host: &str, value: Literal) -> String {
    match value {
        Literal::F32(v) => format!("f32::to_bits({host}) == {}", v.to_bits()),
        Literal::AbstractFloat(v) => format!("f32::to_bits({host}) == {}", (v as f32).to_bits()),
        Literal::U32(v) => format!("{host} == {v}"),
        Literal::I32(v) => format!("{host} == {v}"),
        Literal::AbstractInt(v) => format!("{host} == {v}"),
        other => panic!("a constant {other:?} is not supported"),
    }
}

/// The numbers of a constant's value, in order.
fn values(module: &Module, expression: Handle<Expression>) -> Option<Vec<Literal>> {
    match &module.global_expressions[expression] {
        Expression::Literal(value) => Some(vec![*value]),
        Expression::Constant(other) => values(module, module.constants[*other].init),
        Expression::Compose { components, .. } => {
            let parts: Option<Vec<_>> = components.iter().map(|c| values(module, *c)).collect();
            Some(parts?.concat())
        }
        _ => None,
    }
}
