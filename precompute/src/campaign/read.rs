//! A campaign's file from its text.

use super::file::{
    At, BendingEntry, CampaignFile, GridEntry, Lossless, MaterialEntry, NameFilter, Override, PatternEntry, Precision,
    RelaxEntry, RelaxMode, Settings,
};
use super::toml::{Document, Fields, TomlValue};
use crate::bake::StartMode;
use crate::equilibrium::settings::TOLERANCE;
use crate::faults::Fault;
use crate::sampling::MOST_ROUNDS;
use toml::de::{DeTable, DeValue};
use yarnwise_shared::pattern::material::{CONTACT, GAMMA, MODULUS};

/// The most tasks that a database can be cut into: arrays of Slurm have at most a thousand in its default configuration.
pub const MOST_SHARDS: usize = 1000;

/// The most threads that are started.
const MOST_THREADS: usize = 1024;

/// Largest tolerance, radii: displacements that are off by more than a yarn's radius move yarns into each other.
pub const LARGEST_TOLERANCE: f64 = 1.0;

/// The most steps of a search for rest that make sense to ask for.
const MOST_STEPS: usize = 1_000_000_000;

/// Databases are called so where the file says nothing.
pub const DEFAULT_NAMING: &str = "{pattern}-{material}-{grid}-{bending}";

const RELAX_MODES: [(&str, RelaxMode); 3] =
    [("free", RelaxMode::Free), ("fixed", RelaxMode::Fixed), ("none", RelaxMode::None)];

const STARTS: [(&str, StartMode); 2] = [("continuation", StartMode::Continuation), ("cold", StartMode::Cold)];

impl CampaignFile {
    /// Reads the text of a campaign: what could be read of it, and everything that is wrong.
    pub fn parse(text: &str) -> (Self, Vec<Fault>) {
        let (document, errors) = DeTable::parse_recoverable(text);
        let source = Document::new(text);
        for error in &errors {
            source.fault(error.span().unwrap_or_default(), error.message());
        }
        // What follows a broken line may be anything: to report it, too, would hide the cause.
        if !errors.is_empty() {
            return (CampaignFile::default(), source.into_faults());
        }
        let file = campaign(Fields::new(&source, "a campaign", document.get_ref(), 0..0));
        (file, source.into_faults())
    }
}

fn campaign<'a>(mut fields: Fields<'a>) -> CampaignFile {
    let file = CampaignFile {
        name: fields.text("name"),
        output: fields.text("output"),
        naming: naming(&mut fields),
        patterns: needed(&mut fields, "patterns", pattern),
        materials: needed(&mut fields, "materials", material),
        grids: or_default(&mut fields, "grids", grid, GridEntry::Preset(9)),
        bending: or_default(&mut fields, "bending", bending, BendingEntry::Suited(false)),
        relax: fields.table("relax", "[relax]").map(relax),
        bake: fields.table("bake", "[bake]").map(bake).unwrap_or_default(),
        overrides: tables(&mut fields, "override", "an override", over),
        exclude: tables(&mut fields, "exclude", "an exclusion", exclusion),
    };
    fields.finish();
    file
}

fn naming(fields: &mut Fields) -> At<String> {
    let value = fields.text("naming").unwrap_or_else(|| DEFAULT_NAMING.to_owned());
    At { value, line: fields.line_of("naming") }
}

/// The items of a list that could be read.
fn items<'a, T>(
    source: &'a Document<'a>,
    items: &'a [toml::Spanned<DeValue<'a>>],
    read: impl Fn(&'a Document<'a>, TomlValue<'a>) -> Option<T>,
) -> Vec<At<T>> {
    let item = |value: TomlValue<'a>| Some(At { value: read(source, value)?, line: source.line(value.span()) });
    items.iter().filter_map(item).collect()
}

/// A list that the table must have, with at least one item.
fn needed<'a, T>(
    fields: &mut Fields<'a>,
    name: &'static str,
    read: impl Fn(&'a Document<'a>, TomlValue<'a>) -> Option<T>,
) -> Vec<At<T>> {
    if !fields.has(name) {
        fields.fault(format!("a campaign needs the list {name}"));
    }
    let list = fields.list(name).unwrap_or_default();
    items(fields.source(), list, read)
}

/// A list with at least one item, or the one item that it is without being given.
fn or_default<'a, T>(
    fields: &mut Fields<'a>,
    name: &'static str,
    read: impl Fn(&'a Document<'a>, TomlValue<'a>) -> Option<T>,
    default: T,
) -> Vec<At<T>> {
    match fields.list(name) {
        Some(list) => items(fields.source(), list, read),
        None if fields.has(name) => Vec::new(),
        None => vec![At { value: default, line: 1 }],
    }
}

/// A list of tables, which may be missing.
fn tables<'a, T>(
    fields: &mut Fields<'a>,
    name: &'static str,
    what: &'static str,
    read: impl Fn(Fields<'a>) -> T,
) -> Vec<At<T>> {
    let list = fields.any_list(name).unwrap_or_default();
    items(fields.source(), list, |source, value| Fields::of(source, what, value).map(&read))
}

fn pattern<'a>(source: &'a Document<'a>, value: TomlValue<'a>) -> Option<PatternEntry> {
    if let Some(file) = value.get_ref().as_str() {
        return Some(PatternEntry::File(file.to_owned()));
    }
    let mut fields = Fields::of(source, "a pattern", value)?;
    let (name, file) = (fields.text("name"), fields.required_text("file"));
    let relax = fields.word("relax", &RELAX_MODES);
    fields.finish();
    Some(PatternEntry::Table { name, file: file?, relax })
}

fn material<'a>(source: &'a Document<'a>, value: TomlValue<'a>) -> Option<MaterialEntry> {
    if let Some(name) = value.get_ref().as_str() {
        return Some(MaterialEntry::Preset(name.to_owned()));
    }
    let mut fields = Fields::of(source, "a material", value)?;
    let name = fields.required_text("name");
    let like = fields.text("like");
    let young = fields.number("young", MODULUS, " Pa");
    let shear = fields.number("shear", MODULUS, " Pa");
    let gamma = fields.number("gamma", GAMMA, "");
    let contact = fields.number("contact", CONTACT, " N/m");
    let needed = ["young", "shear", "gamma", "contact"];
    let is_whole = like.is_some() || fields.need_all(&needed, "or 'like' with the name of a material");
    fields.finish();
    let table = MaterialEntry::Table { name: name?, like, young, shear, gamma, contact };
    is_whole.then_some(table)
}

fn grid<'a>(source: &'a Document<'a>, value: TomlValue<'a>) -> Option<GridEntry> {
    match value.get_ref() {
        DeValue::String(file) => return Some(GridEntry::File(file.to_string())),
        DeValue::Integer(samples) => match samples.as_str().parse() {
            Ok(samples) => return Some(GridEntry::Preset(samples)),
            Err(_) => {
                source.fault(value.span(), format!("grid {samples} is not one of the published grids"));
                return None;
            }
        },
        _ => {}
    }
    let mut fields = Fields::of(source, "a grid", value)?;
    let (name, file) = (fields.required_text("name"), fields.text("file"));
    let [sx, sa, sy] = ["sx", "sa", "sy"].map(|axis| fields.axis(axis));
    if file.is_some() {
        fields.refuse(&["sx", "sa", "sy"], "the file has the axes");
    } else {
        fields.need_all(&["sx", "sa", "sy"], "or 'file' with a file of axes");
    }
    fields.finish();
    let is_whole = file.is_some() || [&sx, &sa, &sy].iter().all(|axis| axis.is_some());
    let table = GridEntry::Table { name: name?, file, sx, sa, sy };
    is_whole.then_some(table)
}

fn bending<'a>(source: &'a Document<'a>, value: TomlValue<'a>) -> Option<BendingEntry> {
    match value.get_ref() {
        DeValue::Boolean(bent) => return Some(BendingEntry::Suited(*bent)),
        DeValue::String(file) => return Some(BendingEntry::File(file.to_string())),
        _ => {}
    }
    let mut fields = Fields::of(source, "bending", value)?;
    let (name, file) = (fields.required_text("name"), fields.text("file"));
    let curvatures = fields.axis("curvatures");
    if file.is_some() {
        fields.refuse(&["curvatures"], "the file has the curvatures");
    } else {
        fields.need_all(&["curvatures"], "or 'file' with a file of curvatures");
    }
    fields.finish();
    let is_whole = file.is_some() || curvatures.is_some();
    let table = BendingEntry::Table { name: name?, file, curvatures };
    is_whole.then_some(table)
}

fn relax(mut fields: Fields) -> RelaxEntry {
    let default = RelaxEntry::default();
    let entry = RelaxEntry {
        period: fields.word("period", &RELAX_MODES).unwrap_or(default.period),
        max_steps: fields.integer("max_steps", [1, MOST_STEPS]).unwrap_or(default.max_steps),
        residual: fields.number("residual", TOLERANCE, "").unwrap_or(default.residual),
    };
    fields.finish();
    entry
}

fn settings(fields: &mut Fields) -> Settings {
    Settings {
        residual: fields.number("residual", TOLERANCE, ""),
        rounds: fields.integer("rounds", [0, MOST_ROUNDS]),
        gain: fields.positive("gain", f64::MAX),
        start: fields.word("start", &STARTS),
        tolerance: precision(fields),
        threads: fields.integer("threads", [1, MOST_THREADS]),
        shards: fields.integer("shards", [1, MOST_SHARDS]),
    }
}

fn precision(fields: &mut Fields) -> Option<Precision> {
    if fields.is_text("tolerance") {
        return fields.word("tolerance", &[("lossless", Precision::Lossless(Lossless::Lossless))]);
    }
    fields.positive("tolerance", LARGEST_TOLERANCE).map(Precision::Within)
}

fn bake(mut fields: Fields) -> Settings {
    let settings = settings(&mut fields);
    fields.finish();
    settings
}

fn selection(fields: &mut Fields) -> NameFilter {
    let [pattern, material, grid] = ["pattern", "material", "grid"].map(|name| fields.names(name));
    NameFilter { pattern, material, grid, bending: Vec::new() }
}

fn over<'a>(mut fields: Fields<'a>) -> Override {
    let selection = selection(&mut fields);
    let settings = settings(&mut fields);
    let source = fields.source();
    let bent = fields.one_or_list("bending").map(|list| items(source, list, bending));
    if selection == NameFilter::default() {
        fields.fault("an override needs a pattern, a material or a grid; what holds everywhere belongs to [bake]");
    }
    if settings == Settings::default() && bent.is_none() {
        fields.fault("an override changes nothing: add a setting");
    }
    fields.finish();
    Override { selection, settings, bent }
}

fn exclusion(mut fields: Fields) -> NameFilter {
    let selection = NameFilter { bending: fields.names("bending"), ..selection(&mut fields) };
    if selection == NameFilter::default() {
        fields.fault("an exclusion needs a pattern, a material, a grid or a bending");
    }
    fields.finish();
    selection
}
