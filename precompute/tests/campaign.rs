//! What campaigns come to: combinations, overrides, exclusions, names.

use std::path::{Path, PathBuf};
use yarnwise_precompute::campaign::{Bending, Campaign, Fault, PlannedBake, Source};
use yarnwise_precompute::relax::Period;
use yarnwise_precompute::sampling::SamplingSettings;
use yarnwise_shared::table::database::{Encoding, Tolerance};

/// Where the campaigns of these tests would be.
fn place() -> PathBuf {
    yarnwise_tests::repository().join("data/campaigns/here.toml")
}

fn draft(text: &str) -> (Campaign, Vec<Fault>) {
    Campaign::draft_of(text.as_bytes(), &place()).unwrap()
}

fn good(text: &str) -> Campaign {
    let (campaign, faults) = draft(text);
    assert_eq!(faults, []);
    campaign
}

fn problems(text: &str) -> String {
    draft(text).1.into_iter().map(|fault| format!("{}: {}\n", fault.line.unwrap_or(0), fault.problem)).collect()
}

fn names(campaign: &Campaign) -> Vec<&str> {
    campaign.bakes.iter().map(|bake| bake.name.as_str()).collect()
}

const LISTS: &str = r#"
patterns = ["../patterns/plain.yarn", "../patterns/rib*.yarn"]
materials = ["woven", { name = "soft", like = "knit", young = 1e5 }]
grids = [5, { name = "t", sx = [0, 1], sa = [-0.5, 0], sy = [0, 0.1] }]
"#;

#[test]
fn every_combination_is_a_bake_in_the_order_of_the_file() {
    let campaign = good(LISTS);
    assert_eq!(campaign.bakes.len(), 3 * 2 * 2);
    assert_eq!(
        names(&campaign)[..5],
        ["plain-woven-5-flat", "plain-woven-t-flat", "plain-soft-5-flat", "plain-soft-t-flat", "rib1x1-woven-5-flat"]
    );
    assert_eq!(campaign.name, "here");
    assert_eq!(campaign.bakes[0].output, place().with_file_name("here").join("plain-woven-5-flat.ydb"));
    let PlannedBake { settings, encoding, bending, threads, shards, material, .. } = &campaign.bakes[2];
    assert_eq!((*settings, *encoding), (SamplingSettings::default(), Encoding::Quantized(Tolerance::default())));
    assert_eq!((bending, *threads, *shards), (&Bending::None, None, 1));
    assert_eq!((material.young, material.shear, material.contact), (1e5, 2e5, 60.0), "what is not given is like knit");
    assert!(campaign.rests.is_empty() && matches!(campaign.bakes[0].source, Source::Given(_)));
    assert_eq!(campaign.bake("rib2x2-soft-t-flat").unwrap().parts, ["rib2x2", "soft", "t", "flat"]);
}

#[test]
fn later_overrides_win_and_name_what_they_are_for() {
    let campaign = good(&format!(
        r#"{LISTS}
        bake = {{ rounds = 7, tolerance = 0.01 }}
        [[override]]
        pattern = "rib*"
        rounds = 3
        shards = 4
        [[override]]
        pattern = ["rib2x2", "plain"]
        grid = 5
        material = "woven"
        rounds = 1
        tolerance = "lossless"
        bending = [true, {{ name = "c", curvatures = [-20, 0, 20] }}]
        "#
    ));
    let of = |name: &str| campaign.bake(name).unwrap_or_else(|| panic!("{name} in {:?}", names(&campaign)));
    let figures = |name: &str| (of(name).settings.rounds, of(name).shards, of(name).encoding);
    let coarse = Encoding::Quantized(Tolerance { position: 0.01, twist: 0.01 });
    assert_eq!(figures("plain-soft-5-flat"), (7, 1, coarse));
    assert_eq!(figures("rib1x1-woven-5-flat"), (3, 4, coarse));
    assert_eq!(figures("rib2x2-woven-5-bent"), (1, 4, Encoding::Lossless));
    assert_eq!(figures("plain-woven-5-c"), (1, 1, Encoding::Lossless));
    assert!(campaign.bake("plain-woven-5-flat").is_none(), "an override's bending takes the place of the campaign's");
    assert_eq!(of("plain-woven-5-bent").bending, Bending::Suited);
    assert!(matches!(&of("plain-woven-5-c").bending, Bending::At(axis) if axis.values() == [-20.0, 0.0, 20.0]));
    assert_eq!(campaign.bakes.len(), 12 + 2);
}

#[test]
fn exclusions_leave_out_and_slips_are_found() {
    let campaign =
        good(&format!("{LISTS}[[exclude]]\nmaterial = \"soft\"\npattern = \"rib*\"\n[[exclude]]\ngrid = \"t\"\n"));
    assert_eq!(
        names(&campaign),
        ["plain-woven-5-flat", "plain-soft-5-flat", "rib1x1-woven-5-flat", "rib2x2-woven-5-flat"]
    );
    // Each name is known, the combination is not there.
    let unused = problems(&format!(
        "{LISTS}[[exclude]]\ngrid = 5\n[[exclude]]\nmaterial = \"soft\"\ngrid = 5\n[[override]]\npattern = \"twill\"\nrounds = 1\n"
    ));
    assert!(unused.contains("7: this exclusion matches no bake"), "{unused}");
    assert!(
        unused.contains("10: pattern 'twill' is none of the campaign's; there are plain, rib1x1, rib2x2"),
        "{unused}"
    );
    assert_eq!(unused.lines().count(), 2, "{unused}");
    let nothing = problems(&format!("{LISTS}[[exclude]]\npattern = \"*\"\n"));
    assert!(nothing.contains("nothing is left to bake"), "{nothing}");
}

#[test]
fn patterns_are_relaxed_once_for_each_material() {
    let campaign =
        good(&format!("{LISTS}\nrelax = {{ period = \"fixed\", max_steps = 9 }}\n[[exclude]]\npattern = \"rib2x2\"\n"));
    assert_eq!(campaign.rests.len(), 4);
    let rest = &campaign.rests[1];
    assert_eq!((rest.name.as_str(), rest.period, rest.max_steps), ("plain-soft", Period::Fixed, 9));
    assert_eq!(rest.output, campaign.folder.join("rest/plain-soft.yarn"));
    let bake = campaign.bake("plain-soft-t-flat").unwrap();
    assert_eq!((&bake.source, campaign.pattern_file(bake)), (&Source::Relaxed(1), rest.output.as_path()));
    let own = good(
        "patterns = [{ file = \"../patterns/plain.yarn\", relax = \"free\" }, \"../patterns/seed.yarn\"]\nmaterials = [\"knit\"]\n",
    );
    assert_eq!((own.rests.len(), own.rests[0].period), (1, Period::Free));
}

#[test]
fn outputs_are_named_in_folders_and_never_outside() {
    let campaign = good(&format!("naming = \"{{grid}}/{{pattern}}/{{material}}.ydb\"\noutput = \"o\"\n{LISTS}"));
    assert_eq!(campaign.bakes[0].output, place().with_file_name("o").join("5/plain/woven.ydb"));
    for bad in ["/{pattern}", "../{pattern}", "a/../{pattern}", "", "{pattern}/", "{pattern}{", "{}"] {
        let found = problems(&format!("naming = \"{bad}\"\n{LISTS}"));
        assert!(found.contains("1: naming"), "{bad}: {found}");
    }
    let twice = problems(&format!("naming = \"{{pattern}}-{{grid}}\"\n{LISTS}"));
    assert_eq!(twice.lines().filter(|line| line.contains("2 bakes are written there")).count(), 6, "{twice}");
    for name in ["a/b", "..", "a*b"] {
        let table = format!("{{ name = \"{name}\", file = \"../patterns/plain.yarn\" }}");
        let found = problems(&format!("patterns = [{table}]\nmaterials = [\"knit\"]\n"));
        assert!(found.contains(&format!("name '{name}'")), "{found}");
    }
}

#[test]
fn more_than_anybody_means_is_refused_without_work() {
    let grids: Vec<String> =
        (0..400).map(|i| format!("{{ name = \"g{i}\", sx = [0, 1], sa = [0, 0.1], sy = [0, 1] }}")).collect();
    let materials: Vec<String> = (0..400).map(|i| format!("{{ name = \"m{i}\", like = \"knit\" }}")).collect();
    let text = format!(
        "patterns = [\"../patterns/plain.yarn\"]\nmaterials = [{}]\ngrids = [{}]\n",
        materials.join(", "),
        grids.join(", ")
    );
    assert!(problems(&text).contains("1 x 400 x 400 x 1 combinations are more than the 100000"), "{}", problems(&text));
}

#[test]
fn the_example_is_good() {
    let campaign = Campaign::read(&yarnwise_tests::repository().join("data/campaigns/swatches.toml")).unwrap();
    assert_eq!(campaign.check_bakes(), []);
    assert_eq!((campaign.rests.len(), campaign.bakes.len()), (3, 9));
    assert!(campaign.inputs.iter().any(|input| input.ends_with(Path::new("patterns/basket.yarn"))));
}
