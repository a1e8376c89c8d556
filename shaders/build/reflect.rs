//! What naga finds in the WGSL sources, written as Rust.

use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{AddressSpace, ImageClass, Module, StorageAccess, TypeInner};
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

/// The folders in `wgsl/` besides the runtime's own stages: name, what it holds, and the cargo feature that it is built with.
const FOLDERS: [(&str, &str, Option<&str>); 3] = [
    ("draw", "The shaders that draw.", None),
    ("hybrid", "The stages of the hybrid solver.", Some("CARGO_FEATURE_YARN_LEVEL")),
    ("yarn_solver", "The stages of the yarn solver.", Some("CARGO_FEATURE_YARN_LEVEL")),
];

pub(crate) fn write_stages() {
    let mut out = String::new();
    stages(&mut out, "");
    let mut lists = "(\"\", ALL), ".to_owned();
    let built = |feature: Option<&str>| feature.is_none_or(|name| env::var_os(name).is_some());
    for (folder, what, _) in FOLDERS.iter().filter(|(.., feature)| built(*feature)) {
        writeln!(out, "/// {what}\npub mod {folder} {{").expect("a string grows");
        stages(&mut out, &format!("{folder}/"));
        writeln!(out, "}}").expect("a string grows");
        lists += &format!("({folder:?}, {folder}::ALL), ");
    }
    let what = "/// Every list of stages with its folder in `wgsl/`; the runtime's own stages are in none.";
    writeln!(out, "{what}\npub const FOLDERS: &[(&str, &[&crate::Stage])] = &[{lists}];").expect("a string grows");
    let target = Path::new(&env::var("OUT_DIR").expect("cargo sets OUT_DIR")).join("stages.rs");
    fs::write(target, out).expect("OUT_DIR can be written");
}

/// Describes all stages in the folder `wgsl/{folder}`.
fn stages(out: &mut String, folder: &str) {
    let mut names: Vec<String> = fs::read_dir(Path::new("wgsl").join(folder))
        .expect("the folder wgsl is there")
        .map(|entry| entry.expect("wgsl can be listed").path())
        .filter(|path| path.extension().is_some_and(|e| e == "wgsl"))
        .filter_map(|path| path.file_stem().and_then(|s| s.to_str()).map(str::to_owned))
        .filter(|name| !name.starts_with('_'))
        .collect();
    names.sort();
    for name in &names {
        let source = assemble(&format!("{folder}{name}"));
        let module = validate(&format!("{folder}{name}"), &source);
        describe(out, name, &source, &module);
    }
    let list: String = names.iter().map(|n| format!("&{}::STAGE, ", n)).collect();
    writeln!(out, "/// Every stage, by name.\npub const ALL: &[&crate::Stage] = &[{list}];").expect("a string grows");
}

/// The stage with the files that it uses in front.
fn assemble(name: &str) -> String {
    let own = fs::read_to_string(format!("wgsl/{name}.wgsl")).unwrap_or_else(|e| panic!("wgsl/{name}.wgsl: {e}"));
    let used = own.lines().filter_map(|line| line.strip_prefix("//!use "));
    let mut source: String = used.map(|other| assemble(other.trim())).collect();
    source.push_str(&own);
    source
}

fn validate(name: &str, source: &str) -> Module {
    let module = naga::front::wgsl::parse_str(source)
        .unwrap_or_else(|e| panic!("wgsl/{name}.wgsl:\n{}", e.emit_to_string_with_path(source, name)));
    // No capabilities: what passes is plain WebGPU.
    Validator::new(ValidationFlags::all(), Capabilities::empty())
        .validate(&module)
        .unwrap_or_else(|e| panic!("wgsl/{name}.wgsl:\n{}", e.emit_to_string_with_path(source, name)));
    module
}

fn describe(out: &mut String, name: &str, source: &str, module: &Module) {
    let mut text = || -> std::fmt::Result {
        writeln!(out, "/// The stage `{name}`, from `wgsl/{name}.wgsl`.\npub mod {name} {{")?;
        writeln!(out, "/// Source, entry points and bindings.\npub const STAGE: crate::Stage = crate::Stage {{")?;
        writeln!(out, "name: {name:?}, source: {source:?}, entry_points: &[")?;
        for entry in &module.entry_points {
            let size = entry.workgroup_size;
            writeln!(out, "crate::EntryPoint {{ name: {:?}, workgroup_size: {size:?} }},", entry.name)?;
        }
        writeln!(out, "], bindings: &[")?;
        bindings(out, name, module)?;
        writeln!(out, "] }};")?;
        agreements(out, name, module)?;
        super::constants::agreements(out, name, module)?;
        writeln!(out, "}}")
    };
    text().expect("a string grows");
}

fn bindings(out: &mut String, name: &str, module: &Module) -> std::fmt::Result {
    let mut list: Vec<_> = module.global_variables.iter().filter_map(|(_, v)| Some((v.binding?, v))).collect();
    list.sort_by_key(|(binding, _)| (binding.group, binding.binding));
    for (binding, variable) in list {
        let kind = match variable.space {
            AddressSpace::Uniform => "Uniform",
            AddressSpace::Storage { access } if access.contains(StorageAccess::STORE) => "ReadWrite",
            AddressSpace::Storage { .. } => "ReadOnly",
            AddressSpace::Handle => handle(name, &module.types[variable.ty].inner),
            other => panic!("wgsl/{name}.wgsl: a binding in {other:?} is not supported"),
        };
        let variable_name = variable.name.as_deref().unwrap_or_default();
        let (group, index) = (binding.group, binding.binding);
        writeln!(
            out,
            "crate::Binding {{ name: {variable_name:?}, group: {group}, index: {index}, \
             kind: crate::BindingKind::{kind} }},"
        )?;
    }
    Ok(())
}

/// The kind of a texture or sampler.
fn handle(name: &str, ty: &TypeInner) -> &'static str {
    match ty {
        TypeInner::Image { class: ImageClass::Depth { multi: false }, .. } => "Depth",
        TypeInner::Image { class: ImageClass::Depth { multi: true }, .. } => "MultisampledDepth",
        TypeInner::Image { class: ImageClass::Sampled { multi: false, .. }, .. } => "Texture",
        TypeInner::Sampler { comparison: true } => "ComparisonSampler",
        other => panic!("wgsl/{name}.wgsl: a binding of {other:?} is not supported"),
    }
}

/// Assertions that the structs in the stage's buffers lie in memory as the host's structs of the same name.
fn agreements(out: &mut String, name: &str, module: &Module) -> std::fmt::Result {
    let mut seen = Vec::new();
    for (_, variable) in module.global_variables.iter().filter(|(_, v)| v.binding.is_some()) {
        let ty = match module.types[variable.ty].inner {
            TypeInner::Array { base, .. } => &module.types[base],
            _ => &module.types[variable.ty],
        };
        let (Some(struct_name), TypeInner::Struct { members, span }) = (&ty.name, &ty.inner) else { continue };
        if seen.contains(struct_name) {
            continue;
        }
        seen.push(struct_name.clone());
        let host = format!("crate::gpu::{struct_name}");
        let message = format!("{struct_name} differs between wgsl/{name}.wgsl and crate::gpu");
        writeln!(out, "const _: () = {{ assert!(size_of::<{host}>() == {span}, {message:?});")?;
        for member in members {
            let field = member.name.as_deref().unwrap_or_default();
            let message = format!("{struct_name}.{field} lies elsewhere in wgsl/{name}.wgsl");
            writeln!(out, "assert!(core::mem::offset_of!({host}, {field}) == {}, {message:?});", member.offset)?;
        }
        writeln!(out, "}};")?;
    }
    Ok(())
}
